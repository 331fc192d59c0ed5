//! Windows, tabs and the tree of panes.

use nebula_tests::pane::{await_prompt, await_rest, await_text, run, start_program};
use nebula_tests::{Client, Instance, home, poll, snapshot};
use serde_json::{Value, json};

fn split(client: &mut Client, pane: u64, direction: &str) -> (u64, Value) {
    let result = client.ok(
        "pane.split",
        json!({"pane_id": pane, "direction": direction}),
    );
    (
        result["action"]["pane_id"].as_u64().unwrap(),
        result["snapshot"].clone(),
    )
}

fn layout(snapshot: &Value) -> &Value {
    &snapshot::tabs(snapshot)[0]["layout"]
}

fn expect_busy(error: &Value, pane: u64, program: &str) {
    assert_eq!(
        error["details"]["busy"],
        json!([{"pane_id": pane, "program": program}]),
        "{error}"
    );
}

/// Check 25.
#[test]
fn a_split_halves_the_pane_and_takes_the_focus() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let (second, after) = split(&mut client, first, "left_right");
    assert_ne!(second, first);
    assert_eq!(
        layout(&after),
        &json!({"type": "split", "direction": "left_right", "ratio": 0.5,
                "first": {"type": "pane", "pane_id": first},
                "second": {"type": "pane", "pane_id": second}})
    );
    assert_eq!(after["windows"][0]["focused_pane_id"], second);
    assert_eq!(snapshot::tabs(&after)[0]["focused_pane_id"], second);
    assert_eq!(snapshot::pane(&after, second)["active"], true);
    assert_eq!(snapshot::pane(&after, first)["active"], false);

    // Without a pane the focused one is split.
    let result = client.ok("pane.split", json!({"direction": "top_bottom"}));
    let third = result["action"]["pane_id"].as_u64().unwrap();
    assert_eq!(
        layout(&result["snapshot"])["second"],
        json!({"type": "split", "direction": "top_bottom", "ratio": 0.5,
               "first": {"type": "pane", "pane_id": second},
               "second": {"type": "pane", "pane_id": third}})
    );
    // All of them are real shells.
    for pane in [second, third] {
        await_prompt(&mut client, pane);
        run(&mut client, pane, &format!("echo pane-$((100+{pane}))"));
        await_text(&mut client, pane, &format!("pane-{}", 100 + pane));
    }
}

/// Rule 9.5: the new pane inherits the directory.
#[test]
fn a_split_stays_in_the_directory() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    run(&mut client, first, "cd /usr/share");
    let (second, _) = split(&mut client, first, "left_right");
    await_prompt(&mut client, second);
    run(&mut client, second, "pwd");
    await_text(&mut client, second, "\n/usr/share");
}

/// Rule 9.5: the kernel knows the size of each half.
#[test]
fn a_split_resizes_the_terminals() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let size = |client: &mut Client, pane: u64| {
        run(client, pane, "clear; stty size > size");
        let text = instance.home().read_user("size").unwrap();
        let mut numbers = text
            .split_whitespace()
            .map(|number| number.parse::<u32>().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    };
    let whole = size(&mut client, first);
    let (second, _) = split(&mut client, first, "left_right");
    await_prompt(&mut client, second);
    let (left, right) = (size(&mut client, first), size(&mut client, second));
    assert!(
        left.1 < whole.1 && right.1 < whole.1,
        "{whole:?} became {left:?} and {right:?}"
    );
    assert!(left.1 + right.1 <= whole.1);
    client.ok("pane.resize", json!({"pane_id": first, "ratio": 0.25}));
    let (narrow, wide) = (size(&mut client, first), size(&mut client, second));
    assert!(
        narrow.1 < left.1 && wide.1 > right.1,
        "{narrow:?} and {wide:?}"
    );
    client.ok("pane.close", json!({"pane_id": second}));
    assert_eq!(size(&mut client, first), whole, "the space comes back");
}

/// Rule 9.5: there is an end to splitting.
#[test]
fn a_pane_too_small_for_two_is_not_split() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    for direction in ["left_right", "top_bottom"] {
        let mut splits = 0;
        loop {
            let answer = client.call(
                "pane.split",
                json!({"pane_id": first, "direction": direction}),
            );
            if answer["ok"] == true {
                splits += 1;
                assert!(splits < 20, "panes become arbitrarily small");
                continue;
            }
            assert_eq!(answer["error"]["code"], "invalid_state", "{answer}");
            break;
        }
        assert!(splits > 0, "{direction}");
    }
}

/// Check 26.
#[test]
fn resize_sets_the_share_of_the_target() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let error = client.error(
        "pane.resize",
        json!({"pane_id": first, "ratio": 0.3}),
        "invalid_state",
    );
    assert!(error["details"]["reason"].is_string(), "{error}");
    let (second, _) = split(&mut client, first, "left_right");
    let resize = |client: &mut Client, pane: u64, ratio: f64| {
        let result = client.ok("pane.resize", json!({"pane_id": pane, "ratio": ratio}));
        let expected = json!({"window_id": 1, "pane_id": pane, "ratio": ratio});
        assert_eq!(result["action"], expected);
        layout(&result["snapshot"])["ratio"].as_f64().unwrap()
    };
    assert!((resize(&mut client, first, 0.3) - 0.3).abs() < 1e-6);
    assert!((resize(&mut client, second, 0.3) - 0.7).abs() < 1e-6);
    for end in [0.05, 0.95] {
        assert!((resize(&mut client, first, end) - end).abs() < 1e-6);
    }
    client.refused(
        "pane.resize",
        json!({"pane_id": first, "ratio": 0.01}),
        "ratio",
    );
    // The direct parent is meant, not the one above.
    let (third, _) = split(&mut client, second, "top_bottom");
    let result = client.ok("pane.resize", json!({"pane_id": third, "ratio": 0.2}));
    let tree = layout(&result["snapshot"]);
    assert!(
        (tree["ratio"].as_f64().unwrap() - 0.95).abs() < 1e-6,
        "{tree}"
    );
    assert!(
        (tree["second"]["ratio"].as_f64().unwrap() - 0.8).abs() < 1e-6,
        "{tree}"
    );
}

/// Check 27.
#[test]
fn zoom_sets_and_never_toggles() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let (second, _) = split(&mut client, first, "left_right");
    await_rest(&mut client);
    let mut zoom = |pane: u64, zoomed: bool| {
        let result = client.ok("pane.zoom", json!({"pane_id": pane, "zoomed": zoomed}));
        let expected = json!({"window_id": 1, "pane_id": pane, "zoomed": zoomed});
        assert_eq!(result["action"], expected);
        let tab = &snapshot::tabs(&result["snapshot"])[0];
        (
            tab["zoomed_pane_id"].clone(),
            result["snapshot"]["revision"].clone(),
        )
    };
    let once = zoom(second, true);
    assert_eq!(once.0, second);
    assert_eq!(zoom(second, true), once, "the second call changes nothing");
    let off = zoom(second, false);
    assert_eq!(off.0, json!(null));
    assert_eq!(zoom(second, false), off);
    // Focusing another pane ends the zoom (rule 9.4).
    assert_eq!(zoom(second, true).0, second);
    let result = client.ok("window.focus", json!({"pane_id": first}));
    let tab = &snapshot::tabs(&result["snapshot"])[0];
    assert_eq!(
        (&tab["zoomed_pane_id"], &tab["focused_pane_id"]),
        (&json!(null), &json!(first))
    );
}

/// Check 28.
#[test]
fn a_new_tab_takes_what_exists_and_nothing_else() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let error = client.error("tab.new", json!({"shell": "nope"}), "invalid_shell");
    assert_eq!(error["details"]["shell"], "nope");
    for cwd in ["relative", "", "/does/not/exist", "/etc/passwd"] {
        client.refused("tab.new", json!({"cwd": cwd}), "cwd");
    }
    assert_eq!(
        snapshot::pane_ids(&client.ok("runtime.snapshot", json!({}))),
        [first]
    );

    let result = client.ok("tab.new", json!({"cwd": "/usr/share", "shell": "bash"}));
    let pane = result["action"]["pane_id"].as_u64().unwrap();
    assert_eq!(result["action"], json!({"window_id": 1, "pane_id": pane}));
    let tabs = snapshot::tabs(&result["snapshot"]);
    assert_eq!(tabs.len(), 2);
    assert_eq!(result["snapshot"]["windows"][0]["active_tab"], 1);
    assert_eq!(tabs[1]["active"], true);
    assert_eq!(
        snapshot::pane(&result["snapshot"], pane)["cwd"],
        "/usr/share"
    );
    await_prompt(&mut client, pane);
    run(&mut client, pane, "pwd");
    await_text(&mut client, pane, "\n/usr/share");
}

/// Check 29.
#[test]
fn a_second_window_is_refused_and_not_invented() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let error = client.error("window.create", json!({}), "runtime_unavailable");
    let expected = json!({"reason": "single_workspace_window", "window_id": 1});
    assert_eq!(error["details"], expected);
    let now = client.ok("runtime.snapshot", json!({}));
    assert_eq!(now["windows"].as_array().unwrap().len(), 1);
    assert_eq!(now["windows"][0]["id"], 1);
    // The parameters are checked all the same.
    client.refused("window.create", json!({"cwd": "relative"}), "cwd");
}

/// Check 30.
#[test]
fn a_busy_pane_is_closed_only_by_force() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let (second, _) = split(&mut client, first, "left_right");
    await_prompt(&mut client, second);
    start_program(&mut client, second, "sleep 60", "sleep");
    for (method, params) in [
        ("pane.close", json!({"pane_id": second})),
        ("pane.close", json!({"pane_id": second, "force": false})),
        ("tab.close", json!({"tab_index": 0})),
    ] {
        let error = client.error(method, params, "confirmation_required");
        expect_busy(&error, second, "sleep");
    }
    let now = client.ok("runtime.snapshot", json!({}));
    assert_eq!(
        snapshot::pane_ids(&now),
        [first, second],
        "nothing was closed"
    );

    let result = client.ok("pane.close", json!({"pane_id": second, "force": true}));
    assert_eq!(result["action"], json!({"window_id": 1, "pane_id": second}));
    assert_eq!(snapshot::pane_ids(&result["snapshot"]), [first]);
    let record = snapshot::lifecycle(&result["snapshot"], second).expect("a lifecycle record");
    assert_eq!(
        (&record["event"], &record["window_id"]),
        (&json!("closed"), &json!(1))
    );
    assert!(record["sequence"].as_u64().unwrap() >= 1);
    assert_eq!(result["snapshot"]["windows"][0]["focused_pane_id"], first);
    // What ran in it is gone, too.
    poll::until_ok("sleep to end", poll::PATIENCE, || {
        let left = instance.left_behind();
        match left.iter().find(|process| process.name == "sleep") {
            None => Ok(()),
            Some(process) => Err(format!("{process:?}")),
        }
    });
}

/// An idle shell is closed without a question.
#[test]
fn an_idle_pane_is_closed_at_once() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let (second, _) = split(&mut client, first, "top_bottom");
    await_prompt(&mut client, second);
    await_rest(&mut client);
    let result = client.ok("pane.close", json!({"pane_id": second}));
    assert_eq!(
        layout(&result["snapshot"]),
        &json!({"type": "pane", "pane_id": first})
    );
}

/// Check 31.
#[test]
fn tabs_move() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    client.ok("tab.rename", json!({"tab_index": 0, "name": "a"}));
    for (index, name) in [(1, "b"), (2, "c")] {
        client.ok("tab.new", json!({}));
        client.ok("tab.rename", json!({"tab_index": index, "name": name}));
    }
    let mut moved = |from: usize, to: usize| {
        let result = client.ok("tab.move", json!({"tab_index": from, "to_index": to}));
        let expected = json!({"window_id": 1, "tab_index": from, "to_index": to});
        assert_eq!(result["action"], expected);
        let snapshot = &result["snapshot"];
        let tabs = snapshot::tabs(snapshot);
        assert!(
            tabs.iter()
                .enumerate()
                .all(|(place, tab)| tab["index"] == place),
            "{tabs:?}"
        );
        let active = snapshot["windows"][0]["active_tab"].as_u64().unwrap();
        assert_eq!(
            tabs[active as usize]["label"], "c",
            "the active tab stays active"
        );
        snapshot::labels(snapshot).concat()
    };
    assert_eq!(moved(0, 2), "bca");
    assert_eq!(moved(2, 0), "abc");
    assert_eq!(moved(2, 1), "acb");
    assert_eq!(moved(1, 1), "acb");
    for (from, to) in [(3, 0), (0, 3), (9, 9)] {
        let params = json!({"tab_index": from, "to_index": to});
        client.error("tab.move", params, "target_not_found");
    }
    client.refused(
        "tab.move",
        json!({"tab_index": 0, "to_index": -1}),
        "to_index",
    );
}

/// Check 32 and rule 1.8.
#[test]
fn pane_ids_are_never_given_twice() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let mut seen = vec![first];
    for round in 0..12 {
        let result = if round % 3 == 0 {
            client.ok("tab.new", json!({}))
        } else {
            client.ok(
                "pane.split",
                json!({"pane_id": first, "direction": "left_right"}),
            )
        };
        let pane = result["action"]["pane_id"].as_u64().unwrap();
        assert!(!seen.contains(&pane), "{pane} was used before");
        seen.push(pane);
        client.ok("pane.close", json!({"pane_id": pane, "force": true}));
    }
    // Records of all of them are kept, in order.
    let now = client.ok("runtime.snapshot", json!({}));
    let records = now["pane_lifecycles"].as_array().unwrap();
    let panes: Vec<u64> = records
        .iter()
        .map(|record| record["pane_id"].as_u64().unwrap())
        .collect();
    assert_eq!(panes, seen[1..]);
    let sequences: Vec<u64> = records
        .iter()
        .map(|record| record["sequence"].as_u64().unwrap())
        .collect();
    assert!(
        sequences.is_sorted_by(|one, next| one < next),
        "{sequences:?}"
    );
}

/// Rule 9.4: focus activates the tab.
#[test]
fn focus_brings_the_tab_to_the_front() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let second = client.ok("tab.new", json!({}))["action"]["pane_id"]
        .as_u64()
        .unwrap();
    let result = client.ok("window.focus", json!({"pane_id": first}));
    assert_eq!(result["action"], json!({"window_id": 1, "pane_id": first}));
    let window = &result["snapshot"]["windows"][0];
    assert_eq!(
        (&window["active_tab"], &window["focused_pane_id"]),
        (&json!(0), &json!(first))
    );
    let result = client.ok("window.focus", json!({"window_id": 1, "pane_id": second}));
    assert_eq!(result["snapshot"]["windows"][0]["active_tab"], 1);
    let result = client.ok("window.focus", json!({}));
    assert_eq!(result["action"]["window_id"], 1);
}

/// Rule 9.5: closing the last pane of a tab closes the tab.
#[test]
fn a_tab_goes_with_its_last_pane() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let second = client.ok("tab.new", json!({}))["action"]["pane_id"]
        .as_u64()
        .unwrap();
    await_prompt(&mut client, second);
    await_rest(&mut client);
    let result = client.ok("pane.close", json!({"pane_id": second}));
    assert_eq!(snapshot::tabs(&result["snapshot"]).len(), 1);
    assert_eq!(snapshot::pane_ids(&result["snapshot"]), [first]);
    let third = client.ok("tab.new", json!({}))["action"]["pane_id"]
        .as_u64()
        .unwrap();
    let result = client.ok("tab.close", json!({"tab_index": 1, "force": true}));
    assert_eq!(result["action"], json!({"window_id": 1, "tab_index": 1}));
    let record = snapshot::lifecycle(&result["snapshot"], third).expect("a lifecycle record");
    assert_eq!(record["event"], "closed");
}

/// Rule 1.9: a shell that ends takes its pane along; the record says `exited` and how.
#[test]
fn a_pane_goes_with_its_shell() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let (second, _) = split(&mut client, first, "left_right");
    await_prompt(&mut client, second);
    client.ok(
        "pane.prompt",
        json!({"pane_id": second, "text": "sleep 3; exit 7"}),
    );
    let record = poll::until("the record of the pane", || {
        let now = client.ok("runtime.snapshot", json!({}));
        snapshot::lifecycle(&now, second).cloned()
    });
    assert_eq!(
        (&record["event"], &record["exit_code"]),
        (&json!("exited"), &json!(7)),
        "{record}"
    );
    let now = client.ok("runtime.snapshot", json!({}));
    assert_eq!(snapshot::pane_ids(&now), [first]);
    assert_eq!(layout(&now), &json!({"type": "pane", "pane_id": first}));
}

/// Rule 9.4: closing the window ends a headless server, after it has answered.
#[test]
fn closing_the_window_ends_the_server() {
    let mut instance =
        Instance::start_with(&format!("{}\n[ui]\nkeep_session = false\n", home::SETTINGS));
    let (mut client, pane) = instance.ready();
    start_program(&mut client, pane, "sleep 60", "sleep");
    let error = client.error("window.close", json!({}), "confirmation_required");
    expect_busy(&error, pane, "sleep");
    client.ok("runtime.snapshot", json!({}));
    let result = client.ok("window.close", json!({"force": true}));
    assert_eq!(result["action"], json!({"window_id": 1}));
    let status = instance.wait();
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(!instance.home().port_file().exists());
    instance.expect_nothing_left();
}

/// Closing the last pane follows `window.close`.
#[test]
fn closing_the_last_pane_ends_the_server() {
    let mut instance =
        Instance::start_with(&format!("{}\n[ui]\nkeep_session = false\n", home::SETTINGS));
    let (mut client, pane) = instance.ready();
    client.ok("pane.close", json!({"pane_id": pane}));
    let status = instance.wait();
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(!instance.home().port_file().exists());
}

/// Rule 9.10.
#[test]
fn processes_are_listed_root_first() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    start_program(&mut client, pane, "sleep 60", "sleep");
    // The command line may be known before its process is there.
    let named =
        |process: &Value, name: &str| process["executable"].as_str().unwrap().ends_with(name);
    let result = poll::until_ok("sleep to be listed", poll::PATIENCE, || {
        let result = client.ok("pane.procs", json!({"pane_id": pane}));
        let processes = result["processes"].as_array().unwrap();
        if processes.iter().any(|process| named(process, "sleep")) {
            Ok(result)
        } else {
            Err(result)
        }
    });
    assert_eq!(
        (&result["window_id"], &result["pane_id"]),
        (&json!(1), &json!(pane))
    );
    let processes = result["processes"].as_array().unwrap();
    let root = &processes[0];
    assert_eq!(root["pid"], result["root_pid"]);
    assert_eq!(
        (&root["parent_pid"], &root["depth"]),
        (&json!(null), &json!(0))
    );
    assert!(named(root, "bash"), "{root}");
    let sleep = processes
        .iter()
        .find(|process| named(process, "sleep"))
        .unwrap();
    assert_eq!(
        (&sleep["parent_pid"], &sleep["depth"]),
        (&root["pid"], &json!(1))
    );
    assert!(root["display_name"].is_string());
}
