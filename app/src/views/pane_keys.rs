//! From GPUI's keystrokes to the keys the terminal encodes.
//!
//! What types text without a modifier but Shift is left to the input method, which may compose it; everything else is
//! encoded here.

use gpui::Keystroke;
use terminal::input::{Key, Modifiers};

/// The modifiers of a keystroke or a mouse event.
pub fn modifiers(held: gpui::Modifiers) -> Modifiers {
    Modifiers {
        shift: held.shift,
        alt: held.alt,
        control: held.control,
    }
}

/// Whether the input method gets this keystroke first.
pub fn is_text(keystroke: &Keystroke) -> bool {
    let held = keystroke.modifiers;
    let command = held.control || held.alt || held.platform;
    !command && keystroke.key_char.is_some() && named(&keystroke.key).is_none()
}

/// The key to encode, `None` for keys that send nothing (modifiers, dead keys, media keys).
pub fn key(keystroke: &Keystroke) -> Option<Key> {
    if keystroke.modifiers.platform {
        return None;
    }
    if let Some(key) = named(&keystroke.key) {
        return Some(key);
    }
    let typed = single(keystroke.key_char.as_deref());
    let printed = match keystroke.key.as_str() {
        "space" => Some(' '),
        key => single(Some(key)),
    };
    let shifted = |c: char| {
        if keystroke.modifiers.shift {
            single(Some(&c.to_uppercase().to_string()))
        } else {
            Some(c)
        }
    };
    // With Control the layout's own letter counts, also on layouts that type another script.
    let character = if keystroke.modifiers.control {
        printed.and_then(shifted).or(typed)
    } else {
        typed.or_else(|| printed.and_then(shifted))
    };
    character.map(Key::Character)
}

fn single(text: Option<&str>) -> Option<char> {
    let mut characters = text?.chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

fn named(key: &str) -> Option<Key> {
    Some(match key {
        "enter" => Key::Enter,
        "tab" => Key::Tab,
        "backspace" => Key::Backspace,
        "escape" => Key::Escape,
        "up" => Key::Up,
        "down" => Key::Down,
        "left" => Key::Left,
        "right" => Key::Right,
        "home" => Key::Home,
        "end" => Key::End,
        "insert" => Key::Insert,
        "delete" => Key::Delete,
        "pageup" => Key::PageUp,
        "pagedown" => Key::PageDown,
        "add" => Key::Keypad('+'),
        "subtract" => Key::Keypad('-'),
        "multiply" => Key::Keypad('*'),
        "divide" => Key::Keypad('/'),
        "decimal" => Key::Keypad('.'),
        "separator" => Key::Keypad(','),
        _ => {
            let number: u8 = key.strip_prefix('f')?.parse().ok()?;
            return (1..=24).contains(&number).then_some(Key::Function(number));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stroke(source: &'static str) -> Keystroke {
        Keystroke::parse(source).unwrap()
    }

    #[test]
    fn plain_text_goes_to_the_input_method() {
        for text in ["a->a", "shift-a->A", "space-> ", "é->é"] {
            assert!(is_text(&stroke(text)), "{text}");
        }
        for key in [
            "enter",
            "ctrl-a",
            "alt-a->a",
            "f1",
            "add->+",
            "tab",
            "ctrl-shift-a",
        ] {
            assert!(!is_text(&stroke(key)), "{key}");
        }
    }

    #[test]
    fn keys_are_named_as_the_terminal_names_them() {
        for (source, expected) in [
            ("enter", Key::Enter),
            ("f1", Key::Function(1)),
            ("f24", Key::Function(24)),
            ("ctrl-a", Key::Character('a')),
            ("ctrl-shift-a", Key::Character('A')),
            ("ctrl-space", Key::Character(' ')),
            ("alt-x->x", Key::Character('x')),
            ("alt-shift-x->X", Key::Character('X')),
            ("ctrl-[", Key::Character('[')),
            ("ctrl-c->с", Key::Character('c')),
            ("shift-insert", Key::Insert),
        ] {
            assert_eq!(key(&stroke(source)), Some(expected), "{source}");
        }
    }

    #[test]
    fn what_sends_nothing_has_no_key() {
        for source in ["dead_acute", "shift", "f25", "cmd-c", "xf86audioplay"] {
            assert_eq!(key(&stroke(source)), None, "{source}");
        }
    }
}
