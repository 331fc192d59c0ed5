//! A session: a shell on a host, through all its stages and over lost connections.
//!
//! A [`Session`] is what a pane holds. Its methods return at once. Output comes from its
//! [`OutputReader`], which blocks the thread that reads; input goes into a bounded queue. While the
//! session is not ready, input is refused with the stage and the reason. The same reader goes on
//! after a reconnection, so that the pane keeps its screen.

mod command;
mod driver;
mod input;
mod output;
mod shell;

use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::client::{Context, Ssh};
use crate::connect::{ConnectError, Connection, HostOverrides};
use crate::forward::{ForwardId, ForwardInfo, ForwardSpec};
use crate::log::ConnectionLog;
use crate::prompt::Prompter;
use crate::sftp::Sftp;
use crate::stage::{Exit, Stage};
use crate::{Destination, limits};
pub(crate) use input::InputQueue;
pub use input::{BulkInput, InputError};
pub(crate) use output::Output;
pub use output::{OutputReader, ReadOutcome};

/// Size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// Columns, at least 1.
    pub columns: u16,
    /// Lines, at least 1.
    pub lines: u16,
    /// Width in pixels, or 0.
    pub width: u16,
    /// Height in pixels, or 0.
    pub height: u16,
}

/// Whether a shell outlives its connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Persist {
    /// It ends with the connection.
    #[default]
    No,
    /// It runs in a tmux session of this name on the host. Letters, digits, `-` and `_` count.
    Tmux(String),
}

/// What to open.
#[derive(Clone, Debug)]
pub struct SessionRequest {
    /// The host.
    pub destination: Destination,
    /// What a saved host says beyond the configuration.
    pub overrides: HostOverrides,
    /// Size of the terminal.
    pub size: TerminalSize,
    /// `TERM` on the host.
    pub term: String,
    /// Variables to set on the host, as far as it lets us.
    pub env: Vec<(String, String)>,
    /// Run this instead of a shell; `RemoteCommand` of the configuration otherwise.
    pub command: Option<String>,
    /// Whether the shell outlives its connection.
    pub persist: Persist,
    /// Where to begin, on the host.
    pub directory: Option<String>,
    /// Try again after a loss.
    pub reconnect: bool,
}

impl SessionRequest {
    /// A shell in a terminal of 80 × 24, with reconnection.
    pub fn new(destination: Destination) -> Self {
        Self {
            destination,
            overrides: HostOverrides::default(),
            size: TerminalSize {
                columns: 80,
                lines: 24,
                width: 0,
                height: 0,
            },
            term: "xterm-256color".to_owned(),
            env: Vec::new(),
            command: None,
            persist: Persist::No,
            directory: None,
            reconnect: true,
        }
    }
}

/// Hears of the stages of a session.
pub trait SessionObserver: Send + Sync + 'static {
    /// The session is in another stage. Called on the SSH thread: must not block.
    fn stage(&self, stage: &Stage);
}

/// A session. Clones are the same one; when the last is dropped, it is closed.
#[derive(Clone)]
pub struct Session {
    handle: Arc<SessionHandle>,
}

struct SessionHandle {
    shared: Arc<Shared>,
    context: Arc<Context>,
}

impl Drop for SessionHandle {
    fn drop(&mut self) {
        self.shared.order(|orders| orders.close = true);
    }
}

/// What the handles and the driver share.
pub(crate) struct Shared {
    pub(crate) output: Output,
    pub(crate) input: InputQueue,
    pub(crate) log: ConnectionLog,
    /// Held for a look or a change only.
    status: Mutex<Status>,
    /// Held for a look or a change only.
    orders: Mutex<Orders>,
    /// Wakes the driver.
    ordered: Notify,
}

struct Status {
    stage: Stage,
    failure: Option<ConnectError>,
    connection: Weak<Connection>,
    /// Forwards that were added by hand; they come again after a loss.
    added: Vec<ForwardSpec>,
    reader_taken: bool,
}

/// What the handles want; the latest of each kind counts.
#[derive(Default)]
pub(crate) struct Orders {
    pub cancel: bool,
    pub close: bool,
    pub retry: bool,
    pub size: Option<TerminalSize>,
    /// The directory of the shell as far as it is known.
    pub directory: Option<String>,
}

impl Shared {
    fn order(&self, change: impl FnOnce(&mut Orders)) {
        change(&mut self.orders.lock());
        self.ordered.notify_one();
    }

    fn set_stage(&self, stage: Stage, failure: Option<ConnectError>) {
        self.input.set_open(stage == Stage::Ready);
        let mut status = self.status.lock();
        status.stage = stage;
        status.failure = failure;
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("stage", &self.stage())
            .finish_non_exhaustive()
    }
}

/// Why a forward was not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForwardError {
    /// The session has no connection at present.
    #[error("the session is not connected; try again when it is ready")]
    NotReady,
    /// There are too many.
    #[error(
        "a connection has at most {} forwards; close one first",
        limits::FORWARDS
    )]
    TooMany,
}

impl Session {
    pub(crate) fn start(
        ssh: &Ssh,
        request: SessionRequest,
        prompter: Arc<dyn Prompter>,
        observer: Arc<dyn SessionObserver>,
    ) -> Self {
        let shared = Arc::new(Shared {
            output: Output::new(),
            input: InputQueue::default(),
            log: ConnectionLog::default(),
            status: Mutex::new(Status {
                stage: Stage::Resolve,
                failure: None,
                connection: Weak::new(),
                added: Vec::new(),
                reader_taken: false,
            }),
            orders: Mutex::default(),
            ordered: Notify::new(),
        });
        let session = Self {
            handle: Arc::new(SessionHandle {
                shared: Arc::clone(&shared),
                context: Arc::clone(&ssh.context),
            }),
        };
        let driver = driver::Driver::new(ssh, request, shared, prompter, observer);
        ssh.context.runtime.spawn(driver.run());
        session
    }

    fn shared(&self) -> &Shared {
        &self.handle.shared
    }

    /// Where the session stands.
    pub fn stage(&self) -> Stage {
        self.shared().status.lock().stage.clone()
    }

    /// Why it failed, in detail, while the stage is [`Stage::Failed`].
    pub fn failure(&self) -> Option<ConnectError> {
        self.shared().status.lock().failure.clone()
    }

    /// How the remote program ended, once it did.
    pub fn exit(&self) -> Option<Exit> {
        match self.stage() {
            Stage::Closed { exit } => Some(exit),
            _ => None,
        }
    }

    /// What was done to reach the host.
    pub fn log(&self) -> Vec<String> {
        self.shared().log.lines()
    }

    /// What the server said before the authentication, made harmless; empty when nothing.
    pub fn banner(&self) -> String {
        self.connection()
            .map(|connection| connection.shared.banner())
            .unwrap_or_default()
    }

    /// The output of the remote terminal. There is one reader; `None` once it was taken.
    pub fn take_reader(&self) -> Option<OutputReader> {
        let mut status = self.shared().status.lock();
        if status.reader_taken {
            return None;
        }
        status.reader_taken = true;
        Some(self.shared().output.reader())
    }

    /// Queues bytes for the remote terminal.
    ///
    /// # Errors
    /// [`InputError::NotReady`] in every stage but ready, [`InputError::Full`] when
    /// [`limits::INPUT_WAITING`] bytes wait.
    pub fn write(&self, bytes: Vec<u8>) -> Result<(), InputError> {
        self.shared()
            .input
            .push(bytes)
            .map_err(|error| self.explain(error))
    }

    /// Queues a large text, such as a paste; it can be watched and cancelled.
    ///
    /// # Errors
    /// [`InputError::NotReady`] in every stage but ready, [`InputError::Full`] when
    /// [`limits::INPUT_BULK`] bytes wait.
    pub fn write_bulk(&self, bytes: Vec<u8>) -> Result<BulkInput, InputError> {
        self.shared()
            .input
            .push_bulk(bytes)
            .map_err(|error| self.explain(error))
    }

    /// Says which stage it is that refuses input.
    fn explain(&self, error: InputError) -> InputError {
        match error {
            InputError::NotReady { .. } => {
                let stage = self.stage();
                InputError::NotReady {
                    stage: stage.as_str(),
                    reason: stage.reason(),
                }
            }
            other => other,
        }
    }

    /// Bytes that wait to be sent.
    pub fn bytes_pending(&self) -> usize {
        self.shared().input.waiting()
    }

    /// Tells the host the size of the terminal.
    pub fn resize(&self, size: TerminalSize) {
        self.shared().order(|orders| orders.size = Some(size));
    }

    /// The shell's directory, as it announced it; a reconnection begins there.
    pub fn set_directory(&self, directory: String) {
        self.shared()
            .order(|orders| orders.directory = Some(directory));
    }

    /// Gives up the stage under way; the session has then failed. Nothing happens to a ready one.
    pub fn cancel(&self) {
        self.shared().order(|orders| orders.cancel = true);
    }

    /// Tries a failed session again, or does not wait for the next try of a lost one.
    pub fn retry(&self) {
        self.shared().order(|orders| orders.retry = true);
    }

    /// Ends the session. A shell that was to outlive its connection ends, too.
    pub fn close(&self) {
        self.shared().order(|orders| orders.close = true);
    }

    /// The forwards of the session's connection, also those of other sessions on it.
    pub fn forwards(&self) -> Vec<ForwardInfo> {
        self.connection()
            .map(|connection| connection.forwards.list())
            .unwrap_or_default()
    }

    /// Adds a forward to the connection; it comes again after a loss.
    ///
    /// # Errors
    /// See [`ForwardError`]. Whether it works shows in [`Session::forwards`].
    pub fn add_forward(&self, spec: ForwardSpec) -> Result<ForwardId, ForwardError> {
        let connection = self.connection().ok_or(ForwardError::NotReady)?;
        let id = connection
            .forwards
            .add(&self.handle.context, &connection, spec.clone())
            .ok_or(ForwardError::TooMany)?;
        let mut status = self.shared().status.lock();
        if !status.added.contains(&spec) {
            status.added.push(spec);
        }
        Ok(id)
    }

    /// Ends a forward; its open streams go on.
    pub fn close_forward(&self, id: ForwardId) {
        let Some(connection) = self.connection() else {
            return;
        };
        if let Some(spec) = connection
            .forwards
            .close(&self.handle.context, &connection, id)
        {
            self.shared()
                .status
                .lock()
                .added
                .retain(|added| *added != spec);
        }
    }

    /// Files of the host, over the session's connection. `None` while there is none.
    pub fn sftp(&self) -> Option<Sftp> {
        let connection = self.connection()?;
        Some(Sftp::new(&self.handle.context, &connection))
    }

    fn connection(&self) -> Option<Arc<Connection>> {
        self.shared().status.lock().connection.upgrade()
    }
}
