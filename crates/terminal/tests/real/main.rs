//! Real processes and real shells on real pseudo-terminals.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what fails here fails the test"
)]

mod harness;
mod processes;
mod shells;
