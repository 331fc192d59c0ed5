//! What each action of the keymap does in this window.

use gpui::{Context, Window};
use protocol::SplitDirection;
use settings::Action;
use terminal::Scroll;
use workspace::{
    Direction, NewTab, PaneDestination, PaneId, PaneTree, Split, SplitError, SplitId, Tab,
    TabContent, TabId,
};

use super::WorkspaceView;
use crate::views::commands::Run;
use crate::views::grid_font::GridFont;
use crate::views::pane_view::PaneView;
use crate::views::{dialogs, palette};

/// How far one key press moves a divider.
const STEP: f64 = 0.03;

impl WorkspaceView {
    pub(super) fn run(&mut self, run: &Run, window: &mut Window, cx: &mut Context<Self>) {
        if self.is_for_the_program(run.0, cx) {
            cx.propagate();
        } else {
            self.perform(run.0, window, cx);
        }
    }

    /// The alternate screen has no history to scroll over, so keys that would do that are the program's there.
    fn is_for_the_program(&self, action: Action, cx: &Context<Self>) -> bool {
        let scrolls = matches!(
            action,
            Action::ScrollPageUp
                | Action::ScrollPageDown
                | Action::ScrollTop
                | Action::ScrollBottom
        );
        let pane = self.workspace(cx).focused_pane();
        let terminal = pane.and_then(|pane| pane.terminal());
        scrolls && terminal.is_some_and(|terminal| terminal.modes().alt_screen)
    }

    fn perform(&mut self, action: Action, window: &mut Window, cx: &mut Context<Self>) {
        match action {
            Action::NewTab => self.new_tab(None, window, cx),
            Action::ClosePane => match self.focused(cx) {
                Some(pane) => self.close_pane(pane, window, cx),
                None => self.close_front_tab(window, cx),
            },
            Action::CommandPalette => self.open_palette(window, cx),
            Action::CloseTab => self.close_front_tab(window, cx),
            Action::RenameTab => self.rename_tab(window, cx),
            Action::NextTab => self.act(cx, |workspace| workspace.cycle_tab(1)),
            Action::PrevTab => self.act(cx, |workspace| workspace.cycle_tab(-1)),
            Action::MoveTabLeft => self.move_tab(-1, cx),
            Action::MoveTabRight => self.move_tab(1, cx),
            Action::Tab1 => self.show_tab(0, window, cx),
            Action::Tab2 => self.show_tab(1, window, cx),
            Action::Tab3 => self.show_tab(2, window, cx),
            Action::Tab4 => self.show_tab(3, window, cx),
            Action::Tab5 => self.show_tab(4, window, cx),
            Action::Tab6 => self.show_tab(5, window, cx),
            Action::Tab7 => self.show_tab(6, window, cx),
            Action::Tab8 => self.show_tab(7, window, cx),
            Action::Tab9 => self.show_tab(8, window, cx),
            Action::SplitRight => self.split_focused(SplitDirection::LeftRight, window, cx),
            Action::SplitDown => self.split_focused(SplitDirection::TopBottom, window, cx),
            Action::FocusLeft => self.focus_direction(Direction::Left, cx),
            Action::FocusRight => self.focus_direction(Direction::Right, cx),
            Action::FocusUp => self.focus_direction(Direction::Up, cx),
            Action::FocusDown => self.focus_direction(Direction::Down, cx),
            Action::ResizePaneLeft => self.move_divider(SplitDirection::LeftRight, -STEP, cx),
            Action::ResizePaneRight => self.move_divider(SplitDirection::LeftRight, STEP, cx),
            Action::ResizePaneUp => self.move_divider(SplitDirection::TopBottom, -STEP, cx),
            Action::ResizePaneDown => self.move_divider(SplitDirection::TopBottom, STEP, cx),
            Action::MovePaneLeft => self.move_pane(Direction::Left, cx),
            Action::MovePaneRight => self.move_pane(Direction::Right, cx),
            Action::MovePaneUp => self.move_pane(Direction::Up, cx),
            Action::MovePaneDown => self.move_pane(Direction::Down, cx),
            Action::ZoomPane => self.toggle_zoom(cx),
            Action::Copy => self.in_pane(cx, |pane, cx| {
                pane.copy(cx);
            }),
            Action::Paste => self.in_pane(cx, |pane, cx| pane.paste(cx)),
            Action::ScrollPageUp => self.scroll(Scroll::PageUp, cx),
            Action::ScrollPageDown => self.scroll(Scroll::PageDown, cx),
            Action::ScrollTop => self.scroll(Scroll::Top, cx),
            Action::ScrollBottom => self.scroll(Scroll::Bottom, cx),
            Action::FontLarger => self.font(|cx| GridFont::step(1.0, cx), window, cx),
            Action::FontSmaller => self.font(|cx| GridFont::step(-1.0, cx), window, cx),
            Action::FontReset => self.font(GridFont::reset, window, cx),
            Action::ToggleSidebar => {
                self.sidebar = !self.sidebar;
                cx.notify();
            }
            Action::OpenSettings => self.act(cx, |workspace| workspace.open_settings_tab()),
            Action::Quit => self.quit(window, cx),
        }
    }

    /// Shows every action with its key.
    pub fn open_palette(&mut self, window: &mut Window, cx: &mut Context<Self>) {
        let keymap = self.workspace(cx).settings().keymap();
        let view = cx.weak_entity();
        palette::open(&keymap, window, cx, move |action, window, cx| {
            if let Some(view) = view.upgrade() {
                view.update(cx, |view, cx| view.perform(action, window, cx));
            }
        });
    }

    /// Opens a tab with this shell, or with that of the settings.
    pub fn new_tab(&mut self, shell: Option<String>, _: &mut Window, cx: &mut Context<Self>) {
        self.act(cx, |workspace| {
            workspace.new_tab(NewTab { cwd: None, shell })
        });
    }

    /// Brings a tab to the front.
    pub fn select_tab(&mut self, tab: TabId, window: &mut Window, cx: &mut Context<Self>) {
        self.act(cx, |workspace| workspace.activate_tab(tab));
        self.give_keys(window, cx);
    }

    /// Brings a pane to the front and gives it the keys.
    pub fn focus_pane(&mut self, pane: PaneId, window: &mut Window, cx: &mut Context<Self>) {
        self.act(cx, |workspace| workspace.focus_pane(pane));
        self.give_keys(window, cx);
    }

    /// Divides a pane.
    pub fn split(
        &mut self,
        pane: PaneId,
        direction: SplitDirection,
        window: &mut Window,
        cx: &mut Context<Self>,
    ) {
        match self.act(cx, |workspace| workspace.split(pane, direction)) {
            Ok(_) | Err(SplitError::NoPane) => {}
            Err(SplitError::TooSmall) => self.warn("error.split_too_small", window, cx),
        }
    }

    pub(super) fn focused(&self, cx: &Context<Self>) -> Option<PaneId> {
        self.workspace(cx).focused_pane().map(|pane| pane.id())
    }

    fn split_focused(
        &mut self,
        direction: SplitDirection,
        window: &mut Window,
        cx: &mut Context<Self>,
    ) {
        if let Some(pane) = self.focused(cx) {
            self.split(pane, direction, window, cx);
        }
    }

    fn show_tab(&mut self, index: usize, window: &mut Window, cx: &mut Context<Self>) {
        if let Some(tab) = self.workspace(cx).tabs().get(index).map(Tab::id) {
            self.select_tab(tab, window, cx);
        }
    }

    fn move_tab(&mut self, by: isize, cx: &mut Context<Self>) {
        let from = self.workspace(cx).active_index();
        if let Some(to) = from.checked_add_signed(by) {
            let moved = self.act(cx, |workspace| workspace.move_tab(from, to));
            if moved.is_none() {
                tracing::debug!("the tab is the last one, so it stays where it is");
            }
        }
    }

    fn rename_tab(&mut self, window: &mut Window, cx: &mut Context<Self>) {
        let front = self.workspace(cx).active_tab();
        let Some((tab, name)) =
            front.map(|tab| (tab.id(), tab.name().unwrap_or_default().to_owned()))
        else {
            return;
        };
        let view = cx.weak_entity();
        dialogs::rename_tab(&name, window, cx, move |name, _, cx| {
            if let Some(view) = view.upgrade() {
                view.update(cx, |view, cx| {
                    view.act(cx, |workspace| workspace.rename_tab(tab, name.trim()));
                });
            }
        });
    }

    fn focus_direction(&mut self, direction: Direction, cx: &mut Context<Self>) {
        self.act(cx, |workspace| workspace.focus_direction(direction));
    }

    fn move_pane(&mut self, direction: Direction, cx: &mut Context<Self>) {
        let group = self.workspace(cx).active_tab().and_then(Tab::group);
        let Some((pane, neighbour)) =
            group.and_then(|group| Some((group.focus(), group.neighbour(direction)?)))
        else {
            return;
        };
        self.act(cx, |workspace| {
            workspace.move_pane(pane, PaneDestination::Beside(neighbour, direction))
        });
    }

    /// Moves the nearest divider of this direction around the focused pane.
    fn move_divider(&mut self, direction: SplitDirection, by: f64, cx: &mut Context<Self>) {
        let Some((tab, split, ratio)) = self.workspace(cx).active_tab().and_then(|tab| {
            let group = tab.group()?;
            let (split, ratio) = nearest_split(group.tree(), group.focus(), direction)?;
            Some((tab.id(), split, ratio))
        }) else {
            return;
        };
        self.act(cx, |workspace| {
            workspace.resize_split(tab, split, ratio + by)
        });
    }

    fn toggle_zoom(&mut self, cx: &mut Context<Self>) {
        let front = self.workspace(cx).active_tab().map(Tab::content);
        if let Some(TabContent::Panes(group)) = front {
            let (pane, zoomed) = (group.focus(), group.zoomed().is_some());
            if zoomed || group.tree().panes().len() > 1 {
                self.act(cx, |workspace| workspace.zoom(pane, !zoomed));
            }
        }
    }

    fn in_pane(
        &mut self,
        cx: &mut Context<Self>,
        act: impl FnOnce(&mut PaneView, &mut Context<PaneView>),
    ) {
        let pane = self.focused(cx);
        let view = pane.and_then(|pane| self.area.read(cx).pane(pane).cloned());
        if let Some(view) = view {
            view.update(cx, act);
        }
    }

    fn scroll(&mut self, scroll: Scroll, cx: &mut Context<Self>) {
        self.in_pane(cx, |pane, cx| pane.scroll(scroll, cx));
    }

    fn font(
        &mut self,
        change: impl FnOnce(&mut gpui::App),
        window: &mut Window,
        cx: &mut Context<Self>,
    ) {
        change(cx);
        window.refresh();
    }
}

/// The innermost split of this direction that has the pane on one of its sides.
fn nearest_split(
    tree: &PaneTree,
    pane: PaneId,
    direction: SplitDirection,
) -> Option<(SplitId, f64)> {
    let PaneTree::Split(split) = tree else {
        return None;
    };
    let Split {
        id,
        ratio,
        first,
        second,
        ..
    } = split.as_ref();
    let side = [first, second]
        .into_iter()
        .find(|side| side.contains(pane))?;
    nearest_split(side, pane, direction)
        .or_else(|| (split.direction == direction).then_some((*id, *ratio)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(id: u64, direction: SplitDirection, first: PaneTree, second: PaneTree) -> PaneTree {
        PaneTree::Split(Box::new(Split {
            id: SplitId(id),
            direction,
            ratio: 0.5,
            first,
            second,
        }))
    }

    #[test]
    fn the_divider_that_moves_is_the_nearest_of_its_direction() {
        let leaf = |id| PaneTree::Leaf(PaneId(id));
        let right = split(2, SplitDirection::TopBottom, leaf(2), leaf(3));
        let tree = split(1, SplitDirection::LeftRight, leaf(1), right);
        let found = |pane, direction| nearest_split(&tree, PaneId(pane), direction).map(|it| it.0);
        assert_eq!(found(3, SplitDirection::TopBottom), Some(SplitId(2)));
        assert_eq!(found(3, SplitDirection::LeftRight), Some(SplitId(1)));
        assert_eq!(found(1, SplitDirection::TopBottom), None);
        assert_eq!(found(9, SplitDirection::LeftRight), None);
    }
}
