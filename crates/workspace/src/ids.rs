//! The names of things in the model.
//!
//! Every id is handed out once and never again during the life of the process (control-api.md
//! 1.8), so an id that outlived its pane, tab or split names nothing instead of naming a stranger.

use std::fmt;

use protocol::PaneRef;

/// The one workspace window (control-api.md 1.8).
pub const WINDOW_ID: u64 = 1;

/// A pane, as `pane_id` on the wire: an integer from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneId(pub u64);

/// A tab. The wire addresses tabs by index; the model and the views keep this id, which does not
/// change when tabs move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TabId(pub u64);

/// One split of a pane tree, so that a divider being dragged stays the same divider while panes
/// come and go beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SplitId(pub u64);

impl PaneId {
    /// The pane as the control API names it.
    pub fn to_ref(self) -> PaneRef {
        PaneRef {
            window_id: WINDOW_ID,
            pane_id: self.0,
        }
    }
}

impl fmt::Display for PaneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Hands out ids, each once.
#[derive(Debug, Default)]
pub(crate) struct IdSource {
    panes: u64,
    tabs: u64,
    splits: u64,
}

impl IdSource {
    pub(crate) fn pane(&mut self) -> PaneId {
        self.panes += 1;
        PaneId(self.panes)
    }

    pub(crate) fn tab(&mut self) -> TabId {
        self.tabs += 1;
        TabId(self.tabs)
    }

    pub(crate) fn split(&mut self) -> SplitId {
        self.splits += 1;
        SplitId(self.splits)
    }
}
