//! The last revisions, kept for subscribers that come back.
//!
//! Holds at most 1024 revisions and 32 MiB of their serialised form (2.8), whichever is reached
//! first; the newest one always stays. Revisions in the ring are consecutive, which is what makes a
//! replay without holes possible.

use std::collections::VecDeque;
use std::sync::Arc;

use protocol::{Snapshot, limits};

/// One published revision. Serialised once, shared by the ring and all subscribers.
#[derive(Clone, Debug)]
pub struct Published {
    /// The snapshot.
    pub snapshot: Arc<Snapshot>,
    /// The same as JSON on one line.
    pub json: Arc<str>,
}

impl Published {
    pub(crate) fn new(snapshot: Snapshot) -> Self {
        // Snapshots hold strings, numbers and lists of them, so this does not fail; should a later
        // member change that, subscribers still see that there is a new revision and may ask for
        // it.
        let json = serde_json::to_string(&snapshot).unwrap_or_else(|error| {
            tracing::error!(%error, revision = snapshot.revision, "snapshot cannot be serialised");
            format!("{{\"revision\":{}}}", snapshot.revision)
        });
        Self {
            snapshot: Arc::new(snapshot),
            json: json.into(),
        }
    }

    /// The revision of the snapshot, 1 or more.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.snapshot.revision
    }
}

/// The retained revisions, oldest first.
#[derive(Debug)]
pub(crate) struct Ring {
    entries: VecDeque<Arc<Published>>,
    bytes: usize,
    max_revisions: usize,
    max_bytes: usize,
}

impl Default for Ring {
    fn default() -> Self {
        Self::with_limits(limits::REPLAY_REVISIONS, limits::REPLAY_BYTES)
    }
}

impl Ring {
    pub(crate) fn with_limits(max_revisions: usize, max_bytes: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            bytes: 0,
            max_revisions,
            max_bytes,
        }
    }

    /// Appends the next revision and drops the oldest ones above the limits.
    pub(crate) fn push(&mut self, published: Arc<Published>) {
        self.bytes += published.json.len();
        self.entries.push_back(published);
        while self.entries.len() > 1
            && (self.entries.len() > self.max_revisions || self.bytes > self.max_bytes)
        {
            if let Some(dropped) = self.entries.pop_front() {
                self.bytes -= dropped.json.len();
            }
        }
    }

    /// The newest revision.
    pub(crate) fn newest(&self) -> Option<&Arc<Published>> {
        self.entries.back()
    }

    /// The retained publication of this very snapshot.
    pub(crate) fn of(&self, snapshot: &Arc<Snapshot>) -> Option<&Arc<Published>> {
        let found = self.above(snapshot.revision.checked_sub(1)?).next()?;
        Arc::ptr_eq(&found.snapshot, snapshot).then_some(found)
    }

    /// The oldest retained revision.
    pub(crate) fn oldest_revision(&self) -> Option<u64> {
        self.entries.front().map(|entry| entry.revision())
    }

    /// Retained revisions above `revision`, ascending.
    pub(crate) fn above(&self, revision: u64) -> impl Iterator<Item = &Arc<Published>> {
        let start = self
            .entries
            .partition_point(|entry| entry.revision() <= revision);
        self.entries.range(start..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::world;

    fn published(revision: u64) -> Arc<Published> {
        let mut snapshot = world(&[]).snapshot;
        snapshot.revision = revision;
        Arc::new(Published::new(snapshot))
    }

    fn revisions(ring: &Ring, above: u64) -> Vec<u64> {
        ring.above(above).map(|entry| entry.revision()).collect()
    }

    #[test]
    fn the_oldest_revisions_go_first() {
        let mut ring = Ring::with_limits(3, usize::MAX);
        for revision in 1..=5 {
            ring.push(published(revision));
        }
        assert_eq!(ring.oldest_revision(), Some(3));
        assert_eq!(revisions(&ring, 0), [3, 4, 5]);
        assert_eq!(revisions(&ring, 4), [5]);
        assert_eq!(revisions(&ring, 9), [0; 0]);
    }

    #[test]
    fn bytes_limit_the_ring_but_the_newest_stays() {
        let size = published(1).json.len();
        let mut ring = Ring::with_limits(100, 2 * size);
        for revision in 1..=3 {
            ring.push(published(revision));
        }
        assert_eq!(revisions(&ring, 0), [2, 3]);

        let mut tiny = Ring::with_limits(100, 1);
        tiny.push(published(1));
        tiny.push(published(2));
        assert_eq!(revisions(&tiny, 0), [2]);
        assert_eq!(tiny.bytes, size);
    }
}
