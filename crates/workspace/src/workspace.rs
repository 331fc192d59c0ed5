//! The owner of everything: what a [`Workspace`] consists of, how it is made and how it is read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::PaneRef;
use runtime::{Answered, QueuedCommand, RuntimeHub};
use settings::{Paths, SettingsStore};
use terminal::GridSize;

use crate::closing::Dying;
use crate::execute::HeldAnswer;
use crate::ids::{IdSource, PaneId, TabId};
use crate::inbox::{Inbox, Outbox, Redraws, inbox};
use crate::launch::Pending;
use crate::leftovers::Leftovers;
use crate::pane::Pane;
use crate::project::Observations;
use crate::sampler::Sampler;
use crate::tab::Tab;
use crate::tabs::Tabs;
use crate::ui_events::{UiEvent, UiEvents};

/// The pump runs at most this far apart while something waits for time to pass (control-api.md 6.2).
pub const TICK: Duration = Duration::from_millis(120);

/// The pump runs at most this far apart while nothing does: whatever happens wakes the owner anyway.
const QUIET: Duration = Duration::from_secs(15);

/// Size of the window of a headless server, and of a window that has not been drawn yet.
const DEFAULT_COLUMNS: u16 = 120;
const DEFAULT_LINES: u16 = 40;

/// Mints and revokes the tokens of panes (control-api.md 4.1).
pub trait PaneEndpoints: Send + Sync {
    /// The value of `NEBULA_RUNTIME_ENDPOINT` for a new pane, `None` when no server runs.
    fn issue(&self, pane: PaneRef) -> Option<String>;
    /// The pane closed or its root process ended: its token is worth nothing any more.
    fn revoke(&self, pane: PaneRef);
}

/// No server runs, so panes get no endpoint.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEndpoints;

impl PaneEndpoints for NoEndpoints {
    fn issue(&self, _: PaneRef) -> Option<String> {
        None
    }

    fn revoke(&self, _: PaneRef) {}
}

/// What a workspace is made from.
pub struct WorkspaceOptions {
    /// Read whenever something is started or closed, so a change needs no restart.
    pub settings: SettingsStore,
    /// Where the projection is published.
    pub hub: RuntimeHub,
    /// Tokens of panes.
    pub endpoint: Arc<dyn PaneEndpoints>,
    /// Where integration scripts of shells are kept (below the data directory).
    pub paths: Paths,
    /// The program that panes find in `NEBULA_CLI`.
    pub cli_path: PathBuf,
    /// There is no window: sizes follow the layout, nothing can be revealed or looked at.
    pub headless: bool,
}

/// The model. One thread owns it, see the crate documentation for how it is driven.
pub struct Workspace {
    pub(crate) settings: SettingsStore,
    pub(crate) hub: RuntimeHub,
    pub(crate) endpoint: Arc<dyn PaneEndpoints>,
    pub(crate) paths: Paths,
    pub(crate) cli_path: PathBuf,
    pub(crate) headless: bool,

    pub(crate) ids: IdSource,
    pub(crate) tabs: Tabs,
    /// Exactly the panes that are in `tabs`.
    pub(crate) panes: BTreeMap<PaneId, Pane>,
    pub(crate) pending: BTreeMap<PaneId, Pending>,
    /// Answers that wait for the Enter of a pane in `panes`.
    pub(crate) held: BTreeMap<PaneId, HeldAnswer>,
    /// Commands that came before the first tab was there.
    pub(crate) early: Vec<QueuedCommand>,
    /// Terminals of panes that are gone, for as long as something of them may be left.
    pub(crate) dying: Vec<Dying>,
    /// How often what programs did was published.
    pub(crate) observations: Observations,

    pub(crate) grid: GridSize,
    pub(crate) window_focused: bool,
    pub(crate) hidden: bool,
    /// Panes that the user looks at.
    pub(crate) eyes: BTreeSet<PaneId>,

    pub(crate) outbox: Outbox,
    pub(crate) redraws: Redraws,
    pub(crate) sampler: Option<Sampler>,
    ui_events: UiEvents,
    /// Who changed the model since it was published, if anybody did.
    pub(crate) unpublished: Option<Cause>,
    /// The first tab is there, or will never be.
    pub(crate) started: bool,
    pub(crate) quitting: bool,
    pub(crate) answered: Option<Answered>,
    /// What is watched after the shutdown.
    pub(crate) leftovers: Option<Leftovers>,
}

/// Where a change came from, the more urgent one last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// A program was observed. Texts that it sets may be held back a moment, because it can set
    /// them without end.
    Observation,
    /// Somebody did something and looks for the effect.
    Deed,
}

impl Workspace {
    /// An empty workspace and the inbox that its owner has to serve. [`Workspace::start`] opens
    /// the first tab.
    pub fn new(options: WorkspaceOptions) -> (Self, Inbox) {
        let (outbox, inbox) = inbox();
        let sampler = match Sampler::start(outbox.clone()) {
            Ok(sampler) => Some(sampler),
            Err(error) => {
                tracing::error!(%error, "states of shells without marks will not be known");
                None
            }
        };
        let workspace = Self {
            settings: options.settings,
            hub: options.hub,
            endpoint: options.endpoint,
            paths: options.paths,
            cli_path: options.cli_path,
            headless: options.headless,
            ids: IdSource::default(),
            tabs: Tabs::default(),
            panes: BTreeMap::new(),
            pending: BTreeMap::new(),
            held: BTreeMap::new(),
            early: Vec::new(),
            dying: Vec::new(),
            observations: Observations::default(),
            grid: GridSize::new(DEFAULT_COLUMNS, DEFAULT_LINES),
            window_focused: options.headless,
            hidden: false,
            eyes: BTreeSet::new(),
            outbox,
            redraws: Redraws::default(),
            sampler,
            ui_events: UiEvents::default(),
            unpublished: None,
            started: false,
            quitting: false,
            answered: None,
            leftovers: None,
        };
        (workspace, inbox)
    }

    /// The tabs from left to right.
    pub fn tabs(&self) -> &[Tab] {
        self.tabs.as_slice()
    }

    /// The tab in front.
    pub fn active_tab(&self) -> Option<&Tab> {
        self.tabs.active()
    }

    /// The index of the tab in front, 0 without tabs.
    pub fn active_index(&self) -> usize {
        self.tabs.active_index()
    }

    /// A tab by its id.
    pub fn tab(&self, id: TabId) -> Option<&Tab> {
        self.tabs
            .index_of(id)
            .and_then(|index| self.tabs.get(index))
    }

    /// The tab that a pane is in.
    pub fn tab_of(&self, pane: PaneId) -> Option<&Tab> {
        self.tabs
            .index_of_pane(pane)
            .and_then(|index| self.tabs.get(index))
    }

    /// A pane.
    pub fn pane(&self, pane: PaneId) -> Option<&Pane> {
        self.panes.get(&pane)
    }

    /// All panes, oldest first.
    pub fn panes(&self) -> impl Iterator<Item = &Pane> {
        self.panes.values()
    }

    /// The pane that gets the keys: the focused one of the tab in front.
    pub fn focused_pane(&self) -> Option<&Pane> {
        self.tabs
            .focused_pane()
            .and_then(|pane| self.panes.get(&pane))
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &SettingsStore {
        &self.settings
    }

    /// The hub it publishes to.
    pub fn hub(&self) -> &RuntimeHub {
        &self.hub
    }

    /// What the window has to do, collected since the last call. Call it after every event,
    /// command, action and pump.
    pub fn take_ui_events(&mut self) -> Vec<UiEvent> {
        for pane in self.redraws.take() {
            self.ui_events.put(UiEvent::Redraw(pane));
        }
        self.ui_events.take()
    }

    /// Does what is due: an Enter whose gap is over, and the publication of what changed. Call it
    /// after every batch of events, and not later than [`Workspace::next_wake`].
    pub fn pump(&mut self, now: Instant) {
        self.finish_gaps(now);
        self.dying.retain(|dying| dying.may_be_left(now));
        self.publish_if_changed(now);
    }

    /// How long the owner may sleep before the next pump: at most [`TICK`] while something waits for
    /// time to pass, and 15 s when nothing does, so that an idle workspace costs nothing.
    pub fn next_wake(&self, now: Instant) -> Duration {
        let gaps = self
            .held
            .keys()
            .filter_map(|pane| self.panes.get(pane)?.gap.as_ref());
        let gap = gaps.map(crate::prompt::Gap::look_again).min();
        let due = self
            .hub
            .next_due()
            .map(|due| due.saturating_duration_since(now));
        let ending = (!self.dying.is_empty() || self.unpublished.is_some()).then_some(TICK);
        [gap, due, ending]
            .into_iter()
            .flatten()
            .fold(QUIET, Duration::min)
    }

    pub(crate) fn tell_window(&mut self, event: UiEvent) {
        if !self.headless {
            self.ui_events.put(event);
        }
    }

    /// A person or a client changed something that views and clients see.
    pub(crate) fn changed(&mut self) {
        self.changed_by(Cause::Deed);
    }

    pub(crate) fn changed_by(&mut self, cause: Cause) {
        self.unpublished = self.unpublished.max(Some(cause));
        self.tell_window(UiEvent::Changed);
    }

    pub(crate) fn redraws(&self) -> Option<Redraws> {
        (!self.headless).then(|| self.redraws.clone())
    }
}
