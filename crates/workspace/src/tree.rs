//! The pane tree of a tab: a binary tree whose leaves are panes and whose inner nodes are splits.
//!
//! It promises that every pane is in it once, that a split always has two sides, and that every
//! ratio stays within [`RATIO_MIN`]..=[`RATIO_MAX`]. It knows shares, not sizes: what the shares
//! mean in cells or on the screen is the business of [`crate::geometry`].

use std::mem;

use protocol::SplitDirection;

use crate::ids::{PaneId, SplitId};

/// The smallest share either side of a split can get (control-api.md 2.8).
pub const RATIO_MIN: f64 = 0.05;
/// The largest share either side of a split can get (control-api.md 2.8).
pub const RATIO_MAX: f64 = 0.95;
/// The share a new split gives to each side (control-api.md 9.5).
pub const RATIO_NEW: f64 = 0.5;

/// A pane, or an area shared between two trees.
#[derive(Debug, Clone, PartialEq)]
pub enum PaneTree {
    /// One pane fills the area.
    Leaf(PaneId),
    /// The area is divided.
    Split(Box<Split>),
}

/// A divided area.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Names this divider as long as both of its sides exist.
    pub id: SplitId,
    /// Side by side, or stacked.
    pub direction: SplitDirection,
    /// The share of `first`, [`RATIO_MIN`]..=[`RATIO_MAX`].
    pub ratio: f64,
    /// The left or the upper side.
    pub first: PaneTree,
    /// The right or the lower side.
    pub second: PaneTree,
}

/// One of the two sides of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The left or the upper one.
    First,
    /// The right or the lower one.
    Second,
}

/// Where and how a pane is put beside another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement {
    pub(crate) target: PaneId,
    pub(crate) direction: SplitDirection,
    pub(crate) side: Side,
}

impl PaneTree {
    /// The panes in reading order: left before right, upper before lower.
    pub fn panes(&self) -> Vec<PaneId> {
        let mut panes = Vec::new();
        self.visit(&mut |pane| panes.push(pane));
        panes
    }

    /// Calls `each` for every pane in reading order.
    pub fn visit(&self, each: &mut impl FnMut(PaneId)) {
        match self {
            Self::Leaf(pane) => each(*pane),
            Self::Split(split) => {
                split.first.visit(each);
                split.second.visit(each);
            }
        }
    }

    /// Whether the pane is a leaf of this tree.
    pub fn contains(&self, pane: PaneId) -> bool {
        match self {
            Self::Leaf(leaf) => *leaf == pane,
            Self::Split(split) => split.first.contains(pane) || split.second.contains(pane),
        }
    }

    /// The split that has this pane as a direct side, and which side. `None` for a pane that fills
    /// the whole tree, and for a stranger.
    pub fn parent_of(&self, pane: PaneId) -> Option<(&Split, Side)> {
        let Self::Split(split) = self else {
            return None;
        };
        if split.first.is(pane) {
            Some((split, Side::First))
        } else if split.second.is(pane) {
            Some((split, Side::Second))
        } else {
            split
                .first
                .parent_of(pane)
                .or_else(|| split.second.parent_of(pane))
        }
    }

    /// Divides the area of `placement.target` and gives one half to `pane`. False when the target
    /// is not in this tree.
    pub(crate) fn insert(&mut self, pane: PaneId, placement: Placement, id: SplitId) -> bool {
        match self {
            Self::Leaf(leaf) if *leaf == placement.target => {
                let (old, new) = (Self::Leaf(*leaf), Self::Leaf(pane));
                let (first, second) = match placement.side {
                    Side::First => (new, old),
                    Side::Second => (old, new),
                };
                let direction = placement.direction;
                *self = Self::Split(Box::new(Split {
                    id,
                    direction,
                    ratio: RATIO_NEW,
                    first,
                    second,
                }));
                true
            }
            Self::Leaf(_) => false,
            Self::Split(split) => {
                split.first.insert(pane, placement, id) || split.second.insert(pane, placement, id)
            }
        }
    }

    /// Takes a pane out and gives its area to its sibling. Returns the pane of the sibling that
    /// was nearest to it, which is the natural heir of the focus. `None` when the pane is the
    /// whole tree or is not in it; the tree is then unchanged.
    pub(crate) fn remove(&mut self, pane: PaneId) -> Option<PaneId> {
        let Self::Split(split) = self else {
            return None;
        };
        let (sibling, heir) = if split.first.is(pane) {
            let sibling = mem::replace(&mut split.second, Self::Leaf(pane));
            let heir = sibling.edge_pane(Side::First);
            (sibling, heir)
        } else if split.second.is(pane) {
            let sibling = mem::replace(&mut split.first, Self::Leaf(pane));
            let heir = sibling.edge_pane(Side::Second);
            (sibling, heir)
        } else {
            return split
                .first
                .remove(pane)
                .or_else(|| split.second.remove(pane));
        };
        *self = sibling;
        Some(heir)
    }

    /// Puts `new` where `old` is. False when `old` is not in this tree.
    pub(crate) fn replace(&mut self, old: PaneId, new: PaneId) -> bool {
        match self {
            Self::Leaf(leaf) if *leaf == old => {
                *leaf = new;
                true
            }
            Self::Leaf(_) => false,
            Self::Split(split) => split.first.replace(old, new) || split.second.replace(old, new),
        }
    }

    /// Sets the share of the first side of a split, held to the allowed range. `None` when there
    /// is no such split, else whether anything changed.
    pub(crate) fn set_ratio(&mut self, id: SplitId, ratio: f64) -> Option<bool> {
        let Self::Split(split) = self else {
            return None;
        };
        if split.id == id {
            return Some(split.assign(ratio));
        }
        split
            .first
            .set_ratio(id, ratio)
            .or_else(|| split.second.set_ratio(id, ratio))
    }

    /// Sets the share of a pane in its direct parent split (`pane.resize`). `None` when the pane
    /// has no parent.
    pub(crate) fn set_share(&mut self, pane: PaneId, share: f64) -> Option<bool> {
        let (split, side) = self.parent_of(pane)?;
        let id = split.id;
        let ratio = match side {
            Side::First => share,
            Side::Second => 1.0 - share,
        };
        self.set_ratio(id, ratio)
    }

    fn is(&self, pane: PaneId) -> bool {
        matches!(self, Self::Leaf(leaf) if *leaf == pane)
    }

    fn edge_pane(&self, side: Side) -> PaneId {
        match self {
            Self::Leaf(pane) => *pane,
            Self::Split(split) => match side {
                Side::First => split.first.edge_pane(side),
                Side::Second => split.second.edge_pane(side),
            },
        }
    }
}

impl Split {
    fn assign(&mut self, ratio: f64) -> bool {
        // A ratio that is not a number would spread through every size below this split.
        let ratio = if ratio.is_finite() { ratio } else { RATIO_NEW };
        let ratio = ratio.clamp(RATIO_MIN, RATIO_MAX);
        let changed = (self.ratio - ratio).abs() > f64::EPSILON;
        if changed {
            self.ratio = ratio;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(target: u64, direction: SplitDirection, side: Side) -> Placement {
        Placement {
            target: PaneId(target),
            direction,
            side,
        }
    }

    /// 1 | (2 / 3)
    fn three() -> PaneTree {
        let mut tree = PaneTree::Leaf(PaneId(1));
        let right = beside(1, SplitDirection::LeftRight, Side::Second);
        assert!(tree.insert(PaneId(2), right, SplitId(1)));
        let below = beside(2, SplitDirection::TopBottom, Side::Second);
        assert!(tree.insert(PaneId(3), below, SplitId(2)));
        tree
    }

    #[test]
    fn panes_come_in_reading_order() {
        assert_eq!(three().panes(), [PaneId(1), PaneId(2), PaneId(3)]);
    }

    #[test]
    fn the_sibling_inherits_the_area_and_its_nearest_pane_the_focus() {
        let mut tree = three();
        assert_eq!(tree.remove(PaneId(1)), Some(PaneId(2)));
        assert_eq!(tree.panes(), [PaneId(2), PaneId(3)]);
        let mut tree = three();
        assert_eq!(tree.remove(PaneId(3)), Some(PaneId(2)));
        assert_eq!(tree.panes(), [PaneId(1), PaneId(2)]);
    }

    #[test]
    fn the_last_pane_and_strangers_are_not_removed() {
        let mut tree = PaneTree::Leaf(PaneId(1));
        assert_eq!(tree.remove(PaneId(1)), None);
        assert_eq!(three().remove(PaneId(9)), None);
    }

    #[test]
    fn a_share_is_that_of_the_pane_and_not_of_the_first_side() {
        let mut tree = three();
        assert_eq!(tree.set_share(PaneId(3), 0.3), Some(true));
        assert_eq!(tree.set_share(PaneId(3), 0.3), Some(false));
        let (split, side) = tree.parent_of(PaneId(3)).expect("a parent");
        assert_eq!(side, Side::Second);
        assert!((split.ratio - 0.7).abs() < 1e-9);
        assert_eq!(PaneTree::Leaf(PaneId(1)).set_share(PaneId(1), 0.3), None);
    }

    #[test]
    fn ratios_are_held_to_the_range() {
        let mut tree = three();
        for wild in [f64::NAN, f64::INFINITY, -3.0, 0.0, 7.0] {
            assert!(tree.set_ratio(SplitId(1), wild).is_some());
            let (split, _) = tree.parent_of(PaneId(1)).expect("a parent");
            assert!(
                (RATIO_MIN..=RATIO_MAX).contains(&split.ratio),
                "{wild} gave {}",
                split.ratio
            );
        }
        assert_eq!(tree.set_ratio(SplitId(99), 0.5), None);
    }
}
