//! Where panes are put, and how large they are when nobody draws them.

use protocol::LifecycleEvent;
use terminal::{ExitStatus, GridSize};

use crate::geometry::{self, Cells};
use crate::ids::PaneId;
use crate::launch::Spot;
use crate::pane::Pane;
use crate::tab::{PaneGroup, Tab, TabContent};
use crate::tree::RATIO_NEW;
use crate::workspace::Workspace;

impl Workspace {
    /// The size of a pane in a place where it is not yet.
    pub(crate) fn size_at(&self, spot: Spot) -> GridSize {
        let size_of = |pane| self.panes.get(&pane).map_or(self.grid, Pane::size);
        match spot {
            Spot::NewTab => self.grid,
            Spot::InPlaceOf(pane) => size_of(pane),
            Spot::Beside(placement) => {
                let size = size_of(placement.target);
                let cells = Cells {
                    columns: size.columns,
                    lines: size.lines,
                };
                let (_, half) = cells.divide(placement.direction, RATIO_NEW);
                GridSize {
                    columns: half.columns,
                    lines: half.lines,
                    ..size
                }
            }
        }
    }

    /// Puts a pane into its tab. False when its place is gone.
    pub(crate) fn place(&mut self, pane: PaneId, spot: Spot) -> bool {
        match spot {
            Spot::NewTab => {
                let id = self.ids.tab();
                self.tabs
                    .push(Tab::new(id, TabContent::Panes(PaneGroup::new(pane))));
                true
            }
            Spot::Beside(placement) => {
                let split = self.ids.split();
                let group = self.tabs.group_of_mut(placement.target);
                group.is_some_and(|group| group.insert(pane, placement, split))
            }
            Spot::InPlaceOf(old) => {
                let group = self.tabs.group_of_mut(old);
                let replaced = group.is_some_and(|group| group.replace(old, pane));
                if replaced {
                    self.forget(old, LifecycleEvent::Closed, ExitStatus::default());
                }
                replaced
            }
        }
    }

    /// The arrangement of panes changed: without a window their sizes follow from it, with one the
    /// views set them when they draw.
    pub(crate) fn settle_layout(&mut self) {
        self.changed();
        if !self.headless {
            return;
        }
        let total = Cells {
            columns: self.grid.columns,
            lines: self.grid.lines,
        };
        let mut sizes = Vec::new();
        for group in self.tabs.as_slice().iter().filter_map(Tab::group) {
            let shares = geometry::cells(group.tree(), total);
            sizes.extend(shares.into_iter().map(|(pane, share)| {
                (
                    pane,
                    if group.zoomed() == Some(pane) {
                        total
                    } else {
                        share
                    },
                )
            }));
        }
        for (pane, size) in sizes {
            let size = GridSize {
                columns: size.columns,
                lines: size.lines,
                ..self.grid
            };
            if let Some(pane) = self.panes.get_mut(&pane) {
                pane.set_size(size);
            }
        }
    }
}
