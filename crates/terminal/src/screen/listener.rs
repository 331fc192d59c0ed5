//! Collects what the library announces while it parses.

use std::sync::Arc;

use alacritty_terminal::event::{Event, EventListener};
use parking_lot::Mutex;

use crate::EmulatorEvent;

/// Collects what the library announces.
#[derive(Clone, Default)]
pub(crate) struct Listener(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    events: Vec<EmulatorEvent>,
    rang: bool,
}

impl Listener {
    pub(crate) fn push(&self, event: EmulatorEvent) {
        let mut queue = self.0.lock();
        let Queue { events, rang } = &mut *queue;
        match (&event, events.last_mut()) {
            (EmulatorEvent::Bell, _) if std::mem::replace(rang, true) => {}
            (EmulatorEvent::Title(_), Some(last @ EmulatorEvent::Title(_))) => *last = event,
            _ => events.push(event),
        }
    }

    pub(crate) fn take(&self) -> Vec<EmulatorEvent> {
        let mut queue = self.0.lock();
        queue.rang = false;
        std::mem::take(&mut queue.events)
    }
}

impl EventListener for Listener {
    fn send_event(&self, event: Event) {
        match event {
            Event::PtyWrite(text) => self.push(EmulatorEvent::Reply(text)),
            Event::Bell => self.push(EmulatorEvent::Bell),
            Event::ClipboardStore(_, text) => self.push(EmulatorEvent::Clipboard(text)),
            // Reading the clipboard is denied; everything else is answered or tracked here.
            _ => {}
        }
    }
}
