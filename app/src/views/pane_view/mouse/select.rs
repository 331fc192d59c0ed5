//! Selecting text, and what X11 and Wayland call the primary selection.
//!
//! A selection that is dragged past the edge scrolls on until the button is released.

use std::time::Duration;

use gpui::{ClipboardItem, Context, Modifiers, MouseDownEvent, Pixels, px};
use terminal::{Scroll, SelectionKind};

use super::Drag;
use crate::views::pane_view::{PaneEvent, PaneView};

/// How often a selection dragged past the edge scrolls.
const AUTOSCROLL: Duration = Duration::from_millis(40);

impl PaneView {
    pub(super) fn begin_selection(&mut self, event: &MouseDownEvent, cx: &mut Context<Self>) {
        let Some((point, side)) = self.cell_at(event.position) else {
            return;
        };
        self.mouse.drag = Some(Drag::Select);
        let selected = self.terminal.selection_text().is_some();
        if event.modifiers.shift && event.click_count == 1 && selected {
            self.terminal.extend_selection(point, side);
        } else {
            self.terminal.clear_selection();
            let kind = kind(event.click_count, event.modifiers);
            self.terminal.select(kind, point, side);
        }
        cx.notify();
    }

    pub(super) fn drag_selection(&mut self, cx: &mut Context<Self>) {
        self.extend(cx);
        self.watch_edge(cx);
    }

    /// What is selected can be pasted elsewhere with the middle button, and by keys if the settings say so.
    pub(super) fn offer_selection(&self, cx: &mut Context<Self>) {
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

    pub(super) fn paste_primary(&self, cx: &mut Context<Self>) {
        #[cfg(any(target_os = "linux", target_os = "freebsd"))]
        if let Some(text) = cx.read_from_primary().and_then(|item| item.text()) {
            cx.emit(PaneEvent::Paste(text));
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
}

/// Two clicks take words, three take lines, a fourth begins again. Window managers that move windows with Alt leave
/// Control for a block.
fn kind(clicks: usize, modifiers: Modifiers) -> SelectionKind {
    match clicks.saturating_sub(1) % 3 {
        1 => SelectionKind::Semantic,
        2 => SelectionKind::Lines,
        _ if modifiers.alt || modifiers.control => SelectionKind::Block,
        _ => SelectionKind::Simple,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clicks_and_modifiers_choose_what_a_selection_grows_by() {
        let plain = Modifiers::default();
        let of = |clicks| kind(clicks, plain);
        assert_eq!(
            [of(1), of(2), of(3), of(4), of(5)],
            [
                SelectionKind::Simple,
                SelectionKind::Semantic,
                SelectionKind::Lines,
                SelectionKind::Simple,
                SelectionKind::Semantic,
            ]
        );
        for modifiers in [Modifiers::alt(), Modifiers::control()] {
            assert_eq!(kind(1, modifiers), SelectionKind::Block);
            assert_eq!(kind(2, modifiers), SelectionKind::Semantic);
        }
    }
}
