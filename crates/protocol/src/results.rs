//! Results of the methods that have no page of their own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::snapshot::TaskState;

/// Acknowledgement of `events.subscribe`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubscribeAck {
    /// At least 1.
    pub subscription_id: u64,
    /// Revision at the time of the request; 0 when nothing was published yet.
    pub current_revision: u64,
    /// Boot that the revisions belong to.
    pub boot_id: String,
    /// Oldest revision that can be replayed; 0 when nothing was published yet.
    pub oldest_revision: u64,
    /// Whether revisions after `since_revision` are lost.
    pub gap: bool,
    /// Events that follow at once from the past.
    pub replayed: u64,
}

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// The one of the discovery file.
    Owner,
    /// The one of a pane.
    Pane,
}

/// What a pane token allows: the setting `panes.control`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every method.
    #[default]
    Full,
    /// Every query.
    Read,
    /// Only `runtime.describe` and `runtime.identify`.
    None,
}

impl Scope {
    /// The scope as it is written on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Read => "read",
            Self::None => "none",
        }
    }
}

/// A pane with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallerPane {
    /// Window of the pane.
    pub window_id: u64,
    /// Tab of the pane.
    pub tab_index: usize,
    /// The pane.
    pub pane_id: u64,
}

/// Result of `runtime.identify`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IdentifyResult {
    /// Kind of the token that was shown.
    pub token: TokenKind,
    /// What it allows.
    pub scope: Scope,
    /// The calling pane; null for the owner.
    pub caller: Option<CallerPane>,
    /// The focused pane; null when there is none.
    pub focused: Option<CallerPane>,
    /// Process that owns the workspace.
    pub process_id: u32,
    /// Boot of the server.
    pub boot_id: String,
}

/// A process in a pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneProcess {
    /// Process id.
    pub pid: u32,
    /// Parent in this list; null for the root.
    pub parent_pid: Option<u32>,
    /// Path of the executable, or its name when the path cannot be read.
    pub executable: String,
    /// Name for people.
    pub display_name: String,
    /// Steps from the root, 0 for the root.
    pub depth: u32,
    /// Agent that the process is known to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_kind: Option<String>,
}

/// Result of `pane.procs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcsResult {
    /// Window of the pane.
    pub window_id: u64,
    /// The pane.
    pub pane_id: u64,
    /// Root process of the pane.
    pub root_pid: u32,
    /// The root first, then its descendants, parents before children.
    pub processes: Vec<PaneProcess>,
}

/// Whether a program was seen to take a submitted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Submission {
    /// It was.
    Confirmed,
    /// It was not seen.
    Unconfirmed,
}

/// The successful wait of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitReport {
    /// State that ended the wait.
    pub state: TaskState,
    /// Its sequence.
    pub state_change_seq: u64,
    /// Sequence of the edge that the prompt made.
    pub after_seq: u64,
    /// Milliseconds from Enter to the match.
    pub elapsed_ms: u64,
    /// Whether the text was seen to be taken.
    pub submission: Submission,
}
