//! Authentication (checks 2 to 8, 43).

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use ssh::prompt::{Answer, PromptKind, Secret, SecretStore};
use ssh::{AuthError, ConnectError};

use crate::client::{Answers, Client, request, secret, wait};
use crate::server::{CODES, PASSWORD, Server, keygen, run};

const PASSPHRASE: &str = "open sesame";

/// An agent with keys, ended with the value.
pub struct Agent {
    pub socket: PathBuf,
    child: Child,
}

impl Agent {
    pub fn new(dir: &Path, keys: &[PathBuf]) -> Self {
        let socket = dir.join("agent");
        let child = Command::new("ssh-agent")
            .args(["-D", "-a", socket.to_str().unwrap()])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        wait("the agent", || socket.exists());
        let agent = Self { socket, child };
        for key in keys {
            let added = Command::new("ssh-add")
                .arg("-q")
                .arg(key)
                .env("SSH_AUTH_SOCK", &agent.socket)
                .status();
            assert!(added.unwrap().success());
        }
        agent
    }

    pub fn list(&self) -> String {
        let out = Command::new("ssh-add")
            .arg("-l")
            .env("SSH_AUTH_SOCK", &self.socket)
            .output()
            .unwrap();
        String::from_utf8(out.stdout).unwrap()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A client whose configuration names key files of `server`'s directory.
fn with_keys(server: &Server, keys: &[&str], more: &str) -> Client {
    let files: String = keys
        .iter()
        .map(|key| format!("IdentityFile {}\n", server.path(key).display()))
        .collect();
    Client::new(&format!("{files}{more}"))
}

fn keys_only() -> Server {
    Server::openssh("PasswordAuthentication no")
}

#[test]
fn keys_of_every_kind() {
    let server = keys_only();
    for kind in ["ed25519", "ecdsa", "rsa"] {
        let public = keygen(&server.path(kind), kind, "");
        server.authorize(&public);
        with_keys(&server, &[kind], "")
            .open(&server, &Answers::none())
            .ready();
    }
}

#[test]
fn an_encrypted_key_asks_only_when_the_server_wants_it() {
    let server = keys_only();
    keygen(&server.path("unwanted"), "ed25519", PASSPHRASE);
    let public = keygen(&server.path("wanted"), "ed25519", PASSPHRASE);
    server.authorize(&public);
    let client = with_keys(&server, &["unwanted", "wanted"], "");
    // Wrong first, then right.
    let answers =
        Answers::new(|_, before| Some(secret(if before == 0 { "wrong" } else { PASSPHRASE })));
    client.open(&server, &answers).ready();
    let path = server.path("wanted");
    let asked = answers.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(
        asked[1],
        PromptKind::Passphrase {
            key: path,
            attempt: 2
        }
    );
}

/// A keychain in memory.
#[derive(Default)]
struct Keychain(Mutex<Vec<(PathBuf, Secret)>>);

impl SecretStore for Keychain {
    fn passphrase(&self, key: &Path) -> Option<Secret> {
        self.0
            .lock()
            .unwrap()
            .iter()
            .find(|(path, _)| path == key)
            .map(|(_, secret)| secret.clone())
    }
    fn remember(&self, key: &Path, passphrase: &Secret) {
        self.0
            .lock()
            .unwrap()
            .push((key.to_owned(), passphrase.clone()));
    }
    fn forget(&self, key: &Path) {
        self.0.lock().unwrap().retain(|(path, _)| path != key);
    }
}

#[test]
fn a_passphrase_is_remembered_only_when_the_user_says_so() {
    let server = keys_only();
    server.authorize(&keygen(&server.path("key"), "ed25519", PASSPHRASE));
    let keychain = Arc::new(Keychain::default());
    let client = || {
        let config = format!("IdentityFile {}", server.path("key").display());
        Client::with(&config, |options| {
            options.secrets = Some(Arc::clone(&keychain) as _)
        })
    };
    let answers = |remember| {
        Answers::new(move |_, _| {
            Some(Answer::Secret {
                secret: Secret::new(PASSPHRASE.into()),
                remember,
            })
        })
    };
    client().open(&server, &answers(false)).ready();
    assert!(keychain.0.lock().unwrap().is_empty());
    client().open(&server, &answers(true)).ready();
    client().open(&server, &Answers::none()).ready();
    // A kept passphrase that is wrong is forgotten, and the user asked.
    keychain.0.lock().unwrap()[0].1 = Secret::new("old".into());
    client().open(&server, &answers(false)).ready();
    assert!(keychain.0.lock().unwrap().is_empty());
}

#[test]
fn the_agent_signs() {
    for kind in ["ed25519", "rsa"] {
        let server = keys_only();
        server.authorize(&keygen(&server.path("key"), kind, ""));
        let agent = Agent::new(server.dir.path(), &[server.path("key")]);
        let client = Client::with("", |options| {
            options.agent_socket = Some(agent.socket.clone())
        });
        client.open(&server, &Answers::none()).ready();
        // `IdentityAgent none` leaves it out.
        let client = Client::with("IdentityAgent none", |options| {
            options.agent_socket = Some(agent.socket.clone())
        });
        assert_eq!(
            client.open(&server, &Answers::none()).failed().0,
            "authenticate"
        );
    }
}

#[test]
fn an_unlocked_key_goes_to_the_agent_when_wanted() {
    let server = keys_only();
    server.authorize(&keygen(&server.path("key"), "ed25519", PASSPHRASE));
    let agent = Agent::new(server.dir.path(), &[]);
    let config = format!(
        "IdentityFile {}\nAddKeysToAgent yes",
        server.path("key").display()
    );
    let client = || {
        Client::with(&config, |options| {
            options.agent_socket = Some(agent.socket.clone())
        })
    };
    client()
        .open(&server, &Answers::new(|_, _| Some(secret(PASSPHRASE))))
        .ready();
    assert!(agent.list().contains("ED25519"), "{}", agent.list());
    client().open(&server, &Answers::none()).ready();
}

#[test]
fn user_certificates_from_files_and_through_the_agent() {
    for kind in ["ed25519", "rsa"] {
        let server = keys_only();
        let path = |name: &str| server.path(name).to_str().unwrap().to_owned();
        let authority = keygen(&server.path("ca"), "ed25519", "");
        server.authorize(&format!("cert-authority {authority}"));
        keygen(&server.path("key"), kind, "");
        run(
            "ssh-keygen",
            &[
                "-q",
                "-s",
                &path("ca"),
                "-I",
                "id",
                "-n",
                "tester",
                &path("key.pub"),
            ],
        );
        // Beside the key.
        with_keys(&server, &["key"], "")
            .open(&server, &Answers::none())
            .ready();
        // Named, with the key in the agent only.
        let agent = Agent::new(server.dir.path(), &[]);
        std::fs::rename(path("key-cert.pub"), path("elsewhere-cert.pub")).unwrap();
        run(
            "sh",
            &[
                "-c",
                &format!(
                    "SSH_AUTH_SOCK={} ssh-add -q {}",
                    agent.socket.display(),
                    path("key")
                ),
            ],
        );
        let config = format!("CertificateFile {}", path("elsewhere-cert.pub"));
        let client = Client::with(&config, |options| {
            options.agent_socket = Some(agent.socket.clone())
        });
        client.open(&server, &Answers::none()).ready();
        // Without the certificate the key alone is refused.
        assert_eq!(
            with_keys(&server, &["key"], "")
                .open(&server, &Answers::none())
                .failed()
                .0,
            "authenticate"
        );
    }
}

/// Password first, then the one-time code.
fn password_and_code(code: &'static str) -> Arc<Answers> {
    Answers::new(move |_, before| {
        let answer = if before == 0 { PASSWORD } else { code };
        Some(Answer::Answers(vec![Secret::new(answer.to_owned())]))
    })
}

#[test]
fn two_questions() {
    let server =
        Server::openssh("UsePAM yes\nPasswordAuthentication no\nKbdInteractiveAuthentication yes");
    let client = Client::new("");
    let answers = password_and_code(CODES[0]);
    client.open(&server, &answers).ready();
    let asked = answers.asked();
    assert_eq!(asked.len(), 2);
    for (kind, text) in asked.iter().zip(["Password", "Verification code"]) {
        let PromptKind::Interactive { questions, .. } = kind else {
            panic!()
        };
        assert!(
            questions[0].text.contains(text) && !questions[0].echo,
            "{questions:?}"
        );
    }
}

#[test]
fn a_key_and_then_a_code() {
    let server = Server::openssh(
        "UsePAM yes\nKbdInteractiveAuthentication yes\nAuthenticationMethods publickey,keyboard-interactive",
    );
    server.authorize(&keygen(&server.path("key"), "ed25519", ""));
    let answers = password_and_code(CODES[1]);
    with_keys(&server, &["key"], "")
        .open(&server, &answers)
        .ready();
    assert_eq!(answers.asked().len(), 2);
    // Two keys.
    let server = Server::openssh("AuthenticationMethods publickey,publickey");
    for name in ["a", "b"] {
        server.authorize(&keygen(&server.path(name), "ed25519", ""));
    }
    with_keys(&server, &["a", "b"], "")
        .open(&server, &Answers::none())
        .ready();
    assert_eq!(
        with_keys(&server, &["a"], "")
            .open(&server, &Answers::none())
            .failed()
            .0,
        "authenticate"
    );
}

#[test]
fn a_wrong_password_thrice() {
    let server = Server::openssh("");
    let client = Client::new("");
    let answers = Answers::new(|_, _| Some(secret("wrong")));
    let pane = client.open(&server, &answers);
    let (stage, reason) = pane.failed();
    assert_eq!((stage, answers.asked().len()), ("authenticate", 3));
    assert!(
        reason.contains("server accepts publickey, password")
            && reason.contains("3 passwords refused"),
        "{reason}"
    );
    assert!(matches!(
        pane.session.failure(),
        Some(ConnectError::Auth(AuthError::Failed(_)))
    ));
    // Right at the third try.
    let answers =
        Answers::new(|_, before| Some(secret(if before < 2 { "wrong" } else { PASSWORD })));
    client.open(&server, &answers).ready();
}

#[test]
fn the_failure_says_what_was_offered() {
    let server = keys_only();
    keygen(&server.path("id_ed25519"), "ed25519", "");
    keygen(&server.path("id_rsa"), "rsa", "");
    let client = with_keys(&server, &["id_ed25519", "id_rsa"], "");
    let (_, reason) = client.open(&server, &Answers::none()).failed();
    assert_eq!(
        reason,
        "server accepts publickey; 2 keys refused: id_ed25519, id_rsa"
    );
    run("chmod", &["644", server.path("id_rsa").to_str().unwrap()]);
    let client = with_keys(&server, &["id_rsa"], "");
    let (_, reason) = client.open(&server, &Answers::none()).failed();
    assert!(
        reason.contains("no key was offered") && reason.contains("chmod 600"),
        "{reason}"
    );
}

#[test]
fn five_keys_where_the_server_allows_two_tries() {
    let server = Server::openssh("MaxAuthTries 2");
    let keys: Vec<PathBuf> = (0..5)
        .map(|n| {
            let path = server.path(&format!("key{n}"));
            let public = keygen(&path, "ed25519", "");
            if n == 4 {
                server.authorize(&public);
            }
            path
        })
        .collect();
    let agent = Agent::new(server.dir.path(), &keys);
    let client = |config: &str| {
        Client::with(config, |options| {
            options.agent_socket = Some(agent.socket.clone())
        })
    };
    // The key that the configuration names comes first.
    let named = format!("IdentityFile {}.pub\nIdentitiesOnly yes", keys[4].display());
    client(&named).open(&server, &Answers::none()).ready();
    assert!(!server.log().contains("Too many"), "{}", server.log());
    // Without it, all are tried, over several connections.
    client("").open(&server, &Answers::none()).ready();
    // With no right key at all there is a try left for the password.
    std::fs::write(server.path("authorized_keys"), "").unwrap();
    client("").open(&server, &Answers::password()).ready();
}

#[test]
fn a_question_that_is_given_up_fails_the_authentication() {
    let server = Server::openssh("");
    let client = Client::new("");
    let pane = client.open(&server, &Answers::new(|_, _| Some(Answer::No)));
    assert_eq!(
        pane.failed(),
        ("authenticate", "the question was not answered".to_owned())
    );
    // The same session can be tried again.
    let answers = Answers::new(|_, before| {
        Some(if before == 0 {
            Answer::No
        } else {
            secret(PASSWORD)
        })
    });
    let pane = client.open_request(request(&server), &answers);
    pane.failed();
    pane.forget_stages();
    pane.session.retry();
    pane.ready();
}

#[test]
fn dropbear_takes_keys() {
    let server = Server::dropbear();
    for kind in ["ed25519", "rsa", "ecdsa"] {
        server.authorize(&keygen(&server.path(kind), kind, ""));
        let client = with_keys(&server, &[kind], "");
        client.open(&server, &Answers::none()).ready();
    }
}
