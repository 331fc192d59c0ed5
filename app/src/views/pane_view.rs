//! One pane on the screen: focus, keys, composed text, and the grid that [`TerminalElement`] draws.
//!
//! The view owns no state of the pane. It reads the terminal's picture and tells the owner of the workspace what the
//! user did ([`PaneEvent`]); the owner decides. It asks to be drawn only when the terminal, the focus or the theme
//! changed.

mod blink;
mod ime;
mod mouse;

use std::time::Instant;

use gpui::{
    App, AppContext as _, Bounds, ClipboardItem, Context, Entity, EventEmitter, FocusHandle,
    Focusable, InteractiveElement as _, IntoElement, KeyDownEvent, Keystroke, ParentElement as _,
    Pixels, Render, SharedString, StatefulInteractiveElement as _, Styled as _, Subscription,
    Window, div,
};
use terminal::{Frame, GridSize, Scroll, Terminal, input};
use workspace::PaneId;

use super::pane_keys;
use super::terminal::element::TerminalElement;
use super::terminal::painter::Grid;
use super::terminal::scrollbar::Extent;

/// What the user did in a pane.
#[derive(Clone, Debug, PartialEq)]
pub enum PaneEvent {
    /// Typed: bytes for the program.
    Type(Vec<u8>),
    /// Pasted text, not yet checked or encoded.
    Paste(String),
    /// The grid got another size.
    Resize(GridSize),
    /// Clicked into it.
    Focus,
}

/// The grid as last drawn, for the mouse and the input method.
#[derive(Clone, Copy, Debug)]
pub struct PaneLayout {
    /// The whole area, padding included.
    pub bounds: Bounds<Pixels>,
    /// The cells.
    pub grid: Grid,
    /// Its size.
    pub size: GridSize,
}

/// See the module.
pub struct PaneView {
    pane: PaneId,
    terminal: Terminal,
    focus: FocusHandle,
    label: SharedString,
    copy_on_select: bool,
    pub(super) frame: Frame,
    pub(super) layout: Option<PaneLayout>,
    composition: ime::Composition,
    blink: blink::Blink,
    mouse: mouse::Mouse,
    _subscriptions: Vec<Subscription>,
}

impl EventEmitter<PaneEvent> for PaneView {}

impl PaneView {
    /// A view of `terminal`.
    pub fn new(
        pane: PaneId,
        terminal: Terminal,
        window: &mut Window,
        cx: &mut Context<Self>,
    ) -> Self {
        let focus = cx.focus_handle();
        let subscriptions = vec![
            cx.on_focus(&focus, window, |view, window, cx| {
                view.focus_changed(true, window, cx)
            }),
            cx.on_blur(&focus, window, |view, window, cx| {
                view.focus_changed(false, window, cx)
            }),
            cx.observe_window_activation(window, |view, window, cx| {
                if view.focus.is_focused(window) {
                    view.focus_changed(window.is_window_active(), window, cx);
                }
            }),
        ];
        Self {
            pane,
            terminal,
            focus,
            label: SharedString::default(),
            copy_on_select: false,
            frame: Frame::default(),
            layout: None,
            composition: ime::Composition::default(),
            blink: blink::Blink::default(),
            mouse: mouse::Mouse::default(),
            _subscriptions: subscriptions,
        }
    }

    /// The pane it shows.
    pub fn pane(&self) -> PaneId {
        self.pane
    }

    /// The terminal it shows.
    pub fn terminal(&self) -> &Terminal {
        &self.terminal
    }

    /// Sets the accessible name, which is the pane's title.
    pub fn set_label(&mut self, label: SharedString) {
        self.label = label;
    }

    /// Follows `terminal.copy_on_select`.
    pub fn set_copy_on_select(&mut self, copy: bool) {
        self.copy_on_select = copy;
    }

    /// Whether it has the keys of an active window.
    pub fn is_active(&self, window: &Window) -> bool {
        self.focus.is_focused(window) && window.is_window_active()
    }

    /// Copies the selection to the clipboard; false when nothing is selected.
    pub fn copy(&self, cx: &mut Context<Self>) -> bool {
        let text = self
            .terminal
            .selection_text()
            .filter(|text| !text.is_empty());
        let copied = text.is_some();
        if let Some(text) = text {
            cx.write_to_clipboard(ClipboardItem::new_string(text));
        }
        copied
    }

    /// Pastes the clipboard.
    pub fn paste(&self, cx: &mut Context<Self>) {
        if let Some(text) = cx.read_from_clipboard().and_then(|item| item.text()) {
            cx.emit(PaneEvent::Paste(text));
        }
    }

    /// Moves the view over the history.
    pub fn scroll(&mut self, scroll: Scroll, cx: &mut Context<Self>) {
        self.terminal.scroll(scroll);
        cx.notify();
    }

    /// The text in composition, empty when there is none.
    pub fn preedit(&self) -> SharedString {
        self.composition.text()
    }

    /// How far it is scrolled, as last drawn.
    pub fn extent(&self) -> Extent {
        let frame = &self.frame;
        let history = if frame.modes.alt_screen {
            0
        } else {
            frame.history
        };
        Extent {
            history,
            offset: frame.display_offset,
            lines: frame.lines.max(1),
        }
    }

    /// Whether the blinking cursor is in its visible half.
    pub fn cursor_is_on(&self) -> bool {
        self.blink.is_on()
    }

    /// Takes a new picture from the terminal, and the layout it is drawn with.
    pub(super) fn refresh(&mut self, layout: PaneLayout, window: &Window, cx: &mut Context<Self>) {
        let size = self.layout.map(|layout| layout.size);
        if size != Some(layout.size) {
            cx.emit(PaneEvent::Resize(layout.size));
        }
        self.layout = Some(layout);
        self.terminal.frame(&mut self.frame);
        self.measure_frame(cx);
        let blinks = self.frame.cursor.is_some_and(|cursor| cursor.blinking);
        self.blink.set_wanted(blinks && self.is_active(window), cx);
    }

    /// Tells the terminal how long the main thread is busy with this frame. A task runs when the frame has been drawn
    /// and presented.
    fn measure_frame(&self, cx: &Context<Self>) {
        let (terminal, began) = (self.terminal.clone(), Instant::now());
        cx.spawn(async move |_, _| {
            let time = began.elapsed();
            tracing::trace!(?time, "a frame was drawn");
            terminal.set_frame_time(time);
        })
        .detach();
    }

    fn send(&mut self, bytes: Vec<u8>, cx: &mut Context<Self>) {
        if bytes.is_empty() {
            return;
        }
        self.blink.restart();
        self.terminal.clear_selection();
        if self.frame.display_offset > 0 {
            self.terminal.scroll(Scroll::Bottom);
        }
        cx.emit(PaneEvent::Type(bytes));
    }

    fn focus_changed(&mut self, focused: bool, window: &mut Window, cx: &mut Context<Self>) {
        let focused = focused && window.is_window_active();
        if let Some(bytes) = input::encode_focus(focused, &self.terminal.modes()) {
            cx.emit(PaneEvent::Type(bytes.to_vec()));
        }
        cx.notify();
    }

    /// Sends what a key means to the program, without asking the input method.
    pub fn press(&mut self, keystroke: &Keystroke, cx: &mut Context<Self>) {
        let bytes = if pane_keys::is_text(keystroke) {
            let text = keystroke.key_char.as_deref().unwrap_or_default();
            Some(text.as_bytes().to_vec())
        } else {
            let modifiers = pane_keys::modifiers(keystroke.modifiers);
            pane_keys::key(keystroke)
                .and_then(|key| input::encode_key(&key, modifiers, &self.terminal.modes()))
        };
        if let Some(bytes) = bytes {
            cx.stop_propagation();
            self.send(bytes, cx);
        }
    }

    fn key_down(&mut self, event: &KeyDownEvent, _: &mut Window, cx: &mut Context<Self>) {
        // The input method can be asked as soon as there is a place for what it composes.
        let asked = self.layout.is_some() && pane_keys::is_text(&event.keystroke);
        if self.composition.is_empty() && !asked {
            self.press(&event.keystroke, cx);
        }
    }
}

impl Focusable for PaneView {
    fn focus_handle(&self, _: &App) -> FocusHandle {
        self.focus.clone()
    }
}

impl Render for PaneView {
    fn render(&mut self, _: &mut Window, cx: &mut Context<Self>) -> impl IntoElement {
        div()
            .id(("pane", usize::try_from(self.pane.0).unwrap_or(usize::MAX)))
            .role(gpui::Role::Terminal)
            .aria_label(self.label.clone())
            .track_focus(&self.focus)
            .key_context(super::commands::TERMINAL)
            .size_full()
            .on_key_down(cx.listener(Self::key_down))
            .child(TerminalElement::new(cx.entity()))
    }
}

/// Makes the view of a pane.
pub fn open(
    pane: PaneId,
    terminal: Terminal,
    window: &mut Window,
    cx: &mut App,
) -> Entity<PaneView> {
    cx.new(|cx| PaneView::new(pane, terminal, window, cx))
}
