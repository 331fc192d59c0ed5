//! The area below the title bar: the panes of the tab in front with their dividers, or the settings page.
//!
//! Shares come from the workspace's own geometry, so what is drawn and what "the pane to the right" means cannot
//! disagree. Only panes that are on the screen have an element, so nothing is drawn for the others.

mod divider;
mod frame;

use std::collections::HashMap;

use gpui::{
    AnyElement, AnyView, Context, Entity, Focusable as _, InteractiveElement as _, IntoElement,
    ParentElement as _, Render, StyleRefinement, Styled as _, WeakEntity, Window, div,
    prelude::FluentBuilder as _, relative,
};
use gpui_component::ActiveTheme as _;
use workspace::{PaneId, PaneTree, areas, dividers};

use super::content::{Area, PaneFrame};
use super::pane_view::PaneView;
use super::settings_page::SettingsPage;
use super::workspace_view::WorkspaceView;

/// See the module.
pub struct PaneArea {
    root: WeakEntity<WorkspaceView>,
    area: Area,
    panes: HashMap<PaneId, Entity<PaneView>>,
    settings: Entity<SettingsPage>,
}

impl PaneArea {
    /// An empty area of `root`.
    pub fn new(root: WeakEntity<WorkspaceView>, settings: Entity<SettingsPage>) -> Self {
        Self {
            root,
            area: Area::Empty,
            panes: HashMap::new(),
            settings,
        }
    }

    /// Shows this area.
    pub fn show(&mut self, area: Area, cx: &mut Context<Self>) {
        if self.area != area {
            self.area = area;
            cx.notify();
        }
    }

    /// The views of the panes.
    pub fn panes(&mut self) -> &mut HashMap<PaneId, Entity<PaneView>> {
        &mut self.panes
    }

    /// The panes that have a view.
    pub fn known(&self) -> impl Iterator<Item = PaneId> + '_ {
        self.panes.keys().copied()
    }

    /// The view of a pane.
    pub fn pane(&self, pane: PaneId) -> Option<&Entity<PaneView>> {
        self.panes.get(&pane)
    }

    /// The panes on the screen.
    pub fn visible(&self) -> Vec<PaneId> {
        match &self.area {
            Area::Panes { tree, .. } => tree.panes(),
            Area::Settings | Area::Empty => Vec::new(),
        }
    }

    /// Whether one terminal covers the whole area.
    fn is_covered(&self) -> bool {
        match &self.area {
            Area::Panes { tree, zoomed, .. } => match tree {
                PaneTree::Leaf(pane) => !zoomed && self.panes.contains_key(pane),
                PaneTree::Split(_) => false,
            },
            Area::Settings | Area::Empty => false,
        }
    }

    /// Draws a pane anew, if it is on the screen.
    pub fn redraw(&self, pane: PaneId, cx: &mut Context<Self>) {
        if self.visible().contains(&pane)
            && let Some(view) = self.panes.get(&pane)
        {
            view.update(cx, |_, cx| cx.notify());
        }
    }

    /// Gives the keys to what is in front.
    pub fn focus(&self, window: &mut Window, cx: &mut Context<Self>) {
        let handle = match &self.area {
            Area::Panes { focus, .. } => self.panes.get(focus).map(|view| view.focus_handle(cx)),
            Area::Settings => Some(self.settings.focus_handle(cx)),
            Area::Empty => None,
        };
        if let Some(handle) = handle
            && !handle.contains_focused(window, cx)
        {
            handle.focus(window, cx);
        }
    }

    fn panes_of(
        &self,
        tree: &PaneTree,
        focus: PaneId,
        zoomed: bool,
        frames: &[PaneFrame],
        cx: &mut Context<Self>,
    ) -> AnyElement {
        let several = zoomed || !matches!(tree, PaneTree::Leaf(_));
        let share = |value: f64| relative(value as f32);
        let mut children: Vec<AnyElement> = Vec::new();
        for (pane, area) in areas(tree) {
            let Some(frame) = frames.iter().find(|frame| frame.pane == pane) else {
                continue;
            };
            let view = self.panes.get(&pane).map(|view| {
                let full = StyleRefinement::default().size_full();
                AnyView::from(view.clone()).cached(full).into_any_element()
            });
            let look = frame::Look {
                several,
                zoomed,
                focused: pane == focus,
            };
            let framed = frame::frame(frame, look, view, &self.root, cx);
            let place = div()
                .absolute()
                .left(share(area.x))
                .top(share(area.y))
                .w(share(area.width))
                .h(share(area.height));
            children.push(place.child(framed).into_any_element());
        }
        let lines = dividers(tree)
            .into_iter()
            .map(|divider| divider::divider(&divider, cx));
        div()
            .id("panes")
            .relative()
            .size_full()
            .children(children)
            .children(lines.collect::<Vec<_>>())
            .on_drag_move(cx.listener(Self::drag_divider))
            .into_any_element()
    }

    fn drag_divider(
        &mut self,
        event: &gpui::DragMoveEvent<divider::Dragged>,
        _: &mut Window,
        cx: &mut Context<Self>,
    ) {
        let Area::Panes { tab, .. } = self.area else {
            return;
        };
        let dragged = *event.drag(cx);
        let ratio = dragged.ratio_at(event.event.position, event.bounds);
        if let Some(root) = self.root.upgrade() {
            root.update(cx, |root, cx| {
                root.act(cx, |workspace| {
                    workspace.resize_split(tab, dragged.split(), ratio)
                });
            });
        }
    }
}

impl Render for PaneArea {
    fn render(&mut self, _: &mut Window, cx: &mut Context<Self>) -> impl IntoElement {
        let content = match self.area.clone() {
            Area::Empty => div().into_any_element(),
            Area::Settings => self.settings.clone().into_any_element(),
            Area::Panes {
                tree,
                focus,
                zoomed,
                frames,
                ..
            } => self.panes_of(&tree, focus, zoomed, &frames, cx),
        };
        let ground = cx.theme().background;
        div()
            .id("area")
            .size_full()
            .overflow_hidden()
            .when(!self.is_covered(), |it| it.bg(ground))
            .child(content)
    }
}
