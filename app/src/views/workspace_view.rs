//! The whole window: it shows what the workspace is, and turns what the user does into actions of the workspace.
//!
//! The workspace belongs to the [`Owner`]; this view hears from it when something changed, works out what each part of
//! the window shows, and redraws the parts for which that differs.

mod actions;
mod closing;
mod input;
mod long_paste;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gpui::{
    AnyView, App, AppContext as _, ClipboardItem, Context, Entity, FocusHandle,
    InteractiveElement as _, IntoElement, ParentElement as _, Render,
    StatefulInteractiveElement as _, StyleRefinement, Styled as _, Subscription, Task, Window, div,
    prelude::FluentBuilder as _, px,
};
use gpui_component::{TITLE_BAR_HEIGHT, WindowExt as _, h_flex, v_flex};
use rust_i18n::t;
use workspace::{PaneId, Workspace};

use super::commands::CONTEXT;
use super::content;
use super::owner::{Owner, OwnerEvent};
use super::pane_area::PaneArea;
use super::pane_view;
use super::settings_page::SettingsPage;
use super::sidebar::{PaneList, WIDTH};
use super::status::{self, Status};
use super::theme::ActiveTheme as GridTheme;
use super::title_tabs::TitleTabs;

/// How long a pane is visible in an active window before it counts as looked at (control-api.md 5.4).
const LOOK: Duration = Duration::from_millis(500);

/// A window narrower than this keeps its room for the panes.
const SIDEBAR_FROM: f32 = 600.0;

/// See the module.
pub struct WorkspaceView {
    owner: Entity<Owner>,
    tabs: Entity<TitleTabs>,
    list: Entity<PaneList>,
    status: Entity<Status>,
    area: Entity<PaneArea>,
    settings: Entity<SettingsPage>,
    focus: FocusHandle,
    sidebar: bool,
    home: Option<PathBuf>,
    title: String,
    looking: Option<(Vec<PaneId>, Task<()>)>,
    front: Option<content::Area>,
    ahead: input::TypedAhead,
    pastes: HashMap<PaneId, long_paste::LongPaste>,
    _subscriptions: Vec<Subscription>,
}

impl WorkspaceView {
    /// The window of `owner`'s workspace.
    pub fn new(owner: Entity<Owner>, window: &mut Window, cx: &mut Context<Self>) -> Self {
        let root = cx.weak_entity();
        let store = owner.read(cx).workspace().settings().clone();
        let settings = cx.new(|cx| SettingsPage::new(store, cx));
        let tabs = cx.new(|_| TitleTabs::new(root.clone()));
        let list = cx.new(|_| PaneList::new(root.clone()));
        let status = cx.new(|_| Status::default());
        let area = cx.new(|_| PaneArea::new(root, settings.clone()));
        let subscriptions = vec![
            cx.subscribe_in(&owner, window, Self::owner_event),
            cx.observe_window_activation(window, |view, window, cx| {
                let focused = window.is_window_active();
                view.act(cx, |workspace| workspace.set_window_focused(focused));
                view.look(window, cx);
            }),
            // What had the keys is gone (a closed pane, a dialog): what is in front gets them.
            cx.on_focus_lost(window, |view, window, cx| view.give_keys(window, cx)),
        ];
        let view = Self {
            owner,
            tabs,
            list,
            status,
            area,
            settings,
            focus: cx.focus_handle(),
            sidebar: true,
            home: std::env::home_dir(),
            title: String::new(),
            looking: None,
            front: None,
            ahead: input::TypedAhead::default(),
            pastes: HashMap::new(),
            _subscriptions: subscriptions,
        };
        view.find_shells(cx);
        view.focus.focus(window, cx);
        // The window has no root yet, which everything that asks for dialogs needs.
        cx.defer_in(window, |view, window, cx| view.sync(window, cx));
        view
    }

    /// Does something to the workspace.
    pub fn act<R>(&self, cx: &mut App, act: impl FnOnce(&mut Workspace) -> R) -> R {
        self.owner.update(cx, |owner, cx| owner.act(cx, act))
    }

    fn workspace<'a>(&self, cx: &'a App) -> &'a Workspace {
        self.owner.read(cx).workspace()
    }

    fn find_shells(&self, cx: &mut Context<Self>) {
        let found = cx
            .background_executor()
            .spawn(async { super::shells::installed() });
        cx.spawn(async move |view, cx| {
            let shells = found.await;
            let told = view.update(cx, |view, cx| {
                view.tabs
                    .update(cx, |tabs, cx| tabs.offer_shells(shells.clone(), cx));
                view.settings
                    .update(cx, |page, cx| page.offer_shells(shells, cx));
            });
            if let Err(error) = told {
                tracing::debug!(%error, "the window closed before the shells were known");
            }
        })
        .detach();
    }

    fn owner_event(
        &mut self,
        _: &Entity<Owner>,
        event: &OwnerEvent,
        window: &mut Window,
        cx: &mut Context<Self>,
    ) {
        match event {
            OwnerEvent::Changed | OwnerEvent::Tick => self.sync(window, cx),
            OwnerEvent::Redraw(pane) => self.area.update(cx, |area, cx| area.redraw(*pane, cx)),
            OwnerEvent::Clipboard(text) => {
                cx.write_to_clipboard(ClipboardItem::new_string(text.clone()));
            }
            // Both are about the window itself, which whoever opened it takes care of.
            OwnerEvent::Reveal | OwnerEvent::Hide => {}
        }
    }

    /// Settings, theme, font or language changed: everything is drawn anew.
    pub fn settings_changed(&mut self, window: &mut Window, cx: &mut Context<Self>) {
        self.settings.update(cx, |page, cx| page.changed(cx));
        let copy = self
            .workspace(cx)
            .settings()
            .current()
            .terminal
            .copy_on_select;
        let colours = cx.global::<GridTheme>().palette.answers();
        let panes: Vec<_> = self
            .area
            .update(cx, |area, _| area.panes().values().cloned().collect());
        for pane in panes {
            pane.update(cx, |pane, cx| {
                pane.set_copy_on_select(copy);
                pane.terminal().set_theme_colors(colours.clone());
                cx.notify();
            });
        }
        self.sync(window, cx);
        window.refresh();
    }

    /// Shows the workspace as it is now.
    fn sync(&mut self, window: &mut Window, cx: &mut Context<Self>) {
        let workspace = self.workspace(cx);
        let home = self.home.as_deref();
        let tabs = content::tabs(workspace);
        let rows = content::sidebar(workspace, home, Instant::now());
        let line = content::status(workspace, home);
        let area = content::area(workspace);
        let active = workspace.active_tab();
        let title = active.map(|tab| content::tab_title(workspace, tab).to_string());

        self.sync_panes(&area, window, cx);
        self.tabs.update(cx, |view, cx| view.show(tabs, cx));
        self.list.update(cx, |view, cx| view.show(rows, cx));
        self.status.update(cx, |view, cx| view.show(line, cx));
        if self.front.as_ref() != Some(&area) {
            self.front = Some(area.clone());
            self.area.update(cx, |view, cx| view.show(area, cx));
            self.give_keys(window, cx);
            self.look(window, cx);
        }
        let name = t!("app.name");
        let title = title.map_or_else(|| name.to_string(), |title| format!("{title} – {name}"));
        if self.title != title {
            window.set_window_title(&title);
            self.title = title;
        }
    }

    /// Makes views of panes that came onto the screen, and drops those of panes that are gone.
    fn sync_panes(&mut self, area: &content::Area, window: &mut Window, cx: &mut Context<Self>) {
        let area_view = self.area.clone();
        let workspace = self.workspace(cx);
        let gone: Vec<PaneId> = area_view
            .read(cx)
            .known()
            .filter(|pane| workspace.pane(*pane).is_none())
            .collect();
        let frames = match area {
            content::Area::Panes { frames, .. } => frames.as_slice(),
            content::Area::Settings | content::Area::Empty => &[],
        };
        let mut new = Vec::new();
        for frame in frames {
            let terminal = workspace.pane(frame.pane).and_then(|pane| pane.terminal());
            if let (None, Some(terminal)) = (area_view.read(cx).pane(frame.pane), terminal) {
                new.push((frame.pane, terminal.clone()));
            }
        }
        let copy = workspace.settings().current().terminal.copy_on_select;
        let colours = cx.global::<GridTheme>().palette.answers();
        for pane in gone {
            area_view.update(cx, |area, _| area.panes().remove(&pane));
        }
        for (pane, terminal) in new {
            terminal.set_theme_colors(colours.clone());
            let view = pane_view::open(pane, terminal, window, cx);
            view.update(cx, |view, _| view.set_copy_on_select(copy));
            cx.subscribe_in(&view, window, Self::pane_event).detach();
            self.ahead.give(&view, cx);
            area_view.update(cx, |area, _| area.panes().insert(pane, view));
        }
        for frame in frames {
            let view = area_view.read(cx).pane(frame.pane).cloned();
            if let Some(view) = view {
                view.update(cx, |view, _| view.set_label(frame.title.clone()));
            }
        }
    }

    /// What is in front gets the keys, unless the user is answering a question.
    fn give_keys(&mut self, window: &mut Window, cx: &mut Context<Self>) {
        if !window.has_active_dialog(cx) {
            self.area.update(cx, |area, cx| area.focus(window, cx));
        }
    }

    /// Tells the workspace what the user looks at, once it has been visible long enough.
    fn look(&mut self, window: &mut Window, cx: &mut Context<Self>) {
        let active = window.is_window_active();
        let visible = if active {
            self.area.read(cx).visible()
        } else {
            Vec::new()
        };
        if self
            .looking
            .as_ref()
            .is_some_and(|(panes, _)| *panes == visible)
        {
            return;
        }
        self.act(cx, |workspace| workspace.look_at(&[]));
        let panes = visible.clone();
        let task = cx.spawn(async move |view, cx| {
            cx.background_executor().timer(LOOK).await;
            let told = view.update(cx, |view, cx| {
                view.act(cx, |workspace| workspace.look_at(&panes));
            });
            if let Err(error) = told {
                tracing::debug!(%error, "the window closed while it was looked at");
            }
        });
        self.looking = Some((visible, task));
    }
}

impl Render for WorkspaceView {
    fn render(&mut self, window: &mut Window, cx: &mut Context<Self>) -> impl IntoElement {
        let sidebar = self.sidebar && window.viewport_size().width >= px(SIDEBAR_FROM);
        let full = StyleRefinement::default().size_full();
        let list = AnyView::from(self.list.clone())
            .cached(StyleRefinement::default().w(px(WIDTH)).h_full());
        // A view that is not dirty is not even rendered again, so a frame costs what changed in it.
        let strip = |height| StyleRefinement::default().flex_none().w_full().h(height);
        let tabs = AnyView::from(self.tabs.clone()).cached(strip(TITLE_BAR_HEIGHT));
        let status = AnyView::from(self.status.clone()).cached(strip(px(status::HEIGHT)));
        let area = AnyView::from(self.area.clone()).cached(full);
        v_flex()
            .id("workspace")
            .role(gpui::Role::Application)
            .aria_label(t!("app.name").into_owned())
            .track_focus(&self.focus)
            .key_context(CONTEXT)
            .on_action(cx.listener(Self::run))
            .on_key_down(cx.listener(Self::key_before_any_pane))
            .size_full()
            .child(tabs)
            .child(
                h_flex()
                    .flex_1()
                    .min_h_0()
                    .w_full()
                    .items_start()
                    .when(sidebar, |it| {
                        it.child(div().flex_none().h_full().child(list))
                    })
                    .child(div().flex_1().min_w_0().h_full().child(area)),
            )
            .child(status)
    }
}
