//! Prompts: a line is typed, runs, and is answered when it is done.

use std::time::{Duration, Instant};

use nebula_tests::pane::{await_program, await_rest, await_text, read, run};
use nebula_tests::{Instance, poll, snapshot};
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
    let before = snapshot::now(&mut client);
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
    let mut sequence = snapshot::sequence(&snapshot::now(&mut client), pane);
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
    let mut sequence = snapshot::sequence(&snapshot::now(&mut client), pane);
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
        let before = snapshot::sequence(&snapshot::now(&mut client), pane);
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
        let before = snapshot::sequence(&snapshot::now(&mut client), pane);
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
    let before = snapshot::now(&mut client);
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
    assert_eq!(snapshot::now(&mut client), before, "nothing was written");

    // Bytes are counted, and the longest text arrives whole: a program that takes lines without
    // the terminal's line limit reads it.
    client.ok(
        "pane.prompt",
        json!({"pane_id": pane, "text": "stty raw -echo; head -c 32769 > trace; stty sane"}),
    );
    await_program(&mut client, pane, "head");
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

/// Check 37.
#[test]
fn text_without_submit_stays_at_the_prompt() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let before = snapshot::now(&mut client);
    let params = json!({"pane_id": pane, "text": "echo later", "submit": false});
    let result = client.ok("pane.prompt", params);
    assert_eq!(result["action"]["submitted"], false);
    await_text(&mut client, pane, "$ echo later");
    let now = await_rest(&mut client);
    assert_eq!(snapshot::state(&now, pane), "idle");
    assert_eq!(snapshot::sequences(&now), snapshot::sequences(&before));
    assert!(!read(&mut client, pane).contains("\nlater"));
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
