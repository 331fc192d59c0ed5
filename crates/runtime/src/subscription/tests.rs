use std::thread;

use futures_lite::future::{block_on, poll_once};
use protocol::TaskState::Idle;
use protocol::{SubscribeAck, limits};

use crate::sample::{pane, world};
use crate::{Delivery, RuntimeHub, Subscription};

/// A hub with this many revisions.
fn hub(revisions: u64) -> RuntimeHub {
    let hub = RuntimeHub::new("0f".repeat(16));
    rename(&hub, 1..=revisions);
    hub
}

fn rename(hub: &RuntimeHub, revisions: impl IntoIterator<Item = u64>) {
    for revision in revisions {
        let snapshot = hub.publish(world(&[pane(3, Idle).titled(&format!("{revision}"))]));
        assert_eq!(snapshot.revision, revision);
    }
}

/// The revisions that are there now.
fn drain(subscription: &Subscription) -> Vec<u64> {
    let mut revisions = Vec::new();
    while let Some(Delivery::Event(event)) = subscription.try_next() {
        revisions.push(event.revision());
    }
    revisions
}

#[test]
fn the_current_snapshot_follows_the_acknowledgement() {
    let hub = hub(5);
    let subscription = hub.subscribe(None, false);
    assert_eq!(
        *subscription.ack(),
        SubscribeAck {
            subscription_id: 1,
            current_revision: 5,
            boot_id: hub.boot_id().to_owned(),
            oldest_revision: 1,
            gap: false,
            replayed: 1,
        }
    );
    assert_eq!(drain(&subscription), [5]);
    rename(&hub, 6..=7);
    assert_eq!(drain(&subscription), [6, 7]);
}

#[test]
fn without_replay_only_the_current_snapshot_is_sent() {
    let hub = hub(5);
    assert_eq!(drain(&hub.subscribe(Some(2), false)), [5]);
    for since in [5, 6] {
        let subscription = hub.subscribe(Some(since), false);
        assert_eq!(drain(&subscription), [0; 0]);
    }
}

#[test]
fn before_the_first_publication_there_is_nothing() {
    let hub = hub(0);
    for (since, replay) in [
        (None, false),
        (None, true),
        (Some(0), true),
        (Some(0), false),
    ] {
        let subscription = hub.subscribe(since, replay);
        let ack = subscription.ack();
        assert_eq!(
            (ack.current_revision, ack.oldest_revision, ack.gap),
            (0, 0, false)
        );
        assert!(subscription.try_next().is_none());
    }
}

#[test]
fn a_replay_has_every_retained_revision_once() {
    let hub = hub(10);
    let subscription = hub.subscribe(Some(4), true);
    assert_eq!(
        (subscription.ack().gap, subscription.ack().replayed),
        (false, 6)
    );
    rename(&hub, 11..=12);
    assert_eq!(drain(&subscription), (5..=12).collect::<Vec<_>>());
    assert_eq!(drain(&hub.subscribe(None, true)), [12]);
    assert_eq!(drain(&hub.subscribe(Some(12), true)), [0; 0]);
}

#[test]
fn lost_revisions_are_a_gap() {
    let retained = limits::REPLAY_REVISIONS as u64;
    let hub = hub(retained + 100);
    let subscription = hub.subscribe(Some(1), true);
    assert_eq!(
        (subscription.ack().gap, subscription.ack().oldest_revision),
        (true, 101)
    );
    assert_eq!(
        drain(&subscription),
        (101..=retained + 100).collect::<Vec<_>>()
    );
    assert!(!hub.subscribe(Some(100), true).ack().gap);
}

#[test]
fn a_baseline_of_another_boot_is_a_gap_and_starts_with_the_current_snapshot() {
    let hub = hub(3);
    let subscription = hub.subscribe(Some(40), true);
    assert!(subscription.ack().gap);
    assert_eq!(drain(&subscription), [3]);
}

#[test]
fn the_backlog_does_not_count_against_the_queue() {
    let hub = hub(100);
    let subscription = hub.subscribe(Some(0), true);
    rename(&hub, 101..=116);
    assert!(!subscription.is_overflowed());
    assert_eq!(drain(&subscription), (1..=116).collect::<Vec<_>>());
}

#[test]
fn a_slow_subscriber_loses_its_queue_and_learns_where_to_resume() {
    let hub = hub(1);
    let subscription = hub.subscribe(None, false);
    assert!(matches!(subscription.try_next(), Some(Delivery::Event(_))));
    rename(&hub, 2..=17);
    assert!(block_on(poll_once(subscription.overflowed())).is_none());
    rename(&hub, [18]);
    assert!(subscription.is_overflowed());
    assert!(block_on(poll_once(subscription.overflowed())).is_some());
    for _ in 0..2 {
        let delivery = subscription.try_next().unwrap();
        assert!(matches!(delivery, Delivery::Overflow { last_revision: 1 }));
    }
    let resumed = hub.subscribe(Some(1), true);
    assert_eq!(drain(&resumed), (2..=18).collect::<Vec<_>>());
}

#[test]
fn the_last_revision_of_a_silent_subscriber_is_its_baseline() {
    for (since, replay, last) in [(Some(1), false, 1), (Some(9), true, 0), (None, false, 0)] {
        let hub = hub(1);
        let subscription = hub.subscribe(since, replay);
        rename(&hub, 2..=20);
        let Some(Delivery::Overflow { last_revision }) = subscription.try_next() else {
            panic!("no overflow");
        };
        assert_eq!(last_revision, last);
    }
}

#[test]
fn a_shutdown_ends_the_stream_after_the_last_event() {
    let hub = hub(2);
    let subscription = hub.subscribe(Some(0), true);
    hub.shut_down();
    rename(&hub, [3]);
    assert_eq!(drain(&subscription), [1, 2]);
    assert!(matches!(subscription.try_next(), Some(Delivery::Closed)));
}

#[test]
fn the_bytes_are_serialised_once_and_shared() {
    let hub = hub(1);
    let event = |subscription: Subscription| match subscription.try_next() {
        Some(Delivery::Event(event)) => event,
        other => panic!("{other:?}"),
    };
    let (one, two) = (
        event(hub.subscribe(None, false)),
        event(hub.subscribe(None, true)),
    );
    assert!(std::sync::Arc::ptr_eq(&one, &two));
    assert_eq!(
        *one.json,
        *serde_json::to_string(&*hub.current().unwrap()).unwrap()
    );
    assert!(!one.json.contains('\n'));
    let answered = hub.encoded(&hub.current().unwrap()).unwrap();
    assert!(std::sync::Arc::ptr_eq(&one.json, &answered));
    let stranger = std::sync::Arc::new((*hub.current().unwrap()).clone());
    assert!(hub.encoded(&stranger).is_none(), "it was not published");
}

/// Subscribers that resume after every overflow see each revision once while another thread
/// publishes.
#[test]
fn resuming_under_load_has_neither_holes_nor_duplicates() {
    const LAST: u64 = 900;
    let hub = hub(1);
    thread::scope(|scope| {
        let followers: Vec<_> = (0..3)
            .map(|_| {
                let hub = hub.clone();
                scope.spawn(move || {
                    let mut last = 0;
                    while last < LAST {
                        let subscription = hub.subscribe(Some(last), true);
                        assert!(!subscription.ack().gap);
                        loop {
                            match block_on(subscription.next()) {
                                Delivery::Event(event) => {
                                    assert_eq!(event.revision(), last + 1);
                                    last += 1;
                                }
                                Delivery::Overflow { last_revision } => {
                                    assert_eq!(last_revision, last);
                                    break;
                                }
                                Delivery::Closed => return last,
                            }
                        }
                    }
                    last
                })
            })
            .collect();
        rename(&hub, 2..=LAST);
        hub.shut_down();
        for follower in followers {
            assert_eq!(follower.join().unwrap(), LAST);
        }
    });
}
