//! What the window has to do, until it asks.
//!
//! A window may be slow to ask, and while it is hidden programs go on ringing and writing the
//! clipboard. So nothing queues up: of everything only the newest counts, or that it happened at
//! all, and each has one place. Nothing is lost by that, whatever comes in between.

use std::collections::BTreeSet;

use crate::ids::PaneId;

/// Something the window has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UiEvent {
    /// Show the window and raise it.
    Reveal,
    /// Hide the window; its panes live on.
    Hide,
    /// End the program, as [`crate::end_owned`] does.
    Quit,
    /// Tabs, layout, titles or states changed.
    Changed,
    /// The terminal of this pane has a new picture.
    Redraw(PaneId),
    /// The pane rang.
    Bell(PaneId),
    /// The focused pane put a text on the clipboard (OSC 52).
    Clipboard(String),
}

/// One place for everything; see the module.
#[derive(Debug, Default)]
pub(crate) struct UiEvents {
    /// Whether it is to be shown or hidden: what was said last.
    shown: Option<bool>,
    changed: bool,
    redraws: BTreeSet<PaneId>,
    bells: BTreeSet<PaneId>,
    clipboard: Option<String>,
    quit: bool,
}

impl UiEvents {
    pub(crate) fn put(&mut self, event: UiEvent) {
        match event {
            UiEvent::Reveal => self.shown = Some(true),
            UiEvent::Hide => self.shown = Some(false),
            UiEvent::Changed => self.changed = true,
            UiEvent::Redraw(pane) => {
                self.redraws.insert(pane);
            }
            UiEvent::Bell(pane) => {
                self.bells.insert(pane);
            }
            UiEvent::Clipboard(text) => self.clipboard = Some(text),
            UiEvent::Quit => self.quit = true,
        }
    }

    /// Everything, the end last.
    pub(crate) fn take(&mut self) -> Vec<UiEvent> {
        let Self {
            shown,
            changed,
            redraws,
            bells,
            clipboard,
            quit,
        } = std::mem::take(self);
        let shown = shown.map(|shown| match shown {
            true => UiEvent::Reveal,
            false => UiEvent::Hide,
        });
        let mut events: Vec<UiEvent> = shown.into_iter().collect();
        events.extend(changed.then_some(UiEvent::Changed));
        events.extend(redraws.into_iter().map(UiEvent::Redraw));
        events.extend(bells.into_iter().map(UiEvent::Bell));
        events.extend(clipboard.map(UiEvent::Clipboard));
        events.extend(quit.then_some(UiEvent::Quit));
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_takes_no_room_and_loses_nothing_that_counts() {
        let mut events = UiEvents::default();
        events.put(UiEvent::Hide);
        events.put(UiEvent::Reveal);
        for number in 0..10_000 {
            events.put(UiEvent::Clipboard(number.to_string()));
            events.put(UiEvent::Bell(PaneId(1 + number % 2)));
            events.put(UiEvent::Changed);
        }
        let expected = [
            UiEvent::Reveal,
            UiEvent::Changed,
            UiEvent::Bell(PaneId(1)),
            UiEvent::Bell(PaneId(2)),
            UiEvent::Clipboard("9999".to_owned()),
        ];
        assert_eq!(events.take(), expected);
        assert_eq!(events.take(), []);
    }

    #[test]
    fn the_last_word_about_the_window_counts_and_the_end_comes_last() {
        let mut events = UiEvents::default();
        for event in [UiEvent::Quit, UiEvent::Reveal, UiEvent::Hide] {
            events.put(event);
        }
        assert_eq!(events.take(), [UiEvent::Hide, UiEvent::Quit]);
    }
}
