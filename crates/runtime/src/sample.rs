//! Small worlds for tests.

use std::collections::HashMap;

use protocol::{PaneRef, Snapshot, StateSet, TaskState, WaitState};
use serde_json::{Value, json};

use crate::Projection;

/// One pane of a world.
#[derive(Clone, Debug)]
pub(crate) struct SamplePane {
    pub id: u64,
    pub state: TaskState,
    pub title: String,
    pub occupant_seq: u64,
    pub agent: Option<&'static str>,
    pub transitions: u64,
}

pub(crate) fn pane(id: u64, state: TaskState) -> SamplePane {
    SamplePane {
        id,
        state,
        title: String::new(),
        occupant_seq: 1,
        agent: None,
        transitions: 0,
    }
}

impl SamplePane {
    pub(crate) fn titled(mut self, title: &str) -> Self {
        self.title = title.to_owned();
        self
    }

    pub(crate) fn after(mut self, transitions: u64) -> Self {
        self.transitions = transitions;
        self
    }

    pub(crate) fn occupied(mut self, occupant_seq: u64, agent: Option<&'static str>) -> Self {
        self.occupant_seq = occupant_seq;
        self.agent = agent;
        self
    }

    fn json(&self) -> Value {
        let mut pane = json!({
            "id": self.id, "active": true, "title": self.title, "cwd": "", "branch": "",
            "ssh_destination": null, "running_program": null, "task_state": self.state,
            "state_change_seq": 1, "occupant_seq": self.occupant_seq, "unseen": false,
        });
        if let Some(kind) = self.agent {
            pane["agent"] = json!({
                "kind": kind, "display_name": kind, "session_id": null,
                "state_source": "process", "hook_seen": false,
            });
        }
        pane
    }
}

pub(crate) fn target(pane_id: u64) -> PaneRef {
    in_window(1, pane_id)
}

pub(crate) fn in_window(window_id: u64, pane_id: u64) -> PaneRef {
    PaneRef { window_id, pane_id }
}

/// Windows with one tab each, published as after a command.
pub(crate) fn windows(windows: &[(u64, &[SamplePane])]) -> Projection {
    let list: Vec<Value> = windows
        .iter()
        .map(|(id, panes)| {
            let panes: Vec<Value> = panes.iter().map(SamplePane::json).collect();
            json!({
                "id": id, "focused": true, "session_exempt": false, "active_tab": 0,
                "focused_pane_id": null,
                "tabs": [{
                    "index": 0, "active": true, "label": "tab", "kind": "shell", "bell": false,
                    "focused_pane_id": null, "layout": null, "panes": panes,
                    "zoomed_pane_id": null,
                }],
            })
        })
        .collect();
    let snapshot: Snapshot = serde_json::from_value(json!({
        "revision": 0, "process_id": 1, "app_version": "0", "protocol_version": 1,
        "detached_windows": 0, "windows": list, "boot_id": "",
    }))
    .expect("a valid snapshot");
    let transitions: HashMap<PaneRef, u64> = windows
        .iter()
        .flat_map(|(id, panes)| panes.iter().map(|pane| (in_window(*id, pane.id), pane)))
        .filter(|(_, pane)| pane.transitions > 0)
        .map(|(target, pane)| (target, pane.transitions))
        .collect();
    Projection {
        snapshot,
        transitions,
        paced: false,
    }
}

/// One window with these panes, published as after a command.
pub(crate) fn world(panes: &[SamplePane]) -> Projection {
    windows(&[(1, panes)])
}

/// The same on the tick of the pump.
pub(crate) fn paced(mut projection: Projection) -> Projection {
    projection.paced = true;
    projection
}

pub(crate) fn seq_of(snapshot: &Snapshot, pane: PaneRef) -> u64 {
    snapshot
        .pane(pane)
        .expect("the pane is there")
        .state_change_seq
}

pub(crate) fn states(list: &[TaskState]) -> StateSet {
    let entries: Vec<WaitState> = WaitState::ALL
        .into_iter()
        .filter(|entry| entry.literal().is_some_and(|state| list.contains(&state)))
        .collect();
    StateSet::from_params("", None, Some(&entries)).expect("a valid set")
}
