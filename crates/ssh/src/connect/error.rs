//! Why there is no connection, in words that say what can be done.

use std::path::PathBuf;

use crate::auth::AuthError;
use crate::config::ConfigError;
use crate::known_hosts::ChangedKey;

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The configuration is no use.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// A destination of the configuration means nothing.
    #[error("{0}")]
    Plan(String),
    /// The name has no address.
    #[error("{host} has no address: {reason}")]
    Name {
        /// The name.
        host: String,
        /// What the system said.
        reason: String,
    },
    /// The server cannot be reached.
    #[error("{address} cannot be reached: {reason}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// What the system said.
        reason: String,
    },
    /// The proxy did not open a way.
    #[error("the proxy {proxy} did not open a way: {reason}")]
    Proxy {
        /// Host and port of the proxy.
        proxy: String,
        /// What it said.
        reason: String,
    },
    /// The proxy command failed.
    #[error("the proxy command failed: {0}")]
    ProxyCommand(String),
    /// A jump host failed.
    #[error("the jump host {host}: {error}")]
    Jump {
        /// The jump host.
        host: String,
        /// Its failure.
        error: Box<ConnectError>,
    },
    /// No keys were exchanged.
    #[error("no keys could be exchanged: {0}")]
    KeyExchange(String),
    /// The host is unknown and the configuration forbids to learn it.
    #[error(
        "the host {name} is unknown, and StrictHostKeyChecking forbids to learn its key {fingerprint}"
    )]
    HostUnknown {
        /// Name of the host.
        name: String,
        /// `SHA256:...`
        fingerprint: String,
    },
    /// The user did not accept the key of an unknown host.
    #[error("the host key was not accepted")]
    HostDeclined,
    /// The host shows another key than the known ones.
    #[error("{0}")]
    HostChanged(Box<ChangedKey>),
    /// The host's key is revoked.
    #[error("the host key is revoked by line {line} of {}", file.display())]
    HostRevoked {
        /// File of the entry.
        file: PathBuf,
        /// Line of the entry.
        line: usize,
    },
    /// The host's certificate does not hold.
    #[error("the certificate of the host does not hold: {0}")]
    HostCertificate(String),
    /// The user is not in.
    #[error("{0}")]
    Auth(AuthError),
    /// The connection was lost.
    #[error("{0}")]
    Lost(String),
    /// The channel or the shell could not be opened.
    #[error("{0}")]
    Shell(String),
}

impl ConnectError {
    /// The same try could succeed later without anybody doing something: the network failed, not
    /// the user, a key or the configuration.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Name { .. }
            | Self::Unreachable { .. }
            | Self::Proxy { .. }
            | Self::ProxyCommand(_)
            | Self::Lost(_) => true,
            Self::Jump { error, .. } => error.is_transient(),
            Self::KeyExchange(_)
            | Self::Config(_)
            | Self::Plan(_)
            | Self::HostUnknown { .. }
            | Self::HostDeclined
            | Self::HostChanged(_)
            | Self::HostRevoked { .. }
            | Self::HostCertificate(_)
            | Self::Auth(_)
            | Self::Shell(_) => false,
        }
    }

    pub(crate) fn from_exchange(error: russh::Error) -> Self {
        match error {
            russh::Error::IO(_)
            | russh::Error::HUP
            | russh::Error::Disconnect
            | russh::Error::ConnectionTimeout => {
                Self::Lost(format!("the server ended the connection: {error}"))
            }
            russh::Error::NoCommonAlgo { kind, ours, theirs } => Self::KeyExchange(format!(
                "no common {kind:?}; this side has {}; the server has {}",
                ours.join(","),
                theirs.join(",")
            )),
            other => Self::KeyExchange(other.to_string()),
        }
    }
}
