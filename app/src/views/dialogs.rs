//! Questions the window asks. Each names what would happen, and does nothing until it is answered.

use gpui::{
    App, AppContext as _, Focusable as _, IntoElement, ParentElement as _, SharedString,
    Styled as _, Window, div,
};
use gpui_component::button::ButtonVariant;
use gpui_component::dialog::DialogEntrance;
use gpui_component::input::{Input, InputState};
use gpui_component::{ActiveTheme as _, WindowExt as _, v_flex};
use rust_i18n::t;
use workspace::Busy;

/// Lines of a paste that are shown before it is done.
const PREVIEW: usize = 6;

/// Characters of each of them.
const PREVIEW_WIDTH: usize = 80;

/// Asks before something busy is closed, naming what runs; `close` is called when the answer is yes.
pub fn confirm_close(
    question: SharedString,
    busy: &Busy,
    window: &mut Window,
    cx: &mut App,
    close: impl Fn(&mut Window, &mut App) + 'static,
) {
    let names: Vec<&str> = busy
        .panes
        .iter()
        .map(|pane| pane.program.as_str())
        .collect();
    let text: SharedString = match names.as_slice() {
        [one] => t!("confirm.busy_one", program = one),
        several => t!("confirm.busy_many", programs = several.join(", ")),
    }
    .into_owned()
    .into();
    let close = std::rc::Rc::new(close);
    window.open_alert_dialog(cx, move |alert, _, _| {
        let close = close.clone();
        alert
            .confirm()
            .entrance(DialogEntrance::None)
            .title(question.clone())
            .description(text.clone())
            .ok_text(t!("confirm.close").into_owned())
            .ok_variant(ButtonVariant::Danger)
            .cancel_text(t!("confirm.cancel").into_owned())
            .on_ok(move |_, window, cx| {
                close(window, cx);
                true
            })
    });
}

/// Asks before several lines are pasted into something that may run each at once.
pub fn confirm_paste(
    text: &str,
    window: &mut Window,
    cx: &mut App,
    paste: impl Fn(&mut Window, &mut App) + 'static,
) {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shorten = |line: &&str| -> SharedString {
        let mut short: String = line
            .chars()
            .take(PREVIEW_WIDTH)
            .map(|c| if c.is_control() { '·' } else { c })
            .collect();
        if line.chars().nth(PREVIEW_WIDTH).is_some() {
            short.push('…');
        }
        short.into()
    };
    let preview: Vec<SharedString> = lines.iter().take(PREVIEW).map(shorten).collect();
    let more = lines.len().saturating_sub(PREVIEW);
    let question: SharedString = t!("confirm.paste_text", count = lines.len())
        .into_owned()
        .into();
    let paste = std::rc::Rc::new(paste);
    window.open_alert_dialog(cx, move |alert, _, cx| {
        let paste = paste.clone();
        let rest = (more > 0).then(|| t!("confirm.paste_more", count = more).into_owned());
        let code = v_flex()
            .p_2()
            .rounded(cx.theme().radius)
            .bg(cx.theme().muted)
            .text_sm()
            .font_family(super::fonts::BUNDLED_FAMILY)
            .overflow_hidden()
            .children(
                preview
                    .iter()
                    .map(|line| div().truncate().child(line.clone())),
            )
            .children(rest.map(|rest| div().text_color(cx.theme().muted_foreground).child(rest)));
        alert
            .confirm()
            .entrance(DialogEntrance::None)
            .title(t!("confirm.paste_title").into_owned())
            .description(question.clone())
            .child(code)
            .ok_text(t!("confirm.paste").into_owned())
            .cancel_text(t!("confirm.cancel").into_owned())
            .on_ok(move |_, window, cx| {
                paste(window, cx);
                true
            })
    });
}

/// Asks for the name of a tab.
pub fn rename_tab(
    name: &str,
    window: &mut Window,
    cx: &mut App,
    rename: impl Fn(String, &mut Window, &mut App) + 'static,
) {
    let hint: SharedString = t!("tab.rename_hint").into_owned().into();
    let name = name.to_owned();
    let input = cx.new(|cx| {
        InputState::new(window, cx)
            .placeholder(hint)
            .default_value(name)
    });
    let rename = std::rc::Rc::new(rename);
    let shown = input.clone();
    window.open_alert_dialog(cx, move |alert, _, _| {
        let (rename, input) = (rename.clone(), shown.clone());
        alert
            .confirm()
            .entrance(DialogEntrance::None)
            .title(t!("tab.rename_title").into_owned())
            .child(Input::new(&shown).into_any_element())
            .ok_text(t!("confirm.rename").into_owned())
            .cancel_text(t!("confirm.cancel").into_owned())
            .on_ok(move |_, window, cx| {
                let name = input.read(cx).value().to_string();
                rename(name, window, cx);
                true
            })
    });
    let handle = input.focus_handle(cx);
    window.defer(cx, move |window, cx| handle.focus(window, cx));
}
