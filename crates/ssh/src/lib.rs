//! SSH as far as OpenSSH goes, without any window.
//!
//! [`Ssh`] is the thread on which everything happens; tokio runs there and shows nowhere. It opens
//! [`Session`]s, which are shells on hosts: each goes through the stages of [`stage`], shares its
//! connection with the others to the same host, survives lost connections, and carries forwards and
//! files ([`Sftp`]). Questions to the user go through a [`prompt::Prompter`].
//!
//! What the crate promises:
//!
//! * a host that `ssh` reaches is reached with the same configuration, and one that `ssh` refuses is
//!   refused; a changed host key always is ([`known_hosts`]);
//! * secrets are wiped after use, and no log, error or `Debug` shows one;
//! * every stage ends within its limit, and can be cancelled at once; nothing grows without bound
//!   ([`limits`]);
//! * no method blocks unless it says so.

mod algorithms;
mod auth;
mod client;
mod config;
mod connect;
mod destination;
mod forward;
pub mod hosts;
pub mod known_hosts;
pub mod limits;
mod log;
mod pool;
mod progress;
pub mod prompt;
mod session;
mod sftp;
mod shell;
pub mod stage;
mod text;

pub use auth::{AuthError, AuthFailure};
pub use client::{Options, Rekey, Ssh};
pub use config::{
    AddKeys, AddressFamily, AgentSocket, AlgorithmLists, ConfigError, ConfigSource, ForwardAgent,
    ForwardRule, ForwardTarget, HostConfig, ListenAddress, OpenSsh, RequestTty, Route,
    StrictHostKeyChecking, SwitchedOff, configured_hosts,
};
pub use connect::{ConnectError, HostOverrides, Proxy, ProxyChoice, ProxyKind, ProxyRules};
pub use destination::{Destination, DestinationError};
pub use forward::{ForwardId, ForwardInfo, ForwardKind, ForwardSpec, ForwardState};
pub use log::ConnectionLog;
pub use session::{
    BulkInput, ForwardError, InputError, OutputReader, Persist, ReadOutcome, Session,
    SessionObserver, SessionRequest, TerminalSize,
};
pub use sftp::{
    Conflict, ConflictAsker, ConflictChoice, ConflictPolicy, Entry, EntryKind, Pending, Sftp,
    SftpError, Transfer, TransferProgress, TransferSummary,
};
