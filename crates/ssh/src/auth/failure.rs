//! Why an authentication failed, in words that help.

use std::fmt;

/// What was offered and what the server accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthFailure {
    /// Methods that the server accepts.
    pub accepts: Vec<String>,
    /// Keys that it refused.
    pub keys_refused: Vec<String>,
    /// Passwords that it refused.
    pub passwords_refused: usize,
    /// Conversations that it refused.
    pub interactive_refused: usize,
    /// Keys that could not be offered, with the reason.
    pub not_offered: Vec<String>,
}

impl fmt::Display for AuthFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.accepts.is_empty() {
            true => f.write_str("the server accepts no method")?,
            false => write!(f, "server accepts {}", self.accepts.join(", "))?,
        }
        let keys = &self.keys_refused;
        match keys.len() {
            0 if self.accepts.iter().any(|method| method == "publickey") => {
                f.write_str("; no key was offered")?;
            }
            0 => {}
            1 => write!(f, "; 1 key refused: {}", keys.join(", "))?,
            count => write!(f, "; {count} keys refused: {}", keys.join(", "))?,
        }
        match self.passwords_refused {
            0 => {}
            1 => f.write_str("; password refused")?,
            count => write!(f, "; {count} passwords refused")?,
        }
        if self.interactive_refused > 0 {
            f.write_str("; answers refused")?;
        }
        for reason in &self.not_offered {
            write!(f, "; {reason}")?;
        }
        Ok(())
    }
}

/// Why a user is not in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// Everything that could be offered was refused.
    #[error("{0}")]
    Failed(Box<AuthFailure>),
    /// The server ended the connection, usually after too many tries.
    #[error("the server ended the connection; {0}")]
    Ended(Box<AuthFailure>),
    /// The user did not answer.
    #[error("the question was not answered")]
    GivenUp,
    /// The connection was lost.
    #[error("{0}")]
    Closed(String),
    /// Other keys are left for another connection; never seen outside the crate.
    #[error("other keys are left to be tried")]
    MoreKeys,
}

impl From<russh::Error> for AuthError {
    fn from(error: russh::Error) -> Self {
        Self::Closed(format!("the connection was lost: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_was_offered_and_what_is_accepted() {
        let mut failure = AuthFailure {
            accepts: vec!["publickey".into()],
            keys_refused: vec!["id_ed25519".into(), "id_rsa".into()],
            ..AuthFailure::default()
        };
        assert_eq!(
            failure.to_string(),
            "server accepts publickey; 2 keys refused: id_ed25519, id_rsa"
        );
        failure.keys_refused.clear();
        failure.accepts.push("password".into());
        failure.passwords_refused = 3;
        failure
            .not_offered
            .push("id_x: no passphrase was given".into());
        assert_eq!(
            failure.to_string(),
            "server accepts publickey, password; no key was offered; 3 passwords refused; \
             id_x: no passphrase was given"
        );
    }
}
