use std::time::{Duration, Instant};

use protocol::{LifecycleEvent, StateSet, TaskState, limits};

use crate::sample::{in_window, paced, pane, seq_of, target, windows, world};
use crate::{RuntimeHub, TEXT_INTERVAL, WaitSpec};

use TaskState::{Idle, Running};

fn hub() -> RuntimeHub {
    RuntimeHub::new("0f".repeat(16))
}

#[test]
fn an_equal_projection_is_no_revision() {
    let hub = hub();
    assert!(hub.current().is_none());
    let first = hub.publish(world(&[pane(3, Idle)]));
    assert_eq!(first.revision, 1);
    assert_eq!(first.boot_id, hub.boot_id());
    assert_eq!(hub.publish(world(&[pane(3, Idle)])).revision, 1);
    assert_eq!(
        hub.publish(world(&[pane(3, Idle).titled("vi")])).revision,
        2
    );
    assert_eq!(hub.current().unwrap().revision, 2);
}

#[test]
fn the_sequence_counts_transitions_between_publications() {
    let hub = hub();
    let first = hub.publish(world(&[pane(3, Idle).after(4)]));
    assert_eq!(seq_of(&first, target(3)), 1, "the first stamp is 1");

    // idle, running, idle inside one tick: the same state, yet two transitions.
    let second = hub.publish(world(&[pane(3, Idle).after(2)]));
    assert_eq!((second.revision, seq_of(&second, target(3))), (2, 3));

    let third = hub.publish(world(&[pane(3, Running)]));
    assert_eq!(
        seq_of(&third, target(3)),
        4,
        "a transition nobody counted is one"
    );

    let fourth = hub.publish(world(&[pane(3, Running).titled("make")]));
    assert_eq!((fourth.revision, seq_of(&fourth, target(3))), (4, 4));
}

#[test]
fn panes_of_two_windows_do_not_share_a_sequence() {
    let hub = hub();
    hub.publish(windows(&[(1, &[pane(3, Idle)]), (2, &[pane(3, Idle)])]));
    let next = hub.publish(windows(&[(1, &[pane(3, Running)]), (2, &[pane(3, Idle)])]));
    assert_eq!(seq_of(&next, in_window(1, 3)), 2);
    assert_eq!(seq_of(&next, in_window(2, 3)), 1);
}

#[test]
fn a_moved_pane_keeps_its_sequence() {
    let hub = hub();
    hub.publish(windows(&[(1, &[pane(3, Idle), pane(4, Idle)]), (2, &[])]));
    hub.publish(windows(&[
        (1, &[pane(3, Running), pane(4, Idle)]),
        (2, &[]),
    ]));
    hub.pane_moved(in_window(1, 3), in_window(2, 3));
    let moved = hub.publish(windows(&[(1, &[pane(4, Idle)]), (2, &[pane(3, Running)])]));
    assert_eq!(seq_of(&moved, in_window(2, 3)), 2);
}

#[test]
fn texts_alone_are_paced_but_not_after_a_command() {
    let hub = hub();
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    hub.publish_at(world(&[pane(3, Idle).titled("a")]), at(0));
    let texts = |title, ms| {
        hub.publish_at(paced(world(&[pane(3, Idle).titled(title)])), at(ms))
            .revision
    };
    assert_eq!(
        texts("b", 10),
        2,
        "the first change after a quiet time is not held back"
    );
    assert_eq!(texts("c", 20), 2);
    assert_eq!(hub.next_due(), Some(at(10) + TEXT_INTERVAL));
    assert_eq!(texts("d", 509), 2);
    assert_eq!(texts("e", 510), 3);
    assert_eq!(hub.next_due(), None);

    // A state carries the texts along, at once.
    let state = hub.publish_at(paced(world(&[pane(3, Running).titled("f")])), at(520));
    assert_eq!(state.revision, 4);
    // A command is never delayed.
    assert_eq!(
        hub.publish_at(world(&[pane(3, Running).titled("g")]), at(530))
            .revision,
        5
    );
}

#[test]
fn labels_directories_and_branches_are_texts_too() {
    let change: [fn(&mut protocol::Tab); 3] = [
        |tab| tab.label.push('x'),
        |tab| tab.panes[0].cwd.push('x'),
        |tab| tab.panes[0].branch.push('x'),
    ];
    for change in change {
        let hub = hub();
        let now = Instant::now();
        hub.publish_at(world(&[pane(3, Idle)]), now);
        hub.publish_at(paced(world(&[pane(3, Idle).titled("a")])), now);
        let mut next = paced(world(&[pane(3, Idle).titled("a")]));
        change(&mut next.snapshot.windows[0].tabs[0]);
        assert_eq!(hub.publish_at(next, now).revision, 2);
        assert!(hub.next_due().is_some());
    }
}

#[test]
fn a_text_that_changes_back_leaves_nothing_due() {
    let hub = hub();
    let start = Instant::now();
    hub.publish_at(world(&[pane(3, Idle)]), start);
    hub.publish_at(paced(world(&[pane(3, Idle).titled("a")])), start);
    hub.publish_at(paced(world(&[pane(3, Idle).titled("b")])), start);
    assert!(hub.next_due().is_some());
    hub.publish_at(paced(world(&[pane(3, Idle).titled("a")])), start);
    assert_eq!(hub.next_due(), None);
}

#[test]
fn lifecycle_records_are_numbered_bounded_and_published() {
    let hub = hub();
    hub.publish(world(&[pane(3, Idle)]));
    for pane_id in 100..100 + limits::LIFECYCLES as u64 + 5 {
        hub.record_lifecycle(target(pane_id), LifecycleEvent::Closed, None, None);
    }
    let record = hub.record_lifecycle(target(3), LifecycleEvent::Exited, Some(3), None);
    let snapshot = hub.publish(world(&[pane(3, Idle)]));
    assert_eq!(snapshot.revision, 2, "a new record is a change");
    let list = &snapshot.pane_lifecycles;
    assert_eq!(list.len(), limits::LIFECYCLES);
    assert!(
        list.windows(2)
            .all(|pair| pair[0].sequence < pair[1].sequence)
    );
    assert_eq!(list.last(), Some(&record));
    assert_eq!(hub.lifecycle(target(3)), Some(record));
    assert_eq!(hub.lifecycle(target(100)), None, "the oldest are forgotten");
    assert!(hub.lifecycle(target(7)).is_none());
}

#[test]
fn dropped_subscriptions_and_waits_leave_nothing_behind() {
    let hub = hub();
    hub.publish(world(&[pane(3, Running)]));
    let subscription = hub.subscribe(None, false);
    let spec = WaitSpec {
        target: target(3),
        states: StateSet::settled(),
        after_seq: None,
        pin: None,
    };
    let ticket = hub.wait(spec);
    {
        let state = hub.shared.state.lock();
        assert_eq!((state.queues.len(), state.waits.len()), (1, 1));
    }
    drop((subscription, ticket));
    hub.publish(world(&[]));
    let state = hub.shared.state.lock();
    assert_eq!((state.queues.len(), state.waits.len()), (0, 0));
}

#[test]
fn exits_are_remembered_as_long_as_the_pane_is_there() {
    let hub = hub();
    hub.publish(world(&[pane(3, Running)]));
    hub.record_lifecycle(target(3), LifecycleEvent::Exited, Some(0), None);
    let remembered = || {
        hub.shared
            .state
            .lock()
            .lifecycles
            .exit_of(target(3))
            .is_some()
    };
    hub.publish(world(&[pane(3, TaskState::Finished)]));
    assert!(remembered());
    hub.publish(world(&[]));
    assert!(!remembered());
}
