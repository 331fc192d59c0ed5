//! What the shares of a pane tree mean as areas: who lies left of whom, and how many cells a pane
//! gets out of a window.
//!
//! Areas are computed in the unit square, so the answer to "which pane is to the right" does not
//! depend on the size of a window or on whether there is one at all.

use protocol::SplitDirection;

use crate::ids::{PaneId, SplitId};
use crate::tree::PaneTree;

/// Two edges closer than this are the same edge; shares are products of at most a few dozen
/// ratios, whose rounding stays far below it.
const SAME_EDGE: f64 = 1e-6;

/// Fewest columns a pane keeps when it is split. Below it a prompt cannot be read.
pub const PANE_COLUMNS_MIN: u16 = 4;
/// Fewest lines a pane keeps when it is split.
pub const PANE_LINES_MIN: u16 = 2;

/// An area in the unit square: x and y grow to the right and downward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Left edge, 0..=1.
    pub x: f64,
    /// Upper edge, 0..=1.
    pub y: f64,
    /// Width, 0..=1.
    pub width: f64,
    /// Height, 0..=1.
    pub height: f64,
}

/// The whole area of a tab.
pub const UNIT: Area = Area {
    x: 0.0,
    y: 0.0,
    width: 1.0,
    height: 1.0,
};

/// Where to look for a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Towards smaller x.
    Left,
    /// Towards larger x.
    Right,
    /// Towards smaller y.
    Up,
    /// Towards larger y.
    Down,
}

/// The line between the two sides of a split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Divider {
    /// The split it belongs to; pass it to `Workspace::resize_split`.
    pub split: SplitId,
    /// `LeftRight`: a vertical line that moves sideways. `TopBottom`: a horizontal one.
    pub direction: SplitDirection,
    /// The area that is divided.
    pub area: Area,
    /// The share of the first side.
    pub ratio: f64,
}

/// Columns and lines of a pane, both at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cells {
    /// Width in cells.
    pub columns: u16,
    /// Height in cells.
    pub lines: u16,
}

impl Cells {
    /// Whether a pane of this size can hold two panes, divided in this direction.
    pub fn can_split(self, direction: SplitDirection) -> bool {
        match direction {
            SplitDirection::LeftRight => self.columns >= 2 * PANE_COLUMNS_MIN,
            SplitDirection::TopBottom => self.lines >= 2 * PANE_LINES_MIN,
        }
    }

    /// Divides this size: the two parts add up to it, except that no part is below one cell.
    pub fn divide(self, direction: SplitDirection, ratio: f64) -> (Cells, Cells) {
        match direction {
            SplitDirection::LeftRight => {
                let (first, second) = share(self.columns, ratio);
                (
                    Cells {
                        columns: first,
                        ..self
                    },
                    Cells {
                        columns: second,
                        ..self
                    },
                )
            }
            SplitDirection::TopBottom => {
                let (first, second) = share(self.lines, ratio);
                (
                    Cells {
                        lines: first,
                        ..self
                    },
                    Cells {
                        lines: second,
                        ..self
                    },
                )
            }
        }
    }
}

fn share(total: u16, ratio: f64) -> (u16, u16) {
    let total = total.max(1);
    let last = total.saturating_sub(1).max(1);
    // The product lies within 0..=u16::MAX, because the ratio lies within 0..=1.
    let first = (f64::from(total) * ratio)
        .round()
        .clamp(1.0, f64::from(last)) as u16;
    (first, total.saturating_sub(first).max(1))
}

/// The area of every pane, in reading order.
pub fn areas(tree: &PaneTree) -> Vec<(PaneId, Area)> {
    let mut found = Vec::new();
    walk(tree, UNIT, &mut |node, area| {
        if let PaneTree::Leaf(pane) = node {
            found.push((*pane, area));
        }
    });
    found
}

/// Every divider of the tree, outer ones first.
pub fn dividers(tree: &PaneTree) -> Vec<Divider> {
    let mut found = Vec::new();
    walk(tree, UNIT, &mut |node, area| {
        if let PaneTree::Split(split) = node {
            let (split, direction, ratio) = (split.id, split.direction, split.ratio);
            found.push(Divider {
                split,
                direction,
                area,
                ratio,
            });
        }
    });
    found
}

/// The size of every pane when the tree fills `total`.
pub fn cells(tree: &PaneTree, total: Cells) -> Vec<(PaneId, Cells)> {
    fn divide(tree: &PaneTree, size: Cells, found: &mut Vec<(PaneId, Cells)>) {
        match tree {
            PaneTree::Leaf(pane) => found.push((*pane, size)),
            PaneTree::Split(split) => {
                let (first, second) = size.divide(split.direction, split.ratio);
                divide(&split.first, first, found);
                divide(&split.second, second, found);
            }
        }
    }
    let mut found = Vec::new();
    divide(tree, total, &mut found);
    found
}

/// The pane that shares the longest piece of the edge of `from` in this direction; of equally
/// long ones the first in reading order. `None` at the rim of the window.
pub fn neighbour(tree: &PaneTree, from: PaneId, direction: Direction) -> Option<PaneId> {
    let areas = areas(tree);
    let (_, origin) = areas.iter().find(|(pane, _)| *pane == from)?;
    let mut best: Option<(PaneId, f64)> = None;
    for (pane, area) in areas.iter().filter(|(pane, _)| *pane != from) {
        let Some(contact) = origin.contact(area, direction) else {
            continue;
        };
        if best.is_none_or(|(_, longest)| contact > longest + SAME_EDGE) {
            best = Some((*pane, contact));
        }
    }
    best.map(|(pane, _)| pane)
}

impl Area {
    /// How much of this area's edge towards `direction` touches `other`.
    fn contact(&self, other: &Area, direction: Direction) -> Option<f64> {
        let (edge, facing) = match direction {
            Direction::Left => (self.x, other.x + other.width),
            Direction::Right => (self.x + self.width, other.x),
            Direction::Up => (self.y, other.y + other.height),
            Direction::Down => (self.y + self.height, other.y),
        };
        if (edge - facing).abs() > SAME_EDGE {
            return None;
        }
        let overlap = match direction {
            Direction::Left | Direction::Right => {
                overlap(self.y, self.height, other.y, other.height)
            }
            Direction::Up | Direction::Down => overlap(self.x, self.width, other.x, other.width),
        };
        (overlap > SAME_EDGE).then_some(overlap)
    }
}

fn overlap(a: f64, a_length: f64, b: f64, b_length: f64) -> f64 {
    (a + a_length).min(b + b_length) - a.max(b)
}

fn walk(tree: &PaneTree, area: Area, each: &mut impl FnMut(&PaneTree, Area)) {
    each(tree, area);
    let PaneTree::Split(split) = tree else { return };
    let (first, second) = match split.direction {
        SplitDirection::LeftRight => {
            let width = area.width * split.ratio;
            (
                Area { width, ..area },
                Area {
                    x: area.x + width,
                    width: area.width - width,
                    ..area
                },
            )
        }
        SplitDirection::TopBottom => {
            let height = area.height * split.ratio;
            (
                Area { height, ..area },
                Area {
                    y: area.y + height,
                    height: area.height - height,
                    ..area
                },
            )
        }
    };
    walk(&split.first, first, each);
    walk(&split.second, second, each);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Placement, Side};

    fn insert(tree: &mut PaneTree, pane: u64, target: u64, direction: SplitDirection, split: u64) {
        let placement = Placement {
            target: PaneId(target),
            direction,
            side: Side::Second,
        };
        assert!(tree.insert(PaneId(pane), placement, SplitId(split)));
    }

    /// Pane 1 on the left; on the right 2 above 3.
    fn three() -> PaneTree {
        let mut tree = PaneTree::Leaf(PaneId(1));
        insert(&mut tree, 2, 1, SplitDirection::LeftRight, 1);
        insert(&mut tree, 3, 2, SplitDirection::TopBottom, 2);
        tree
    }

    #[test]
    fn neighbours_are_found_by_their_edges() {
        let mut tree = three();
        tree.set_ratio(SplitId(2), 0.3);
        let next = |from, direction| neighbour(&tree, PaneId(from), direction);
        assert_eq!(
            next(1, Direction::Right),
            Some(PaneId(3)),
            "3 shares the longer piece"
        );
        assert_eq!(next(2, Direction::Down), Some(PaneId(3)));
        assert_eq!(next(3, Direction::Up), Some(PaneId(2)));
        assert_eq!(next(2, Direction::Left), Some(PaneId(1)));
        assert_eq!(next(3, Direction::Left), Some(PaneId(1)));
        assert_eq!(next(1, Direction::Left), None);
        assert_eq!(next(9, Direction::Left), None);
    }

    #[test]
    fn of_equal_neighbours_the_first_is_taken() {
        assert_eq!(
            neighbour(&three(), PaneId(1), Direction::Right),
            Some(PaneId(2))
        );
    }

    #[test]
    fn cells_add_up_to_the_window() {
        let sizes = cells(
            &three(),
            Cells {
                columns: 121,
                lines: 41,
            },
        );
        let of = |pane| {
            sizes
                .iter()
                .find(|(id, _)| *id == PaneId(pane))
                .map(|(_, size)| *size)
        };
        let (left, upper, lower) = (of(1).unwrap(), of(2).unwrap(), of(3).unwrap());
        assert_eq!(left.columns + upper.columns, 121);
        assert_eq!(upper.lines + lower.lines, 41);
        assert_eq!((left.lines, lower.columns), (41, upper.columns));
    }

    #[test]
    fn no_pane_falls_below_one_cell() {
        for (_, size) in cells(
            &three(),
            Cells {
                columns: 1,
                lines: 1,
            },
        ) {
            assert_eq!(
                size,
                Cells {
                    columns: 1,
                    lines: 1
                }
            );
        }
    }

    #[test]
    fn a_small_pane_cannot_hold_two() {
        let size = Cells {
            columns: 8,
            lines: 3,
        };
        assert!(size.can_split(SplitDirection::LeftRight));
        assert!(!size.can_split(SplitDirection::TopBottom));
    }

    #[test]
    fn dividers_know_the_area_they_divide() {
        let found = dividers(&three());
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].area, UNIT);
        assert!((found[1].area.x - 0.5).abs() < SAME_EDGE);
    }
}
