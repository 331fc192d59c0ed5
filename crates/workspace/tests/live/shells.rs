//! Other shells, and panes that make noise.

use std::path::Path;

use serde_json::json;
use workspace::PaneId;

use crate::harness::Live;

/// The shell, if this machine has it.
fn installed(shell: &str) -> bool {
    ["/bin", "/usr/bin", "/usr/local/bin"]
        .iter()
        .any(|directory| Path::new(directory).join(shell).exists())
}

fn settles_in(shell: &str) {
    if !installed(shell) {
        return;
    }
    let mut live = Live::start();
    let opened = live
        .call("tab.new", json!({"shell": shell}))
        .expect("opened");
    let pane = opened["action"]["pane_id"].as_u64().expect("an id");
    for round in 0..20 {
        for line in ["true", "false", "sleep 0.05"] {
            let answer = live.command(pane, line);
            let wait = &answer["wait"];
            assert_eq!(wait["state"], "idle", "{shell} {line} {round}");
            assert_eq!(wait["submission"], "confirmed", "{shell} {line} {round}");
            let (after, at) = (
                wait["after_seq"].as_u64(),
                wait["state_change_seq"].as_u64(),
            );
            assert_eq!(at, after.map(|after| after + 1), "{shell} {line} {round}");
        }
    }
    live.command(pane, "echo done-$(echo 42)");
    assert!(live.text(pane).contains("done-42"), "{}", live.text(pane));
}

#[test]
fn zsh_settles() {
    settles_in("zsh");
}

#[test]
fn fish_settles() {
    settles_in("fish");
}

#[test]
fn a_shell_without_integration_settles() {
    let mut live = Live::start();
    let opened = live
        .call("tab.new", json!({"shell": "/bin/sh"}))
        .expect("opened");
    let pane = opened["action"]["pane_id"].as_u64().expect("an id");
    let answer = live.command(pane, "echo done-$((40+2))");
    assert_eq!(answer["wait"]["state"], "idle");
    assert!(live.text(pane).contains("done-42"));
}

#[test]
fn a_pane_that_floods_keeps_nobody_waiting() {
    let mut live = Live::start();
    let first = live.first();
    let noisy = live.split(first, "left_right");
    let flood = "while :; do printf '\\e]0;title %d\\a\\e]133;A\\a\\e]133;C\\a\\a' $((i++)); done";
    live.call("pane.prompt", json!({"pane_id": noisy, "text": flood}))
        .expect("written");
    for round in 0..50 {
        let answer = live.command(first, "true");
        assert_eq!(answer["wait"]["submission"], "confirmed", "round {round}");
    }
    live.workspace
        .type_input(PaneId(noisy), vec![3])
        .expect("interrupted");
    live.call("pane.close", json!({"pane_id": noisy, "force": true}))
        .expect("closed");
}
