//! Prompts, waits, keys and pastes.

use std::time::{Duration, Instant};

use nebula_tests::pane::{await_rest, await_text, read, run};
use nebula_tests::{Client, Instance, home, poll, snapshot};
use serde_json::{Value, json};

/// Asserts rule 7.7 for one answered prompt and returns the sequence it ended with.
fn expect_settled(result: &Value, pane: u64, before: u64) -> u64 {
    let wait = &result["wait"];
    let number = |name: &str| {
        wait[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{name} is an integer: {wait}"))
    };
    let (after, reached) = (number("after_seq"), number("state_change_seq"));
    number("elapsed_ms");
    assert!(
        after > before,
        "the edge is a transition: {wait}, before {before}"
    );
    assert!(reached > after, "the state is later than the edge: {wait}");
    assert_ne!(wait["state"], "running");
    assert_eq!(
        snapshot::state(&result["snapshot"], pane),
        wait["state"],
        "{wait}"
    );
    assert_eq!(
        snapshot::sequence(&result["snapshot"], pane),
        reached,
        "{wait}"
    );
    reached
}

/// Checks 33 and 34.
#[test]
fn a_prompt_is_running_at_once_and_settles_later() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let before = client.ok("runtime.snapshot", json!({}));
    let result = client.ok("pane.prompt", json!({"pane_id": pane, "text": "echo h''i"}));
    let expected = json!({"window_id": 1, "pane_id": pane, "submitted": true});
    assert_eq!(result["action"], expected);
    assert!(result.get("wait").is_none());
    let submitted = snapshot::sequence(&result["snapshot"], pane);
    assert_eq!(snapshot::state(&result["snapshot"], pane), "running");
    assert_eq!(submitted, snapshot::sequence(&before, pane) + 1);

    let settled = client.ok(
        "pane.wait",
        json!({"pane_id": pane, "state": "settled", "after_seq": submitted}),
    );
    assert_eq!(snapshot::state(&settled, pane), "idle");
    assert!(snapshot::sequence(&settled, pane) > submitted);
    assert!(read(&mut client, pane).contains("\nhi"));
}

/// Check 35.
#[test]
fn two_hundred_prompts_and_no_stale_answer() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let mut sequence = snapshot::sequence(&client.ok("runtime.snapshot", json!({})), pane);
    for _ in 0..200 {
        let result = client.ok(
            "pane.prompt",
            json!({"pane_id": pane, "text": "true", "wait": {"state": "settled"}}),
        );
        assert_eq!(
            result["wait"]["submission"], "confirmed",
            "{}",
            result["wait"]
        );
        assert_eq!(result["wait"]["state"], "idle", "{}", result["wait"]);
        sequence = expect_settled(&result, pane, sequence);
    }
}

/// "1,000 prompts in a row never answer with the state from before the prompt": each command
/// leaves a trace that must be there when its prompt is answered.
#[test]
fn a_thousand_prompts_are_done_when_they_are_answered() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let mut sequence = snapshot::sequence(&client.ok("runtime.snapshot", json!({})), pane);
    for number in 0..1000 {
        let result = run(&mut client, pane, &format!("echo {number} > trace"));
        let trace = instance.home().read_user("trace").unwrap_or_default();
        assert_eq!(trace.trim_end(), number.to_string(), "{}", result["wait"]);
        sequence = expect_settled(&result, pane, sequence);
    }
}

/// `prompt --wait settled` on `true`, `false` and `sleep 1`.
#[test]
fn the_command_line_waits_for_the_end_of_a_command() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let id = pane.to_string();
    for command in ["true", "false", "sleep 1", "sleep 0.05", "(exit 3)"] {
        let before = snapshot::sequence(&client.ok("runtime.snapshot", json!({})), pane);
        let start = Instant::now();
        let text = format!("{command}; echo $? > trace");
        let settled = instance
            .ctl(&[
                "prompt", "--pane", &id, "--text", &text, "--wait", "settled",
            ])
            .result();
        let trace = instance
            .home()
            .read_user("trace")
            .expect("the command is done");
        let expected = match command {
            "false" => "1",
            "(exit 3)" => "3",
            _ => "0",
        };
        assert_eq!(trace.trim_end(), expected, "{command}");
        if command == "sleep 1" {
            assert!(
                start.elapsed() >= Duration::from_secs(1),
                "answered before its end"
            );
        }
        // The result is what `pane.wait` would print: a snapshot.
        assert_eq!(snapshot::state(&settled, pane), "idle", "{command}");
        assert!(
            snapshot::sequence(&settled, pane) >= before + 2,
            "{command}"
        );
        std::fs::remove_file(instance.home().user().join("trace")).unwrap();
    }
}

/// An empty command, a comment and a syntax error are settled, too.
#[test]
fn lines_that_start_nothing_settle() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    for line in [
        " ",
        "# only a comment",
        "if then",
        "no-such-command-anywhere",
    ] {
        let before = snapshot::sequence(&client.ok("runtime.snapshot", json!({})), pane);
        let result = run(&mut client, pane, line);
        expect_settled(&result, pane, before);
        assert_eq!(result["wait"]["state"], "idle", "{line:?}");
    }
    run(&mut client, pane, "echo still-$((1+1))");
    assert!(read(&mut client, pane).contains("still-2"));
}

/// Rule 7.7: into a pane that is running already; the wait ends when it settles next.
#[test]
fn a_prompt_into_a_running_command_waits_for_its_end() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let text = "echo rea''dy; read a; read b; echo got-$a-$b > trace";
    client.ok("pane.prompt", json!({"pane_id": pane, "text": text}));
    // What is typed before the shell has let go of its line editor is not a line for `read`.
    await_text(&mut client, pane, "\nready");
    client.ok("pane.prompt", json!({"pane_id": pane, "text": "one"}));
    let result = run(&mut client, pane, "two");
    assert_eq!(result["wait"]["state"], "idle");
    assert_eq!(
        instance.home().read_user("trace").unwrap().trim_end(),
        "got-one-two"
    );
}

/// Check 36.
#[test]
fn text_has_no_controls_and_an_end() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let before = client.ok("runtime.snapshot", json!({}));
    let texts = [
        "a\nb", "a\rb", "\u{1b}[A", "a\tb", "a\u{7f}", "a\u{85}", "\0", "",
    ];
    let long = "x".repeat(32_769);
    for text in texts.into_iter().chain([long.as_str()]) {
        client.refused(
            "pane.prompt",
            json!({"pane_id": pane, "text": text}),
            "text",
        );
    }
    let wait = json!({"pane_id": pane, "text": "x", "submit": false, "wait": {}});
    client.refused("pane.prompt", wait, "wait");
    assert_eq!(
        client.ok("runtime.snapshot", json!({})),
        before,
        "nothing was written"
    );

    // Bytes are counted, and the longest text arrives whole: a program that takes lines without
    // the terminal's line limit reads it.
    client.ok(
        "pane.prompt",
        json!({"pane_id": pane, "text": "stty raw -echo; head -c 32769 > trace; stty sane"}),
    );
    await_foreground(&mut client, pane, "head");
    let longest = "é".repeat(16_384);
    assert_eq!(longest.len(), 32_768);
    let result = client.ok("pane.prompt", json!({"pane_id": pane, "text": longest}));
    assert_eq!(result["action"]["submitted"], true);
    let read = poll::until("the text to arrive", || {
        instance
            .home()
            .read_user("trace")
            .filter(|text| text.len() == 32_769)
    });
    assert_eq!(read, longest + "\r");
}

fn await_foreground(client: &mut Client, pane: u64, program: &str) {
    poll::until_ok(
        &format!("{program} in the foreground"),
        poll::PATIENCE,
        || {
            let now = client.ok("runtime.snapshot", json!({}));
            let seen = snapshot::pane(&now, pane)["running_program"].clone();
            if seen == program { Ok(()) } else { Err(seen) }
        },
    );
}

/// Check 37.
#[test]
fn text_without_submit_stays_at_the_prompt() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let before = client.ok("runtime.snapshot", json!({}));
    let params = json!({"pane_id": pane, "text": "echo later", "submit": false});
    let result = client.ok("pane.prompt", params);
    assert_eq!(result["action"]["submitted"], false);
    await_text(&mut client, pane, "$ echo later");
    let now = await_rest(&mut client);
    assert_eq!(snapshot::state(&now, pane), "idle");
    assert_eq!(snapshot::sequences(&now), snapshot::sequences(&before));
    assert!(!read(&mut client, pane).contains("\nlater"));
}

/// Check 38.
#[test]
fn a_wait_that_times_out_says_what_it_saw() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let now = client.ok("runtime.snapshot", json!({}));
    let sequence = snapshot::sequence(&now, pane);
    let params =
        json!({"pane_id": pane, "state": "running", "timeout_ms": 300, "after_seq": sequence});
    let start = Instant::now();
    let error = client.error("pane.wait", params, "timeout");
    assert!(start.elapsed() >= Duration::from_millis(300));
    let details = &error["details"];
    assert_eq!(
        (&details["window_id"], &details["pane_id"]),
        (&json!(1), &json!(pane))
    );
    assert_eq!(details["after_seq"], sequence);
    assert_eq!(details["observed_state_change_seq"], sequence);
    assert_eq!(details["observed_state"], "idle");
    assert_eq!(details["states"], json!(["running"]));

    let params = json!({"pane_id": pane, "state": "running", "timeout_ms": 100});
    let error = client.error("pane.wait", params, "timeout");
    assert_eq!(error["details"]["after_seq"], json!(null));

    // "It moved, but not into the set."
    let params =
        json!({"pane_id": pane, "state": "attention", "timeout_ms": 3000, "after_seq": sequence});
    let mut other = instance.client();
    other.send("pane.wait", params);
    run(&mut client, pane, "true");
    let error = other.value();
    assert_eq!(error["error"]["code"], "timeout", "{error}");
    let observed = error["error"]["details"]["observed_state_change_seq"]
        .as_u64()
        .unwrap();
    assert!(observed > sequence, "{error}");
}

/// Check 39.
#[test]
fn settled_is_what_is_waited_for() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let settled = client.ok("pane.wait", json!({"pane_id": pane}));
    assert_eq!(snapshot::state(&settled, pane), "idle");
    client.ok("pane.wait", json!({"pane_id": pane, "after_seq": 0}));
    client.ok(
        "pane.wait",
        json!({"pane_id": pane, "states": ["settled", "running"]}),
    );

    let start = client.ok("pane.prompt", json!({"pane_id": pane, "text": "sleep 1"}));
    let sequence = snapshot::sequence(&start["snapshot"], pane);
    let settled = client.ok("pane.wait", json!({"pane_id": pane}));
    assert_ne!(snapshot::state(&settled, pane), "running");
    assert!(snapshot::sequence(&settled, pane) > sequence);

    for both in [json!(["idle"]), json!(["running", "failed"])] {
        let params = json!({"pane_id": pane, "state": "idle", "states": both});
        client.error("pane.wait", params, "invalid_params");
    }
}

/// A baseline above the current value simply waits (rule 7.2).
#[test]
fn a_baseline_ahead_of_the_present_waits() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let sequence = snapshot::sequence(&client.ok("runtime.snapshot", json!({})), pane);
    let mut waiting = instance.client();
    waiting.send(
        "pane.wait",
        json!({"pane_id": pane, "after_seq": sequence + 2}),
    );
    waiting.expect_quiet(Duration::from_millis(300));
    for _ in 0..2 {
        run(&mut client, pane, "true");
    }
    let answer = waiting.value();
    assert_eq!(answer["ok"], true, "{answer}");
    assert!(snapshot::sequence(&answer["result"], pane) > sequence + 2);
}

/// Check 40.
#[test]
fn a_wait_ends_when_its_pane_is_closed() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let result = client.ok("pane.split", json!({"direction": "left_right"}));
    let pane = result["action"]["pane_id"].as_u64().unwrap();
    let mut waiting = instance.client();
    waiting.send(
        "pane.wait",
        json!({"pane_id": pane, "state": "attention", "timeout_ms": 600_000}),
    );
    waiting.expect_quiet(Duration::from_millis(200));
    let closed = client.ok("pane.close", json!({"pane_id": pane, "force": true}));
    let answer = waiting.value();
    assert_eq!(answer["error"]["code"], "pane_closed", "{answer}");
    let details = &answer["error"]["details"];
    let record = snapshot::lifecycle(&closed["snapshot"], pane).unwrap();
    for member in ["sequence", "window_id", "pane_id", "event"] {
        assert_eq!(details[member], record[member], "{answer}");
    }
    // Rule 7.4: a later wait says the same at once.
    let error = client.error("pane.wait", json!({"pane_id": pane}), "pane_closed");
    assert_eq!(error["details"]["sequence"], record["sequence"]);
    client.ok("pane.wait", json!({"pane_id": first}));
}

/// Check 41.
#[test]
fn a_wait_ends_when_its_shell_ends() {
    let instance = Instance::start_with(home::HELD);
    let (mut client, pane) = instance.ready();
    let mut settled = instance.client();
    let mut literal = instance.client();
    settled.send(
        "pane.wait",
        json!({"pane_id": pane, "state": "attention", "timeout_ms": 600_000}),
    );
    literal.send(
        "pane.wait",
        json!({"pane_id": pane, "states": ["failed"], "timeout_ms": 600_000}),
    );
    settled.expect_quiet(Duration::from_millis(200));
    client.ok("pane.prompt", json!({"pane_id": pane, "text": "exit 3"}));

    let answer = settled.value();
    assert_eq!(answer["error"]["code"], "pane_exited", "{answer}");
    let details = &answer["error"]["details"];
    assert_eq!(
        (&details["event"], &details["exit_code"]),
        (&json!("exited"), &json!(3)),
        "{details}"
    );
    assert_eq!(details["task_state"], "failed");

    let answer = literal.value();
    assert_eq!(answer["ok"], true, "{answer}");
    assert_eq!(snapshot::state(&answer["result"], pane), "failed");

    // The same for waits that begin later, and `settled` does not name the state literally.
    client.error("pane.wait", json!({"pane_id": pane}), "pane_exited");
    client.ok("pane.wait", json!({"pane_id": pane, "state": "failed"}));
    // Rule 9.2: input is refused, reading is not.
    client.error(
        "pane.prompt",
        json!({"pane_id": pane, "text": "x"}),
        "pane_exited",
    );
    client.error(
        "pane.send_key",
        json!({"pane_id": pane, "key": "enter"}),
        "pane_exited",
    );
    let held = client.ok("pane.read", json!({"pane_id": pane}));
    assert_eq!(held["exited"], true);
    assert!(held["exit_reason"].is_string(), "{held}");
    client.ok("window.focus", json!({"pane_id": pane}));
}

/// A prompt whose shell ends says that the text was delivered (rule 7.7).
#[test]
fn a_prompt_that_ends_the_shell_says_so() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let result = client.ok("pane.split", json!({"direction": "left_right"}));
    let pane = result["action"]["pane_id"].as_u64().unwrap();
    nebula_tests::pane::await_prompt(&mut client, pane);
    let params = json!({"pane_id": pane, "text": "sleep 3; exit 5", "wait": {}});
    let error = client.error("pane.prompt", params, "pane_exited");
    let details = &error["details"];
    assert_eq!(details["submitted"], true, "{error}");
    assert!(details["after_seq"].is_u64(), "{error}");
    assert!(details["submission"].is_string(), "{error}");
    assert_eq!(details["exit_code"], 5, "{error}");
}

/// Rule 7.7: a timeout of the wait says that the text was delivered.
#[test]
fn a_prompt_that_times_out_says_it_was_submitted() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let params = json!({"pane_id": pane, "text": "sleep 60", "wait": {"timeout_ms": 300}});
    let error = client.error("pane.prompt", params, "timeout");
    let details = &error["details"];
    assert_eq!(details["submitted"], true, "{error}");
    assert_eq!(details["observed_state"], "running", "{error}");
    assert_eq!(
        details["after_seq"], details["observed_state_change_seq"],
        "{error}"
    );
}

/// Check 42.
#[test]
fn a_wait_for_a_pane_that_never_was_fails_at_once() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let params = json!({"pane_id": 4711, "timeout_ms": 86_400_000});
    let error = client.error("pane.wait", params, "target_not_found");
    assert_eq!(error["details"]["pane_id"], 4711);
}

/// Rule 7.6: `occupant_seq` pins a wait.
#[test]
fn a_wait_can_be_pinned_to_the_occupant() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let now = client.ok("runtime.snapshot", json!({}));
    let occupant = snapshot::pane(&now, pane)["occupant_seq"].as_u64().unwrap();
    client.ok(
        "pane.wait",
        json!({"pane_id": pane, "occupant_seq": occupant}),
    );
    let answer = client.call(
        "pane.wait",
        json!({"pane_id": pane, "occupant_seq": occupant + 1}),
    );
    let code = answer["error"]["code"].as_str().unwrap();
    assert!(
        matches!(code, "agent_exited" | "agent_replaced"),
        "{answer}"
    );
}

/// Waits are independent of each other, however many there are.
#[test]
fn many_waits_end_with_one_change() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let mut waiting: Vec<Client> = Vec::new();
    for _ in 0..40 {
        let mut other = instance.client();
        // A connection that has not shown its token yet may be closed when there are many.
        other.ok("runtime.describe", json!({}));
        let params = json!({"pane_id": pane, "state": "running", "timeout_ms": 600_000});
        other.send("pane.wait", params);
        waiting.push(other);
    }
    for client in &mut waiting {
        client.expect_quiet(Duration::from_millis(10));
    }
    client.ok("pane.prompt", json!({"pane_id": pane, "text": "sleep 1"}));
    for client in &mut waiting {
        let answer = client.value();
        assert_eq!(snapshot::state(&answer["result"], pane), "running");
    }
}

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
    await_foreground(client, pane, "paste-probe");
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
    await_foreground(&mut client, pane, "sleep");
    client.ok(
        "pane.send_key",
        json!({"pane_id": pane, "key": "c", "modifiers": {"control": true}}),
    );
    let settled = client.ok("pane.wait", json!({"pane_id": pane, "after_seq": sequence}));
    assert_eq!(snapshot::state(&settled, pane), "idle");
    run(&mut client, pane, "echo again-$((6*7))");
    assert!(read(&mut client, pane).contains("again-42"));
}
