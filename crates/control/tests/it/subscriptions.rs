//! Event streams.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use socket2::{Domain, SockAddr, Socket, Type};

use crate::peer::{Peer, result};
use crate::world::{World, until};

fn subscribe(world: &World, params: Value) -> (Peer, Value) {
    let mut peer = world.peer();
    let ack = peer.ask(&world.request("events.subscribe", params));
    let ack = result(&ack).clone();
    assert!(ack["subscription_id"].as_u64().unwrap() >= 1);
    assert_eq!(ack["boot_id"], "b".repeat(32));
    (peer, ack)
}

fn revision(event: &Value) -> u64 {
    assert_eq!(event["event"], "runtime.snapshot", "{event}");
    assert!(event.get("id").is_none());
    let revision = event["revision"].as_u64().unwrap();
    assert_eq!(event["data"]["revision"], revision);
    revision
}

#[test]
fn the_acknowledgement_comes_first_then_the_current_snapshot_then_changes() {
    let world = World::new();
    let (mut peer, ack) = subscribe(&world, json!({}));
    assert_eq!(ack["current_revision"], 1);
    assert_eq!(revision(&peer.answer()), 1);
    peer.assert_quiet(Duration::from_millis(50));
    world.model().rename("a");
    world.model().rename("b");
    let event = peer.answer();
    assert_eq!(revision(&event), 2);
    assert_eq!(event["data"]["windows"][0]["tabs"][0]["label"], "a");
    assert_eq!(revision(&peer.answer()), 3);
}

#[test]
fn a_known_revision_is_not_repeated() {
    let world = World::new();
    let (mut peer, _) = subscribe(&world, json!({"since_revision": 1}));
    peer.assert_quiet(Duration::from_millis(50));
    world.model().rename("a");
    assert_eq!(revision(&peer.answer()), 2);
}

#[test]
fn a_replay_has_no_hole_and_no_duplicate() {
    let world = World::new();
    for round in 0..10 {
        world.model().rename(round.to_string());
    }
    let (mut peer, ack) = subscribe(&world, json!({"since_revision": 1, "replay": true}));
    assert_eq!((&ack["gap"], &ack["replayed"]), (&json!(false), &json!(10)));
    world.model().rename("live");
    for expected in 2..=12 {
        assert_eq!(revision(&peer.answer()), expected);
    }
}

#[test]
fn lost_revisions_and_foreign_baselines_are_a_gap() {
    let world = World::new();
    for round in 0..1100 {
        world.model().rename(round.to_string());
    }
    let (mut peer, ack) = subscribe(&world, json!({"since_revision": 1, "replay": true}));
    assert_eq!(ack["gap"], true);
    let oldest = ack["oldest_revision"].as_u64().unwrap();
    assert_eq!(oldest, 1101 - 1023);
    assert_eq!(revision(&peer.answer()), oldest);

    let (mut peer, ack) = subscribe(&world, json!({"since_revision": 5000, "replay": true}));
    assert_eq!(ack["gap"], true);
    assert_eq!(revision(&peer.answer()), 1101);
}

#[test]
fn a_heartbeat_fills_silence_and_only_when_asked_for() {
    let world = World::new();
    let (mut peer, _) = subscribe(&world, json!({"heartbeat_ms": 1000}));
    assert_eq!(revision(&peer.answer()), 1);
    let (mut without, _) = subscribe(&world, json!({"since_revision": 1}));
    let started = Instant::now();
    for _ in 0..2 {
        let event = peer.answer();
        assert_eq!(event["event"], "runtime.heartbeat");
        assert_eq!(event["revision"], 1);
        assert_eq!(event["data"], json!({"boot_id": "b".repeat(32)}));
    }
    assert!(started.elapsed() < Duration::from_millis(3000));
    without.assert_quiet(Duration::from_millis(100));
}

#[test]
fn what_a_subscriber_sends_is_discarded_and_its_end_of_input_is_no_end() {
    let world = World::new();
    let (mut peer, _) = subscribe(&world, json!({"since_revision": 1}));
    peer.send(&world.request("tab.rename", json!({"tab_index": 0, "name": "x"})));
    peer.write("nonsense\n".repeat(1000));
    peer.end_input();
    peer.assert_quiet(Duration::from_millis(50));
    assert!(world.model().executed.is_empty());
    world.model().rename("a");
    assert_eq!(revision(&peer.answer()), 2);
}

/// A subscriber with a receive buffer of 4 KiB.
fn small(world: &World) -> Peer {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let address: std::net::SocketAddr = ([127, 0, 0, 1], world.port).into();
    socket.connect(&SockAddr::from(address)).unwrap();
    Peer::over(TcpStream::from(socket))
}

#[test]
fn a_slow_subscriber_learns_where_to_resume() {
    let world = World::new();
    world.model().label = "x".repeat(4000);
    let mut peer = small(&world);
    let mut request = world.request("events.subscribe", json!({}));
    request["id"] = json!("slow");
    result(&peer.ask(&request));

    let started = Instant::now();
    for round in 0..2000 {
        world
            .model()
            .rename(format!("{round:05}{}", "x".repeat(4000)));
    }
    let snapshot = Instant::now();
    result(&world.ask("runtime.snapshot", json!({})));
    assert!(snapshot.elapsed() < Duration::from_millis(200));

    let mut last_event = 0;
    let mut bytes = 0;
    let end = loop {
        let line = peer.line().expect("an error line must come last");
        bytes += line.len();
        let line: Value = serde_json::from_str(&line).unwrap();
        if line.get("event").is_none() {
            break line;
        }
        last_event = revision(&line);
    };
    assert_eq!(end["id"], "slow");
    assert_eq!(end["error"]["code"], "slow_consumer");
    assert_eq!(
        end["error"]["details"],
        json!({"last_revision": last_event})
    );
    assert!(last_event < 2000, "the stream must have been given up");
    assert!(bytes < 600 << 10, "{bytes} bytes were buffered");
    peer.assert_silence();
    assert!(started.elapsed() < Duration::from_secs(15));

    let resume = json!({"since_revision": last_event, "replay": true});
    let (mut peer, ack) = subscribe(&world, resume);
    assert_eq!(
        ack["gap"],
        last_event < ack["oldest_revision"].as_u64().unwrap() - 1
    );
    peer.answer();
}

#[test]
fn a_subscriber_that_never_reads_is_given_up() {
    let world = World::with(control::Deadlines {
        write: Duration::from_millis(100),
        ..control::Deadlines::default()
    });
    let stuck: Vec<Peer> = (0..64)
        .map(|_| {
            let mut peer = small(&world);
            result(&peer.ask(&world.request("events.subscribe", json!({}))));
            peer
        })
        .collect();
    for round in 0..200 {
        world
            .model()
            .rename(format!("{round:05}{}", "x".repeat(8000)));
    }
    until(|| world.has_room_for(64));
    drop(stuck);
}

#[test]
fn a_subscriber_that_is_gone_frees_its_slot() {
    let world = World::new();
    let gone: Vec<_> = (0..64).map(|_| subscribe(&world, json!({}))).collect();
    assert!(!world.has_room_for(1));
    drop(gone);
    // Writing to a closed connection is how the server learns of it.
    until(|| {
        world.model().rename(format!("{:?}", Instant::now()));
        world.has_room_for(64)
    });
}

#[test]
fn an_orderly_end_closes_streams_after_the_last_event() {
    let mut world = World::new();
    let (mut peer, _) = subscribe(&world, json!({}));
    assert_eq!(revision(&peer.answer()), 1);
    for round in 0..10 {
        world.model().rename(round.to_string());
    }
    world.shut_down();
    for expected in 2..=11 {
        assert_eq!(revision(&peer.answer()), expected);
    }
    peer.assert_silence();
}
