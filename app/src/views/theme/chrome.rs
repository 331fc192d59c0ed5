//! Carries a theme's colours over to the widgets of gpui-component.

use std::rc::Rc;

use gpui::{App, SharedString};
use gpui_component::{Theme, ThemeConfig, ThemeConfigColors, ThemeMode};

use super::colour::Rgb;
use super::{Appearance, ThemeFile};

fn set(slot: &mut Option<SharedString>, colour: Rgb) {
    *slot = Some(colour.hex().into());
}

/// Puts the chrome colours of `theme` into force for every widget.
pub fn apply(theme: &ThemeFile, cx: &mut App) {
    let mut config = ThemeConfig::default();
    config.name = theme.name.clone().into();
    config.mode = match theme.appearance {
        Appearance::Dark => ThemeMode::Dark,
        Appearance::Light => ThemeMode::Light,
    };
    config.colors = colours(theme);
    config.radius = Some(5);
    config.radius_lg = Some(8);
    config.font_size = Some(14.0);
    let config = Rc::new(config);
    Theme::update(cx, |active| {
        active.apply_config(&config);
    });
}

fn colours(theme: &ThemeFile) -> ThemeConfigColors {
    let chrome = &theme.chrome;
    let soft = |colour: Rgb| colour.mix(chrome.base, 0.15);
    let mut to = ThemeConfigColors::default();
    set(&mut to.background, chrome.base);
    set(&mut to.foreground, chrome.text);
    set(&mut to.border, chrome.border);
    set(&mut to.muted, chrome.raised);
    set(&mut to.muted_foreground, chrome.muted);
    set(&mut to.accent, chrome.hover);
    set(&mut to.accent_foreground, chrome.text);
    set(&mut to.caret, chrome.accent);
    set(&mut to.ring, chrome.accent);
    set(&mut to.input, chrome.border);
    set(&mut to.popover, chrome.raised);
    set(&mut to.popover_foreground, chrome.text);
    set(&mut to.primary, chrome.accent);
    set(&mut to.primary_hover, soft(chrome.accent));
    set(&mut to.primary_active, soft(chrome.accent));
    set(&mut to.primary_foreground, chrome.accent_text);
    set(&mut to.secondary, chrome.hover);
    set(&mut to.secondary_hover, chrome.border);
    set(&mut to.secondary_active, chrome.border);
    set(&mut to.secondary_foreground, chrome.text);
    set(&mut to.danger, chrome.danger);
    set(&mut to.danger_hover, soft(chrome.danger));
    set(&mut to.danger_active, soft(chrome.danger));
    set(&mut to.danger_foreground, chrome.base);
    set(&mut to.warning, chrome.warning);
    set(&mut to.warning_foreground, chrome.base);
    set(&mut to.success, chrome.success);
    set(&mut to.success_foreground, chrome.base);
    set(&mut to.info, chrome.info);
    set(&mut to.info_foreground, chrome.base);
    set(&mut to.link, chrome.accent);
    set(&mut to.list, chrome.raised);
    set(&mut to.list_hover, chrome.hover);
    set(&mut to.list_active, chrome.accent);
    set(&mut to.list_active_border, chrome.accent);
    set(&mut to.selection, theme.terminal.selection);
    set(&mut to.sidebar, chrome.raised);
    set(&mut to.sidebar_foreground, chrome.text);
    set(&mut to.sidebar_accent, chrome.hover);
    set(&mut to.sidebar_accent_foreground, chrome.text);
    set(&mut to.sidebar_border, chrome.border);
    set(&mut to.tab_bar, chrome.raised);
    set(&mut to.tab, chrome.raised);
    set(&mut to.tab_foreground, chrome.muted);
    set(&mut to.tab_active, chrome.base);
    set(&mut to.tab_active_foreground, chrome.text);
    set(&mut to.title_bar, chrome.raised);
    set(&mut to.title_bar_border, chrome.border);
    set(&mut to.status_bar, chrome.raised);
    set(&mut to.status_bar_border, chrome.border);
    set(&mut to.window_border, chrome.border);
    set(&mut to.scrollbar_thumb, chrome.muted);
    set(&mut to.drag_border, chrome.accent);
    set(&mut to.group_box, chrome.raised);
    set(&mut to.group_box_foreground, chrome.text);
    to
}
