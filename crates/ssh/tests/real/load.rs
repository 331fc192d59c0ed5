//! Bytes in number (checks 24 to 26, 29, 40).

use std::io::Read;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ssh::prompt::{Answer, Prompt, Prompter};
use ssh::stage::Stage;
use ssh::{InputError, SessionObserver, SessionRequest};

use crate::client::{Answers, Client, LONG, request, secret};
use crate::server::{PASSWORD, Server, run};

/// Answers passwords and hears of nothing.
struct Quiet;

impl Prompter for Quiet {
    fn prompt(&self, prompt: Prompt) {
        let answer: Answer = secret(PASSWORD);
        prompt.answer(answer);
    }
}

impl SessionObserver for Quiet {
    fn stage(&self, _: &Stage) {}
}

/// Everything a command says, by the reader alone.
fn output(client: &Client, server: &Server, command: &str) -> Vec<u8> {
    let mut wanted = request(server);
    wanted.command = Some(command.to_owned());
    let session = client.ssh.open(wanted, Arc::new(Quiet), Arc::new(Quiet));
    let mut bytes = Vec::new();
    session
        .take_reader()
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    assert_eq!(
        session.exit().map(|exit| exit.code),
        Some(Some(0)),
        "{}",
        session.log().join("\n")
    );
    bytes
}

const MIB: usize = 1024 * 1024;

/// Sends `size` bytes and gets them back as a hash, and `size` bytes the other way.
fn both_ways(client: &Client, server: &Server, size: usize) {
    // To us.
    let there = format!("head -c {size} /dev/zero | tr '\\0' x");
    let bytes = output(client, server, &there);
    assert_eq!(bytes.len(), size);
    assert!(bytes.iter().all(|byte| *byte == b'x'));
    drop(bytes);
    // From us.
    let mut wanted = request(server);
    wanted.command = Some(format!(
        "stty raw -echo; echo go; head -c {size} | sha256sum"
    ));
    let pane = client.open_request(wanted, &Answers::password());
    pane.expect("go");
    let chunk: Vec<u8> = (0..MIB).map(|n| (n % 251) as u8).collect();
    for _ in 0..size / MIB {
        loop {
            match pane.session.write_bulk(chunk.clone()) {
                Ok(_) => break,
                Err(InputError::Full) => std::thread::sleep(Duration::from_millis(1)),
                Err(error) => panic!("{error} {}", pane.session.log().join("\n")),
            }
        }
    }
    let whole = chunk.repeat(size / MIB);
    let file = client.dir.path().join("sent");
    std::fs::write(&file, whole).unwrap();
    let hash = run("sha256sum", &[file.to_str().unwrap()]);
    pane.expect_within(hash.split(' ').next().unwrap(), 4 * LONG);
}

fn rekeying(config: &str) -> Client {
    Client::with(config, |options| options.rekey.bytes = MIB)
}

#[test]
fn rekeying_works_for_every_cipher_and_mac() {
    let server = Server::openssh("Ciphers +aes128-cbc\nMACs +hmac-sha1");
    let ciphers = [
        "chacha20-poly1305@openssh.com",
        "aes128-gcm@openssh.com",
        "aes256-gcm@openssh.com",
        "aes128-ctr",
        "aes192-ctr",
        "aes256-ctr",
    ];
    let macs = [
        "hmac-sha2-256-etm@openssh.com",
        "hmac-sha2-512-etm@openssh.com",
        "hmac-sha2-256",
        "hmac-sha2-512",
    ];
    let size = 8 * MIB;
    for cipher in ciphers {
        // Ciphers with a MAC of their own need no other.
        let macs = if cipher.ends_with("-ctr") {
            &macs[..]
        } else {
            &macs[..1]
        };
        for mac in macs {
            for compression in ["no", "yes"] {
                let config = format!("Ciphers {cipher}\nMACs {mac}\nCompression {compression}");
                let client = rekeying(&config);
                both_ways(&client, &server, size);
            }
        }
    }
    assert!(server.log().matches("rekeying").count() == 0 || !server.log().contains("error"));
}

#[test]
fn sixty_four_mebibytes_with_a_rekey_at_each() {
    let server = Server::openssh("");
    both_ways(&rekeying(""), &server, 64 * MIB);
}

#[test]
fn the_server_may_rekey_as_well() {
    let server = Server::openssh("RekeyLimit 1M");
    both_ways(&Client::new(""), &server, 16 * MIB);
}

/// Without a terminal in between, as `ssh host cat` goes.
#[test]
fn a_gigabyte_each_way() {
    let server = Server::openssh("");
    let client = Client::new("RequestTTY no");
    let size = 1024 * MIB;
    let mut wanted = request(&server);
    wanted.command = Some(format!("head -c {size} /dev/zero"));
    let begun = Instant::now();
    let session = client.ssh.open(wanted, Arc::new(Quiet), Arc::new(Quiet));
    let mut reader = session.take_reader().unwrap();
    let (mut buffer, mut total) = (vec![0; 256 * 1024], 0);
    loop {
        match reader.read(&mut buffer).unwrap() {
            0 => break,
            count => total += count,
        }
    }
    assert_eq!(total, size);
    eprintln!("1 GiB to us in {:?}", begun.elapsed());
    let begun = Instant::now();
    let mut wanted = request(&server);
    wanted.command = Some(format!("echo go; head -c {size} | wc -c"));
    let pane = client.open_request(wanted, &Answers::password());
    pane.expect("go");
    let chunk = vec![b'x'; 4 * MIB];
    for _ in 0..size / chunk.len() {
        while pane.session.write_bulk(chunk.clone()).is_err() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    pane.expect_within(&size.to_string(), 10 * LONG);
    eprintln!("1 GiB from us in {:?}", begun.elapsed());
}

#[test]
fn a_flood_that_nobody_reads_stays_within_its_window() {
    let server = Server::openssh("");
    let client = Client::new("");
    let mut wanted = request(&server);
    wanted.command = Some("yes".to_owned());
    let session = client.ssh.open(wanted, Arc::new(Quiet), Arc::new(Quiet));
    let before = resident();
    std::thread::sleep(Duration::from_secs(2));
    let grown = resident().saturating_sub(before);
    // Output queue, packets inside the library, and the network's buffers.
    assert!(grown < 24 * MIB, "{grown}");
    // And it can be closed all the same.
    let begun = Instant::now();
    session.close();
    while session.exit().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(1));
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// Collects every line of every log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn no_log_has_a_secret() {
    // Alone in a process, for a logger is for all of it.
    let me = std::env::current_exe().unwrap();
    let out = std::process::Command::new(me)
        .args(["--exact", "load::logged_login", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stdout)
    );
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(said.contains("lines of log"), "{said}");
}

#[test]
#[ignore = "run by no_log_has_a_secret"]
fn logged_login() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .init();
    let server = Server::openssh("");
    let passphrase = "Pp-e5fa44f2b31c1fb5";
    server.authorize(&crate::server::keygen(
        &server.path("key"),
        "ed25519",
        passphrase,
    ));
    let client = Client::new(&format!("IdentityFile {}", server.path("key").display()));
    let answers = Answers::new(move |_, _| Some(secret(passphrase)));
    client.open(&server, &answers).ready().run("true");
    let client = Client::new("");
    let pane = client.open(&server, &Answers::password());
    pane.ready()
        .run("echo typed-7c211433f02071597741e6ff5a8ea34789abbf43");
    let pam =
        Server::openssh("UsePAM yes\nPasswordAuthentication no\nKbdInteractiveAuthentication yes");
    let answers = Answers::new(|_, before| {
        let text = if before == 0 {
            PASSWORD
        } else {
            crate::server::CODES[0]
        };
        Some(Answer::Answers(vec![ssh::prompt::Secret::new(
            text.to_owned(),
        )]))
    });
    Client::new("")
        .open_request(
            SessionRequest::new(format!("tester@127.0.0.1:{}", pam.port).parse().unwrap()),
            &answers,
        )
        .ready();
    let text = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    println!("{} lines of log", text.lines().count());
    assert!(text.lines().count() > 100 && text.contains("russh"));
    for hidden in [PASSWORD, passphrase, crate::server::CODES[0], "typed-7c21"] {
        assert!(!text.contains(hidden), "{hidden} is in the log");
        // Nor as a list of bytes.
        let bytes: Vec<String> = hidden.bytes().map(|byte| byte.to_string()).collect();
        assert!(
            !text.contains(&bytes.join(", ")),
            "{hidden} is in the log as bytes"
        );
    }
    assert!(!pane.session.log().join("").contains(PASSWORD));
    assert!(!format!("{:?}", secret(PASSWORD)).contains(PASSWORD));
}
