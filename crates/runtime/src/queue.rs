//! The command queue between whoever asks and the owner of the workspace.
//!
//! Requests of the control API, of the command line and of MCP are executed on one thread, the
//! owner of the workspace. This module is the way there and back. It promises:
//!
//! * the queue is bounded and never blocks the sender: a full queue, a missing owner or an owner
//!   that drops a command without an answer is `runtime_unavailable`, at once;
//! * every command is answered exactly once, because [`Reply`] is consumed by [`Reply::send`] and
//!   its drop counts as an answer, too;
//! * commands arrive in the order in which they were accepted.
//!
//! The limit of 30 s for an answer belongs to the caller, who owns a clock; dropping the future of
//! [`CommandSender::dispatch`] is enough to give up. There is no lock in here, only channels.

use async_channel::{Receiver, Sender, TrySendError};
use protocol::{ApiError, Call, PaneRef};

use crate::Outcome;

/// Who asks. Derived from the token of the request, never from something the client says about
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The owner token, or the program itself.
    Owner,
    /// The token of one pane.
    Pane(PaneRef),
}

/// What the owner of the workspace is asked to do.
#[derive(Debug)]
pub enum Command {
    /// A decoded method of the control API.
    Call {
        /// Method and parameters; ranges and content were checked, targets were not.
        call: Call,
        /// Who asks.
        origin: Origin,
    },
    /// Reveal and raise the resident window, then answer [`Outcome::Attached`] (2.10).
    Attach,
}

/// A command together with the place where its answer goes.
#[derive(Debug)]
pub struct QueuedCommand {
    /// What to do.
    pub command: Command,
    /// Where the answer goes.
    pub reply: Reply,
}

/// The obligation to answer one command. Dropping it answers `runtime_unavailable`.
#[derive(Debug)]
pub struct Reply {
    answer: Sender<Result<Outcome, ApiError>>,
}

impl Reply {
    /// Answers. Returns `false` when nobody waits any more, so that an owner may undo what only
    /// made sense with a reader (an open wait, for example); it is no error.
    pub fn send(self, answer: Result<Outcome, ApiError>) -> bool {
        self.answer.try_send(answer).is_ok()
    }

    /// Whether the asking side gave up (connection gone, 30 s over). Work that was not begun may be
    /// skipped then.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.answer.is_closed()
    }
}

/// The asking side of the queue. Cheap to clone.
#[derive(Clone, Debug)]
pub struct CommandSender {
    queue: Sender<QueuedCommand>,
}

impl CommandSender {
    /// Queues a command and waits for its answer.
    ///
    /// The command is queued before the first suspension, so two futures polled one after the other
    /// keep their order. There is no time limit in here. Dropping the future gives up the answer,
    /// not the command: it may already have been carried out.
    ///
    /// # Errors
    ///
    /// What the owner answers; `runtime_unavailable` with `reason` `queue_full`, `no_owner` (there
    /// is none any more) or `unanswered` (it dropped the command).
    pub async fn dispatch(&self, command: Command) -> Result<Outcome, ApiError> {
        let (answer, outcome) = async_channel::bounded(1);
        let queued = QueuedCommand {
            command,
            reply: Reply { answer },
        };
        // The refused command must not live on: its reply end would keep `recv` below waiting.
        match self.queue.try_send(queued) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                return Err(ApiError::unavailable(
                    "the workspace is busy, try again",
                    "queue_full",
                ));
            }
            Err(TrySendError::Closed(_)) => {
                return Err(ApiError::unavailable("no workspace is running", "no_owner"));
            }
        }
        match outcome.recv().await {
            Ok(answer) => answer,
            Err(_) => Err(ApiError::unavailable(
                "the workspace ended before it answered",
                "unanswered",
            )),
        }
    }
}

/// The owner's side of the queue. There is one.
#[derive(Debug)]
pub struct CommandReceiver {
    queue: Receiver<QueuedCommand>,
}

impl CommandReceiver {
    /// The next command; `None` when no sender is left. Dropping the future loses nothing.
    pub async fn recv(&self) -> Option<QueuedCommand> {
        self.queue.recv().await.ok()
    }

    /// The next command if one is queued.
    #[must_use]
    pub fn try_recv(&self) -> Option<QueuedCommand> {
        self.queue.try_recv().ok()
    }

    /// Refuses further commands; those already queued can still be received.
    pub fn close(&self) {
        self.queue.close();
    }
}

impl Drop for CommandReceiver {
    fn drop(&mut self) {
        // A closed channel keeps its messages as long as a sender lives. Their replies must be
        // dropped now, or the callers would wait for an owner that is gone.
        self.queue.close();
        while self.try_recv().is_some() {}
    }
}

/// A queue for at most `capacity` commands (at least 1).
#[must_use]
pub fn command_queue(capacity: usize) -> (CommandSender, CommandReceiver) {
    let (sender, receiver) = async_channel::bounded(capacity.max(1));
    (
        CommandSender { queue: sender },
        CommandReceiver { queue: receiver },
    )
}

#[cfg(test)]
mod tests;
