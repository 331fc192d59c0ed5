use futures_lite::future::{block_on, poll_once};
use protocol::{ErrorCode, LifecycleEvent, StateSet, TaskState};
use serde_json::json;

use crate::sample::{in_window, pane, seq_of, states, target, windows, world};
use crate::wait::WaitResult;
use crate::{RuntimeHub, WaitSpec, WaitTicket};

use TaskState::{Attention, Failed, Finished, Idle, Running};

fn hub(state: TaskState) -> RuntimeHub {
    let hub = RuntimeHub::new("0f".repeat(16));
    hub.publish(world(&[pane(3, state)]));
    hub
}

fn spec(states: StateSet, after_seq: Option<u64>) -> WaitSpec {
    WaitSpec {
        target: target(3),
        states,
        after_seq,
        pin: None,
    }
}

/// The result of a wait that has to be over by now.
#[track_caller]
fn ended(ticket: &WaitTicket) -> WaitResult {
    block_on(poll_once(ticket.outcome())).expect("the wait is over")
}

#[track_caller]
fn assert_open(ticket: &WaitTicket) {
    assert!(ticket.try_outcome().is_none());
}

#[test]
fn without_a_baseline_the_current_state_matches() {
    for after_seq in [None, Some(0)] {
        let ticket = hub(Idle).wait(spec(StateSet::settled(), after_seq));
        let matched = ended(&ticket).unwrap();
        assert_eq!((matched.state, matched.state_change_seq), (Idle, 1));
        assert_eq!(matched.snapshot.revision, 1);
    }
}

#[test]
fn a_state_from_before_the_baseline_never_matches() {
    let hub = hub(Idle);
    let ticket = hub.wait(spec(states(&[Idle]), Some(1)));
    hub.publish(world(&[pane(3, Idle).titled("x")]));
    assert_open(&ticket);
    // The command begins and ends between two publications.
    hub.publish(world(&[pane(3, Idle).after(2)]));
    assert_eq!(ended(&ticket).unwrap().state_change_seq, 3);
}

#[test]
fn a_short_state_is_not_missed() {
    let hub = hub(Idle);
    let ticket = hub.wait(spec(states(&[Attention]), None));
    hub.publish(world(&[pane(3, Attention)]));
    let seen = hub.publish(world(&[pane(3, Running)]));
    let matched = ended(&ticket).unwrap();
    assert_eq!(matched.state, Attention);
    assert_eq!(matched.snapshot.revision + 1, seen.revision);
}

#[test]
fn a_baseline_above_the_current_sequence_waits() {
    let hub = hub(Idle);
    let ticket = hub.wait(spec(StateSet::settled(), Some(3)));
    hub.publish(world(&[pane(3, Idle).after(2)]));
    assert_open(&ticket);
    hub.publish(world(&[pane(3, Idle).after(2)]));
    assert!(ended(&ticket).is_ok());
}

#[test]
fn unknown_and_closed_panes_are_told_at_the_start() {
    let hub = hub(Idle);
    let never = hub.wait(WaitSpec {
        target: target(9),
        ..spec(StateSet::settled(), None)
    });
    let error = ended(&never).unwrap_err();
    assert_eq!(error.code, ErrorCode::TargetNotFound);
    assert_eq!(error.details, json!({"window_id": 1, "pane_id": 9}));

    hub.record_lifecycle(target(8), LifecycleEvent::Closed, None, None);
    let closed = hub.wait(WaitSpec {
        target: target(8),
        ..spec(StateSet::settled(), None)
    });
    let error = ended(&closed).unwrap_err();
    assert_eq!(error.code, ErrorCode::PaneClosed);
    assert_eq!(
        error.details,
        json!({"sequence": 1, "window_id": 1, "pane_id": 8, "event": "closed"})
    );
}

#[test]
fn a_pane_that_goes_away_ends_the_wait() {
    for (event, code) in [
        (LifecycleEvent::Closed, ErrorCode::PaneClosed),
        (LifecycleEvent::Exited, ErrorCode::PaneExited),
    ] {
        let hub = hub(Running);
        let ticket = hub.wait(spec(states(&[Failed]), None));
        hub.record_lifecycle(target(3), event, None, None);
        assert_open(&ticket);
        hub.publish(world(&[]));
        let error = ended(&ticket).unwrap_err();
        assert_eq!(error.code, code);
        assert_eq!(error.details["sequence"], 1);
    }
}

#[test]
fn a_pane_without_a_record_counts_as_closed() {
    let hub = hub(Running);
    let ticket = hub.wait(spec(StateSet::settled(), None));
    hub.publish(world(&[]));
    assert_eq!(ended(&ticket).unwrap_err().code, ErrorCode::PaneClosed);
}

#[test]
fn the_final_state_of_a_held_pane_matches_only_by_its_name() {
    let hub = hub(Running);
    let settled = hub.wait(spec(StateSet::settled(), Some(1)));
    let literal = hub.wait(spec(states(&[Failed]), Some(1)));
    let other = hub.wait(spec(states(&[Finished]), Some(1)));
    let late = hub.wait(spec(states(&[Failed]), Some(2)));
    hub.record_lifecycle(target(3), LifecycleEvent::Exited, Some(3), None);
    hub.publish(world(&[pane(3, Failed)]));

    for ticket in [settled, other, late] {
        let error = ended(&ticket).unwrap_err();
        assert_eq!(error.code, ErrorCode::PaneExited);
        assert_eq!(error.details["task_state"], "failed");
        assert_eq!(error.details["exit_code"], 3);
    }
    assert_eq!(ended(&literal).unwrap().state, Failed);

    // The same at the start of a wait, also when the record was forgotten since.
    for pane_id in 100..400 {
        hub.record_lifecycle(target(pane_id), LifecycleEvent::Closed, None, None);
    }
    hub.publish(world(&[pane(3, Failed)]));
    let error = ended(&hub.wait(spec(StateSet::settled(), None))).unwrap_err();
    assert_eq!(error.code, ErrorCode::PaneExited);
}

#[test]
fn a_pinned_wait_ends_with_its_occupant() {
    for (next, code) in [
        (None, ErrorCode::AgentExited),
        (Some("claude"), ErrorCode::AgentReplaced),
    ] {
        let hub = hub(Idle);
        hub.publish(world(&[pane(3, Running).occupied(2, Some("codex"))]));
        let pinned = WaitSpec {
            pin: Some(2),
            ..spec(states(&[Idle]), None)
        };
        let ticket = hub.wait(pinned.clone());
        // The state would match, but in another program.
        hub.publish(world(&[pane(3, Idle).occupied(3, next)]));
        let error = ended(&ticket).unwrap_err();
        assert_eq!(error.code, code);
        assert_eq!(
            error.details,
            json!({"kind": "codex", "task_state": "idle"})
        );
        // A different value at the start is the same error.
        assert_eq!(ended(&hub.wait(pinned)).unwrap_err().code, code);
    }
}

#[test]
fn the_deadline_tells_what_was_observed() {
    let hub = hub(Idle);
    let ticket = hub.wait(spec(states(&[Running]), Some(1)));
    let error = ticket.timeout_error();
    assert_eq!(error.code, ErrorCode::Timeout);
    assert_eq!(
        error.details,
        json!({
            "window_id": 1, "pane_id": 3, "after_seq": 1, "observed_state_change_seq": 1,
            "observed_state": "idle", "states": ["running"],
        })
    );
    let gone = hub.wait(WaitSpec {
        target: target(9),
        ..spec(states(&[Running]), None)
    });
    let details = gone.timeout_error().details;
    assert!(details["after_seq"].is_null() && details["observed_state_change_seq"].is_null());
}

#[test]
fn a_wait_follows_a_moved_pane() {
    let hub = RuntimeHub::new(String::new());
    hub.publish(windows(&[(1, &[pane(3, Running)]), (2, &[])]));
    let ticket = hub.wait(spec(states(&[Idle]), None));
    hub.pane_moved(target(3), in_window(2, 3));
    hub.publish(windows(&[(1, &[]), (2, &[pane(3, Running)])]));
    assert_open(&ticket);
    assert_eq!(ticket.timeout_error().details["window_id"], 2);
    assert_eq!(ticket.timeout_error().details["observed_state"], "running");
    let last = hub.publish(windows(&[(1, &[]), (2, &[pane(3, Idle)])]));
    assert_eq!(seq_of(&last, in_window(2, 3)), 2);
    assert!(ended(&ticket).is_ok());
}

#[test]
fn a_shutdown_ends_open_and_later_waits() {
    let hub = hub(Running);
    let ticket = hub.wait(spec(StateSet::settled(), None));
    hub.shut_down();
    let later = hub.wait(spec(StateSet::settled(), None));
    for ticket in [ticket, later] {
        assert_eq!(
            ended(&ticket).unwrap_err().code,
            ErrorCode::RuntimeUnavailable
        );
    }
}
