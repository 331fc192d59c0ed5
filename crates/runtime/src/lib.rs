//! The projection hub and the command queue of the runtime control API.
//!
//! This crate is the middle of Nebula: the owner of the workspace publishes snapshots into a
//! [`RuntimeHub`] and takes commands from a [`CommandReceiver`]; the control server, the sidebar,
//! the tray and notifications read the hub and send commands. It knows neither who executes nor who
//! listens, and needs no executor: all its futures run on any.
//!
//! It promises what section 6 to 8 of the control API promise: revisions without gaps,
//! `state_change_seq` that counts real transitions, replay without holes or duplicates, waits that
//! miss no publication, and bounded memory for everybody who is slow.

mod hub;
mod lifecycle;
mod outcome;
mod projection;
mod queue;
mod ring;
mod subscription;
mod wait;

#[cfg(test)]
mod model;
#[cfg(test)]
mod sample;

pub use hub::RuntimeHub;
pub use outcome::{Answered, Closing, Identity, Job, Outcome, Submission, closing};
pub use projection::{Projection, TEXT_INTERVAL};
pub use queue::{
    Command, CommandReceiver, CommandSender, Origin, QueuedCommand, Reply, command_queue,
};
pub use ring::Published;
pub use subscription::{Delivery, Subscription};
pub use wait::{WaitMatch, WaitSpec, WaitTicket};
