//! The mouse in a pane, and who gets what it does.
//!
//! The scrollbar comes first. A program that asked for mouse events gets them next; Shift keeps them for selecting.
//! What was begun with a button goes on until that button is released, wherever the pointer is by then.

mod report;
mod scroll;
mod select;

use gpui::{
    Context, CursorStyle, DispatchPhase, Entity, Hitbox, MouseButton, MouseDownEvent,
    MouseMoveEvent, MouseUpEvent, Pixels, Point, ScrollEvent, Task, Window,
};
use terminal::{CellSide, MouseTracking, ViewPoint, input};

use super::{PaneEvent, PaneView};

/// What the left button moves.
#[derive(Clone, Copy, PartialEq)]
enum Drag {
    /// The end of the selection.
    Select,
    /// The thumb of the scrollbar, held this far below its upper end.
    Scrollbar(Pixels),
}

/// What is under way with the mouse.
#[derive(Default)]
pub struct Mouse {
    drag: Option<Drag>,
    /// Buttons whose press the program was told, in that order.
    held: Vec<input::MouseButton>,
    /// The cell last reported, since motion is reported by cells.
    reported: Option<ViewPoint>,
    wheel: scroll::Wheel,
    pointer: Point<Pixels>,
    autoscroll: Option<Task<()>>,
}

impl Mouse {
    /// Whether a button is held that was pressed in this pane.
    fn is_busy(&self) -> bool {
        self.drag.is_some() || !self.held.is_empty()
    }
}

impl PaneView {
    /// Listens until the next frame is drawn.
    pub(in crate::views) fn listen_to_mouse(
        view: &Entity<Self>,
        hitbox: &Hitbox,
        window: &mut Window,
    ) {
        let (target, area) = (view.clone(), hitbox.clone());
        window.on_mouse_event(move |event: &MouseDownEvent, phase, window, cx| {
            if phase == DispatchPhase::Bubble && area.is_hovered(window) {
                target.update(cx, |view, cx| view.mouse_down(event, window, cx));
            }
        });
        let (target, area) = (view.clone(), hitbox.clone());
        window.on_mouse_event(move |event: &MouseMoveEvent, phase, window, cx| {
            let busy = target.read(cx).mouse.is_busy();
            if phase == DispatchPhase::Bubble && (busy || area.is_hovered(window)) {
                target.update(cx, |view, cx| view.mouse_move(event, cx));
            }
        });
        let target = view.clone();
        window.on_mouse_event(move |event: &MouseUpEvent, phase, _, cx| {
            if phase == DispatchPhase::Bubble && target.read(cx).mouse.is_busy() {
                target.update(cx, |view, cx| view.mouse_up(event, cx));
            }
        });
        let (target, area) = (view.clone(), hitbox.clone());
        window.on_mouse_event(move |event: &ScrollEvent, phase, window, cx| {
            if phase == DispatchPhase::Bubble && area.should_handle_scroll(window) {
                target.update(cx, |view, cx| view.wheel(event, cx));
                cx.stop_propagation();
            }
        });
    }

    /// What the pointer looks like over the grid: text to select, or a program that takes clicks.
    pub(in crate::views) fn pointer_style(&self) -> CursorStyle {
        match self.frame.modes.mouse {
            MouseTracking::Off => CursorStyle::IBeam,
            _ => CursorStyle::Arrow,
        }
    }

    fn mouse_down(&mut self, event: &MouseDownEvent, window: &mut Window, cx: &mut Context<Self>) {
        self.focus.focus(window, cx);
        cx.emit(PaneEvent::Focus);
        self.mouse.pointer = event.position;
        // Another button during a drag is a slip, not a second gesture.
        if self.mouse.drag.is_some() {
            return;
        }
        let left = event.button == MouseButton::Left;
        if left && self.mouse.held.is_empty() && self.grab_scrollbar(event.position, cx) {
            return;
        }
        if self.reports(event.modifiers) {
            self.report_press(event, cx);
        } else if left {
            self.begin_selection(event, cx);
        } else if event.button == MouseButton::Middle {
            self.paste_primary(cx);
        }
    }

    fn mouse_move(&mut self, event: &MouseMoveEvent, cx: &mut Context<Self>) {
        self.mouse.pointer = event.position;
        match self.mouse.drag {
            Some(Drag::Scrollbar(grab)) => self.drag_scrollbar(event.position, grab, cx),
            Some(Drag::Select) => self.drag_selection(cx),
            None => self.report_motion(event, cx),
        }
    }

    fn mouse_up(&mut self, event: &MouseUpEvent, cx: &mut Context<Self>) {
        if event.button == MouseButton::Left
            && let Some(drag) = self.mouse.drag.take()
        {
            self.mouse.autoscroll = None;
            if drag == Drag::Select {
                self.offer_selection(cx);
            }
        } else {
            self.report_release(event, cx);
        }
    }

    /// The cell under a position; outside the grid the nearest one.
    fn cell_at(&self, position: Point<Pixels>) -> Option<(ViewPoint, CellSide)> {
        let layout = self.layout?;
        let metrics = layout.grid.metrics;
        let device = |value: Pixels| (f32::from(value) * metrics.scale).round() as i32;
        let x = (device(position.x) - layout.grid.origin.0).max(0);
        let y = (device(position.y) - layout.grid.origin.1).max(0);
        let within = |value: i32, count: usize| {
            usize::try_from(value)
                .unwrap_or(0)
                .min(count.saturating_sub(1))
        };
        let column = within(x / metrics.width, self.frame.columns);
        let line = within(y / metrics.height, self.frame.lines);
        let past_end = x
            >= metrics
                .width
                .saturating_mul(i32::try_from(self.frame.columns).ok()?);
        let right = past_end || x % metrics.width * 2 >= metrics.width;
        let side = if right {
            CellSide::Right
        } else {
            CellSide::Left
        };
        Some((ViewPoint { line, column }, side))
    }
}
