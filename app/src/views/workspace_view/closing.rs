//! Closing panes, tabs and the window: asks once when something runs there, naming it.

use gpui::{Context, Window};
use rust_i18n::t;
use workspace::{Busy, PaneId, Tab, TabId, Workspace};

use super::WorkspaceView;
use crate::views::dialogs;

impl WorkspaceView {
    /// Closes a pane.
    pub fn close_pane(&mut self, pane: PaneId, window: &mut Window, cx: &mut Context<Self>) {
        self.close("confirm.close_pane", window, cx, move |workspace, force| {
            workspace.close_pane(pane, force)
        });
    }

    /// Closes a tab.
    pub fn close_tab(&mut self, tab: TabId, window: &mut Window, cx: &mut Context<Self>) {
        self.close("confirm.close_tab", window, cx, move |workspace, force| {
            workspace.close_tab(tab, force)
        });
    }

    /// Closes the window; with `ui.keep_session` the panes live on.
    pub fn close_window(&mut self, window: &mut Window, cx: &mut Context<Self>) {
        self.close("confirm.close_window", window, cx, Workspace::close_window);
    }

    pub(super) fn close_front_tab(&mut self, window: &mut Window, cx: &mut Context<Self>) {
        if let Some(tab) = self.workspace(cx).active_tab().map(Tab::id) {
            self.close_tab(tab, window, cx);
        }
    }

    pub(super) fn quit(&mut self, window: &mut Window, cx: &mut Context<Self>) {
        self.close("confirm.close_window", window, cx, |workspace, force| {
            if !force {
                workspace.busy()?;
            }
            workspace.quit();
            Ok(())
        });
    }

    fn close(
        &mut self,
        question: &'static str,
        window: &mut Window,
        cx: &mut Context<Self>,
        close: impl Fn(&mut Workspace, bool) -> Result<(), Busy> + 'static,
    ) {
        let force = !self.workspace(cx).settings().current().ui.confirm_close;
        let Err(busy) = self.act(cx, |workspace| close(workspace, force)) else {
            return;
        };
        let view = cx.weak_entity();
        let question = t!(question).into_owned().into();
        dialogs::confirm_close(question, &busy, window, cx, move |_, cx| {
            let Some(view) = view.upgrade() else {
                return;
            };
            let closed = view.update(cx, |view, cx| {
                view.act(cx, |workspace| close(workspace, true))
            });
            if let Err(busy) = closed {
                tracing::warn!(%busy, "a forced close was refused");
            }
        });
    }
}
