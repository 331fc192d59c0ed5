//! Submitting text, the running edge, and waiting for the end.

use protocol::{ErrorCode, TaskState};
use serde_json::json;

use crate::harness::{Live, reference, state};

#[test]
fn the_first_tab_is_an_idle_shell() {
    let mut live = Live::start();
    let snapshot = live.snapshot();
    let window = &snapshot.windows[0];
    assert_eq!(
        (snapshot.windows.len(), window.id, window.tabs.len()),
        (1, 1, 1)
    );
    assert_eq!(snapshot.detached_windows, 1);
    let (at, pane) = snapshot.panes().next().expect("a pane");
    assert_eq!(window.focused_pane_id, Some(at.pane_id));
    assert_eq!(
        (pane.task_state, pane.state_change_seq),
        (TaskState::Idle, 1)
    );
    assert_eq!((pane.occupant_seq, pane.unseen), (1, false));
    assert_eq!(*live.tokens.issued.lock(), [at.pane_id]);
    assert_eq!(
        live.call("agents.list", json!({})).expect("a list")["agents"],
        json!([])
    );
}

#[test]
fn asking_publishes_nothing() {
    let mut live = Live::start();
    let pane = live.first();
    live.command(pane, "true");
    // The prompt after the command may still bring a title or a branch, so a few may differ.
    let revisions: Vec<u64> = (0..50).map(|_| live.snapshot().revision).collect();
    let changes = revisions
        .windows(2)
        .filter(|pair| pair[0] != pair[1])
        .count();
    assert!(changes < 10, "{revisions:?}");
}

#[test]
fn the_answer_carries_the_running_edge() {
    let mut live = Live::start();
    let pane = live.first();
    let before = live.pane(pane).state_change_seq;
    let answer = live.call("pane.prompt", json!({"pane_id": pane, "text": "echo hi"}));
    let answer = answer.expect("written");
    assert_eq!(
        answer["action"],
        json!({"window_id": 1, "pane_id": pane, "submitted": true})
    );
    assert_eq!(
        state(&answer["snapshot"], pane),
        (TaskState::Running, before + 1)
    );
    let params = json!({"pane_id": pane, "state": "settled", "after_seq": before + 1});
    let settled = live.call("pane.wait", params).expect("it settles");
    let (now, seq) = state(&settled, pane);
    assert_eq!(now, TaskState::Idle);
    assert!(seq > before + 1);
    assert!(
        live.text(pane).lines().any(|line| line == "hi"),
        "{}",
        live.text(pane)
    );
}

#[test]
fn true_false_and_sleep_settle_confirmed() {
    let mut live = Live::start();
    let pane = live.first();
    for (line, code) in [("true", 0), ("false", 1), ("sleep 0.3", 0), ("(exit 7)", 7)] {
        let answer = live.command(pane, line);
        assert_eq!(answer["wait"]["state"], "idle", "{line}");
        assert_eq!(answer["wait"]["submission"], "confirmed", "{line}");
        let params = json!({"pane_id": pane, "source": "last_command"});
        let read = live.call("pane.read", params).expect("readable");
        assert_eq!(
            (&read["command"], &read["exit_code"]),
            (&json!(line), &json!(code))
        );
    }
}

#[test]
fn an_empty_line_settles_too() {
    let mut live = Live::start();
    let pane = live.first();
    live.command(pane, "true");
    let answer = live.command(pane, " ");
    assert_eq!(answer["wait"]["state"], "idle");
    assert_eq!(answer["wait"]["submission"], "unconfirmed");
}

#[test]
fn two_hundred_prompts_never_see_the_state_from_before() {
    let mut live = Live::start();
    let pane = live.first();
    for round in 0..200 {
        let before = live.pane(pane).state_change_seq;
        let answer = live.command(pane, "true");
        assert_eq!(
            state(&answer["edge"], pane).0,
            TaskState::Running,
            "round {round}"
        );
        let wait = &answer["wait"];
        assert_eq!(wait["state"], "idle", "round {round}");
        assert_eq!(wait["submission"], "confirmed", "round {round}");
        assert_eq!(
            wait["after_seq"].as_u64(),
            Some(before + 1),
            "round {round}"
        );
        assert_eq!(
            wait["state_change_seq"].as_u64(),
            Some(before + 2),
            "round {round}"
        );
    }
}

#[test]
fn the_very_first_prompt_of_a_shell_is_not_settled_by_its_first_prompt_mark() {
    // Written before the shell has come up: its first prompt must not count as an answer.
    for _ in 0..5 {
        let mut live = Live::start();
        let pane = live.first();
        let answer = live.command(pane, "sleep 0.2; echo done-$((40+2))");
        assert_eq!(answer["wait"]["submission"], "confirmed");
        assert!(live.text(pane).contains("done-42"));
    }
}

#[test]
fn text_without_enter_stays_at_the_prompt() {
    let mut live = Live::start();
    let pane = live.first();
    live.command(pane, "true");
    let params = json!({"pane_id": pane, "text": "echo never", "submit": false});
    let answer = live.call("pane.prompt", params).expect("written");
    assert_eq!(answer["action"]["submitted"], false);
    assert_eq!(state(&answer["snapshot"], pane).0, TaskState::Idle);
    let text = live.until_text(pane, |text| text.trim_end().ends_with("echo never"));
    assert!(!text.lines().any(|line| line == "never"));
    assert_eq!(live.pane(pane).task_state, TaskState::Idle);
}

#[test]
fn a_prompt_into_a_running_command_is_allowed_and_is_no_edge() {
    let mut live = Live::start();
    let pane = live.first();
    let line = "echo go; read answer";
    let first = live.call("pane.prompt", json!({"pane_id": pane, "text": line}));
    let (_, seq) = state(&first.expect("written")["snapshot"], pane);
    // What is typed before `read` has the terminal would end in a carriage return for it.
    live.until_text(pane, |text| text.lines().any(|line| line == "go"));
    let answer = live.command(pane, "yes");
    assert_eq!(answer["wait"]["after_seq"].as_u64(), Some(seq));
    assert_eq!(answer["wait"]["state_change_seq"].as_u64(), Some(seq + 1));
}

#[test]
fn a_program_with_bracketed_paste_gets_a_paste_and_then_enter() {
    let mut live = Live::start();
    let pane = live.first();
    // Asks for bracketed paste, then prints what it reads up to Enter, which `read` makes a newline.
    let script = "stty raw -echo; printf '\\e[?2004hready\\r\\n'; \
                  while IFS= read -r -N1 c && [ \"$c\" != $'\\n' ]; do printf %q \"$c\"; done; \
                  stty sane; printf '\\e[?2004l\\nend\\n'";
    let file = live.place().join("reader.sh");
    std::fs::write(&file, script).expect("written");
    let line = format!("bash {}", file.display());
    live.call("pane.prompt", json!({"pane_id": pane, "text": line}))
        .expect("written");
    live.until_text(pane, |text| {
        text.lines().any(|line| line.starts_with("ready"))
    });
    let answer = live.command(pane, "hi there");
    assert_eq!(answer["action"]["submitted"], true);
    let text = live.until_text(pane, |text| text.contains("end"));
    let flat: String = text.split_whitespace().collect();
    assert!(flat.contains("[200\\~hi\\there$'\\E'\\[201\\~"), "{text}");
}

#[test]
fn during_the_gap_other_writers_are_refused_and_keys_wait() {
    let mut live = Live::start();
    let pane = live.first();
    let script = "stty raw -echo; printf '\\e[?2004hready\\r\\n'; \
                  while IFS= read -r -N1 c && [ \"$c\" != z ]; do printf '<%q>' \"$c\"; done; \
                  stty sane; printf '\\e[?2004l\\nend\\n'";
    let file = live.place().join("reader.sh");
    std::fs::write(&file, script).expect("written");
    let line = format!("bash {}", file.display());
    live.call("pane.prompt", json!({"pane_id": pane, "text": line}))
        .expect("written");
    live.until_text(pane, |text| {
        text.lines().any(|line| line.starts_with("ready"))
    });

    // Executed without serving in between, so the gap cannot be over.
    let method = "pane.prompt".parse().expect("a method");
    let call = |text: &str| {
        let params = json!({"pane_id": pane, "text": text});
        protocol::Call::decode(method, params).expect("good parameters")
    };
    let (sender, queue) = runtime::command_queue(4);
    let dispatch = |text: &str| {
        let call = call(text);
        let command = runtime::Command::Call {
            call,
            origin: runtime::Origin::Owner,
        };
        let mut answer = Box::pin(sender.dispatch(command));
        // The first poll puts the command into the queue.
        assert!(smol::block_on(smol::future::poll_once(&mut answer)).is_none());
        answer
    };
    let first = dispatch("one");
    live.workspace.execute(queue.try_recv().expect("queued"));
    let second = dispatch("two");
    live.workspace.execute(queue.try_recv().expect("queued"));
    let id = workspace::PaneId(pane);
    live.workspace
        .type_input(id, b"xyz".to_vec())
        .expect("held back");

    let refused = live
        .run("the refusal", second)
        .expect_err("the gap is not over");
    assert_eq!(refused.code, ErrorCode::InputInProgress);
    live.run("the first prompt", first).expect("written");
    let text = live.until_text(pane, |text| text.contains("end"));
    let flat: String = text.split_whitespace().collect();
    let enter = flat.find("<$'\\n'>").expect("Enter was read");
    assert!(
        flat.find("<e>").expect("the text was read") < enter,
        "{text}"
    );
    assert!(
        flat.find("<x>").expect("the keys were read") > enter,
        "{text}"
    );
    assert!(!flat.contains("<w>"), "{text}");
}

/// A shell in whose front a program with bracketed paste reads and never stops writing, so that
/// its gaps take as long as gaps may.
fn with_a_busy_reader(settings: &str) -> (Live, u64) {
    let mut live = Live::with_settings(settings);
    let pane = live.first();
    let script = "printf '\\e[?2004hready\\r\\n'; while sleep 0.005; do printf .; done";
    let file = live.place().join("busy.sh");
    std::fs::write(&file, script).expect("written");
    let line = format!("bash {}", file.display());
    live.call("pane.prompt", json!({"pane_id": pane, "text": line}))
        .expect("written");
    live.until_text(pane, |text| {
        text.lines().any(|line| line.starts_with("ready"))
    });
    (live, pane)
}

/// Executes a prompt and, without serving in between, something else; then the prompt's answer.
fn refused_in_the_gap(
    live: &mut Live,
    pane: u64,
    meanwhile: impl FnOnce(&mut Live),
) -> protocol::ApiError {
    let (sender, queue) = runtime::command_queue(1);
    let params = json!({"pane_id": pane, "text": "lost", "wait": {"state": "settled"}});
    let method = "pane.prompt".parse().expect("a method");
    let call = protocol::Call::decode(method, params).expect("good parameters");
    let origin = runtime::Origin::Owner;
    let mut answer = Box::pin(sender.dispatch(runtime::Command::Call { call, origin }));
    assert!(smol::block_on(smol::future::poll_once(&mut answer)).is_none());
    live.workspace.execute(queue.try_recv().expect("queued"));
    meanwhile(live);
    live.run("the answer", answer)
        .expect_err("there is no Enter")
}

/// control-api.md 7.3, 7.7
#[test]
fn a_pane_closed_during_the_gap_tells_what_became_of_it() {
    let (mut live, pane) = with_a_busy_reader("");
    live.split(pane, "left_right");
    let error = refused_in_the_gap(&mut live, pane, |live| {
        live.workspace
            .close_pane(workspace::PaneId(pane), true)
            .expect("forced");
    });
    assert_eq!(error.code, ErrorCode::PaneClosed);
    let record = live.hub.lifecycle(reference(pane)).expect("recorded");
    let mut details = json!(record);
    details["submitted"] = json!(false);
    assert_eq!(error.details, details);
    assert!(error.message.contains("Enter was not"), "{error}");
}

#[test]
fn a_process_that_ends_during_the_gap_tells_how() {
    let (mut live, pane) = with_a_busy_reader("panes.hold_on_exit = true\n");
    let processes = live
        .call("pane.procs", json!({"pane_id": pane}))
        .expect("listed");
    let shell = processes["root_pid"].as_u64().expect("a process");
    let error = refused_in_the_gap(&mut live, pane, |live| {
        let status = std::process::Command::new("kill")
            .args(["-KILL", &shell.to_string()])
            .status();
        assert!(status.expect("kill runs").success());
        // However long that takes, the owner hears of it before it looks at the gap.
        let pane = live.workspace.pane(workspace::PaneId(pane));
        let terminal = pane.and_then(|pane| pane.terminal()).expect("a terminal");
        while !terminal.is_exited() {
            std::thread::yield_now();
        }
    });
    assert_eq!(error.code, ErrorCode::PaneExited, "{error}");
    assert_eq!(error.details["event"], "exited", "{error:?}");
    assert_eq!(error.details["signal"], 9, "{error:?}");
    assert_eq!(error.details["task_state"], "failed");
    assert_eq!(error.details["submitted"], false);
}

#[test]
fn an_end_of_the_program_during_the_gap_says_that_the_text_was_written() {
    let (mut live, pane) = with_a_busy_reader("");
    let error = refused_in_the_gap(&mut live, pane, |live| live.workspace.shutdown());
    assert_eq!(error.code, ErrorCode::RuntimeUnavailable);
    assert_eq!(error.details["submitted"], false);
}

#[test]
fn a_paste_needs_bracketed_paste() {
    let mut live = Live::start();
    let pane = live.first();
    live.command(pane, "true");
    live.call(
        "pane.prompt",
        json!({"pane_id": pane, "text": "cat > /dev/null"}),
    )
    .expect("written");
    live.until_child(pane, "cat");
    let refused = live.refused("pane.paste", json!({"pane_id": pane, "text": "a\nb"}));
    assert_eq!(refused.code, ErrorCode::InvalidState);
    assert_eq!(refused.details["reason"], "bracketed_paste_off");
    let key = json!({"pane_id": pane, "key": "c", "modifiers": {"control": true}});
    let sent = live.call("pane.send_key", key).expect("sent");
    assert_eq!(sent["action"]["bytes_sent"], 1);
    live.until("the prompt", |snapshot| {
        snapshot
            .panes()
            .all(|(_, pane)| pane.task_state == TaskState::Idle)
    });
}

#[test]
fn processes_of_a_pane_are_a_tree_from_its_shell() {
    let mut live = Live::start();
    let pane = live.first();
    live.call("pane.prompt", json!({"pane_id": pane, "text": "sleep 60"}))
        .expect("written");
    let found = live.until_child(pane, "sleep");
    let processes = found["processes"].as_array().expect("a list");
    assert_eq!(processes[0]["pid"], found["root_pid"]);
    assert_eq!(processes[0]["parent_pid"], json!(null));
    assert_eq!(processes[0]["display_name"], "bash");
}
