//! The control of one setting: what it looks like follows from the values the key takes.

use gpui::{App, Context, SharedString, WeakEntity};
use gpui_component::setting::{NumberFieldOptions, SettingField, SettingItem};
use rust_i18n::t;
use serde_json::Value as Json;
use settings::{Allowed, Field, SettingsStore, Value};

use super::SettingsPage;
use crate::views::theme;

impl SettingsPage {
    pub(super) fn item(&self, field: &'static Field, cx: &mut Context<Self>) -> SettingItem {
        let name = field.key.replace('.', "_");
        let title = t!(format!("settings.field.{name}.title")).into_owned();
        let help = t!(format!("settings.field.{name}.help")).into_owned();
        let key = field.key.as_str();
        let slot = Slot {
            store: self.store.clone(),
            page: cx.weak_entity(),
            key,
        };
        let item = match &field.allowed {
            Allowed::Bool => SettingItem::new(title, slot.switch()),
            Allowed::Integer { min, max } => {
                // Both ends are far below 2^53.
                let options = NumberFieldOptions {
                    min: *min as f64,
                    max: *max as f64,
                    step: 100.0,
                };
                SettingItem::new(
                    title,
                    slot.number(options, |value| Value::from(value as i64)),
                )
            }
            Allowed::Number { min, max } => {
                let step = if max - min > 10.0 { 1.0 } else { 0.05 };
                let options = NumberFieldOptions {
                    min: *min,
                    max: *max,
                    step,
                };
                SettingItem::new(title, slot.number(options, Value::from))
            }
            Allowed::Choice(choices) => {
                let options = choices.iter().map(|choice| {
                    let label = t!(format!("settings.choice.{}", choice.value)).into_owned();
                    (choice.value.clone().into(), label.into())
                });
                SettingItem::new(title, slot.dropdown(options.collect()))
            }
            Allowed::Text { .. } => match self.options(field) {
                Some(options) => SettingItem::new(title, slot.dropdown(options)),
                None => SettingItem::new(title, slot.input()),
            },
        };
        item.keywords([key]).description(format!("{help}  ({key})"))
    }

    /// The values offered for a key that takes any text.
    fn options(&self, field: &Field) -> Option<Vec<(SharedString, SharedString)>> {
        let same = |name: &SharedString| (name.clone(), name.clone());
        let named = |value: &'static str, text: std::borrow::Cow<'static, str>| {
            (
                SharedString::from(value),
                SharedString::from(text.into_owned()),
            )
        };
        let mut options: Vec<_> = match field.key.as_str() {
            "ui.theme" => {
                let fixed = [
                    named("system", t!("settings.option.system")),
                    named("light", t!("settings.option.light")),
                    named("dark", t!("settings.option.dark")),
                ];
                let themes = theme::bundled()
                    .iter()
                    .map(|theme| same(&theme.name.clone().into()));
                fixed.into_iter().chain(themes).collect()
            }
            "ui.font_family" => {
                let bundled = named("auto", t!("settings.option.auto_font"));
                std::iter::once(bundled)
                    .chain(self.fonts.iter().map(same))
                    .collect()
            }
            "terminal.shell" => {
                let login = named("auto", t!("settings.option.auto_shell"));
                std::iter::once(login)
                    .chain(self.shells.iter().map(same))
                    .collect()
            }
            _ => return None,
        };
        // What the file says is offered too, whatever it is.
        let current = text(&self.store, &field.key);
        if !options.iter().any(|(value, _)| *value == current) {
            options.push(same(&current));
        }
        Some(options)
    }
}

/// A key with the way to read and to write it.
#[derive(Clone)]
struct Slot {
    store: SettingsStore,
    page: WeakEntity<SettingsPage>,
    key: &'static str,
}

impl Slot {
    fn set(&self, value: Value, cx: &mut App) {
        if let Some(page) = self.page.upgrade() {
            page.update(cx, |page, cx| page.write(self.key, value, cx));
        }
    }

    fn switch(self) -> SettingField<bool> {
        let reader = self.clone();
        SettingField::switch(
            move |_| {
                current(&reader.store, reader.key)
                    .as_bool()
                    .unwrap_or_default()
            },
            move |value, cx| self.set(value.into(), cx),
        )
    }

    fn number(self, options: NumberFieldOptions, value: fn(f64) -> Value) -> SettingField<f64> {
        let reader = self.clone();
        SettingField::number_input(
            options,
            // A float of the settings has a short decimal form that its double has not.
            move |_| {
                let shown = current(&reader.store, reader.key)
                    .as_f64()
                    .unwrap_or_default();
                (shown * 1000.0).round() / 1000.0
            },
            move |number, cx| self.set(value(number), cx),
        )
    }

    fn dropdown(self, options: Vec<(SharedString, SharedString)>) -> SettingField<SharedString> {
        let reader = self.clone();
        SettingField::scrollable_dropdown(
            options,
            move |_| text(&reader.store, reader.key),
            move |value, cx| self.set(value.as_ref().into(), cx),
        )
    }

    fn input(self) -> SettingField<SharedString> {
        let reader = self.clone();
        SettingField::input(
            move |_| text(&reader.store, reader.key),
            move |value, cx| self.set(value.as_ref().into(), cx),
        )
    }
}

/// The value in force of a dotted key.
fn current(store: &SettingsStore, key: &str) -> Json {
    let settings = serde_json::to_value(&*store.current()).unwrap_or_default();
    let path = format!("/{}", key.replace('.', "/"));
    settings.pointer(&path).cloned().unwrap_or_default()
}

fn text(store: &SettingsStore, key: &str) -> SharedString {
    current(store, key)
        .as_str()
        .unwrap_or_default()
        .to_owned()
        .into()
}
