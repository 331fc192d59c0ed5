//! Waiting for what a pane shows, and typing into it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::poll::{self, PATIENCE};

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

/// Types a line and waits until it is done.
pub fn run(client: &mut Client, pane: u64, line: &str) -> Value {
    client.ok_within(
        "pane.prompt",
        json!({"pane_id": pane, "text": line, "wait": {"timeout_ms": 60_000}}),
        Duration::from_secs(90),
    )
}
