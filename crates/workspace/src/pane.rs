//! A pane: one terminal, what is known about it, and the state that follows.
//!
//! A pane promises that every change of its state is counted once ([`Pane::take_transitions`]),
//! and that nothing about it is derived anywhere else: views and the snapshot read the same fields.

mod observe;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use protocol::TaskState;
use terminal::{GridSize, Terminal};

use crate::ending::Ending;
use crate::ids::PaneId;
use crate::inbox::SharedNotes;
use crate::prompt::Gap;
use crate::reducer::{Decision, ShellReducer};
use crate::sampler::Watch;
use crate::spawn::{Launch, Started};
use crate::title::{self, ProgramTitle};

/// One pane of the workspace.
pub struct Pane {
    id: PaneId,
    launch: Launch,
    shell_name: String,
    terminal: Option<Terminal>,
    root: Option<u32>,
    pub(crate) notes: SharedNotes,
    size: GridSize,
    started: Instant,
    reducer: ShellReducer,
    decision: Decision,
    since: Instant,
    transitions: u64,
    unseen: bool,
    title: ProgramTitle,
    told_directory: Option<PathBuf>,
    found_directory: Option<PathBuf>,
    branch: Option<String>,
    /// The program in front, as the processes say.
    front_program: Option<String>,
    /// The program of the running command, as the shell told when it started it.
    command_program: Option<String>,
    /// The program that a submitted line should start; nothing has confirmed it yet.
    expected_program: Option<String>,
    ending: Option<Ending>,
    occupant_seq: u64,
    /// How the sampler was told to watch it.
    watch: Watch,
    last_interrupt: Option<Instant>,
    /// An Enter that has still to be written.
    pub(crate) gap: Option<Gap>,
}

impl Pane {
    pub(crate) fn new(
        id: PaneId,
        launch: Launch,
        started: Started,
        size: GridSize,
        now: Instant,
    ) -> Self {
        let reducer = ShellReducer::new(started.integrated);
        Self {
            id,
            launch,
            shell_name: started.shell_name,
            root: started.terminal.root_pid(),
            terminal: Some(started.terminal),
            notes: started.notes,
            size,
            started: now,
            decision: reducer.decide(),
            reducer,
            since: now,
            transitions: 0,
            unseen: false,
            title: ProgramTitle::default(),
            told_directory: None,
            found_directory: started.directory,
            branch: None,
            front_program: None,
            command_program: None,
            expected_program: None,
            ending: None,
            occupant_seq: 1,
            watch: Watch::Off,
            last_interrupt: None,
            gap: None,
        }
    }

    /// A pane whose process could not be started; it holds the message.
    pub(crate) fn broken(
        id: PaneId,
        launch: Launch,
        reason: String,
        size: GridSize,
        now: Instant,
    ) -> Self {
        let mut reducer = ShellReducer::new(false);
        reducer.fail();
        Self {
            id,
            shell_name: launch.shell.clone(),
            launch,
            terminal: None,
            root: None,
            notes: SharedNotes::default(),
            size,
            started: now,
            decision: reducer.decide(),
            reducer,
            since: now,
            transitions: 0,
            unseen: true,
            title: ProgramTitle::default(),
            told_directory: None,
            found_directory: None,
            branch: None,
            front_program: None,
            command_program: None,
            expected_program: None,
            ending: Some(Ending::not_started(reason)),
            occupant_seq: 1,
            watch: Watch::Off,
            last_interrupt: None,
            gap: None,
        }
    }

    /// The id of this pane.
    pub fn id(&self) -> PaneId {
        self.id
    }

    /// What runs in it; `None` when it could not be started.
    pub fn terminal(&self) -> Option<&Terminal> {
        self.terminal.as_ref()
    }

    /// The process id of its root process, also after that ended.
    pub(crate) fn root(&self) -> Option<u32> {
        self.root
    }

    /// What it was started with.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Its size as last set, in cells and pixels.
    pub fn size(&self) -> GridSize {
        self.size
    }

    /// The title to show: what the program calls itself, else the program in front, else the
    /// directory, else the shell.
    pub fn title(&self) -> String {
        self.title.get().map_or_else(
            || title::fallback(self.program(), self.directory(), &self.shell_name),
            str::to_owned,
        )
    }

    /// The working directory, as the shell told it or as its process shows.
    pub fn directory(&self) -> Option<&Path> {
        self.told_directory
            .as_deref()
            .or(self.found_directory.as_deref())
    }

    /// The git branch of the directory.
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// The program in front, `None` at a shell prompt.
    pub fn program(&self) -> Option<&str> {
        match self.state() {
            TaskState::Running | TaskState::WaitingInput => self
                .front_program
                .as_deref()
                .or(self.command_program.as_deref()),
            TaskState::Idle | TaskState::Attention | TaskState::Finished | TaskState::Failed => {
                None
            }
        }
    }

    /// The state as the snapshot shows it, and what decided it.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The state as the snapshot shows it.
    pub fn state(&self) -> TaskState {
        self.decision.state
    }

    /// When the state began.
    pub fn state_since(&self) -> Instant {
        self.since
    }

    /// It finished, failed or asked for something, and was not looked at since.
    pub fn unseen(&self) -> bool {
        self.unseen
    }

    /// How the root process ended, while the pane is held open after it.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// The exit code of the last command, when the shell told it.
    pub fn last_exit(&self) -> Option<i32> {
        self.reducer.last_exit()
    }

    /// When Escape or Ctrl-C was sent last, by a person or through the API. An agent that stops
    /// right after it did not finish its turn.
    pub fn last_interrupt(&self) -> Option<Instant> {
        self.last_interrupt
    }

    /// Grows whenever another occupant takes the pane over (control-api.md 7.6). The root process
    /// is the occupant until agents are recognised, and a pane keeps its root process for life.
    pub fn occupant_seq(&self) -> u64 {
        self.occupant_seq
    }

    /// Whether closing it would end something (control-api.md 9.4).
    pub fn is_busy(&self) -> bool {
        matches!(self.state(), TaskState::Running | TaskState::WaitingInput)
    }

    /// The name under which a busy pane is reported.
    pub(crate) fn busy_program(&self) -> String {
        let known = self.program().or(self.expected_program.as_deref());
        known.unwrap_or(&self.shell_name).to_owned()
    }

    /// The root process has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.ending.is_some()
    }

    pub(crate) fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }
}
