//! Lines, limits and silence on the socket.

use std::time::{Duration, Instant};

use nebula_tests::client::check_envelope;
use nebula_tests::{Client, Instance, Received, poll};
use serde_json::{Value, json};

/// Far above the 5 s limits of rule 2.8 and far below a hang.
const AFTER_5_S: Duration = Duration::from_secs(25);

/// A request padded with blanks so that its line has exactly `length` bytes.
fn padded(client: &mut Client, length: usize) -> Vec<u8> {
    let mut line = client.request("runtime.snapshot", json!({})).to_string();
    line.push_str(&" ".repeat(length - line.len()));
    assert_eq!(line.len(), length);
    line.push('\n');
    line.into_bytes()
}

/// Check 5.
#[test]
fn legacy_verbs() {
    let instance = Instance::start();
    let token = &instance.endpoint().token;

    let mut client = instance.client();
    client.send_bytes(format!("PING {token}\n").as_bytes());
    assert_eq!(
        client.receive(poll::PATIENCE),
        Received::Line("OK".to_owned())
    );
    assert_eq!(client.receive(poll::PATIENCE), Received::Closed(0));

    let wrong = "0".repeat(32);
    for line in [
        format!("PING {wrong}"),
        "PING".to_owned(),
        format!("PING {token} {token}x"),
        format!("ping {token}"),
        "HELLO x".to_owned(),
        String::new(),
        // Rule 2.10: a headless server has no window to reveal.
        format!("ATTACH {token}"),
        format!("ATTACH {wrong}"),
    ] {
        let mut client = instance.client();
        client.send_bytes(format!("{line}\n").as_bytes());
        assert_eq!(
            client.receive(poll::PATIENCE),
            Received::Closed(0),
            "after {line:?}"
        );
    }
}

/// Check 6 and "wrong token (silence)".
#[test]
fn a_wrong_token_meets_silence() {
    let instance = Instance::start();
    let token = instance.endpoint().token.clone();
    let other = |from: &str| if from == "0" { "1" } else { "0" };
    let almost_first = format!("{}{}", other(&token[..1]), &token[1..]);
    let almost_last = format!("{}{}", &token[..31], other(&token[31..]));
    let bad: Vec<Value> = [
        json!("0".repeat(32)),
        json!(almost_first),
        json!(almost_last),
        json!(""),
        json!(token.to_uppercase() + "x"),
        json!(format!("{token}{token}")),
        json!(&token[..31]),
        json!(7),
        json!(null),
        json!([token]),
    ]
    .into();
    for (method, params) in [
        ("runtime.snapshot", json!({})),
        ("no.such.method", json!({})),
        ("pane.read", json!({"pane_id": "broken", "unknown": 1})),
    ] {
        for token in &bad {
            let mut client = instance.client();
            let mut request = client.request(method, params.clone());
            request["token"] = token.clone();
            client.send_value(&request);
            client.expect_silent_close();
        }
        let mut client = instance.client();
        let mut request = client.request(method, params);
        request.as_object_mut().unwrap().remove("token");
        // An envelope that is wrong in other ways must not learn more.
        request["version"] = json!(2);
        request["id"] = json!("");
        client.send_value(&request);
        client.expect_silent_close();
    }
}

/// Check 7, and the other lines that start like JSON and are none.
#[test]
fn broken_json_is_named_and_ends_the_connection() {
    let instance = Instance::start();
    let token = instance.endpoint().token.clone();
    let lines: [Vec<u8>; 4] = [
        b"{\"protocol\":\n".to_vec(),
        b"{}}\n".to_vec(),
        b"{\"token\":\"\xff\xfe\"}\n".to_vec(),
        format!("{{\"token\":\"{token}\"}} {{}}\n").into_bytes(),
    ];
    for line in lines {
        let mut client = instance.client();
        client.send_bytes(&line);
        let response = client.value();
        check_envelope(&response);
        assert_eq!(response["id"], "unknown", "{response}");
        assert_eq!(response["error"]["code"], "invalid_request", "{response}");
        assert_eq!(client.receive(poll::PATIENCE), Received::Closed(0));
    }
}

/// Check 8 and "128 KiB + 1 request".
#[test]
fn the_longest_line_is_served_and_a_longer_one_is_named() {
    let instance = Instance::start();
    let mut client = instance.client();
    let line = padded(&mut client, 131_072);
    client.send_bytes(&line);
    assert_eq!(client.value()["ok"], true);
    // With CR LF the carriage return belongs to the line ending (rule 2.2).
    let mut line = padded(&mut client, 1000);
    line.insert(1000, b'\r');
    client.send_bytes(&line);
    assert_eq!(client.value()["ok"], true);

    let line = padded(&mut client, 131_073);
    client.send_bytes(&line);
    let response = client.value();
    check_envelope(&response);
    assert_eq!(response["id"], "unknown");
    assert_eq!(response["error"]["code"], "request_too_large");
    assert_eq!(response["error"]["details"]["limit"], 131_072);
    assert_eq!(client.receive(poll::PATIENCE), Received::Closed(0));
}

/// A line that never ends is answered at its limit, not stored.
#[test]
fn an_endless_line_is_cut_off() {
    let instance = Instance::start();
    let mut client = instance.client();
    let chunk = [b'{'; 65_536];
    // The server may close while this is being sent; the answer is what counts.
    let sent = (0..64)
        .take_while(|_| client.try_send_bytes(&chunk).is_ok())
        .count();
    match client.receive(poll::PATIENCE) {
        Received::Line(line) => assert!(line.contains("request_too_large"), "{line}"),
        // With input still on its way the kernel may replace the answer by a reset.
        Received::Closed(0) if sent > 3 => {}
        other => panic!("{other:?} after {sent} chunks"),
    }
    assert!(
        instance
            .client()
            .ok("runtime.snapshot", json!({}))
            .is_object()
    );
}

/// Check 9.
#[test]
fn one_request_then_the_end_of_input() {
    let instance = Instance::start();
    for ending in ["\n", ""] {
        let mut client = instance.client();
        let request = client.request("runtime.snapshot", json!({}));
        client.send_bytes(format!("{request}{ending}").as_bytes());
        client.finish_writing();
        let response = client.value();
        assert_eq!(
            (&response["ok"], &response["id"]),
            (&json!(true), &request["id"])
        );
        assert_eq!(client.receive(poll::PATIENCE), Received::Closed(0));
    }
}

/// Check 10.
#[test]
fn requests_written_ahead_are_answered_in_order() {
    let instance = Instance::start();
    let mut client = instance.client();
    let requests: Vec<Value> = ["runtime.snapshot", "no.such.method", "runtime.describe"]
        .map(|method| client.request(method, json!({})))
        .into();
    let lines: String = requests
        .iter()
        .map(|request| format!("{request}\n"))
        .collect();
    client.send_bytes(lines.as_bytes());
    for (request, ok) in requests.iter().zip([true, false, true]) {
        let response = client.value();
        assert_eq!(response["id"], request["id"]);
        assert_eq!(response["ok"], ok, "{response}");
    }
    assert!(client.ok("runtime.snapshot", json!({})).is_object());
}

/// Check 11.
#[test]
fn bytes_of_another_protocol_do_nothing() {
    let instance = Instance::start();
    let (mut watcher, _) = instance.ready();
    let before = watcher.ok("runtime.snapshot", json!({}));
    let mut client = instance.client();
    let body = client.request("tab.rename", json!({"tab_index": 0, "name": "from HTTP"}));
    let body = format!("{body}\n");
    let head = format!(
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    client.send_bytes(format!("{head}{body}").as_bytes());
    client.expect_silent_close();
    let after = watcher.ok("runtime.snapshot", json!({}));
    assert_eq!(
        after["revision"], before["revision"],
        "nothing was executed"
    );
    assert_ne!(after["windows"][0]["tabs"][0]["label"], "from HTTP");
}

/// Check 12 and "64 clients at once and the 65th".
#[test]
fn sixty_four_connections_and_not_one_more() {
    let instance = Instance::start();
    let mut clients: Vec<Client> = Vec::new();
    for _ in 0..64 {
        let mut client = instance.client();
        client.ok("runtime.describe", json!({}));
        clients.push(client);
    }
    let mut extra = instance.client();
    extra.expect_silent_close();
    for client in &mut clients {
        client.ok("runtime.describe", json!({}));
    }
    clients.pop();
    poll::until_ok("a place to become free", poll::PATIENCE, || {
        let mut client = instance.client();
        // A connection that is refused may already be reset when it is written to.
        let request = client.request("runtime.describe", json!({}));
        let sent = client.try_send_bytes(format!("{request}\n").as_bytes());
        match (sent, client.receive(poll::PATIENCE)) {
            (Ok(()), Received::Line(_)) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
}

/// Check 12: those that say nothing cannot lock out those that may speak.
#[test]
fn silent_connections_do_not_stop_an_authenticated_client() {
    let instance = Instance::start();
    let mut silent: Vec<Client> = (0..40).map(|_| instance.client()).collect();
    let mut client = instance.client();
    client.ok("runtime.snapshot", json!({}));
    // 33 unauthenticated connections are one too many: the oldest had to go.
    silent[0].expect_silent_close();
    client.ok("runtime.snapshot", json!({}));
    // Also when the silent ones keep coming.
    for _ in 0..200 {
        silent.push(instance.client());
    }
    client.ok("runtime.snapshot", json!({}));
    instance.client().ok("runtime.snapshot", json!({}));
}

/// "A client that sends half a line", rule 2.8: the line must be complete after 5 s.
#[test]
fn half_a_line_is_not_waited_for() {
    let instance = Instance::start();
    let mut fresh = instance.client();
    let mut known = instance.client();
    known.ok("runtime.describe", json!({}));
    let start = Instant::now();
    for client in [&mut fresh, &mut known] {
        let request = client.request("runtime.snapshot", json!({})).to_string();
        client.send_bytes(&request.as_bytes()[..request.len() / 2]);
    }
    fresh.expect_silent_close_within(AFTER_5_S);
    known.expect_silent_close_within(AFTER_5_S);
    assert!(
        start.elapsed() >= Duration::from_secs(4),
        "not before its time"
    );
    instance.client().ok("runtime.snapshot", json!({}));
}

/// Rule 2.8: bytes that trickle in do not extend the 5 s of a line.
#[test]
fn a_trickling_line_is_not_waited_for() {
    let instance = Instance::start();
    let mut client = instance.client();
    client.send_bytes(b"{");
    let start = Instant::now();
    loop {
        match client.receive(Duration::from_millis(500)) {
            Received::Quiet => {
                assert!(start.elapsed() < AFTER_5_S, "the line may still go on");
                if client.try_send_bytes(b" ").is_err() {
                    break;
                }
            }
            Received::Closed(0) => break,
            other => panic!("{other:?}"),
        }
    }
}

/// Rule 2.8: the first request must come within 5 s.
#[test]
fn a_silent_connection_is_closed() {
    let instance = Instance::start();
    let mut client = instance.client();
    let start = Instant::now();
    client.expect_silent_close_within(AFTER_5_S);
    assert!(
        start.elapsed() >= Duration::from_secs(4),
        "not before its time"
    );
}

/// Rule 2.8: a connection may rest for 60 s between requests, and not much longer.
#[test]
fn an_idle_connection_is_closed_after_a_minute() {
    let instance = Instance::start();
    let mut client = instance.client();
    client.ok("runtime.describe", json!({}));
    let start = Instant::now();
    client.expect_silent_close_within(Duration::from_secs(100));
    assert!(
        start.elapsed() >= Duration::from_secs(58),
        "not before its time"
    );
}

/// Rule 2.4: a wait blocks what is behind it on the same connection, and nothing else.
#[test]
fn a_wait_blocks_only_its_own_connection() {
    let instance = Instance::start();
    let (mut waiting, pane) = instance.ready();
    let wait = waiting.send(
        "pane.wait",
        json!({"pane_id": pane, "state": "running", "timeout_ms": 60_000}),
    );
    let behind = waiting.send("runtime.describe", json!({}));
    let mut other = instance.client();
    for _ in 0..20 {
        other.ok("runtime.snapshot", json!({}));
    }
    waiting.expect_quiet(Duration::from_millis(300));
    other.ok("pane.prompt", json!({"pane_id": pane, "text": "true"}));
    assert_eq!(waiting.value()["id"], wait.as_str());
    assert_eq!(waiting.value()["id"], behind.as_str());
}

/// "64 clients at once": all of them work, and none gets what belongs to another.
#[test]
fn sixty_four_clients_work_at_once() {
    let instance = Instance::start();
    // The connection of this thread is the 64th.
    let (mut client, pane) = instance.ready();
    std::thread::scope(|scope| {
        for number in 0..63 {
            let endpoint = instance.endpoint();
            scope.spawn(move || {
                let mut client = Client::connect(endpoint);
                for round in 0..10 {
                    let name = format!("client {number} round {round}");
                    let params = json!({"tab_index": 0, "name": name});
                    let result = client.ok_within("tab.rename", params, poll::PATIENCE * 4);
                    assert_eq!(result["action"]["name"], name.as_str());
                    // Commands are executed one after the other, so the snapshot is of this one.
                    let label = &result["snapshot"]["windows"][0]["tabs"][0]["label"];
                    assert_eq!(label, name.as_str());
                    client.ok_within("pane.read", json!({"pane_id": pane}), poll::PATIENCE * 4);
                }
            });
        }
    });
    let label = client.ok("runtime.snapshot", json!({}))["windows"][0]["tabs"][0]["label"].clone();
    assert!(
        label.as_str().unwrap().ends_with(" round 9"),
        "the last rename is of a last round"
    );
}
