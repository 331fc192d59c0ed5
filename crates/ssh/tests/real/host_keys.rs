//! Host keys (checks 9 to 16).

use ssh::prompt::{Answer, PromptKind};
use ssh::{ConnectError, known_hosts};

use crate::client::{Answers, Client, secret};
use crate::server::{PASSWORD, Server, keygen, run};

fn asking() -> Client {
    Client::new("StrictHostKeyChecking ask")
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
            assert_eq!(pane.failed(), ("connect", "the host key was not accepted".to_owned()));
        }
        let PromptKind::HostKey(question) = &answers.asked()[0] else { panic!() };
        let shown = run("ssh-keygen", &["-lv", "-f", server.path("host_ed25519.pub").to_str().unwrap()]);
        assert!(shown.contains(&question.fingerprint) && shown.contains(question.randomart.trim()));
        assert_eq!(client.known_hosts().is_empty(), !learned);
    }
}
