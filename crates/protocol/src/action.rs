//! What a mutating method did.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::key::Key;
use crate::results::WaitReport;
use crate::snapshot::Snapshot;

/// The `action` member of a mutation result. Which members it has depends on the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Action {
    /// `pane.send_key`.
    Key {
        /// Window of the pane.
        window_id: u64,
        /// The pane.
        pane_id: u64,
        /// The key.
        key: Key,
        /// How often it was sent.
        repeat: u32,
        /// Bytes written in all.
        bytes_sent: usize,
    },
    /// `pane.prompt` and `pane.paste`.
    Text {
        /// Window of the pane.
        window_id: u64,
        /// The pane.
        pane_id: u64,
        /// Whether Enter was written.
        submitted: bool,
    },
    /// `pane.zoom`.
    Zoom {
        /// Window of the pane.
        window_id: u64,
        /// The pane.
        pane_id: u64,
        /// Whether the pane fills its tab now.
        zoomed: bool,
    },
    /// `pane.resize`.
    Resize {
        /// Window of the pane.
        window_id: u64,
        /// The pane.
        pane_id: u64,
        /// Its share now.
        ratio: f64,
    },
    /// `tab.rename`.
    TabName {
        /// Window of the tab.
        window_id: u64,
        /// Position of the tab.
        tab_index: usize,
        /// Its name now.
        name: String,
    },
    /// `tab.move`.
    TabMove {
        /// Window of the tab.
        window_id: u64,
        /// Position before.
        tab_index: usize,
        /// Position after.
        to_index: usize,
    },
    /// `tab.close`.
    Tab {
        /// Window of the tab.
        window_id: u64,
        /// Position that it had.
        tab_index: usize,
    },
    /// `tab.new`, `pane.split`, `pane.close`, `window.focus`.
    Pane {
        /// Window of the pane.
        window_id: u64,
        /// The pane; null when the window has no focused pane.
        pane_id: Option<u64>,
    },
    /// `window.close`.
    Window {
        /// The window.
        window_id: u64,
    },
}

/// Result of a mutating method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MutationResult {
    /// What was done.
    pub action: Action,
    /// How a requested wait ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitReport>,
    /// The projection after it, or the one that ended the wait.
    pub snapshot: Arc<Snapshot>,
}
