//! What other threads observed, applied to the model.

use std::time::Instant;

use terminal::Mark;

use crate::ids::PaneId;
use crate::inbox::{Event, WorkspaceEvent};
use crate::pane::Pane;
use crate::reducer::Evidence;
use crate::ui_events::UiEvent;
use crate::workspace::{Cause, Workspace};

impl Workspace {
    /// Applies one event of the inbox. Events of panes that are gone are ignored.
    pub fn handle_event(&mut self, event: WorkspaceEvent) {
        match event.0 {
            Event::Mark { pane, at, mark } => self.marked(pane, at, &mark),
            Event::Bell { pane, at } => self.rang(pane, at),
            Event::Exited { pane, at, status } => self.exited(pane, status, at),
            Event::Noted { pane } => self.noted(pane),
            Event::Spawned(spawned) => self.spawned(*spawned),
            Event::Sampled(sample) => {
                let id = sample.pane;
                self.observe(id, |pane, watching| pane.sample(*sample, watching));
            }
            // Collected by `take_ui_events`.
            Event::Redraw => {}
        }
    }

    /// Applies something to a pane and draws the consequences. `apply` gets whether the user looks
    /// at the pane and returns whether anything visible changed.
    pub(crate) fn observe(&mut self, id: PaneId, apply: impl FnOnce(&mut Pane, bool) -> bool) {
        let watching = self.eyes.contains(&id);
        let Some(pane) = self.panes.get_mut(&id) else {
            return;
        };
        let changed = apply(pane, watching);
        let watch = pane.watch_change();
        if let (Some(watch), Some(sampler)) = (watch, &self.sampler) {
            sampler.watch(id, watch);
        }
        if changed {
            self.changed_by(Cause::Observation);
        }
    }

    fn marked(&mut self, id: PaneId, at: Instant, mark: &Mark) {
        self.observe(id, |pane, watching| pane.mark(mark, at, watching));
        if let Some(sampler) = &self.sampler {
            sampler.refresh(id);
        }
    }

    fn rang(&mut self, id: PaneId, at: Instant) {
        self.observe(id, |pane, watching| {
            pane.apply(Evidence::Bell, at, watching)
        });
        let Some(index) = self.tabs.index_of_pane(id) else {
            return;
        };
        let behind = index != self.tabs.active_index();
        if let Some(tab) = self.tabs.get_mut(index)
            && behind
            && !tab.bell
        {
            tab.bell = true;
            self.changed_by(Cause::Observation);
        }
        self.tell_window(UiEvent::Bell(id));
    }

    fn noted(&mut self, id: PaneId) {
        let Some(pane) = self.panes.get(&id) else {
            return;
        };
        let notes = std::mem::take(&mut *pane.notes.lock());
        if let Some(title) = notes.title {
            self.observe(id, |pane, _| pane.set_title(title.as_deref()));
        }
        if let Some(directory) = notes.directory {
            if let Some(sampler) = &self.sampler {
                sampler.told_directory(id, &directory);
            }
            self.observe(id, |pane, _| pane.tell_directory(directory));
        }
        // Only the pane in front may write the clipboard (terminal.md 2.5).
        if let Some(text) = notes.clipboard
            && self.tabs.focused_pane() == Some(id)
        {
            self.tell_window(UiEvent::Clipboard(text));
        }
    }
}
