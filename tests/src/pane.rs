//! Waiting for what a pane shows, and typing into it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::instance::Instance;
use crate::poll::{self, PATIENCE};
use crate::snapshot;

/// Waits until the shell of a pane shows one of the prompts of [`Home`] as its last line.
pub fn await_prompt(client: &mut Client, pane: u64) {
    poll::until_ok("a shell prompt", PATIENCE, || {
        let text = read(client, pane);
        let last = text.trim_end().lines().next_back().unwrap_or_default();
        if matches!(last, "$" | "%" | ">") {
            Ok(())
        } else {
            Err(format!("{text:?}"))
        }
    });
}

/// Waits until a pane shows the text.
pub fn await_text(client: &mut Client, pane: u64, wanted: &str) -> String {
    poll::until_ok(&format!("{wanted:?} in pane {pane}"), PATIENCE, || {
        let text = read(client, pane);
        if text.contains(wanted) {
            Ok(text)
        } else {
            Err(format!("{text:?}"))
        }
    })
}

/// Waits until a program is in the foreground. Some systems call `vim` `vim.basic`, so a beginning is enough.
pub fn await_program(client: &mut Client, pane: u64, program: &str) -> Value {
    let what = format!("{program} in the foreground");
    poll::until_ok(&what, PATIENCE, || {
        let now = snapshot::now(client);
        let seen = snapshot::pane(&now, pane)["running_program"].clone();
        if seen.as_str().is_some_and(|seen| seen.starts_with(program)) {
            Ok(now)
        } else {
            Err(seen)
        }
    })
}

/// Starts a program that stays, and waits until it is in the foreground.
pub fn start_program(client: &mut Client, pane: u64, line: &str, program: &str) -> Value {
    client.ok("pane.prompt", json!({"pane_id": pane, "text": line}));
    await_program(client, pane, program)
}

/// Waits until nothing moves: two looks that are further apart than titles may be held back show
/// one revision.
pub fn await_rest(client: &mut Client) -> Value {
    let mut last = client.ok("runtime.snapshot", json!({}));
    poll::until_ok("the workspace to rest", PATIENCE, || {
        std::thread::sleep(Duration::from_millis(700));
        let now = client.ok("runtime.snapshot", json!({}));
        let same = now["revision"] == last["revision"];
        last = now.clone();
        if same {
            Ok(now)
        } else {
            Err(format!("revision {}", now["revision"]))
        }
    })
}

/// The text of a pane.
pub fn read(client: &mut Client, pane: u64) -> String {
    let read = client.ok("pane.read", json!({"pane_id": pane, "lines": 2000}));
    read["text"].as_str().expect("text is a string").to_owned()
}

/// Lines and columns of a pane, as the kernel tells its shell.
pub fn grid(instance: &Instance, client: &mut Client, pane: u64) -> (u32, u32) {
    run(client, pane, "stty size > \"$HOME/size\"");
    let text = instance.home().read_user("size").unwrap_or_default();
    let mut numbers = text.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(lines)), Some(Ok(columns))) => (lines, columns),
        _ => panic!("two numbers: {text:?}"),
    }
}

/// Types a line and waits until it is done.
pub fn run(client: &mut Client, pane: u64, line: &str) -> Value {
    client.ok_within(
        "pane.prompt",
        json!({"pane_id": pane, "text": line, "wait": {"timeout_ms": 60_000}}),
        Duration::from_secs(90),
    )
}

/// Types a line that leaves the pane with mouse or other modes on and a program that shows what it gets: control
/// characters as `^[`, a line for each Return.
pub fn show_input(client: &mut Client, pane: u64, modes: &str) {
    let line = format!("clear; stty -echo; printf '{modes}'; cat -v");
    start_program(client, pane, &line, "cat");
}
