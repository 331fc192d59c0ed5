//! The tabs of the window, in order, with one of them in front.
//!
//! It promises that the active index points at a tab whenever there is one, and that a pane is in
//! at most one tab.

use crate::ids::{PaneId, SplitId, TabId};
use crate::tab::{PaneGroup, Removal, Tab, TabContent};
use crate::tree::Placement;

/// An ordered list of tabs with an active one.
#[derive(Debug, Default)]
pub(crate) struct Tabs {
    tabs: Vec<Tab>,
    active: usize,
}

impl Tabs {
    pub(crate) fn as_slice(&self) -> &[Tab] {
        &self.tabs
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tabs.is_empty()
    }

    /// 0 while there is no tab.
    pub(crate) fn active_index(&self) -> usize {
        self.active
    }

    pub(crate) fn active(&self) -> Option<&Tab> {
        self.tabs.get(self.active)
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Tab> {
        self.tabs.get(index)
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Tab> {
        self.tabs.get_mut(index)
    }

    pub(crate) fn index_of(&self, id: TabId) -> Option<usize> {
        self.tabs.iter().position(|tab| tab.id() == id)
    }

    pub(crate) fn index_of_pane(&self, pane: PaneId) -> Option<usize> {
        self.tabs.iter().position(|tab| tab.contains(pane))
    }

    pub(crate) fn group_of_mut(&mut self, pane: PaneId) -> Option<&mut PaneGroup> {
        self.tabs
            .iter_mut()
            .find(|tab| tab.contains(pane))
            .and_then(Tab::group_mut)
    }

    /// The pane that gets the keys: the focus of the tab in front.
    pub(crate) fn focused_pane(&self) -> Option<PaneId> {
        self.active().and_then(Tab::group).map(PaneGroup::focus)
    }

    /// Adds a tab at the end and brings it to the front.
    pub(crate) fn push(&mut self, tab: Tab) {
        self.tabs.push(tab);
        self.active = self.tabs.len() - 1;
    }

    /// Brings a tab to the front, which also quiets its bell. Returns whether anything changed.
    pub(crate) fn activate(&mut self, index: usize) -> bool {
        let Some(tab) = self.tabs.get_mut(index) else {
            return false;
        };
        let changed = self.active != index || tab.bell;
        tab.bell = false;
        self.active = index;
        changed
    }

    /// Brings the tab of a pane to the front and focuses the pane there.
    pub(crate) fn focus_pane(&mut self, pane: PaneId) -> bool {
        let Some(index) = self.index_of_pane(pane) else {
            return false;
        };
        let focused = self
            .group_of_mut(pane)
            .is_some_and(|group| group.set_focus(pane));
        self.activate(index) || focused
    }

    /// Takes a tab out. Its right neighbour, else its left one, comes to the front when it was
    /// there.
    pub(crate) fn remove(&mut self, index: usize) -> Option<Tab> {
        if index >= self.tabs.len() {
            return None;
        }
        let tab = self.tabs.remove(index);
        if index < self.active {
            self.active -= 1;
        }
        self.active = self.active.min(self.tabs.len().saturating_sub(1));
        if let Some(front) = self.tabs.get_mut(self.active) {
            front.bell = false;
        }
        Some(tab)
    }

    /// Moves a tab to another index; the tab in front stays in front. `None` when either index is
    /// outside the list.
    pub(crate) fn reorder(&mut self, from: usize, to: usize) -> Option<()> {
        let front = self.active().map(Tab::id);
        if from >= self.tabs.len() || to >= self.tabs.len() {
            return None;
        }
        let tab = self.tabs.remove(from);
        self.tabs.insert(to, tab);
        self.active = front.and_then(|id| self.index_of(id)).unwrap_or(0);
        Some(())
    }

    /// Takes a pane out of its tab, and the tab with it when it was the last one. `None` when no
    /// tab has it.
    pub(crate) fn remove_pane(&mut self, pane: PaneId) -> Option<()> {
        let index = self.index_of_pane(pane)?;
        match self.group_of_mut(pane)?.remove(pane) {
            Removal::Removed => {}
            Removal::Last => drop(self.remove(index)),
            Removal::Absent => return None,
        }
        Some(())
    }

    /// Moves a pane beside another one, in the same tab or in another. Nothing happens and false
    /// is returned when the two are one pane or either is unknown.
    pub(crate) fn move_beside(&mut self, pane: PaneId, placement: Placement, id: SplitId) -> bool {
        if pane == placement.target
            || self.index_of_pane(pane).is_none()
            || self.index_of_pane(placement.target).is_none()
        {
            return false;
        }
        self.remove_pane(pane);
        let inserted = self
            .group_of_mut(placement.target)
            .is_some_and(|g| g.insert(pane, placement, id));
        self.focus_pane(pane);
        inserted
    }

    /// Moves a pane into a tab of its own at the end. False when it is unknown or alone already.
    pub(crate) fn move_to_new_tab(&mut self, pane: PaneId, id: TabId) -> bool {
        let Some(group) = self.group_of_mut(pane) else {
            return false;
        };
        if group.remove(pane) != Removal::Removed {
            return false;
        }
        self.push(Tab::new(id, TabContent::Panes(PaneGroup::new(pane))));
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use protocol::SplitDirection;

    use super::*;
    use crate::ids::IdSource;
    use crate::tree::{PaneTree, RATIO_MAX, RATIO_MIN, Side};

    fn tab(id: u64, pane: u64) -> Tab {
        Tab::new(TabId(id), TabContent::Panes(PaneGroup::new(PaneId(pane))))
    }

    fn three() -> Tabs {
        let mut tabs = Tabs::default();
        for number in 1..=3 {
            tabs.push(tab(number, number));
        }
        tabs
    }

    #[test]
    fn the_right_neighbour_follows_a_closed_tab() {
        let mut tabs = three();
        tabs.activate(1);
        tabs.remove(1);
        assert_eq!(tabs.active().map(Tab::id), Some(TabId(3)));
        tabs.remove(1);
        assert_eq!(tabs.active().map(Tab::id), Some(TabId(1)));
    }

    #[test]
    fn closing_another_tab_keeps_the_one_in_front() {
        let mut tabs = three();
        tabs.remove(0);
        assert_eq!(tabs.active().map(Tab::id), Some(TabId(3)));
    }

    #[test]
    fn reordering_keeps_the_front() {
        let mut tabs = three();
        tabs.activate(0);
        assert_eq!(tabs.reorder(0, 2), Some(()));
        assert_eq!(tabs.active_index(), 2);
        assert_eq!(tabs.reorder(0, 3), None);
        assert_eq!(tabs.reorder(3, 0), None);
    }

    #[test]
    fn a_pane_moves_between_tabs_and_an_emptied_tab_goes() {
        let mut tabs = three();
        let placement = Placement {
            target: PaneId(3),
            direction: SplitDirection::LeftRight,
            side: Side::First,
        };
        assert!(tabs.move_beside(PaneId(1), placement, SplitId(1)));
        assert_eq!(tabs.as_slice().len(), 2);
        assert_eq!(tabs.focused_pane(), Some(PaneId(1)));
        assert!(tabs.move_to_new_tab(PaneId(1), TabId(9)));
        assert!(!tabs.move_to_new_tab(PaneId(1), TabId(10)), "alone already");
        assert_eq!(tabs.as_slice().len(), 3);
    }

    #[derive(Debug, Clone)]
    enum Step {
        Open,
        OpenPage,
        Split(usize, bool, bool),
        Remove(usize),
        Beside(usize, usize, bool),
        Apart(usize),
        Focus(usize),
        Zoom(usize, bool),
        Share(usize, f64),
        Reorder(usize, usize),
        Activate(usize),
        CloseTab(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let n = 0..12_usize;
        let step = prop_oneof![
            Just(Step::Open),
            Just(Step::OpenPage),
            (n.clone(), any::<bool>(), any::<bool>()).prop_map(|(p, d, s)| Step::Split(p, d, s)),
            (n.clone(), any::<bool>(), any::<bool>()).prop_map(|(p, d, s)| Step::Split(p, d, s)),
            n.clone().prop_map(Step::Remove),
            (n.clone(), n.clone(), any::<bool>()).prop_map(|(a, b, s)| Step::Beside(a, b, s)),
            n.clone().prop_map(Step::Apart),
            n.clone().prop_map(Step::Focus),
            (n.clone(), any::<bool>()).prop_map(|(p, z)| Step::Zoom(p, z)),
            (n.clone(), -1.0..2.0).prop_map(|(p, r)| Step::Share(p, r)),
            (n.clone(), n.clone()).prop_map(|(a, b)| Step::Reorder(a, b)),
            n.clone().prop_map(Step::Activate),
            n.prop_map(Step::CloseTab),
        ];
        prop::collection::vec(step, 0..60)
    }

    fn ratios_hold(tree: &PaneTree) -> bool {
        match tree {
            PaneTree::Leaf(_) => true,
            PaneTree::Split(split) => {
                (RATIO_MIN..=RATIO_MAX).contains(&split.ratio)
                    && ratios_hold(&split.first)
                    && ratios_hold(&split.second)
            }
        }
    }

    proptest! {
        /// Whatever is done to them: every live pane is in exactly one tab, focus and zoom name
        /// panes of their tab, ratios are in range, and the active index names a tab.
        #[test]
        fn random_operations_keep_the_invariants(steps in steps()) {
            let mut ids = IdSource::default();
            let mut tabs = Tabs::default();
            let mut live: Vec<PaneId> = Vec::new();
            let way = |down: bool| {
                if down { SplitDirection::TopBottom } else { SplitDirection::LeftRight }
            };
            let side = |first: bool| if first { Side::First } else { Side::Second };
            for step in steps {
                match step {
                    Step::Open => {
                        let pane = ids.pane();
                        live.push(pane);
                        let content = TabContent::Panes(PaneGroup::new(pane));
                        tabs.push(Tab::new(ids.tab(), content));
                    }
                    Step::OpenPage => tabs.push(Tab::new(ids.tab(), TabContent::Settings)),
                    Step::Split(at, down, first) => {
                        let Some(&target) = live.get(at) else { continue };
                        let placement =
                            Placement { target, direction: way(down), side: side(first) };
                        let (pane, split) = (ids.pane(), ids.split());
                        let group = tabs.group_of_mut(target).expect("a live pane has a group");
                        prop_assert!(group.insert(pane, placement, split));
                        live.push(pane);
                    }
                    Step::Remove(at) => {
                        if at < live.len() {
                            let pane = live.remove(at);
                            prop_assert!(tabs.remove_pane(pane).is_some());
                        }
                    }
                    Step::Beside(a, b, down) => {
                        let (Some(&pane), Some(&target)) = (live.get(a), live.get(b)) else {
                            continue;
                        };
                        let placement =
                            Placement { target, direction: way(down), side: side(down) };
                        prop_assert_eq!(tabs.move_beside(pane, placement, ids.split()), a != b);
                    }
                    Step::Apart(at) => {
                        if let Some(&pane) = live.get(at) {
                            tabs.move_to_new_tab(pane, ids.tab());
                        }
                    }
                    Step::Focus(at) => {
                        if let Some(&pane) = live.get(at) {
                            tabs.focus_pane(pane);
                            prop_assert_eq!(tabs.focused_pane(), Some(pane));
                        }
                    }
                    Step::Zoom(at, zoomed) => {
                        let Some(&pane) = live.get(at) else { continue };
                        let group = tabs.group_of_mut(pane).expect("a live pane has a group");
                        group.set_zoom(pane, zoomed);
                        prop_assert!(!group.set_zoom(pane, zoomed), "setting twice is no change");
                    }
                    Step::Share(at, ratio) => {
                        let Some(&pane) = live.get(at) else { continue };
                        let group = tabs.group_of_mut(pane).expect("a live pane has a group");
                        group.set_share(pane, ratio);
                    }
                    Step::Reorder(from, to) => {
                        tabs.reorder(from, to);
                    }
                    Step::Activate(index) => {
                        tabs.activate(index);
                    }
                    Step::CloseTab(index) => {
                        if let Some(tab) = tabs.remove(index) {
                            let gone = tab.panes();
                            live.retain(|pane| !gone.contains(pane));
                        }
                    }
                }
                let mut held: Vec<PaneId> =
                    tabs.as_slice().iter().flat_map(Tab::panes).collect();
                held.sort_unstable();
                let mut expected = live.clone();
                expected.sort_unstable();
                prop_assert_eq!(held, expected);
                prop_assert!(tabs.is_empty() || tabs.active().is_some());
                for group in tabs.as_slice().iter().filter_map(Tab::group) {
                    prop_assert!(group.tree().contains(group.focus()));
                    prop_assert!(group.zoomed().is_none_or(|pane| group.tree().contains(pane)));
                    prop_assert!(ratios_hold(group.tree()));
                }
            }
        }
    }
}
