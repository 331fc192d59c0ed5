//! The order of checks, and the verbs of the older text protocol.

use serde_json::{Value, json};

use crate::peer::{code, result};
use crate::world::World;

#[test]
fn a_bad_token_is_silence_whatever_else_is_wrong() {
    let world = World::new();
    let good = world.request("runtime.snapshot", json!({}));
    let with = |changes: Value| {
        let mut request = good.clone();
        for (name, value) in changes.as_object().unwrap() {
            request[name] = value.clone();
        }
        request
    };
    let wrong = "0".repeat(32);
    for request in [
        with(json!({"token": wrong})),
        with(json!({"token": wrong, "method": "no.such"})),
        with(json!({"token": wrong, "params": {"x": 1}})),
        with(json!({"token": wrong, "version": 2})),
        with(json!({"token": wrong, "id": ""})),
        with(json!({"token": null})),
        with(json!({"token": 7})),
        with(json!({"token": ""})),
        json!({}),
        json!({"method": "runtime.snapshot"}),
    ] {
        let mut peer = world.peer();
        peer.send(&request);
        peer.assert_silence();
    }
    assert!(world.model().executed.is_empty());
}

#[test]
fn broken_json_is_answered_under_the_id_unknown_and_closed() {
    let world = World::new();
    for line in [
        &b"{\"protocol\":\n"[..],
        b"{\"a\":\"\xff\"}\n",
        b"{} {}\n",
        b"{'id':1}\n",
    ] {
        let mut peer = world.peer();
        peer.write(line);
        let answer = peer.answer();
        assert_eq!(code(&answer), "invalid_request");
        assert_eq!(answer["id"], "unknown");
        assert!(answer["error"]["details"]["reason"].is_string());
        peer.assert_silence();
    }
}

#[test]
fn later_checks_answer_in_order_and_leave_the_connection_open() {
    let world = World::new();
    let mut peer = world.peer();
    let base = |method: &str, params: Value| world.request(method, params);
    let changed = |name: &str, value: Value| {
        let mut request = base("no.such", json!({"x": 1}));
        request[name] = value;
        request
    };

    // Envelope before version, version before method, method before parameters.
    let mut envelope = changed("version", json!(2));
    envelope["extra"] = json!(1);
    let answer = peer.ask(&envelope);
    assert_eq!(
        (code(&answer), &answer["id"]),
        ("invalid_request", &json!("t-1"))
    );

    let answer = peer.ask(&changed("id", json!("")));
    assert_eq!(
        (code(&answer), &answer["id"]),
        ("invalid_request", &json!("unknown"))
    );
    let answer = peer.ask(&changed("id", json!("x".repeat(257))));
    assert_eq!(code(&answer), "invalid_request");

    for (name, value) in [("version", json!(2)), ("protocol", json!("other"))] {
        let answer = peer.ask(&changed(name, value));
        assert_eq!(code(&answer), "protocol_version_mismatch");
        assert_eq!(
            answer["error"]["details"],
            json!({"supported_versions": [1]})
        );
    }

    let answer = peer.ask(&base("no.such", json!({"x": 1})));
    assert_eq!(code(&answer), "method_not_found");
    assert_eq!(answer["error"]["details"], json!({"method": "no.such"}));

    let answer = peer.ask(&base("runtime.snapshot", json!({"x": 1})));
    assert_eq!(code(&answer), "invalid_params");
    assert_eq!(answer["error"]["details"]["field"], "x");
    let answer = peer.ask(&base("pane.wait", json!({"pane_id": 1, "timeout_ms": 0})));
    assert_eq!(code(&answer), "invalid_params");

    assert!(world.model().executed.is_empty());
    result(&peer.ask(&base("runtime.snapshot", json!({}))));
}

#[test]
fn the_scope_is_checked_before_the_parameters_and_after_the_method() {
    let world = World::new();
    let token = world.pane_token(1);
    world.set_scope(protocol::Scope::Read);
    let mut peer = world.peer();
    let ask = |peer: &mut crate::peer::Peer, method: &str| {
        peer.ask(&crate::peer::request(
            &token,
            method,
            json!({"nonsense": 1}),
        ))
    };
    assert_eq!(code(&ask(&mut peer, "no.such")), "method_not_found");
    let denied = ask(&mut peer, "pane.prompt");
    assert_eq!(code(&denied), "permission_denied");
    assert_eq!(
        denied["error"]["details"],
        json!({"scope": "read", "method": "pane.prompt"})
    );
    assert_eq!(code(&ask(&mut peer, "runtime.snapshot")), "invalid_params");
}

#[test]
fn absent_and_null_parameters_are_none() {
    let world = World::new();
    let mut peer = world.peer();
    let mut request = world.request("runtime.snapshot", Value::Null);
    result(&peer.ask(&request));
    request.as_object_mut().unwrap().remove("params");
    result(&peer.ask(&request));
}

#[test]
fn ping_answers_for_every_live_token_and_closes() {
    let world = World::new();
    let pane = world.pane_token(1);
    world.set_scope(protocol::Scope::None);
    for line in [
        format!("PING {}\n", world.token),
        format!("PING {pane}\r\n"),
        format!("  PING {pane}  \nPING {pane}\n"),
    ] {
        let mut peer = world.peer();
        peer.write(line);
        assert_eq!(peer.line().as_deref(), Some("OK"));
        peer.assert_silence();
    }
}

#[test]
fn other_lines_are_silence() {
    let world = World::new();
    let token = &world.token;
    for line in [
        format!("PING {}\n", "0".repeat(32)),
        "PING\n".to_owned(),
        format!("PING{token}\n"),
        format!("ping {token}\n"),
        format!("PING {token} more\n"),
        "HELLO x\n".to_owned(),
        "\n".to_owned(),
        "[1]\n".to_owned(),
    ] {
        let mut peer = world.peer();
        peer.write(&line);
        peer.assert_silence();
    }
}

#[test]
fn attach_needs_a_window_and_the_full_scope() {
    let world = World::new();
    let pane = world.pane_token(1);
    let attach = |token: &str| {
        let mut peer = world.peer();
        peer.write(format!("ATTACH {token}\n"));
        let answer = peer.line();
        peer.assert_silence();
        answer
    };
    // Headless.
    assert_eq!(attach(&world.token), None);
    world.model().windowed = true;
    assert_eq!(attach(&world.token).as_deref(), Some("OK"));
    assert_eq!(attach(&pane).as_deref(), Some("OK"));
    world.set_scope(protocol::Scope::Read);
    assert_eq!(attach(&pane), None);
    assert_eq!(attach(&world.token).as_deref(), Some("OK"));
    assert_eq!(attach(&"0".repeat(32)), None);
}

#[test]
fn another_protocol_with_a_request_in_its_body_executes_nothing() {
    let world = World::new();
    let body = world.request("tab.rename", json!({"tab_index": 0, "name": "pwned"}));
    for head in [
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /{ HTTP/1.1\r\n\r\n",
    ] {
        let mut peer = world.peer();
        peer.try_write(format!("{head}{body}\n"));
        peer.assert_silence();
    }
    assert!(world.model().executed.is_empty());
}
