//! One workspace on one data directory.

use std::sync::Arc;
use std::time::Duration;

use nebula_tests::Starting;
use nebula_tests::process::{self, Signal};
use nebula_tests::{Client, Home, Instance, poll};
use serde_json::json;

/// Check 13.
#[test]
fn a_second_headless_start_gives_way() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let before = client.ok("runtime.snapshot", json!({}));
    for arguments in [&["--headless"][..], &["--headless", "/usr"]] {
        let mut command = instance.home().nebula();
        command.args(arguments);
        let mut second = Starting::spawn(instance.home(), command);
        assert_eq!(second.wait().code(), Some(1));
        let stderr = second.stderr();
        assert_eq!(stderr.trim_end().lines().count(), 1, "one line: {stderr:?}");
        assert!(!stderr.contains(&instance.endpoint().token));
    }
    assert_eq!(
        instance.home().endpoint().as_ref(),
        Some(instance.endpoint())
    );
    assert_eq!(client.ok("runtime.snapshot", json!({})), before);
}

/// Rule 3.5: a plain start beside a headless server has no window to reveal.
#[test]
fn a_plain_start_beside_a_headless_server_gives_way() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let before = client.ok("runtime.snapshot", json!({}));
    let mut command = instance.home().nebula();
    command.arg("/usr");
    let mut second = Starting::spawn(instance.home(), command);
    assert_eq!(second.wait().code(), Some(1), "{}", second.stderr());
    assert_eq!(
        second.stderr().trim_end().lines().count(),
        1,
        "{:?}",
        second.stderr()
    );
    assert_eq!(
        client.ok("runtime.snapshot", json!({})),
        before,
        "no tab was opened"
    );
}

/// "Two starts at the same moment": one serves, the others give way, whoever comes first.
#[test]
fn starts_at_the_same_moment_leave_one_server() {
    for _ in 0..5 {
        let home = Arc::new(Home::new());
        let mut starts: Vec<Starting> = (0..4)
            .map(|_| {
                let mut command = home.nebula();
                command.arg("--headless");
                Starting::spawn(&home, command)
            })
            .collect();
        let endpoint = poll::until("runtime.port", || home.endpoint());
        // All but one end by themselves with status 1.
        let winner = poll::until_ok("all but one to give way", poll::PATIENCE, || {
            let mut running = Vec::new();
            for (index, start) in starts.iter_mut().enumerate() {
                match start.ended() {
                    None => running.push(index),
                    Some(status) => assert_eq!(status.code(), Some(1), "{}", start.stderr()),
                }
            }
            if running.len() == 1 {
                Ok(running[0])
            } else {
                Err(format!("{running:?} run"))
            }
        });
        let winner = &mut starts[winner];
        let snapshot = Client::connect(&endpoint).ok("runtime.snapshot", json!({}));
        assert_eq!(snapshot["process_id"], winner.child.id());
        assert_eq!(home.endpoint(), Some(endpoint));
        process::signal(winner.child.id(), Signal::TERM);
        assert_eq!(winner.wait().code(), Some(0));
    }
}

/// A start during the end of the server before it either gives way or takes over; never neither.
#[test]
fn a_restart_finds_the_place_free() {
    let mut home = Arc::new(Home::new());
    for _ in 0..5 {
        let instance = Instance::start_in(&home);
        assert!(
            instance
                .client()
                .ok("runtime.snapshot", json!({}))
                .is_object()
        );
        (home, _) = instance.stop();
    }
}

/// A lock that is only a file, without a process that holds it, stops nobody.
#[test]
fn a_left_over_lock_file_stops_nobody() {
    let home = Instance::start().kill();
    assert!(home.data().join("runtime.lock").exists());
    let instance = Instance::start_in(&home);
    let mut client = instance.client();
    assert!(client.ok("runtime.snapshot", json!({})).is_object());
    client.expect_quiet(Duration::from_millis(10));
}
