//! The command palette: every action of the keymap, each with the key that is in force.

use gpui::{
    App, AppContext as _, IntoElement, Keystroke, ParentElement as _, SharedString, Styled as _,
    Window, div, px,
};
use gpui_component::command::{Command, CommandItem, CommandState};
use gpui_component::dialog::DialogEntrance;
use gpui_component::kbd::Kbd;
use gpui_component::{WindowExt as _, h_flex};
use rust_i18n::t;
use settings::{Action, Keymap};

use super::commands::label;

/// Opens the palette; `choose` is called with the action that was chosen, after the palette is gone.
pub fn open(
    keymap: &Keymap,
    window: &mut Window,
    cx: &mut App,
    choose: impl Fn(Action, &mut Window, &mut App) + 'static,
) {
    let entries: Vec<(Action, SharedString, Option<Keystroke>)> = Action::ALL
        .iter()
        .map(|action| (*action, label(*action), shown_key(keymap, *action, cx)))
        .collect();
    let state = cx.new(|cx| CommandState::new(window, cx));
    let choose = std::rc::Rc::new(choose);
    let shown = state.clone();
    window.open_dialog(cx, move |dialog, _, _| {
        let items = entries.iter().map(|(action, label, key)| {
            let (text, key) = (label.clone(), key.clone());
            CommandItem::new()
                .label(label.clone())
                .keywords([action.name()])
                .child(move |_, _| {
                    h_flex()
                        .w_full()
                        .justify_between()
                        .gap_4()
                        .child(div().truncate().child(text.clone()))
                        .children(key.clone().map(Kbd::new))
                        .into_any_element()
                })
        });
        let actions: Vec<Action> = entries.iter().map(|(action, ..)| *action).collect();
        let choose = choose.clone();
        let command = Command::new(&shown)
            .items(items)
            .placeholder(t!("palette.placeholder").into_owned())
            .max_h(px(360.0))
            .on_confirm(move |index, window, cx| {
                window.close_dialog(cx);
                if let Some(action) = actions.get(index.row).copied() {
                    let choose = choose.clone();
                    window.defer(cx, move |window, cx| choose(action, window, cx));
                }
            });
        dialog
            .entrance(DialogEntrance::None)
            .close_button(false)
            .overlay_closable(true)
            .w(px(520.0))
            .p_0()
            .child(command)
    });
    window.defer(cx, move |window, cx| {
        state.update(cx, |state, cx| state.focus(window, cx))
    });
}

fn shown_key(keymap: &Keymap, action: Action, cx: &App) -> Option<Keystroke> {
    let key = keymap.keys(action).first()?.to_string();
    Keystroke::parse_with_os(&key, cx.platform_info().os).ok()
}
