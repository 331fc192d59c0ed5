//! What a workspace asks of its window, and what the window tells it.

use std::time::Instant;

use protocol::{ErrorCode, TaskState};
use runtime::Outcome;
use serde_json::json;
use terminal::{Frame, GridSize};
use workspace::{Direction, NewTab, PaneDestination, PaneId, SplitError, UiEvent};

use crate::harness::{Live, reference};

#[test]
fn closing_hides_and_attaching_reveals() {
    let mut live = Live::windowed("ui.keep_session = true\n");
    let pane = live.first();
    live.call("pane.prompt", json!({"pane_id": pane, "text": "sleep 60"}))
        .expect("written");
    live.workspace.take_ui_events();
    let closed = live
        .call("window.close", json!({}))
        .expect("hidden, so nothing ends");
    assert_eq!(closed["action"], json!({"window_id": 1}));
    assert_eq!(closed["snapshot"]["detached_windows"], 1);
    assert!(live.workspace.take_ui_events().contains(&UiEvent::Hide));
    assert!(!live.workspace.is_quitting());
    assert!(matches!(live.attach(), Ok(Outcome::Attached)));
    assert!(live.workspace.take_ui_events().contains(&UiEvent::Reveal));
    assert_eq!(live.snapshot().detached_windows, 0);
    assert_eq!(live.pane(pane).task_state, TaskState::Running);
}

#[test]
fn without_keeping_the_session_closing_ends_the_program() {
    let mut live = Live::windowed("ui.keep_session = false\n");
    let pane = live.first();
    live.call("pane.prompt", json!({"pane_id": pane, "text": "sleep 60"}))
        .expect("written");
    let refused = live.refused("window.close", json!({}));
    assert_eq!(refused.code, ErrorCode::ConfirmationRequired);
    assert!(live.workspace.close_window(false).is_err());
    let outcome = live.dispatch("window.close", json!({"force": true}));
    assert!(
        matches!(outcome, Ok(Outcome::Closing { .. })),
        "{outcome:?}"
    );
    assert!(live.workspace.take_ui_events().contains(&UiEvent::Quit));
}

#[test]
fn a_headless_workspace_has_nothing_to_reveal() {
    let mut live = Live::start();
    let refused = live.attach().expect_err("no window");
    assert_eq!(refused.code, ErrorCode::RuntimeUnavailable);
}

/// control-api.md 6.1: only what programs change may be held back.
#[test]
fn a_name_given_by_hand_is_published_at_once() {
    let mut live = Live::windowed("");
    let tab = live.workspace.tabs()[0].id();
    // Each of these is a change of texts alone, and comes sooner after the one before than a
    // program's title might.
    for name in ["one", "two", "three", ""] {
        live.workspace.rename_tab(tab, name);
        live.workspace.pump(Instant::now());
        let snapshot = live.hub.current().expect("published");
        let tab = &snapshot.windows[0].tabs[0];
        let title = &tab.panes[0].title;
        assert_eq!(&tab.label, if name.is_empty() { title } else { name });
    }
}

#[test]
fn pictures_are_announced_once_until_they_are_drawn() {
    let mut live = Live::windowed("");
    let pane = live.first();
    let id = PaneId(pane);
    live.command(pane, "echo one");
    assert!(
        live.workspace
            .take_ui_events()
            .contains(&UiEvent::Redraw(id))
    );
    let mut frame = Frame::default();
    let terminal = live
        .workspace
        .pane(id)
        .and_then(|pane| pane.terminal())
        .cloned();
    terminal.expect("it runs").frame(&mut frame);
    live.command(pane, "echo two");
    assert!(
        live.workspace
            .take_ui_events()
            .contains(&UiEvent::Redraw(id))
    );
}

#[test]
fn a_window_says_how_large_panes_are() {
    let mut live = Live::windowed("");
    let pane = live.first();
    let id = PaneId(pane);
    live.workspace.set_pane_size(id, GridSize::new(70, 9));
    live.command(pane, "stty size");
    assert!(live.text(pane).contains("9 70"), "{}", live.text(pane));
    live.workspace.set_pane_size(id, GridSize::new(7, 3));
    let direction = protocol::SplitDirection::LeftRight;
    assert_eq!(
        live.workspace.split(id, direction),
        Err(SplitError::TooSmall)
    );
    let refused = live.refused("pane.split", json!({"direction": "left_right"}));
    assert_eq!(refused.details["reason"], "too_narrow");
}

#[test]
fn people_move_panes_and_the_focus() {
    let mut live = Live::windowed("");
    let first = PaneId(live.first());
    let direction = protocol::SplitDirection::LeftRight;
    let second = live
        .workspace
        .split(first, direction)
        .expect("room for two");
    live.until("the split", |snapshot| {
        snapshot.pane(second.to_ref()).is_some()
    });
    let third = live.workspace.new_tab(NewTab::default());
    live.until("the tab", |snapshot| {
        snapshot.pane(third.to_ref()).is_some()
    });

    live.workspace.focus_pane(second);
    assert_eq!(live.workspace.focus_direction(Direction::Left), Some(first));
    assert_eq!(live.workspace.focus_direction(Direction::Left), None);
    assert!(
        live.workspace
            .move_pane(third, PaneDestination::Beside(first, Direction::Up))
    );
    let snapshot = live.snapshot();
    assert_eq!(snapshot.windows[0].tabs.len(), 1, "the emptied tab is gone");
    assert_eq!(snapshot.windows[0].focused_pane_id, Some(third.0));
    assert!(snapshot.pane_lifecycles.is_empty(), "moving is no end");
    assert!(live.workspace.move_pane(second, PaneDestination::NewTab));
    live.workspace.cycle_tab(1);
    assert_eq!(live.workspace.active_index(), 0);
    let name = live
        .workspace
        .active_tab()
        .map(|tab| live.workspace.tab_label(tab));
    assert!(name.is_some_and(|name| !name.is_empty()));
}

#[test]
fn what_could_not_be_opened_says_so_in_its_place() {
    let mut live = Live::windowed("");
    let tab = NewTab {
        cwd: Some("/nonexistent/place".into()),
        shell: None,
    };
    let pane = live.workspace.new_tab(tab);
    live.until("the message", |snapshot| {
        snapshot.pane(pane.to_ref()).is_some()
    });
    let ending = live.workspace.pane(pane).and_then(|pane| pane.ending());
    assert!(ending.is_some_and(|ending| ending.sentence().contains("/nonexistent/place")));
    live.workspace
        .close_pane(pane, false)
        .expect("nothing runs in it");
    assert!(live.snapshot().pane(pane.to_ref()).is_none());
}

#[test]
fn looking_clears_the_mark_and_keeps_the_state() {
    let mut live = Live::windowed("panes.hold_on_exit = true\n");
    let pane = live.first();
    let id = PaneId(pane);
    live.workspace.look_at(&[id]);
    let params = json!({"pane_id": pane, "text": "exit 0", "wait": {"states": ["finished"]}});
    live.call("pane.prompt", params).expect("finished");
    assert!(!live.pane(pane).unseen, "it was being looked at");
    let other = live.workspace.new_tab(NewTab::default());
    live.until("the tab", |snapshot| {
        snapshot.pane(other.to_ref()).is_some()
    });
    live.workspace.look_at(&[]);
    let params = json!({"pane_id": other.0, "text": "exit 1", "wait": {"states": ["failed"]}});
    live.call("pane.prompt", params).expect("failed");
    assert!(live.pane(other.0).unseen);
    live.workspace.look_at(&[other]);
    let seen = live.snapshot();
    let seen = seen.pane(reference(other.0)).expect("held");
    assert_eq!((seen.unseen, seen.task_state), (false, TaskState::Failed));
}
