//! The ends of panes: exits, kills, closing what is busy, holding what ended.

use protocol::{ErrorCode, LifecycleEvent, TaskState};
use serde_json::json;

use crate::harness::{Live, record, reference};

/// Longer than a failure counts as a failed start.
const GROWN_UP: &str = "sleep 2.1";

#[test]
fn closing_a_busy_pane_asks_and_force_closes() {
    let mut live = Live::start();
    let first = live.first();
    let pane = live.split(first, "left_right");
    live.call("pane.prompt", json!({"pane_id": pane, "text": "sleep 60"}))
        .expect("written");
    let refused = live.refused("pane.close", json!({"pane_id": pane}));
    assert_eq!(refused.code, ErrorCode::ConfirmationRequired);
    assert_eq!(
        refused.details,
        json!({"busy": [{"pane_id": pane, "program": "sleep"}]})
    );
    let refused = live.refused("tab.close", json!({"tab_index": 0}));
    assert_eq!(refused.code, ErrorCode::ConfirmationRequired);
    let refused = live.refused("window.close", json!({}));
    assert_eq!(refused.code, ErrorCode::ConfirmationRequired);

    let wait = live.dispatch("pane.wait", json!({"pane_id": pane, "timeout_ms": 60000}));
    let Ok(runtime::Outcome::Waiting(ticket)) = wait else {
        panic!("{wait:?}")
    };
    live.call("pane.close", json!({"pane_id": pane, "force": true}))
        .expect("closed");
    let ended = live.wait(ticket).expect_err("the pane is gone");
    assert_eq!(ended.code, ErrorCode::PaneClosed);
    assert_eq!(ended.details["event"], "closed");

    let snapshot = live.snapshot();
    assert!(snapshot.pane(reference(pane)).is_none());
    assert_eq!(
        record(&snapshot, pane),
        Some((LifecycleEvent::Closed, None))
    );
    assert_eq!(*live.tokens.revoked.lock(), [pane]);
    let refused = live.refused("pane.prompt", json!({"pane_id": pane, "text": "x"}));
    assert_eq!(refused.code, ErrorCode::TargetNotFound);
    assert!(
        live.split(first, "left_right") > pane,
        "ids are not given again"
    );
}

#[test]
fn a_pane_closes_with_its_shell() {
    let mut live = Live::start();
    let first = live.first();
    let pane = live.split(first, "top_bottom");
    live.call("pane.prompt", json!({"pane_id": pane, "text": "exit 0"}))
        .expect("written");
    let snapshot = live.until("the exit", |snapshot| {
        snapshot.pane(reference(pane)).is_none()
    });
    assert_eq!(
        record(&snapshot, pane),
        Some((LifecycleEvent::Exited, Some(0)))
    );
    assert_eq!(live.pane(first).task_state, TaskState::Idle);
    assert_eq!(*live.tokens.revoked.lock(), [pane]);
}

#[test]
fn a_killed_shell_takes_its_pane_along_and_ends_the_wait() {
    let mut live = Live::start();
    let first = live.first();
    let pane = live.split(first, "top_bottom");
    live.command(pane, GROWN_UP);
    let params = json!({"pane_id": pane, "text": "kill -9 $$", "wait": {"state": "settled"}});
    let ended = live.refused("pane.prompt", params);
    assert_eq!(ended.code, ErrorCode::PaneExited);
    assert_eq!(ended.details["signal"], 9);
    assert!(live.snapshot().pane(reference(pane)).is_none());
}

#[test]
fn an_early_failure_stays_and_says_why() {
    let mut live = Live::start();
    let pane = live.first();
    let params = json!({"pane_id": pane, "text": "exit 3", "wait": {"states": ["failed"]}});
    let ended = live
        .call("pane.prompt", params)
        .expect("its final state was asked for");
    assert_eq!(ended["wait"]["state"], "failed");
    let held = live.pane(pane);
    assert_eq!((held.task_state, held.unseen), (TaskState::Failed, true));
    let read = live
        .call("pane.read", json!({"pane_id": pane}))
        .expect("readable");
    assert_eq!(
        (&read["exited"], &read["exit_reason"]),
        (&json!(true), &json!("bash ended with code 3"))
    );
    for (method, more) in [
        ("pane.prompt", json!({"text": "x"})),
        ("pane.send_key", json!({"key": "enter"})),
        ("pane.procs", json!({})),
        ("pane.split", json!({"direction": "left_right"})),
    ] {
        let mut params = more;
        params["pane_id"] = json!(pane);
        let refused = live.refused(method, params);
        assert_eq!(refused.code, ErrorCode::PaneExited, "{method}");
        assert_eq!(refused.details["exit_code"], 3, "{method}");
    }
    let refused = live.refused("pane.wait", json!({"pane_id": pane, "state": "settled"}));
    assert_eq!(refused.code, ErrorCode::PaneExited);

    let id = workspace::PaneId(pane);
    live.workspace.look_at(&[id]);
    assert!(!live.pane(pane).unseen);
    assert_eq!(live.pane(pane).task_state, TaskState::Failed);

    let again = live.workspace.restart(id).expect("it is over");
    let snapshot = live.until("the restart", |snapshot| {
        snapshot
            .pane(again.to_ref())
            .is_some_and(|pane| pane.task_state == TaskState::Idle)
    });
    assert!(snapshot.pane(reference(pane)).is_none());
    assert_eq!(snapshot.windows[0].focused_pane_id, Some(again.0));
}

#[test]
fn held_panes_finish_or_fail() {
    let mut live = Live::with_settings("panes.hold_on_exit = true\n");
    let first = live.first();
    let pane = live.split(first, "left_right");
    let params = json!({"pane_id": pane, "text": "exit 0", "wait": {"states": ["finished"]}});
    let ended = live
        .call("pane.prompt", params)
        .expect("its final state was asked for");
    assert_eq!(ended["wait"]["state"], "finished");
    let params = json!({"pane_id": first, "text": "exit 3", "wait": {"state": "settled"}});
    let ended = live.refused("pane.prompt", params);
    assert_eq!(ended.code, ErrorCode::PaneExited);
    assert_eq!(
        (&ended.details["exit_code"], &ended.details["task_state"]),
        (&json!(3), &json!("failed"))
    );

    live.call("pane.zoom", json!({"pane_id": pane, "zoomed": true}))
        .expect("dead panes zoom");
    live.call("pane.resize", json!({"pane_id": pane, "ratio": 0.3}))
        .expect("and resize");
    live.call("pane.close", json!({"pane_id": pane}))
        .expect("and close without asking");
    assert_eq!(
        record(&live.snapshot(), pane),
        Some((LifecycleEvent::Closed, None))
    );
}

#[test]
fn the_program_ends_with_its_last_pane() {
    let mut live = Live::start();
    let pane = live.first();
    let outcome = live.dispatch("pane.close", json!({"pane_id": pane, "force": true}));
    assert!(
        matches!(outcome, Ok(runtime::Outcome::Closing { .. })),
        "{outcome:?}"
    );
    assert!(live.workspace.is_quitting());
    let answered = live
        .workspace
        .take_answered()
        .expect("to be answered first");
    assert!(!answered.is_done());
    drop(outcome);
    assert!(answered.is_done());
    let refused = live.hub.current().expect("published").windows[0].tabs.len();
    assert_eq!(refused, 0);
}

#[test]
fn the_owner_ends_everything_that_was_started() {
    let mut live = Live::start();
    let first = live.first();
    let pane = live.split(first, "left_right");
    for pane in [first, pane] {
        // It ignores the polite signals.
        let line = "bash -c 'trap \"\" HUP TERM; sleep 600 & wait'";
        let params = json!({"pane_id": pane, "text": line});
        live.call("pane.prompt", params).expect("written");
        live.until_child(pane, "sleep");
    }
    let found = live.call("pane.procs", json!({"pane_id": pane}));
    let found = found.expect("listed")["processes"].clone();
    let pids: Vec<u64> = found
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|process| process["pid"].as_u64())
        .collect();
    assert!(pids.len() >= 3, "{pids:?}");
    live.workspace.quit();
    live.drive();
    for pid in pids {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(
            state.is_empty() || state.contains(") Z"),
            "{pid} is left: {state}"
        );
    }
}

/// Nothing is polled on the way out: the only pause is the limit of the whole.
#[test]
fn the_end_waits_for_events() {
    let mut live = Live::start();
    let pane = live.first();
    // Both ignore the polite signals, so the end takes as long as it can.
    for stubborn in [pane, live.split(pane, "left_right")] {
        let line = "trap '' HUP TERM; sleep 60";
        live.call("pane.prompt", json!({"pane_id": stubborn, "text": line}))
            .expect("written");
        live.until_child(stubborn, "sleep");
    }
    live.workspace.quit();
    let pauses = std::cell::RefCell::new(Vec::new());
    let closed = std::cell::Cell::new(false);
    let begun = std::time::Instant::now();
    live.end(async { closed.set(true) }, |length| {
        pauses.borrow_mut().push(length);
        async move {
            smol::Timer::after(length).await;
        }
    });
    assert!(closed.get());
    assert_eq!(pauses.borrow().len(), 1, "{pauses:?}");
    assert!(
        begun.elapsed() < pauses.borrow()[0],
        "its events were missed"
    );
}

#[test]
fn what_was_asked_before_the_end_is_refused_by_name() {
    let mut live = Live::start();
    let sender = live.sender();
    let ask = || {
        let method = "runtime.snapshot".parse().expect("a method");
        let call = protocol::Call::decode(method, json!({})).expect("good parameters");
        let origin = runtime::Origin::Owner;
        Box::pin(sender.dispatch(runtime::Command::Call { call, origin }))
    };
    let mut queued = ask();
    assert!(smol::block_on(smol::future::poll_once(&mut queued)).is_none());
    live.workspace.quit();
    live.end(async {}, |length| async move {
        smol::Timer::after(length).await;
    });
    let refused = smol::block_on(queued).expect_err("it ends");
    assert_eq!(refused.details["reason"], "quitting");
    let late = smol::block_on(ask()).expect_err("it ended");
    assert_eq!(late.details["reason"], "no_owner");
}

#[test]
fn a_shell_that_does_not_exist_is_shown_and_not_replaced() {
    let mut live = Live::start_with(
        "",
        workspace::FirstTab {
            cwd: None,
            shell: Some("/nonexistent/shell".to_owned()),
        },
    );
    let pane = live.first();
    assert_eq!(live.pane(pane).task_state, TaskState::Failed);
    let ending = live
        .workspace
        .pane(workspace::PaneId(pane))
        .and_then(|pane| pane.ending());
    assert!(ending.is_some_and(|ending| ending.sentence().contains("/nonexistent/shell")));
    let read = live
        .call("pane.read", json!({"pane_id": pane}))
        .expect("readable");
    assert_eq!(read["exited"], true);
    let refused = live.refused("pane.prompt", json!({"pane_id": pane, "text": "x"}));
    assert_eq!(refused.code, ErrorCode::PaneExited);
}
