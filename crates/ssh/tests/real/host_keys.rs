//! Host keys (checks 9 to 16).

use std::fs;

use ssh::prompt::{Answer, PromptKind};
use ssh::{ConnectError, known_hosts};

use crate::client::{Answers, Client, request, secret};
use crate::server::{PASSWORD, Server, keygen, run};

fn asking() -> Client {
    Client::new("StrictHostKeyChecking ask")
}

/// What a server's key leads to, with `known` in the known-hosts file. Names are written as NAME.
fn verdict(server: &Server, known: &str) -> Result<(), ConnectError> {
    let client = Client::new("StrictHostKeyChecking yes");
    client.learn(&known.replace("NAME", &format!("[127.0.0.1]:{}", server.port)));
    let pane = client.open(server, &Answers::password());
    pane.wait_stage("end", |stage| matches!(stage.as_str(), "ready" | "failed"));
    pane.session.failure().map_or(Ok(()), Err)
}

#[test]
fn an_unknown_host_is_asked_about() {
    let server = Server::openssh("");
    for learned in [true, false] {
        let client = asking();
        let answers = Answers::new(move |kind, _| match kind {
            PromptKind::HostKey(_) => Some(if learned { Answer::Yes } else { Answer::No }),
            _ => Some(secret(PASSWORD)),
        });
        let pane = client.open(&server, &answers);
        if learned {
            pane.ready();
        } else {
            assert_eq!(
                pane.failed(),
                ("connect", "the host key was not accepted".to_owned())
            );
        }
        let PromptKind::HostKey(question) = &answers.asked()[0] else {
            panic!()
        };
        let shown = run(
            "ssh-keygen",
            &[
                "-lv",
                "-f",
                server.path("host_ed25519.pub").to_str().unwrap(),
            ],
        );
        assert!(shown.contains(&question.fingerprint) && shown.contains(question.randomart.trim()));
        assert_eq!(client.known_hosts().is_empty(), !learned);
    }
}

#[test]
fn strict_checking_refuses_the_unknown_without_a_question() {
    let server = Server::openssh("");
    let Err(ConnectError::HostUnknown { fingerprint, .. }) = verdict(&server, "") else {
        panic!()
    };
    assert!(fingerprint.starts_with("SHA256:"));
}

#[test]
fn what_is_learned_is_what_openssh_knows() {
    for hash in ["yes", "no"] {
        let server = Server::openssh("");
        let client = Client::new(&format!("HashKnownHosts {hash}"));
        client.open(&server, &Answers::password()).ready();
        let name = format!("[127.0.0.1]:{}", server.port);
        assert_eq!(client.known_hosts().contains(&name), hash == "no");
        let file = client.dir.path().join("known_hosts");
        let found = run("ssh-keygen", &["-F", &name, "-f", file.to_str().unwrap()]);
        assert!(found.contains("found"), "{found}");
        // And it is known the second time.
        let strict = Client::new("StrictHostKeyChecking yes");
        strict.learn(&client.known_hosts());
        strict.open(&server, &Answers::password()).ready();
    }
}

#[test]
fn a_changed_key_is_refused_whatever_the_configuration_says() {
    let server = Server::openssh("");
    let other = keygen(&server.path("other"), "ed25519", "");
    let other_type = keygen(&server.path("other_type"), "ecdsa", "");
    for (known, checking) in [
        (&other, "no"),
        (&other, "accept-new"),
        (&other_type, "no"),
        (&other_type, "ask"),
    ] {
        let client = Client::new(&format!("StrictHostKeyChecking {checking}"));
        let line = format!("# first\n[127.0.0.1]:{} {known}", server.port);
        client.learn(&line);
        let pane = client.open(&server, &Answers::none());
        let (stage, reason) = pane.failed();
        assert_eq!(stage, "connect");
        let Some(ConnectError::HostChanged(changed)) = pane.session.failure() else {
            panic!()
        };
        assert_eq!(changed.known[0].line, 2);
        let host_key = run(
            "ssh-keygen",
            &[
                "-l",
                "-f",
                server.path("host_ed25519.pub").to_str().unwrap(),
            ],
        );
        assert!(host_key.contains(&changed.offered));
        for part in [
            &changed.offered,
            &changed.known[0].fingerprint,
            "known_hosts:2",
            "ssh-keygen -f",
        ] {
            assert!(reason.contains(part), "{reason}");
        }
        assert_eq!(client.known_hosts(), line, "nothing was learned");
        // The command that is shown removes the entry.
        run("sh", &["-c", &changed.removal_commands()[0]]);
        assert!(!client.known_hosts().contains("127.0.0.1"));
    }
}

#[test]
fn a_host_with_several_keys_shows_the_known_one() {
    let server = Server::openssh_with("", &["ed25519", "ecdsa", "rsa"]);
    for kind in ["rsa", "ecdsa", "ed25519"] {
        assert_eq!(
            verdict(&server, &format!("NAME {}", server.host_key(kind))),
            Ok(()),
            "{kind}"
        );
    }
    // Several keys of the host in the file, the right one last.
    let other = keygen(&server.path("other"), "ed25519", "");
    let known = format!("NAME {other}NAME {}", server.host_key("ed25519"));
    assert_eq!(verdict(&server, &known), Ok(()));
}

#[test]
fn revoked_keys_are_refused() {
    let server = Server::openssh("");
    let key = server.host_key("ed25519");
    let refused = verdict(&server, &format!("NAME {key}@revoked * {key}"));
    assert!(
        matches!(refused, Err(ConnectError::HostRevoked { line: 2, .. })),
        "{refused:?}"
    );
}

#[test]
fn wildcards_negation_hashes_and_ports() {
    let server = Server::openssh("");
    let key = server.host_key("ed25519");
    let port = server.port;
    let hashed = known_hosts::hash_name(&format!("[127.0.0.1]:{port}")).unwrap();
    for known in [
        format!("[127.0.*]:* {key}"),
        format!("*,!other {key}"),
        format!("{hashed} {key}"),
        format!("127.0.0.1 {key}"),
        format!(
            "\t[127.0.0.1]:{port}\t{} # comment",
            key.trim().replace(' ', "\t")
        ),
    ] {
        assert_eq!(verdict(&server, &known), Ok(()), "{known}");
    }
    for unknown in [
        format!("*,!127.0.0.1,!NAME {key}"),
        format!("[127.0.0.1]:1 {key}"),
        format!("{} {key}", known_hosts::hash_name("127.0.0.2").unwrap()),
    ] {
        let refused = verdict(&server, &unknown);
        assert!(
            matches!(refused, Err(ConnectError::HostUnknown { .. })),
            "{unknown} {refused:?}"
        );
    }
}

#[test]
fn host_certificates() {
    let mut server = Server::openssh("");
    let authority = keygen(&server.path("ca"), "ed25519", "");
    let dir = server.dir.path().to_owned();
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let sign = |args: &[&str]| {
        let fixed = ["-q", "-s", &path("ca"), "-I", "id", "-h"];
        run(
            "ssh-keygen",
            &[&fixed, args, &[&path("host_ed25519.pub")]].concat(),
        );
    };
    sign(&["-n", "127.0.0.1"]);
    let config = fs::read_to_string(server.path("sshd_config")).unwrap();
    let with = format!(
        "HostCertificate {}\n{config}",
        path("host_ed25519-cert.pub")
    );
    fs::write(server.path("sshd_config"), with).unwrap();
    server.stop();
    server.start();
    let trusted = format!("@cert-authority NAME {authority}");
    assert_eq!(verdict(&server, &trusted), Ok(()));
    // Without the authority the host is unknown, and a stranger's authority changes nothing.
    assert!(matches!(
        verdict(&server, ""),
        Err(ConnectError::HostUnknown { .. })
    ));
    let stranger = keygen(&server.path("stranger"), "ed25519", "");
    let refused = verdict(&server, &format!("@cert-authority NAME {stranger}"));
    assert!(
        matches!(refused, Err(ConnectError::HostUnknown { .. })),
        "{refused:?}"
    );
    for bad in [
        &["-n", "other.host"][..],
        &["-n", "127.0.0.1", "-V", "20200101:20200102"],
    ] {
        fs::remove_file(server.path("host_ed25519-cert.pub")).unwrap();
        let fixed = ["-q", "-s", &path("ca"), "-I", "id", "-h"];
        run(
            "ssh-keygen",
            &[&fixed, bad, &[&path("host_ed25519.pub")]].concat(),
        );
        server.stop();
        server.start();
        let refused = verdict(&server, &trusted);
        assert!(
            matches!(refused, Err(ConnectError::HostCertificate(_))),
            "{refused:?}"
        );
    }
}

#[test]
fn an_alias_of_the_configuration_is_the_name() {
    let server = Server::openssh("");
    let client = Client::new("HostKeyAlias the-box\nStrictHostKeyChecking yes");
    client.learn(&format!("the-box {}", server.host_key("ed25519")));
    client
        .open_request(request(&server), &Answers::password())
        .ready();
}
