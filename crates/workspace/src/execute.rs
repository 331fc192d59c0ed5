//! Commands of the control API, executed on the model.
//!
//! Every state check of a method happens in here, on the owner's thread and in the order of
//! control-api.md 9.2: the window, the tab or the pane, whether its process lives, then what the
//! method itself demands. A command that changes something publishes before it answers, so the
//! snapshot in its answer is the hub's current one.

mod cells;
mod input;
mod layout;
mod query;
mod targets;

use protocol::{Action, ApiError, Call};
use runtime::{Command, Origin, Outcome, QueuedCommand, Reply};

use crate::workspace::Workspace;

pub(crate) use input::HeldAnswer;

/// Commands that wait for the first tab, at most; there are no more connections than this.
const EARLY_MAX: usize = protocol::limits::CONNECTIONS;

/// The answer to a command, unless it comes later.
type Answer = Result<Outcome, ApiError>;

/// What executing a command came to.
enum Step {
    Now(Reply, Answer),
    /// The reply was kept and will be used when a process runs or a gap is over.
    Later,
}

impl Workspace {
    /// Executes one command and answers it, at once or when what it asked for is there.
    pub fn execute(&mut self, queued: QueuedCommand) {
        let QueuedCommand { command, reply } = queued;
        if self.quitting {
            reply.send(Err(ApiError::unavailable(
                "the program is ending",
                "quitting",
            )));
            return;
        }
        if !self.started {
            if self.early.len() < EARLY_MAX {
                self.early.push(QueuedCommand { command, reply });
            } else {
                reply.send(Err(ApiError::unavailable(
                    "the workspace is starting",
                    "starting",
                )));
            }
            return;
        }
        let step = match command {
            Command::Attach => Step::Now(reply, self.attach()),
            Command::Call { call, origin } => self.call(call, origin, reply),
        };
        if let Step::Now(reply, answer) = step {
            // Nobody waits for it any more: nothing to undo, the command was carried out.
            reply.send(answer);
        }
    }

    fn call(&mut self, call: Call, origin: Origin, reply: Reply) -> Step {
        let answer = match call {
            // Replied to by a later event.
            Call::TabNew(params) => return self.tab_new(params, reply),
            Call::PaneSplit(params) => return self.pane_split(params, reply),
            Call::PanePrompt(params) => return self.pane_prompt(params, reply),
            Call::PanePaste(params) => return self.pane_paste(params, reply),

            Call::RuntimeSnapshot(_) => Ok(Outcome::Snapshot(self.publish())),
            Call::RuntimeIdentify(_) => Ok(self.identify(origin)),
            Call::AgentsList(params) => self.agents_list(&params),
            Call::PaneRead(params) => self.pane_read(&params),
            Call::PaneProcs(params) => self.pane_procs(&params),
            Call::PaneWait(params) => self.pane_wait(&params),

            Call::WindowCreate(params) => Ok(layout::window_create(params)),
            Call::WindowFocus(params) => self.window_focus(&params),
            Call::WindowClose(params) => self.window_close(&params),
            Call::TabClose(params) => self.tab_close(&params),
            Call::TabRename(params) => self.tab_rename(params),
            Call::TabMove(params) => self.tab_move(&params),
            Call::PaneClose(params) => self.pane_close(&params),
            Call::PaneZoom(params) => self.pane_zoom(&params),
            Call::PaneResize(params) => self.pane_resize(&params),
            Call::PaneSendKey(params) => self.pane_send_key(&params),

            // The server answers these itself and never queues them.
            Call::RuntimeDescribe(_) | Call::EventsSubscribe(_) => Err(ApiError::unavailable(
                "this method needs a connection",
                "not_queued",
            )),
        };
        Step::Now(reply, answer)
    }

    fn attach(&mut self) -> Answer {
        if self.headless {
            return Err(ApiError::unavailable(
                "there is no window to reveal",
                "headless",
            ));
        }
        self.reveal();
        self.publish();
        Ok(Outcome::Attached)
    }

    /// The answer to a mutation that is complete; one that ended the program is answered first.
    fn done(&mut self, action: Action) -> Outcome {
        let snapshot = self.publish();
        if self.quitting {
            Outcome::Closing {
                action,
                snapshot,
                closing: self.answer_first(),
            }
        } else {
            Outcome::Mutation { action, snapshot }
        }
    }
}
