//! Bearer tokens of the control API.

use std::fmt;
use std::str::FromStr;

/// A token of 128 random bits, written as 32 lower-case hexadecimal digits.
///
/// The value appears only where it is asked for by [`Token::reveal`]; `Debug` hides it, and there is no `Display`. Comparing tokens in constant time is the
/// server's task.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Token(String);

/// The text is not 32 lower-case hexadecimal digits. The text itself is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token is 32 lower-case hexadecimal digits")]
pub struct InvalidToken;

impl Token {
    /// Number of digits.
    pub const DIGITS: usize = 32;

    /// The token for these random bits.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The digits, for the discovery file, the environment of a pane, or an envelope.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for Token {
    type Err = InvalidToken;

    fn from_str(text: &str) -> Result<Self, InvalidToken> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == Self::DIGITS && text.bytes().all(digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidToken)
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_32_lower_case_digits() {
        let token = Token::from_bytes([0xa5; 16]);
        assert_eq!(token.reveal(), "a5".repeat(16));
        assert_eq!(token.reveal().parse(), Ok(token.clone()));
        for bad in [
            "",
            "zz",
            &"A5".repeat(16),
            &"a5".repeat(17),
            &"é".repeat(16),
        ] {
            assert_eq!(bad.parse::<Token>(), Err(InvalidToken), "{bad}");
        }
        assert_eq!(format!("{token:?}"), "Token(..)");
    }
}
