//! What each part of the window shows, as plain values.
//!
//! The parts are compared with what they showed before, and drawn anew only when they differ. So a workspace that
//! changes a hundred times a second in one place redraws that place only, and an idle one nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use gpui::SharedString;
use protocol::TaskState;
use rust_i18n::t;
use workspace::{Pane, PaneId, PaneTree, Tab, TabContent, TabId, Workspace};

use super::state_mark::{BY_URGENCY, urgency};

/// One tab of the title bar.
#[derive(Clone, Debug, PartialEq)]
pub struct TabLabel {
    /// Its id.
    pub id: TabId,
    /// Its name or generated title.
    pub title: SharedString,
    /// The most urgent state of its panes; `None` for the settings.
    pub state: Option<TaskState>,
    /// A pane rang or wants eyes.
    pub marked: bool,
    /// It is in front.
    pub active: bool,
}

/// One row of the sidebar.
#[derive(Clone, Debug, PartialEq)]
pub struct PaneRow {
    /// The pane.
    pub pane: PaneId,
    /// Its title.
    pub title: SharedString,
    /// Its directory.
    pub place: SharedString,
    /// Its state.
    pub state: TaskState,
    /// How long it has been in this state.
    pub lasting: SharedString,
    /// It has the keys.
    pub focused: bool,
    /// It wants eyes.
    pub unseen: bool,
}

/// The status bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatusLine {
    /// Directory and branch of the focused pane.
    pub directory: Option<SharedString>,
    /// Its branch.
    pub branch: Option<SharedString>,
    /// Its columns and lines.
    pub size: Option<(u16, u16)>,
    /// How many panes are in which state.
    pub counts: Vec<(TaskState, usize)>,
}

/// The area below the title bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Area {
    /// No tab is open yet.
    #[default]
    Empty,
    /// The settings page.
    Settings,
    /// Panes.
    Panes {
        /// The tab.
        tab: TabId,
        /// How they share the area; a zoomed pane has it alone.
        tree: PaneTree,
        /// The one with the keys.
        focus: PaneId,
        /// Others are hidden behind a zoomed pane.
        zoomed: bool,
        /// What stands around each pane.
        frames: Vec<PaneFrame>,
    },
}

/// What stands around a pane.
#[derive(Clone, Debug, PartialEq)]
pub struct PaneFrame {
    /// The pane.
    pub pane: PaneId,
    /// Its title.
    pub title: SharedString,
    /// Its state.
    pub state: TaskState,
    /// How its process ended, when it did.
    pub ended: Option<SharedString>,
}

/// The title of a tab: its label, where that is a word of this program in the user's language.
pub fn tab_title(workspace: &Workspace, tab: &Tab) -> SharedString {
    match (tab.name(), tab.content()) {
        (None, TabContent::Settings) => t!("tab.settings").into_owned().into(),
        (Some(_), _) | (None, TabContent::Panes(_)) => workspace.tab_label(tab).into(),
    }
}

/// The tabs from left to right.
pub fn tabs(workspace: &Workspace) -> Vec<TabLabel> {
    let active = workspace.active_tab().map(Tab::id);
    let label = |tab: &Tab| {
        let panes = tab.panes();
        let panes = || panes.iter().filter_map(|pane| workspace.pane(*pane));
        TabLabel {
            id: tab.id(),
            title: tab_title(workspace, tab),
            state: panes().map(Pane::state).min_by_key(|state| urgency(*state)),
            marked: tab.bell() || panes().any(Pane::unseen),
            active: active == Some(tab.id()),
        }
    };
    workspace.tabs().iter().map(label).collect()
}

/// The panes of all tabs by state, the most urgent first; within a state, in the order of the tabs.
pub fn sidebar(workspace: &Workspace, home: Option<&Path>, now: Instant) -> Vec<PaneRow> {
    let focused = workspace.focused_pane().map(Pane::id);
    let panes = workspace.tabs().iter().flat_map(Tab::panes);
    let mut rows: Vec<PaneRow> = panes
        .filter_map(|pane| workspace.pane(pane))
        .map(|pane| PaneRow {
            pane: pane.id(),
            title: pane.title().into(),
            place: pane
                .directory()
                .map(|path| short_path(path, home))
                .unwrap_or_default()
                .into(),
            state: pane.state(),
            lasting: lasting(now.saturating_duration_since(pane.state_since())),
            focused: focused == Some(pane.id()),
            unseen: pane.unseen(),
        })
        .collect();
    rows.sort_by_key(|row| urgency(row.state));
    rows
}

/// The status bar.
pub fn status(workspace: &Workspace, home: Option<&Path>) -> StatusLine {
    let pane = workspace.focused_pane();
    let count = |state| {
        workspace
            .panes()
            .filter(|pane| pane.state() == state)
            .count()
    };
    StatusLine {
        directory: pane
            .and_then(Pane::directory)
            .map(|path| short_path(path, home).into()),
        branch: pane
            .and_then(Pane::branch)
            .map(|branch| branch.to_owned().into()),
        size: pane.map(|pane| (pane.size().columns, pane.size().lines)),
        counts: BY_URGENCY
            .into_iter()
            .filter(|state| !matches!(state, TaskState::Idle | TaskState::Finished))
            .map(|state| (state, count(state)))
            .filter(|(_, count)| *count > 0)
            .collect(),
    }
}

/// The area below the title bar.
pub fn area(workspace: &Workspace) -> Area {
    let Some(tab) = workspace.active_tab() else {
        return Area::Empty;
    };
    let TabContent::Panes(group) = tab.content() else {
        return Area::Settings;
    };
    let tree = match group.zoomed() {
        Some(pane) => PaneTree::Leaf(pane),
        None => group.tree().clone(),
    };
    let frames = tree
        .panes()
        .into_iter()
        .filter_map(|pane| workspace.pane(pane))
        .map(frame);
    Area::Panes {
        tab: tab.id(),
        focus: group.focus(),
        zoomed: group.zoomed().is_some(),
        frames: frames.collect(),
        tree,
    }
}

fn frame(pane: &Pane) -> PaneFrame {
    let ended = pane.ending().map(|ending| {
        let status = ending.status();
        let text = match (
            status.and_then(|it| it.signal),
            status.and_then(|it| it.code),
        ) {
            (Some(signal), _) => t!("pane.ended_signal", signal = signal),
            (None, Some(code)) => t!("pane.ended_code", code = code),
            (None, None) if status.is_some() => t!("pane.ended"),
            (None, None) => t!("pane.not_started", reason = ending.sentence()),
        };
        text.into_owned().into()
    });
    PaneFrame {
        pane: pane.id(),
        title: pane.title().into(),
        state: pane.state(),
        ended,
    }
}

/// How long, in the largest unit; below a minute it is "now", so that nothing is redrawn every second.
fn lasting(duration: Duration) -> SharedString {
    let minutes = duration.as_secs() / 60;
    let text = match minutes {
        0 => t!("time.now"),
        1..60 => t!("time.minutes", count = minutes),
        60..1440 => t!("time.hours", count = minutes / 60),
        _ => t!("time.days", count = minutes / 1440),
    };
    text.into_owned().into()
}

/// A path with `~` for the home directory.
pub fn short_path(path: &Path, home: Option<&Path>) -> String {
    let below = home
        .filter(|home| home.parent().is_some())
        .and_then(|home| path.strip_prefix(home).ok());
    match below {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_short_below_home_only() {
        let home = Some(Path::new("/home/ada"));
        assert_eq!(short_path(Path::new("/home/ada"), home), "~");
        assert_eq!(short_path(Path::new("/home/ada/src"), home), "~/src");
        assert_eq!(short_path(Path::new("/home/adam"), home), "/home/adam");
        assert_eq!(short_path(Path::new("/etc"), Some(Path::new("/"))), "/etc");
        assert_eq!(short_path(Path::new("/etc"), None), "/etc");
    }

    #[test]
    fn times_change_once_a_minute_at_most() {
        rust_i18n::set_locale("en");
        let text = |seconds| lasting(Duration::from_secs(seconds)).to_string();
        assert_eq!((text(0), text(59)), ("now".into(), "now".into()));
        assert_eq!((text(60), text(3599)), ("1 min".into(), "59 min".into()));
        assert_eq!((text(3600), text(90_000)), ("1 h".into(), "1 d".into()));
    }
}
