//! A tab: either a group of panes or a page of the program itself.
//!
//! A group promises that its focus and its zoomed pane are panes of its own tree, and that it is
//! never empty; the last pane cannot be taken out of it, only the whole tab can go.

use crate::geometry::{self, Direction};
use crate::ids::{PaneId, SplitId, TabId};
use crate::tree::{PaneTree, Placement};

/// One tab of the window.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    id: TabId,
    name: Option<String>,
    pub(crate) bell: bool,
    pub(crate) content: TabContent,
}

/// What a tab shows.
#[derive(Debug, Clone, PartialEq)]
pub enum TabContent {
    /// One or more terminals.
    Panes(PaneGroup),
    /// The settings page; it has no panes.
    Settings,
}

/// The panes of a tab with their focus.
#[derive(Debug, Clone, PartialEq)]
pub struct PaneGroup {
    tree: PaneTree,
    focus: PaneId,
    zoomed: Option<PaneId>,
}

/// What taking a pane out of its group came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removal {
    /// The pane is out, others remain.
    Removed,
    /// It is the only pane: the tab has to go instead. Nothing was changed.
    Last,
    /// The group does not have it.
    Absent,
}

impl Tab {
    pub(crate) fn new(id: TabId, content: TabContent) -> Self {
        Self {
            id,
            name: None,
            bell: false,
            content,
        }
    }

    /// The id of this tab, which it keeps when it moves.
    pub fn id(&self) -> TabId {
        self.id
    }

    /// The name the user gave it.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// An empty name brings the generated title back (control-api.md 9.4).
    pub(crate) fn rename(&mut self, name: &str) {
        self.name = (!name.is_empty()).then(|| name.to_owned());
    }

    /// Whether a pane of it rang while another tab was in front.
    pub fn bell(&self) -> bool {
        self.bell
    }

    /// What it shows.
    pub fn content(&self) -> &TabContent {
        &self.content
    }

    /// Its panes, when it has any.
    pub fn group(&self) -> Option<&PaneGroup> {
        match &self.content {
            TabContent::Panes(group) => Some(group),
            TabContent::Settings => None,
        }
    }

    pub(crate) fn group_mut(&mut self) -> Option<&mut PaneGroup> {
        match &mut self.content {
            TabContent::Panes(group) => Some(group),
            TabContent::Settings => None,
        }
    }

    /// Whether the pane belongs to this tab.
    pub fn contains(&self, pane: PaneId) -> bool {
        self.group().is_some_and(|group| group.tree.contains(pane))
    }

    /// The panes of this tab in reading order.
    pub fn panes(&self) -> Vec<PaneId> {
        self.group()
            .map(|group| group.tree.panes())
            .unwrap_or_default()
    }
}

impl PaneGroup {
    pub(crate) fn new(pane: PaneId) -> Self {
        Self {
            tree: PaneTree::Leaf(pane),
            focus: pane,
            zoomed: None,
        }
    }

    /// How the panes share the area.
    pub fn tree(&self) -> &PaneTree {
        &self.tree
    }

    /// The pane that gets the keys when this tab is in front.
    pub fn focus(&self) -> PaneId {
        self.focus
    }

    /// The pane that fills the whole tab for the moment.
    pub fn zoomed(&self) -> Option<PaneId> {
        self.zoomed
    }

    /// The panes that are on the screen when this tab is in front.
    pub fn visible(&self) -> Vec<PaneId> {
        self.zoomed
            .map_or_else(|| self.tree.panes(), |pane| vec![pane])
    }

    /// The pane beside the focused one in this direction.
    pub fn neighbour(&self, direction: Direction) -> Option<PaneId> {
        geometry::neighbour(&self.tree, self.focus, direction)
    }

    /// Focuses a pane of this group; a zoomed pane other than it goes back to its place. Returns
    /// whether anything changed.
    pub(crate) fn set_focus(&mut self, pane: PaneId) -> bool {
        if !self.tree.contains(pane) {
            return false;
        }
        let unzooms = self.zoomed.is_some_and(|zoomed| zoomed != pane);
        if unzooms {
            self.zoomed = None;
        }
        let moved = self.focus != pane;
        self.focus = pane;
        moved || unzooms
    }

    /// Sets or ends the zoom of a pane (`pane.zoom`): ending the zoom of a pane that is not
    /// zoomed changes nothing. A pane that gets zoomed gets the focus, since it alone is visible.
    pub(crate) fn set_zoom(&mut self, pane: PaneId, zoomed: bool) -> bool {
        if !self.tree.contains(pane) {
            return false;
        }
        let before = (self.focus, self.zoomed);
        if zoomed {
            self.focus = pane;
            self.zoomed = Some(pane);
        } else if self.zoomed == Some(pane) {
            self.zoomed = None;
        }
        before != (self.focus, self.zoomed)
    }

    /// Puts a pane beside another one and focuses it. Ends a zoom, because a new pane that
    /// cannot be seen would be a surprise.
    pub(crate) fn insert(&mut self, pane: PaneId, placement: Placement, id: SplitId) -> bool {
        let inserted = self.tree.insert(pane, placement, id);
        if inserted {
            self.zoomed = None;
            self.focus = pane;
        }
        inserted
    }

    /// Takes a pane out; its neighbour inherits a focus it had.
    pub(crate) fn remove(&mut self, pane: PaneId) -> Removal {
        if !self.tree.contains(pane) {
            return Removal::Absent;
        }
        let Some(heir) = self.tree.remove(pane) else {
            return Removal::Last;
        };
        if self.focus == pane {
            self.focus = heir;
        }
        if self.zoomed == Some(pane) {
            self.zoomed = None;
        }
        Removal::Removed
    }

    /// Puts a new pane where an old one was, with its focus and zoom.
    pub(crate) fn replace(&mut self, old: PaneId, new: PaneId) -> bool {
        let replaced = self.tree.replace(old, new);
        if replaced && self.focus == old {
            self.focus = new;
        }
        if replaced && self.zoomed == Some(old) {
            self.zoomed = Some(new);
        }
        replaced
    }

    /// See [`PaneTree::set_ratio`].
    pub(crate) fn set_ratio(&mut self, split: SplitId, ratio: f64) -> Option<bool> {
        self.tree.set_ratio(split, ratio)
    }

    /// See [`PaneTree::set_share`].
    pub(crate) fn set_share(&mut self, pane: PaneId, share: f64) -> Option<bool> {
        self.tree.set_share(pane, share)
    }
}

#[cfg(test)]
mod tests {
    use protocol::SplitDirection;

    use super::*;
    use crate::tree::Side;

    fn pair() -> PaneGroup {
        let mut group = PaneGroup::new(PaneId(1));
        let placement = Placement {
            target: PaneId(1),
            direction: SplitDirection::LeftRight,
            side: Side::Second,
        };
        assert!(group.insert(PaneId(2), placement, SplitId(1)));
        group
    }

    #[test]
    fn a_new_pane_gets_the_focus() {
        assert_eq!(pair().focus(), PaneId(2));
    }

    #[test]
    fn zoom_sets_and_never_toggles() {
        let mut group = pair();
        assert!(group.set_zoom(PaneId(1), true));
        assert!(!group.set_zoom(PaneId(1), true));
        assert_eq!(
            (group.focus(), group.zoomed()),
            (PaneId(1), Some(PaneId(1)))
        );
        assert!(!group.set_zoom(PaneId(2), false), "another pane is zoomed");
        assert!(group.set_zoom(PaneId(1), false));
        assert!(!group.set_zoom(PaneId(1), false));
    }

    #[test]
    fn focusing_another_pane_ends_the_zoom() {
        let mut group = pair();
        group.set_zoom(PaneId(1), true);
        assert!(group.set_focus(PaneId(2)));
        assert_eq!(group.zoomed(), None);
        assert!(!group.set_focus(PaneId(2)));
        assert!(!group.set_focus(PaneId(7)), "a stranger");
    }

    #[test]
    fn the_last_pane_stays() {
        let mut group = pair();
        assert_eq!(group.remove(PaneId(2)), Removal::Removed);
        assert_eq!(group.focus(), PaneId(1));
        assert_eq!(group.remove(PaneId(2)), Removal::Absent);
        assert_eq!(group.remove(PaneId(1)), Removal::Last);
    }

    #[test]
    fn a_replacement_takes_over_focus_and_zoom() {
        let mut group = pair();
        group.set_zoom(PaneId(2), true);
        assert!(group.replace(PaneId(2), PaneId(9)));
        assert_eq!(
            (group.focus(), group.zoomed()),
            (PaneId(9), Some(PaneId(9)))
        );
    }

    #[test]
    fn an_empty_name_restores_the_generated_title() {
        let mut tab = Tab::new(TabId(1), TabContent::Settings);
        tab.rename("build");
        assert_eq!(tab.name(), Some("build"));
        tab.rename("");
        assert_eq!(tab.name(), None);
    }
}
