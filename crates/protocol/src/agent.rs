//! Agents as they appear in the projection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::snapshot::TaskState;

/// Where an agent's state comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateSource {
    /// A lifecycle message of the program.
    Hook,
    /// A rule that reads the screen.
    Screen,
    /// Only the identity is known.
    Process,
}

/// A recognised agent in a pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    /// Short name of the program, for programs.
    pub kind: String,
    /// Name of the program, for people.
    pub display_name: String,
    /// Session of the program, when it said so.
    pub session_id: Option<String>,
    /// Where the state comes from.
    pub state_source: StateSource,
    /// Whether a lifecycle message was ever seen.
    pub hook_seen: bool,
    /// Screen rule that named the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_rule: Option<String>,
    /// Stable id of a managed agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Generation of a managed agent, at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// Name of a managed agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Worktree that was made for a managed agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
}

/// A git worktree that was made for an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Worktree {
    /// Root of the main repository.
    pub repo_root: String,
    /// Root of the tree that it was made from.
    pub source_root: String,
    /// The worktree.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// Commit that the branch started from.
    pub base_commit: String,
    /// Always true.
    pub created: bool,
}

/// A row of `agents.list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentPane {
    /// Window of the pane.
    pub window_id: u64,
    /// Tab of the pane.
    pub tab_index: usize,
    /// Whether that tab is active.
    pub tab_active: bool,
    /// The pane.
    pub pane_id: u64,
    /// Whether the pane has the focus of its tab.
    pub pane_active: bool,
    /// Title of the pane.
    pub title: String,
    /// Working directory of the pane.
    pub cwd: String,
    /// Branch around the working directory.
    pub branch: String,
    /// Destination of an SSH pane.
    pub ssh_destination: Option<String>,
    /// The agent.
    pub agent: Agent,
    /// What the pane is doing.
    pub task_state: TaskState,
    /// Sequence of that state.
    pub state_change_seq: u64,
}

/// Result of `agents.list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentsResult {
    /// Revision that the rows were taken from.
    pub revision: u64,
    /// In window, tab and pane order.
    pub agents: Vec<AgentPane>,
}
