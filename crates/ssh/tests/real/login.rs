//! A login and what a shell is good for (checks 1, 30, 31, 36, 41, 42, 44, 45).

use ssh::InputError;
use ssh::TerminalSize;
use ssh::stage::Exit;

use crate::client::{Answers, Client, request};
use crate::server::{Server, USER};

#[test]
fn password_and_shell() {
    let server = Server::openssh("");
    let client = Client::new("");
    let answers = Answers::password();
    let pane = client.open(&server, &answers);
    pane.ready();
    assert_eq!(answers.asked().len(), 1);
    assert_eq!(
        pane.stage_names(),
        ["resolve", "connect", "authenticate", "open_shell", "ready"]
    );
    assert!(pane.run("id -un").contains(USER));
    assert!(pane.run("echo $TERM").contains("xterm-256color"));
    assert!(
        client
            .known_hosts()
            .contains(&format!("[127.0.0.1]:{} ssh-ed25519", server.port))
    );
    pane.type_line("exit 7");
    assert_eq!(
        pane.closed(),
        Exit {
            code: Some(7),
            signal: None
        }
    );
    assert_eq!(pane.session.exit().unwrap().code, Some(7));
    assert!(matches!(
        pane.session.write(b"x".to_vec()),
        Err(InputError::NotReady {
            stage: "closed",
            ..
        })
    ));
}

#[test]
fn a_signal_ends_the_command() {
    let server = Server::openssh("");
    let client = Client::new("");
    let mut wanted = request(&server);
    wanted.command = Some("kill -TERM $$".to_owned());
    let pane = client.open_request(wanted, &Answers::password());
    assert_eq!(
        pane.closed(),
        Exit {
            code: None,
            signal: Some("TERM".into())
        }
    );
}

#[test]
fn resizing_is_told() {
    let server = Server::openssh("");
    let client = Client::new("");
    let mut wanted = request(&server);
    let size = |columns, lines| TerminalSize {
        columns,
        lines,
        width: 0,
        height: 0,
    };
    wanted.size = size(91, 17);
    let pane = client.open_request(wanted, &Answers::password());
    pane.ready();
    assert!(pane.run("stty size").contains("17 91"));
    pane.session.resize(size(120, 40));
    pane.type_line("while [ \"$(stty size)\" != '40 120' ]; do sleep 0.05; done; echo re'sized'");
    pane.expect("resized");
}

#[test]
fn dropbear_is_a_server_like_any_other() {
    let server = Server::dropbear();
    let client = Client::new("");
    let pane = client.open(&server, &Answers::password());
    pane.ready();
    assert!(pane.run("id -un").contains(USER));
    pane.type_line("exit 3");
    assert_eq!(pane.closed().code, Some(3));
}

#[test]
fn banner_and_motd_do_no_harm() {
    let server = Server::openssh(&format!("Banner /tmp/nebula-banner-{}", std::process::id()));
    let banner = format!("/tmp/nebula-banner-{}", std::process::id());
    std::fs::write(&banner, "hello \x1b]0;title\x07\x1b[2Jbanner\n").unwrap();
    let client = Client::new("");
    let pane = client.open(&server, &Answers::password());
    pane.ready();
    let shown = pane.session.banner();
    assert!(
        shown.contains("banner") && !shown.contains('\x1b'),
        "{shown:?}"
    );
    pane.run("true");
    // A banner is never output of the pane.
    assert!(!pane.text().contains("banner"));
    std::fs::remove_file(banner).unwrap();
}

#[test]
fn addresses_of_every_form() {
    let server = Server::openssh("");
    let client = Client::new(&format!(
        "Host box\n HostName 127.0.0.1\n Port {}\n User {USER}\n",
        server.port
    ));
    let port = server.port;
    for destination in [
        format!("{USER}@[::1]:{port}"),
        format!("ssh://{USER}@127.0.0.1:{port}"),
        "box".to_owned(),
    ] {
        let wanted = ssh::SessionRequest::new(destination.parse().unwrap());
        let pane = client.open_request(wanted, &Answers::password());
        pane.ready();
        assert!(pane.run("id -un").contains(USER), "{destination}");
    }
}
