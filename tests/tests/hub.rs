//! What the runtime says about itself, and when its revision moves.

use std::collections::HashSet;

use nebula_tests::pane::{await_rest, run, start_program};
use nebula_tests::{Instance, snapshot};
use serde_json::{Value, json};

/// The methods that are routed today. Check 19 asks for all 38 of them in the end.
const ROUTED: [&str; 22] = [
    "runtime.describe",
    "runtime.snapshot",
    "events.subscribe",
    "runtime.identify",
    "agents.list",
    "window.create",
    "window.focus",
    "window.close",
    "tab.new",
    "tab.close",
    "tab.rename",
    "tab.move",
    "pane.split",
    "pane.close",
    "pane.zoom",
    "pane.resize",
    "pane.prompt",
    "pane.paste",
    "pane.send_key",
    "pane.procs",
    "pane.read",
    "pane.wait",
];

/// The promises that clients may rely on today.
const FEATURES: [&str; 19] = [
    "pane.wait.after_seq",
    "pane.wait.lifecycle",
    "events.pane_lifecycle",
    "env.pane_identity",
    "layout.typed_mutations",
    "transport.keep_alive",
    "runtime.boot_id",
    "runtime.identify",
    "auth.pane_tokens",
    "events.replay",
    "events.heartbeat",
    "events.slow_consumer",
    "pane.prompt.wait",
    "pane.wait.states",
    "pane.wait.occupant",
    "pane.read.source",
    "pane.read.format",
    "layout.force_close",
    "cli.schema",
];

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .expect("an array")
        .iter()
        .map(|item| item.as_str().expect("text"))
        .collect()
}

/// Check 19, for the methods and features there are.
#[test]
fn describe_lists_what_can_be_called() {
    let instance = Instance::start();
    let mut client = instance.client();
    let described = client.ok("runtime.describe", json!({}));
    assert_eq!(described["protocol"], "nebula.runtime");
    assert_eq!(described["protocol_version"], 1);
    assert_eq!(described["supported_versions"], json!([1]));
    assert_eq!(described["schema"], "docs/runtime-api-v1.schema.json");
    assert!(!described["app_version"].as_str().unwrap().is_empty());

    let capabilities = strings(&described["capabilities"]);
    let distinct: HashSet<&str> = capabilities.iter().copied().collect();
    assert_eq!(distinct.len(), capabilities.len(), "no name twice");
    for method in ROUTED {
        assert!(distinct.contains(method), "{method} is missing");
    }
    // What is listed is routed: it is not `method_not_found`.
    for method in &capabilities {
        let answer = client.call(method, json!({"surprise": 1}));
        assert_eq!(
            answer["error"]["code"], "invalid_params",
            "{method}: {answer}"
        );
    }
    // What is not listed is not routed.
    for method in [
        "pane.run",
        "pane.exec",
        "agent.start",
        "runtime.orchestrate",
    ] {
        if !distinct.contains(method) {
            client.error(method, json!({}), "method_not_found");
        }
    }

    let features = strings(&described["features"]);
    for feature in FEATURES {
        assert!(features.contains(&feature), "{feature} is missing");
    }
    assert_eq!(described["env"]["pane"], "NEBULA_PANE_ID");
    assert_eq!(described["env"]["cli"], "NEBULA_CLI");
    assert_eq!(described["env"]["endpoint"], "NEBULA_RUNTIME_ENDPOINT");
    assert_eq!(described["env"]["term_program"], "nebula");
    for group in ["env", "window", "tab", "pane", "agent"] {
        strings(&described["commands"][group]);
    }
    for (name, value) in [
        ("request_bytes", 131_072),
        ("text_bytes", 32_768),
        ("read_lines", 2000),
        ("read_bytes", 1_048_576),
        ("connections", 64),
        ("replay_revisions", 1024),
    ] {
        assert_eq!(described["limits"][name], value, "{name}");
    }
}

/// Check 20.
#[test]
fn a_new_workspace_has_one_window_tab_and_pane() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let snapshot = client.ok("runtime.snapshot", json!({}));
    assert_eq!(snapshot["process_id"], instance.pid());
    assert_eq!(snapshot["protocol_version"], 1);
    assert_eq!(
        snapshot["detached_windows"], 1,
        "a headless server has no visible window"
    );
    assert!(snapshot::revision(&snapshot) >= 1);
    assert!(
        snapshot.get("pane_lifecycles").is_none(),
        "omitted when empty"
    );

    assert_eq!(snapshot["windows"].as_array().unwrap().len(), 1);
    let window = &snapshot["windows"][0];
    assert_eq!(window["id"], 1);
    assert_eq!(window["active_tab"], 0);
    assert_eq!(window["focused_pane_id"], pane);
    let [tab] = snapshot::tabs(&snapshot) else {
        panic!("one tab: {snapshot}")
    };
    assert_eq!(
        (&tab["index"], &tab["active"], &tab["kind"]),
        (&json!(0), &json!(true), &json!("shell"))
    );
    assert_eq!(tab["layout"], json!({"type": "pane", "pane_id": pane}));
    assert_eq!(tab["focused_pane_id"], pane);
    assert_eq!(tab["zoomed_pane_id"], json!(null));
    assert_eq!(snapshot::pane_ids(&snapshot), [pane]);
    let shown = snapshot::pane(&snapshot, pane);
    assert_eq!(shown["task_state"], "idle");
    assert!(shown["state_change_seq"].as_u64().unwrap() >= 1);
    assert!(shown["occupant_seq"].as_u64().unwrap() >= 1);
    assert_eq!(shown["active"], true);
    assert_eq!(shown["running_program"], json!(null));
    assert_eq!(shown["ssh_destination"], json!(null));
    assert_eq!(shown["cwd"], instance.home().user_path());
    assert!(shown.get("agent").is_none(), "only for recognised agents");
}

/// Check 21.
#[test]
fn a_look_changes_nothing() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let before = client.ok("runtime.snapshot", json!({}));
    client.ok("runtime.describe", json!({}));
    client.ok("runtime.identify", json!({}));
    client.ok("agents.list", json!({}));
    client.ok("pane.read", json!({"pane_id": pane}));
    client.ok("pane.procs", json!({"pane_id": pane}));
    client.ok("pane.wait", json!({"pane_id": pane}));
    let after = instance.client().ok("runtime.snapshot", json!({}));
    assert_eq!(after["revision"], before["revision"]);
    assert_eq!(after["boot_id"], before["boot_id"]);
    assert_eq!(after, before);
}

/// Check 22.
#[test]
fn a_rename_is_one_revision_and_no_transition() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    client.ok("pane.split", json!({"direction": "left_right"}));
    let before = await_rest(&mut client);
    let result = client.ok("tab.rename", json!({"tab_index": 0, "name": "Größe 7"}));
    let expected = json!({"window_id": 1, "tab_index": 0, "name": "Größe 7"});
    assert_eq!(result["action"], expected);
    let after = &result["snapshot"];
    assert_eq!(snapshot::revision(after), snapshot::revision(&before) + 1);
    assert_eq!(snapshot::sequences(after), snapshot::sequences(&before));
    assert_eq!(snapshot::labels(after), ["Größe 7"]);
    // The same name again is no change, so no revision.
    let again = client.ok("tab.rename", json!({"tab_index": 0, "name": "Größe 7"}));
    assert_eq!(again["snapshot"]["revision"], after["revision"]);
    // An empty name brings the generated title back.
    let reset = client.ok("tab.rename", json!({"tab_index": 0, "name": ""}));
    assert_eq!(
        snapshot::labels(&reset["snapshot"]),
        snapshot::labels(&before)
    );
}

/// Check 23, first half.
#[test]
fn ordinary_programs_are_no_agents() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let now = start_program(&mut client, pane, "sleep 60", "sleep");
    assert_eq!(snapshot::state(&now, pane), "running");
    let agents = client.ok("agents.list", json!({}));
    assert_eq!(
        agents,
        json!({"revision": agents["revision"], "agents": []})
    );
    client.ok(
        "pane.send_key",
        json!({"pane_id": pane, "key": "c", "modifiers": {"control": true}}),
    );
    let settled = client.ok("pane.wait", json!({"pane_id": pane}));
    assert_eq!(
        snapshot::pane(&settled, pane)["running_program"],
        json!(null)
    );
}

/// Rule 6.2: transitions are counted, not sampled: a command shorter than a tick is seen.
#[test]
fn short_commands_are_transitions() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let before = client.ok("runtime.snapshot", json!({}));
    // A line typed by hand: no latch, only what the shell reports.
    for round in 1..=3 {
        client.ok(
            "pane.prompt",
            json!({"pane_id": pane, "text": "true", "submit": false}),
        );
        client.ok("pane.send_key", json!({"pane_id": pane, "key": "enter"}));
        let wanted = snapshot::sequence(&before, pane) + 2 * round;
        let settled = client.ok(
            "pane.wait",
            json!({"pane_id": pane, "state": "idle", "after_seq": wanted - 1}),
        );
        assert_eq!(snapshot::sequence(&settled, pane), wanted);
    }
}

/// Rule 6.1: a spinner in the title is not a revision per frame.
#[test]
fn animated_titles_do_not_burn_revisions() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let before = client.ok("runtime.snapshot", json!({}));
    run(
        &mut client,
        pane,
        r"for n in $(seq 300); do printf '\033]0;\u28%02x building\007' $((n % 64)); done",
    );
    let after = await_rest(&mut client);
    let spent = snapshot::revision(&after) - snapshot::revision(&before);
    assert!(
        spent <= 20,
        "{spent} revisions for one command and its spinner"
    );
    let title = snapshot::pane(&after, pane)["title"].as_str().unwrap();
    assert!(
        !title
            .chars()
            .any(|c| ('\u{2800}'..='\u{28ff}').contains(&c)),
        "{title:?}"
    );
}

/// Rule 5.4: the bell of a program that waits for input.
#[test]
fn a_bell_asks_for_input() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    // At the prompt it says nothing.
    run(&mut client, pane, r"PS1='\a$ '");
    let quiet = await_rest(&mut client);
    assert_eq!(snapshot::state(&quiet, pane), "idle");

    // Typed by hand: a submitted prompt would keep the pane `running` until its command ends.
    let text = r"sleep 1; printf '\a'; read line; echo line-$line";
    client.ok(
        "pane.prompt",
        json!({"pane_id": pane, "text": text, "submit": false}),
    );
    client.ok("pane.send_key", json!({"pane_id": pane, "key": "enter"}));
    let waiting = client.ok(
        "pane.wait",
        json!({"pane_id": pane, "state": "waiting_input"}),
    );
    assert_eq!(
        snapshot::pane(&waiting, pane)["unseen"],
        true,
        "nobody looked at it"
    );
    run(&mut client, pane, "answer");
    let now = client.ok("runtime.snapshot", json!({}));
    assert_eq!(snapshot::state(&now, pane), "idle");
}
