//! What happens when a stage does not go on (checks 22, 23, 36, 37).

use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ssh::stage::Stage;
use ssh::{InputError, SessionRequest};

use crate::client::{Answers, Client, Pane, request, wait};
use crate::server::{PASSWORD, Server, USER, run};

/// Within which a cancelled session has failed.
const SOON: Duration = Duration::from_millis(200);

fn cancel(pane: &Pane) -> (&'static str, String) {
    let asked = Instant::now();
    pane.session.cancel();
    let failed = pane.failed();
    let took = asked.elapsed();
    assert!(took < SOON, "{took:?}");
    failed
}

fn not_ready(pane: &Pane, wanted: &str) {
    let Err(InputError::NotReady { stage, reason }) = pane.session.write(b"x".to_vec()) else {
        panic!("{wanted} took input");
    };
    assert_eq!(stage, wanted);
    assert!(!reason.is_empty());
    assert!(pane.session.write_bulk(b"x".to_vec()).is_err());
}

/// A server that takes connections and says nothing.
fn silent() -> (TcpListener, SessionRequest) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (
        listener,
        SessionRequest::new(format!("{USER}@127.0.0.1:{port}").parse().unwrap()),
    )
}

#[test]
fn resolve_can_be_cancelled() {
    // A program that never answers in the place of `ssh -G`.
    let client = Client::with("", |options| {
        let dir = options.config.home.clone().unwrap();
        let program = dir.join("slow");
        std::fs::write(&program, "#!/bin/sh\nexec sleep 60\n").unwrap();
        run("chmod", &["755", program.to_str().unwrap()]);
        options.config.openssh = ssh::OpenSsh::Program(program);
    });
    let pane = client.open_request(silent().1, &Answers::none());
    not_ready(&pane, "resolve");
    assert_eq!(cancel(&pane), ("resolve", "cancelled".to_owned()));
}

#[test]
fn connect_can_be_cancelled_and_ends_by_itself() {
    let client = Client::new("ConnectTimeout 1");
    let (listener, wanted) = silent();
    let pane = client.open_request(wanted.clone(), &Answers::none());
    let (mut stream, _) = listener.accept().unwrap();
    let mut said = [0; 14];
    stream.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"SSH-2.0-Nebula");
    not_ready(&pane, "connect");
    assert_eq!(cancel(&pane).0, "connect");
    // Nothing is left behind: the server sees the end.
    stream.read_to_end(&mut Vec::new()).unwrap();
    let begun = Instant::now();
    let (stage, reason) = client.open_request(wanted, &Answers::none()).failed();
    assert_eq!(
        (stage, reason.as_str()),
        ("connect", "the server did not answer within 1 s")
    );
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[test]
fn the_host_key_question_can_be_cancelled_and_does_not_count() {
    let server = Server::openssh("");
    let client = Client::new("StrictHostKeyChecking ask\nConnectTimeout 1");
    let answers = Answers::leave_open();
    let pane = client.open(&server, &answers);
    answers.wait_asked();
    // Longer than the limit of the stage.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(pane.session.stage(), Stage::Connect);
    not_ready(&pane, "connect");
    assert_eq!(cancel(&pane).0, "connect");
    wait("the question to be taken back", || answers.stale());
    wait("the end of the connection", || {
        server.log().contains("closed by")
    });
    assert!(client.known_hosts().is_empty());
}

#[test]
fn authenticate_can_be_cancelled_in_a_question() {
    let server = Server::openssh("");
    let client = Client::new("");
    let answers = Answers::leave_open();
    let pane = client.open(&server, &answers);
    answers.wait_asked();
    not_ready(&pane, "authenticate");
    assert_eq!(cancel(&pane).0, "authenticate");
    wait("the question to be taken back", || answers.stale());
}

#[test]
fn a_server_that_is_killed_in_a_question_fails_the_stage() {
    let mut server = Server::openssh("");
    let client = Client::new("");
    let answers = Answers::new(|_, _| {
        std::thread::sleep(Duration::ZERO);
        None
    });
    let pane = client.open(&server, &answers);
    answers.wait_asked();
    server.stop();
    pane.session.cancel();
    assert_eq!(pane.failed().0, "authenticate");
}

#[test]
fn a_frozen_server_is_given_up_in_every_stage() {
    let server = Arc::new(Server::openssh(""));
    let client = Client::new("ConnectTimeout 2\nServerAliveInterval 1\nServerAliveCountMax 2");
    // Connect.
    server.signal("-STOP");
    assert_eq!(
        client.open(&server, &Answers::password()).failed().0,
        "connect"
    );
    server.signal("-CONT");
    // Authenticate: frozen when the password is asked for; cancelled, for the limit is 30 s.
    let frozen = Arc::clone(&server);
    let answers = Answers::new(move |_, _| {
        frozen.signal("-STOP");
        Some(crate::client::secret(PASSWORD))
    });
    let pane = client.open(&server, &answers);
    pane.wait_stage("authenticate", |stage| *stage == Stage::Authenticate);
    wait("the question", || !answers.asked().is_empty());
    assert_eq!(cancel(&pane).0, "authenticate");
    server.signal("-CONT");
    // Open shell: frozen on a pooled connection.
    let first = client.open(&server, &Answers::password());
    first.ready();
    server.signal("-STOP");
    let mut wanted = request(&server);
    wanted.reconnect = false;
    let second = client.open_request(wanted, &Answers::password());
    second.wait_stage("open shell", |stage| *stage == Stage::OpenShell);
    not_ready(&second, "open_shell");
    assert_eq!(cancel(&second).0, "open_shell");
    // Ready: the keepalive notices.
    let stage = first.wait_stage("loss", |stage| matches!(stage, Stage::Reconnecting { .. }));
    not_ready(&first, "reconnecting");
    assert!(matches!(stage, Stage::Reconnecting { attempt: 1, .. }));
    first.expect("does not answer any more");
    server.signal("-CONT");
    first.forget_stages();
    first.ready();
    assert_eq!(cancel_nothing(&first), "ready");
}

/// Cancelling a session that is ready does nothing.
fn cancel_nothing(pane: &Pane) -> &'static str {
    pane.session.cancel();
    pane.run("true");
    pane.session.stage().as_str()
}

#[test]
fn refused_unreachable_and_nonsense() {
    let client = Client::new("ConnectTimeout 2");
    let closed = crate::server::free_port();
    let open = |text: String| {
        client
            .open_request(SessionRequest::new(text.parse().unwrap()), &Answers::none())
            .failed()
    };
    let (stage, reason) = open(format!("x@127.0.0.1:{closed}"));
    assert_eq!(stage, "connect");
    assert!(reason.contains("refused"), "{reason}");
    let (stage, reason) = open("x@no-such-host.invalid".to_owned());
    assert_eq!(stage, "connect");
    assert!(
        reason.contains("no-such-host.invalid has no address"),
        "{reason}"
    );
    // A server that speaks something else.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::Write;
        let (mut stream, _) = listener.accept().unwrap();
        stream
            .write_all(&b"HTTP/1.1 400 Bad Request\r\n\r\n".repeat(2000))
            .unwrap();
    });
    assert_eq!(open(format!("x@127.0.0.1:{port}")).0, "connect");
}
