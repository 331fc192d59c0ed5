//! Loopback server and client of the runtime control API (`nebula.runtime` version 1).
//!
//! The server side turns lines on a socket into commands for the owner of the workspace and the
//! answers back into lines; it owns everything between the kernel and the command queue: discovery
//! and single instance ([`claim()`]), tokens and scopes ([`TokenTable`]), connection limits,
//! deadlines and streams ([`Server`]). The [`client`] side is blocking and small, for the command
//! line.
//!
//! Security boundary: the server listens on IPv4 loopback only, says nothing to a peer without a
//! live token, and never logs a token or a text that was typed. It stops other local users and web
//! pages; it does not defend against code that already runs as the same user.

mod admission;
mod claim;
pub mod client;
mod connection;
mod deadlines;
mod discovery;
mod execute;
mod lines;
mod request;
mod server;
mod stream;
mod token;
mod wire;

pub use claim::{Claim, ClaimError, Claimed, UnpublishedReason, claim};
pub use deadlines::Deadlines;
pub use discovery::{DirectoryError, FILE_NAME, LOCK_NAME};
pub use server::{ScopeSource, Server, ServerHandle};
pub use token::TokenTable;
