//! SSH as far as OpenSSH goes, without any window.
mod config;
mod destination;
pub mod limits;
pub mod stage;
mod text;
pub use config::*;
pub use destination::{Destination, DestinationError};
