//! Reporting the mouse to a program that asked for it.

use gpui::{
    Context, Modifiers, MouseButton, MouseDownEvent, MouseMoveEvent, MouseUpEvent,
    NavigationDirection,
};
use terminal::input::{self, MouseAction, MouseEvent};
use terminal::{MouseTracking, ViewPoint};

use crate::views::pane_keys;
use crate::views::pane_view::{PaneEvent, PaneView};

impl PaneView {
    /// Whether the program gets the mouse now.
    pub(super) fn reports(&self, modifiers: Modifiers) -> bool {
        self.frame.modes.mouse != MouseTracking::Off && !modifiers.shift
    }

    pub(super) fn report_press(&mut self, event: &MouseDownEvent, cx: &mut Context<Self>) {
        let Some((point, _)) = self.cell_at(event.position) else {
            return;
        };
        let button = button(event.button);
        if !self.mouse.held.contains(&button) {
            self.mouse.held.push(button);
        }
        self.report(MouseAction::Press(button), point, event.modifiers, cx);
    }

    /// A release is told whenever the press was, also with Shift by now.
    pub(super) fn report_release(&mut self, event: &MouseUpEvent, cx: &mut Context<Self>) {
        let button = button(event.button);
        let told = self.mouse.held.iter().position(|held| *held == button);
        if let Some(place) = told {
            self.mouse.held.remove(place);
            if let Some((point, _)) = self.cell_at(event.position) {
                self.report(MouseAction::Release(button), point, event.modifiers, cx);
            }
        }
    }

    pub(super) fn report_motion(&mut self, event: &MouseMoveEvent, cx: &mut Context<Self>) {
        let held = self.mouse.held.first().copied();
        let all = self.frame.modes.mouse == MouseTracking::Motion && self.reports(event.modifiers);
        if held.is_none() && !all {
            return;
        }
        let Some((point, _)) = self.cell_at(event.position) else {
            return;
        };
        if self.mouse.reported != Some(point) {
            self.report(MouseAction::Motion(held), point, event.modifiers, cx);
        }
    }

    pub(super) fn report(
        &mut self,
        action: MouseAction,
        point: ViewPoint,
        modifiers: Modifiers,
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
}

fn button(button: MouseButton) -> input::MouseButton {
    match button {
        MouseButton::Left => input::MouseButton::Left,
        MouseButton::Middle => input::MouseButton::Middle,
        MouseButton::Right => input::MouseButton::Right,
        MouseButton::Navigate(NavigationDirection::Back) => input::MouseButton::Back,
        MouseButton::Navigate(NavigationDirection::Forward) => input::MouseButton::Forward,
    }
}
