//! The mouse in a pane: selecting, reporting to the program, the wheel, the scrollbar, PRIMARY.
//!
//! A program that asked for mouse events gets them; Shift keeps them for selecting. A selection that is dragged past
//! the edge scrolls on until the button is released.

use std::time::Duration;

use gpui::{
    ClipboardItem, Context, DispatchPhase, Entity, Hitbox, MouseButton, MouseDownEvent,
    MouseMoveEvent, MouseUpEvent, NavigationDirection, Pixels, Point, ScrollDelta, ScrollEvent,
    Task, Window, px,
};
use terminal::input::{self, MouseAction, MouseEvent};
use terminal::{CellSide, MouseTracking, Scroll, SelectionKind, ViewPoint};

use super::{PaneEvent, PaneView};
use crate::views::pane_keys;

/// How often a selection dragged past the edge scrolls.
const AUTOSCROLL: Duration = Duration::from_millis(40);

/// Lines of one notch of a wheel.
const NOTCH: f32 = 3.0;

#[derive(Clone, Copy, PartialEq)]
enum Drag {
    Select,
    Report(input::MouseButton),
    Scrollbar,
}

/// What is under way with the mouse.
#[derive(Default)]
pub struct Mouse {
    drag: Option<Drag>,
    /// The cell last reported, since motion is reported by cells.
    reported: Option<ViewPoint>,
    /// Part of a line the wheel has turned.
    wheel: f32,
    pointer: Point<Pixels>,
    autoscroll: Option<Task<()>>,
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
            let dragging = target.read(cx).mouse.drag.is_some();
            if phase == DispatchPhase::Bubble && (dragging || area.is_hovered(window)) {
                target.update(cx, |view, cx| view.mouse_move(event, cx));
            }
        });
        let target = view.clone();
        window.on_mouse_event(move |event: &MouseUpEvent, phase, _, cx| {
            if phase == DispatchPhase::Bubble && target.read(cx).mouse.drag.is_some() {
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

    fn mouse_down(&mut self, event: &MouseDownEvent, window: &mut Window, cx: &mut Context<Self>) {
        self.focus.focus(window, cx);
        cx.emit(PaneEvent::Focus);
        let Some((point, side)) = self.cell_at(event.position) else {
            return;
        };
        self.mouse.pointer = event.position;
        if event.button == MouseButton::Left && self.on_scrollbar(event.position) {
            self.mouse.drag = Some(Drag::Scrollbar);
            self.drag_scrollbar(event.position, cx);
        } else if self.reports(event.modifiers) {
            if let Some(button) = button(event.button) {
                self.mouse.drag = Some(Drag::Report(button));
                self.report(MouseAction::Press(button), point, event.modifiers, cx);
            }
        } else if event.button == MouseButton::Left {
            self.mouse.drag = Some(Drag::Select);
            let selected = self.terminal.selection_text().is_some();
            if event.modifiers.shift && event.click_count == 1 && selected {
                self.terminal.extend_selection(point, side);
            } else {
                let kind = match event.click_count {
                    2 => SelectionKind::Semantic,
                    3 => SelectionKind::Lines,
                    _ if event.modifiers.alt => SelectionKind::Block,
                    _ => SelectionKind::Simple,
                };
                self.terminal.clear_selection();
                self.terminal.select(kind, point, side);
            }
            cx.notify();
        } else if event.button == MouseButton::Middle {
            self.paste_primary(cx);
        }
    }

    fn mouse_move(&mut self, event: &MouseMoveEvent, cx: &mut Context<Self>) {
        self.mouse.pointer = event.position;
        match self.mouse.drag {
            Some(Drag::Scrollbar) => self.drag_scrollbar(event.position, cx),
            Some(Drag::Select) => {
                self.extend(cx);
                self.watch_edge(cx);
            }
            Some(Drag::Report(button)) => self.report_motion(Some(button), event, cx),
            None => {
                let all = self.frame.modes.mouse == MouseTracking::Motion;
                if all && self.reports(event.modifiers) {
                    self.report_motion(None, event, cx);
                }
            }
        }
    }

    fn mouse_up(&mut self, event: &MouseUpEvent, cx: &mut Context<Self>) {
        let Some(drag) = self.mouse.drag.take() else {
            return;
        };
        self.mouse.autoscroll = None;
        match drag {
            Drag::Report(pressed) => {
                if let Some((point, _)) = self.cell_at(event.position) {
                    self.report(MouseAction::Release(pressed), point, event.modifiers, cx);
                }
            }
            Drag::Select => {
                let text = self
                    .terminal
                    .selection_text()
                    .filter(|text| !text.is_empty());
                let Some(text) = text else {
                    return;
                };
                #[cfg(any(target_os = "linux", target_os = "freebsd"))]
                cx.write_to_primary(ClipboardItem::new_string(text.clone()));
                if self.copy_on_select {
                    cx.write_to_clipboard(ClipboardItem::new_string(text));
                }
            }
            Drag::Scrollbar => {}
        }
    }

    fn wheel(&mut self, event: &ScrollEvent, cx: &mut Context<Self>) {
        let lines = match event.delta {
            ScrollDelta::Lines(lines) => lines.y * NOTCH,
            ScrollDelta::Pixels(delta) => {
                let height = self.layout.map_or(16.0, |layout| {
                    f32::from(layout.grid.metrics.logical(layout.grid.metrics.height))
                });
                f32::from(delta.y) / height.max(1.0)
            }
        };
        self.mouse.wheel += lines;
        let steps = self.mouse.wheel.trunc() as i32;
        if steps == 0 {
            return;
        }
        self.mouse.wheel = self.mouse.wheel.fract();
        let modes = self.terminal.modes();
        if self.reports(event.modifiers) {
            let Some((point, _)) = self.cell_at(event.position) else {
                return;
            };
            let wheel = if steps > 0 {
                input::MouseButton::WheelUp
            } else {
                input::MouseButton::WheelDown
            };
            // A notch is one event for the program, however many lines it would scroll here.
            let events = (steps.unsigned_abs() as f32 / NOTCH).ceil().min(16.0) as u32;
            for _ in 0..events {
                self.report(MouseAction::Press(wheel), point, event.modifiers, cx);
            }
        } else if let Some(bytes) = input::encode_alternate_scroll(steps, &modes) {
            cx.emit(PaneEvent::Type(bytes));
        } else {
            self.terminal.scroll(Scroll::Delta(steps));
            cx.notify();
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

    fn reports(&self, modifiers: gpui::Modifiers) -> bool {
        self.frame.modes.mouse != MouseTracking::Off && !modifiers.shift
    }

    fn report(
        &mut self,
        action: MouseAction,
        point: ViewPoint,
        modifiers: gpui::Modifiers,
        cx: &mut Context<Self>,
    ) {
        self.mouse.reported = Some(point);
        let event = MouseEvent {
            action,
            column: point.column,
            line: point.line,
            modifiers: pane_keys::modifiers(modifiers),
        };
        if let Some(bytes) = input::encode_mouse(&event, &self.frame.modes) {
            cx.emit(PaneEvent::Type(bytes));
        }
    }

    fn report_motion(
        &mut self,
        held: Option<input::MouseButton>,
        event: &MouseMoveEvent,
        cx: &mut Context<Self>,
    ) {
        let Some((point, _)) = self.cell_at(event.position) else {
            return;
        };
        if self.mouse.reported != Some(point) {
            self.report(MouseAction::Motion(held), point, event.modifiers, cx);
        }
    }

    fn extend(&mut self, cx: &mut Context<Self>) {
        if let Some((point, side)) = self.cell_at(self.mouse.pointer) {
            self.terminal.extend_selection(point, side);
            cx.notify();
        }
    }

    /// How far the pointer is above (positive) or below the grid, in lines.
    fn beyond_edge(&self) -> i32 {
        let Some(layout) = self.layout else {
            return 0;
        };
        let step = |distance: Pixels| 1 + (f32::from(distance) / 16.0).clamp(0.0, 8.0) as i32;
        let (top, bottom) = (layout.bounds.top(), layout.bounds.bottom());
        match self.mouse.pointer.y {
            y if y < top => step(top - y),
            y if y > bottom - px(1.0) => -step(y - bottom),
            _ => 0,
        }
    }

    fn watch_edge(&mut self, cx: &mut Context<Self>) {
        if self.beyond_edge() == 0 {
            self.mouse.autoscroll = None;
        } else if self.mouse.autoscroll.is_none() {
            self.mouse.autoscroll = Some(cx.spawn(async move |view, cx| {
                loop {
                    cx.background_executor().timer(AUTOSCROLL).await;
                    let alive = view.update(cx, |view, cx| {
                        view.terminal.scroll(Scroll::Delta(view.beyond_edge()));
                        view.extend(cx);
                    });
                    if alive.is_err() {
                        return;
                    }
                }
            }));
        }
    }

    fn on_scrollbar(&self, position: Point<Pixels>) -> bool {
        let track = self
            .layout
            .and_then(|layout| self.extent().track(layout.bounds));
        track.is_some_and(|track| track.contains(&position))
    }

    fn drag_scrollbar(&mut self, position: Point<Pixels>, cx: &mut Context<Self>) {
        let extent = self.extent();
        let Some(track) = self.layout.and_then(|layout| extent.track(layout.bounds)) else {
            return;
        };
        let signed = |value: usize| i32::try_from(value).unwrap_or(i32::MAX);
        let by = signed(extent.offset_at(track, position.y)) - signed(extent.offset);
        if by != 0 {
            self.terminal.scroll(Scroll::Delta(by));
            cx.notify();
        }
    }

    fn paste_primary(&mut self, cx: &mut Context<Self>) {
        #[cfg(any(target_os = "linux", target_os = "freebsd"))]
        if let Some(text) = cx.read_from_primary().and_then(|item| item.text()) {
            cx.emit(PaneEvent::Paste(text));
        }
    }
}

fn button(button: MouseButton) -> Option<input::MouseButton> {
    Some(match button {
        MouseButton::Left => input::MouseButton::Left,
        MouseButton::Middle => input::MouseButton::Middle,
        MouseButton::Right => input::MouseButton::Right,
        MouseButton::Navigate(NavigationDirection::Back) => input::MouseButton::Back,
        MouseButton::Navigate(NavigationDirection::Forward) => input::MouseButton::Forward,
    })
}
