//! How far a connection attempt is, for everybody who waits for it.
//!
//! Several sessions may wait for one connection; each follows the same [`Progress`], so that its
//! clock stops when somebody is asked and starts anew with each hop.

use std::sync::Arc;

use tokio::sync::watch;

/// A hop is reached or authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Connecting,
    Authenticating,
}

/// Where an attempt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub phase: Phase,
    /// Grows with every phase of every hop.
    pub step: u32,
    /// Questions that wait for the user.
    pub prompts: u32,
}

/// Tells the progress; clones are the same one.
#[derive(Clone)]
pub(crate) struct ProgressSender(Arc<watch::Sender<Progress>>);

impl ProgressSender {
    pub(crate) fn new() -> (Self, watch::Receiver<Progress>) {
        let (sender, receiver) = watch::channel(Progress {
            phase: Phase::Connecting,
            step: 0,
            prompts: 0,
        });
        (Self(Arc::new(sender)), receiver)
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.0.send_modify(|progress| {
            progress.phase = phase;
            progress.step = progress.step.wrapping_add(1);
        });
    }

    /// Follows somebody else's attempt.
    pub(crate) fn copy(&self, other: Progress) {
        self.0.send_if_modified(|progress| {
            let differs = *progress != other;
            *progress = other;
            differs
        });
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Progress> {
        self.0.subscribe()
    }

    /// A question waits until the value is dropped.
    pub(crate) fn prompting(&self) -> Prompting {
        self.0
            .send_modify(|progress| progress.prompts = progress.prompts.saturating_add(1));
        Prompting(self.clone())
    }
}

/// While it lives, a question waits.
pub(crate) struct Prompting(ProgressSender);

impl Drop for Prompting {
    fn drop(&mut self) {
        self.0
            .0
            .send_modify(|progress| progress.prompts = progress.prompts.saturating_sub(1));
    }
}
