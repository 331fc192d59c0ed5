//! A network that is cut (check 24), in network namespaces made here.

use std::process::Command;
use std::thread;

use ssh::SessionRequest;
use ssh::stage::Stage;

use crate::client::{Answers, Client};
use crate::server::{Server, USER, run};

#[test]
fn a_network_that_is_cut_is_noticed_and_comes_back() {
    // In a namespace of its own, so that the links made there are nobody else's.
    let me = std::env::current_exe().unwrap();
    let out = Command::new("unshare")
        .arg("--net")
        .arg(me)
        .args([
            "--exact",
            "cut::inside_a_namespace",
            "--ignored",
            "--nocapture",
        ])
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
}

/// The namespace holds the server; the client's thread gets another one at the end of a cable.
#[test]
#[ignore = "run by a_network_that_is_cut_is_noticed_and_comes_back"]
fn inside_a_namespace() {
    let ip = |line: &str| run("ip", &line.split(' ').collect::<Vec<_>>());
    ip("link set lo up");
    ip("link add v0 type veth peer name v1");
    ip("addr add 10.77.0.1/24 dev v0");
    ip("link set v0 up");
    let server = Server::openssh("ListenAddress 10.77.0.1");
    let port = server.port;
    let client = thread::spawn(move || {
        // SAFETY: only the network namespace changes; no descriptor is involved.
        unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNET) }.unwrap();
        let id = rustix::thread::gettid().as_raw_nonzero().to_string();
        // The outer namespace gives its end of the cable away.
        run(
            "nsenter",
            &[
                "--net",
                "--target",
                &std::process::id().to_string(),
                "ip",
                "link",
                "set",
                "v1",
                "netns",
                &id,
            ],
        );
        ip("link set lo up");
        ip("addr add 10.77.0.2/24 dev v1");
        ip("link set v1 up");
        let client = Client::new("ServerAliveInterval 1\nServerAliveCountMax 2\nConnectTimeout 2");
        let wanted = SessionRequest::new(format!("{USER}@10.77.0.1:{port}").parse().unwrap());
        let pane = client.open_request(wanted, &Answers::password());
        pane.ready().run("echo there");
        // The far end goes: nothing says so, packets are simply gone.
        let outside = std::process::id().to_string();
        let far = |state: &str| {
            run(
                "nsenter",
                &[
                    "--net", "--target", &outside, "ip", "link", "set", "v0", state,
                ],
            )
        };
        far("down");
        pane.wait_stage("loss", |stage| matches!(stage, Stage::Reconnecting { .. }));
        pane.wait_stage("second try", |stage| {
            matches!(stage, Stage::Reconnecting { attempt: 2, .. })
        });
        far("up");
        pane.forget_stages();
        pane.ready().run("echo again");
        pane.expect("connection lost after");
    });
    client.join().unwrap();
}
