//! What reaches the owner of the workspace from other threads.
//!
//! One bounded queue carries everything in arrival order: marks and exits of terminals, results of
//! spawns, samples of processes. A full queue holds back whoever fills it, so a pane that floods
//! slows itself down and nobody's memory grows. Things of which only the newest counts (a title, a
//! directory, a clipboard text) do not queue up at all: they wait in a slot of their pane, and the
//! queue only says that there is something.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;
use terminal::{EventSink, ExitStatus, Mark, TerminalEvent};

use crate::ids::PaneId;
use crate::sampler::Sample;
use crate::spawn::Spawned;

/// Events that wait at most. An event is small, see the module documentation.
const CAPACITY: usize = 1024;

/// Something that happened outside of the owner's thread; hand it to `Workspace::handle_event`.
#[derive(Debug)]
pub struct WorkspaceEvent(pub(crate) Event);

#[derive(Debug)]
pub(crate) enum Event {
    Mark {
        pane: PaneId,
        at: Instant,
        mark: Mark,
    },
    Bell {
        pane: PaneId,
        at: Instant,
    },
    Exited {
        pane: PaneId,
        at: Instant,
        status: ExitStatus,
    },
    /// The pane's [`Notes`] are not empty.
    Noted {
        pane: PaneId,
    },
    Spawned(Box<Spawned>),
    Sampled(Box<Sample>),
    /// Some pane has a new picture.
    Redraw,
}

/// Receives the events of a workspace, in order.
#[derive(Debug, Clone)]
pub struct Inbox {
    receiver: async_channel::Receiver<WorkspaceEvent>,
}

impl Inbox {
    /// Waits for the next event; `None` when the workspace and all its threads are gone.
    pub async fn next(&self) -> Option<WorkspaceEvent> {
        self.receiver.recv().await.ok()
    }

    /// The next event if there is one already.
    pub fn try_next(&self) -> Option<WorkspaceEvent> {
        self.receiver.try_recv().ok()
    }
}

/// The sending end, for the threads of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    sender: async_channel::Sender<WorkspaceEvent>,
}

pub(crate) fn inbox() -> (Outbox, Inbox) {
    let (sender, receiver) = async_channel::bounded(CAPACITY);
    (Outbox { sender }, Inbox { receiver })
}

impl Outbox {
    /// Waits for room. False when nobody listens any more. Never call it on the owner's thread.
    pub(crate) fn send(&self, event: Event) -> bool {
        self.sender.send_blocking(WorkspaceEvent(event)).is_ok()
    }

    /// Sends if there is room. Enough to wake the owner: a full queue does that anyway.
    pub(crate) fn offer(&self, event: Event) -> bool {
        self.sender.try_send(WorkspaceEvent(event)).is_ok()
    }
}

/// News of a pane of which only the newest counts.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// `Some(None)`: the program reset its title.
    pub(crate) title: Option<Option<String>>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) clipboard: Option<String>,
}

impl Notes {
    fn is_empty(&self) -> bool {
        self.title.is_none() && self.directory.is_none() && self.clipboard.is_none()
    }
}

/// The notes of one pane. The lock is held to put in or take out, never while anything is called.
pub(crate) type SharedNotes = Arc<Mutex<Notes>>;

/// Panes whose picture changed since the owner looked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redraws(Arc<Mutex<BTreeSet<PaneId>>>);

impl Redraws {
    pub(crate) fn take(&self) -> BTreeSet<PaneId> {
        std::mem::take(&mut *self.0.lock())
    }

    /// True when it was the first since the owner looked.
    fn add(&self, pane: PaneId) -> bool {
        let mut panes = self.0.lock();
        let first = panes.is_empty();
        panes.insert(pane);
        first
    }
}

/// Listens to one terminal on its parser thread.
pub(crate) struct PaneSink {
    pub(crate) pane: PaneId,
    pub(crate) outbox: Outbox,
    pub(crate) notes: SharedNotes,
    /// `None` where nobody draws.
    pub(crate) redraws: Option<Redraws>,
    /// Set once the result of the spawn is in the queue. Nothing of a pane may overtake that, or
    /// its first prompt would reach an owner that does not know the pane yet.
    pub(crate) announced: Arc<OnceLock<()>>,
}

impl PaneSink {
    fn note(&self, put: impl FnOnce(&mut Notes)) {
        let first = {
            let mut notes = self.notes.lock();
            let first = notes.is_empty();
            put(&mut notes);
            first
        };
        if first {
            self.outbox.send(Event::Noted { pane: self.pane });
        }
    }
}

impl EventSink for PaneSink {
    fn event(&self, event: TerminalEvent) {
        self.announced.wait();
        let (pane, at) = (self.pane, Instant::now());
        match event {
            TerminalEvent::Mark(mark) => {
                self.outbox.send(Event::Mark { pane, at, mark });
            }
            TerminalEvent::Bell => {
                self.outbox.send(Event::Bell { pane, at });
            }
            TerminalEvent::Exited(status) => {
                self.outbox.send(Event::Exited { pane, at, status });
            }
            TerminalEvent::Title(title) => self.note(|notes| notes.title = Some(title)),
            TerminalEvent::Directory(directory) => {
                self.note(|notes| notes.directory = Some(directory));
            }
            TerminalEvent::Clipboard(text) => self.note(|notes| notes.clipboard = Some(text)),
        }
    }

    fn redraw(&self) {
        if let Some(redraws) = &self.redraws
            && redraws.add(self.pane)
        {
            // A full queue is no loss: the owner collects the redraws after every event, and a
            // full queue means that events are coming.
            self.outbox.offer(Event::Redraw);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sink(outbox: Outbox) -> PaneSink {
        let announced = Arc::new(OnceLock::from(()));
        let redraws = Some(Redraws::default());
        PaneSink {
            pane: PaneId(1),
            outbox,
            notes: SharedNotes::default(),
            redraws,
            announced,
        }
    }

    #[test]
    fn titles_do_not_queue_up_and_the_newest_wins() {
        let (outbox, inbox) = inbox();
        let sink = sink(outbox);
        for number in 0..10_000 {
            sink.event(TerminalEvent::Title(Some(number.to_string())));
        }
        assert!(matches!(
            inbox.try_next(),
            Some(WorkspaceEvent(Event::Noted { .. }))
        ));
        assert!(inbox.try_next().is_none());
        assert_eq!(sink.notes.lock().title, Some(Some("9999".to_owned())));
    }

    #[test]
    fn redraws_are_announced_once_and_never_block() {
        let (outbox, inbox) = inbox();
        let sink = sink(outbox);
        for _ in 0..10_000 {
            sink.redraw();
        }
        assert!(matches!(
            inbox.try_next(),
            Some(WorkspaceEvent(Event::Redraw))
        ));
        assert!(inbox.try_next().is_none());
        let redraws = sink.redraws.as_ref().expect("a window");
        assert_eq!(redraws.take(), BTreeSet::from([PaneId(1)]));
    }

    #[test]
    fn a_gone_owner_blocks_nobody() {
        let (outbox, inbox) = inbox();
        let sink = sink(outbox);
        drop(inbox);
        for _ in 0..3 * CAPACITY {
            sink.event(TerminalEvent::Bell);
        }
    }
}
