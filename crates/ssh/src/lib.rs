//! SSH as far as OpenSSH goes, without any window.
mod config;
mod destination;
pub mod known_hosts;
pub mod limits;
mod shell;
pub mod stage;
mod text;
pub use config::*;
pub use destination::{Destination, DestinationError};
