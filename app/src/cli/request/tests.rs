//! Plans of command lines.

use std::iter;

use clap::Parser;
use protocol::Method;

use super::*;
use crate::cli::{Cli, Invocation};

fn planned(here: &Surroundings, line: &str) -> Result<Plan, Refusal> {
    let words = iter::once("nebula")
        .chain(iter::once("ctl"))
        .chain(line.split(' '));
    let Invocation::Ctl(args) = Cli::try_parse_from(words).unwrap().into() else {
        panic!("not ctl: {line}");
    };
    let here = Surroundings {
        timeout_ms: args.timeout_ms,
        ..*here
    };
    plan(args.command, &here)
}

fn call(line: &str) -> (Method, serde_json::Value, u64) {
    match planned(&Surroundings::default(), line).unwrap() {
        Plan {
            task: Task::Call(call),
            limit_ms,
        } => (
            call.method(),
            serde_json::to_value(&call).unwrap(),
            limit_ms,
        ),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn commands_and_verbs_become_requests_the_server_accepts() {
    for (line, method, params, limit) in [
        ("describe", "runtime.describe", "{}", 30_000),
        (
            "agent list --window 1",
            "agents.list",
            r#"{"window_id":1}"#,
            30_000,
        ),
        ("focus --pane 3", "window.focus", r#"{"pane_id":3}"#, 30_000),
        ("new-tab --cwd /w", "tab.new", r#"{"cwd":"/w"}"#, 30_000),
        (
            "split --direction down",
            "pane.split",
            r#"{"direction":"top_bottom"}"#,
            30_000,
        ),
        (
            "prompt --pane 3 --text -x",
            "pane.prompt",
            r#"{"pane_id":3,"text":"-x"}"#,
            30_000,
        ),
        (
            "pane send --pane 3 --no-submit a b",
            "pane.prompt",
            r#"{"pane_id":3,"text":"a b","submit":false}"#,
            600_000,
        ),
        (
            "read --pane 3 --source last-command --format ansi",
            "pane.read",
            r#"{"pane_id":3,"source":"last_command","format":"ansi"}"#,
            30_000,
        ),
        (
            "wait --pane 3",
            "pane.wait",
            r#"{"pane_id":3,"state":"settled","timeout_ms":30000}"#,
            30_000,
        ),
        (
            "pane wait --pane 3 --state waiting-input,failed --after-seq 4",
            "pane.wait",
            r#"{"pane_id":3,"states":["waiting_input","failed"],"timeout_ms":600000,"after_seq":4}"#,
            600_000,
        ),
        (
            "pane wait --pane 3 --timeout-ms 7",
            "pane.wait",
            r#"{"pane_id":3,"state":"settled","timeout_ms":7}"#,
            7,
        ),
        (
            "pane paste --pane 3 --no-submit a -- -b",
            "pane.paste",
            r#"{"pane_id":3,"text":"a -b","submit":false}"#,
            30_000,
        ),
        (
            "send-key --pane 3 --key page-up --alt --repeat 2",
            "pane.send_key",
            r#"{"pane_id":3,"key":"page_up","modifiers":{"alt":true},"repeat":2}"#,
            30_000,
        ),
        (
            "window close --force",
            "window.close",
            r#"{"force":true}"#,
            30_000,
        ),
        (
            "close-tab --tab 2",
            "tab.close",
            r#"{"tab_index":2}"#,
            30_000,
        ),
        (
            "tab move --tab 2 --to 0",
            "tab.move",
            r#"{"tab_index":2,"to_index":0}"#,
            30_000,
        ),
        (
            "pane zoom --pane 3 --zoomed false",
            "pane.zoom",
            r#"{"pane_id":3,"zoomed":false}"#,
            30_000,
        ),
        (
            "resize-pane --pane 3 --ratio 0.25",
            "pane.resize",
            r#"{"pane_id":3,"ratio":0.25}"#,
            30_000,
        ),
    ] {
        let expected: serde_json::Value = serde_json::from_str(params).unwrap();
        let (called, sent, limit_ms) = call(line);
        assert_eq!(
            (called.as_str(), &sent, limit_ms),
            (method, &expected, limit),
            "{line}"
        );
        Call::decode(called, sent).unwrap();
    }
}

#[test]
fn every_routed_method_has_a_command() {
    let lines = [
        "agents",
        "close-pane --pane 1",
        "paste --pane 1 --text x",
        "procs --pane 1",
        "prompt --pane 1 --text x",
        "read --pane 1",
        "resize-pane --pane 1 --ratio 0.5",
        "send-key --pane 1 --key tab",
        "split",
        "wait --pane 1",
        "describe",
        "identify",
        "zoom-pane --pane 1 --zoomed true",
        "snapshot",
        "close-tab --tab 0",
        "new-tab",
        "move-tab --tab 0 --to 1",
        "rename-tab --tab 0 --name x",
        "close-window",
        "new-window",
        "focus",
    ];
    let mut methods: Vec<Method> = lines.iter().map(|line| call(line).0).collect();
    // A stream is planned as such.
    methods.push(Method::EventsSubscribe);
    for method in Method::ROUTED {
        assert!(methods.contains(method), "{}", method.as_str());
    }
}

#[test]
fn the_calling_pane_stands_in_only_where_a_pane_is_required() {
    let inside = Surroundings {
        pane: Some(9),
        timeout_ms: None,
    };
    let pane = |here: &Surroundings, line: &str| match planned(here, line) {
        Ok(Plan {
            task: Task::Call(call),
            ..
        }) => serde_json::to_value(&call).unwrap().get("pane_id").cloned(),
        Ok(other) => panic!("{line}: {other:?}"),
        Err(Refusal::Usage(_)) => None,
        Err(other) => panic!("{line}: {other:?}"),
    };
    for line in ["read", "pane send x", "procs", "close-pane", "pane wait"] {
        assert_eq!(pane(&inside, line), Some(9.into()), "{line}");
        assert_eq!(
            pane(&inside, &format!("{line} --pane 3")),
            Some(3.into()),
            "{line}"
        );
        assert!(matches!(
            planned(&Surroundings::default(), line),
            Err(Refusal::Usage(_))
        ));
    }
    // Here the focused pane is meant.
    assert_eq!(pane(&inside, "split"), None);
    assert_eq!(pane(&inside, "focus"), None);
}

#[test]
fn a_prompt_that_waits_keeps_its_condition() {
    let here = Surroundings::default();
    let line = "prompt --pane 3 --text x --wait idle,failed --timeout-ms 50";
    let Plan {
        task: Task::PromptAndWait(params),
        limit_ms: 50,
    } = planned(&here, line).unwrap()
    else {
        panic!("not a waiting prompt");
    };
    let wait = params.wait.unwrap();
    assert_eq!(wait.states, Some(vec![WaitState::Idle, WaitState::Failed]));
    assert_eq!(wait.timeout_ms, Some(50));
}

#[test]
fn a_relative_directory_is_completed_here() {
    let (_, params, _) = call("new-tab --cwd work");
    assert!(Path::new(params["cwd"].as_str().unwrap()).is_absolute());
}
