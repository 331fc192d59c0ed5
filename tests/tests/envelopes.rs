//! What a request must look like, and what an answer says when it does not.

use nebula_tests::client::check_envelope;
use nebula_tests::{Client, Instance, poll};
use serde_json::{Value, json};

/// Changes a valid request and returns the response.
fn changed(client: &mut Client, change: impl FnOnce(&mut Value)) -> Value {
    let mut request = client.request("runtime.snapshot", json!({}));
    change(&mut request);
    client.send_value(&request);
    let response = client.value();
    check_envelope(&response);
    response
}

fn expect_code(response: &Value, id: &str, code: &str) {
    assert_eq!(response["id"], id, "{response}");
    assert_eq!(response["ok"], false, "{response}");
    assert_eq!(response["error"]["code"], code, "{response}");
}

/// Check 14.
#[test]
fn another_protocol_version_is_named() {
    let instance = Instance::start();
    let mut client = instance.client();
    for (member, value) in [
        ("version", json!(2)),
        ("version", json!(0)),
        ("protocol", json!("nebula.other")),
        ("protocol", json!("")),
    ] {
        let response = changed(&mut client, |request| {
            request["id"] = json!("v");
            request[member] = value;
        });
        expect_code(&response, "v", "protocol_version_mismatch");
        assert_eq!(
            response["error"]["details"],
            json!({"supported_versions": [1]})
        );
    }
    client.ok("runtime.describe", json!({}));
}

/// Check 15, and the other envelopes that are wrong.
#[test]
fn a_wrong_envelope_is_refused_and_the_connection_stays() {
    let instance = Instance::start();
    let mut client = instance.client();

    let response = changed(&mut client, |request| {
        request["id"] = json!("extra");
        request["more"] = json!(1);
    });
    expect_code(&response, "extra", "invalid_request");
    assert!(
        response["error"]["details"]["reason"].is_string(),
        "{response}"
    );

    for id in [json!(""), json!(7), json!(null), json!({})] {
        let response = changed(&mut client, |request| request["id"] = id);
        expect_code(&response, "unknown", "invalid_request");
    }
    for member in ["id", "protocol", "version", "method"] {
        let response = changed(&mut client, |request| {
            request["id"] = json!("missing");
            request.as_object_mut().unwrap().remove(member);
        });
        let id = if member == "id" { "unknown" } else { "missing" };
        expect_code(&response, id, "invalid_request");
    }
    for (member, value) in [
        ("protocol", json!(1)),
        ("version", json!("1")),
        ("method", json!(["runtime.snapshot"])),
    ] {
        let response = changed(&mut client, |request| {
            request["id"] = json!("type");
            request[member] = value;
        });
        expect_code(&response, "type", "invalid_request");
    }
    client.ok("runtime.describe", json!({}));
}

/// Rule 2.8: an id has 1..256 bytes.
#[test]
fn an_id_has_at_most_256_bytes() {
    let instance = Instance::start();
    let mut client = instance.client();
    let longest = "é".repeat(128);
    let response = changed(&mut client, |request| request["id"] = json!(longest));
    assert_eq!(
        (&response["ok"], &response["id"]),
        (&json!(true), &json!(longest))
    );
    let response = changed(&mut client, |request| {
        request["id"] = json!("x".repeat(257))
    });
    assert_eq!(response["error"]["code"], "invalid_request", "{response}");
}

/// Rule 2.9, step 7.
#[test]
fn an_unknown_method_is_named() {
    let instance = Instance::start();
    let mut client = instance.client();
    for method in [
        "no.such.method",
        "runtime.Snapshot",
        " runtime.snapshot",
        "pane",
    ] {
        let error = client.error(method, json!({}), "method_not_found");
        assert_eq!(error["details"], json!({"method": method}));
    }
    // The method comes before the parameters.
    client.error("no.such.method", json!([1, 2]), "method_not_found");
}

/// Check 16.
#[test]
fn params_may_be_absent_and_must_be_known() {
    let instance = Instance::start();
    let mut client = instance.client();
    let response = changed(&mut client, |request| {
        request.as_object_mut().unwrap().remove("params");
    });
    assert_eq!(response["ok"], true, "{response}");

    let pane = json!(1);
    for (method, params) in [
        ("runtime.describe", json!({})),
        ("runtime.snapshot", json!({})),
        ("runtime.identify", json!({})),
        ("events.subscribe", json!({})),
        ("agents.list", json!({})),
        ("window.create", json!({})),
        ("window.focus", json!({})),
        ("window.close", json!({})),
        ("tab.new", json!({})),
        ("tab.close", json!({"tab_index": 0})),
        ("tab.rename", json!({"tab_index": 0, "name": "n"})),
        ("tab.move", json!({"tab_index": 0, "to_index": 0})),
        ("pane.split", json!({"direction": "left_right"})),
        ("pane.close", json!({"pane_id": pane})),
        ("pane.zoom", json!({"pane_id": pane, "zoomed": true})),
        ("pane.resize", json!({"pane_id": pane, "ratio": 0.5})),
        ("pane.prompt", json!({"pane_id": pane, "text": "x"})),
        ("pane.paste", json!({"pane_id": pane, "text": "x"})),
        ("pane.send_key", json!({"pane_id": pane, "key": "enter"})),
        ("pane.procs", json!({"pane_id": pane})),
        ("pane.read", json!({"pane_id": pane})),
        ("pane.wait", json!({"pane_id": pane})),
    ] {
        let mut unknown = params.clone();
        unknown["surprise"] = json!(1);
        client.refused(method, unknown, "surprise");
        // Required parameters are named when they are missing or of another type.
        for name in params.as_object().unwrap().keys() {
            let mut missing = params.clone();
            missing.as_object_mut().unwrap().remove(name);
            client.refused(method, missing, name);
            let mut wrong = params.clone();
            wrong[name] = json!([]);
            client.refused(method, wrong, name);
        }
    }
    for params in [json!([]), json!("x"), json!(1)] {
        client.error("runtime.snapshot", params, "invalid_params");
    }
}

/// Rule 2.8: every range, with the value that is just outside.
#[test]
fn ranges_are_checked_and_named() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let before = client.ok("runtime.snapshot", json!({}));
    let name = |text: &str| json!({"tab_index": 0, "name": text});
    let cases = [
        ("pane.read", json!({"pane_id": pane, "lines": 0}), "lines"),
        (
            "pane.read",
            json!({"pane_id": pane, "lines": 2001}),
            "lines",
        ),
        ("pane.read", json!({"pane_id": pane, "lines": -1}), "lines"),
        ("pane.read", json!({"pane_id": pane, "lines": 1.5}), "lines"),
        (
            "pane.read",
            json!({"pane_id": pane, "source": "everything"}),
            "source",
        ),
        (
            "pane.read",
            json!({"pane_id": pane, "format": "html"}),
            "format",
        ),
        ("pane.read", json!({"pane_id": 0}), "pane_id"),
        ("pane.read", json!({"pane_id": -1}), "pane_id"),
        (
            "pane.wait",
            json!({"pane_id": pane, "timeout_ms": 0}),
            "timeout_ms",
        ),
        (
            "pane.wait",
            json!({"pane_id": pane, "timeout_ms": 86_400_001}),
            "timeout_ms",
        ),
        (
            "pane.wait",
            json!({"pane_id": pane, "state": "done"}),
            "state",
        ),
        (
            "pane.wait",
            json!({"pane_id": pane, "states": []}),
            "states",
        ),
        (
            "pane.wait",
            json!({"pane_id": pane, "states": ["idle", "idle"]}),
            "states",
        ),
        ("tab.rename", name(&"x".repeat(257)), "name"),
        ("tab.rename", name("a\nb"), "name"),
        ("tab.rename", name("a\u{1b}[31m"), "name"),
        (
            "pane.send_key",
            json!({"pane_id": pane, "key": "enter", "repeat": 0}),
            "repeat",
        ),
        (
            "pane.send_key",
            json!({"pane_id": pane, "key": "enter", "repeat": 65}),
            "repeat",
        ),
        (
            "pane.send_key",
            json!({"pane_id": pane, "key": "f13"}),
            "key",
        ),
        (
            "pane.resize",
            json!({"pane_id": pane, "ratio": 0.049}),
            "ratio",
        ),
        (
            "pane.resize",
            json!({"pane_id": pane, "ratio": 0.951}),
            "ratio",
        ),
        (
            "pane.resize",
            json!({"pane_id": pane, "ratio": "half"}),
            "ratio",
        ),
        ("pane.split", json!({"direction": "right"}), "direction"),
        (
            "events.subscribe",
            json!({"heartbeat_ms": 999}),
            "heartbeat_ms",
        ),
        (
            "events.subscribe",
            json!({"heartbeat_ms": 60_001}),
            "heartbeat_ms",
        ),
    ];
    for (method, params, field) in cases {
        client.refused(method, params, field);
    }
    let after = client.ok("runtime.snapshot", json!({}));
    assert_eq!(after, before, "nothing of it was carried out");
    client.ok("tab.rename", name(&"x".repeat(256)));
}

/// Check 17.
#[test]
fn a_null_window_is_an_absent_window() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let split = json!({"window_id": null, "direction": "left_right"});
    let second = client.ok("pane.split", split)["action"]["pane_id"]
        .as_u64()
        .unwrap();
    client.ok(
        "tab.new",
        json!({"window_id": null, "cwd": null, "shell": null}),
    );
    for (method, params) in [
        ("agents.list", json!({})),
        ("window.focus", json!({"pane_id": null})),
        ("window.focus", json!({"pane_id": pane})),
        ("tab.rename", json!({"tab_index": 1, "name": "n"})),
        ("tab.move", json!({"tab_index": 1, "to_index": 1})),
        ("pane.zoom", json!({"pane_id": pane, "zoomed": false})),
        ("pane.resize", json!({"pane_id": pane, "ratio": 0.4})),
        (
            "pane.read",
            json!({"pane_id": pane, "lines": null, "source": null, "format": null}),
        ),
        ("pane.procs", json!({"pane_id": pane})),
        (
            "pane.send_key",
            json!({"pane_id": pane, "key": "escape", "modifiers": null, "repeat": null}),
        ),
        (
            "pane.wait",
            json!({"pane_id": pane, "state": null, "states": null, "timeout_ms": null,
                   "after_seq": null, "occupant_seq": null}),
        ),
        (
            "pane.prompt",
            json!({"pane_id": second, "text": "true", "submit": null, "wait": null}),
        ),
        ("pane.close", json!({"pane_id": second, "force": true})),
        ("tab.close", json!({"tab_index": 1, "force": true})),
    ] {
        let mut params = params;
        params["window_id"] = json!(null);
        client.ok(method, params);
    }
    // For these the answer is an error in both cases: the same one.
    for (method, params) in [
        ("window.create", json!({})),
        ("pane.paste", json!({"pane_id": pane, "text": "x"})),
    ] {
        let mut with_null = params.clone();
        if method != "window.create" {
            with_null["window_id"] = json!(null);
        } else {
            with_null["cwd"] = json!(null);
        }
        let absent = client.call(method, params);
        let null = client.call(method, with_null);
        assert_eq!(absent["ok"], null["ok"], "{absent} {null}");
        assert_eq!(absent["error"]["code"], null["error"]["code"]);
    }
    client.ok(
        "events.subscribe",
        json!({"since_revision": null, "heartbeat_ms": null}),
    );
}

/// Rule 9.2: ids that do not exist.
#[test]
fn unknown_targets_are_named() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    for method in ["pane.read", "pane.procs", "pane.wait", "pane.close"] {
        let error = client.error(method, json!({"pane_id": 99}), "target_not_found");
        assert_eq!(error["details"]["pane_id"], 99, "{error}");
        let params = json!({"window_id": 7, "pane_id": pane});
        let error = client.error(method, params, "target_not_found");
        assert_eq!(error["details"]["window_id"], 7, "{error}");
    }
    for (method, params) in [
        ("agents.list", json!({"window_id": 7})),
        ("window.focus", json!({"window_id": 7})),
        ("window.focus", json!({"pane_id": 99})),
        ("window.close", json!({"window_id": 7})),
        ("tab.new", json!({"window_id": 7})),
        (
            "pane.split",
            json!({"pane_id": 99, "direction": "left_right"}),
        ),
        ("pane.zoom", json!({"pane_id": 99, "zoomed": true})),
        ("pane.resize", json!({"pane_id": 99, "ratio": 0.5})),
        ("pane.prompt", json!({"pane_id": 99, "text": "x"})),
        ("pane.paste", json!({"pane_id": 99, "text": "x"})),
        ("pane.send_key", json!({"pane_id": 99, "key": "enter"})),
        ("tab.close", json!({"tab_index": 5})),
        ("tab.rename", json!({"tab_index": 5, "name": "x"})),
        ("tab.move", json!({"tab_index": 5, "to_index": 0})),
    ] {
        client.error(method, params, "target_not_found");
    }
}

/// Check 18 for every kind of answer: the client of these tests asserts it for each response, so
/// this only shows that both kinds were seen, and that numbers of the wire are whole.
#[test]
fn a_success_has_no_error_and_a_failure_no_result() {
    let instance = Instance::start();
    let mut client = instance.client();
    let success = client.call("runtime.snapshot", json!({}));
    assert_eq!(
        members(&success),
        ["id", "ok", "protocol", "result", "version"]
    );
    let failure = client.call("no.such.method", json!({}));
    assert_eq!(
        members(&failure),
        ["error", "id", "ok", "protocol", "version"]
    );
    assert_eq!(members(&failure["error"]), ["code", "details", "message"]);
    poll::until("a revision", || {
        client.ok("runtime.snapshot", json!({}))["revision"].as_u64()
    });
}

/// Names in an object, sorted: whether a JSON library keeps the order of the text is decided by the
/// features of the whole build.
fn members(object: &Value) -> Vec<&String> {
    let mut names: Vec<&String> = object.as_object().unwrap().keys().collect();
    names.sort_unstable();
    names
}
