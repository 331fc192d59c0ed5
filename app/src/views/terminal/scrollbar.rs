//! The scrollbar of a pane: where the thumb is, and where dragging it leads.
//!
//! It lies over the right edge of the grid, and exists only while there is history to scroll to.

use gpui::{Bounds, Pixels, point, px, size};

const WIDTH: Pixels = px(8.0);
const SHORTEST: f32 = 24.0;

/// How far a pane is scrolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Lines above the screen.
    pub history: usize,
    /// Lines the view is above the bottom, 0 to `history`.
    pub offset: usize,
    /// Lines of the screen.
    pub lines: usize,
}

impl Extent {
    /// Where the bar can be grabbed; `None` when there is nothing to scroll.
    pub fn track(&self, pane: Bounds<Pixels>) -> Option<Bounds<Pixels>> {
        (self.history > 0 && pane.size.width > WIDTH * 4.0).then(|| {
            Bounds::new(
                point(pane.right() - WIDTH, pane.top()),
                size(WIDTH, pane.size.height),
            )
        })
    }

    /// The thumb within the track.
    pub fn thumb(&self, track: Bounds<Pixels>) -> Bounds<Pixels> {
        let height = f32::from(track.size.height);
        let total = (self.history + self.lines).max(1) as f32;
        let length = (height * self.lines as f32 / total)
            .max(SHORTEST)
            .min(height);
        let above = self.history.saturating_sub(self.offset) as f32;
        let share = if self.history == 0 {
            0.0
        } else {
            above / self.history as f32
        };
        let top = (height - length) * share;
        Bounds::new(
            point(track.left() + px(2.0), track.top() + px(top)),
            size(track.size.width - px(4.0), px(length)),
        )
    }

    /// Where a hold on the bar takes the thumb, measured from the thumb's upper end. Outside the thumb it is its
    /// middle, which then jumps there.
    pub fn grab(&self, track: Bounds<Pixels>, y: Pixels) -> Pixels {
        let thumb = self.thumb(track);
        if (thumb.top()..thumb.bottom()).contains(&y) {
            y - thumb.top()
        } else {
            thumb.size.height / 2.0
        }
    }

    /// The offset that puts the upper end of the thumb at `y`.
    pub fn offset_at(&self, track: Bounds<Pixels>, y: Pixels) -> usize {
        let length = f32::from(self.thumb(track).size.height);
        let room = (f32::from(track.size.height) - length).max(1.0);
        let share = (f32::from(y - track.top()) / room).clamp(0.0, 1.0);
        let above = (share * self.history as f32).round() as usize;
        self.history.saturating_sub(above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane() -> Bounds<Pixels> {
        Bounds::new(point(px(10.0), px(20.0)), size(px(400.0), px(300.0)))
    }

    #[test]
    fn the_thumb_runs_from_top_to_bottom() {
        let extent = |offset| Extent {
            history: 970,
            offset,
            lines: 30,
        };
        let track = extent(0).track(pane()).unwrap();
        assert_eq!(extent(0).thumb(track).bottom(), track.bottom());
        assert_eq!(extent(970).thumb(track).top(), track.top());
        assert!(extent(500).thumb(track).size.height >= px(SHORTEST));
    }

    #[test]
    fn dragging_to_an_end_reaches_it() {
        let extent = Extent {
            history: 970,
            offset: 3,
            lines: 30,
        };
        let track = extent.track(pane()).unwrap();
        assert_eq!(extent.offset_at(track, track.top() - px(50.0)), 970);
        assert_eq!(extent.offset_at(track, track.bottom() + px(50.0)), 0);
    }

    #[test]
    fn taking_hold_of_the_thumb_moves_nothing() {
        for offset in [0, 1, 3, 500, 9_999, 10_000] {
            let extent = Extent {
                history: 10_000,
                offset,
                lines: 30,
            };
            let track = extent.track(pane()).unwrap();
            let thumb = extent.thumb(track);
            for y in [thumb.top(), thumb.top() + px(5.0), thumb.bottom() - px(1.0)] {
                let grab = extent.grab(track, y);
                assert_eq!(extent.offset_at(track, y - grab), offset, "{offset} {y}");
            }
        }
    }

    #[test]
    fn a_click_beside_the_thumb_brings_its_middle_there() {
        let extent = Extent {
            history: 970,
            offset: 0,
            lines: 30,
        };
        let track = extent.track(pane()).unwrap();
        let y = track.top() + px(150.0);
        let offset = extent.offset_at(track, y - extent.grab(track, y));
        assert!((480..=490).contains(&offset), "{offset}");
    }

    #[test]
    fn nothing_to_scroll_is_no_scrollbar() {
        assert!(
            Extent {
                history: 0,
                offset: 0,
                lines: 30
            }
            .track(pane())
            .is_none()
        );
        let tiny = Bounds::new(point(px(0.0), px(0.0)), size(px(1.0), px(1.0)));
        assert!(
            Extent {
                history: 10,
                offset: 0,
                lines: 1
            }
            .track(tiny)
            .is_none()
        );
    }
}
