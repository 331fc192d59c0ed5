//! Titles: what a program calls itself, without the moving part, and what a pane is called when
//! the program says nothing.

use std::path::Path;

/// Letters of a title that are kept; more fits nowhere and a program may send 4 KiB.
const TITLE_MAX: usize = 256;

/// The title a program set, with leading spinners taken off (control-api.md 6.1), so that an
/// animation does not make every snapshot differ.
///
/// Braille patterns at the start are always a spinner. Any other single symbol is one only when
/// it was seen to change while the rest stayed.
#[derive(Debug, Default)]
pub(crate) struct ProgramTitle {
    shown: Option<String>,
    symbol: Option<char>,
    rest: String,
    animated: bool,
}

impl ProgramTitle {
    /// Takes in a title as the program sent it. Returns whether the shown one changed.
    pub(crate) fn set(&mut self, title: Option<&str>) -> bool {
        let clean = clean(title.unwrap_or_default());
        let still = clean.trim_start_matches(|c: char| is_braille(c) || c.is_whitespace());
        let (symbol, rest) = split_symbol(still);
        self.animated = match (self.symbol, symbol) {
            (Some(before), Some(now)) => self.animated || (before != now && self.rest == rest),
            _ => false,
        };
        let shown = if self.animated { rest } else { still };
        let shown = (!shown.is_empty()).then(|| shown.to_owned());
        self.symbol = symbol;
        rest.clone_into(&mut self.rest);
        let changed = self.shown != shown;
        self.shown = shown;
        changed
    }

    pub(crate) fn get(&self) -> Option<&str> {
        self.shown.as_deref()
    }
}

/// What a pane is called without a title of its own: the program in front, else its directory,
/// else its shell.
pub(crate) fn fallback(program: Option<&str>, directory: Option<&Path>, shell: &str) -> String {
    if let Some(program) = program {
        return program.to_owned();
    }
    match directory {
        Some(directory) if std::env::home_dir().is_some_and(|home| home == directory) => {
            "~".to_owned()
        }
        Some(directory) => {
            let name = directory.file_name().unwrap_or(directory.as_os_str());
            clean(&name.to_string_lossy())
        }
        None => shell.to_owned(),
    }
}

/// Text from outside, fit to be one line of a list: no control characters, bounded.
pub(crate) fn clean(text: &str) -> String {
    let kept = text
        .chars()
        .filter(|c| !c.is_control() && !reorders(*c))
        .take(TITLE_MAX);
    kept.collect::<String>().trim().to_owned()
}

/// Characters that change the direction of the text after them, with which a title could disguise
/// what stands beside it.
fn reorders(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_braille(c: char) -> bool {
    ('\u{2800}'..='\u{28ff}').contains(&c)
}

/// `✳ name` is the symbol and `name`.
fn split_symbol(title: &str) -> (Option<char>, &str) {
    let mut characters = title.chars();
    let Some(first) = characters.next().filter(|c| !c.is_alphanumeric()) else {
        return (None, title);
    };
    let rest = characters.as_str();
    if rest.starts_with(char::is_whitespace) {
        (Some(first), rest.trim_start())
    } else {
        (None, title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(titles: &[&str]) -> Vec<String> {
        let mut title = ProgramTitle::default();
        titles
            .iter()
            .map(|raw| {
                title.set(Some(raw));
                title.get().unwrap_or_default().to_owned()
            })
            .collect()
    }

    #[test]
    fn braille_spinners_never_show() {
        assert_eq!(
            shown(&["⠋ build", "⠙ build", "⠹⠸ build"]),
            ["build", "build", "build"]
        );
    }

    #[test]
    fn a_changing_symbol_is_a_spinner_and_a_steady_one_is_not() {
        assert_eq!(
            shown(&["✳ task", "✶ task", "✻ task"]),
            ["✳ task", "task", "task"]
        );
        assert_eq!(shown(&["~ home", "~ home"]), ["~ home", "~ home"]);
        assert_eq!(
            shown(&["✳ a", "✶ a", "✳ b", "plain", "✳ c"]),
            ["✳ a", "a", "b", "plain", "✳ c"]
        );
    }

    #[test]
    fn an_animation_changes_nothing() {
        let mut title = ProgramTitle::default();
        assert!(title.set(Some("⠋ build")));
        assert!(!title.set(Some("⠙ build")));
        assert!(title.set(None));
        assert_eq!(title.get(), None);
    }

    #[test]
    fn titles_are_one_bounded_line() {
        assert_eq!(clean("a\u{1b}[2J\nb\u{202e}c"), "a[2Jbc");
        assert_eq!(clean(&"x".repeat(9_000)).len(), TITLE_MAX);
    }

    #[test]
    fn a_pane_without_a_title_is_called_after_what_it_does() {
        assert_eq!(
            fallback(Some("cargo"), Some(Path::new("/srv")), "bash"),
            "cargo"
        );
        assert_eq!(fallback(None, Some(Path::new("/srv/www")), "bash"), "www");
        assert_eq!(fallback(None, Some(Path::new("/")), "bash"), "/");
        assert_eq!(fallback(None, None, "bash"), "bash");
    }
}
