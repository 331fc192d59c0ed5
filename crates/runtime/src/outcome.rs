//! What a command comes to.
//!
//! An [`Outcome`] is data for whoever writes the response. The parts that are not known yet when
//! the owner of the workspace answers are handed over as things to wait for: a [`WaitTicket`] for
//! task states, a job for slow reading, a [`Closing`] for "answer first, then quit".

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_channel::{Receiver, Sender};
use protocol::{Action, AgentPane, ApiError, CallerPane, Snapshot};
use serde_json::{Value, json};

use crate::WaitTicket;

/// Work that is too slow for the workspace thread, such as rendering a long scrollback. Its result
/// is the `result` of the response. It runs on a thread that may block.
pub type Job = Box<dyn FnOnce() -> Result<Value, ApiError> + Send>;

/// The answer of the owner of the workspace to one command.
pub enum Outcome {
    /// `runtime.snapshot`: published just now.
    Snapshot(Arc<Snapshot>),
    /// A mutation that is complete. The snapshot was published after it.
    Mutation {
        /// What was done, the `action` of the response.
        action: Action,
        /// The state of the world with it.
        snapshot: Arc<Snapshot>,
    },
    /// A prompt was written (`pane.prompt`, 9.6).
    Prompted {
        /// What was done, the `action` of the response.
        action: Action,
        /// The state after the running edge (6.4.1). A successful wait replaces it.
        snapshot: Arc<Snapshot>,
        /// The wait that was asked for with the prompt; registered after the edge was published, so
        /// it missed nothing.
        wait: Option<WaitTicket>,
        /// Whether anything showed that the text was taken (6.4.3). Still open here.
        submission: Submission,
    },
    /// `pane.wait`: registered.
    Waiting(WaitTicket),
    /// `agents.list`.
    Agents {
        /// The revision the rows belong to.
        revision: u64,
        /// Recognised agents in window, tab, pane order.
        agents: Vec<AgentPane>,
    },
    /// `runtime.identify`, without what only the server knows (kind and scope of the token).
    Identity(Identity),
    /// The slow part is still to be done, off the workspace thread.
    Job(Job),
    /// The window was revealed (2.10). A workspace without a window answers `runtime_unavailable`.
    Attached,
    /// A mutation that ends the program once its answer is on the wire (9.4).
    Closing {
        /// What was done, the `action` of the response.
        action: Action,
        /// The last snapshot.
        snapshot: Arc<Snapshot>,
        /// Held until the response was written, then dropped.
        closing: Closing,
    },
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Snapshots carry titles and directories of the user; a log needs only which answer it was.
        f.write_str(match self {
            Self::Snapshot(_) => "Snapshot",
            Self::Mutation { .. } => "Mutation",
            Self::Prompted { .. } => "Prompted",
            Self::Waiting(_) => "Waiting",
            Self::Agents { .. } => "Agents",
            Self::Identity(_) => "Identity",
            Self::Job(_) => "Job",
            Self::Attached => "Attached",
            Self::Closing { .. } => "Closing",
        })
    }
}

/// Who calls, and what the user looks at (9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The pane whose token was used; `None` for the owner token.
    pub caller: Option<CallerPane>,
    /// The focused pane of the focused window.
    pub focused: Option<CallerPane>,
}

/// Whether anything showed that a submitted text was taken: the mutable half belongs to the
/// workspace, the reading half to whoever writes the response. Clones share one answer.
///
/// Confirm before publishing the state that follows from the same evidence, else a wait may end on
/// that publication and report `unconfirmed`.
#[derive(Clone, Debug, Default)]
pub struct Submission {
    confirmed: Arc<AtomicBool>,
}

impl Submission {
    /// A submission nothing is known about yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Evidence of 6.4.3 was seen. Final.
    pub fn confirm(&self) {
        self.confirmed.store(true, Ordering::Release);
    }

    /// Whether evidence was seen so far.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        self.confirmed.load(Ordering::Acquire)
    }

    /// The wire value.
    #[must_use]
    pub fn report(&self) -> protocol::Submission {
        if self.is_confirmed() {
            protocol::Submission::Confirmed
        } else {
            protocol::Submission::Unconfirmed
        }
    }

    /// Adds what 7.7 asks for to the error of a failed wait: the text was delivered and must not be
    /// sent again blindly.
    #[must_use]
    pub fn annotate(&self, error: ApiError, after_seq: Option<u64>) -> ApiError {
        error
            .with_detail("submitted", true)
            .with_detail("after_seq", after_seq)
            .with_detail("submission", json!(self.report()))
    }
}

/// Keeps the owner from quitting before the last answer was written. Dropping it, in whatever way,
/// lets the owner go on.
#[derive(Debug)]
pub struct Closing {
    _open: Sender<()>,
}

/// The owner's end of a [`Closing`].
#[derive(Debug)]
pub struct Answered {
    closed: Receiver<()>,
}

impl Answered {
    /// Returns when the [`Closing`] was dropped. The owner limits how long it wants to wait.
    pub async fn wait(&self) {
        // Nothing is ever sent, so the only result is the error of a closed channel.
        if self.closed.recv().await.is_ok() {
            tracing::debug!("unexpected message on a closing channel");
        }
    }

    /// Whether the [`Closing`] was dropped.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.closed.is_closed()
    }
}

/// A pair to answer first and quit afterwards.
#[must_use]
pub fn closing() -> (Closing, Answered) {
    let (open, closed) = async_channel::bounded(1);
    (Closing { _open: open }, Answered { closed })
}
