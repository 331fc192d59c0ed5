//! Parameters of the methods that arrange windows, tabs and panes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Check;
use crate::check;
use crate::error::ApiError;
use crate::limits;
use crate::snapshot::SplitDirection;

/// Parameters of `window.create`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowCreateParams {
    /// Absolute path of an existing directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Id of a shell, as in the setting `terminal.shell`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
}

impl Check for WindowCreateParams {
    fn check(&self) -> Result<(), ApiError> {
        check::directory(self.cwd.as_deref())?;
        check::shell(self.shell.as_deref())
    }
}

/// Parameters of `window.focus`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowFocusParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane; the focused pane of the active tab when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub pane_id: Option<u64>,
}

impl Check for WindowFocusParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::optional_pane_id(self.pane_id)
    }
}

/// Parameters of `window.close`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowCloseParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// Close also what is busy. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
}

impl Check for WindowCloseParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)
    }
}

/// Parameters of `tab.new`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TabNewParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// Absolute path of an existing directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Id of a shell, as in the setting `terminal.shell`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
}

impl Check for TabNewParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::directory(self.cwd.as_deref())?;
        check::shell(self.shell.as_deref())
    }
}

/// Parameters of `tab.close`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TabCloseParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// Position of the tab, from 0.
    pub tab_index: usize,
    /// Close also what is busy. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
}

impl Check for TabCloseParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)
    }
}

/// Parameters of `tab.rename`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TabRenameParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// Position of the tab, from 0.
    pub tab_index: usize,
    /// New name, at most 256 bytes without control characters; empty restores the generated one.
    pub name: String,
}

impl Check for TabRenameParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::tab_name(&self.name)
    }
}

/// Parameters of `tab.move`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TabMoveParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// Position of the tab, from 0.
    pub tab_index: usize,
    /// Position after the move, from 0.
    pub to_index: usize,
}

impl Check for TabMoveParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)
    }
}

/// Parameters of `pane.split`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneSplitParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane; the focused pane of the active tab when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub pane_id: Option<u64>,
    /// Where the new pane goes.
    pub direction: SplitDirection,
}

impl Check for PaneSplitParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::optional_pane_id(self.pane_id)
    }
}

/// Parameters of `pane.close`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneCloseParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane.
    #[schemars(range(min = 1))]
    pub pane_id: u64,
    /// Close also what is busy. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
}

impl Check for PaneCloseParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::pane_id(self.pane_id)
    }
}

/// Parameters of `pane.zoom`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneZoomParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane.
    #[schemars(range(min = 1))]
    pub pane_id: u64,
    /// Whether the pane shall fill its tab.
    pub zoomed: bool,
}

impl Check for PaneZoomParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::pane_id(self.pane_id)
    }
}

/// Parameters of `pane.resize`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneResizeParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane.
    #[schemars(range(min = 1))]
    pub pane_id: u64,
    /// Share of the pane in its direct parent split.
    #[schemars(range(min = 0.05, max = 0.95))]
    pub ratio: f64,
}

impl Check for PaneResizeParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::pane_id(self.pane_id)?;
        check::range("ratio", self.ratio, limits::RATIO_MIN, limits::RATIO_MAX)
    }
}
