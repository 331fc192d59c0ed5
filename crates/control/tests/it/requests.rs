//! Requests and their answers: framing, outcomes, errors of the owner.

use std::time::Duration;

use control::Deadlines;
use protocol::{Method, TaskState};
use serde_json::json;

use crate::peer::{code, result};
use crate::world::{World, until};

#[test]
fn one_request_and_the_end_of_input_give_one_line_and_the_end() {
    let world = World::new();
    for ending in ["", "\n", "\r\n"] {
        let mut peer = world.peer();
        peer.write(format!(
            "{}{ending}",
            world.request("runtime.snapshot", json!({}))
        ));
        peer.end_input();
        assert_eq!(result(&peer.answer())["revision"], 1);
        peer.assert_silence();
    }
}

#[test]
fn requests_written_ahead_are_answered_in_order() {
    let world = World::new();
    let mut peer = world.peer();
    let mut lines = String::new();
    for id in ["a", "b", "c"] {
        let mut request = world.request("runtime.describe", json!({}));
        request["id"] = json!(id);
        lines += &format!("{request}\n");
    }
    peer.write(lines);
    for id in ["a", "b", "c"] {
        assert_eq!(peer.answer()["id"], id);
    }
    result(&peer.ask(&world.request("runtime.snapshot", json!({}))));
}

#[test]
fn describe_is_answered_while_the_workspace_is_busy() {
    let world = World::new();
    let busy = world.model();
    let described = world.ask("runtime.describe", json!({}));
    let described = result(&described);
    assert_eq!(described["protocol_version"], 1);
    assert_eq!(described["schema"], "docs/runtime-api-v1.schema.json");
    assert!(
        described["capabilities"]
            .as_array()
            .unwrap()
            .contains(&json!("pane.wait"))
    );
    drop(busy);
}

#[test]
fn every_kind_of_outcome_has_its_shape() {
    let world = World::new();
    let mut peer = world.peer();
    let mut ask = |method: &str, params| peer.ask(&world.request(method, params));

    let snapshot = ask("runtime.snapshot", json!({}));
    assert_eq!(result(&snapshot)["boot_id"], "b".repeat(32));
    assert_eq!(
        result(&snapshot)["windows"][0]["tabs"][0]["panes"][0]["state_change_seq"],
        1
    );

    let renamed = ask("tab.rename", json!({"tab_index": 0, "name": "a \"b\""}));
    let renamed = result(&renamed);
    assert_eq!(
        renamed["action"],
        json!({"window_id": 1, "tab_index": 0, "name": "a \"b\""})
    );
    assert_eq!(renamed["snapshot"]["revision"], 2);
    assert!(renamed.get("wait").is_none());

    let agents = ask("agents.list", json!({"window_id": null}));
    assert_eq!(result(&agents), &json!({"revision": 2, "agents": []}));

    assert_eq!(
        result(&ask("pane.read", json!({"pane_id": 1})))["text"],
        "read"
    );
    assert_eq!(
        code(&ask("pane.procs", json!({"pane_id": 1}))),
        "runtime_unavailable"
    );
    assert_eq!(
        code(&ask("window.create", json!({}))),
        "runtime_unavailable"
    );
}

#[test]
fn the_answer_that_ends_the_program_is_written_first() {
    let world = World::new();
    let mut peer = world.peer();
    let closed = peer.ask(&world.request("window.close", json!({})));
    assert_eq!(result(&closed)["action"], json!({"window_id": 1}));
    let answered = world.model().answered.take().unwrap();
    until(|| answered.is_done());
}

#[test]
fn a_workspace_that_does_not_answer_is_a_timeout() {
    let world = World::with(Deadlines {
        dispatch: Duration::from_millis(50),
        ..Deadlines::default()
    });
    world.model().silent = true;
    let mut peer = world.peer();
    let answer = peer.ask(&world.request("pane.split", json!({"direction": "left_right"})));
    assert_eq!(code(&answer), "runtime_timeout");
    assert_eq!(answer["error"]["details"], json!({"method": "pane.split"}));
    world.model().silent = false;
    result(&peer.ask(&world.request("runtime.snapshot", json!({}))));
}

#[test]
fn a_busy_workspace_does_not_hold_up_other_connections() {
    let world = World::new();
    world.model().silent = true;
    let mut stuck: Vec<_> = (0..20).map(|_| world.peer()).collect();
    for peer in &mut stuck {
        peer.send(&world.request("runtime.snapshot", json!({})));
    }
    world.executed(Method::RuntimeSnapshot, 20);
    result(&world.ask("runtime.describe", json!({})));
}

#[test]
fn a_prompt_returns_the_running_edge() {
    let world = World::new();
    let answer = world.ask("pane.prompt", json!({"pane_id": 1, "text": "make"}));
    let answer = result(&answer);
    assert_eq!(
        answer["action"],
        json!({"window_id": 1, "pane_id": 1, "submitted": true})
    );
    let pane = &answer["snapshot"]["windows"][0]["tabs"][0]["panes"][0];
    assert_eq!(pane["task_state"], "running");
    assert_eq!(pane["state_change_seq"], 2);
    world.model().set_state(1, TaskState::Idle);
    let waited = world.ask("pane.wait", json!({"pane_id": 1, "after_seq": 2}));
    assert_eq!(
        result(&waited)["windows"][0]["tabs"][0]["panes"][0]["state_change_seq"],
        3
    );
}

#[test]
fn an_orderly_end_closes_idle_connections_and_removes_the_file() {
    let mut world = World::new();
    let mut peer = world.known_peer();
    let file = world.directory.path().join("runtime.port");
    assert!(file.exists());
    world.shut_down();
    peer.assert_silence();
    assert!(!file.exists());
    assert!(std::net::TcpStream::connect(("127.0.0.1", world.port)).is_err());
}
