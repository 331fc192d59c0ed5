//! One key with its modifiers, written as GPUI writes it: `ctrl-shift-t`.

use std::fmt;
use std::str::FromStr;

/// A key with modifiers. `Display` gives the one canonical spelling, which GPUI understands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Keystroke {
    /// Control.
    pub ctrl: bool,
    /// Alt, Option on a Mac.
    pub alt: bool,
    /// Super, the Windows key, Command on a Mac.
    pub platform: bool,
    /// Shift.
    pub shift: bool,
    /// The key: a lower-case letter, a symbol, or a name such as `enter` or `f5`.
    pub key: String,
}

/// A text that is no usable keystroke; the message says what would be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeystrokeError {
    /// The part before or between the modifiers is unknown.
    #[error("\"{0}\" is not a modifier; use ctrl, alt, shift or super, joined by \"-\"")]
    Modifier(String),
    /// The last part is no key.
    #[error(
        "\"{0}\" is not a key; use a letter, digit, symbol, f1 to f35, or a name such as enter, tab, \
         escape, space, backspace, delete, insert, home, end, pageup, pagedown, up, down, left, \
         right, add, subtract"
    )]
    Key(String),
    /// The keyboard reports the symbol without shift.
    #[error("write the symbol that is typed, without shift (\"ctrl-+\", not \"ctrl-shift-=\")")]
    ShiftedSymbol,
    /// Typing the character would be impossible.
    #[error("a key that types text needs ctrl, alt or super with it")]
    Typing,
}

const NAMED: [&str; 34] = [
    "add",
    "back",
    "backspace",
    "copy",
    "cut",
    "decimal",
    "delete",
    "divide",
    "down",
    "end",
    "enter",
    "escape",
    "forward",
    "home",
    "insert",
    "left",
    "menu",
    "multiply",
    "new",
    "open",
    "pagedown",
    "pageup",
    "paste",
    "pause",
    "print",
    "right",
    "save",
    "scroll_lock",
    "separator",
    "space",
    "subtract",
    "tab",
    "undo",
    "up",
];

impl FromStr for Keystroke {
    type Err = KeystrokeError;

    fn from_str(text: &str) -> Result<Self, KeystrokeError> {
        let text = text.trim();
        // The key may itself be the separator: "-" and "ctrl--".
        let (modifiers, key) = match text.strip_suffix('-') {
            Some("") => ("", "-"),
            Some(rest) if rest.ends_with('-') => (rest.trim_end_matches('-'), "-"),
            _ => text.rsplit_once('-').unwrap_or(("", text)),
        };
        let mut stroke = Self {
            ctrl: false,
            alt: false,
            platform: false,
            shift: false,
            key: key.to_lowercase(),
        };
        for modifier in modifiers.split('-').filter(|_| !modifiers.is_empty()) {
            match modifier.to_ascii_lowercase().as_str() {
                "ctrl" => stroke.ctrl = true,
                "alt" => stroke.alt = true,
                "shift" => stroke.shift = true,
                "cmd" | "super" | "win" => stroke.platform = true,
                _ => return Err(KeystrokeError::Modifier(modifier.to_owned())),
            }
        }
        let mut characters = key.chars();
        let single = match (characters.next(), characters.next()) {
            (Some(character), None) if !character.is_control() && character != ' ' => {
                Some(character)
            }
            _ => None,
        };
        if single.is_some_and(char::is_uppercase) {
            stroke.shift = true;
        }
        let caseless = single.is_some_and(|c| c.to_lowercase().eq(c.to_uppercase()));
        if single.is_none() && !stroke.is_named() {
            return Err(KeystrokeError::Key(key.to_owned()));
        }
        if caseless && stroke.shift {
            return Err(KeystrokeError::ShiftedSymbol);
        }
        if stroke.types_text(single.is_some()) {
            return Err(KeystrokeError::Typing);
        }
        Ok(stroke)
    }
}

impl Keystroke {
    fn is_named(&self) -> bool {
        let function = self
            .key
            .strip_prefix('f')
            .and_then(|number| number.parse::<u8>().ok());
        NAMED.binary_search(&self.key.as_str()).is_ok()
            || function.is_some_and(|number| (1..=35).contains(&number))
    }

    fn types_text(&self, single: bool) -> bool {
        let command = self.ctrl || self.alt || self.platform;
        match self.key.as_str() {
            "enter" | "tab" | "backspace" | "escape" => !command && !self.shift,
            "space" => !command,
            _ => single && !command,
        }
    }
}

impl fmt::Display for Keystroke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modifiers = [
            (self.ctrl, "ctrl"),
            (self.alt, "alt"),
            (self.platform, "super"),
            (self.shift, "shift"),
        ];
        for (_, name) in modifiers.iter().filter(|(held, _)| *held) {
            write!(f, "{name}-")?;
        }
        f.write_str(&self.key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spelled(text: &str) -> Result<String, KeystrokeError> {
        text.parse::<Keystroke>().map(|stroke| stroke.to_string())
    }

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(NAMED.is_sorted());
    }

    #[test]
    fn spellings_become_one() {
        for (text, canonical) in [
            ("ctrl-shift-t", "ctrl-shift-t"),
            ("Shift-Ctrl-T", "ctrl-shift-t"),
            ("ctrl-T", "ctrl-shift-t"),
            ("cmd-alt-Left", "alt-super-left"),
            ("ctrl--", "ctrl--"),
            ("ctrl-+", "ctrl-+"),
            ("ctrl-,", "ctrl-,"),
            ("f12", "f12"),
            ("shift-pageup", "shift-pageup"),
            ("alt-1", "alt-1"),
            ("ctrl-é", "ctrl-é"),
        ] {
            assert_eq!(spelled(text).as_deref(), Ok(canonical), "{text}");
        }
    }

    #[test]
    fn what_would_never_fire_or_swallow_typing_is_refused() {
        use KeystrokeError::{Key, Modifier, ShiftedSymbol, Typing};
        for (text, error) in [
            ("hyper-t", Modifier("hyper".into())),
            ("ctrl-k ctrl-s", Modifier("k ctrl".into())),
            ("ctrl-f36", Key("f36".into())),
            ("ctrl-return", Key("return".into())),
            ("", Key(String::new())),
            ("ctrl-", Key(String::new())),
            ("ctrl-shift-+", ShiftedSymbol),
            ("ctrl-shift-1", ShiftedSymbol),
            ("a", Typing),
            ("shift-a", Typing),
            ("-", Typing),
            ("enter", Typing),
            ("space", Typing),
        ] {
            assert_eq!(text.parse::<Keystroke>(), Err(error), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived_and_the_spelling_is_stable(text in "[a-zA-Z0-9+\\- ]{0,24}|\\PC{0,12}") {
            if let Ok(canonical) = spelled(&text) {
                prop_assert_eq!(spelled(&canonical), Ok(canonical));
            }
        }
    }
}
