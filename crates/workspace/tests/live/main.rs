//! The workspace with real shells, driven without a server and without a window.
//!
//! Nothing in here sleeps to let something happen: every step waits for an answer or for a state,
//! with a limit that only a broken build reaches.

#[cfg(test)]
mod closing;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod layout;
#[cfg(test)]
mod prompts;
#[cfg(test)]
mod shells;
#[cfg(test)]
mod unmarked;
#[cfg(test)]
mod window;
