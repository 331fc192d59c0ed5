//! SSH as far as OpenSSH goes, without any window.
mod algorithms;
mod auth;
mod client;
mod config;
mod connect;
mod destination;
mod forward;
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
pub use config::*;
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
