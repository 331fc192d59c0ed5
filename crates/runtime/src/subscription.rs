//! One subscriber of the hub: its queue, and the end of it that the server holds.
//!
//! A queue first holds the backlog (the replay, or the current snapshot) and then at most
//! 16 live events (2.8). The backlog is fixed when the subscription begins and shares its bytes
//! with the replay ring. A subscriber that falls further behind loses its queue and gets one
//! [`Delivery::Overflow`]: publishing never waits for anybody (8.6).

use std::collections::VecDeque;
use std::sync::Arc;

use protocol::{SubscribeAck, limits};

use crate::hub::Shared;
use crate::ring::{Published, Ring};

/// What a subscriber gets next.
#[derive(Clone, Debug)]
pub enum Delivery {
    /// The next snapshot, each revision once and in ascending order.
    Event(Arc<Published>),
    /// The subscriber was too slow; nothing follows.
    Overflow {
        /// The last revision handed out before; the baseline to resume from.
        last_revision: u64,
    },
    /// The hub was shut down and everything before was delivered; nothing follows.
    Closed,
}

/// The hub's side. Guarded by the hub's lock.
#[derive(Debug)]
pub(crate) struct Queue {
    events: VecDeque<Arc<Published>>,
    /// How many at the front of `events` are backlog.
    backlog: usize,
    last_revision: u64,
    overflowed: bool,
}

impl Queue {
    /// The queue of a new subscriber and its acknowledgement (8.2, 8.4).
    pub(crate) fn open(
        ring: &Ring,
        subscription_id: u64,
        boot_id: &str,
        since_revision: Option<u64>,
        replay: bool,
    ) -> (Self, SubscribeAck) {
        let current = ring.newest();
        let current_revision = current.map_or(0, |entry| entry.revision());
        let oldest_revision = ring.oldest_revision().unwrap_or(0);
        let foreign = since_revision.is_some_and(|since| since > current_revision);
        let lost = since_revision.is_some_and(|since| since.saturating_add(1) < oldest_revision);
        let events: VecDeque<_> = match since_revision {
            Some(since) if replay && !foreign => ring.above(since).cloned().collect(),
            // Without replay a baseline above the current revision means "nothing until it
            // changes".
            Some(since) if !replay && since >= current_revision => VecDeque::new(),
            _ => current.cloned().into_iter().collect(),
        };
        let ack = SubscribeAck {
            subscription_id,
            current_revision,
            boot_id: boot_id.to_owned(),
            oldest_revision,
            gap: foreign || lost,
            replayed: events.len() as u64,
        };
        let queue = Self {
            backlog: events.len(),
            events,
            last_revision: since_revision.filter(|_| !foreign).unwrap_or(0),
            overflowed: false,
        };
        (queue, ack)
    }

    /// Appends a live event, or gives the subscriber up.
    pub(crate) fn push(&mut self, published: &Arc<Published>) {
        if self.overflowed {
            return;
        }
        if self.events.len() - self.backlog >= limits::SUBSCRIBER_EVENTS {
            self.overflowed = true;
            self.backlog = 0;
            self.events = VecDeque::new();
        } else {
            self.events.push_back(Arc::clone(published));
        }
    }

    pub(crate) fn pop(&mut self, closed: bool) -> Option<Delivery> {
        if self.overflowed {
            return Some(Delivery::Overflow {
                last_revision: self.last_revision,
            });
        }
        if let Some(event) = self.events.pop_front() {
            self.backlog = self.backlog.saturating_sub(1);
            self.last_revision = event.revision();
            return Some(Delivery::Event(event));
        }
        closed.then_some(Delivery::Closed)
    }

    pub(crate) fn is_overflowed(&self) -> bool {
        self.overflowed
    }
}

/// A subscription. Dropping it ends it.
#[derive(Debug)]
pub struct Subscription {
    shared: Arc<Shared>,
    ack: SubscribeAck,
}

impl Subscription {
    pub(crate) fn new(shared: Arc<Shared>, ack: SubscribeAck) -> Self {
        Self { shared, ack }
    }

    /// What to answer before the first event.
    #[must_use]
    pub fn ack(&self) -> &SubscribeAck {
        &self.ack
    }

    /// What comes next, if it is there.
    #[must_use]
    pub fn try_next(&self) -> Option<Delivery> {
        self.shared.pop(self.ack.subscription_id)
    }

    /// What comes next. Dropping the future loses nothing. After [`Delivery::Overflow`] or
    /// [`Delivery::Closed`] it answers the same again.
    ///
    /// `last_revision` of an overflow is the event handed out before, so call this only when that
    /// event was written completely; otherwise close without the error line.
    pub async fn next(&self) -> Delivery {
        loop {
            if let Some(delivery) = self.try_next() {
                return delivery;
            }
            let listener = self.shared.subscribers_changed.listen();
            // Something may have come between the look and the listening.
            if let Some(delivery) = self.try_next() {
                return delivery;
            }
            listener.await;
        }
    }

    /// Whether the queue was given up.
    #[must_use]
    pub fn is_overflowed(&self) -> bool {
        self.shared.is_overflowed(self.ack.subscription_id)
    }

    /// Returns when the queue was given up: a writer that is stuck in a line has 5 s from then
    /// (8.6). Never returns otherwise.
    pub async fn overflowed(&self) {
        while !self.is_overflowed() {
            let listener = self.shared.subscribers_changed.listen();
            if self.is_overflowed() {
                return;
            }
            listener.await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.shared.unsubscribe(self.ack.subscription_id);
    }
}

#[cfg(test)]
mod tests;
