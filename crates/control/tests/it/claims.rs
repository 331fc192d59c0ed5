//! Discovery and single instance.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::thread;

use control::client::{self, Endpoint};
use control::{Claim, UnpublishedReason, claim};
use serde_json::json;

use crate::peer::result;
use crate::world::World;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_server_publishes_a_private_file_and_listens_on_loopback_only() {
    let world = World::new();
    let directory = world.directory.path();
    let text = fs::read_to_string(directory.join("runtime.port")).unwrap();
    assert_eq!(text, format!("{} {} 1\n", world.port, world.token));
    assert_eq!(mode(&directory.join("runtime.port")), 0o600);
    assert_eq!(mode(directory), 0o700);
    assert_eq!(
        fs::read_dir(directory).unwrap().count(),
        2,
        "file and lock, nothing temporary"
    );
    // Another address of the loopback network is another address.
    assert!(TcpStream::connect((Ipv4Addr::new(127, 0, 0, 2), world.port)).is_err());
    assert!(TcpStream::connect(("::1", world.port)).is_err());
}

#[test]
fn two_starts_have_different_tokens() {
    let (one, other) = (World::new(), World::new());
    assert_ne!(one.token, other.token);
}

#[test]
fn a_second_start_is_client_only() {
    let world = World::new();
    let Claim::ClientOnly(endpoint) = claim(world.directory.path()).unwrap() else {
        panic!("the directory is taken");
    };
    assert_eq!(endpoint.port(), world.port);
    assert!(client::ping(&endpoint).unwrap());
    result(&world.ask("runtime.snapshot", json!({})));
}

#[test]
fn a_stale_file_is_replaced_whoever_listens_there_now() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runtime.port");
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let answering = thread::spawn({
        let other = other.try_clone().unwrap();
        // Another program has the port: it accepts and closes.
        move || drop(other.accept().unwrap())
    });
    for port in [other.local_addr().unwrap().port(), closed] {
        fs::write(&path, format!("{port} {} 1\n", "a".repeat(32))).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let Claim::Server(claimed) = claim(directory.path()).unwrap() else {
            panic!("nobody lives there");
        };
        assert!(claimed.is_published());
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&format!("{} ", claimed.port())));
        drop(claimed);
        assert!(!path.exists());
    }
    answering.join().unwrap();
    fs::write(&path, "garbage").unwrap();
    assert!(matches!(claim(directory.path()).unwrap(), Claim::Server(_)));
}

#[test]
fn a_server_without_a_visible_lock_is_found_by_its_answer() {
    let world = World::new();
    // As on a file system whose locks do not reach this host.
    fs::remove_file(world.directory.path().join("runtime.lock")).unwrap();
    assert!(matches!(
        claim(world.directory.path()).unwrap(),
        Claim::ClientOnly(_)
    ));
}

#[test]
fn of_starts_at_the_same_moment_one_wins() {
    for _ in 0..20 {
        let directory = Arc::new(tempfile::tempdir().unwrap());
        let barrier = Arc::new(Barrier::new(4));
        // The winner answers pings, as a server would once it runs.
        let starts: Vec<_> = (0..4)
            .map(|_| {
                let (directory, barrier) = (Arc::clone(&directory), Arc::clone(&barrier));
                thread::spawn(move || {
                    barrier.wait();
                    match claim(directory.path()).unwrap() {
                        Claim::Server(claimed) => Some(served(claimed)),
                        Claim::ClientOnly(endpoint) => {
                            assert!(client::ping(&endpoint).unwrap());
                            None
                        }
                        other => panic!("{other:?}"),
                    }
                })
            })
            .collect();
        let servers: Vec<_> = starts
            .into_iter()
            .filter_map(|start| start.join().unwrap())
            .collect();
        assert_eq!(servers.len(), 1);
    }
}

fn served(claimed: control::Claimed) -> control::ServerHandle {
    let hub = runtime::RuntimeHub::new("b".repeat(32));
    let (commands, _owner) = runtime::command_queue(1);
    let describe = protocol::DescribeResult::new("0.0.0");
    let scope = Arc::new(|| protocol::Scope::Full);
    control::Server::start(claimed, hub, commands, &describe, scope).unwrap()
}

#[test]
fn an_unsafe_directory_is_served_without_a_file() {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o770)).unwrap();
    let Claim::Unpublished { claimed, reason } = claim(directory.path()).unwrap() else {
        panic!("the directory is writable by the group");
    };
    assert!(matches!(reason, UnpublishedReason::Directory(_)));
    assert!(!claimed.is_published());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    let server = served(claimed);
    assert!(client::ping(&server.endpoint()).unwrap());
}

#[test]
fn what_the_system_said_is_told_once() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a file");
    fs::write(&file, "").unwrap();
    let Claim::Unpublished { reason, claimed } = claim(&file.join("data")).unwrap() else {
        panic!("a file is no directory");
    };
    let unheard = {
        let endpoint = Endpoint::new(claimed.port(), "0".repeat(32).parse().unwrap());
        drop(claimed);
        client::attach(&endpoint).unwrap_err()
    };
    for error in [&reason as &dyn std::error::Error, &unheard] {
        assert!(error.to_string().contains("(os error"), "{error}");
        assert!(error.source().is_none(), "{error}");
    }
}

#[test]
fn planted_links_are_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let victim = directory.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, directory.path().join("runtime.port")).unwrap();
    let claimed = claim(directory.path()).unwrap();
    assert!(matches!(claimed, Claim::Server(_)));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    drop(claimed);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");

    let locked = tempfile::tempdir().unwrap();
    symlink(&victim, locked.path().join("runtime.lock")).unwrap();
    let claimed = claim(locked.path()).unwrap();
    assert!(matches!(
        claimed,
        Claim::Unpublished {
            reason: UnpublishedReason::Lock { .. },
            ..
        }
    ));
}

#[test]
fn an_end_leaves_the_file_of_another_server() {
    let mut world = World::new();
    let path = world.directory.path().join("runtime.port");
    let other = format!("{} {} 1\n", world.port, "f".repeat(32));
    fs::write(&path, &other).unwrap();
    world.shut_down();
    assert_eq!(fs::read_to_string(&path).unwrap(), other);
}

#[test]
fn after_an_end_the_directory_is_free_again() {
    let mut world = World::new();
    world.shut_down();
    assert!(
        Endpoint::discover(world.directory.path())
            .unwrap_err()
            .is_absent()
    );
    assert!(matches!(
        claim(world.directory.path()).unwrap(),
        Claim::Server(_)
    ));
}
