//! Windows, tabs and the arrangement of panes (control-api.md 9.4 and 9.5).

use std::path::{Path, PathBuf};

use protocol::{
    Action, ApiError, PaneCloseParams, PaneResizeParams, PaneSplitParams, PaneZoomParams,
    SplitDirection, TabCloseParams, TabMoveParams, TabNewParams, TabRenameParams,
    WindowCloseParams, WindowCreateParams, WindowFocusParams,
};
use runtime::{Outcome, Reply};

use super::{Answer, Step};
use crate::actions::SplitError;
use crate::ids::{PaneId, WINDOW_ID};
use crate::launch::{Asker, NewTab};
use crate::workspace::Workspace;

/// Looks at the parameters, which needs the disk, and then says that there is only one window.
pub(super) fn window_create(params: WindowCreateParams) -> Outcome {
    Outcome::Job(Box::new(move || {
        if let Some(cwd) = &params.cwd
            && !(Path::new(cwd).is_absolute() && Path::new(cwd).is_dir())
        {
            let reason = "must be the absolute path of an existing directory";
            return Err(ApiError::invalid_params("cwd", reason));
        }
        Err(
            ApiError::unavailable("there is one workspace window", "single_workspace_window")
                .with_detail("window_id", WINDOW_ID),
        )
    }))
}

impl Workspace {
    pub(super) fn window_focus(&mut self, params: &WindowFocusParams) -> Answer {
        self.resolve_window(params.window_id)?;
        if let Some(pane) = params.pane_id {
            let pane = self.resolve_pane(params.window_id, pane)?;
            self.focus_pane(pane);
        }
        if !self.headless {
            self.reveal();
        }
        let focused = self.tabs.focused_pane().map(|pane| pane.0);
        Ok(self.done(Action::Pane {
            window_id: WINDOW_ID,
            pane_id: focused,
        }))
    }

    pub(super) fn window_close(&mut self, params: &WindowCloseParams) -> Answer {
        self.resolve_window(params.window_id)?;
        self.close_window(params.force == Some(true))?;
        Ok(self.done(Action::Window {
            window_id: WINDOW_ID,
        }))
    }

    pub(super) fn tab_new(&mut self, params: TabNewParams, reply: Reply) -> Step {
        if let Err(error) = self.resolve_window(params.window_id) {
            return Step::Now(reply, Err(error));
        }
        let tab = NewTab {
            cwd: params.cwd.map(PathBuf::from),
            shell: params.shell,
        };
        self.begin_tab(tab, Asker::Api(reply));
        Step::Later
    }

    pub(super) fn tab_close(&mut self, params: &TabCloseParams) -> Answer {
        let index = self.resolve_tab(params.window_id, params.tab_index)?;
        if let Some(tab) = self.tabs.get(index).map(|tab| tab.id()) {
            self.close_tab(tab, params.force == Some(true))?;
        }
        Ok(self.done(Action::Tab {
            window_id: WINDOW_ID,
            tab_index: index,
        }))
    }

    pub(super) fn tab_rename(&mut self, params: TabRenameParams) -> Answer {
        let index = self.resolve_tab(params.window_id, params.tab_index)?;
        if let Some(tab) = self.tabs.get(index).map(|tab| tab.id()) {
            self.rename_tab(tab, &params.name);
        }
        let name = params.name;
        Ok(self.done(Action::TabName {
            window_id: WINDOW_ID,
            tab_index: index,
            name,
        }))
    }

    pub(super) fn tab_move(&mut self, params: &TabMoveParams) -> Answer {
        let from = self.resolve_tab(params.window_id, params.tab_index)?;
        let to = self.resolve_tab(params.window_id, params.to_index)?;
        self.move_tab(from, to);
        Ok(self.done(Action::TabMove {
            window_id: WINDOW_ID,
            tab_index: from,
            to_index: to,
        }))
    }

    pub(super) fn pane_split(&mut self, params: PaneSplitParams, reply: Reply) -> Step {
        match self.splittable(&params) {
            Ok(pane) => {
                self.begin_split(pane, params.direction, Asker::Api(reply));
                Step::Later
            }
            Err(error) => Step::Now(reply, Err(error)),
        }
    }

    fn splittable(&self, params: &PaneSplitParams) -> Result<PaneId, ApiError> {
        let pane = self.resolve_pane_or_focused(params.window_id, params.pane_id)?;
        self.living(pane)?;
        self.can_split(pane, params.direction)
            .map_err(|error| match error {
                SplitError::NoPane => ApiError::no_pane(pane.0),
                SplitError::TooSmall => {
                    let reason = match params.direction {
                        SplitDirection::LeftRight => "too_narrow",
                        SplitDirection::TopBottom => "too_low",
                    };
                    ApiError::invalid_state(format!("{error}: enlarge it or close another"), reason)
                }
            })?;
        Ok(pane)
    }

    pub(super) fn pane_close(&mut self, params: &PaneCloseParams) -> Answer {
        let pane = self.resolve_pane(params.window_id, params.pane_id)?;
        self.close_pane(pane, params.force == Some(true))?;
        Ok(self.done(Action::Pane {
            window_id: WINDOW_ID,
            pane_id: Some(pane.0),
        }))
    }

    pub(super) fn pane_zoom(&mut self, params: &PaneZoomParams) -> Answer {
        let pane = self.resolve_pane(params.window_id, params.pane_id)?;
        let zoomed = params.zoomed;
        self.zoom(pane, zoomed);
        Ok(self.done(Action::Zoom {
            window_id: WINDOW_ID,
            pane_id: pane.0,
            zoomed,
        }))
    }

    pub(super) fn pane_resize(&mut self, params: &PaneResizeParams) -> Answer {
        let pane = self.resolve_pane(params.window_id, params.pane_id)?;
        let ratio = params.ratio;
        if !self.resize_pane(pane, ratio) {
            let message = format!("pane {pane} fills its tab and has no divider");
            return Err(ApiError::invalid_state(message, "no_parent_split"));
        }
        Ok(self.done(Action::Resize {
            window_id: WINDOW_ID,
            pane_id: pane.0,
            ratio,
        }))
    }
}
