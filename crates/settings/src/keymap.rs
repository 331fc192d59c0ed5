//! Which key does what: the defaults of [`Action`] and the changes of `keymap.toml`.
//!
//! ```toml
//! [keys]
//! new_tab = "ctrl-t"                    # instead of the default keys
//! copy = ["ctrl-shift-c", "super-c"]    # several
//! quit = []                             # no key
//! ```
//!
//! A key does one thing at most. A key that the file gives to an action is taken from the action that
//! has it by default; given to two actions in the file, it stays with the first. Both are reported.

mod action;
mod keystroke;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item, Value};

pub use action::{Action, UnknownAction};
pub use keystroke::{Keystroke, KeystrokeError};

use crate::evaluate::syntax_problem;
use crate::problem::{Problem, Severity, line_at};

/// The keys in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    keys: BTreeMap<Action, Vec<Keystroke>>,
}

impl Default for Keymap {
    fn default() -> Self {
        let keys = Action::ALL
            .iter()
            .map(|action| (*action, default_keys(*action)));
        Self {
            keys: keys.collect(),
        }
    }
}

/// The defaults are constants and a test reads them all.
fn default_keys(action: Action) -> Vec<Keystroke> {
    action
        .default_keys()
        .iter()
        .filter_map(|key| key.parse().ok())
        .collect()
}

impl Keymap {
    /// The keys of an action, the one to show in menus first; empty when it has none.
    pub fn keys(&self, action: Action) -> &[Keystroke] {
        self.keys.get(&action).map_or(&[], Vec::as_slice)
    }

    /// What a key does.
    pub fn action(&self, keystroke: &Keystroke) -> Option<Action> {
        self.bindings()
            .find(|(bound, _)| *bound == keystroke)
            .map(|(_, action)| action)
    }

    /// All keys with their actions; no key comes twice.
    pub fn bindings(&self) -> impl Iterator<Item = (&Keystroke, Action)> {
        self.keys
            .iter()
            .flat_map(|(action, keys)| keys.iter().map(|key| (key, *action)))
    }

    /// Reads the text of `keymap.toml`; `good` supplies the keys of actions whose entry cannot be
    /// used.
    pub(crate) fn evaluate(file: &Path, text: &str, good: &Self) -> (Self, Vec<Problem>) {
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(error) => return (good.clone(), vec![syntax_problem(file, text, &error)]),
        };
        let mut reader = Reader {
            file,
            text,
            problems: Vec::new(),
            given: Vec::new(),
        };
        for (name, item) in document.iter() {
            match item.as_table_like() {
                Some(table) if name == "keys" => {
                    for (name, item) in table.iter() {
                        reader.entry(name, item);
                    }
                }
                _ if name == "keys" => {
                    reader.error(
                        "keys",
                        item.span(),
                        "keys must be a table [keys]".to_owned(),
                    );
                }
                _ => reader.warning(
                    name,
                    item.span(),
                    format!("{name} has no effect here; actions stand under [keys]"),
                ),
            }
        }
        reader.assign(good)
    }
}

/// What the file says about one action.
struct Entry {
    action: Action,
    /// `None` when it cannot be used.
    keys: Option<Vec<Keystroke>>,
    span: Option<Range<usize>>,
}

struct Reader<'a> {
    file: &'a Path,
    text: &'a str,
    problems: Vec<Problem>,
    given: Vec<Entry>,
}

impl Reader<'_> {
    fn entry(&mut self, name: &str, item: &Item) {
        let key = format!("keys.{name}");
        let Ok(action) = name.parse::<Action>() else {
            let message = format!("{key}: there is no action {name}; it has no effect");
            self.warning(&key, item.span(), message);
            return;
        };
        let keys = match read_keys(item.as_value()) {
            Ok(keys) => Some(keys),
            Err(reason) => {
                let message = format!("{key}: {reason}; the last good keys stay in force");
                self.error(&key, item.span(), message);
                None
            }
        };
        self.given.push(Entry {
            action,
            keys,
            span: item.span(),
        });
    }

    /// Gives every key to one action: first as the file says, in its order, then the defaults.
    fn assign(mut self, good: &Keymap) -> (Keymap, Vec<Problem>) {
        let mut owner: HashMap<Keystroke, Action> = HashMap::new();
        let mut keys: BTreeMap<Action, Vec<Keystroke>> = BTreeMap::new();
        for entry in std::mem::take(&mut self.given) {
            let Entry {
                action,
                keys: wanted,
                span,
            } = entry;
            let own = keys.entry(action).or_default();
            for stroke in wanted.unwrap_or_else(|| good.keys(action).to_vec()) {
                match owner.get(&stroke) {
                    None => {
                        owner.insert(stroke.clone(), action);
                        own.push(stroke);
                    }
                    Some(first) if *first == action => {}
                    Some(first) => {
                        let key = format!("keys.{action}");
                        let message = format!(
                            "{key}: {stroke} is already the key of {first} and stays with it"
                        );
                        self.error(&key, span.clone(), message);
                    }
                }
            }
        }
        for action in Action::ALL {
            if keys.contains_key(action) {
                continue;
            }
            let (taken, own): (Vec<_>, Vec<_>) = default_keys(*action)
                .into_iter()
                .partition(|stroke| owner.contains_key(stroke));
            for stroke in &taken {
                let by = owner.get(stroke).map_or("", |by| by.name());
                let key = format!("keys.{by}");
                let message = format!(
                    "{key}: {stroke} was a key of {action} and is no longer; give {action} another \
                     key, or [] to say that this is meant"
                );
                self.warning(&key, None, message);
            }
            keys.insert(*action, own);
        }
        (Keymap { keys }, self.problems)
    }

    fn warning(&mut self, key: &str, span: Option<Range<usize>>, message: String) {
        self.push(Severity::Warning, key, span, message);
    }

    fn error(&mut self, key: &str, span: Option<Range<usize>>, message: String) {
        self.push(Severity::Error, key, span, message);
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

/// One keystroke or a list of them.
fn read_keys(value: Option<&Value>) -> Result<Vec<Keystroke>, String> {
    const EXPECTED: &str = "it must be a key such as \"ctrl-shift-t\", a list of keys, or []";
    let one = |value: &Value| {
        let text = value.as_str().ok_or_else(|| EXPECTED.to_owned())?;
        text.parse::<Keystroke>().map_err(|error| error.to_string())
    };
    match value {
        Some(Value::Array(list)) => list.iter().map(one).collect(),
        Some(value) => one(value).map(|key| vec![key]),
        None => Err(EXPECTED.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> (Keymap, Vec<String>) {
        let (keymap, problems) =
            Keymap::evaluate(Path::new("/c/keymap.toml"), text, &Keymap::default());
        (keymap, problems.iter().map(ToString::to_string).collect())
    }

    fn spelled(keymap: &Keymap, action: Action) -> Vec<String> {
        keymap
            .keys(action)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn every_default_is_a_key_in_canonical_spelling_and_belongs_to_one_action() {
        let mut seen = HashMap::new();
        for action in Action::ALL {
            assert_eq!(action.name().parse(), Ok(*action));
            assert!(action.doc().ends_with('.'));
            for text in action.default_keys() {
                assert_eq!(text.parse::<Keystroke>().unwrap().to_string(), *text);
                assert_eq!(seen.insert(text, action), None, "{text}");
            }
        }
        assert_eq!(Action::show_tab(9), Some(Action::Tab9));
        assert_eq!((Action::show_tab(0), Action::show_tab(10)), (None, None));
    }

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(read(""), (Keymap::default(), Vec::new()));
    }

    #[test]
    fn keys_are_replaced_added_and_unbound() {
        let (keymap, problems) =
            read("[keys]\nnew_tab = 'Ctrl-t'\ncopy = ['ctrl-shift-c', 'super-c']\nquit = []\n");
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(spelled(&keymap, Action::NewTab), ["ctrl-t"]);
        assert_eq!(spelled(&keymap, Action::Copy), ["ctrl-shift-c", "super-c"]);
        assert_eq!(spelled(&keymap, Action::Quit), Vec::<String>::new());
        assert_eq!(
            keymap.action(&"ctrl-t".parse().unwrap()),
            Some(Action::NewTab)
        );
        assert_eq!(keymap.action(&"ctrl-shift-t".parse().unwrap()), None);
        assert_eq!(keymap.action(&"ctrl-shift-q".parse().unwrap()), None);
    }

    #[test]
    fn a_key_taken_from_a_default_is_reported_until_that_is_said_to_be_meant() {
        let (keymap, problems) = read("[keys]\nquit = 'ctrl-shift-t'\n");
        assert_eq!(
            keymap.action(&"ctrl-shift-t".parse().unwrap()),
            Some(Action::Quit)
        );
        assert_eq!(spelled(&keymap, Action::NewTab), Vec::<String>::new());
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].contains("ctrl-shift-t was a key of new_tab"),
            "{problems:?}"
        );
        let (_, problems) = read("[keys]\nquit = 'ctrl-shift-t'\nnew_tab = []\n");
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn a_key_given_twice_stays_with_the_first() {
        let (keymap, problems) = read("[keys]\nquit = 'alt-q'\nnew_tab = ['alt-q', 'alt-n']\n");
        assert_eq!(keymap.action(&"alt-q".parse().unwrap()), Some(Action::Quit));
        assert_eq!(spelled(&keymap, Action::NewTab), ["alt-n"]);
        assert_eq!(
            problems,
            ["keymap.toml:3: keys.new_tab: alt-q is already the key of quit and stays with it"]
        );
    }

    #[test]
    fn a_wrong_entry_keeps_the_last_good_keys() {
        let good = read("[keys]\nquit = 'alt-q'\n").0;
        let text = "[keys]\nquit = 'q'\nnew_tab = 7\nnothing = 'alt-x'\n[other]\n";
        let (keymap, problems) = Keymap::evaluate(Path::new("k"), text, &good);
        assert_eq!(spelled(&keymap, Action::Quit), ["alt-q"]);
        assert_eq!(spelled(&keymap, Action::NewTab), ["ctrl-shift-t"]);
        let found: Vec<_> = problems
            .iter()
            .map(|p| (p.line, p.key.as_deref().unwrap(), p.severity))
            .collect();
        assert_eq!(
            found,
            [
                (Some(2), "keys.quit", Severity::Error),
                (Some(3), "keys.new_tab", Severity::Error),
                (Some(4), "keys.nothing", Severity::Warning),
                (Some(5), "other", Severity::Warning),
            ]
        );
        assert_eq!(Keymap::evaluate(Path::new("k"), "[keys", &good).0, good);
    }

    proptest! {
        #[test]
        fn no_key_ever_does_two_things(
            entries in prop::collection::btree_map(
                prop::sample::select(Action::ALL),
                prop::collection::vec(
                    prop::sample::select(&["ctrl-shift-t", "alt-1", "ctrl-tab", "alt-x", "q"][..]),
                    0..4,
                ),
                0..6,
            )
        ) {
            let text: String = entries.iter().fold("[keys]\n".to_owned(), |text, (action, keys)| {
                format!("{text}{action} = {keys:?}\n")
            });
            let (keymap, _) = read(&text);
            let mut seen = HashMap::new();
            for (stroke, action) in keymap.bindings() {
                prop_assert_eq!(seen.insert(stroke.clone(), action), None);
            }
        }
    }
}
