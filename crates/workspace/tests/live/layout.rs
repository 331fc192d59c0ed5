//! Tabs, splits and targets.

use protocol::{ErrorCode, Layout, SplitDirection, TabKind};
use serde_json::json;

use crate::harness::{Live, reference};

#[test]
fn a_split_is_half_and_half_and_takes_the_focus() {
    let mut live = Live::start();
    let first = live.first();
    live.command(first, "cd /usr/share");
    let pane = live.split(first, "left_right");
    let snapshot = live.snapshot();
    let window = &snapshot.windows[0];
    assert_eq!(window.focused_pane_id, Some(pane));
    assert_eq!(
        window.tabs[0].layout,
        Some(Layout::Split {
            direction: SplitDirection::LeftRight,
            ratio: 0.5,
            first: Box::new(Layout::Pane { pane_id: first }),
            second: Box::new(Layout::Pane { pane_id: pane }),
        })
    );
    assert_eq!(
        live.pane(pane).cwd,
        "/usr/share",
        "the directory is inherited"
    );
    let text = {
        live.command(pane, "stty size; tput cols");
        live.text(pane)
    };
    assert!(
        text.contains("40 60"),
        "headless panes share the window: {text}"
    );
}

#[test]
fn ratios_zoom_and_focus() {
    let mut live = Live::start();
    let first = live.first();
    let refused = live.refused("pane.resize", json!({"pane_id": first, "ratio": 0.3}));
    assert_eq!(refused.code, ErrorCode::InvalidState);
    let pane = live.split(first, "top_bottom");
    live.call("pane.resize", json!({"pane_id": pane, "ratio": 0.3}))
        .expect("resized");
    let layout = live.snapshot().windows[0].tabs[0].layout.clone();
    assert!(
        matches!(layout, Some(Layout::Split { ratio, .. }) if (ratio - 0.7).abs() < 1e-9),
        "{layout:?}"
    );
    let zoom = json!({"pane_id": first, "zoomed": true});
    let once = live.call("pane.zoom", zoom.clone()).expect("zoomed");
    let twice = live.call("pane.zoom", zoom).expect("zoomed");
    assert_eq!(once["snapshot"]["revision"], twice["snapshot"]["revision"]);
    assert_eq!(
        live.snapshot().windows[0].tabs[0].zoomed_pane_id,
        Some(first)
    );
    let focused = live
        .call("window.focus", json!({"pane_id": pane}))
        .expect("focused");
    assert_eq!(focused["action"], json!({"window_id": 1, "pane_id": pane}));
    assert_eq!(live.snapshot().windows[0].tabs[0].zoomed_pane_id, None);
}

#[test]
fn a_pane_that_is_too_small_is_not_split() {
    let mut live = Live::start();
    let mut pane = live.first();
    let refused = loop {
        match live.call(
            "pane.split",
            json!({"pane_id": pane, "direction": "top_bottom"}),
        ) {
            Ok(result) => pane = result["action"]["pane_id"].as_u64().expect("an id"),
            Err(error) => break error,
        }
    };
    assert_eq!(refused.code, ErrorCode::InvalidState);
    assert_eq!(refused.details["reason"], "too_low");
}

#[test]
fn tabs_open_move_and_get_names() {
    let mut live = Live::start();
    let first = live.first();
    let opened = live
        .call("tab.new", json!({"cwd": "/usr"}))
        .expect("opened");
    let pane = opened["action"]["pane_id"].as_u64().expect("an id");
    assert_eq!(live.pane(pane).cwd, "/usr");
    assert_eq!(live.snapshot().windows[0].active_tab, 1);

    let before = live.snapshot();
    let renamed = live.call("tab.rename", json!({"tab_index": 1, "name": "build"}));
    assert_eq!(
        renamed.expect("renamed")["snapshot"]["revision"],
        before.revision + 1
    );
    assert_eq!(live.snapshot().windows[0].tabs[1].label, "build");
    live.call("tab.move", json!({"tab_index": 1, "to_index": 0}))
        .expect("moved");
    let snapshot = live.snapshot();
    assert_eq!(snapshot.windows[0].tabs[0].label, "build");
    assert_eq!(snapshot.windows[0].active_tab, 0);
    let order: Vec<u64> = snapshot.panes().map(|(at, _)| at.pane_id).collect();
    assert_eq!(order, [pane, first]);
    live.call("tab.rename", json!({"tab_index": 0, "name": ""}))
        .expect("renamed");
    assert_ne!(live.snapshot().windows[0].tabs[0].label, "build");
    live.call("tab.close", json!({"tab_index": 0}))
        .expect("closed");
    assert!(live.snapshot().pane(reference(pane)).is_none());
}

#[test]
fn bad_shells_and_directories_open_nothing() {
    let mut live = Live::start();
    let revision = live.snapshot().revision;
    let refused = live.refused("tab.new", json!({"shell": "nope"}));
    assert_eq!(
        (refused.code, &refused.details["shell"]),
        (ErrorCode::InvalidShell, &json!("nope"))
    );
    let refused = live.refused("tab.new", json!({"cwd": "/nonexistent/place"}));
    assert_eq!(
        (refused.code, &refused.details["field"]),
        (ErrorCode::InvalidParams, &json!("cwd"))
    );
    let refused = live.refused("window.create", json!({"cwd": "/nonexistent/place"}));
    assert_eq!(refused.code, ErrorCode::InvalidParams);
    let refused = live.refused("window.create", json!({}));
    assert_eq!(refused.code, ErrorCode::RuntimeUnavailable);
    assert_eq!(
        refused.details,
        json!({"reason": "single_workspace_window", "window_id": 1})
    );
    let snapshot = live.snapshot();
    assert_eq!(
        (snapshot.windows.len(), snapshot.windows[0].tabs.len()),
        (1, 1)
    );
    assert!(snapshot.revision >= revision);
    let opened = live.tokens.issued.lock().len() - 1;
    assert_eq!(
        live.tokens.revoked.lock().len(),
        opened,
        "their tokens are worth nothing"
    );
}

#[test]
fn targets_that_do_not_exist_are_named() {
    let mut live = Live::start();
    for (method, params) in [
        ("pane.read", json!({"pane_id": 99})),
        ("pane.prompt", json!({"pane_id": 99, "text": "x"})),
        ("pane.wait", json!({"pane_id": 99})),
        ("pane.close", json!({"pane_id": 99})),
        (
            "pane.split",
            json!({"pane_id": 99, "direction": "left_right"}),
        ),
        ("window.focus", json!({"pane_id": 99})),
        ("pane.read", json!({"window_id": 7, "pane_id": 1})),
        ("pane.wait", json!({"window_id": 7, "pane_id": 1})),
        ("tab.new", json!({"window_id": 7})),
        ("tab.close", json!({"tab_index": 4})),
        ("tab.rename", json!({"tab_index": 4, "name": "x"})),
        ("tab.move", json!({"tab_index": 0, "to_index": 4})),
        ("agents.list", json!({"window_id": 7})),
    ] {
        let refused = live.refused(method, params);
        assert_eq!(refused.code, ErrorCode::TargetNotFound, "{method}");
        assert!(refused.details.is_object(), "{method}");
    }
}

#[test]
fn a_tab_without_a_terminal_has_no_panes() {
    let mut live = Live::start();
    live.workspace.open_settings_tab();
    live.workspace.open_settings_tab();
    let snapshot = live.snapshot();
    let window = &snapshot.windows[0];
    assert_eq!(
        (window.tabs.len(), window.active_tab, window.focused_pane_id),
        (2, 1, None)
    );
    let tab = &window.tabs[1];
    assert_eq!((tab.kind, tab.panes.len()), (TabKind::Settings, 0));
    assert_eq!(tab.layout, None);
    let refused = live.refused("pane.split", json!({"direction": "left_right"}));
    assert_eq!(refused.code, ErrorCode::InvalidState);
    let identity = live
        .call("runtime.identify", json!({}))
        .expect("identified");
    assert_eq!(identity, json!({"caller": null, "focused": null}));
    let focused = live.call("window.focus", json!({})).expect("focused");
    assert_eq!(focused["action"]["pane_id"], json!(null));
    live.call("tab.close", json!({"tab_index": 1}))
        .expect("closed");
    assert!(!live.workspace.is_quitting());
}

#[test]
fn the_environment_of_a_pane_names_it() {
    let mut live = Live::start();
    let pane = live.first();
    live.command(
        pane,
        "echo \"$NEBULA_PANE_ID|$NEBULA_CLI|$TERM|$COLORTERM|$TERM_PROGRAM|\
         ${NEBULA_RUNTIME_ENDPOINT%% *}|\"",
    );
    let expected = format!("{pane}|/opt/nebula/bin/nebula|xterm-256color|truecolor|nebula|4711|");
    let flat: String = live.text(pane).lines().collect();
    assert!(flat.contains(&expected), "{flat}");
}

#[test]
fn titles_directories_and_branches_are_seen() {
    let mut live = Live::start();
    let pane = live.first();
    let repository = live.place().join("project");
    std::fs::create_dir_all(repository.join(".git")).expect("created");
    std::fs::write(repository.join(".git/HEAD"), "ref: refs/heads/topic\n").expect("written");
    live.command(pane, &format!("cd {}", repository.display()));
    let expected = repository.display().to_string();
    let snapshot = live.until("the branch", |snapshot| {
        snapshot
            .pane(reference(pane))
            .is_some_and(|pane| pane.branch == "topic")
    });
    assert_eq!(snapshot.pane(reference(pane)).expect("there").cwd, expected);
    live.command(pane, "printf '\\e]2;⠋ my title\\a'; sleep 0.1");
    live.until("the title", |snapshot| {
        snapshot
            .pane(reference(pane))
            .is_some_and(|pane| !pane.title.starts_with('⠋'))
    });
}

#[test]
fn too_many_starts_at_once_are_refused_for_what_they_are() {
    let mut live = Live::start();
    // Nothing is served in between, so none of them is through.
    for _ in 0..64 {
        live.workspace.new_tab(workspace::NewTab {
            cwd: None,
            shell: Some("no-such-shell".to_owned()),
        });
    }
    let (sender, queue) = runtime::command_queue(1);
    let method = "tab.new".parse().expect("a method");
    let call = protocol::Call::decode(method, json!({})).expect("good parameters");
    let origin = runtime::Origin::Owner;
    let mut answer = Box::pin(sender.dispatch(runtime::Command::Call { call, origin }));
    assert!(smol::block_on(smol::future::poll_once(&mut answer)).is_none());
    live.workspace.execute(queue.try_recv().expect("queued"));
    let refused = smol::block_on(answer).expect_err("there are too many");
    assert_eq!(refused.code, ErrorCode::ActionFailed);
    assert!(refused.message.starts_with("too many panes"), "{refused}");
    assert!(!refused.message.contains("thread"), "{refused}");
}
