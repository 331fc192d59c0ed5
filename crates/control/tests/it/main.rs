//! The control server over real sockets, with a workspace that the test plays.

// The lints' exception for tests reaches test functions, not what they share.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod claims;
mod client;
mod limits;
mod order;
mod peer;
mod requests;
mod subscriptions;
mod tokens;
mod waits;
mod world;
