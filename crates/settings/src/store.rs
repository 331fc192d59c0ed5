//! The settings in force, for everybody who asks.
//!
//! A [`SettingsStore`] is a cheap handle; clones share one state. Readers take an `Arc` and never
//! wait for a file. Reading the files again replaces the state in one step.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::evaluate::evaluate;
use crate::file;
use crate::keymap::Keymap;
use crate::model::Settings;
use crate::paths::Paths;
use crate::problem::{Problem, Severity};

/// The settings and the keymap in force, and what is wrong with their files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Current {
    /// From `settings.toml`.
    pub settings: Arc<Settings>,
    /// From `keymap.toml`.
    pub keymap: Arc<Keymap>,
    /// Findings in both files, those of `settings.toml` first.
    pub problems: Arc<Vec<Problem>>,
}

/// Loads, holds, changes and watches the settings. Clones share one state.
#[derive(Debug, Clone)]
pub struct SettingsStore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) paths: Paths,
    /// Numbers the readings of the files, see [`SettingsStore::reload`].
    readings: AtomicU64,
    /// The state in force and the number of the reading that made it. Held for a swap or a clone
    /// only, never while a file is touched.
    state: Mutex<(u64, Current)>,
    /// Held while `settings.toml` is read, changed and replaced, so that two edits of this process
    /// cannot lose one another. No other lock is taken under it.
    pub(crate) editing: Mutex<()>,
    /// Told when [`SettingsStore::set`] changed something; filled by [`SettingsStore::watch`].
    pub(crate) watchers: Mutex<Vec<crate::watch::Waker>>,
}

impl SettingsStore {
    /// Reads both files. What cannot be used is in the list; the defaults stand in for it, so a
    /// store always comes back.
    pub fn load(paths: &Paths) -> (Self, Vec<Problem>) {
        let store = Self {
            shared: Arc::new(Shared {
                paths: paths.clone(),
                readings: AtomicU64::new(0),
                state: Mutex::default(),
                editing: Mutex::default(),
                watchers: Mutex::default(),
            }),
        };
        store.reload();
        let problems = store.problems();
        (store, problems)
    }

    /// The settings in force.
    pub fn current(&self) -> Arc<Settings> {
        Arc::clone(&self.shared.state.lock().1.settings)
    }

    /// The keys in force.
    pub fn keymap(&self) -> Arc<Keymap> {
        Arc::clone(&self.shared.state.lock().1.keymap)
    }

    /// What is wrong with the files as last read.
    pub fn problems(&self) -> Vec<Problem> {
        self.snapshot().problems.to_vec()
    }

    /// Settings, keymap and problems of one reading.
    pub fn snapshot(&self) -> Current {
        self.shared.state.lock().1.clone()
    }

    /// The directories the store was loaded with.
    pub fn paths(&self) -> &Paths {
        &self.shared.paths
    }

    /// Reads both files again and tells whether anything differs from before. Touches the disk: not
    /// for a thread that draws.
    pub fn reload(&self) -> bool {
        // Two readings may overlap. The one that started last saw every change that the other saw,
        // so a later number wins whichever ends first.
        let number = self.shared.readings.fetch_add(1, Ordering::Relaxed) + 1;
        let before = self.snapshot();
        let paths = &self.shared.paths;
        let (settings, mut problems) = read(
            &paths.settings_file(),
            &*before.settings,
            Settings::default,
            evaluate,
        );
        let (keymap, keymap_problems) = read(
            &paths.keymap_file(),
            &*before.keymap,
            Keymap::default,
            Keymap::evaluate,
        );
        problems.extend(keymap_problems);
        for problem in &problems {
            if !before.problems.contains(problem) {
                tracing::warn!("{problem}");
            }
        }
        let next = Current {
            settings: Arc::new(settings),
            keymap: Arc::new(keymap),
            problems: Arc::new(problems),
        };
        let mut state = self.shared.state.lock();
        if state.0 > number || state.1 == next {
            return false;
        }
        *state = (number, next);
        true
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }
}

/// Reads one file: its text through `evaluate`, the default where there is none, and the last good
/// value where it cannot be read.
fn read<T: Clone>(
    path: &Path,
    good: &T,
    default: impl FnOnce() -> T,
    evaluate: impl FnOnce(&Path, &str, &T) -> (T, Vec<Problem>),
) -> (T, Vec<Problem>) {
    match file::read(path) {
        Ok(Some(text)) => evaluate(path, &text, good),
        Ok(None) => (default(), Vec::new()),
        Err(error) => (good.clone(), vec![unreadable(path.to_owned(), &error)]),
    }
}

fn unreadable(file: PathBuf, error: &std::io::Error) -> Problem {
    let message = format!("cannot be read: {error}; the last good settings stay in force");
    Problem {
        file,
        line: None,
        key: None,
        severity: Severity::Error,
        message,
    }
}
