//! The ends of things: panes whose process ended, panes that are closed, the program itself.
//!
//! Every end of a pane is recorded once it is certain (`exited` when the root process ended,
//! `closed` otherwise), its token is revoked, what is left of its processes is killed, and whoever
//! waits for an answer about it gets one.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use protocol::{ApiError, LifecycleEvent};
use runtime::{Answered, Closing, closing};
use terminal::{ExitStatus, Terminal};

use crate::busy::Busy;
use crate::ids::{PaneId, TabId};
use crate::inbox::Event;
use crate::leftovers::Leftovers;
use crate::ui_events::UiEvent;
use crate::workspace::Workspace;

/// A failure this soon after the start is most likely a broken setup; its message must be seen
/// (terminal.md 1.6).
const EARLY_FAILURE: Duration = Duration::from_secs(2);
/// A terminal has killed what is left in it for good before this is over.
const KILL_MAX: Duration = Duration::from_secs(4);

/// The terminal of a pane that is gone.
pub(crate) struct Dying {
    terminal: Terminal,
    /// Its root process, also after that ended.
    root: Option<u32>,
    since: Instant,
}

impl Dying {
    pub(crate) fn new(terminal: Terminal, root: Option<u32>) -> Self {
        Self {
            terminal,
            root,
            since: Instant::now(),
        }
    }

    /// Its root process lives, or what outlived that may not have been killed yet.
    pub(crate) fn may_be_left(&self, now: Instant) -> bool {
        !self.terminal.is_exited() || now.saturating_duration_since(self.since) < KILL_MAX
    }
}

impl Workspace {
    /// Closes a pane, its tab when it was the last one there, and the program when that was the
    /// last tab.
    ///
    /// # Errors
    /// When the pane is busy and `force` is false. Nothing is closed then.
    pub fn close_pane(&mut self, pane: PaneId, force: bool) -> Result<(), Busy> {
        if !force {
            self.busy_among(&[pane])?;
        }
        self.remove(&[pane], LifecycleEvent::Closed, ExitStatus::default());
        Ok(())
    }

    /// Closes a tab with all its panes, and the program when it was the last tab.
    ///
    /// # Errors
    /// When one of its panes is busy and `force` is false. Nothing is closed then.
    pub fn close_tab(&mut self, tab: TabId, force: bool) -> Result<(), Busy> {
        let Some(index) = self.tabs.index_of(tab) else {
            return Ok(());
        };
        let panes = self
            .tabs
            .get(index)
            .map(|tab| tab.panes())
            .unwrap_or_default();
        if !force {
            self.busy_among(&panes)?;
        }
        if panes.is_empty() {
            self.tabs.remove(index);
            self.settle_layout();
            self.quit_if_empty();
        } else {
            self.remove(&panes, LifecycleEvent::Closed, ExitStatus::default());
        }
        Ok(())
    }

    /// Closes the window. With the setting `ui.keep_session` it is hidden and its panes live on;
    /// otherwise, and always without a window, the program ends.
    ///
    /// # Errors
    /// When it would end busy panes and `force` is false.
    pub fn close_window(&mut self, force: bool) -> Result<(), Busy> {
        if !self.headless && self.settings.current().ui.keep_session {
            self.hidden = true;
            self.eyes.clear();
            self.window_focused = false;
            self.tell_window(UiEvent::Hide);
            self.changed();
            return Ok(());
        }
        if !force {
            self.busy()?;
        }
        self.quit();
        Ok(())
    }

    /// Ends the program without asking. The owner sees it by [`Workspace::is_quitting`], a window
    /// by [`UiEvent::Quit`].
    pub fn quit(&mut self) {
        if !self.quitting {
            self.quitting = true;
            self.tell_window(UiEvent::Quit);
            // A person who ends it does so between two steps of the owner, who sleeps.
            self.outbox.offer(Event::Redraw);
        }
    }

    /// The program is to end.
    pub fn is_quitting(&self) -> bool {
        self.quitting
    }

    /// When the request that ended the program is to be answered first, the owner waits for this,
    /// with a limit of its own, before it shuts down.
    pub fn take_answered(&mut self) -> Option<Answered> {
        self.answered.take()
    }

    /// Kills what runs in every pane and ends all waits and subscriptions. Returns at once; the
    /// owner goes on serving the inbox until [`Workspace::is_ended`], with a limit of its own.
    pub fn shutdown(&mut self) {
        self.quitting = true;
        self.publish_if_changed(Instant::now());
        let mut roots: BTreeSet<u32> = self.dying.iter().filter_map(|dying| dying.root).collect();
        for (pane, view) in &self.panes {
            self.endpoint.revoke(pane.to_ref());
            roots.extend(view.root());
            if let Some(terminal) = view.terminal() {
                terminal.kill();
            }
        }
        for (_, held) in std::mem::take(&mut self.held) {
            held.fail(ApiError::unavailable("the program is ending", "quitting"));
        }
        self.early.clear();
        self.hub.shut_down();
        self.leftovers = Some(Leftovers::watch(roots, self.outbox.clone()));
    }

    /// After a shutdown: no process of any pane is left.
    pub fn is_ended(&self) -> bool {
        let living = self.panes.values().filter_map(|pane| pane.terminal());
        let dying = self.dying.iter().map(|dying| &dying.terminal);
        living.chain(dying).all(|terminal| terminal.is_exited())
            && self.pending.is_empty()
            && self.leftovers.as_ref().is_none_or(Leftovers::are_gone)
    }

    /// An end of the program whose request is still to be answered.
    pub(crate) fn answer_first(&mut self) -> Closing {
        let (closing, answered) = closing();
        self.answered = Some(answered);
        closing
    }

    /// The root process of a pane ended and all its output was read.
    pub(crate) fn exited(&mut self, id: PaneId, status: ExitStatus, at: Instant) {
        let watching = self.eyes.contains(&id);
        let hold_all = self.settings.current().panes.hold_on_exit;
        let Some(pane) = self.panes.get_mut(&id).filter(|pane| !pane.is_over()) else {
            return;
        };
        let failed = status.code != Some(0);
        let hold = hold_all || (failed && pane.age(at) < EARLY_FAILURE);
        if !hold || self.quitting {
            self.remove(&[id], LifecycleEvent::Exited, status);
            return;
        }
        pane.hold(status, at, watching);
        self.endpoint.revoke(id.to_ref());
        if let Some(sampler) = &self.sampler {
            sampler.remove(id);
        }
        self.hub.record_lifecycle(
            id.to_ref(),
            LifecycleEvent::Exited,
            status.code,
            status.signal,
        );
        self.give_up_gap(id);
        self.changed();
    }

    /// Answers the request whose Enter can no more be written, once the end of its pane is
    /// recorded.
    fn give_up_gap(&mut self, id: PaneId) {
        if let Some(held) = self.held.remove(&id) {
            held.fail(self.pane_over(id));
        }
    }

    fn remove(&mut self, panes: &[PaneId], event: LifecycleEvent, status: ExitStatus) {
        for pane in panes {
            if self.tabs.remove_pane(*pane).is_some() {
                self.forget(*pane, event, status);
            }
        }
        self.settle_layout();
        self.quit_if_empty();
    }

    /// Drops a pane that is in no tab any more.
    pub(crate) fn forget(&mut self, id: PaneId, event: LifecycleEvent, status: ExitStatus) {
        let Some(pane) = self.panes.remove(&id) else {
            return;
        };
        self.endpoint.revoke(id.to_ref());
        self.hub
            .record_lifecycle(id.to_ref(), event, status.code, status.signal);
        if let Some(sampler) = &self.sampler {
            sampler.remove(id);
        }
        self.eyes.remove(&id);
        self.give_up_gap(id);
        if let Some(terminal) = pane.terminal() {
            // What a shell left running in the background when it ended by itself is none of our
            // business; what a closed pane leaves running is.
            let root = pane.root().filter(|_| event == LifecycleEvent::Closed);
            terminal.kill();
            self.dying.push(Dying::new(terminal.clone(), root));
        }
    }

    /// The program ends with its last tab. A tab that is just being opened counts.
    pub(crate) fn quit_if_empty(&mut self) {
        if self.started && self.tabs.is_empty() && self.pending.is_empty() {
            self.quit();
        }
    }
}
