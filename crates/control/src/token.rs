//! Tokens: who may speak to the server, and as whom.
//!
//! The owner token stands in the discovery file and is never restricted. Every local pane has a
//! token of its own, which makes the calling pane known to the server and lets the setting
//! `panes.control` restrict what programs in panes may do. Threat model: the tokens keep other
//! local users and web pages out; they do not defend against code that already runs as the same
//! user and can read the discovery file or another process's environment.
//!
//! Promises: tokens are 128 bits from the operating system's generator; a presented token is
//! compared in constant time with every live one; no token is ever formatted.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use protocol::{PaneRef, Token};
use runtime::Origin;
use subtle::ConstantTimeEq;

/// A new token from the operating system's random number generator.
///
/// # Errors
/// The generator of the operating system failed.
pub(crate) fn generate() -> Result<Token, getrandom::Error> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random)?;
    Ok(Token::from_bytes(random))
}

/// Compares in constant time; only the length, which is no secret, shows.
pub(crate) fn matches(token: &Token, presented: &str) -> bool {
    bool::from(token.reveal().as_bytes().ct_eq(presented.as_bytes()))
}

/// The live tokens of one server. Clones share the same table.
#[derive(Clone)]
pub struct TokenTable {
    shared: Arc<Shared>,
}

struct Shared {
    port: u16,
    owner: Token,
    /// Written when a pane is born or dies, read once per request.
    panes: RwLock<HashMap<PaneRef, Token>>,
}

impl TokenTable {
    /// A table for the server on `port` with a fresh owner token.
    ///
    /// # Errors
    /// The generator of the operating system failed.
    pub fn new(port: u16) -> Result<Self, getrandom::Error> {
        Ok(Self {
            shared: Arc::new(Shared {
                port,
                owner: generate()?,
                panes: RwLock::default(),
            }),
        })
    }

    /// The port that goes with these tokens.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.shared.port
    }

    /// The owner token.
    #[must_use]
    pub fn owner(&self) -> &Token {
        &self.shared.owner
    }

    /// Creates the token of a pane and returns the value of `NEBULA_RUNTIME_ENDPOINT` for it,
    /// `<port> <token>`. An older token of the same pane is replaced. `None` when the operating
    /// system gives no random bytes; the pane then has no access, which is the safe side.
    #[must_use]
    pub fn issue(&self, pane: PaneRef) -> Option<String> {
        let token = match generate() {
            Ok(token) => token,
            Err(error) => {
                tracing::warn!(%error, "no random bytes; a pane starts without a token");
                return None;
            }
        };
        let value = format!("{} {}", self.shared.port, token.reveal());
        self.shared
            .panes
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(pane, token);
        Some(value)
    }

    /// Ends the token of a pane: from now on it is a bad token.
    pub fn revoke(&self, pane: PaneRef) {
        self.shared
            .panes
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&pane);
    }

    /// Whose token this is, if it is a live one. Every live token is compared, in constant time
    /// each, so the time taken tells nothing about how close a guess came.
    #[must_use]
    pub fn verify(&self, presented: &str) -> Option<Origin> {
        let mut origin = matches(&self.shared.owner, presented).then_some(Origin::Owner);
        let panes = self
            .shared
            .panes
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        for (pane, token) in panes.iter() {
            if matches(token, presented) {
                origin = Some(Origin::Pane(*pane));
            }
        }
        origin
    }
}

impl fmt::Debug for TokenTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TokenTable")
            .field("port", &self.shared.port)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(pane_id: u64) -> PaneRef {
        PaneRef {
            window_id: 1,
            pane_id,
        }
    }

    #[test]
    fn generated_tokens_differ() {
        let first = generate().unwrap();
        assert!(first.reveal().parse::<Token>().is_ok());
        assert_ne!(first, generate().unwrap());
    }

    #[test]
    fn a_pane_token_is_live_until_revoked() {
        let table = TokenTable::new(4000).unwrap();
        let value = table.issue(pane(3)).unwrap();
        let (port, token) = value.split_once(' ').unwrap();
        assert_eq!(port, "4000");
        assert!(matches!(table.verify(token), Some(Origin::Pane(found)) if found == pane(3)));
        let other = table.issue(pane(4)).unwrap();
        assert!(other.split_once(' ').unwrap().1 != token);
        table.revoke(pane(3));
        assert!(table.verify(token).is_none());
        assert!(matches!(
            table.verify(table.owner().reveal()),
            Some(Origin::Owner)
        ));
        assert!(table.verify("").is_none());
    }
}
