//! Encoded snapshots for answers: each publication is encoded once, however often it is asked for.
//! (Events carry the bytes that the hub keeps for its replay ring.)

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use protocol::Snapshot;

/// Publications remembered: the current one and the one before, which answers on their way carry.
const REMEMBERED: usize = 2;

/// The encoded form of the latest snapshots.
#[derive(Default)]
pub(crate) struct SnapshotBytes {
    latest: RefCell<VecDeque<Encoded>>,
}

/// Keeping the `Arc` alive keeps its address, by which it is found, from being used again.
type Encoded = (Arc<Snapshot>, Rc<[u8]>);

impl SnapshotBytes {
    /// The snapshot as JSON.
    ///
    /// # Errors
    /// It could not be encoded.
    pub fn of(&self, snapshot: &Arc<Snapshot>) -> serde_json::Result<Rc<[u8]>> {
        let mut latest = self.latest.borrow_mut();
        let known = latest
            .iter()
            .find(|(known, _)| Arc::ptr_eq(known, snapshot));
        if let Some((_, bytes)) = known {
            return Ok(Rc::clone(bytes));
        }
        let bytes: Rc<[u8]> = serde_json::to_vec(snapshot)?.into();
        if latest.len() == REMEMBERED {
            latest.pop_front();
        }
        latest.push_back((Arc::clone(snapshot), Rc::clone(&bytes)));
        Ok(bytes)
    }
}
