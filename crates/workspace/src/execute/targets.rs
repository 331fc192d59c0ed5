//! Which window, tab or pane a request means (control-api.md 9.2).

use protocol::ApiError;
use serde_json::json;
use terminal::Terminal;

use crate::ids::{PaneId, WINDOW_ID};
use crate::pane::Pane;
use crate::workspace::Workspace;

impl Workspace {
    /// The window a request means. There is one, so an absent id means it.
    pub(super) fn resolve_window(&self, window_id: Option<u64>) -> Result<(), ApiError> {
        match window_id {
            None | Some(WINDOW_ID) => Ok(()),
            Some(id) => Err(ApiError::target_not_found(
                format!("no window {id}"),
                json!({ "window_id": id }),
            )),
        }
    }

    /// The tab at an index.
    pub(super) fn resolve_tab(
        &self,
        window_id: Option<u64>,
        index: usize,
    ) -> Result<usize, ApiError> {
        self.resolve_window(window_id)?;
        if index < self.tabs.as_slice().len() {
            return Ok(index);
        }
        let mut details = json!({ "tab_index": index });
        if let (Some(id), Some(details)) = (window_id, details.as_object_mut()) {
            details.insert("window_id".to_owned(), id.into());
        }
        Err(ApiError::target_not_found(
            format!("no tab {index}"),
            details,
        ))
    }

    /// A pane, dead or alive.
    pub(super) fn resolve_pane(
        &self,
        window_id: Option<u64>,
        pane_id: u64,
    ) -> Result<PaneId, ApiError> {
        self.resolve_window(window_id)?;
        let pane = PaneId(pane_id);
        if self.panes.contains_key(&pane) {
            return Ok(pane);
        }
        let error = ApiError::no_pane(pane_id);
        Err(match window_id {
            Some(id) => error.with_detail("window_id", id),
            None => error,
        })
    }

    /// A pane, or the focused one of the tab in front.
    pub(super) fn resolve_pane_or_focused(
        &self,
        window_id: Option<u64>,
        pane_id: Option<u64>,
    ) -> Result<PaneId, ApiError> {
        if let Some(pane_id) = pane_id {
            return self.resolve_pane(window_id, pane_id);
        }
        self.resolve_window(window_id)?;
        self.tabs.focused_pane().ok_or_else(|| {
            ApiError::invalid_state("the tab in front has no terminal", "no_focused_pane")
        })
    }

    /// A pane whose root process lives.
    pub(super) fn resolve_living(
        &self,
        window_id: Option<u64>,
        pane_id: u64,
    ) -> Result<(PaneId, &Pane, &Terminal), ApiError> {
        let id = self.resolve_pane(window_id, pane_id)?;
        self.living(id)
    }

    /// The pane and its terminal, unless its root process has ended.
    pub(super) fn living(&self, id: PaneId) -> Result<(PaneId, &Pane, &Terminal), ApiError> {
        let pane = self.panes.get(&id).ok_or_else(|| self.pane_over(id))?;
        match pane.terminal() {
            Some(terminal) if !pane.is_over() => Ok((id, pane, terminal)),
            Some(_) | None => Err(self.pane_over(id)),
        }
    }

    /// The error about a pane that was there and whose root process has ended, or that is gone
    /// meanwhile; its details are the lifecycle record.
    pub(crate) fn pane_over(&self, id: PaneId) -> ApiError {
        let held = self.panes.get(&id).map(Pane::state);
        self.hub.over(id.to_ref(), held)
    }
}
