//! The table of keys, read from the types of [`crate::model`].
//!
//! Checking a value, explaining what is allowed, the settings tab and `docs/settings.md` all need
//! the same facts about a key. They are derived once from the JSON Schema of [`Settings`], so that a
//! new field in the struct is checked and documented without a second list.

use std::fmt;
use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::Value as Json;
use toml_edit::{Item, Value};

use crate::model::Settings;

/// One key of `settings.toml`.
#[derive(Debug, Clone)]
pub struct Field {
    /// Dotted name: table and key, `ui.font_size`.
    pub key: String,
    /// What it does, in Markdown, one or two sentences.
    pub doc: String,
    /// The values it takes.
    pub allowed: Allowed,
    /// Its default, as it would be written in the file.
    pub default: Value,
}

/// The values that a key takes. `Display` completes the sentence "it must be ...".
#[derive(Debug, Clone, PartialEq)]
pub enum Allowed {
    /// `true` or `false`.
    Bool,
    /// A whole number, both ends included.
    Integer {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// A number with or without a fraction, both ends included.
    Number {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// Text, measured in characters.
    Text {
        /// Fewest characters.
        min: usize,
        /// Most characters.
        max: usize,
    },
    /// One of a few words.
    Choice(Vec<Choice>),
}

/// One word of [`Allowed::Choice`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// As written in the file.
    pub value: String,
    /// What it means.
    pub doc: String,
}

impl Field {
    /// The table of the key: `ui` of `ui.font_size`.
    pub fn section(&self) -> &str {
        self.key.split_once('.').map_or("", |(section, _)| section)
    }

    /// The key inside its table: `font_size` of `ui.font_size`.
    pub fn name(&self) -> &str {
        self.key
            .split_once('.')
            .map_or(self.key.as_str(), |(_, name)| name)
    }

    /// Whether `value` may stand for this key; the error names the allowed range.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        if self.allowed.admits(value) {
            return Ok(());
        }
        Err(format!(
            "{} must be {}, not {}",
            self.key,
            self.allowed,
            shown(value)
        ))
    }
}

impl Allowed {
    fn admits(&self, value: &Value) -> bool {
        match self {
            Self::Bool => value.is_bool(),
            Self::Integer { min, max } => value
                .as_integer()
                .is_some_and(|number| (*min..=*max).contains(&number)),
            Self::Number { min, max } => value
                .as_float()
                .or_else(|| value.as_integer().map(|number| number as f64))
                .is_some_and(|number| (*min..=*max).contains(&number)),
            Self::Text { min, max } => value
                .as_str()
                .is_some_and(|text| (*min..=*max).contains(&text.chars().count())),
            Self::Choice(choices) => value
                .as_str()
                .is_some_and(|text| choices.iter().any(|choice| choice.value == text)),
        }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => write!(f, "true or false"),
            Self::Integer { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Number { min, max } => write!(f, "a number from {min} to {max}"),
            Self::Text { min: 0, max } => write!(f, "text of at most {max} characters"),
            Self::Text { min, max } => write!(f, "text of {min} to {max} characters"),
            Self::Choice(choices) => {
                let words: Vec<_> = choices
                    .iter()
                    .map(|choice| format!("\"{}\"", choice.value))
                    .collect();
                write!(f, "one of {}", words.join(", "))
            }
        }
    }
}

/// A value as the user wrote it, cut so that a message stays one line.
pub(crate) fn shown(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    let line = text.trim().replace(['\n', '\r'], " ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// All keys, in the order of the structs.
pub fn fields() -> &'static [Field] {
    static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(read_schema);
    &FIELDS
}

/// The field of a dotted key.
pub fn field(key: &str) -> Option<&'static Field> {
    fields().iter().find(|field| field.key == key)
}

/// Tables in the order of the struct, each with its doc comment.
pub(crate) fn sections() -> Vec<(String, String)> {
    let schema = schema();
    let settings = Settings::default();
    in_file_order(&settings)
        .iter()
        .map(|(name, _)| {
            let doc = schema.pointer(&format!("/properties/{name}/description"));
            (name.clone(), text_of(doc))
        })
        .collect()
}

fn schema() -> Json {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings
        .into_generator()
        .into_root_schema_for::<Settings>()
        .to_value()
}

/// Serialising keeps the order of the structs; a JSON object need not.
fn in_file_order(settings: &Settings) -> Vec<(String, Item)> {
    toml_edit::ser::to_document(settings)
        .map(|document| {
            document
                .iter()
                .map(|(key, item)| (key.to_owned(), item.clone()))
                .collect()
        })
        .unwrap_or_default()
}

fn read_schema() -> Vec<Field> {
    let schema = schema();
    let mut fields = Vec::new();
    for (section, item) in in_file_order(&Settings::default()) {
        let Some(table) = item.as_table_like() else {
            continue;
        };
        for (name, default) in table.iter() {
            let pointer = format!("/properties/{section}/properties/{name}");
            let (Some(shape), Some(default)) = (schema.pointer(&pointer), default.as_value())
            else {
                continue;
            };
            let Some(allowed) = allowed(shape) else {
                continue;
            };
            fields.push(Field {
                key: format!("{section}.{name}"),
                doc: text_of(shape.get("description")),
                allowed,
                default: default.clone().decorated("", ""),
            });
        }
    }
    fields
}

fn allowed(shape: &Json) -> Option<Allowed> {
    if let Some(variants) = shape.get("oneOf").and_then(Json::as_array) {
        let choices = variants.iter().filter_map(|variant| {
            Some(Choice {
                value: variant.get("const")?.as_str()?.to_owned(),
                doc: text_of(variant.get("description")),
            })
        });
        return Some(Allowed::Choice(choices.collect()));
    }
    let number = |name: &str| shape.get(name).and_then(Json::as_f64);
    let length = |name: &str| {
        shape
            .get(name)
            .and_then(Json::as_u64)
            .and_then(|length| usize::try_from(length).ok())
    };
    match shape.get("type")?.as_str()? {
        "boolean" => Some(Allowed::Bool),
        "integer" => Some(Allowed::Integer {
            min: number("minimum")? as i64,
            max: number("maximum")? as i64,
        }),
        "number" => Some(Allowed::Number {
            min: number("minimum")?,
            max: number("maximum")?,
        }),
        "string" => Some(Allowed::Text {
            min: length("minLength").unwrap_or(0),
            max: length("maxLength")?,
        }),
        _ => None,
    }
}

/// A doc comment as one line.
fn text_of(description: Option<&Json>) -> String {
    let text = description.and_then(Json::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field whose kind is not understood would silently be neither checked nor documented.
    #[test]
    fn every_key_of_the_structs_is_in_the_table() {
        let written: Vec<String> = in_file_order(&Settings::default())
            .iter()
            .flat_map(|(section, item)| {
                item.as_table_like()
                    .unwrap()
                    .iter()
                    .map(|(name, _)| format!("{section}.{name}"))
                    .collect::<Vec<_>>()
            })
            .collect();
        let known: Vec<_> = fields().iter().map(|field| field.key.clone()).collect();
        assert_eq!(known, written);
    }

    #[test]
    fn every_key_is_documented_and_admits_its_default() {
        for field in fields() {
            assert!(field.doc.ends_with('.'), "{}: {:?}", field.key, field.doc);
            assert_eq!(field.check(&field.default), Ok(()));
            if let Allowed::Choice(choices) = &field.allowed {
                assert!(choices.len() > 1, "{}", field.key);
                assert!(
                    choices.iter().all(|choice| !choice.doc.is_empty()),
                    "{}",
                    field.key
                );
            }
        }
    }

    #[test]
    fn ranges_come_from_the_types() {
        let size = field("ui.font_size").unwrap();
        assert_eq!(
            size.allowed,
            Allowed::Number {
                min: 6.0,
                max: 72.0
            }
        );
        assert_eq!(size.check(&Value::from(6)), Ok(()));
        assert_eq!(
            size.check(&Value::from(72.5)).unwrap_err(),
            "ui.font_size must be a number from 6 to 72, not 72.5"
        );
        assert!(size.check(&Value::from(f64::NAN)).is_err());
        let history = field("terminal.history_lines").unwrap();
        assert_eq!(
            history.allowed,
            Allowed::Integer {
                min: 0,
                max: 100_000
            }
        );
        let language = field("ui.language").unwrap();
        assert_eq!(
            language.check(&Value::from("fr")).unwrap_err(),
            "ui.language must be one of \"auto\", \"en\", \"zh-CN\", not \"fr\""
        );
    }

    #[test]
    fn a_long_value_is_cut_in_messages() {
        let message = field("ui.language")
            .unwrap()
            .check(&Value::from("界".repeat(500)));
        assert!(message.unwrap_err().chars().count() < 150);
    }
}
