//! What a user types to name a host: `host`, `user@host`, `user@host:port`, `[v6]:port`,
//! `ssh://user@host:port`.

use std::fmt;
use std::str::FromStr;

/// A host as it was typed. `host` may be an alias of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Destination {
    /// User, when given.
    pub user: Option<String>,
    /// Alias, name or address; an IPv6 literal without its brackets.
    pub host: String,
    /// Port, when given.
    pub port: Option<u16>,
}

/// Why a text is no destination.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DestinationError {
    /// There is no host in it.
    #[error("\"{0}\" names no host; write host, user@host or user@host:port")]
    NoHost(String),
    /// The port is no number from 1 to 65535.
    #[error("\"{0}\" is no port; a port is a number from 1 to 65535")]
    Port(String),
    /// The host has characters that no host has, or could be taken for an option.
    #[error("\"{0}\" is no host name")]
    Host(String),
    /// The user has characters that no user has.
    #[error("\"{0}\" is no user name")]
    User(String),
}

impl FromStr for Destination {
    type Err = DestinationError;

    fn from_str(text: &str) -> Result<Self, DestinationError> {
        let trimmed = text.trim();
        let rest = match trimmed.strip_prefix("ssh://") {
            Some(rest) => rest.strip_suffix('/').unwrap_or(rest),
            None => trimmed,
        };
        // A user name may contain `@`; a host never does.
        let (user, host_port) = match rest.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, rest),
        };
        let (host, port) = split_port(host_port)?;
        if host.is_empty() {
            return Err(DestinationError::NoHost(trimmed.to_owned()));
        }
        if !is_host(host) {
            return Err(DestinationError::Host(host.to_owned()));
        }
        if let Some(user) = user
            && !is_user(user)
        {
            return Err(DestinationError::User(user.to_owned()));
        }
        Ok(Self {
            user: user.map(str::to_owned),
            host: host.to_owned(),
            port,
        })
    }
}

/// Splits `host:port`. A bare IPv6 literal has two colons or more and no port.
fn split_port(text: &str) -> Result<(&str, Option<u16>), DestinationError> {
    if let Some(rest) = text.strip_prefix('[') {
        let (host, after) = rest
            .split_once(']')
            .ok_or_else(|| DestinationError::Host(text.to_owned()))?;
        return match after.strip_prefix(':') {
            Some(digits) => Ok((host, Some(port(digits)?))),
            None if after.is_empty() => Ok((host, None)),
            None => Err(DestinationError::Host(text.to_owned())),
        };
    }
    match text.split_once(':') {
        Some((_, rest)) if rest.contains(':') => Ok((text, None)),
        Some((host, digits)) => Ok((host, Some(port(digits)?))),
        None => Ok((text, None)),
    }
}

fn port(digits: &str) -> Result<u16, DestinationError> {
    digits
        .parse()
        .ok()
        .filter(|port| *port > 0)
        .ok_or_else(|| DestinationError::Port(digits.to_owned()))
}

/// OpenSSH's `valid_hostname`: nothing a shell, a proxy command or an option parser could take
/// for something else.
fn is_host(host: &str) -> bool {
    !host.starts_with('-')
        && host.len() <= 1025
        && host
            .chars()
            .all(|c| !c.is_control() && !c.is_whitespace() && !"'`\"$\\;&<>|(){},/?#".contains(c))
}

/// OpenSSH's `valid_ruser`.
fn is_user(user: &str) -> bool {
    !user.is_empty()
        && !user.starts_with('-')
        && !user.ends_with('\\')
        && user
            .chars()
            .all(|c| !c.is_control() && !"'`\";&<>|(){}".contains(c))
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(user) = &self.user {
            write!(f, "{user}@")?;
        }
        match self.port {
            Some(port) if self.host.contains(':') => write!(f, "[{}]:{port}", self.host),
            Some(port) => write!(f, "{}:{port}", self.host),
            None => f.write_str(&self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(text: &str) -> (Option<String>, String, Option<u16>) {
        let destination: Destination = text.parse().unwrap();
        (destination.user, destination.host, destination.port)
    }

    #[test]
    fn every_form_is_understood() {
        let user = || Some("me".to_owned());
        assert_eq!(parts("host"), (None, "host".into(), None));
        assert_eq!(parts("me@host"), (user(), "host".into(), None));
        assert_eq!(parts("me@host:2222"), (user(), "host".into(), Some(2222)));
        assert_eq!(parts("host:22"), (None, "host".into(), Some(22)));
        assert_eq!(parts("::1"), (None, "::1".into(), None));
        assert_eq!(
            parts("me@fe80::1%eth0"),
            (user(), "fe80::1%eth0".into(), None)
        );
        assert_eq!(parts("[::1]:2222"), (None, "::1".into(), Some(2222)));
        assert_eq!(parts("me@[::1]"), (user(), "::1".into(), None));
        assert_eq!(parts("ssh://me@host:2/"), (user(), "host".into(), Some(2)));
        assert_eq!(parts("a@b@host"), (Some("a@b".into()), "host".into(), None));
    }

    #[test]
    fn what_could_be_an_option_or_a_command_is_refused() {
        for text in [
            "",
            "me@",
            "-oProxyCommand=x",
            "a b",
            "h;reboot",
            "$(x)",
            "h:0",
            "h:99999",
            "@h",
            "-l@h",
            "[::1",
            "[::1]x",
        ] {
            assert!(text.parse::<Destination>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn display_is_understood_again(
            user in proptest::option::of("[a-z][a-z0-9_.@-]{0,8}"),
            host in "[a-z0-9][a-z0-9.-]{0,12}|[0-9a-f]{1,4}(:[0-9a-f]{1,4}){2,7}",
            port in proptest::option::of(1u16..),
        ) {
            let destination = Destination { user, host, port };
            prop_assert_eq!(destination.to_string().parse::<Destination>().unwrap(), destination);
        }
    }
}
