//! The settings tab: a control for every key of `settings.toml`, made from the table the settings crate checks with.
//!
//! A change is written off the thread that draws and comes back through the watch of the file, like a change made with
//! an editor. What the files say wrongly is listed at the top.

mod field;

use gpui::{
    App, Context, FocusHandle, Focusable, InteractiveElement as _, IntoElement, ParentElement as _,
    Render, SharedString, Styled as _, Window, div, prelude::FluentBuilder as _, px,
};
use gpui_component::alert::Alert;
use gpui_component::setting::{SettingGroup, SettingPage, Settings as SettingsView};
use gpui_component::{ActiveTheme as _, IconName, v_flex};
use rust_i18n::t;
use settings::SettingsStore;

use super::fonts;
use super::theme::{self, ActiveTheme as GridTheme};

/// The sections, in the order in which people look for them.
const SECTIONS: [(&str, IconName); 3] = [
    ("ui", IconName::Palette),
    ("terminal", IconName::SquareTerminal),
    ("panes", IconName::LayoutDashboard),
];

/// See the module.
pub struct SettingsPage {
    store: SettingsStore,
    focus: FocusHandle,
    shells: Vec<SharedString>,
    fonts: Vec<SharedString>,
    refused: Option<SharedString>,
}

impl SettingsPage {
    /// The page of these settings.
    pub fn new(store: SettingsStore, cx: &mut Context<Self>) -> Self {
        let mut fonts: Vec<SharedString> = cx
            .text_system()
            .all_font_names()
            .into_iter()
            .map(SharedString::from)
            .collect();
        fonts.retain(|name| !name.starts_with('.'));
        Self {
            store,
            focus: cx.focus_handle(),
            shells: Vec::new(),
            fonts,
            refused: None,
        }
    }

    /// Offers these shells.
    pub fn offer_shells(&mut self, shells: Vec<SharedString>, cx: &mut Context<Self>) {
        self.shells = shells;
        cx.notify();
    }

    /// Settings or problems changed.
    pub fn changed(&mut self, cx: &mut Context<Self>) {
        self.refused = None;
        cx.notify();
    }

    /// Writes one key, in the background.
    fn write(&self, key: &'static str, value: settings::Value, cx: &mut Context<Self>) {
        let store = self.store.clone();
        let written = cx
            .background_executor()
            .spawn(async move { store.set(key, value) });
        cx.spawn(async move |page, cx| {
            let refused = written.await.err().map(|error| {
                t!("settings.not_saved", reason = error.to_string())
                    .into_owned()
                    .into()
            });
            // The page may be gone by now; the file is written either way.
            let told = page.update(cx, |page, cx| {
                page.refused = refused;
                cx.notify();
            });
            if let Err(error) = told {
                tracing::debug!(%error, "the settings page closed while a setting was written");
            }
        })
        .detach();
    }

    fn pages(&self, cx: &mut Context<Self>) -> Vec<SettingPage> {
        let page = |(section, icon): &(&'static str, IconName)| {
            let items = settings::fields()
                .iter()
                .filter(|field| field.section() == *section)
                .map(|field| self.item(field, cx));
            let title = t!(format!("settings.section.{section}")).into_owned();
            SettingPage::new(title)
                .icon(icon.clone())
                .resettable(false)
                .group(SettingGroup::new().items(items.collect::<Vec<_>>()))
        };
        SECTIONS.iter().map(page).collect()
    }

    fn problems(&self, cx: &App) -> Option<Alert> {
        let mut lines: Vec<String> = self
            .store
            .problems()
            .iter()
            .map(ToString::to_string)
            .collect();
        let theme = &self.store.current().ui.theme;
        if !theme::is_known(theme) {
            lines.push(t!("settings.unknown_theme", name = theme).into_owned());
        }
        let font = &self.store.current().ui.font_family;
        if !fonts::is_installed(font, cx) {
            lines.push(t!("settings.unknown_font", name = font).into_owned());
        }
        lines.extend(self.refused.as_ref().map(ToString::to_string));
        (!lines.is_empty()).then(|| {
            Alert::warning("problems", lines.join("\n")).title(t!("settings.problems").into_owned())
        })
    }
}

impl Focusable for SettingsPage {
    fn focus_handle(&self, _: &App) -> FocusHandle {
        self.focus.clone()
    }
}

impl Render for SettingsPage {
    fn render(&mut self, _: &mut Window, cx: &mut Context<Self>) -> impl IntoElement {
        let file = self.store.paths().settings_file().display().to_string();
        let muted = cx.theme().muted_foreground;
        let credit = theme::bundled()
            .iter()
            .find(|it| it.name == cx.global::<GridTheme>().name);
        let credit = credit.map(|it| {
            div().child(t!("settings.credit", name = it.name, credit = it.credit).into_owned())
        });
        v_flex()
            .id("settings-page")
            .track_focus(&self.focus)
            .size_full()
            .bg(cx.theme().background)
            .when_some(self.problems(cx), |it, problems| {
                it.child(div().p_3().child(problems))
            })
            .child(
                div().flex_1().min_h_0().child(
                    SettingsView::new("settings")
                        .sidebar_width(px(180.0))
                        .pages(self.pages(cx)),
                ),
            )
            .child(
                div()
                    .flex_none()
                    .px_4()
                    .py_2()
                    .text_xs()
                    .text_color(muted)
                    .child(t!("settings.saved_in", file = file).into_owned())
                    .children(credit),
            )
    }
}
