//! Living with a connection: pool, loss, reconnection, persistence (checks 22, 24, 27, 28, 38, 39).

use std::time::Duration;

use ssh::Persist;
use ssh::stage::Stage;

use crate::client::{Answers, Client, request, secret, wait};
use crate::server::{PASSWORD, Server};

#[test]
fn twenty_panes_share_one_connection_and_one_question() {
    let server = Server::openssh("MaxSessions 100");
    let client = Client::new("");
    let answers = Answers::password();
    let panes: Vec<_> = (0..20).map(|_| client.open(&server, &answers)).collect();
    for pane in &panes {
        pane.ready();
    }
    assert_eq!(answers.asked().len(), 1);
    assert_eq!(client.ssh.connections(), 1);
    assert_eq!(server.log().matches("Accepted password").count(), 1);
    // A later one skips connect and authenticate.
    let late = client.open(&server, &answers);
    late.ready();
    assert!(!late.stage_names().contains(&"authenticate"));
    for (n, pane) in panes.iter().enumerate() {
        assert!(
            pane.run(&format!("echo pane-$((1000+{n}))"))
                .contains(&format!("pane-{}", 1000 + n))
        );
    }
}

#[test]
fn a_hundred_channels() {
    let server = Server::openssh("MaxSessions 200");
    let client = Client::new("");
    let answers = Answers::password();
    let panes: Vec<_> = (0..100).map(|_| client.open(&server, &answers)).collect();
    for pane in &panes {
        pane.ready();
    }
    assert_eq!(client.ssh.connections(), 1);
    for pane in &panes {
        pane.type_line("echo hel'lo'");
    }
    for pane in &panes {
        pane.expect("hello");
    }
}

#[test]
fn where_the_server_allows_no_more_sessions_another_connection_is_made() {
    let server = Server::openssh("MaxSessions 2");
    let client = Client::new("");
    let answers = Answers::password();
    let panes: Vec<_> = (0..5).map(|_| client.open(&server, &answers)).collect();
    for pane in &panes {
        pane.ready();
    }
    assert_eq!(client.ssh.connections(), 3);
}

#[test]
fn a_connection_that_nobody_uses_is_closed() {
    let server = Server::openssh("");
    let client = Client::with("", |options| options.idle = Duration::from_millis(300));
    let pane = client.open(&server, &Answers::password());
    pane.ready();
    pane.session.close();
    pane.closed();
    assert_eq!(client.ssh.connections(), 1);
    wait("the end of the idle connection", || {
        client.ssh.connections() == 0
    });
    wait("the server to see it", || {
        server.log().contains("Connection closed by")
            || server.log().contains("disconnected by user")
    });
}

#[test]
fn closing_a_pane_ends_its_shell_alone() {
    let server = Server::openssh("");
    let client = Client::new("");
    let answers = Answers::password();
    let (first, second) = (
        client.open(&server, &answers),
        client.open(&server, &answers),
    );
    first.ready().run("true");
    second.ready().run("true");
    let shells = || {
        server
            .pids()
            .iter()
            .filter(|pid| {
                std::fs::read_to_string(format!("/proc/{pid}/comm"))
                    .is_ok_and(|name| name.trim() == "bash")
            })
            .count()
    };
    wait("both shells", || shells() == 2);
    drop(first);
    wait("the end of one shell", || shells() == 1);
    second.run("true");
}

#[test]
fn a_leader_that_gives_up_lets_the_next_one_try() {
    let server = Server::openssh("");
    let client = Client::new("");
    let first_answers = Answers::leave_open();
    let first = client.open(&server, &first_answers);
    first_answers.wait_asked();
    let second = client.open(&server, &Answers::password());
    second.wait_stage("authenticate", |stage| *stage == Stage::Authenticate);
    first.session.cancel();
    first.failed();
    second.ready();
    second.run("true");
}

#[test]
fn the_server_restarts_and_the_pane_goes_on() {
    let mut server = Server::openssh("");
    let client = Client::new("");
    let answers = Answers::password();
    let pane = client.open(&server, &answers);
    pane.ready();
    pane.run("cd /usr/share; echo before");
    pane.session.set_directory("/usr/share".to_owned());
    server.stop();
    pane.wait_stage("loss", |stage| matches!(stage, Stage::Reconnecting { .. }));
    pane.expect("connection lost after");
    // A try in vain, then the server is back.
    pane.wait_stage("second try", |stage| {
        matches!(stage, Stage::Reconnecting { attempt: 2, .. })
    });
    server.start();
    pane.forget_stages();
    pane.session.retry();
    pane.ready();
    assert!(pane.run("pwd").contains("/usr/share"));
    // The same reader went on: the screen is kept.
    assert!(pane.text().contains("before"));
    // Typed while it was away: refused, not kept.
    assert_eq!(pane.session.bytes_pending(), 0);
}

#[test]
fn an_authentication_failure_ends_the_tries() {
    let mut server = Server::openssh("");
    let client = Client::new("");
    let answers =
        Answers::new(|_, before| Some(secret(if before == 0 { PASSWORD } else { "wrong" })));
    let pane = client.open(&server, &answers);
    pane.ready();
    server.stop();
    server.start();
    let stage = pane.wait_stage("failure", |stage| matches!(stage, Stage::Failed { .. }));
    let Stage::Failed { reason, .. } = stage else {
        panic!()
    };
    assert!(reason.contains("passwords refused"), "{reason}");
}

#[test]
fn keepalive_requests_of_the_server_are_answered() {
    let server = Server::openssh("ClientAliveInterval 1\nClientAliveCountMax 1");
    let client = Client::new("");
    let pane = client.open(&server, &Answers::password());
    pane.ready();
    std::thread::sleep(Duration::from_secs(4));
    pane.run("echo still here");
    assert_eq!(pane.session.stage(), Stage::Ready);
}

#[test]
fn a_shell_in_tmux_outlives_its_connection_but_not_its_pane() {
    let server = Server::openssh("");
    let client = Client::new("ServerAliveInterval 5");
    let mut wanted = request(&server);
    wanted.persist = Persist::Tmux("pane-1".into());
    let pane = client.open_request(wanted, &Answers::password());
    pane.ready();
    pane.expect("$");
    pane.type_line("kept=here-$((40+2)); echo $kept");
    pane.expect("here-42");
    // End the connection, not what runs: only the processes that serve it.
    for pid in server.pids() {
        let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if line.starts_with("sshd: tester") {
            let _ended = std::process::Command::new("kill")
                .args(["-9", &pid.to_string()])
                .status();
        }
    }
    pane.wait_stage("loss", |stage| matches!(stage, Stage::Reconnecting { .. }));
    pane.forget_stages();
    pane.ready();
    pane.type_line("echo again-$kept");
    pane.expect("again-here-42");
    let tmux = || {
        server.pids().iter().any(|pid| {
            std::fs::read_to_string(format!("/proc/{pid}/comm"))
                .is_ok_and(|name| name.starts_with("tmux: server"))
        })
    };
    assert!(tmux());
    pane.session.close();
    wait("the end of tmux", || !tmux());
}
