//! SSH as far as OpenSSH goes, without any window.
pub mod limits;
mod destination;
pub mod stage;
pub use destination::{Destination, DestinationError};
