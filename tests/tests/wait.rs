//! Waiting for a pane to come into a state.

use std::time::{Duration, Instant};

use nebula_tests::pane::run;
use nebula_tests::{Client, Instance, home, snapshot};
use serde_json::json;

/// Check 38.
#[test]
fn a_wait_that_times_out_says_what_it_saw() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let now = snapshot::now(&mut client);
    let sequence = snapshot::sequence(&now, pane);
    let params =
        json!({"pane_id": pane, "state": "running", "timeout_ms": 300, "after_seq": sequence});
    let start = Instant::now();
    let error = client.error("pane.wait", params, "timeout");
    assert!(start.elapsed() >= Duration::from_millis(300));
    let details = &error["details"];
    assert_eq!(
        (&details["window_id"], &details["pane_id"]),
        (&json!(1), &json!(pane))
    );
    assert_eq!(details["after_seq"], sequence);
    assert_eq!(details["observed_state_change_seq"], sequence);
    assert_eq!(details["observed_state"], "idle");
    assert_eq!(details["states"], json!(["running"]));

    let params = json!({"pane_id": pane, "state": "running", "timeout_ms": 100});
    let error = client.error("pane.wait", params, "timeout");
    assert_eq!(error["details"]["after_seq"], json!(null));

    // "It moved, but not into the set."
    let params =
        json!({"pane_id": pane, "state": "attention", "timeout_ms": 3000, "after_seq": sequence});
    let mut other = instance.client();
    other.send("pane.wait", params);
    run(&mut client, pane, "true");
    let error = other.value();
    assert_eq!(error["error"]["code"], "timeout", "{error}");
    let observed = error["error"]["details"]["observed_state_change_seq"]
        .as_u64()
        .unwrap();
    assert!(observed > sequence, "{error}");
}

/// Check 39.
#[test]
fn settled_is_what_is_waited_for() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let settled = client.ok("pane.wait", json!({"pane_id": pane}));
    assert_eq!(snapshot::state(&settled, pane), "idle");
    client.ok("pane.wait", json!({"pane_id": pane, "after_seq": 0}));
    client.ok(
        "pane.wait",
        json!({"pane_id": pane, "states": ["settled", "running"]}),
    );

    let start = client.ok("pane.prompt", json!({"pane_id": pane, "text": "sleep 1"}));
    let sequence = snapshot::sequence(&start["snapshot"], pane);
    let settled = client.ok("pane.wait", json!({"pane_id": pane}));
    assert_ne!(snapshot::state(&settled, pane), "running");
    assert!(snapshot::sequence(&settled, pane) > sequence);

    for both in [json!(["idle"]), json!(["running", "failed"])] {
        let params = json!({"pane_id": pane, "state": "idle", "states": both});
        client.error("pane.wait", params, "invalid_params");
    }
}

/// A baseline above the current value simply waits (rule 7.2).
#[test]
fn a_baseline_ahead_of_the_present_waits() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let sequence = snapshot::sequence(&snapshot::now(&mut client), pane);
    let mut waiting = instance.client();
    waiting.send(
        "pane.wait",
        json!({"pane_id": pane, "after_seq": sequence + 2}),
    );
    waiting.expect_quiet(Duration::from_millis(300));
    for _ in 0..2 {
        run(&mut client, pane, "true");
    }
    let answer = waiting.value();
    assert_eq!(answer["ok"], true, "{answer}");
    assert!(snapshot::sequence(&answer["result"], pane) > sequence + 2);
}

/// Check 40.
#[test]
fn a_wait_ends_when_its_pane_is_closed() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let result = client.ok("pane.split", json!({"direction": "left_right"}));
    let pane = result["action"]["pane_id"].as_u64().unwrap();
    let mut waiting = instance.client();
    waiting.send(
        "pane.wait",
        json!({"pane_id": pane, "state": "attention", "timeout_ms": 600_000}),
    );
    waiting.expect_quiet(Duration::from_millis(200));
    let closed = client.ok("pane.close", json!({"pane_id": pane, "force": true}));
    let answer = waiting.value();
    assert_eq!(answer["error"]["code"], "pane_closed", "{answer}");
    let details = &answer["error"]["details"];
    let record = snapshot::lifecycle(&closed["snapshot"], pane).unwrap();
    for member in ["sequence", "window_id", "pane_id", "event"] {
        assert_eq!(details[member], record[member], "{answer}");
    }
    // Rule 7.4: a later wait says the same at once.
    let error = client.error("pane.wait", json!({"pane_id": pane}), "pane_closed");
    assert_eq!(error["details"]["sequence"], record["sequence"]);
    client.ok("pane.wait", json!({"pane_id": first}));
}

/// Check 41.
#[test]
fn a_wait_ends_when_its_shell_ends() {
    let instance = Instance::start_with(home::HELD);
    let (mut client, pane) = instance.ready();
    let mut settled = instance.client();
    let mut literal = instance.client();
    settled.send(
        "pane.wait",
        json!({"pane_id": pane, "state": "attention", "timeout_ms": 600_000}),
    );
    literal.send(
        "pane.wait",
        json!({"pane_id": pane, "states": ["failed"], "timeout_ms": 600_000}),
    );
    settled.expect_quiet(Duration::from_millis(200));
    client.ok("pane.prompt", json!({"pane_id": pane, "text": "exit 3"}));

    let answer = settled.value();
    assert_eq!(answer["error"]["code"], "pane_exited", "{answer}");
    let details = &answer["error"]["details"];
    assert_eq!(
        (&details["event"], &details["exit_code"]),
        (&json!("exited"), &json!(3)),
        "{details}"
    );
    assert_eq!(details["task_state"], "failed");

    let answer = literal.value();
    assert_eq!(answer["ok"], true, "{answer}");
    assert_eq!(snapshot::state(&answer["result"], pane), "failed");

    // The same for waits that begin later, and `settled` does not name the state literally.
    client.error("pane.wait", json!({"pane_id": pane}), "pane_exited");
    client.ok("pane.wait", json!({"pane_id": pane, "state": "failed"}));
    // Rule 9.2: input is refused, reading is not.
    client.error(
        "pane.prompt",
        json!({"pane_id": pane, "text": "x"}),
        "pane_exited",
    );
    client.error(
        "pane.send_key",
        json!({"pane_id": pane, "key": "enter"}),
        "pane_exited",
    );
    let held = client.ok("pane.read", json!({"pane_id": pane}));
    assert_eq!(held["exited"], true);
    assert!(held["exit_reason"].is_string(), "{held}");
    client.ok("window.focus", json!({"pane_id": pane}));
}

/// Check 42.
#[test]
fn a_wait_for_a_pane_that_never_was_fails_at_once() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let params = json!({"pane_id": 4711, "timeout_ms": 86_400_000});
    let error = client.error("pane.wait", params, "target_not_found");
    assert_eq!(error["details"]["pane_id"], 4711);
}

/// Rule 7.6: `occupant_seq` pins a wait.
#[test]
fn a_wait_can_be_pinned_to_the_occupant() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let now = snapshot::now(&mut client);
    let occupant = snapshot::pane(&now, pane)["occupant_seq"].as_u64().unwrap();
    client.ok(
        "pane.wait",
        json!({"pane_id": pane, "occupant_seq": occupant}),
    );
    let answer = client.call(
        "pane.wait",
        json!({"pane_id": pane, "occupant_seq": occupant + 1}),
    );
    let code = answer["error"]["code"].as_str().unwrap();
    assert!(
        matches!(code, "agent_exited" | "agent_replaced"),
        "{answer}"
    );
}

/// Waits are independent of each other, however many there are.
#[test]
fn many_waits_end_with_one_change() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let mut waiting: Vec<Client> = Vec::new();
    for _ in 0..40 {
        let mut other = instance.client();
        // A connection that has not shown its token yet may be closed when there are many.
        other.ok("runtime.describe", json!({}));
        let params = json!({"pane_id": pane, "state": "running", "timeout_ms": 600_000});
        other.send("pane.wait", params);
        waiting.push(other);
    }
    for client in &mut waiting {
        client.expect_quiet(Duration::from_millis(10));
    }
    client.ok("pane.prompt", json!({"pane_id": pane, "text": "sleep 1"}));
    for client in &mut waiting {
        let answer = client.value();
        assert_eq!(snapshot::state(&answer["result"], pane), "running");
    }
}
