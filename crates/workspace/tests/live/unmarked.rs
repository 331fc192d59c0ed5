//! Shells without marks: what they do is seen from their processes.

use protocol::TaskState;
use serde_json::json;

use crate::harness::{Live, reference, state};

const UNMARKED: &str = "terminal.shell_integration = \"off\"\n";

#[test]
fn a_short_command_settles_by_samples() {
    let mut live = Live::with_settings(UNMARKED);
    let pane = live.first();
    let answer = live.command(pane, "true");
    assert_eq!(state(&answer["edge"], pane).0, TaskState::Running);
    assert_eq!(answer["wait"]["state"], "idle");
}

#[test]
fn a_program_in_front_runs_and_confirms() {
    let mut live = Live::with_settings(UNMARKED);
    let pane = live.first();
    let answer = live.command(pane, "sleep 1");
    assert_eq!(answer["wait"]["submission"], "confirmed");
    assert_eq!(answer["wait"]["state"], "idle");
}

#[test]
fn a_typed_program_is_seen_running_and_rings_for_input() {
    let mut live = Live::with_settings(UNMARKED);
    let pane = live.first();
    let id = workspace::PaneId(pane);
    let typed = b"sh -c 'sleep 1; printf \"\\a\"; exec sleep 60'\r";
    live.workspace
        .type_input(id, typed.to_vec())
        .expect("typed");
    live.until("it runs", |snapshot| {
        snapshot
            .pane(reference(pane))
            .is_some_and(|pane| pane.task_state == TaskState::Running)
    });
    let snapshot = live.until("the bell", |snapshot| {
        let pane = snapshot.pane(reference(pane)).expect("there");
        pane.task_state == TaskState::WaitingInput
    });
    assert!(snapshot.pane(reference(pane)).expect("there").unseen);
    live.workspace.type_input(id, b"x".to_vec()).expect("typed");
    live.until("the key answers it", |snapshot| {
        snapshot
            .pane(reference(pane))
            .is_some_and(|pane| pane.task_state == TaskState::Running)
    });
    let key = json!({"pane_id": pane, "key": "c", "modifiers": {"control": true}});
    live.call("pane.send_key", key).expect("sent");
    live.until("the prompt", |snapshot| {
        snapshot
            .pane(reference(pane))
            .is_some_and(|pane| pane.task_state == TaskState::Idle)
    });
    assert!(
        live.workspace
            .pane(id)
            .is_some_and(|pane| pane.last_interrupt().is_some())
    );
}

#[test]
fn the_directory_is_found_without_osc_7() {
    let mut live = Live::with_settings(UNMARKED);
    let pane = live.first();
    live.command(pane, "cd /usr/share");
    live.until("the directory", |snapshot| {
        snapshot
            .pane(reference(pane))
            .is_some_and(|pane| pane.cwd == "/usr/share")
    });
}
