//! Keys of `pane.send_key`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A key by name: the named keys, `f1` to `f12`, and `a` to `z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// `escape`
    Escape,
    /// `enter`
    Enter,
    /// `tab`
    Tab,
    /// `backspace`
    Backspace,
    /// `up`
    Up,
    /// `down`
    Down,
    /// `left`
    Left,
    /// `right`
    Right,
    /// `home`
    Home,
    /// `end`
    End,
    /// `insert`
    Insert,
    /// `delete`
    Delete,
    /// `page_up`
    PageUp,
    /// `page_down`
    PageDown,
    /// `f1` to `f12`, by number.
    Function(u8),
    /// `a` to `z`, which need the control modifier.
    Letter(char),
}

const NAMED: [(Key, &str); 14] = [
    (Key::Escape, "escape"),
    (Key::Enter, "enter"),
    (Key::Tab, "tab"),
    (Key::Backspace, "backspace"),
    (Key::Up, "up"),
    (Key::Down, "down"),
    (Key::Left, "left"),
    (Key::Right, "right"),
    (Key::Home, "home"),
    (Key::End, "end"),
    (Key::Insert, "insert"),
    (Key::Delete, "delete"),
    (Key::PageUp, "page_up"),
    (Key::PageDown, "page_down"),
];

/// Every key that a request may name.
fn all() -> impl Iterator<Item = Key> {
    NAMED
        .iter()
        .map(|(key, _)| *key)
        .chain((1..=12).map(Key::Function))
        .chain(('a'..='z').map(Key::Letter))
}

/// The text names no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a named key, f1 to f12, or a to z")]
pub struct UnknownKey;

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function(number) => write!(f, "f{number}"),
            Self::Letter(letter) => write!(f, "{letter}"),
            named => {
                let name = NAMED
                    .iter()
                    .find(|(key, _)| key == named)
                    .map_or("", |(_, n)| n);
                f.write_str(name)
            }
        }
    }
}

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<Self, UnknownKey> {
        all().find(|key| key.to_string() == text).ok_or(UnknownKey)
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Key {
    fn schema_name() -> Cow<'static, str> {
        "Key".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<String> = all().map(|key| key.to_string()).collect();
        json_schema!({
            "description": "A key by name; letters need the control modifier.",
            "type": "string",
            "enum": names,
        })
    }
}

/// Modifiers held with a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyModifiers {
    /// Shift. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<bool>,
    /// Alt. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alt: Option<bool>,
    /// Control. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<bool>,
}

impl KeyModifiers {
    /// Whether Shift is held.
    pub fn shift(self) -> bool {
        self.shift == Some(true)
    }

    /// Whether Alt is held.
    pub fn alt(self) -> bool {
        self.alt == Some(true)
    }

    /// Whether Control is held.
    pub fn control(self) -> bool {
        self.control == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        assert_eq!(all().count(), 14 + 12 + 26);
        for key in all() {
            assert_eq!(key.to_string().parse(), Ok(key));
        }
        for bad in ["", "A", "f0", "f13", "Enter", "return", "ä"] {
            assert_eq!(bad.parse::<Key>(), Err(UnknownKey), "{bad}");
        }
    }
}
