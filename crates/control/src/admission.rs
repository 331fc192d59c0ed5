//! Connection slots: who may stay connected.
//!
//! Threat model: a peer without a token must not be able to keep clients out. Of the 64 slots at
//! most 32 belong to connections that have not shown a token yet; one more takes the place of the
//! oldest of them. A pane may hold 16, so a runaway program cannot lock out its neighbours.
//!
//! Everything here lives on the server thread, hence `Rc` and `RefCell`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::rc::Rc;

use async_channel::{Receiver, Sender};
use event_listener::Event;
use protocol::limits;
use runtime::Origin;

/// The slots of one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    shared: Rc<RefCell<Occupied>>,
    /// Notified when a slot was freed.
    left: Rc<Event>,
}

#[derive(Debug, Default)]
struct Occupied {
    next: u64,
    /// Ordered by arrival.
    connections: BTreeMap<u64, Connection>,
}

#[derive(Debug)]
struct Connection {
    holder: Option<Origin>,
    /// Dropped with the entry, which is how the connection learns of its eviction.
    _alive: Sender<Infallible>,
}

/// One occupied slot; dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct Admission {
    slots: Slots,
    number: u64,
    evicted: Receiver<Infallible>,
}

impl Slots {
    /// Takes a slot for a new connection, at the cost of the oldest unauthenticated one when
    /// there are too many of those. `None` when all slots are taken.
    pub fn admit(&self) -> Option<Admission> {
        let mut occupied = self.shared.borrow_mut();
        let mut waiting = occupied
            .connections
            .iter()
            .filter(|(_, connection)| connection.holder.is_none())
            .map(|(number, _)| *number);
        let oldest = waiting.next();
        let unauthenticated = waiting.count() + usize::from(oldest.is_some());
        if let Some(oldest) = oldest
            && unauthenticated >= limits::UNAUTHENTICATED
        {
            tracing::debug!("the oldest unauthenticated connection is closed for a new one");
            occupied.connections.remove(&oldest);
        }
        if occupied.connections.len() >= limits::CONNECTIONS {
            return None;
        }
        let (alive, evicted) = async_channel::bounded(1);
        let number = occupied.next;
        occupied.next += 1;
        let connection = Connection {
            holder: None,
            _alive: alive,
        };
        occupied.connections.insert(number, connection);
        Some(Admission {
            slots: self.clone(),
            number,
            evicted,
        })
    }

    /// Completes when no slot is occupied.
    pub async fn emptied(&self) {
        loop {
            // Made before the look, so that no departure in between is missed.
            let left = self.left.listen();
            if self.shared.borrow().connections.is_empty() {
                return;
            }
            left.await;
        }
    }
}

impl Admission {
    /// Notes who holds the connection. `false` when the connection must close: it was evicted, or
    /// its pane already holds as many connections as it may.
    pub fn authenticate(&self, origin: Origin) -> bool {
        let mut occupied = self.slots.shared.borrow_mut();
        let Some(connection) = occupied.connections.get(&self.number) else {
            return false;
        };
        if connection.holder == Some(origin) {
            return true;
        }
        if matches!(origin, Origin::Pane(_)) {
            let held = occupied
                .connections
                .values()
                .filter(|other| other.holder == Some(origin));
            if held.count() >= limits::CONNECTIONS_PER_PANE {
                return false;
            }
        }
        if let Some(connection) = occupied.connections.get_mut(&self.number) {
            connection.holder = Some(origin);
        }
        true
    }

    /// Completes when the slot was given to a newer connection.
    pub async fn evicted(&self) {
        // No value exists that could be received; the channel only ever closes.
        if let Ok(never) = self.evicted.recv().await {
            match never {}
        }
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.slots
            .shared
            .borrow_mut()
            .connections
            .remove(&self.number);
        self.slots.left.notify(usize::MAX);
    }
}

#[cfg(test)]
mod tests {
    use futures_lite::future;
    use protocol::PaneRef;

    use super::*;

    fn pane(pane_id: u64) -> Origin {
        Origin::Pane(PaneRef {
            window_id: 1,
            pane_id,
        })
    }

    fn is_evicted(admission: &Admission) -> bool {
        future::block_on(future::poll_once(admission.evicted())).is_some()
    }

    #[test]
    fn the_oldest_silent_connection_makes_room() {
        let slots = Slots::default();
        let silent: Vec<_> = (0..40).map(|_| slots.admit().unwrap()).collect();
        assert_eq!(slots.shared.borrow().connections.len(), 32);
        let evicted: Vec<_> = silent.iter().map(is_evicted).collect();
        assert!(evicted[..8].iter().all(|evicted| *evicted));
        assert!(evicted[8..].iter().all(|evicted| !*evicted));
        assert!(!silent[0].authenticate(Origin::Owner));
        assert!(silent[8].authenticate(Origin::Owner));
    }

    #[test]
    fn the_65th_is_refused_until_one_leaves() {
        let slots = Slots::default();
        let mut held = Vec::new();
        for _ in 0..64 {
            let admission = slots.admit().unwrap();
            assert!(admission.authenticate(Origin::Owner));
            held.push(admission);
        }
        assert!(slots.admit().is_none());
        held.pop();
        assert!(slots.admit().is_some());
    }

    #[test]
    fn a_pane_holds_sixteen() {
        let slots = Slots::default();
        let mut held = Vec::new();
        for _ in 0..16 {
            let admission = slots.admit().unwrap();
            assert!(admission.authenticate(pane(3)));
            assert!(admission.authenticate(pane(3)));
            held.push(admission);
        }
        let next = slots.admit().unwrap();
        assert!(!next.authenticate(pane(3)));
        assert!(next.authenticate(pane(4)));
        held.pop();
        let next = slots.admit().unwrap();
        assert!(next.authenticate(pane(3)));
    }
}
