//! What the user types and pastes, on its way from a pane to the workspace.
//!
//! Nothing typed is lost without a word: keys that come before the first shell wait for it, and input that a program
//! does not take is said.

use gpui::{App, Context, Entity, KeyDownEvent, Keystroke, Window};
use gpui_component::WindowExt as _;
use gpui_component::notification::Notification;
use rust_i18n::t;
use workspace::{InputError, PaneId};

use super::WorkspaceView;
use crate::views::content::Area;
use crate::views::dialogs;
use crate::views::pane_view::{PaneEvent, PaneView};

/// Keys that wait for the first shell. A person types a dozen in a second; more than this is a key that is stuck.
const AHEAD: usize = 256;

/// Keys typed before there was a pane to type into.
#[derive(Default)]
pub struct TypedAhead(Vec<Keystroke>);

impl TypedAhead {
    fn keep(&mut self, keystroke: &Keystroke) {
        if self.0.len() < AHEAD {
            self.0.push(keystroke.clone());
        }
    }

    /// Types them into a pane.
    pub fn give(&mut self, pane: &Entity<PaneView>, cx: &mut App) {
        for keystroke in std::mem::take(&mut self.0) {
            pane.update(cx, |pane, cx| pane.press(&keystroke, cx));
        }
    }
}

impl WorkspaceView {
    pub(super) fn key_before_any_pane(
        &mut self,
        event: &KeyDownEvent,
        _: &mut Window,
        _: &mut Context<Self>,
    ) {
        if matches!(self.front, None | Some(Area::Empty)) {
            self.ahead.keep(&event.keystroke);
        }
    }

    pub(super) fn pane_event(
        &mut self,
        view: &Entity<PaneView>,
        event: &PaneEvent,
        window: &mut Window,
        cx: &mut Context<Self>,
    ) {
        let pane = view.read(cx).pane();
        match event {
            PaneEvent::Type(bytes) => {
                let typed = self.act(cx, |workspace| workspace.type_input(pane, bytes.clone()));
                self.report_input(typed, window, cx);
            }
            PaneEvent::Paste(text) => self.paste(pane, text, window, cx),
            PaneEvent::Resize(size) => {
                let alone = self.area.read(cx).visible() == [pane];
                let size = *size;
                self.act(cx, |workspace| {
                    workspace.set_pane_size(pane, size);
                    if alone {
                        workspace.set_window_grid(size);
                    }
                });
                self.sync(window, cx);
            }
            PaneEvent::Focus => self.focus_pane(pane, window, cx),
        }
    }

    fn paste(&mut self, pane: PaneId, text: &str, window: &mut Window, cx: &mut Context<Self>) {
        let terminal = self
            .workspace(cx)
            .pane(pane)
            .and_then(|pane| pane.terminal());
        let Some(modes) = terminal.map(|terminal| terminal.modes()) else {
            return;
        };
        let several = text.trim_end().contains(['\n', '\r']);
        if several && !modes.bracketed_paste && !modes.alt_screen {
            let (view, kept) = (cx.weak_entity(), text.to_owned());
            dialogs::confirm_paste(text, window, cx, move |window, cx| {
                if let Some(view) = view.upgrade() {
                    view.update(cx, |view, cx| view.paste_now(pane, &kept, window, cx));
                }
            });
        } else {
            self.paste_now(pane, text, window, cx);
        }
    }

    fn paste_now(&mut self, pane: PaneId, text: &str, window: &mut Window, cx: &mut Context<Self>) {
        // A long paste goes on in the background when its handle is dropped.
        let pasted = self.act(cx, |workspace| workspace.paste(pane, text).map(drop));
        self.report_input(pasted, window, cx);
    }

    fn report_input(
        &self,
        result: Result<(), InputError>,
        window: &mut Window,
        cx: &mut Context<Self>,
    ) {
        match result {
            Ok(()) | Err(InputError::NoPane | InputError::Ended) => {}
            Err(InputError::Busy) => self.warn("error.input_lost", window, cx),
        }
    }

    /// Says that something did not work, once for each reason that is on the screen.
    pub(super) fn warn(&self, message: &'static str, window: &mut Window, cx: &mut Context<Self>) {
        struct Warned;
        let note = Notification::warning(t!(message).into_owned())
            .title(t!("error.title").into_owned())
            .id1::<Warned>(message);
        window.push_notification(note, cx);
    }
}
