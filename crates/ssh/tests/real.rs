//! The crate against real servers: OpenSSH's `sshd` and `dropbear`, started here on loopback with
//! throw-away keys, in namespaces of their own so that nothing of the system is changed.
//!
//! They need root and what `cargo xtask setup` lists as servers, and fail without. `cargo xtask test`
//! leaves them out, and says so, where namespaces cannot be made.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and tells what it measured"
)]

#[path = "real/auth.rs"]
mod auth;
#[path = "real/client.rs"]
mod client;
#[path = "real/cut.rs"]
mod cut;
#[path = "real/files.rs"]
mod files;
#[path = "real/host_keys.rs"]
mod host_keys;
#[path = "real/living.rs"]
mod living;
#[path = "real/load.rs"]
mod load;
#[path = "real/login.rs"]
mod login;
#[path = "real/routes.rs"]
mod routes;
#[path = "real/server.rs"]
mod server;
#[path = "real/stages.rs"]
mod stages;
