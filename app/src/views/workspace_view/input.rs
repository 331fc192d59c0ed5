//! What the user types and pastes, on its way from a pane to the workspace.
//!
//! Keys that come before the first shell wait for it. Those that are too many to wait, and what a program does not take,
//! are lost, which is said. Nothing is said of input for a shell that has ended: its pane says so itself, or is going away.

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
pub struct TypedAhead {
    keys: Vec<Keystroke>,
    said: bool,
}

impl TypedAhead {
    /// Keeps a key. False for the first one that there is no room for; later ones are lost for the same reason.
    fn keep(&mut self, keystroke: &Keystroke) -> bool {
        if self.keys.len() < AHEAD {
            self.keys.push(keystroke.clone());
            return true;
        }
        std::mem::replace(&mut self.said, true)
    }

    /// Types them into a pane.
    pub fn give(&mut self, pane: &Entity<PaneView>, cx: &mut App) {
        for keystroke in std::mem::take(self).keys {
            pane.update(cx, |pane, cx| pane.press(&keystroke, cx));
        }
    }
}

impl WorkspaceView {
    pub(super) fn key_before_any_pane(
        &mut self,
        event: &KeyDownEvent,
        window: &mut Window,
        cx: &mut Context<Self>,
    ) {
        let before = matches!(self.front, None | Some(Area::Empty));
        if before && !self.ahead.keep(&event.keystroke) {
            self.warn("error.typed_ahead_lost", window, cx);
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
                if let Err(error) = typed {
                    self.report_input(error, window, cx);
                }
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
        match self.act(cx, |workspace| workspace.paste(pane, text)) {
            Ok(None) => {}
            Ok(Some(write)) => self.follow_paste(pane, write, window, cx),
            Err(error) => self.report_input(error, window, cx),
        }
    }

    fn report_input(&self, error: InputError, window: &mut Window, cx: &mut Context<Self>) {
        match error {
            InputError::Busy => self.warn("error.input_lost", window, cx),
            InputError::NoPane | InputError::Ended => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_too_many_is_said_once() {
        let mut ahead = TypedAhead::default();
        let key = Keystroke::parse("a").unwrap();
        for _ in 0..AHEAD {
            assert!(ahead.keep(&key));
        }
        assert!(!ahead.keep(&key), "the first that is lost");
        assert!(ahead.keep(&key), "it is said already");
        assert_eq!(ahead.keys.len(), AHEAD);
    }
}
