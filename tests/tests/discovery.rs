//! The discovery file, tokens across starts, and what is left after an end.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use nebula_tests::Starting;
use nebula_tests::pane::run;
use nebula_tests::process::{self, Signal};
use nebula_tests::{Client, Endpoint, Home, Instance, poll};
use serde_json::json;

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .permissions()
        .mode()
        & 0o7777
}

/// Check 1.
#[test]
fn the_discovery_file_is_private_and_names_a_loopback_port() {
    let instance = Instance::start();
    let home = instance.home();
    let text = fs::read_to_string(home.port_file()).unwrap();
    let line = text.strip_suffix('\n').expect("one line with a newline");
    let fields: Vec<&str> = line.split(' ').collect();
    let [port, token, version] = fields[..] else {
        panic!("three fields: {line:?}")
    };
    assert!(
        !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()),
        "{line:?}"
    );
    assert_eq!(token.len(), 32, "{line:?}");
    assert!(
        token
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        "{line:?}"
    );
    assert_eq!(version, "1");

    assert_eq!(mode(&home.port_file()), 0o600);
    assert_eq!(mode(&home.data()), 0o700);
    assert_eq!(
        process::listening(instance.pid()),
        [format!("127.0.0.1:{port}")]
    );

    let left: Vec<_> = fs::read_dir(home.data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("runtime.port") && name != "runtime.port")
        .collect();
    assert!(
        left.is_empty(),
        "temporary files are renamed away: {left:?}"
    );
}

/// Rule 3.3, step 1: an own directory that others may read is tightened.
#[test]
fn a_readable_data_directory_is_tightened() {
    let home = Arc::new(Home::new());
    fs::create_dir(home.data()).unwrap();
    fs::set_permissions(home.data(), fs::Permissions::from_mode(0o755)).unwrap();
    let instance = Instance::start_in(&home);
    assert_eq!(mode(&home.data()), 0o700);
    assert!(
        instance
            .client()
            .ok("runtime.describe", json!({}))
            .is_object()
    );
}

/// Rule 3.3, step 1: nothing is published where another user could replace it.
#[test]
fn nothing_is_published_in_a_directory_others_may_write() {
    let home = Home::new();
    fs::create_dir(home.data()).unwrap();
    fs::set_permissions(home.data(), fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = home.nebula();
    command.arg("--headless");
    let starting = Starting::spawn(&home, command);
    poll::until_ok("a warning about the directory", poll::PATIENCE, || {
        let text = starting.stderr();
        if text.contains(home.data().to_str().unwrap()) {
            Ok(())
        } else {
            Err(text)
        }
    });
    // The warning is written instead of the file, so the file cannot come later; and the program
    // goes on without it.
    assert!(!home.port_file().exists());
    assert!(process::is_alive(starting.child.id()));
}

/// Check 2.
#[test]
fn every_start_has_another_token() {
    let first = Instance::start();
    let token = first.endpoint().token.clone();
    let (home, _) = first.stop();
    let second = Instance::start_in(&home);
    assert_ne!(second.endpoint().token, token);
}

/// Check 3.
#[test]
fn an_orderly_end_removes_the_file() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut instance = Instance::start();
        process::signal(instance.pid(), signal);
        let status = instance.wait();
        assert_eq!(status.code(), Some(0), "{signal:?}: {status}");
        assert!(!instance.home().port_file().exists(), "after {signal:?}");
        instance.expect_nothing_left();
    }
}

/// Check 3: a file that is not its own stays.
#[test]
fn an_orderly_end_keeps_a_foreign_file() {
    let instance = Instance::start();
    let foreign = format!("{} {} 1\n", instance.endpoint().port, "0".repeat(32));
    fs::write(instance.home().port_file(), &foreign).unwrap();
    let (home, _) = instance.stop();
    assert_eq!(fs::read_to_string(home.port_file()).unwrap(), foreign);
}

/// Check 4 and "stale discovery file": after a crash the next start publishes and serves.
#[test]
fn a_crash_is_followed_by_a_working_start() {
    let first = Instance::start();
    let old = first.endpoint().clone();
    let home = first.kill();
    assert_eq!(
        home.endpoint(),
        Some(old.clone()),
        "a crash leaves the file"
    );
    let second = Instance::start_in(&home);
    assert_ne!(second.endpoint(), &old);
    let described = second.client().ok("runtime.describe", json!({}));
    assert_eq!(described["protocol"], "nebula.runtime");
}

/// "Stale discovery file": whatever stands in it, a start replaces it.
#[test]
fn any_stale_file_is_replaced() {
    // Somebody else listens at the old port now, and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = listener.local_addr().unwrap().port();
    let token = "0123456789abcdef0123456789abcdef";
    let contents = [
        String::new(),
        "garbage\n".to_owned(),
        "99999999 zz 1\n".to_owned(),
        format!("1 {token} 1\n"),
        format!("{silent} {token} 1\n"),
        "\0".repeat(4096),
    ];
    for content in contents {
        let home = Arc::new(Home::new());
        fs::create_dir(home.data()).unwrap();
        fs::set_permissions(home.data(), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(home.port_file(), &content).unwrap();
        fs::set_permissions(home.port_file(), fs::Permissions::from_mode(0o600)).unwrap();
        let instance = Instance::start_in(&home);
        let snapshot = instance.client().ok("runtime.snapshot", json!({}));
        assert_eq!(snapshot["process_id"], instance.pid(), "after {content:?}");
        assert_eq!(mode(&home.port_file()), 0o600);
    }
}

/// Rule 3.3, step 5: a planted link is replaced, not followed.
#[test]
fn a_planted_link_is_not_followed() {
    let home = Arc::new(Home::new());
    fs::create_dir(home.data()).unwrap();
    fs::set_permissions(home.data(), fs::Permissions::from_mode(0o700)).unwrap();
    home.write("user/victim", "untouched");
    symlink(home.user().join("victim"), home.port_file()).unwrap();
    let instance = Instance::start_in(&home);
    assert!(
        fs::symlink_metadata(home.port_file()).unwrap().is_file(),
        "a file, not a link"
    );
    assert_eq!(home.read_user("victim").unwrap(), "untouched");
    assert_eq!(home.endpoint().as_ref(), Some(instance.endpoint()));
}

/// Check 24.
#[test]
fn every_start_has_another_boot_id() {
    let first = Instance::start();
    let boot = first.client().ok("runtime.snapshot", json!({}))["boot_id"].clone();
    let text = boot.as_str().expect("boot_id is a string");
    assert_eq!(text.len(), 32);
    assert!(
        text.bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        "{text}"
    );
    let (home, _) = first.stop();
    let second = Instance::start_in(&home);
    assert_ne!(
        second.client().ok("runtime.snapshot", json!({}))["boot_id"],
        boot
    );
}

/// An orderly end takes every child along, also one that ignores the usual signals.
#[test]
fn an_orderly_end_leaves_no_process() {
    let mut instance = Instance::start();
    let (mut client, pane) = instance.ready();
    client.ok("pane.split", json!({"direction": "top_bottom"}));
    run(&mut client, pane, "sleep 600 &");
    client.ok(
        "pane.prompt",
        json!({"pane_id": pane, "text": "bash -c 'trap \"\" HUP TERM INT; echo deaf; sleep 600; sleep 601'"}),
    );
    nebula_tests::pane::await_text(&mut client, pane, "\ndeaf");
    assert!(
        instance.left_behind().len() >= 4,
        "{:?}",
        instance.left_behind()
    );
    process::signal(instance.pid(), Signal::TERM);
    instance.wait();
    instance.expect_nothing_left();
}

/// Rule 3.7: neither tokens nor what is typed is logged, named in arguments or printed.
#[test]
fn tokens_and_typed_text_are_not_logged() {
    let home = Arc::new(Home::new());
    let mut command = home.nebula();
    command
        .arg("--headless")
        .env("RUST_LOG", "trace")
        .env("NEBULA_LOG", "trace");
    let instance = Instance::start_command(&home, command);
    let (mut client, pane) = instance.ready();
    run(
        &mut client,
        pane,
        "echo $NEBULA_RUNTIME_ENDPOINT > endpoint; echo se''cret-word",
    );
    let pane_token = Endpoint::parse(&home.read_user("endpoint").unwrap())
        .unwrap()
        .token;
    let mut stranger = Client::connect(&instance.endpoint().with_token(&"f".repeat(32)));
    stranger.send("runtime.describe", json!({}));
    stranger.expect_silent_close();

    let arguments = fs::read(format!("/proc/{}/cmdline", instance.pid())).unwrap();
    let arguments = String::from_utf8_lossy(&arguments).into_owned();
    let log = instance.stderr();
    assert!(
        !log.is_empty(),
        "with RUST_LOG=trace there is a log to look at"
    );
    let stranger_token = "f".repeat(32);
    for secret in [
        &instance.endpoint().token,
        &pane_token,
        &stranger_token,
        "secret-word",
        "se''cret-word",
    ] {
        assert!(!log.contains(secret), "the log holds a secret: {secret}");
        assert!(!arguments.contains(secret), "the arguments hold a secret");
    }
}
