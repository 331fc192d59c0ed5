//! Limits of connections and lines.

use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use control::Deadlines;
use serde_json::{Value, json};

use crate::peer::{PATIENCE, Peer, code, request, result};
use crate::world::{World, until};

const SHORT: Duration = Duration::from_millis(60);

/// Connects until the server takes the connection, for a slot that is being freed.
fn admitted(world: &World, token: &str) -> Option<Value> {
    let mut peer = world.peer();
    peer.try_write(format!(
        "{}\n",
        request(token, "runtime.describe", json!({}))
    ));
    peer.line().map(|line| serde_json::from_str(&line).unwrap())
}

#[test]
fn the_65th_connection_is_closed_without_a_byte() {
    let world = World::new();
    let mut held: Vec<Peer> = (0..64).map(|_| world.known_peer()).collect();
    world.peer().assert_silence();
    let mut eager = world.peer();
    eager.try_write("PING\n");
    eager.assert_silence();
    held.pop();
    until(|| admitted(&world, &world.token).is_some());
    for peer in &mut held {
        result(&peer.ask(&world.request("runtime.describe", json!({}))));
    }
}

#[test]
fn sixty_four_clients_at_once_are_all_served() {
    for _ in 0..5 {
        let world = World::new();
        let start = Barrier::new(64);
        thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| {
                    let request = world.request("runtime.snapshot", json!({}));
                    start.wait();
                    let mut peer = world.peer();
                    result(&peer.ask(&request));
                    start.wait();
                });
            }
        });
    }
}

#[test]
fn silent_connections_lock_nobody_out() {
    let world = World::new();
    let mut silent: Vec<Peer> = (0..40).map(|_| world.peer()).collect();
    result(&world.ask("runtime.describe", json!({})));
    // The oldest are gone without a byte, the others wait.
    for peer in &mut silent[..8] {
        peer.assert_silence();
    }
    for peer in &mut silent[9..] {
        result(&peer.ask(&world.request("runtime.describe", json!({}))));
    }
}

#[test]
fn a_pane_token_holds_sixteen_connections() {
    let world = World::new();
    let (one, other) = (world.pane_token(1), world.pane_token(2));
    let describe = |token: &str| request(token, "runtime.describe", json!({}));
    let mut held: Vec<Peer> = (0..16)
        .map(|_| {
            let mut peer = world.peer();
            result(&peer.ask(&describe(&one)));
            peer
        })
        .collect();
    assert!(admitted(&world, &one).is_none());
    assert!(admitted(&world, &other).is_some());
    assert!(admitted(&world, &world.token).is_some());
    held.pop();
    until(|| admitted(&world, &one).is_some());
    result(&held[0].ask(&describe(&one)));
}

#[test]
fn a_first_line_must_come_in_time() {
    let world = World::with(Deadlines {
        first_line: SHORT,
        ..Deadlines::default()
    });
    let started = Instant::now();
    world.peer().assert_silence();
    let mut half = world.peer();
    half.write("{\"protocol\":");
    half.assert_silence();
    assert!(started.elapsed() >= SHORT);
    // The limit is for the first line only.
    let mut peer = world.known_peer();
    peer.assert_quiet(4 * SHORT);
    result(&peer.ask(&world.request("runtime.describe", json!({}))));
}

#[test]
fn a_started_line_must_end_in_time() {
    let world = World::with(Deadlines {
        line: SHORT,
        ..Deadlines::default()
    });
    let mut peer = world.known_peer();
    peer.assert_quiet(2 * SHORT);
    peer.write("{\"protocol\":");
    peer.assert_silence();
    // The same for a line whose first bytes came with the line before.
    let mut peer = world.peer();
    peer.write(format!(
        "{}\n{{",
        world.request("runtime.describe", json!({}))
    ));
    peer.answer();
    peer.assert_silence();
}

#[test]
fn an_idle_connection_is_closed() {
    let world = World::with(Deadlines {
        idle: SHORT,
        ..Deadlines::default()
    });
    let mut peer = world.known_peer();
    peer.assert_silence();
}

#[test]
fn the_contract_has_these_limits() {
    let contract = Deadlines::default();
    assert_eq!(contract.first_line, Duration::from_secs(5));
    assert_eq!(contract.line, Duration::from_secs(5));
    assert_eq!(contract.idle, Duration::from_secs(60));
    assert_eq!(contract.write, Duration::from_secs(5));
    assert_eq!(contract.dispatch, Duration::from_secs(30));
}

#[test]
fn a_client_that_does_not_read_its_answer_is_closed() {
    let world = World::with(Deadlines {
        write: SHORT,
        ..Deadlines::default()
    });
    world.model().rename("x".repeat(4 << 20));
    let stream = TcpStream::connect(("127.0.0.1", world.port)).unwrap();
    let mut peer = Peer::over(stream.try_clone().unwrap());
    let request = format!("{}\n", world.request("runtime.snapshot", json!({})));
    // More answers than any socket buffer holds.
    peer.write(request.repeat(16));
    until(|| world.has_room_for(64));
}

#[test]
fn a_line_may_have_131072_bytes() {
    let world = World::new();
    let padded = |length: usize| {
        let line = world.request("runtime.snapshot", json!({})).to_string();
        let padding = " ".repeat(length - line.len());
        line.replacen('{', &format!("{{{padding}"), 1)
    };
    for ending in ["\n", "\r\n"] {
        let mut peer = world.peer();
        peer.write(format!("{}{ending}", padded(131_072)));
        result(&peer.answer());
        result(&peer.ask(&world.request("runtime.snapshot", json!({}))));
    }
    for line in [padded(131_073) + "\n", padded(131_073), "x".repeat(400_000)] {
        let mut peer = world.peer();
        peer.try_write(line);
        let answer = peer.answer();
        assert_eq!(
            (code(&answer), &answer["id"]),
            ("request_too_large", &json!("unknown"))
        );
        assert_eq!(answer["error"]["details"], json!({"limit": 131_072}));
        peer.assert_silence();
    }
}

#[test]
fn a_slow_writer_is_served_within_the_limit() {
    let world = World::new();
    let mut peer = world.peer();
    let line = format!("{}\n", world.request("runtime.snapshot", json!({})));
    for byte in line.as_bytes() {
        peer.write([*byte]);
    }
    result(&peer.answer());
    assert!(PATIENCE > Deadlines::default().first_line);
}
