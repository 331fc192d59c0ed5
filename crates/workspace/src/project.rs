//! From the model to the snapshot, and its publication.

use std::collections::HashMap;
use std::sync::Arc;

use protocol::{AgentPane, Layout, Snapshot, Tab as TabView, TabKind, Window};
use runtime::Projection;

use crate::ids::{PaneId, WINDOW_ID};
use crate::pane::Pane;
use crate::tab::{Tab, TabContent};
use crate::tree::PaneTree;
use crate::workspace::{Cause, Workspace};

/// What the tab of the settings page is called.
const SETTINGS_LABEL: &str = "Settings";

impl Workspace {
    /// The text on a tab: the name the user gave it, else the title of its focused pane.
    pub fn tab_label(&self, tab: &Tab) -> String {
        if let Some(name) = tab.name() {
            return name.to_owned();
        }
        match tab.content() {
            TabContent::Settings => SETTINGS_LABEL.to_owned(),
            TabContent::Panes(group) => self
                .pane(group.focus())
                .map(Pane::title)
                .unwrap_or_default(),
        }
    }

    /// Publishes the model as it is, after a command, and returns the current snapshot.
    pub(crate) fn publish(&mut self) -> Arc<Snapshot> {
        match self.hub.current() {
            Some(current) if self.unpublished.is_none() => current,
            _ => self.hand_over(false),
        }
    }

    /// Publishes on a tick of the pump, if there is anything to publish. What somebody did since the
    /// last tick is never held back, and what programs changed meanwhile goes along.
    pub(crate) fn publish_if_changed(&mut self) {
        // Before the first tab there is no workspace to show; clients would take it for an empty
        // one.
        if let Some(cause) = self.unpublished.filter(|_| self.started) {
            self.hand_over(cause == Cause::Observation);
        }
    }

    fn hand_over(&mut self, paced: bool) -> Arc<Snapshot> {
        let snapshot = self.snapshot();
        let transitions: HashMap<_, _> = self
            .panes
            .values_mut()
            .map(|pane| (pane.id().to_ref(), pane.take_transitions()))
            .collect();
        let published = self.hub.publish(Projection {
            snapshot,
            transitions,
            paced,
        });
        // What the hub holds back has to be offered again.
        self.unpublished = self.hub.next_due().map(|_| Cause::Observation);
        published
    }

    fn snapshot(&self) -> Snapshot {
        let active = self.tabs.active_index();
        let tabs = self.tabs.as_slice().iter().enumerate();
        let hidden_with_panes = self.headless || (self.hidden && !self.panes.is_empty());
        Snapshot {
            revision: 0,
            process_id: std::process::id(),
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol_version: protocol::VERSION,
            detached_windows: u32::from(hidden_with_panes),
            windows: vec![Window {
                id: WINDOW_ID,
                focused: self.window_focused && !self.hidden,
                session_exempt: false,
                active_tab: active,
                focused_pane_id: self.tabs.focused_pane().map(|pane| pane.0),
                tabs: tabs
                    .map(|(index, tab)| self.tab_view(tab, index, active))
                    .collect(),
            }],
            pane_lifecycles: Vec::new(),
            boot_id: self.hub.boot_id().to_owned(),
        }
    }

    fn tab_view(&self, tab: &Tab, index: usize, active: usize) -> TabView {
        let group = tab.group();
        let focus = group.map(|group| group.focus());
        let panes = tab.panes();
        TabView {
            index,
            active: index == active,
            label: self.tab_label(tab),
            kind: match tab.content() {
                TabContent::Panes(_) => TabKind::Shell,
                TabContent::Settings => TabKind::Settings,
            },
            bell: tab.bell(),
            focused_pane_id: focus.map(|pane| pane.0),
            layout: group.map(|group| layout(group.tree())),
            panes: panes
                .iter()
                .filter_map(|pane| self.pane(*pane))
                .map(|pane| pane_view(pane, focus))
                .collect(),
            zoomed_pane_id: group.and_then(|group| group.zoomed()).map(|pane| pane.0),
        }
    }
}

fn layout(tree: &PaneTree) -> Layout {
    match tree {
        PaneTree::Leaf(pane) => Layout::Pane { pane_id: pane.0 },
        PaneTree::Split(split) => Layout::Split {
            direction: split.direction,
            ratio: split.ratio,
            first: Box::new(layout(&split.first)),
            second: Box::new(layout(&split.second)),
        },
    }
}

fn pane_view(pane: &Pane, focus: Option<PaneId>) -> protocol::Pane {
    let cwd = pane
        .directory()
        .map(|path| path.to_string_lossy().into_owned());
    protocol::Pane {
        id: pane.id().0,
        active: focus == Some(pane.id()),
        title: pane.title(),
        cwd: cwd.unwrap_or_default(),
        branch: pane.branch().unwrap_or_default().to_owned(),
        ssh_destination: None,
        running_program: pane.program().map(str::to_owned),
        task_state: pane.state(),
        state_change_seq: 1,
        agent: None,
        active_run: None,
        last_run: None,
        unseen: pane.unseen(),
        occupant_seq: pane.occupant_seq(),
    }
}

/// The rows of `agents.list`: the panes of a snapshot in which an agent was recognised.
pub(crate) fn agent_panes(snapshot: &Snapshot) -> Vec<AgentPane> {
    let mut rows = Vec::new();
    for window in &snapshot.windows {
        for tab in &window.tabs {
            for pane in &tab.panes {
                let Some(agent) = &pane.agent else { continue };
                rows.push(AgentPane {
                    window_id: window.id,
                    tab_index: tab.index,
                    tab_active: tab.active,
                    pane_id: pane.id,
                    pane_active: pane.active,
                    title: pane.title.clone(),
                    cwd: pane.cwd.clone(),
                    branch: pane.branch.clone(),
                    ssh_destination: pane.ssh_destination.clone(),
                    agent: agent.clone(),
                    task_state: pane.task_state,
                    state_change_seq: pane.state_change_seq,
                });
            }
        }
    }
    rows
}
