//! What a person does with tabs and panes. Requests of the control API end in the same functions.

use std::time::Instant;

use protocol::SplitDirection;
use terminal::GridSize;

use crate::geometry::{Cells, Direction};
use crate::ids::{PaneId, SplitId, TabId};
use crate::launch::{Asker, Spot};
use crate::tab::{Tab, TabContent};
use crate::tree::{Placement, Side};
use crate::ui_events::UiEvent;
use crate::workspace::Workspace;

/// Why a pane was not split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// There is no such pane.
    #[error("there is no pane to split here")]
    NoPane,
    /// It has no room for two.
    #[error("the pane is too small to hold two")]
    TooSmall,
}

/// Where a pane is moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneDestination {
    /// To this side of another pane, in whatever tab that is.
    Beside(PaneId, Direction),
    /// Into a tab of its own at the end.
    NewTab,
}

impl Workspace {
    /// Divides a pane and starts the same shell, in the same directory, to the right of it or
    /// below it. Returns the id the new pane will have; it appears when the shell runs.
    ///
    /// # Errors
    /// When there is no such pane, or no room in it.
    pub fn split(&mut self, pane: PaneId, direction: SplitDirection) -> Result<PaneId, SplitError> {
        self.can_split(pane, direction)?;
        Ok(self.begin_split(pane, direction, Asker::User))
    }

    pub(crate) fn can_split(
        &self,
        pane: PaneId,
        direction: SplitDirection,
    ) -> Result<(), SplitError> {
        let size = self.panes.get(&pane).ok_or(SplitError::NoPane)?.size();
        let cells = Cells {
            columns: size.columns,
            lines: size.lines,
        };
        if cells.can_split(direction) {
            Ok(())
        } else {
            Err(SplitError::TooSmall)
        }
    }

    pub(crate) fn begin_split(
        &mut self,
        target: PaneId,
        direction: SplitDirection,
        asker: Asker,
    ) -> PaneId {
        let launch = self.panes.get(&target).map(|pane| pane.launch().clone());
        let launch = launch.unwrap_or_else(|| self.launch_for(None));
        let start_in = self.start_beside(Some(target));
        let placement = Placement {
            target,
            direction,
            side: Side::Second,
        };
        self.begin(Spot::Beside(placement), launch, start_in, asker)
    }

    /// Brings the tab of a pane to the front and focuses the pane. Another pane that fills that
    /// tab goes back to its place.
    pub fn focus_pane(&mut self, pane: PaneId) {
        if self.tabs.focus_pane(pane) {
            self.settle_layout();
        }
    }

    /// Moves the focus to the neighbour in this direction. Returns the pane that has it now, or
    /// `None` at the rim.
    pub fn focus_direction(&mut self, direction: Direction) -> Option<PaneId> {
        let group = self.tabs.active().and_then(Tab::group)?;
        let neighbour = group.neighbour(direction)?;
        self.focus_pane(neighbour);
        Some(neighbour)
    }

    /// Lets a pane fill its tab, or ends that.
    pub fn zoom(&mut self, pane: PaneId, zoomed: bool) {
        if self
            .tabs
            .group_of_mut(pane)
            .is_some_and(|group| group.set_zoom(pane, zoomed))
        {
            self.settle_layout();
        }
    }

    /// Moves a divider: `ratio` is the share of the left or upper side, held to the allowed range.
    pub fn resize_split(&mut self, tab: TabId, split: SplitId, ratio: f64) {
        let index = self.tabs.index_of(tab);
        let group = index
            .and_then(|index| self.tabs.get_mut(index))
            .and_then(Tab::group_mut);
        if group.and_then(|group| group.set_ratio(split, ratio)) == Some(true) {
            self.settle_layout();
        }
    }

    /// Sets the share of a pane in its direct parent split. False when it has no parent.
    pub fn resize_pane(&mut self, pane: PaneId, share: f64) -> bool {
        let changed = self
            .tabs
            .group_of_mut(pane)
            .and_then(|group| group.set_share(pane, share));
        if changed == Some(true) {
            self.settle_layout();
        }
        changed.is_some()
    }

    /// Moves a pane within its tab or to another one. Returns whether it moved.
    pub fn move_pane(&mut self, pane: PaneId, destination: PaneDestination) -> bool {
        let moved = match destination {
            PaneDestination::NewTab => {
                let tab = self.ids.tab();
                self.tabs.move_to_new_tab(pane, tab)
            }
            PaneDestination::Beside(target, to) => {
                let (direction, side) = match to {
                    Direction::Left => (SplitDirection::LeftRight, Side::First),
                    Direction::Right => (SplitDirection::LeftRight, Side::Second),
                    Direction::Up => (SplitDirection::TopBottom, Side::First),
                    Direction::Down => (SplitDirection::TopBottom, Side::Second),
                };
                let split = self.ids.split();
                self.tabs.move_beside(
                    pane,
                    Placement {
                        target,
                        direction,
                        side,
                    },
                    split,
                )
            }
        };
        if moved {
            self.settle_layout();
        }
        moved
    }

    /// Brings a tab to the front.
    pub fn activate_tab(&mut self, tab: TabId) {
        if let Some(index) = self.tabs.index_of(tab)
            && self.tabs.activate(index)
        {
            self.changed();
        }
    }

    /// Brings the tab to the front that is `steps` to the right (or left), around the ends.
    pub fn cycle_tab(&mut self, steps: isize) {
        let count = self.tabs.as_slice().len();
        let (Ok(count), Ok(active)) = (
            isize::try_from(count),
            isize::try_from(self.tabs.active_index()),
        ) else {
            return;
        };
        if count > 0
            && let Ok(index) = usize::try_from((active + steps % count).rem_euclid(count))
            && self.tabs.activate(index)
        {
            self.changed();
        }
    }

    /// Moves a tab to another index. `None` when either is outside the list.
    pub fn move_tab(&mut self, from: usize, to: usize) -> Option<()> {
        self.tabs.reorder(from, to)?;
        if from != to {
            self.changed();
        }
        Some(())
    }

    /// Names a tab; an empty name brings the generated title back.
    pub fn rename_tab(&mut self, tab: TabId, name: &str) {
        let index = self.tabs.index_of(tab);
        if let Some(tab) = index.and_then(|index| self.tabs.get_mut(index)) {
            tab.rename(name);
            self.changed();
        }
    }

    /// Brings the settings page to the front, and opens it first if there is none.
    pub fn open_settings_tab(&mut self) {
        let is_settings = |tab: &Tab| matches!(tab.content(), TabContent::Settings);
        match self.tabs.as_slice().iter().position(is_settings) {
            Some(index) => {
                self.tabs.activate(index);
            }
            None => {
                let id = self.ids.tab();
                self.tabs.push(Tab::new(id, TabContent::Settings));
            }
        }
        self.changed();
    }

    /// The user looks at these panes, and at no others: the window is active, their tab is in
    /// front, and they have been visible for half a second. Clears their `unseen` marks and
    /// nothing else, so that a viewer does not change what a waiting client observes.
    pub fn look_at(&mut self, panes: &[PaneId]) {
        self.eyes = panes.iter().copied().collect();
        let mut seen = false;
        for pane in panes {
            seen |= self
                .panes
                .get_mut(pane)
                .is_some_and(crate::pane::Pane::seen);
        }
        if seen {
            self.changed();
        }
    }

    /// Whether the window has the keyboard.
    pub fn set_window_focused(&mut self, focused: bool) {
        if self.window_focused != focused {
            self.window_focused = focused;
            self.changed();
        }
    }

    /// Shows a hidden window again.
    pub fn reveal(&mut self) {
        if self.hidden {
            self.hidden = false;
            self.changed();
        }
        self.tell_window(UiEvent::Reveal);
    }

    /// The size that a pane without neighbours has; new tabs start with it. A headless server
    /// divides it among the panes.
    pub fn set_window_grid(&mut self, grid: GridSize) {
        let grid = grid.clamped();
        if self.grid != grid {
            self.grid = grid;
            if self.headless {
                self.settle_layout();
            }
        }
    }

    /// The size at which a pane is drawn.
    pub fn set_pane_size(&mut self, pane: PaneId, size: GridSize) {
        if let Some(pane) = self.panes.get_mut(&pane) {
            pane.set_size(size);
        }
    }

    /// When the state of a pane began, for "running 4 m".
    pub fn state_age(&self, pane: PaneId, now: Instant) -> Option<std::time::Duration> {
        Some(now.saturating_duration_since(self.panes.get(&pane)?.state_since()))
    }
}
