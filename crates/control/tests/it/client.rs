//! The client of the crate against the server and against servers that misbehave.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use control::client::{self, Client, ClientError, Endpoint, Next, Subscription};
use protocol::{Call, ErrorCode, Method, NoParams, Snapshot, SubscribeParams};
use serde_json::json;

use crate::world::World;

const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn a_kept_connection_carries_many_requests() {
    let world = World::new();
    let mut client = Client::connect(&world.endpoint()).unwrap();
    for round in 1..=100 {
        let call = Call::RuntimeSnapshot(NoParams {});
        let reply = client.request(call.method(), &call, LIMIT).unwrap();
        assert!(reply.is_ok());
        assert_eq!(reply.id(), format!("{}-{round}", std::process::id()));
        assert_eq!(reply.result::<Snapshot>().unwrap().revision, 1);
    }
    let params = json!({"pane_id": 99});
    let reply = client.request(Method::PaneWait, &params, LIMIT).unwrap();
    assert_eq!(reply.code(), Some(ErrorCode::TargetNotFound));
    assert!(reply.raw_result().is_none());
}

#[test]
fn ping_and_attach_tell_who_is_there() {
    let world = World::new();
    assert!(client::ping(&world.endpoint()).unwrap());
    assert!(!client::attach(&world.endpoint()).unwrap());
    world.model().windowed = true;
    assert!(client::attach(&world.endpoint()).unwrap());
    let stranger = Endpoint::new(world.port, "0".repeat(32).parse().unwrap());
    assert!(matches!(client::ping(&stranger), Err(ClientError::Closed)));
    assert!(matches!(
        client::attach(&stranger),
        Err(ClientError::Closed)
    ));
    drop(world);
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let nobody = Endpoint::new(port, "0".repeat(32).parse().unwrap());
    assert!(!client::ping(&nobody).unwrap());
    assert!(matches!(
        client::attach(&nobody),
        Err(ClientError::Connect { .. })
    ));
}

#[test]
fn a_full_server_is_not_one_without_a_window() {
    let world = World::new();
    let held: Vec<_> = (0..64).map(|_| world.known_peer()).collect();
    let endpoint = world.endpoint();
    assert!(matches!(client::ping(&endpoint), Err(ClientError::Closed)));
    let refused = client::attach(&endpoint).unwrap_err();
    assert!(refused.to_string().contains("full"), "{refused}");
    drop(held);
}

#[test]
fn something_else_at_the_port_is_told() {
    let (endpoint, thread) = impostor("HTTP/1.1 400 Bad Request\n");
    let answer = client::ping(&endpoint);
    assert!(matches!(answer, Err(ClientError::Invalid(_))), "{answer:?}");
    thread.join().unwrap();
}

#[test]
fn a_subscription_iterates_over_events() {
    let world = World::new();
    let client = Client::connect(&world.endpoint()).unwrap();
    let (ack, stream) = client
        .subscribe(&SubscribeParams::default(), LIMIT)
        .unwrap();
    assert!(ack.is_ok());
    let mut stream = stream.unwrap();
    assert!(stream.next().unwrap().unwrap().contains("\"revision\":1"));
    world.model().rename("a");
    let output = std::io::stdout();
    match stream.next_while_open(output.as_fd()).unwrap() {
        Next::Line(line) => assert!(line.contains("\"revision\":2")),
        other => panic!("{other:?}"),
    }
    let waited = stream.next_within(Some(Duration::from_millis(20)));
    assert!(matches!(waited, Err(ClientError::NoAnswer(_))));
    drop(world);
    assert!(stream.next().is_none());
}

#[test]
fn a_refused_subscription_is_a_reply_without_a_stream() {
    let world = World::new();
    let client = Client::connect(&world.endpoint()).unwrap();
    let (reply, stream) = client
        .subscribe(&json!({"heartbeat_ms": 1}), LIMIT)
        .unwrap();
    assert_eq!(reply.code(), Some(ErrorCode::InvalidParams));
    assert!(stream.is_none());
}

#[test]
fn a_reader_that_left_ends_the_stream() {
    let world = World::new();
    let client = Client::connect(&world.endpoint()).unwrap();
    let params = SubscribeParams {
        since_revision: Some(1),
        ..SubscribeParams::default()
    };
    let (_, stream) = client.subscribe(&params, LIMIT).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    let waiting = thread::spawn(move || stream.unwrap().next_while_open(writer.as_fd()).unwrap());
    drop(reader);
    assert!(matches!(waiting.join().unwrap(), Next::OutputClosed));
}

/// A server that reads one line, answers with `answer` and closes.
fn impostor(answer: &'static str) -> (Endpoint, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut byte = [0];
        while stream.read(&mut byte).unwrap() == 1 && byte != *b"\n" {}
        stream.write_all(answer.as_bytes()).unwrap();
    });
    (Endpoint::new(port, "a".repeat(32).parse().unwrap()), thread)
}

fn asked(answer: &'static str) -> ClientError {
    let (endpoint, thread) = impostor(answer);
    let call = Call::RuntimeSnapshot(NoParams {});
    let error = client::call(&endpoint, call.method(), &call, LIMIT).unwrap_err();
    thread.join().unwrap();
    error
}

#[test]
fn answers_that_are_none_are_told_apart() {
    assert!(matches!(asked(""), ClientError::Closed));
    assert!(matches!(asked("{\"half\":"), ClientError::Closed));
    for answer in [
        "HTTP/1.1 400 Bad Request\n",
        "{}\n",
        "{\"protocol\":\"nebula.runtime\",\"version\":2,\"id\":\"x\",\"ok\":true,\"result\":{}}\n",
        "{\"protocol\":\"nebula.runtime\",\"version\":1,\"id\":\"x\",\"ok\":true,\"result\":{}}\n",
        "{\"protocol\":\"nebula.runtime\",\"version\":1,\"id\":\"unknown\",\"ok\":false}\n",
    ] {
        let error = asked(answer);
        assert!(
            matches!(error, ClientError::Invalid(_)),
            "{answer}: {error}"
        );
        assert!(error.outcome_unknown());
    }
}

#[test]
fn a_request_nobody_could_receive_has_a_known_outcome() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let endpoint = Endpoint::new(port, "a".repeat(32).parse().unwrap());
    let error = Client::connect(&endpoint).unwrap_err();
    assert!(matches!(error, ClientError::Connect { .. }));
    assert!(!error.outcome_unknown());
    assert!(!format!("{error} {error:?}").contains("aaa"));
}

#[test]
fn a_final_error_line_reads_as_a_reply() {
    let line = r#"{"protocol":"nebula.runtime","version":1,"id":"s","ok":false,"error":{"code":"slow_consumer","message":"m","details":{"last_revision":40}}}"#;
    let reply = Subscription::final_reply(line).unwrap();
    assert_eq!(reply.code(), Some(ErrorCode::SlowConsumer));
    let event = r#"{"protocol":"nebula.runtime","version":1,"event":"runtime.snapshot","revision":1,"data":{}}"#;
    assert!(Subscription::final_reply(event).is_err());
}
