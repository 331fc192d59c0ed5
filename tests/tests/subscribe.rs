//! Event streams.

use std::time::{Duration, Instant};

use nebula_tests::pane::{await_rest, run};
use nebula_tests::{Client, Instance, Received, poll, process, snapshot};
use serde_json::{Value, json};

fn rename(client: &mut Client, name: &str) -> u64 {
    let result = client.ok("tab.rename", json!({"tab_index": 0, "name": name}));
    snapshot::revision(&result["snapshot"])
}

/// The next event, which must be a snapshot, and its revision.
fn event(stream: &mut Client) -> (u64, Value) {
    let mut event = stream.value();
    assert_eq!(event["protocol"], "nebula.runtime", "{event}");
    assert_eq!(event["version"], 1, "{event}");
    assert_eq!(event["event"], "runtime.snapshot", "{event}");
    assert!(
        event.get("id").is_none() && event.get("ok").is_none(),
        "{event}"
    );
    assert_eq!(event["revision"], event["data"]["revision"]);
    (event["revision"].as_u64().unwrap(), event["data"].take())
}

/// Check 53.
#[test]
fn a_stream_begins_with_the_present() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let now = client.ok("runtime.snapshot", json!({}));
    let mut stream = instance.client();
    let acknowledgement = stream.ok("events.subscribe", json!({}));
    assert!(acknowledgement["subscription_id"].as_u64().unwrap() >= 1);
    assert_eq!(acknowledgement["current_revision"], now["revision"]);
    assert_eq!(acknowledgement["boot_id"], now["boot_id"]);
    assert_eq!(acknowledgement["gap"], false);
    assert!(acknowledgement["oldest_revision"].as_u64().unwrap() >= 1);
    assert_eq!(event(&mut stream).1, now);
    stream.expect_quiet(Duration::from_secs(3));

    let revision = rename(&mut client, "changed");
    let (seen, data) = event(&mut stream);
    assert_eq!(seen, revision);
    assert_eq!(snapshot::labels(&data), ["changed"]);
}

/// Check 54.
#[test]
fn a_stream_since_now_begins_with_the_next_change() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let current = snapshot::revision(&client.ok("runtime.snapshot", json!({})));
    let mut stream = instance.client();
    stream.ok("events.subscribe", json!({"since_revision": current}));
    stream.expect_quiet(Duration::from_secs(1));
    let revision = rename(&mut client, "next");
    assert_eq!(event(&mut stream).0, revision);
    // A lower one begins with the present, a missed one is not repeated.
    let mut stream = instance.client();
    stream.ok("events.subscribe", json!({"since_revision": 1}));
    assert_eq!(event(&mut stream).0, revision);
    stream.expect_quiet(Duration::from_millis(500));
}

/// Check 55, first half.
#[test]
fn missed_revisions_are_replayed() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let first = snapshot::revision(&await_rest(&mut client));
    for number in 1..=10 {
        assert_eq!(
            rename(&mut client, &format!("name {number}")),
            first + number
        );
    }
    let mut stream = instance.client();
    let params = json!({"since_revision": first, "replay": true});
    let acknowledgement = stream.ok("events.subscribe", params);
    assert_eq!(acknowledgement["gap"], false, "{acknowledgement}");
    assert_eq!(acknowledgement["replayed"], 10, "{acknowledgement}");
    for number in 1..=10 {
        let (revision, data) = event(&mut stream);
        assert_eq!(revision, first + number);
        assert_eq!(snapshot::labels(&data), [format!("name {number}")]);
    }
    for number in 11..=15 {
        assert_eq!(
            rename(&mut client, &format!("name {number}")),
            first + number
        );
        assert_eq!(event(&mut stream).0, first + number);
    }
    // Without a baseline only the present is replayed.
    let mut stream = instance.client();
    stream.ok("events.subscribe", json!({"replay": true}));
    assert_eq!(event(&mut stream).0, first + 15);
}

/// Check 55, second half.
#[test]
fn a_gap_is_admitted() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let first = snapshot::revision(&await_rest(&mut client));
    let mut last = first;
    for number in 0..1100 {
        last = rename(&mut client, &format!("name {number}"));
    }
    let mut stream = instance.client();
    let params = json!({"since_revision": first, "replay": true});
    let acknowledgement = stream.ok("events.subscribe", params);
    assert_eq!(acknowledgement["gap"], true, "{acknowledgement}");
    let oldest = acknowledgement["oldest_revision"].as_u64().unwrap();
    assert_eq!(oldest, last - 1023, "1024 revisions are kept");
    for revision in oldest..=last {
        assert_eq!(event(&mut stream).0, revision);
    }
    // A baseline of another boot: the present, and the gap is admitted.
    let mut stream = instance.client();
    let params = json!({"since_revision": last + 1000, "replay": true});
    let acknowledgement = stream.ok("events.subscribe", params);
    assert_eq!(acknowledgement["gap"], true, "{acknowledgement}");
    assert_eq!(event(&mut stream).0, last);
}

/// Rule 8.4: no hole and no double between what is replayed and what is live.
#[test]
fn a_replay_joins_the_live_stream() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let first = snapshot::revision(&await_rest(&mut client));
    const RENAMES: u64 = 300;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..RENAMES {
                rename(&mut client, &format!("name {number}"));
            }
        });
        for _ in 0..8 {
            scope.spawn(|| {
                let mut stream = instance.client();
                let mut next = first + 1;
                let subscribe = |stream: &mut Client, since: u64| {
                    stream.ok(
                        "events.subscribe",
                        json!({"since_revision": since, "replay": true}),
                    );
                };
                subscribe(&mut stream, first);
                while next <= first + RENAMES {
                    let line = stream.value();
                    if line["error"]["code"] == "slow_consumer" {
                        // This thread was not scheduled for a while: resume as rule 8.6 says.
                        let seen = line["error"]["details"]["last_revision"].as_u64().unwrap();
                        assert_eq!(seen, next - 1, "{line}");
                        stream = instance.client();
                        subscribe(&mut stream, seen);
                        continue;
                    }
                    assert_eq!(line["revision"], next, "no hole, no double");
                    next += 1;
                }
            });
        }
    });
}

/// Heartbeats that are counted.
const BEATS: u64 = 8;

/// Check 56.
#[test]
fn heartbeats_come_when_asked_for() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let now = client.ok("runtime.snapshot", json!({}));
    let mut silent = instance.client();
    silent.ok(
        "events.subscribe",
        json!({"since_revision": now["revision"]}),
    );
    let mut stream = instance.client();
    let params = json!({"since_revision": now["revision"], "heartbeat_ms": 1000});
    stream.ok("events.subscribe", params);
    let start = Instant::now();
    for _ in 0..BEATS {
        let beat = stream.value();
        assert_eq!(beat["event"], "runtime.heartbeat", "{beat}");
        assert_eq!(beat["revision"], now["revision"], "{beat}");
        assert_eq!(beat["data"]["boot_id"], now["boot_id"], "{beat}");
    }
    // One beat may be late on a busy machine, and the next one is on time again.
    let took = start.elapsed();
    let range = Duration::from_secs(BEATS - 1)..Duration::from_millis(BEATS * 1500);
    assert!(range.contains(&took), "{BEATS} heartbeats in {took:?}");
    silent.expect_quiet(Duration::from_secs(5));
    let revision = rename(&mut client, "x");
    assert_eq!(event(&mut silent).0, revision, "nothing came before it");
}

/// Check 57 and rule 8.6.
#[test]
fn a_slow_subscriber_is_told_and_let_go() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    // Larger snapshots fill the buffers with fewer of them.
    for index in 1..=6 {
        client.ok("tab.new", json!({}));
        client.ok(
            "tab.rename",
            json!({"tab_index": index, "name": "n".repeat(256)}),
        );
    }
    let first = snapshot::revision(&await_rest(&mut client));

    let mut slow = Client::connect_narrow(instance.endpoint(), 4096);
    let params = json!({"since_revision": first});
    let request = slow.send("events.subscribe", params);
    let acknowledgement = slow.value();
    assert_eq!(acknowledgement["ok"], true, "{acknowledgement}");
    // 256 KiB of send buffer and 16 events of this size are about 100 events.
    let size = client.ok("runtime.snapshot", json!({})).to_string().len();
    let enough = 4 * (256 * 1024 / size + 16);
    // Reading has to begin soon: the server gives the line it is writing 5 s.
    let start = Instant::now();
    let mut last = first;
    for number in 1..=enough {
        last = rename(&mut client, &format!("{number}"));
        // The workspace does not wait for the subscriber.
        assert_eq!(last, first + number as u64);
        if start.elapsed() > Duration::from_secs(3) {
            break;
        }
    }

    let mut seen = first;
    let end = loop {
        let line = slow.value();
        if line.get("event").is_none() {
            break line;
        }
        assert_eq!(line["revision"], seen + 1, "what is sent has no holes");
        seen += 1;
    };
    assert_eq!(end["ok"], false, "{end}");
    assert_eq!(end["id"], request.as_str(), "{end}");
    assert_eq!(end["error"]["code"], "slow_consumer", "{end}");
    assert_eq!(end["error"]["details"]["last_revision"], seen, "{end}");
    assert!(seen < last);
    assert_eq!(slow.receive(poll::PATIENCE), Received::Closed(0));

    // It resumes where it was.
    let mut stream = instance.client();
    let acknowledgement = stream.ok(
        "events.subscribe",
        json!({"since_revision": seen, "replay": true}),
    );
    assert_eq!(acknowledgement["gap"], false, "{acknowledgement}");
    assert_eq!(event(&mut stream).0, seen + 1);
}

/// "A subscriber that never reads": nobody notices it, and its place becomes free again.
#[test]
fn subscribers_that_never_read_hurt_nobody() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    for index in 1..=6 {
        client.ok("tab.new", json!({}));
        client.ok(
            "tab.rename",
            json!({"tab_index": index, "name": "n".repeat(256)}),
        );
    }
    let mut never = Vec::new();
    for _ in 0..40 {
        let mut stream = Client::connect_narrow(instance.endpoint(), 4096);
        stream.send("events.subscribe", json!({}));
        assert_eq!(stream.value()["ok"], true);
        never.push(stream);
    }
    for number in 0..2000 {
        rename(&mut client, &format!("{number}"));
        if number % 200 == 0 {
            run(&mut client, pane, "true");
        }
    }
    // All of them were let go although they never read: 64 places are free but for our own.
    poll::until_ok("the places to become free", poll::PATIENCE, || {
        let mut clients = Vec::new();
        for _ in 0..60 {
            let mut other = instance.client();
            let request = other.request("runtime.describe", json!({}));
            let sent = other.try_send_bytes(format!("{request}\n").as_bytes());
            match (sent, other.receive(poll::PATIENCE)) {
                (Ok(()), Received::Line(_)) => clients.push(other),
                refused => return Err(format!("{} places, then {refused:?}", clients.len())),
            }
        }
        Ok(())
    });
}

/// Rule 2.6: after the acknowledgement the connection belongs to the stream.
#[test]
fn a_stream_ignores_what_its_client_sends() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let now = snapshot::revision(&client.ok("runtime.snapshot", json!({})));
    let mut stream = instance.client();
    stream.ok("events.subscribe", json!({"since_revision": now}));
    stream.send(
        "tab.rename",
        json!({"tab_index": 0, "name": "from the stream"}),
    );
    stream.send_bytes(b"HELLO\n{broken\n");
    stream.expect_quiet(Duration::from_millis(500));
    stream.finish_writing();
    stream.expect_quiet(Duration::from_millis(500));
    let revision = rename(&mut client, "after all");
    assert_eq!(event(&mut stream).0, revision);
    assert_eq!(revision, now + 1, "nothing of it was executed");
}

/// Rule 8.7.
#[test]
fn an_orderly_end_closes_streams_without_an_error() {
    let mut instance = Instance::start();
    let (mut client, _) = instance.ready();
    let mut stream = instance.client();
    stream.ok("events.subscribe", json!({}));
    rename(&mut client, "last words");
    process::signal(instance.pid(), process::Signal::TERM);
    let mut labels = Vec::new();
    loop {
        match stream.receive(poll::PATIENCE) {
            Received::Line(line) => {
                let event: Value = serde_json::from_str(&line).unwrap();
                assert_eq!(event["event"], "runtime.snapshot", "{event}");
                labels = snapshot::labels(&event["data"])
                    .into_iter()
                    .map(str::to_owned)
                    .collect();
            }
            Received::Closed(0) => break,
            other => panic!("{other:?}"),
        }
    }
    // Panes may have been closed one by one on the way; the rename came first in any case.
    assert!(labels.is_empty() || labels == ["last words"], "{labels:?}");
    instance.wait();
}

/// Rule 5.2: what happens to panes is part of the events.
#[test]
fn the_end_of_a_pane_is_in_the_stream() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let pane = client.ok("pane.split", json!({"direction": "left_right"}))["action"]["pane_id"]
        .as_u64()
        .unwrap();
    let mut stream = instance.client();
    stream.ok("events.subscribe", json!({}));
    client.ok("pane.close", json!({"pane_id": pane, "force": true}));
    loop {
        let (_, data) = event(&mut stream);
        if let Some(record) = snapshot::lifecycle(&data, pane) {
            assert_eq!(record["event"], "closed");
            assert!(!snapshot::pane_ids(&data).contains(&pane));
            break;
        }
    }
}
