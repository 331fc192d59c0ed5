//! The title bar: tabs, the button for a new one, and the commands.
//!
//! Tabs that do not fit scroll, so that the buttons keep their place; the one in front is always in view.

use gpui::{
    AnyElement, App, Context, InteractiveElement as _, IntoElement, MouseButton,
    ParentElement as _, Render, ScrollHandle, SharedString, StatefulInteractiveElement as _,
    Styled as _, WeakEntity, Window, div, prelude::FluentBuilder as _, px,
};
use gpui_component::button::{Button, ButtonVariants as _};
use gpui_component::menu::{DropdownMenu as _, PopupMenuItem};
use gpui_component::tab::{Tab, TabBar};
use gpui_component::{ActiveTheme as _, IconName, Sizable as _, TitleBar, h_flex};
use rust_i18n::t;
use settings::Action;
use workspace::TabId;

use super::commands::run;
use super::content::TabLabel;
use super::state_mark;
use super::workspace_view::WorkspaceView;

/// Widest title of a tab; longer ones end in an ellipsis.
const TITLE_WIDTH: f32 = 180.0;

/// See the module.
pub struct TitleTabs {
    root: WeakEntity<WorkspaceView>,
    tabs: Vec<TabLabel>,
    shells: Vec<SharedString>,
    scroll: ScrollHandle,
}

impl TitleTabs {
    /// An empty title bar of `root`.
    pub fn new(root: WeakEntity<WorkspaceView>) -> Self {
        Self {
            root,
            tabs: Vec::new(),
            shells: Vec::new(),
            scroll: ScrollHandle::new(),
        }
    }

    /// Shows these tabs.
    pub fn show(&mut self, tabs: Vec<TabLabel>, cx: &mut Context<Self>) {
        if self.tabs != tabs {
            let before = front(&self.tabs);
            let now = front(&tabs);
            // Only then: the user may have scrolled away from it to look for another one.
            if let Some((place, _)) = now.filter(|_| before != now) {
                self.scroll.scroll_to_item(place);
            }
            self.tabs = tabs;
            cx.notify();
        }
    }

    /// Offers these shells for a new tab.
    pub fn offer_shells(&mut self, shells: Vec<SharedString>, cx: &mut Context<Self>) {
        self.shells = shells;
        cx.notify();
    }

    fn tab(&self, tab: &TabLabel, cx: &mut Context<Self>) -> Tab {
        let id = tab.id;
        let state = tab.state;
        let spoken = match state {
            Some(state) => format!("{}, {}", tab.title, state_mark::word(state)),
            None => tab.title.to_string(),
        };
        let dot = tab.marked.then(|| {
            let word: SharedString = t!("tab.bell").into_owned().into();
            let colour = cx.theme().warning;
            div()
                .id("mark")
                .aria_label(word)
                .size(px(6.0))
                .rounded_full()
                .bg(colour)
        });
        let close = Button::new("close")
            .icon(IconName::Close)
            .ghost()
            .xsmall()
            .tooltip(t!("tab.close").into_owned())
            .on_click(cx.listener(move |view, _, window, cx| {
                cx.stop_propagation();
                view.with_root(cx, |root, cx| root.close_tab(id, window, cx));
            }));
        let mark = match state {
            Some(state) => state_mark::icon(state, cx).into_any_element(),
            None => settings_icon(cx),
        };
        let content = h_flex()
            .gap_1p5()
            .child(div().flex_none().child(mark))
            .child(
                div()
                    .max_w(px(TITLE_WIDTH))
                    .truncate()
                    .child(tab.title.clone()),
            )
            .children(dot);
        Tab::new()
            .aria_label(spoken)
            .child(content)
            .suffix(div().pr_1p5().child(close))
    }

    fn with_root(
        &self,
        cx: &mut App,
        act: impl FnOnce(&mut WorkspaceView, &mut Context<WorkspaceView>),
    ) {
        if let Some(root) = self.root.upgrade() {
            root.update(cx, act);
        }
    }

    fn new_tab_buttons(&self, cx: &mut Context<Self>) -> impl IntoElement + use<> {
        let shells = self.shells.clone();
        let root = self.root.clone();
        let plus = Button::new("new-tab")
            .icon(IconName::Plus)
            .ghost()
            .xsmall()
            .tooltip_with_action(
                t!("tab.new").into_owned(),
                &super::commands::Run(Action::NewTab),
                Some(super::commands::CONTEXT),
            )
            .on_click(cx.listener(|_, _, window, cx| run(Action::NewTab, window, cx)));
        let menu = Button::new("new-tab-menu")
            .icon(IconName::ChevronDown)
            .ghost()
            .xsmall()
            .tooltip(t!("tab.new_menu").into_owned())
            .dropdown_menu(move |mut menu, _, _| {
                for shell in &shells {
                    let label = t!("tab.new_with", shell = shell).into_owned();
                    let (root, shell) = (root.clone(), shell.clone());
                    menu = menu.item(PopupMenuItem::new(label).on_click(move |_, window, cx| {
                        if let Some(root) = root.upgrade() {
                            root.update(cx, |root, cx| {
                                root.new_tab(Some(shell.to_string()), window, cx);
                            });
                        }
                    }));
                }
                menu.separator().menu(
                    t!("tab.settings").into_owned(),
                    Box::new(super::commands::Run(Action::OpenSettings)),
                )
            });
        h_flex()
            .flex_none()
            .h_full()
            .px_1()
            .child(plus)
            .child(menu)
            .on_mouse_down(MouseButton::Left, |_, _, cx| cx.stop_propagation())
    }
}

/// Place and id of the tab in front.
fn front(tabs: &[TabLabel]) -> Option<(usize, TabId)> {
    let place = tabs.iter().position(|tab| tab.active)?;
    tabs.get(place).map(|tab| (place, tab.id))
}

fn settings_icon(cx: &App) -> AnyElement {
    gpui_component::Icon::new(IconName::Settings)
        .xsmall()
        .text_color(cx.theme().muted_foreground)
        .into_any_element()
}

impl Render for TitleTabs {
    fn render(&mut self, _: &mut Window, cx: &mut Context<Self>) -> impl IntoElement {
        let ids: Vec<TabId> = self.tabs.iter().map(|tab| tab.id).collect();
        let selected = self.tabs.iter().position(|tab| tab.active);
        let labels: Vec<Tab> = self
            .tabs
            .clone()
            .iter()
            .map(|tab| self.tab(tab, cx))
            .collect();
        let bar = TabBar::new("tabs")
            .track_scroll(&self.scroll)
            .when_some(selected, TabBar::selected_index)
            .children(labels)
            .on_click(cx.listener(move |view, index: &usize, window, cx| {
                if let Some(id) = ids.get(*index).copied() {
                    view.with_root(cx, |root, cx| root.select_tab(id, window, cx));
                }
            }));
        let root = self.root.clone();
        let tabs = h_flex()
            .absolute()
            .inset_0()
            .child(
                div()
                    .min_w_0()
                    .child(bar)
                    .on_mouse_down(MouseButton::Left, |_, _, cx| cx.stop_propagation()),
            )
            .child(self.new_tab_buttons(cx));
        TitleBar::new()
            // The bar grows with what stands in it; what is placed absolutely leaves it the width of the window.
            .child(div().relative().flex_1().min_w_0().h_full().child(tabs))
            .child(
                div().flex_none().px_1p5().child(
                    Button::new("palette")
                        .icon(IconName::Search)
                        .ghost()
                        .xsmall()
                        .tooltip_with_action(
                            t!("palette.open").into_owned(),
                            &super::commands::Run(settings::Action::CommandPalette),
                            Some(super::commands::CONTEXT),
                        )
                        .on_click(cx.listener(|view, _, window, cx| {
                            view.with_root(cx, |root, cx| root.open_palette(window, cx));
                        })),
                ),
            )
            .on_close_window(move |_, window, cx| {
                if let Some(root) = root.upgrade() {
                    root.update(cx, |root, cx| root.close_window(window, cx));
                }
            })
    }
}
