//! From the text of `settings.toml` to [`Settings`] and a list of problems.
//!
//! Every key stands for itself: one wrong value never costs the rest of the file. A wrong value
//! leaves the last good one in force, a key that is not there has its default, and an unknown key
//! is a warning, so that a file written for a newer version still works.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, DocumentMut, Item, TomlError};

use crate::fields::{field, fields};
use crate::model::Settings;
use crate::problem::{Problem, Severity, line_at};

/// Reads `text`; `good` supplies the values of keys that cannot be used.
pub(crate) fn evaluate(file: &Path, text: &str, good: &Settings) -> (Settings, Vec<Problem>) {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return (good.clone(), vec![syntax_problem(file, text, &error)]),
    };
    let (Ok(mut result), Ok(last)) = (written(&Settings::default()), written(good)) else {
        return (good.clone(), Vec::new());
    };
    let mut findings = Findings {
        file,
        text,
        problems: Vec::new(),
    };
    for (section, item) in document.iter() {
        let known = fields().iter().any(|field| field.section() == section);
        match item.as_table_like() {
            _ if !known => findings.unknown(section, section, item),
            None => findings.error(
                section,
                item,
                format!("{section} must be a table [{section}]"),
            ),
            Some(table) => {
                for (name, item) in table.iter() {
                    findings.take(section, name, item, &last, &mut result);
                }
            }
        }
    }
    match toml_edit::de::from_document(result) {
        Ok(settings) => (settings, findings.problems),
        Err(error) => {
            // Only a check that is wider than its type could come here.
            findings.problems.push(Problem {
                file: file.to_owned(),
                line: None,
                key: None,
                severity: Severity::Error,
                message: format!("{}; the last good settings stay in force", error.message()),
            });
            (good.clone(), findings.problems)
        }
    }
}

/// A file that is not TOML.
pub(crate) fn syntax_problem(file: &Path, text: &str, error: &TomlError) -> Problem {
    Problem {
        file: file.to_owned(),
        line: error.span().map(|span| line_at(text, span.start)),
        key: None,
        severity: Severity::Error,
        message: format!(
            "not valid TOML: {}; the last good settings stay in force",
            error.message().lines().collect::<Vec<_>>().join(", ")
        ),
    }
}

fn written(settings: &Settings) -> Result<DocumentMut, toml_edit::ser::Error> {
    toml_edit::ser::to_document(settings)
}

struct Findings<'a> {
    file: &'a Path,
    text: &'a str,
    problems: Vec<Problem>,
}

impl Findings<'_> {
    /// Moves one key of the file into `result`, or the value of `last` when it cannot be used.
    fn take(
        &mut self,
        section: &str,
        name: &str,
        item: &Item,
        last: &DocumentMut,
        result: &mut DocumentMut,
    ) {
        let key = format!("{section}.{name}");
        let Some(field) = field(&key) else {
            self.unknown(&key, name, item);
            return;
        };
        let checked = match item.as_value() {
            Some(value) => field.check(value).map(|()| item.clone()),
            None => Err(format!("{key} must be {}, not a table", field.allowed)),
        };
        let used = checked.unwrap_or_else(|message| {
            let kept = last.get(section).and_then(|table| table.get(name));
            let kept = kept
                .cloned()
                .unwrap_or_else(|| Item::Value(field.default.clone()));
            let stays = kept
                .as_value()
                .map(|value| value.to_string())
                .unwrap_or_default();
            self.error(
                &key,
                item,
                format!("{message}; {} stays in force", stays.trim()),
            );
            kept
        });
        if let Some(table) = result.get_mut(section).and_then(Item::as_table_like_mut) {
            table.insert(name, used);
        }
    }

    fn unknown(&mut self, key: &str, name: &str, item: &Item) {
        let message = match similar(name) {
            Some(meant) => format!("{key} is not a setting; did you mean {meant}?"),
            None => format!("{key} is not a setting and has no effect"),
        };
        self.push(Severity::Warning, key, item.span(), message);
    }

    fn error(&mut self, key: &str, item: &Item, message: String) {
        self.push(Severity::Error, key, item.span(), message);
    }

    fn push(&mut self, severity: Severity, key: &str, span: Option<Range<usize>>, message: String) {
        self.problems.push(Problem {
            file: self.file.to_owned(),
            line: span.map(|span| line_at(self.text, span.start)),
            key: Some(key.to_owned()),
            severity,
            message,
        });
    }
}

/// A key of the same name in another table or another spelling (`fontSize`, `font-size`).
fn similar(name: &str) -> Option<&'static str> {
    let plain = |name: &str| {
        name.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase()
    };
    let wanted = plain(name);
    fields()
        .iter()
        .find(|field| plain(field.name()) == wanted)
        .map(|field| field.key.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Language, PaneControl};

    fn read(text: &str) -> (Settings, Vec<String>) {
        read_after(text, &Settings::default())
    }

    fn read_after(text: &str, good: &Settings) -> (Settings, Vec<String>) {
        let (settings, problems) = evaluate(Path::new("/c/settings.toml"), text, good);
        (settings, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(read(""), (Settings::default(), Vec::new()));
    }

    #[test]
    fn values_of_every_kind_are_read() {
        let (settings, problems) = read(
            "panes.control = 'read'\n[terminal]\nhistory_lines = 0\ncopy_on_select = true\n\
             [ui]\nfont_size = 12\nline_height = 1.5\nlanguage = 'zh-CN'\ntheme = \"dark\"\n",
        );
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(settings.panes.control, PaneControl::Read);
        assert_eq!(settings.terminal.history_lines, 0);
        assert!(settings.terminal.copy_on_select);
        assert_eq!(
            (settings.ui.font_size, settings.ui.line_height),
            (12.0, 1.5)
        );
        assert_eq!(settings.ui.language, Language::SimplifiedChinese);
        assert_eq!(settings.ui.theme, "dark");
    }

    #[test]
    fn a_wrong_value_names_file_line_key_and_range_and_keeps_the_last_good_one() {
        let mut good = Settings::default();
        good.ui.font_size = 20.0;
        good.ui.theme = "light".to_owned();
        let text = "[ui]\ntheme = 'dark'\n# comment\nfont_size = 100\n";
        let (settings, problems) = read_after(text, &good);
        assert_eq!(settings.ui.font_size, 20.0);
        assert_eq!(settings.ui.theme, "dark", "the rest of the file is used");
        assert_eq!(
            problems,
            [
                "settings.toml:4: ui.font_size must be a number from 6 to 72, not 100; 20.0 stays in \
              force"
            ]
        );
    }

    #[test]
    fn a_key_that_was_removed_has_its_default_again() {
        let mut good = Settings::default();
        good.ui.font_size = 20.0;
        assert_eq!(read_after("", &good).0.ui.font_size, 14.0);
    }

    #[test]
    fn wrong_types_are_problems_too() {
        let (settings, problems) =
            read("ui = 3\n[terminal]\nshell = ''\nhistory_lines = '5'\n[panes.hold_on_exit]\n");
        assert_eq!(settings, Settings::default());
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert!(
            problems
                .iter()
                .any(|p| p == "settings.toml:1: ui must be a table [ui]")
        );
    }

    #[test]
    fn unknown_keys_warn_and_suggest() {
        let file = Path::new("settings.toml");
        let (settings, problems) = evaluate(
            file,
            "later = 1\n[terminal]\nfont-size = 13\nshell = 'zsh'\n",
            &Settings::default(),
        );
        assert_eq!(settings.terminal.shell, "zsh");
        assert!(
            problems
                .iter()
                .all(|problem| problem.severity == Severity::Warning)
        );
        let messages: Vec<_> = problems.iter().map(|p| p.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "later is not a setting and has no effect",
                "terminal.font-size is not a setting; did you mean ui.font_size?"
            ]
        );
    }

    #[test]
    fn a_file_that_is_not_toml_changes_nothing() {
        let mut good = Settings::default();
        good.ui.font_size = 20.0;
        let (settings, problems) = read_after("[ui]\nfont_size = \n", &good);
        assert_eq!(settings, good);
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].starts_with("settings.toml:2: not valid TOML: "),
            "{problems:?}"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,200}") {
            evaluate(Path::new("f"), &text, &Settings::default());
        }

        #[test]
        fn whatever_is_written_the_result_is_in_range(size in any::<f64>(), lines in any::<i64>()) {
            let text = format!("[ui]\nfont_size = {size:?}\n[terminal]\nhistory_lines = {lines}\n");
            let (settings, problems) = read(&text.replace("NaN", "nan"));
            prop_assert!((6.0..=72.0).contains(&settings.ui.font_size));
            prop_assert!(settings.terminal.history_lines <= 100_000);
            let wrong = usize::from(!(6.0..=72.0).contains(&size))
                + usize::from(!(0..=100_000).contains(&lines));
            prop_assert_eq!(problems.len(), wrong);
        }

        #[test]
        fn what_is_serialised_is_read_back(size in 6.0f32..72.0, hold: bool, shell in "[a-z/\"' ]{1,20}") {
            let mut settings = Settings::default();
            settings.ui.font_size = size;
            settings.panes.hold_on_exit = hold;
            settings.terminal.shell = shell;
            let text = written(&settings).unwrap().to_string();
            prop_assert_eq!(read(&text), (settings, Vec::new()));
        }
    }
}
