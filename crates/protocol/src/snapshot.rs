//! The projection of the workspace that every reader sees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::Agent;

/// Names a pane across windows.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct PaneRef {
    /// Window that holds the pane.
    pub window_id: u64,
    /// The pane, at least 1, never reused during the life of the process.
    pub pane_id: u64,
}

/// What a pane is doing. The set is closed for version 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// A shell at its prompt, or an agent that waits for a new task.
    Idle,
    /// A command or an agent's turn is in progress.
    Running,
    /// The program rang for input, and nothing better is known.
    WaitingInput,
    /// An agent needs a decision of the user.
    Attention,
    /// An agent completed its turn, or the root process of a held pane ended with code 0.
    Finished,
    /// A turn or pane ended in error.
    Failed,
}

impl TaskState {
    /// Every state, in the order of the specification.
    pub const ALL: [Self; 6] = [
        Self::Idle,
        Self::Running,
        Self::WaitingInput,
        Self::Attention,
        Self::Finished,
        Self::Failed,
    ];

    /// The state as it is written on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::WaitingInput => "waiting_input",
            Self::Attention => "attention",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }
}

/// A full view of the workspace at one revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// Grows by one with each publication that changed something; 0 only before the first.
    pub revision: u64,
    /// Process that owns the workspace.
    pub process_id: u32,
    /// Version of the program.
    pub app_version: String,
    /// Version of the protocol.
    pub protocol_version: u64,
    /// Hidden windows whose panes live on; 1 for a headless server.
    pub detached_windows: u32,
    /// Windows by id.
    pub windows: Vec<Window>,
    /// Panes that ended, newest last, at most [`crate::limits::LIFECYCLES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pane_lifecycles: Vec<Lifecycle>,
    /// 32 hexadecimal digits, new on every start; revisions of different boots are not comparable.
    pub boot_id: String,
}

impl Snapshot {
    /// Whether both say the same, apart from their revision.
    pub fn same_content(&self, other: &Self) -> bool {
        self.process_id == other.process_id
            && self.app_version == other.app_version
            && self.protocol_version == other.protocol_version
            && self.detached_windows == other.detached_windows
            && self.windows == other.windows
            && self.pane_lifecycles == other.pane_lifecycles
            && self.boot_id == other.boot_id
    }

    /// All panes with their window, in window, tab and pane order.
    pub fn panes(&self) -> impl Iterator<Item = (PaneRef, &Pane)> {
        self.windows.iter().flat_map(|window| {
            window.tabs.iter().flat_map(|tab| &tab.panes).map(|pane| {
                (
                    PaneRef {
                        window_id: window.id,
                        pane_id: pane.id,
                    },
                    pane,
                )
            })
        })
    }

    /// The pane, if it is in this snapshot.
    pub fn pane(&self, target: PaneRef) -> Option<&Pane> {
        self.panes()
            .find(|(at, _)| *at == target)
            .map(|(_, pane)| pane)
    }
}

/// How a pane ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LifecycleEvent {
    /// Somebody closed it.
    Closed,
    /// Its root process ended.
    Exited,
}

/// A record of a pane's end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lifecycle {
    /// Strictly increasing, at least 1.
    pub sequence: u64,
    /// Window that held the pane.
    pub window_id: u64,
    /// The pane.
    pub pane_id: u64,
    /// How it ended.
    pub event: LifecycleEvent,
    /// Exit code of the root process, when it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Number of the signal that ended the root process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

/// A window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// The workspace window is 1.
    pub id: u64,
    /// Whether the window has the keyboard.
    pub focused: bool,
    /// Whether the window is left out of session restore.
    pub session_exempt: bool,
    /// Index of the active tab.
    pub active_tab: usize,
    /// Focused pane of the active tab.
    pub focused_pane_id: Option<u64>,
    /// Tabs from left to right.
    pub tabs: Vec<Tab>,
}

/// What a tab shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TabKind {
    /// Panes with the default or a named shell.
    Shell,
    /// Panes started from a profile.
    Profile,
    /// Panes on another host.
    Ssh,
    /// A document or a thread.
    Document,
    /// A picture.
    Image,
    /// Source code.
    Code,
    /// The settings.
    Settings,
}

/// A tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tab {
    /// Position in the window, from 0.
    pub index: usize,
    /// Whether it is the window's active tab.
    pub active: bool,
    /// Text on the tab.
    pub label: String,
    /// What the tab shows.
    pub kind: TabKind,
    /// Whether a pane rang since the tab was last looked at.
    pub bell: bool,
    /// Focused pane of this tab.
    pub focused_pane_id: Option<u64>,
    /// Arrangement of the panes; null for a tab without a terminal.
    pub layout: Option<Layout>,
    /// Panes in layout order.
    pub panes: Vec<Pane>,
    /// Pane that fills the tab for now. Always written; older servers left it out.
    #[serde(default)]
    pub zoomed_pane_id: Option<u64>,
}

/// Direction of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitDirection {
    /// Side by side; the new pane is at the right.
    LeftRight,
    /// Stacked; the new pane is below.
    TopBottom,
}

/// Arrangement of panes in a tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Layout {
    /// One pane.
    Pane {
        /// The pane.
        pane_id: u64,
    },
    /// Two arrangements beside or above each other.
    Split {
        /// How they lie.
        direction: SplitDirection,
        /// Share of `first`, between 0 and 1.
        ratio: f64,
        /// Left or upper part.
        first: Box<Layout>,
        /// Right or lower part.
        second: Box<Layout>,
    },
}

/// A pane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pane {
    /// At least 1, never reused during the life of the process.
    pub id: u64,
    /// Whether it is the focused pane of its tab.
    pub active: bool,
    /// Title that the program set, or one made from what runs.
    pub title: String,
    /// Working directory; empty when unknown.
    pub cwd: String,
    /// Branch of the repository around `cwd`; empty when there is none.
    pub branch: String,
    /// Destination of an SSH pane.
    pub ssh_destination: Option<String>,
    /// Program in the foreground; null at a shell prompt.
    pub running_program: Option<String>,
    /// What the pane is doing.
    pub task_state: TaskState,
    /// Grows by one with each transition of `task_state`, at least 1.
    pub state_change_seq: u64,
    /// The recognised agent in the pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// The open `pane.run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_run: Option<ActiveRun>,
    /// The last completed `pane.run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<Run>,
    /// Whether the pane asked for a look and got none since.
    pub unseen: bool,
    /// Grows by one whenever another program takes the pane over, at least 1.
    pub occupant_seq: u64,
}

/// Phase of an open run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    /// Typed, not seen to start.
    Submitted,
    /// The shell reported its start.
    Started,
}

/// An open run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveRun {
    /// The run.
    pub run_id: String,
    /// How far it is.
    pub phase: RunPhase,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// With code 0.
    Finished,
    /// With another code.
    Failed,
    /// Without a code.
    Unavailable,
}

/// Whether the shell reports exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExitCodeCapability {
    /// It does.
    Supported,
    /// It does not.
    Unavailable,
}

/// A completed run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// The run.
    pub run_id: String,
    /// How it ended.
    pub state: RunState,
    /// Its exit code, when there is one.
    pub exit_code: Option<i32>,
    /// Whether the shell reports exit codes.
    pub exit_code_capability: ExitCodeCapability,
    /// Why there is no code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable_reason: Option<String>,
}
