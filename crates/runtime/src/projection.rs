//! From what the workspace projects to what is published: sequence numbers and the comparison.
//!
//! Everything in here is a pure step of `publish` (6.1): stamping panes, deciding whether anything
//! changed, and whether only texts changed that may wait a moment.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use protocol::{PaneRef, Snapshot, TaskState};

/// Changes of titles, `cwd` or `branch` alone are published at most this often (6.1).
pub const TEXT_INTERVAL: Duration = Duration::from_millis(500);

/// What the workspace hands to the hub.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The world as it is. `revision`, `boot_id`, `pane_lifecycles` and every `state_change_seq`
    /// are filled in by the hub; what stands there is ignored.
    pub snapshot: Snapshot,
    /// Real transitions of `task_state` per pane since the last projection (6.2). A pane that is
    /// not listed had none; a pane whose state differs from the last stamped one counts at least
    /// one.
    pub transitions: HashMap<PaneRef, u64>,
    /// `true` when only programs changed something since the last projection: a change of texts
    /// alone may be held back. `false` after a command or an action of the user, whose effect is
    /// never delayed.
    pub paced: bool,
}

/// The counters behind `state_change_seq` (6.3). Guarded by the hub's lock.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    panes: HashMap<PaneRef, Stamp>,
}

#[derive(Clone, Copy, Debug)]
struct Stamp {
    seq: u64,
    state: TaskState,
}

impl Stamps {
    /// Stamps every pane of `snapshot` and forgets panes that are gone. Returns those that are
    /// there.
    pub(crate) fn apply(
        &mut self,
        snapshot: &mut Snapshot,
        transitions: &HashMap<PaneRef, u64>,
    ) -> HashSet<PaneRef> {
        let mut present = HashSet::new();
        for window in &mut snapshot.windows {
            let window_id = window.id;
            for pane in window.tabs.iter_mut().flat_map(|tab| &mut tab.panes) {
                let target = PaneRef {
                    window_id,
                    pane_id: pane.id,
                };
                let given = transitions.get(&target).copied().unwrap_or(0);
                pane.state_change_seq = self.stamp(target, pane.task_state, given);
                present.insert(target);
            }
        }
        self.panes.retain(|pane, _| present.contains(pane));
        present
    }

    fn stamp(&mut self, target: PaneRef, state: TaskState, given: u64) -> u64 {
        // Transitions before the first publication were seen by nobody: the first stamp is 1.
        let first = Stamp { seq: 1, state };
        let Some(stamp) = self.panes.get_mut(&target) else {
            self.panes.insert(target, first);
            return first.seq;
        };
        let unreported = u64::from(stamp.state != state);
        stamp.seq = stamp.seq.saturating_add(given.max(unreported));
        stamp.state = state;
        stamp.seq
    }

    /// A pane continues in another window and keeps its number.
    pub(crate) fn moved(&mut self, from: PaneRef, to: PaneRef) {
        if let Some(stamp) = self.panes.remove(&from) {
            self.panes.insert(to, stamp);
        }
    }
}

/// When texts alone may be published. Guarded by the hub's lock.
#[derive(Debug, Default)]
pub(crate) struct Pacer {
    last_texts: Option<Instant>,
    due: Option<Instant>,
}

impl Pacer {
    /// Whether a change of texts alone has to wait; remembers until when.
    pub(crate) fn holds(&mut self, now: Instant) -> bool {
        self.due = self
            .last_texts
            .map(|last| last + TEXT_INTERVAL)
            .filter(|due| now < *due);
        self.due.is_some()
    }

    /// A revision was published.
    pub(crate) fn published(&mut self, texts_only: bool, now: Instant) {
        self.due = None;
        if texts_only {
            self.last_texts = Some(now);
        }
    }

    /// Nothing is held back any more.
    pub(crate) fn settled(&mut self) {
        self.due = None;
    }

    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }
}

/// Whether two different snapshots are the same apart from titles, labels, `cwd` and `branch`.
pub(crate) fn differ_in_texts_only(old: &Snapshot, new: &Snapshot) -> bool {
    without_texts(old).same_content(&without_texts(new))
}

fn without_texts(snapshot: &Snapshot) -> Snapshot {
    let mut snapshot = snapshot.clone();
    for tab in snapshot
        .windows
        .iter_mut()
        .flat_map(|window| &mut window.tabs)
    {
        // A label that was not chosen by hand follows the title of a pane.
        tab.label.clear();
        for pane in &mut tab.panes {
            pane.title.clear();
            pane.cwd.clear();
            pane.branch.clear();
        }
    }
    snapshot
}
