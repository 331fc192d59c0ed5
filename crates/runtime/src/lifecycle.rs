//! Records of panes that closed and of root processes that ended.
//!
//! A client that waits for a pane, or asks for one that is gone, is told what became of it. The
//! last 256 records (2.8) are kept and are part of every snapshot. A held pane (1.9) stays in the
//! snapshot after its root process ended; that it has exited is remembered as long as the pane is
//! there, even when its record was forgotten.

use std::collections::{HashMap, HashSet, VecDeque};

use protocol::{Lifecycle, LifecycleEvent, PaneRef, limits};

/// The records, newest last. Guarded by the hub's lock.
#[derive(Debug, Default)]
pub(crate) struct Lifecycles {
    records: VecDeque<Lifecycle>,
    last_sequence: u64,
    exited: HashMap<PaneRef, Lifecycle>,
}

impl Lifecycles {
    pub(crate) fn record(
        &mut self,
        pane: PaneRef,
        event: LifecycleEvent,
        exit_code: Option<i32>,
        signal: Option<i32>,
    ) -> Lifecycle {
        self.last_sequence += 1;
        let record = Lifecycle {
            sequence: self.last_sequence,
            window_id: pane.window_id,
            pane_id: pane.pane_id,
            event,
            exit_code,
            signal,
        };
        if event == LifecycleEvent::Exited {
            self.exited.insert(pane, record.clone());
        }
        if self.records.len() == limits::LIFECYCLES {
            self.records.pop_front();
        }
        self.records.push_back(record.clone());
        record
    }

    /// The newest record of a pane.
    pub(crate) fn of(&self, pane: PaneRef) -> Option<&Lifecycle> {
        self.records
            .iter()
            .rev()
            .find(|record| record.window_id == pane.window_id && record.pane_id == pane.pane_id)
    }

    /// The `exited` record of a pane that is still there.
    pub(crate) fn exit_of(&self, pane: PaneRef) -> Option<&Lifecycle> {
        self.exited.get(&pane)
    }

    /// The records as the snapshot lists them.
    pub(crate) fn list(&self) -> Vec<Lifecycle> {
        self.records.iter().cloned().collect()
    }

    /// Forgets that panes had exited which are no longer in the snapshot.
    pub(crate) fn retain_exits(&mut self, present: &HashSet<PaneRef>) {
        self.exited.retain(|pane, _| present.contains(pane));
    }

    /// A pane continues in another window.
    pub(crate) fn moved(&mut self, from: PaneRef, to: PaneRef) {
        if let Some(record) = self.exited.remove(&from) {
            self.exited.insert(to, record);
        }
    }
}
