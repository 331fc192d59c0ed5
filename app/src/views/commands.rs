//! Actions of the keymap as GPUI dispatches them.
//!
//! Which key does what stands in `settings::Keymap` and nowhere else; here it is only handed to GPUI, so that menus and
//! the palette show the key that is in force.

use gpui::{App, Context, KeyBinding, KeyBindingContextPredicate, NoAction, SharedString};
use rust_i18n::t;
use settings::{Action, Keymap};

/// The key context of the window.
pub const CONTEXT: &str = "Workspace";

/// The key context of a terminal, inside that of the window.
pub const TERMINAL: &str = "Terminal";

/// Keys the widgets take everywhere in a window, which belong to the program in a terminal.
const WIDGET_KEYS: [&str; 3] = ["tab", "shift-tab", "ctrl-c"];

/// Do what this action of the keymap says.
#[derive(Clone, Debug, PartialEq, gpui::Action)]
#[action(namespace = nebula, no_json)]
pub struct Run(pub Action);

/// What an action is called in menus and in the palette.
pub fn label(action: Action) -> SharedString {
    t!(format!("action.{}", action.name())).into_owned().into()
}

/// Puts `keymap` into force; keys of `before` that it no longer has go to the terminal again.
pub fn bind(keymap: &Keymap, before: Option<&Keymap>, cx: &mut App) {
    let mut bindings = Vec::new();
    for key in WIDGET_KEYS {
        let own = key.parse().ok().and_then(|stroke| keymap.action(&stroke));
        let action: Box<dyn gpui::Action> = match own {
            Some(action) => Box::new(Run(action)),
            None => Box::new(NoAction),
        };
        bindings.extend(binding(key, action, TERMINAL, cx));
    }
    for (stroke, _) in before.into_iter().flat_map(Keymap::bindings) {
        if keymap.action(stroke).is_none() {
            bindings.extend(binding(
                &stroke.to_string(),
                Box::new(NoAction),
                CONTEXT,
                cx,
            ));
        }
    }
    for (stroke, action) in keymap.bindings() {
        bindings.extend(binding(
            &stroke.to_string(),
            Box::new(Run(action)),
            CONTEXT,
            cx,
        ));
    }
    cx.bind_keys(bindings);
}

fn binding(
    stroke: &str,
    action: Box<dyn gpui::Action>,
    context: &str,
    cx: &App,
) -> Option<KeyBinding> {
    let context = match KeyBindingContextPredicate::parse(context) {
        Ok(context) => std::rc::Rc::new(context),
        Err(error) => {
            tracing::error!(%error, "the key context does not parse");
            return None;
        }
    };
    match KeyBinding::load(stroke, action, Some(context), false, None, cx) {
        Ok(binding) => Some(binding),
        Err(error) => {
            tracing::warn!(stroke, %error, "a key cannot be bound");
            None
        }
    }
}

/// Dispatches an action as its key would.
pub fn run<T>(action: Action, window: &mut gpui::Window, cx: &mut Context<T>) {
    window.dispatch_action(Box::new(Run(action)), cx);
}
