//! Ways to a host and through it (checks 17 to 21, 32, 33).

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use ssh::prompt::Secret;
use ssh::{
    ForwardInfo, ForwardSpec, ForwardState, ForwardTarget, ListenAddress, OpenSsh, Proxy,
    ProxyChoice, ProxyKind, SessionRequest,
};

use crate::auth::Agent;
use crate::client::{Answers, Client, Pane, request, wait};
use crate::server::{PASSWORD, Server, USER, free_port, keygen};

/// A proxy that speaks both languages, asks for a password, and counts its clients.
fn proxy(kind: ProxyKind) -> (u16, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, targets) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut near, sender) = (stream.unwrap(), sender.clone());
            thread::spawn(move || {
                let Some(target) = (match kind {
                    ProxyKind::Http => http(&mut near),
                    ProxyKind::Socks5 => socks(&mut near),
                }) else {
                    return;
                };
                sender.send(target.clone()).unwrap();
                pipe(near, TcpStream::connect(target).unwrap());
            });
        }
    });
    (port, targets)
}

fn http(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap();
    // me:hush
    if !head.contains("Proxy-Authorization: Basic bWU6aHVzaA==") {
        stream
            .write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            .unwrap();
        return None;
    }
    stream
        .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
        .unwrap();
    Some(head.split(' ').nth(1).unwrap().to_owned())
}

fn socks(stream: &mut TcpStream) -> Option<String> {
    let mut take = |count: usize| {
        let mut bytes = vec![0; count];
        stream.read_exact(&mut bytes).ok().map(|()| bytes)
    };
    let methods = take(2)?[1];
    take(methods.into())?;
    stream.write_all(&[5, 2]).unwrap();
    let mut take = |count: usize| {
        let mut bytes = vec![0; count];
        stream.read_exact(&mut bytes).ok().map(|()| bytes)
    };
    assert_eq!(take(3 + 2 + 4).unwrap(), b"\x01\x02me\x04hush");
    stream.write_all(&[1, 0]).unwrap();
    let mut request = [0; 10];
    stream.read_exact(&mut request).unwrap();
    let [5, 1, 0, 1, a, b, c, d, high, low] = request else {
        panic!("{request:?}")
    };
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
    Some(format!(
        "{a}.{b}.{c}.{d}:{}",
        u16::from_be_bytes([high, low])
    ))
}

/// Either side may end first, which is no failure.
fn pipe(near: TcpStream, far: TcpStream) {
    let one_way = |mut from: TcpStream, mut to: TcpStream| {
        std::io::copy(&mut from, &mut to)
            .and_then(|_| to.shutdown(std::net::Shutdown::Write))
            .ok()
    };
    let (a, b) = (near.try_clone().unwrap(), far.try_clone().unwrap());
    thread::spawn(move || one_way(a, b));
    one_way(far, near);
}

#[test]
fn proxies_of_both_kinds() {
    let server = Server::openssh("");
    for kind in [ProxyKind::Http, ProxyKind::Socks5] {
        let (port, targets) = proxy(kind);
        let with = |password: &str| Proxy {
            kind,
            host: "127.0.0.1".into(),
            port,
            credentials: Some(("me".into(), Secret::new(password.to_owned()))),
        };
        // For every host.
        let client = Client::with("", |options| options.proxies.proxy = Some(with("hush")));
        client.open(&server, &Answers::password()).ready();
        assert_eq!(
            targets.recv().unwrap(),
            format!("127.0.0.1:{}", server.port)
        );
        // Not for this one.
        let client = Client::with("", |options| {
            options.proxies.proxy = Some(with("hush"));
            options.proxies.no_proxy = vec!["127.0.0.0/8".into()];
        });
        client.open(&server, &Answers::password()).ready();
        assert!(targets.try_recv().is_err());
        // For this one alone.
        let mut wanted = request(&server);
        wanted.overrides.proxy = ProxyChoice::Use(with("hush"));
        Client::new("")
            .open_request(wanted, &Answers::password())
            .ready();
        assert!(targets.recv().is_ok());
    }
    // Refused, in words.
    let (port, _) = proxy(ProxyKind::Http);
    let mut wanted = request(&server);
    let none = Proxy {
        kind: ProxyKind::Http,
        host: "127.0.0.1".into(),
        port,
        credentials: None,
    };
    wanted.overrides.proxy = ProxyChoice::Use(none);
    let (stage, reason) = Client::new("")
        .open_request(wanted, &Answers::none())
        .failed();
    assert_eq!(stage, "connect");
    assert!(
        reason.contains("407 Proxy Authentication Required"),
        "{reason}"
    );
}

fn destination(text: &str) -> SessionRequest {
    SessionRequest::new(text.parse().unwrap())
}

#[test]
fn jumping_through_two_servers_with_both_readers() {
    let (first, second, target) = (
        Server::openssh(""),
        Server::openssh(""),
        Server::openssh(""),
    );
    let config = format!(
        "Host first\n HostName 127.0.0.1\n Port {}\nHost second\n HostName 127.0.0.1\n Port {}\n\
         Host target\n HostName 127.0.0.1\n Port {}\n ProxyJump first,second\nHost *\n User {USER}\n",
        first.port, second.port, target.port
    );
    for own_reader in [false, true] {
        let client = Client::with(&config, |options| {
            if own_reader {
                options.config.openssh = OpenSsh::Never;
            }
        });
        let answers = Answers::password();
        let pane = client.open_request(destination("target"), &answers);
        pane.ready();
        assert!(
            pane.run("echo $SSH_CONNECTION")
                .contains(&target.port.to_string())
        );
        assert_eq!(answers.asked().len(), 3);
        assert_eq!(client.ssh.connections(), 3);
        // Every hop was verified and learned.
        for server in [&first, &second, &target] {
            assert!(
                client
                    .known_hosts()
                    .contains(&format!("[127.0.0.1]:{}", server.port))
            );
        }
        // The hop's own connection is shared.
        client
            .open_request(destination("first"), &Answers::none())
            .ready();
    }
    // A hop whose key changed ends the way.
    let client = Client::new(&config);
    client.learn(&format!(
        "[127.0.0.1]:{} {}",
        second.port,
        first.host_key("ed25519")
    ));
    let (stage, reason) = client
        .open_request(destination("target"), &Answers::password())
        .failed();
    assert_eq!(stage, "connect");
    assert!(
        reason.contains("jump host") && reason.contains("has changed"),
        "{reason}"
    );
}

#[test]
fn a_jump_loop_ends() {
    let config = "Host a\n ProxyJump b\nHost b\n ProxyJump a\n";
    let client = Client::with(config, |options| options.config.openssh = OpenSsh::Never);
    let (_, reason) = client
        .open_request(destination("a"), &Answers::none())
        .failed();
    assert!(reason.contains("jump hosts"), "{reason}");
}

#[test]
fn a_proxy_command() {
    let server = Server::openssh("");
    let client = Client::new("ProxyCommand ncat %h %p");
    client.open(&server, &Answers::password()).ready();
    let client = Client::new("ProxyCommand echo going wrong >&2; exit 1");
    let pane = client.open(&server, &Answers::none());
    let failed = pane.failed();
    assert_eq!(failed.0, "connect");
    wait("its words", || {
        pane.session
            .log()
            .iter()
            .any(|line| line.contains("going wrong"))
    });
}

#[test]
fn include_match_and_options_before_the_first_host() {
    let server = Server::openssh("");
    for own_reader in [false, true] {
        let client = Client::with("User nobody-else", |options| {
            if own_reader {
                options.config.openssh = OpenSsh::Never;
            }
        });
        let dir = client.dir.path();
        fs::write(
            dir.join("more.conf"),
            format!("Host bo*\n HostName 127.0.0.1\n Port {}\n", server.port),
        )
        .unwrap();
        let rest = fs::read_to_string(dir.join("config"))
            .unwrap()
            .replace("User nobody-else", "");
        let text = format!(
            "StrictHostKeyChecking accept-new\nInclude {}\nMatch originalhost box\n User {USER}\n{rest}",
            dir.join("more.con?").display()
        );
        fs::write(dir.join("config"), text).unwrap();
        let pane = client.open_request(destination("box"), &Answers::password());
        pane.ready();
        assert!(pane.run("id -un").contains(USER));
    }
}

#[test]
fn the_agent_is_forwarded_only_when_wanted() {
    let server = Server::openssh("");
    server.authorize(&keygen(&server.path("key"), "ed25519", ""));
    let agent = Agent::new(server.dir.path(), &[server.path("key")]);
    for (config, forwarded) in [("ForwardAgent yes", true), ("ForwardAgent no", false)] {
        let client = Client::with(config, |options| {
            options.agent_socket = Some(agent.socket.clone())
        });
        let pane = client.open(&server, &Answers::none());
        pane.ready();
        let listed = pane.run("ssh-add -l 2>&1");
        assert_eq!(listed.contains("ED25519"), forwarded, "{listed}");
    }
}

/// A server that says back what it hears, in capitals.
fn shouting() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut text = Vec::new();
                stream.read_to_end(&mut text).unwrap();
                stream.write_all(&text.to_ascii_uppercase()).unwrap();
            });
        }
    });
    port
}

fn shout(mut stream: TcpStream) {
    stream.write_all(b"hello through").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text, "HELLO THROUGH");
}

fn port(port: u16) -> ListenAddress {
    ListenAddress::Port { host: None, port }
}

fn target(port: u16) -> ForwardTarget {
    ForwardTarget::Port {
        host: "127.0.0.1".into(),
        port,
    }
}

/// The port on which the forward of `pane` listens.
fn listening(pane: &Pane, spec: &ForwardSpec) -> (ForwardInfo, u16) {
    let mut found = None;
    wait("a forward", || {
        found = pane
            .session
            .forwards()
            .into_iter()
            .find(|forward| forward.spec == *spec);
        matches!(
            found.as_ref().map(|f| &f.state),
            Some(ForwardState::Listening { .. } | ForwardState::Failed { .. })
        )
    });
    let found = found.unwrap();
    let ForwardState::Listening { address } = &found.state else {
        panic!("{found:?}")
    };
    let port = address.rsplit(':').next().unwrap().parse().unwrap();
    (found, port)
}

fn through_socks(proxy: u16, target: u16) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", proxy)).unwrap();
    stream.write_all(&[5, 1, 0]).unwrap();
    let mut answer = [0; 2];
    stream.read_exact(&mut answer).unwrap();
    let [high, low] = target.to_be_bytes();
    stream
        .write_all(&[5, 1, 0, 1, 127, 0, 0, 1, high, low])
        .unwrap();
    let mut answer = [0; 10];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer[1], 0);
    stream
}

#[test]
fn forwards_of_every_kind() {
    let server = Server::openssh("");
    let shouter = shouting();
    let configured = free_port();
    let client = Client::new(&format!("LocalForward {configured} 127.0.0.1:{shouter}"));
    let pane = client.open(&server, &Answers::password());
    pane.ready();
    // Of the configuration.
    wait("the configured forward", || {
        TcpStream::connect(("127.0.0.1", configured)).is_ok()
    });
    shout(TcpStream::connect(("127.0.0.1", configured)).unwrap());
    // Local.
    let local = ForwardSpec::local(port(0), target(shouter));
    let id = pane.session.add_forward(local.clone()).unwrap();
    let (_, at) = listening(&pane, &local);
    shout(TcpStream::connect(("127.0.0.1", at)).unwrap());
    wait("the counts", || {
        let (info, _) = listening(&pane, &local);
        (info.sent, info.received, info.open) == (13, 13, 0)
    });
    pane.session.close_forward(id);
    wait("the end of the listener", || {
        TcpStream::connect(("127.0.0.1", at)).is_err()
    });
    // Remote.
    let remote = ForwardSpec::remote(port(0), target(shouter));
    let id = pane.session.add_forward(remote.clone()).unwrap();
    let (_, at) = listening(&pane, &remote);
    shout(TcpStream::connect(("127.0.0.1", at)).unwrap());
    pane.session.close_forward(id);
    wait("the end of the remote listener", || {
        TcpStream::connect(("127.0.0.1", at)).is_err()
    });
    // Dynamic, both ways.
    for dynamic in [
        ForwardSpec::dynamic(port(0)),
        ForwardSpec::remote(port(0), ForwardTarget::Socks),
    ] {
        pane.session.add_forward(dynamic.clone()).unwrap();
        let (_, at) = listening(&pane, &dynamic);
        shout(through_socks(at, shouter));
    }
    // Sockets.
    let socket = client.dir.path().join("forwarded");
    let spec = ForwardSpec::local(ListenAddress::Socket(socket.clone()), target(shouter));
    pane.session.add_forward(spec).unwrap();
    wait("the socket", || socket.exists());
    let mut stream = std::os::unix::net::UnixStream::connect(&socket).unwrap();
    stream.write_all(b"x").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text, "X");
    // A port that is taken.
    let taken = ForwardSpec::local(port(configured), target(1));
    pane.session.add_forward(taken.clone()).unwrap();
    wait("the failure", || {
        let forwards = pane.session.forwards();
        let found = forwards.iter().find(|f| f.spec == taken).unwrap();
        matches!(&found.state, ForwardState::Failed { reason } if reason.contains("in use"))
    });
    assert!(!pane.text().contains(PASSWORD));
}

#[test]
fn forwards_come_again_after_a_loss() {
    let mut server = Server::openssh("");
    let shouter = shouting();
    let client = Client::new("");
    let pane = client.open(&server, &Answers::password());
    pane.ready();
    let at = free_port();
    let spec = ForwardSpec::local(port(at), target(shouter));
    pane.session.add_forward(spec).unwrap();
    wait("the forward", || {
        TcpStream::connect(("127.0.0.1", at)).is_ok()
    });
    pane.forget_stages();
    server.stop();
    server.start();
    pane.ready();
    wait("the forward again", || {
        TcpStream::connect(("127.0.0.1", at)).is_ok()
    });
    shout(TcpStream::connect(("127.0.0.1", at)).unwrap());
}
