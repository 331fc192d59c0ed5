//! Waiting for a state over the wire.

use std::time::Duration;

use control::Deadlines;
use protocol::{Method, TaskState};
use serde_json::json;
use socket2::SockRef;

use crate::peer::{Peer, code, result};
use crate::world::{World, until};

#[test]
fn a_wait_ends_with_the_snapshot_that_matches() {
    let world = World::new();
    let mut peer = world.peer();
    peer.send(&world.request("pane.wait", json!({"pane_id": 1, "state": "running"})));
    world.executed(Method::PaneWait, 1);
    world.model().rename("no match");
    world.model().set_state(1, TaskState::Running);
    let answer = peer.answer();
    assert_eq!(
        result(&answer)["windows"][0]["tabs"][0]["panes"][0]["task_state"],
        "running"
    );
    // The connection goes on.
    result(&peer.ask(&world.request("runtime.describe", json!({}))));
}

#[test]
fn a_deadline_says_what_was_observed() {
    let world = World::new();
    let params = json!({"pane_id": 1, "state": "running", "timeout_ms": 30, "after_seq": 1});
    let answer = world.ask("pane.wait", params);
    assert_eq!(code(&answer), "timeout");
    let details = &answer["error"]["details"];
    assert_eq!(details["pane_id"], 1);
    assert_eq!(details["after_seq"], 1);
    assert_eq!(details["observed_state_change_seq"], 1);
    assert_eq!(details["observed_state"], "idle");
}

#[test]
fn the_end_of_the_pane_ends_the_wait_at_once() {
    let world = World::new();
    let mut peer = world.peer();
    peer.send(&world.request("pane.wait", json!({"pane_id": 1, "state": "running"})));
    world.executed(Method::PaneWait, 1);
    world.model().close(1);
    let answer = peer.answer();
    assert_eq!(code(&answer), "pane_closed");
    assert_eq!(answer["error"]["details"]["event"], "closed");
    assert_eq!(
        code(&world.ask("pane.wait", json!({"pane_id": 99}))),
        "target_not_found"
    );
}

#[test]
fn a_prompt_waits_in_the_same_request() {
    let world = World::new();
    let mut peer = world.peer();
    let prompt = json!({"pane_id": 1, "text": "make", "wait": {"state": "settled"}});
    peer.send(&world.request("pane.prompt", prompt.clone()));
    world.executed(Method::PanePrompt, 1);
    world.model().submission.confirm();
    world.model().set_state(1, TaskState::Failed);
    let answer = peer.answer();
    let wait = &result(&answer)["wait"];
    assert_eq!(
        (&wait["state"], &wait["submission"]),
        (&json!("failed"), &json!("confirmed"))
    );
    assert_eq!(
        (&wait["after_seq"], &wait["state_change_seq"]),
        (&json!(2), &json!(3))
    );
    assert!(wait["elapsed_ms"].is_u64());
    let pane = &answer["result"]["snapshot"]["windows"][0]["tabs"][0]["panes"][0];
    assert_eq!(pane["state_change_seq"], 3);
}

#[test]
fn a_failed_wait_of_a_prompt_says_that_the_text_was_delivered() {
    let world = World::new();
    let wait = json!({"state": "idle", "timeout_ms": 30});
    let answer = world.ask(
        "pane.prompt",
        json!({"pane_id": 1, "text": "make", "wait": wait}),
    );
    assert_eq!(code(&answer), "timeout");
    let details = &answer["error"]["details"];
    assert_eq!(details["submitted"], true);
    assert_eq!(details["after_seq"], 2);
    assert_eq!(details["submission"], "unconfirmed");
}

#[test]
fn a_wait_blocks_only_its_own_connection() {
    let world = World::new();
    let mut peer = world.peer();
    let wait = world.request("pane.wait", json!({"pane_id": 1, "state": "running"}));
    let behind = world.request("runtime.snapshot", json!({}));
    peer.write(format!("{wait}\n{behind}\n"));
    world.executed(Method::PaneWait, 1);
    result(&world.ask("runtime.snapshot", json!({})));
    peer.assert_quiet(Duration::from_millis(50));
    assert_eq!(world.model().executed.len(), 2);
    world.model().set_state(1, TaskState::Running);
    result(&peer.answer());
    result(&peer.answer());
}

#[test]
fn the_end_of_input_does_not_end_a_wait() {
    let world = World::new();
    let mut peer = world.peer();
    peer.send(&world.request("pane.wait", json!({"pane_id": 1, "state": "running"})));
    peer.end_input();
    world.executed(Method::PaneWait, 1);
    world.model().set_state(1, TaskState::Running);
    result(&peer.answer());
    peer.assert_silence();
}

#[test]
fn a_waiting_client_that_is_gone_frees_its_slot() {
    let world = World::with(Deadlines {
        peer_check: Duration::from_millis(20),
        ..Deadlines::default()
    });
    let wait = world.request("pane.wait", json!({"pane_id": 1, "state": "running"}));
    let gone: Vec<Peer> = (0..64)
        .map(|waiting| {
            let stream = std::net::TcpStream::connect(("127.0.0.1", world.port)).unwrap();
            // Closing resets the connection, which is what a failed keep-alive probe leaves, too.
            SockRef::from(&stream)
                .set_linger(Some(Duration::ZERO))
                .unwrap();
            let mut peer = Peer::over(stream);
            peer.send(&wait);
            world.executed(Method::PaneWait, waiting + 1);
            peer
        })
        .collect();
    assert!(!world.has_room_for(1));
    drop(gone);
    until(|| world.has_room_for(64));
}

#[test]
fn a_thousand_prompts_in_a_row_never_see_the_state_before() {
    let world = World::new();
    let mut peer = world.peer();
    let prompt = json!({"pane_id": 1, "text": "true", "wait": {"state": "settled"}});
    let mut last = 1;
    for round in 1..=1000 {
        peer.send(&world.request("pane.prompt", prompt.clone()));
        world.executed(Method::PanePrompt, round);
        world.model().set_state(1, TaskState::Idle);
        let answer = peer.answer();
        let wait = &result(&answer)["wait"];
        assert_eq!(wait["state"], "idle");
        assert_eq!(wait["after_seq"], last + 1);
        assert_eq!(wait["state_change_seq"], last + 2);
        last += 2;
    }
}
