//! New panes: asked for here, started elsewhere, inserted when their process runs.
//!
//! Until the process runs there is no pane: nobody sees a pane without a terminal, and a command
//! that asked for one is answered when it is there. Only a person who asked gets a pane that could
//! not be started, because its message has to be shown somewhere.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use protocol::{Action, ApiError, ErrorCode, LifecycleEvent};
use runtime::{Outcome, Reply};
use serde_json::json;
use terminal::{CursorShape, CursorStyle, GridSize, Terminal};

use crate::closing::Dying;
use crate::ids::{PaneId, WINDOW_ID};
use crate::pane::Pane;
use crate::spawn::{self, Beside, Launch, SpawnFailure, SpawnRequest, Spawned, StartIn, Started};
use crate::tree::Placement;
use crate::workspace::Workspace;

/// Processes that are being started at a time, at most.
const PENDING_MAX: usize = 64;

/// What the first tab shows.
#[derive(Debug, Clone, Default)]
pub struct FirstTab {
    /// Where it starts; the home directory when absent or gone.
    pub cwd: Option<PathBuf>,
    /// A shell id; the setting `terminal.shell` when absent.
    pub shell: Option<String>,
}

/// What a new tab shows.
#[derive(Debug, Clone, Default)]
pub struct NewTab {
    /// Where it starts, which must be a directory; where the focused pane is when absent.
    pub cwd: Option<PathBuf>,
    /// A shell id; the setting `terminal.shell` when absent.
    pub shell: Option<String>,
}

/// Where a new pane goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spot {
    NewTab,
    Beside(Placement),
    InPlaceOf(PaneId),
}

/// Who asked for it.
#[derive(Debug)]
pub(crate) enum Asker {
    /// The start of the program.
    Start,
    /// A person at the window.
    User,
    Api(Reply),
}

/// A pane whose process is being started.
#[derive(Debug)]
pub(crate) struct Pending {
    spot: Spot,
    launch: Launch,
    size: GridSize,
    asker: Asker,
}

impl From<SpawnFailure> for ApiError {
    fn from(failure: SpawnFailure) -> Self {
        let message = failure.to_string();
        match failure {
            SpawnFailure::Shell(unknown) => Self::new(
                ErrorCode::InvalidShell,
                message,
                json!({ "shell": unknown.shell }),
            ),
            SpawnFailure::Directory(_) => {
                Self::invalid_params("cwd", "must be the absolute path of an existing directory")
            }
            SpawnFailure::Terminal(_) | SpawnFailure::Thread(_) | SpawnFailure::TooMany => {
                Self::with_reason(ErrorCode::ActionFailed, message.clone(), message)
            }
        }
    }
}

impl Workspace {
    /// Opens the first tab. Commands that arrive before its shell runs are executed after that, so
    /// no client ever sees a workspace without a tab.
    pub fn start(&mut self, first: FirstTab) {
        let launch = self.launch_for(first.shell);
        self.begin(
            Spot::NewTab,
            launch,
            StartIn::Preferably(first.cwd),
            Asker::Start,
        );
    }

    /// Opens a tab at the end and brings it to the front. Returns the id its pane will have; the
    /// tab appears when the shell runs.
    pub fn new_tab(&mut self, tab: NewTab) -> PaneId {
        self.begin_tab(tab, Asker::User)
    }

    pub(crate) fn begin_tab(&mut self, tab: NewTab, asker: Asker) -> PaneId {
        let launch = self.launch_for(tab.shell);
        let start_in = match tab.cwd {
            Some(cwd) => StartIn::Exactly(cwd),
            None => self.start_beside(self.tabs.focused_pane()),
        };
        self.begin(Spot::NewTab, launch, start_in, asker)
    }

    /// Starts what ended in this held pane again. The new pane takes the place of the old one and
    /// has an id of its own, because a root process is what a pane is. `None` while its process
    /// runs.
    pub fn restart(&mut self, pane: PaneId) -> Option<PaneId> {
        let old = self.panes.get(&pane).filter(|pane| pane.is_over())?;
        let launch = old.launch().clone();
        let start_in = self.start_beside(Some(pane));
        Some(self.begin(Spot::InPlaceOf(pane), launch, start_in, Asker::User))
    }

    /// Where a pane starts that comes from another one.
    pub(crate) fn start_beside(&self, pane: Option<PaneId>) -> StartIn {
        let Some(pane) = pane.and_then(|pane| self.panes.get(&pane)) else {
            return StartIn::Beside(Beside::default());
        };
        let root = pane.terminal().and_then(Terminal::root_pid);
        let front = pane.terminal().and_then(Terminal::foreground_group);
        StartIn::Beside(Beside {
            directory: pane.directory().map(PathBuf::from),
            shell: root.filter(|root| front == Some(*root)),
        })
    }

    pub(crate) fn launch_for(&self, shell: Option<String>) -> Launch {
        let shell = shell.unwrap_or_else(|| self.settings.current().terminal.shell.clone());
        Launch { shell }
    }

    pub(crate) fn begin(
        &mut self,
        spot: Spot,
        launch: Launch,
        start_in: StartIn,
        asker: Asker,
    ) -> PaneId {
        let pane = self.ids.pane();
        let size = self.size_at(spot);
        let settings = self.settings.current();
        let request = SpawnRequest {
            pane,
            launch: launch.clone(),
            start_in,
            size,
            environment: self.environment(pane),
            integration: settings.terminal.shell_integration,
            scripts: self.paths.data_dir.join("shell-integration"),
            history_lines: settings.terminal.history_lines,
            semantic_escape_chars: settings.terminal.semantic_escape_chars.clone(),
            cursor: CursorStyle {
                shape: match settings.terminal.cursor_shape {
                    settings::CursorShape::Block => CursorShape::Block,
                    settings::CursorShape::Beam => CursorShape::Beam,
                    settings::CursorShape::Underline => CursorShape::Underline,
                },
                blinking: settings.terminal.cursor_blink,
            },
        };
        let room = self.pending.len() < PENDING_MAX;
        self.pending.insert(
            pane,
            Pending {
                spot,
                launch,
                size,
                asker,
            },
        );
        let begun = if room {
            spawn::spawn(request, self.outbox.clone(), self.redraws())
        } else {
            Err(SpawnFailure::TooMany)
        };
        if let Err(failure) = begun {
            self.spawned(Spawned {
                pane,
                result: Err(failure),
            });
        }
        pane
    }

    fn environment(&self, pane: PaneId) -> BTreeMap<&'static str, OsString> {
        let mut environment = BTreeMap::from([
            ("TERM", OsString::from("xterm-256color")),
            ("COLORTERM", OsString::from("truecolor")),
            ("TERM_PROGRAM", OsString::from("nebula")),
            (
                "TERM_PROGRAM_VERSION",
                OsString::from(env!("CARGO_PKG_VERSION")),
            ),
            ("NEBULA_PANE_ID", OsString::from(pane.0.to_string())),
            ("NEBULA_CLI", self.cli_path.clone().into_os_string()),
        ]);
        if let Some(endpoint) = self.endpoint.issue(pane.to_ref()) {
            environment.insert("NEBULA_RUNTIME_ENDPOINT", OsString::from(endpoint));
        }
        environment
    }

    /// The process of a pane runs, or will never run.
    pub(crate) fn spawned(&mut self, spawned: Spawned) {
        let Spawned { pane, result } = spawned;
        let Some(pending) = self.pending.remove(&pane) else {
            return;
        };
        let first = matches!(pending.asker, Asker::Start);
        match result {
            Ok(started) => self.insert_started(pane, pending, started),
            Err(failure) => self.insert_broken(pane, pending, failure),
        }
        if first {
            self.started = true;
            for command in std::mem::take(&mut self.early) {
                self.execute(command);
            }
        }
        self.quit_if_empty();
    }

    fn insert_started(&mut self, id: PaneId, pending: Pending, started: Started) {
        let Pending {
            spot,
            launch,
            size,
            asker,
        } = pending;
        let terminal = started.terminal.clone();
        if self.quitting || !self.place(id, spot) {
            // The pane that it was to stand beside is gone meanwhile.
            self.endpoint.revoke(id.to_ref());
            terminal.kill();
            let root = terminal.root_pid();
            self.dying.push(Dying::new(terminal, root));
            if let Asker::Api(reply) = asker {
                reply.send(Err(gone_meanwhile(spot)));
            }
            return;
        }
        self.panes
            .insert(id, Pane::new(id, launch, started, size, Instant::now()));
        if let Some(sampler) = &self.sampler {
            sampler.add(id, terminal);
        }
        self.settle_layout();
        if let Asker::Api(reply) = asker {
            let snapshot = self.publish();
            let action = Action::Pane {
                window_id: WINDOW_ID,
                pane_id: Some(id.0),
            };
            reply.send(Ok(Outcome::Mutation { action, snapshot }));
        }
    }

    fn insert_broken(&mut self, id: PaneId, pending: Pending, failure: SpawnFailure) {
        let Pending {
            spot,
            launch,
            size,
            asker,
        } = pending;
        self.endpoint.revoke(id.to_ref());
        tracing::warn!(pane = id.0, %failure, "a pane could not be started");
        match asker {
            Asker::Api(reply) => {
                reply.send(Err(failure.into()));
            }
            Asker::Start | Asker::User => {
                if self.quitting || !self.place(id, spot) {
                    return;
                }
                let pane = Pane::broken(id, launch, failure.to_string(), size, Instant::now());
                self.panes.insert(id, pane);
                self.hub
                    .record_lifecycle(id.to_ref(), LifecycleEvent::Exited, None, None);
                self.settle_layout();
            }
        }
    }
}

fn gone_meanwhile(spot: Spot) -> ApiError {
    match spot {
        Spot::Beside(Placement { target: pane, .. }) | Spot::InPlaceOf(pane) => {
            ApiError::no_pane(pane.0)
        }
        Spot::NewTab => ApiError::unavailable("the program is ending", "quitting"),
    }
}
