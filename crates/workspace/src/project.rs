//! From the model to the snapshot, and its publication.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use protocol::{AgentPane, Layout, Snapshot, Tab as TabView, TabKind, Window};
use runtime::Projection;

use crate::ids::{PaneId, WINDOW_ID};
use crate::pane::Pane;
use crate::tab::{Tab, TabContent};
use crate::tree::PaneTree;
use crate::workspace::{Cause, TICK, Workspace};

/// What the tab of the settings page is called.
const SETTINGS_LABEL: &str = "Settings";

/// Publications of what programs did, in one tick. A few are published at once, so that whoever waits
/// for a command learns of its end without delay; a program that changes state without end shows its
/// last state once a tick.
const OBSERVATIONS_A_TICK: u8 = 4;

/// Keeps count of [`OBSERVATIONS_A_TICK`].
#[derive(Debug, Default)]
pub(crate) struct Observations {
    tick_began: Option<Instant>,
    published: u8,
}

impl Observations {
    /// Whether one more may be published now; if so it counts.
    fn admit(&mut self, now: Instant) -> bool {
        if self.tick_began.is_none_or(|began| now >= began + TICK) {
            self.tick_began = Some(now);
            self.published = 0;
        }
        let admitted = self.published < OBSERVATIONS_A_TICK;
        self.published += u8::from(admitted);
        admitted
    }
}

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

    /// Publishes the model before a command is answered, and returns the current snapshot. What
    /// the command changed is in it; texts that only programs changed since may still be held
    /// back, however often somebody asks.
    pub(crate) fn publish(&mut self) -> Arc<Snapshot> {
        self.publish_at(Instant::now())
    }

    fn publish_at(&mut self, now: Instant) -> Arc<Snapshot> {
        match (self.hub.current(), self.unpublished) {
            (Some(current), None) => current,
            (_, cause) => self.hand_over(cause == Some(Cause::Observation), now),
        }
    }

    /// Publishes on a tick of the pump, if there is anything to publish. What somebody did since the
    /// last tick is never held back, and what programs changed meanwhile goes along.
    pub(crate) fn publish_if_changed(&mut self, now: Instant) {
        // Before the first tab there is no workspace to show; clients would take it for an empty
        // one.
        let Some(cause) = self.unpublished.filter(|_| self.started) else {
            return;
        };
        let observed = cause == Cause::Observation;
        if !observed || self.observations.admit(now) {
            self.hand_over(observed, now);
        }
    }

    fn hand_over(&mut self, paced: bool, now: Instant) -> Arc<Snapshot> {
        let snapshot = self.snapshot();
        let transitions: HashMap<_, _> = self
            .panes
            .values_mut()
            .map(|pane| (pane.id().to_ref(), pane.take_transitions()))
            .collect();
        let published = self.hub.publish_at(
            Projection {
                snapshot,
                transitions,
                paced,
            },
            now,
        );
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use runtime::RuntimeHub;
    use settings::{Paths, SettingsStore};
    use tempfile::TempDir;

    use super::*;
    use crate::{FirstTab, NoEndpoints, WorkspaceOptions};

    /// A workspace with one pane, in which nothing ever ran, so that only the test changes it.
    fn quiet() -> (Workspace, PaneId, TempDir) {
        let place = tempfile::tempdir().expect("a directory");
        let paths = Paths::new(place.path().join("data"), place.path().join("config"));
        let (settings, _) = SettingsStore::load(&paths);
        let (mut workspace, inbox) = Workspace::new(WorkspaceOptions {
            settings,
            hub: RuntimeHub::new("0123456789abcdef0123456789abcdef".to_owned()),
            endpoint: Arc::new(NoEndpoints),
            paths,
            cli_path: "/opt/nebula/bin/nebula".into(),
            headless: true,
        });
        workspace.start(FirstTab {
            cwd: None,
            shell: Some("no-such-shell".to_owned()),
        });
        while workspace.panes.is_empty() {
            let event = smol::block_on(inbox.next()).expect("it cannot be started");
            workspace.handle_event(event);
        }
        let pane = workspace.focused_pane().expect("a pane").id();
        (workspace, pane, place)
    }

    fn retitle(workspace: &mut Workspace, pane: PaneId, number: u32) {
        let title = format!("page {number}");
        workspace.observe(pane, |pane, _| pane.set_title(Some(&title)));
    }

    /// control-api.md 6.1
    #[test]
    fn a_program_that_changes_without_end_is_published_a_few_times_a_tick() {
        let mut observations = Observations::default();
        let start = Instant::now();
        let second = (0..1_000).map(|ms| start + std::time::Duration::from_millis(ms));
        let published = second.filter(|now| observations.admit(*now)).count();
        // Nine ticks begin in a second.
        assert_eq!(published, 9 * usize::from(OBSERVATIONS_A_TICK));
    }

    #[test]
    fn asking_does_not_hurry_what_programs_change() {
        let (mut workspace, pane, _place) = quiet();
        let begun = Instant::now();
        let first = workspace.publish_at(begun).revision;
        let mut published = first;
        // Ten seconds of a title that changes whenever somebody asks, every 10 ms.
        for number in 0..1000 {
            retitle(&mut workspace, pane, number);
            let now = begun + Duration::from_millis(10) * number;
            let answer = workspace.publish_at(now);
            let current = workspace.hub.current().expect("published");
            assert!(
                Arc::ptr_eq(&answer, &current),
                "an answer is what is published"
            );
            published = answer.revision;
        }
        let changes = published - first;
        assert!((15..=21).contains(&changes), "{changes} revisions in 10 s");
    }

    #[test]
    fn what_is_held_back_comes_on_a_later_tick() {
        let (mut workspace, pane, _place) = quiet();
        let begun = Instant::now();
        workspace.publish_at(begun);
        for number in [1, 2] {
            retitle(&mut workspace, pane, number);
            workspace.publish_at(begun);
        }
        let title = |workspace: &Workspace| {
            let current = workspace.hub.current().expect("published");
            current.panes().next().expect("a pane").1.title.clone()
        };
        assert_eq!(title(&workspace), "page 1");
        workspace.pump(begun + Duration::from_millis(499));
        assert_eq!(title(&workspace), "page 1");
        workspace.pump(begun + Duration::from_millis(500));
        assert_eq!(title(&workspace), "page 2");
    }

    #[test]
    fn a_deed_takes_along_what_is_held_back() {
        let (mut workspace, pane, _place) = quiet();
        let begun = Instant::now();
        workspace.publish_at(begun);
        for number in [1, 2] {
            retitle(&mut workspace, pane, number);
            workspace.publish_at(begun);
        }
        let tab = workspace.tabs()[0].id();
        workspace.rename_tab(tab, "mine");
        let answer = workspace.publish_at(begun);
        let view = &answer.windows[0].tabs[0];
        assert_eq!(
            (view.label.as_str(), view.panes[0].title.as_str()),
            ("mine", "page 2")
        );
    }
}
