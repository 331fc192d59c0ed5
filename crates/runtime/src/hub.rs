//! The hub: the current snapshot, who follows it and who waits for a state in it (section 6).
//!
//! There is one lock. `Shared::state` guards everything in [`State`]: the replay ring and with it
//! the current snapshot, the sequence counters, the lifecycle records, the queues of all
//! subscribers and all waits. It is never held across an await, a waker, a channel or another lock:
//! `publish` collects the waits that ended and wakes them, and the subscribers, after the lock is
//! released.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::Arc;
use std::time::Instant;

use event_listener::Event;
use parking_lot::Mutex;
use protocol::{ApiError, Lifecycle, LifecycleEvent, PaneRef, Snapshot, TaskState};

use crate::lifecycle::Lifecycles;
use crate::projection::{Pacer, Projection, Stamps, differ_in_texts_only};
use crate::ring::{Published, Ring};
use crate::subscription::{Delivery, Queue, Subscription};
use crate::wait::{WaitResult, WaitSpec, WaitTicket, Waiter, exited, gone};

/// The one projection of the workspace that everybody reads. Cheap to clone; clones are the same
/// hub.
#[derive(Clone, Debug)]
pub struct RuntimeHub {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    boot_id: String,
    state: Mutex<State>,
    /// Wakes subscribers to look at their queues again.
    pub(crate) subscribers_changed: Event,
}

#[derive(Debug, Default)]
struct State {
    ring: Ring,
    stamps: Stamps,
    lifecycles: Lifecycles,
    pacer: Pacer,
    queues: HashMap<u64, Queue>,
    waits: BTreeMap<u64, Waiter>,
    last_subscription: u64,
    last_wait: u64,
    closed: bool,
}

impl RuntimeHub {
    /// A hub without a snapshot. `boot_id` is 32 hexadecimal digits, new on every start.
    #[must_use]
    pub fn new(boot_id: String) -> Self {
        Self {
            shared: Arc::new(Shared {
                boot_id,
                state: Mutex::default(),
                subscribers_changed: Event::new(),
            }),
        }
    }

    /// The id of this boot. Revisions of different boots are not comparable.
    #[must_use]
    pub fn boot_id(&self) -> &str {
        &self.shared.boot_id
    }

    /// Publishes a projection and returns the current snapshot, which is the previous one when
    /// nothing changed or when the change is held back (6.1).
    pub fn publish(&self, projection: Projection) -> Arc<Snapshot> {
        self.publish_at(projection, Instant::now())
    }

    /// [`Self::publish`] at a given time, which must not go back.
    pub fn publish_at(&self, projection: Projection, now: Instant) -> Arc<Snapshot> {
        let (published, ended) = {
            let mut state = self.shared.state.lock();
            match state.advance(projection, &self.shared.boot_id, now) {
                Ok(published) => {
                    let ended = state.observe_waits(&published.snapshot);
                    (published, ended)
                }
                Err(current) => return current,
            }
        };
        for (waiter, result) in ended {
            waiter.finish(result);
        }
        self.shared.subscribers_changed.notify(usize::MAX);
        Arc::clone(&published.snapshot)
    }

    /// The current snapshot; `None` before the first publication.
    #[must_use]
    pub fn current(&self) -> Option<Arc<Snapshot>> {
        self.shared.current()
    }

    /// The bytes of a snapshot that this hub published, as its subscribers get them. `None` when
    /// it has left the replay ring.
    #[must_use]
    pub fn encoded(&self, snapshot: &Arc<Snapshot>) -> Option<Arc<str>> {
        let state = self.shared.state.lock();
        state
            .ring
            .of(snapshot)
            .map(|published| Arc::clone(&published.json))
    }

    /// When a change that was held back may be published: the owner projects again then. `None`
    /// when nothing is held back.
    #[must_use]
    pub fn next_due(&self) -> Option<Instant> {
        self.shared.state.lock().pacer.due()
    }

    /// Follows the publications (section 8). What the acknowledgement says and what follows it is
    /// decided in one step, so nothing is missed or sent twice between the two.
    #[must_use]
    pub fn subscribe(&self, since_revision: Option<u64>, replay: bool) -> Subscription {
        let ack = {
            let mut state = self.shared.state.lock();
            state.last_subscription += 1;
            let id = state.last_subscription;
            let boot_id = &self.shared.boot_id;
            let (queue, ack) = Queue::open(&state.ring, id, boot_id, since_revision, replay);
            state.queues.insert(id, queue);
            ack
        };
        Subscription::new(Arc::clone(&self.shared), ack)
    }

    /// Waits for a task state (section 7). The current snapshot is looked at before this returns.
    #[must_use]
    pub fn wait(&self, spec: WaitSpec) -> WaitTicket {
        let (id, result, ended) = {
            let mut state = self.shared.state.lock();
            state.last_wait += 1;
            let id = state.last_wait;
            let current = state.ring.newest().map(|published| &published.snapshot);
            let (waiter, result) = Waiter::new(spec.clone(), current.map(AsRef::as_ref));
            let ended = match waiter.start(current, &state.lifecycles) {
                Some(outcome) => Some((waiter, outcome)),
                None => {
                    // After a shutdown nothing would ever end it; dropping the waiter tells so.
                    if !state.closed {
                        state.waits.insert(id, waiter);
                    }
                    None
                }
            };
            (id, result, ended)
        };
        if let Some((waiter, outcome)) = ended {
            waiter.finish(outcome);
        }
        WaitTicket::new(Arc::clone(&self.shared), id, spec, result)
    }

    /// Records that a pane closed or that its root process ended. The next publication shows it;
    /// publish the snapshot that follows from it right after.
    ///
    /// A pane that is still in the snapshot after an `exited` record is a held pane: waits on it
    /// end with `pane_exited` unless they ask for its final state (7.3).
    pub fn record_lifecycle(
        &self,
        pane: PaneRef,
        event: LifecycleEvent,
        exit_code: Option<i32>,
        signal: Option<i32>,
    ) -> Lifecycle {
        self.shared
            .state
            .lock()
            .lifecycles
            .record(pane, event, exit_code, signal)
    }

    /// The newest kept record of a pane.
    #[must_use]
    pub fn lifecycle(&self, pane: PaneRef) -> Option<Lifecycle> {
        self.shared.state.lock().lifecycles.of(pane).cloned()
    }

    /// What to tell whoever asked something of a pane that is over: the error that ends a wait on
    /// it (7.3), with its lifecycle record as details. `held` is the state of a pane that is still
    /// shown after its root process ended; `None` for a pane that is gone.
    #[must_use]
    pub fn over(&self, pane: PaneRef, held: Option<TaskState>) -> ApiError {
        let state = self.shared.state.lock();
        let lifecycles = &state.lifecycles;
        match held {
            None => gone(pane, lifecycles.of(pane)),
            Some(held) => match lifecycles.exit_of(pane) {
                Some(record) => exited(record, held),
                // Its terminal knows; the record is on its way.
                None => ApiError::pane_exited(pane),
            },
        }
    }

    /// A pane continues in another window: it keeps its sequence number, and waits follow it. Call
    /// this before publishing the snapshot that shows it there.
    pub fn pane_moved(&self, from: PaneRef, to: PaneRef) {
        let mut state = self.shared.state.lock();
        state.stamps.moved(from, to);
        state.lifecycles.moved(from, to);
        for waiter in state
            .waits
            .values_mut()
            .filter(|waiter| waiter.spec.target == from)
        {
            waiter.spec.target = to;
        }
    }

    /// The orderly end: subscribers get what is queued and then [`Delivery::Closed`], waits end
    /// with `runtime_unavailable`. Later publications reach nobody.
    pub fn shut_down(&self) {
        let waits = {
            let mut state = self.shared.state.lock();
            state.closed = true;
            mem::take(&mut state.waits)
        };
        // Dropping a waiter wakes its ticket, so it happens without the lock.
        drop(waits);
        self.shared.subscribers_changed.notify(usize::MAX);
    }
}

impl Shared {
    pub(crate) fn current(&self) -> Option<Arc<Snapshot>> {
        let state = self.state.lock();
        state
            .ring
            .newest()
            .map(|published| Arc::clone(&published.snapshot))
    }

    /// Where the pane of a wait is by now, and the current snapshot.
    pub(crate) fn observe(&self, wait: u64, target: PaneRef) -> (PaneRef, Option<Arc<Snapshot>>) {
        let state = self.state.lock();
        let target = state
            .waits
            .get(&wait)
            .map_or(target, |waiter| waiter.spec.target);
        (
            target,
            state
                .ring
                .newest()
                .map(|published| Arc::clone(&published.snapshot)),
        )
    }

    pub(crate) fn pop(&self, subscription: u64) -> Option<Delivery> {
        let mut state = self.state.lock();
        let closed = state.closed;
        state
            .queues
            .get_mut(&subscription)
            .and_then(|queue| queue.pop(closed))
    }

    pub(crate) fn is_overflowed(&self, subscription: u64) -> bool {
        self.state
            .lock()
            .queues
            .get(&subscription)
            .is_some_and(Queue::is_overflowed)
    }

    pub(crate) fn unsubscribe(&self, subscription: u64) {
        let queue = self.state.lock().queues.remove(&subscription);
        // A long backlog may be the last owner of its snapshots; freeing them needs no lock.
        drop(queue);
    }

    pub(crate) fn forget_wait(&self, wait: u64) {
        let waiter = self.state.lock().waits.remove(&wait);
        drop(waiter);
    }
}

impl State {
    /// Steps 1 to 3 of 6.1. `Err` is the unchanged current snapshot.
    fn advance(
        &mut self,
        projection: Projection,
        boot_id: &str,
        now: Instant,
    ) -> Result<Arc<Published>, Arc<Snapshot>> {
        let Projection {
            snapshot: mut next,
            transitions,
            paced,
        } = projection;
        let present = self.stamps.apply(&mut next, &transitions);
        next.boot_id = boot_id.to_owned();
        next.pane_lifecycles = self.lifecycles.list();

        let mut texts_only = false;
        let mut revision = 0;
        if let Some(current) = self.ring.newest().map(|published| &published.snapshot) {
            revision = current.revision;
            if next.same_content(current) {
                self.pacer.settled();
                return Err(Arc::clone(current));
            }
            texts_only = differ_in_texts_only(current, &next);
            if paced && texts_only && self.pacer.holds(now) {
                return Err(Arc::clone(current));
            }
        }
        next.revision = revision + 1;
        self.pacer.published(texts_only, now);
        let published = Arc::new(Published::new(next));
        self.ring.push(Arc::clone(&published));
        if !self.closed {
            for queue in self.queues.values_mut() {
                queue.push(&published);
            }
        }
        self.lifecycles.retain_exits(&present);
        Ok(published)
    }

    /// Removes the waits that end with this snapshot.
    fn observe_waits(&mut self, snapshot: &Arc<Snapshot>) -> Vec<(Waiter, WaitResult)> {
        let lifecycles = &self.lifecycles;
        let results: Vec<(u64, WaitResult)> = self
            .waits
            .iter()
            .filter_map(|(id, waiter)| Some((*id, waiter.observe(snapshot, lifecycles)?)))
            .collect();
        let ended = results.into_iter();
        ended
            .filter_map(|(id, result)| Some((self.waits.remove(&id)?, result)))
            .collect()
    }
}

#[cfg(test)]
mod tests;
