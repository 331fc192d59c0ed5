//! The workspace: window, tabs, panes, what they do, and the one projection of it that everybody
//! reads.
//!
//! This crate decides what a pane *is*. It draws nothing and listens to nobody: the window and the
//! headless server own the same [`Workspace`], feed it events and commands, and read the same model.
//!
//! ```text
//! threads of terminals, spawns, sampler --Inbox--> handle_event --\
//! control API --CommandReceiver-----------------> execute ----------> model --publish--> RuntimeHub
//! clicks and keys ------------------------------> actions --------/            \-------> views
//! a timer, 120 ms while something is pending ----> pump
//! ```
//!
//! The owner's thread never blocks in here: processes are started, looked at and read elsewhere,
//! and their results arrive as events. Evidence about a pane is applied in arrival order, so a state
//! that lasted less than a tick is still counted (control-api.md 6.2).

mod actions;
mod arrange;
mod branch;
mod busy;
mod closing;
mod ending;
mod events;
mod execute;
mod geometry;
mod ids;
mod inbox;
mod latch;
mod launch;
mod leftovers;
mod owner;
mod pane;
mod processes;
mod project;
mod prompt;
mod reducer;
mod sampler;
mod shells;
mod spawn;
mod tab;
mod tabs;
mod title;
mod tree;
mod typing;
mod ui_events;
mod workspace;

pub use actions::{PaneDestination, SplitError};
pub use busy::{Busy, BusyPane};
pub use ending::Ending;
pub use geometry::{
    Area, Cells, Direction, Divider, PANE_COLUMNS_MIN, PANE_LINES_MIN, UNIT, areas, cells,
    dividers, neighbour,
};
pub use ids::{PaneId, SplitId, TabId, WINDOW_ID};
pub use inbox::{Inbox, WorkspaceEvent};
pub use launch::{FirstTab, NewTab};
pub use owner::{Owner, drive, end_owned, serve, serve_owned};
pub use pane::Pane;
pub use reducer::{Authority, Decision};
pub use shells::is_shell_name;
pub use spawn::Launch;
pub use tab::{PaneGroup, Tab, TabContent};
pub use tree::{PaneTree, RATIO_MAX, RATIO_MIN, Side, Split};
pub use typing::InputError;
pub use ui_events::UiEvent;
pub use workspace::{NoEndpoints, PaneEndpoints, TICK, Workspace, WorkspaceOptions};
