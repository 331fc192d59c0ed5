//! The language of the window: what the setting says, else that of the desktop, else English.

use settings::Language;

/// The catalogue for a setting.
pub fn locale(language: Language) -> &'static str {
    match language {
        Language::English => "en",
        Language::SimplifiedChinese => "zh-CN",
        Language::Auto => {
            // The order of POSIX: the first that is set decides.
            let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
            let set = names.iter().filter_map(|name| std::env::var(name).ok());
            of_desktop(set.into_iter().find(|value| !value.is_empty()).as_deref())
        }
    }
}

fn of_desktop(value: Option<&str>) -> &'static str {
    let value = value.unwrap_or_default();
    // Traditional script is another language on the screen; English reads better than the wrong one.
    let traditional = ["TW", "HK", "MO", "Hant"]
        .iter()
        .any(|tag| value.contains(tag));
    if value.starts_with("zh") && !traditional {
        "zh-CN"
    } else {
        "en"
    }
}

/// Puts the language into force for this program's texts and for those of the widgets.
pub fn activate(language: Language) {
    let locale = locale(language);
    rust_i18n::set_locale(locale);
    gpui_component::set_locale(locale);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_desktop_decides_where_the_setting_does_not() {
        for (value, expected) in [
            (None, "en"),
            (Some(""), "en"),
            (Some("C.UTF-8"), "en"),
            (Some("de_DE.UTF-8"), "en"),
            (Some("zh_CN.UTF-8"), "zh-CN"),
            (Some("zh_SG.UTF-8"), "zh-CN"),
            (Some("zh_TW.UTF-8"), "en"),
        ] {
            assert_eq!(of_desktop(value), expected, "{value:?}");
        }
    }

    /// Every message exists in both catalogues, and takes the same values.
    #[test]
    fn catalogues_say_the_same() {
        let keys = |text: &str| {
            let mut path: Vec<(usize, String)> = Vec::new();
            let mut found = Vec::new();
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let indent = line.len() - line.trim_start().len();
                let (key, value) = line.trim().split_once(':').unwrap();
                path.retain(|(depth, _)| *depth < indent);
                path.push((indent, key.trim_matches('"').to_owned()));
                if !value.trim().is_empty() {
                    let name: Vec<_> = path.iter().map(|(_, key)| key.as_str()).collect();
                    let mut values: Vec<_> = value
                        .match_indices("%{")
                        .map(|(at, _)| {
                            value
                                .get(at..)
                                .and_then(|rest| rest.split_once('}'))
                                .map(|(name, _)| name)
                        })
                        .collect();
                    values.sort();
                    found.push((name.join("."), format!("{values:?}")));
                }
            }
            found.sort();
            found
        };
        let english = keys(include_str!("../../locales/en.yml"));
        let chinese = keys(include_str!("../../locales/zh-CN.yml"));
        assert_eq!(english, chinese);
        for action in settings::Action::ALL {
            let key = format!("action.{}", action.name());
            assert!(english.iter().any(|(name, _)| *name == key), "{key}");
        }
        for field in settings::fields() {
            let key = format!("settings.field.{}.title", field.key.replace('.', "_"));
            assert!(english.iter().any(|(name, _)| *name == key), "{key}");
        }
    }
}
