//! Keys and pastes as programs read them.

use nebula_tests::pane::{await_program, read, run};
use nebula_tests::{Client, Instance, poll, snapshot};
use serde_json::json;

/// One read of the probe: milliseconds since its start, and bytes.
type Read = (u64, Vec<u8>);

/// Starts the probe in a pane and returns what it read, once it has seen Ctrl+D.
fn probe(
    instance: &Instance,
    client: &mut Client,
    pane: u64,
    mode: &str,
    send: impl FnOnce(&mut Client),
) -> Vec<Read> {
    let path = env!("CARGO_BIN_EXE_paste-probe");
    let old = read(client, pane).matches("probe ready").count();
    let line = format!("{path} trace {mode}");
    client.ok("pane.prompt", json!({"pane_id": pane, "text": line}));
    poll::until("the probe", || {
        (read(client, pane).matches("probe ready").count() > old).then_some(())
    });
    await_program(client, pane, "paste-probe");
    send(client);
    // The probe has read everything that was written before the byte that ends it.
    poll::until("the probe to read", || {
        let text = instance.home().read_user("trace")?;
        text.contains("0d").then_some(())
    });
    let key = json!({"pane_id": pane, "key": "d", "modifiers": {"control": true}});
    client.ok("pane.send_key", key);
    client.ok("pane.wait", json!({"pane_id": pane}));
    let text = instance.home().read_user("trace").unwrap();
    let bytes = |hex: &str| {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    };
    text.lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(time, hex)| (time.parse().unwrap(), bytes(hex)))
        .collect()
}

fn joined(reads: &[Read]) -> Vec<u8> {
    reads
        .iter()
        .flat_map(|(_, bytes)| bytes.iter().copied())
        .collect()
}

/// Check 44.
#[test]
fn a_program_with_bracketed_paste_gets_enter_by_itself() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let mut widest = 0;
    for _ in 0..5 {
        let reads = probe(&instance, &mut client, pane, "", |client| {
            client.ok(
                "pane.prompt",
                json!({"pane_id": pane, "text": "run the tests"}),
            );
        });
        assert_eq!(
            joined(&reads),
            b"\x1b[200~run the tests\x1b[201~\r\x04",
            "{reads:?}"
        );
        let paste = reads
            .iter()
            .find(|(_, bytes)| bytes.ends_with(b"\x1b[201~"));
        let enter = reads.iter().find(|(_, bytes)| bytes.starts_with(b"\r"));
        // A machine under load may let the probe sleep through the gap; it cannot widen it.
        if let (Some((paste, _)), Some((enter, _))) = (paste, enter) {
            widest = widest.max(enter - paste);
        }
    }
    assert!(
        widest >= 30,
        "Enter is a write of its own, at least 30 ms later: {widest} ms"
    );
}

/// Rule 9.6: a program without bracketed paste gets plain text.
#[test]
fn a_program_without_bracketed_paste_gets_plain_text() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let reads = probe(&instance, &mut client, pane, "plain", |client| {
        client.ok("pane.prompt", json!({"pane_id": pane, "text": "grün"}));
    });
    assert_eq!(joined(&reads), "grün\r\u{4}".as_bytes(), "{reads:?}");
}

/// Rule 9.9: paste.
#[test]
fn a_paste_is_bracketed_and_sanitised() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    for text in ["a\u{1b}[201~b", "a\0", "a\u{9b}b", "a\u{8}", ""] {
        client.refused("pane.paste", json!({"pane_id": pane, "text": text}), "text");
    }
    client.refused(
        "pane.paste",
        json!({"pane_id": pane, "text": "x".repeat(32_769)}),
        "text",
    );
    let reads = probe(&instance, &mut client, pane, "", |client| {
        let params = json!({"pane_id": pane, "text": "one\n\ttwo\nthree"});
        let result = client.ok("pane.paste", params);
        let expected = json!({"window_id": 1, "pane_id": pane, "submitted": true});
        assert_eq!(result["action"], expected);
    });
    let bytes = String::from_utf8(joined(&reads)).unwrap();
    let pasted = bytes
        .strip_prefix("\u{1b}[200~")
        .and_then(|rest| rest.strip_suffix("\u{1b}[201~\r\u{4}"));
    let pasted = pasted.unwrap_or_else(|| panic!("one bracketed paste: {bytes:?}"));
    // Terminals send a line break of a paste as CR or LF; both are a line break to programs.
    assert_eq!(pasted.replace('\r', "\n"), "one\n\ttwo\nthree");

    probe(&instance, &mut client, pane, "plain", |client| {
        let params = json!({"pane_id": pane, "text": "x"});
        let error = client.error("pane.paste", params, "invalid_state");
        assert_eq!(error["details"]["reason"], "bracketed_paste_off");
        client.ok("pane.send_key", json!({"pane_id": pane, "key": "enter"}));
    });
}

/// Check 63.
#[test]
fn keys() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    client.refused("pane.send_key", json!({"pane_id": pane, "key": "a"}), "key");
    client.refused(
        "pane.send_key",
        json!({"pane_id": pane, "key": "a", "modifiers": {"shift": true}}),
        "key",
    );
    client.refused(
        "pane.send_key",
        json!({"pane_id": pane, "key": "Enter"}),
        "key",
    );

    let reads = probe(&instance, &mut client, pane, "plain", |client| {
        let result = client.ok("pane.send_key", json!({"pane_id": pane, "key": "escape"}));
        let expected = json!({
            "window_id": 1, "pane_id": pane, "key": "escape", "repeat": 1, "bytes_sent": 1,
        });
        assert_eq!(result["action"], expected);
        for (key, modifiers, repeat) in [
            ("up", json!({}), 2),
            ("left", json!({"control": true}), 1),
            ("tab", json!({"shift": true}), 1),
            ("f5", json!({}), 1),
            ("page_down", json!({}), 1),
            ("delete", json!({}), 1),
            ("backspace", json!({}), 1),
            ("a", json!({"control": true}), 3),
            ("enter", json!({}), 1),
        ] {
            let params =
                json!({"pane_id": pane, "key": key, "modifiers": modifiers, "repeat": repeat});
            let action = client.ok("pane.send_key", params)["action"].clone();
            assert_eq!(action["repeat"], repeat);
        }
    });
    let expected = "\x1b\x1b[A\x1b[A\x1b[1;5D\x1b[Z\x1b[15~\x1b[6~\x1b[3~\x7f\x01\x01\x01\r\x04";
    assert_eq!(String::from_utf8(joined(&reads)).unwrap(), expected);
}

/// Rule 9.9: Ctrl+C interrupts, and `enter` sets no latch.
#[test]
fn an_interrupted_command_settles() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let start = client.ok("pane.prompt", json!({"pane_id": pane, "text": "sleep 600"}));
    let sequence = snapshot::sequence(&start["snapshot"], pane);
    await_program(&mut client, pane, "sleep");
    client.ok(
        "pane.send_key",
        json!({"pane_id": pane, "key": "c", "modifiers": {"control": true}}),
    );
    let settled = client.ok("pane.wait", json!({"pane_id": pane, "after_seq": sequence}));
    assert_eq!(snapshot::state(&settled, pane), "idle");
    run(&mut client, pane, "echo again-$((6*7))");
    assert!(read(&mut client, pane).contains("again-42"));
}
