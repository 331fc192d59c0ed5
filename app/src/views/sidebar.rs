//! The sidebar: every pane of every tab, grouped by state, the most urgent group first.

use gpui::{
    App, Context, ElementId, InteractiveElement as _, IntoElement, ParentElement as _, Render,
    StatefulInteractiveElement as _, Styled as _, WeakEntity, Window, div,
    prelude::FluentBuilder as _, px,
};
use gpui_component::sidebar::{Sidebar, SidebarGroup, SidebarItem};
use gpui_component::{ActiveTheme as _, Collapsible, h_flex, v_flex};
use rust_i18n::t;

use super::content::PaneRow;
use super::state_mark::{self, BY_URGENCY};
use super::workspace_view::WorkspaceView;

/// Width of the sidebar.
pub const WIDTH: f32 = 224.0;

/// See the module.
pub struct PaneList {
    root: WeakEntity<WorkspaceView>,
    rows: Vec<PaneRow>,
}

impl PaneList {
    /// An empty list of `root`.
    pub fn new(root: WeakEntity<WorkspaceView>) -> Self {
        Self {
            root,
            rows: Vec::new(),
        }
    }

    /// Shows these rows, which come sorted by urgency.
    pub fn show(&mut self, rows: Vec<PaneRow>, cx: &mut Context<Self>) {
        if self.rows != rows {
            self.rows = rows;
            cx.notify();
        }
    }
}

impl Render for PaneList {
    fn render(&mut self, _: &mut Window, _: &mut Context<Self>) -> impl IntoElement {
        let groups = BY_URGENCY.into_iter().filter_map(|state| {
            let rows: Vec<Row> = self
                .rows
                .iter()
                .filter(|row| row.state == state)
                .map(|row| Row {
                    row: row.clone(),
                    root: self.root.clone(),
                })
                .collect();
            let heading = state_mark::heading(state);
            (!rows.is_empty()).then(|| SidebarGroup::new(heading).children(rows))
        });
        let groups: Vec<_> = groups.collect();
        div()
            .id("panes")
            .role(gpui::Role::List)
            .aria_label(t!("pane.list").into_owned())
            .h_full()
            .child(
                Sidebar::new("sidebar")
                    .collapsible(false)
                    .w(px(WIDTH))
                    .children(groups),
            )
    }
}

/// One pane in the list.
#[derive(Clone)]
struct Row {
    row: PaneRow,
    root: WeakEntity<WorkspaceView>,
}

impl Collapsible for Row {
    fn is_collapsed(&self) -> bool {
        false
    }

    fn collapsed(self, _: bool) -> Self {
        self
    }
}

impl SidebarItem for Row {
    fn render(self, id: impl Into<ElementId>, _: &mut Window, cx: &mut App) -> impl IntoElement {
        let Self { row, root } = self;
        let theme = cx.theme();
        let (muted, hover) = (theme.muted_foreground, theme.sidebar_accent);
        let word = state_mark::word(row.state);
        let colour = state_mark::colour(row.state, cx);
        let spoken = format!("{}, {word}, {}, {}", row.title, row.place, row.lasting);
        h_flex()
            .id(id)
            .role(gpui::Role::ListItem)
            .aria_label(spoken)
            .items_start()
            .gap_2()
            .px_2()
            .py_1()
            .rounded(cx.theme().radius)
            .cursor_pointer()
            .hover(move |style| style.bg(hover))
            .when(row.focused, |it| it.bg(hover))
            .child(div().pt(px(3.0)).child(state_mark::icon(row.state, cx)))
            .child(
                v_flex()
                    .flex_1()
                    .min_w_0()
                    .child(
                        h_flex()
                            .gap_2()
                            .justify_between()
                            .child(
                                div()
                                    .text_sm()
                                    .truncate()
                                    .when(row.unseen, |it| it.font_weight(gpui::FontWeight::BOLD))
                                    .child(row.title),
                            )
                            .child(
                                div()
                                    .flex_none()
                                    .text_xs()
                                    .text_color(muted)
                                    .child(row.lasting),
                            ),
                    )
                    .child(
                        h_flex()
                            .gap_1()
                            .text_xs()
                            .child(div().flex_none().text_color(colour).child(word))
                            .child(
                                div()
                                    .min_w_0()
                                    .truncate()
                                    .text_color(muted)
                                    .child(row.place),
                            ),
                    ),
            )
            .on_click(move |_, window, cx| {
                if let Some(root) = root.upgrade() {
                    root.update(cx, |root, cx| root.focus_pane(row.pane, window, cx));
                }
            })
    }
}
