//! Scrolling with the mouse: the wheel, and the scrollbar.

use gpui::{Context, Pixels, Point, ScrollDelta, ScrollEvent};
use terminal::Scroll;
use terminal::input::{self, MouseAction};

use super::Drag;
use crate::views::pane_view::{PaneEvent, PaneView};

/// Lines that one notch of a wheel arrives as: GPUI has them multiplied already, except on macOS, where the system does
/// as it sees fit.
const NOTCH: f32 = if cfg!(target_os = "macos") { 1.0 } else { 3.0 };

/// Most reports of one event, so that a wild wheel does not fill the queue of the program.
const MOST_REPORTS: i32 = 16;

/// How far a wheel was turned: lines up, and cells to the left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Turn {
    up: f32,
    left: f32,
    /// How much of it a program is told as one step.
    step: f32,
}

impl Turn {
    /// `cell` is width and height of a cell, for a touchpad that counts in pixels.
    fn new(delta: ScrollDelta, shift: bool, cell: (f32, f32)) -> Self {
        let (left, up, step) = match delta {
            ScrollDelta::Lines(lines) => (lines.x, lines.y, NOTCH),
            ScrollDelta::Pixels(pixels) => (
                f32::from(pixels.x) / cell.0.max(1.0),
                f32::from(pixels.y) / cell.1.max(1.0),
                1.0,
            ),
        };
        // With Shift the platform turns the wheel sideways. A grid has no width to scroll over, and Shift only keeps
        // the wheel from the program.
        if shift && up == 0.0 {
            Self {
                up: left,
                left: 0.0,
                step,
            }
        } else {
            Self { up, left, step }
        }
    }
}

/// Adds up turns until they make whole steps.
#[derive(Clone, Copy, Debug, Default)]
struct Sum(f32);

impl Sum {
    fn add(&mut self, turned: f32) -> i32 {
        // What was left of the other direction would make the first step of this one late.
        if self.0 * turned < 0.0 {
            self.0 = 0.0;
        }
        self.0 += turned;
        let whole = self.0.trunc();
        self.0 -= whole;
        whole as i32
    }
}

/// Parts of steps the wheel has been turned so far.
#[derive(Default)]
pub struct Wheel {
    lines: Sum,
    up: Sum,
    left: Sum,
}

impl Wheel {
    /// Whole lines to scroll up.
    fn lines(&mut self, turn: Turn) -> i32 {
        self.lines.add(turn.up)
    }

    /// Steps to tell the program, with their buttons.
    fn reports(&mut self, turn: Turn) -> [(input::MouseButton, i32); 2] {
        let up = self.up.add(turn.up / turn.step);
        let left = self.left.add(turn.left / turn.step);
        let button = |steps: i32, forth, back| {
            let button = if steps > 0 { forth } else { back };
            (button, steps.abs().min(MOST_REPORTS))
        };
        [
            button(
                up,
                input::MouseButton::WheelUp,
                input::MouseButton::WheelDown,
            ),
            button(
                left,
                input::MouseButton::WheelLeft,
                input::MouseButton::WheelRight,
            ),
        ]
    }
}

impl PaneView {
    pub(super) fn wheel(&mut self, event: &ScrollEvent, cx: &mut Context<Self>) {
        let Some(layout) = self.layout else {
            return;
        };
        let metrics = layout.grid.metrics;
        let logical = |value| f32::from(metrics.logical(value));
        let cell = (logical(metrics.width), logical(metrics.height));
        let turn = Turn::new(event.delta, event.modifiers.shift, cell);
        if self.reports(event.modifiers) {
            let Some((point, _)) = self.cell_at(event.position) else {
                return;
            };
            for (button, steps) in self.mouse.wheel.reports(turn) {
                for _ in 0..steps {
                    self.report(MouseAction::Press(button), point, event.modifiers, cx);
                }
            }
            return;
        }
        let lines = self.mouse.wheel.lines(turn);
        if lines == 0 {
            return;
        }
        if let Some(bytes) = input::encode_alternate_scroll(lines, &self.terminal.modes()) {
            cx.emit(PaneEvent::Type(bytes));
        } else {
            self.terminal.scroll(Scroll::Delta(lines));
            cx.notify();
        }
    }

    /// Takes hold of the scrollbar when the position is on it.
    pub(super) fn grab_scrollbar(
        &mut self,
        position: Point<Pixels>,
        cx: &mut Context<Self>,
    ) -> bool {
        let extent = self.extent();
        let track = self.layout.and_then(|layout| extent.track(layout.bounds));
        let Some(track) = track.filter(|track| track.contains(&position)) else {
            return false;
        };
        let grab = extent.grab(track, position.y);
        self.mouse.drag = Some(Drag::Scrollbar(grab));
        self.drag_scrollbar(position, grab, cx);
        true
    }

    pub(super) fn drag_scrollbar(
        &mut self,
        position: Point<Pixels>,
        grab: Pixels,
        cx: &mut Context<Self>,
    ) {
        let extent = self.extent();
        let Some(track) = self.layout.and_then(|layout| extent.track(layout.bounds)) else {
            return;
        };
        let signed = |value: usize| i32::try_from(value).unwrap_or(i32::MAX);
        let by = signed(extent.offset_at(track, position.y - grab)) - signed(extent.offset);
        if by != 0 {
            self.terminal.scroll(Scroll::Delta(by));
            cx.notify();
        }
    }
}

#[cfg(test)]
mod tests {
    use gpui::{point, px};

    use super::*;

    const CELL: (f32, f32) = (8.0, 18.0);

    fn notches(x: f32, y: f32) -> Turn {
        let lines = ScrollDelta::Lines(point(x * NOTCH, y * NOTCH));
        Turn::new(lines, false, CELL)
    }

    #[test]
    fn a_notch_is_a_few_lines_here_and_one_step_for_a_program() {
        let mut wheel = Wheel::default();
        assert_eq!(wheel.lines(notches(0.0, 1.0)), NOTCH as i32);
        assert_eq!(wheel.lines(notches(0.0, -2.0)), -2 * NOTCH as i32);
        let [vertical, sideways] = wheel.reports(notches(0.0, 1.0));
        assert_eq!(vertical, (input::MouseButton::WheelUp, 1));
        assert_eq!(sideways.1, 0);
        let [vertical, sideways] = wheel.reports(notches(-1.0, 0.0));
        assert_eq!(vertical.1, 0);
        assert_eq!(sideways, (input::MouseButton::WheelRight, 1));
    }

    #[test]
    fn a_touchpad_counts_by_cells() {
        let mut wheel = Wheel::default();
        let pixels = |y| Turn::new(ScrollDelta::Pixels(point(px(0.0), px(y))), false, CELL);
        assert_eq!(wheel.lines(pixels(9.0)), 0);
        assert_eq!(wheel.lines(pixels(9.0)), 1);
        assert_eq!(wheel.reports(pixels(-36.0))[0].1, 2);
    }

    #[test]
    fn parts_of_steps_add_up_until_the_direction_changes() {
        let mut sum = Sum::default();
        assert_eq!([sum.add(0.5), sum.add(0.25), sum.add(0.5)], [0, 0, 1]);
        assert_eq!([sum.add(-0.75), sum.add(-0.25)], [0, -1]);
    }

    #[test]
    fn shift_does_not_turn_the_wheel_sideways() {
        let turned = Turn::new(ScrollDelta::Lines(point(3.0, 0.0)), true, CELL);
        assert_eq!((turned.up, turned.left), (3.0, 0.0));
    }

    #[test]
    fn a_wild_wheel_is_held_back() {
        let [vertical, _] = Wheel::default().reports(notches(0.0, -1000.0));
        assert_eq!(vertical, (input::MouseButton::WheelDown, MOST_REPORTS));
    }
}
