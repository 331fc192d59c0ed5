//! Noticing that a file changed.
//!
//! The operating system reports changes (`notify`); nothing is polled. Editors write a file in
//! several steps, so a thread waits until the directory is quiet and then reads once.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use std::{fmt, io};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use crate::file;
use crate::store::{Current, SettingsStore};

/// Quiet time after the last event before the files are read.
const QUIET: Duration = Duration::from_millis(50);

/// Reading is not put off longer than this by a directory that never becomes quiet.
const LATEST: Duration = Duration::from_millis(500);

/// Why changes of the files cannot be noticed. The text is complete: there is no
/// source that would be printed after it once more. Those made through [`SettingsStore::set`] still take
/// effect.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The configuration directory is missing and cannot be made.
    #[error("cannot create the settings directory {directory}: {reason}")]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The system does not report changes there.
    #[error("changes of the settings files will only be seen at the next start: {0}")]
    System(notify::Error),
    /// No thread could be started.
    #[error("changes of the settings files will only be seen at the next start: {0}")]
    Thread(io::Error),
}

/// Wakes the thread of one watch. The queue holds one signal: a second one would tell nothing new,
/// because the thread always reads everything.
#[derive(Debug, Clone)]
pub(crate) struct Waker(SyncSender<()>);

impl Waker {
    /// Tells whether the watch still runs.
    fn wake(&self) -> bool {
        !matches!(self.0.try_send(()), Err(TrySendError::Disconnected(())))
    }
}

/// A running watch. Dropping it ends the watch; a call that has begun is finished.
pub struct SettingsWatch {
    stop: Arc<AtomicBool>,
    waker: Waker,
}

impl fmt::Debug for SettingsWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SettingsWatch").finish_non_exhaustive()
    }
}

impl Drop for SettingsWatch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        self.waker.wake();
    }
}

impl SettingsStore {
    /// Calls `changed` with the new state after settings, keymap or problems changed, by a change of
    /// the files or by [`SettingsStore::set`]. The calls come one at a time from a thread of the
    /// watch, which holds no lock.
    ///
    /// # Errors
    /// See [`WatchError`].
    pub fn watch(
        &self,
        changed: impl FnMut(Current) + Send + 'static,
    ) -> Result<SettingsWatch, WatchError> {
        let directory = &self.paths().config_dir;
        file::create_private(directory).map_err(|reason| WatchError::Directory {
            directory: directory.clone(),
            reason,
        })?;
        let (sender, signals) = sync_channel(1);
        let waker = Waker(sender);
        let delivered = self.snapshot();
        let mut directories = Directories::new(waker.clone()).map_err(WatchError::System)?;
        directories.follow(self).map_err(WatchError::System)?;
        self.shared().watchers.lock().push(waker.clone());
        // What changed between loading and watching was reported by nobody.
        waker.wake();
        let stop = Arc::new(AtomicBool::new(false));
        let watch = Watch {
            store: self.clone(),
            signals,
            stop: Arc::clone(&stop),
            directories,
            delivered,
            changed,
        };
        thread::Builder::new()
            .name("settings-watch".into())
            .spawn(move || watch.run())
            .map_err(WatchError::Thread)?;
        Ok(SettingsWatch { stop, waker })
    }

    /// Wakes the threads of all watches and forgets those that ended.
    pub(crate) fn wake_watches(&self) {
        self.shared().watchers.lock().retain(Waker::wake);
    }
}

/// What the thread owns.
struct Watch<F> {
    store: SettingsStore,
    signals: Receiver<()>,
    stop: Arc<AtomicBool>,
    directories: Directories,
    delivered: Current,
    changed: F,
}

impl<F: FnMut(Current)> Watch<F> {
    fn run(mut self) {
        while self.signals.recv().is_ok() {
            let latest = Instant::now() + LATEST;
            while !self.stopped()
                && Instant::now() < latest
                && self.signals.recv_timeout(QUIET).is_ok()
            {}
            if self.stopped() {
                return;
            }
            self.store.reload();
            if let Err(error) = self.directories.follow(&self.store) {
                tracing::warn!("a settings file leads where changes are not reported: {error}");
            }
            let current = self.store.snapshot();
            if current != self.delivered {
                self.delivered = current.clone();
                (self.changed)(current);
            }
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }
}

/// The watched directories: that of the settings and, where a file is a link, the one it leads to.
/// Directories are watched, not files, because an editor replaces the file.
struct Directories {
    watcher: RecommendedWatcher,
    watched: HashSet<PathBuf>,
}

impl Directories {
    fn new(waker: Waker) -> Result<Self, notify::Error> {
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // Reading the files makes events too; without this the thread would wake itself.
            if !event.is_ok_and(|event| event.kind.is_access()) {
                waker.wake();
            }
        })?;
        Ok(Self {
            watcher,
            watched: HashSet::new(),
        })
    }

    /// Adds directories that are new. One that is no longer used costs a needless reading at most.
    fn follow(&mut self, store: &SettingsStore) -> Result<(), notify::Error> {
        let paths = store.paths();
        let files = [paths.settings_file(), paths.keymap_file()];
        let targets = files.iter().map(|file| file::real_path(file));
        for file in files.iter().cloned().chain(targets) {
            if let Some(directory) = file.parent()
                && !self.watched.contains(directory)
            {
                self.watcher.watch(directory, RecursiveMode::NonRecursive)?;
                self.watched.insert(directory.to_owned());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc;

    use super::*;
    use crate::paths::Paths;

    const SOON: Duration = Duration::from_secs(20);

    fn watched(dir: &std::path::Path) -> (SettingsStore, SettingsWatch, mpsc::Receiver<Current>) {
        let store = SettingsStore::load(&Paths::new(dir.join("data"), dir.join("config"))).0;
        let (sender, changes) = mpsc::channel();
        let watch = store
            .watch(move |current| sender.send(current).unwrap())
            .unwrap();
        (store, watch, changes)
    }

    #[test]
    fn a_changed_file_is_noticed_and_put_in_force() {
        let dir = tempfile::tempdir().unwrap();
        let (store, _watch, changes) = watched(dir.path());
        let file = store.paths().settings_file();
        fs::write(&file, "[ui]\nfont_size = 20\n").unwrap();
        assert_eq!(
            changes.recv_timeout(SOON).unwrap().settings.ui.font_size,
            20.0
        );
        assert_eq!(store.current().ui.font_size, 20.0);

        file::replace(&file, "[ui]\nfont_size = 200\n").unwrap();
        let wrong = changes.recv_timeout(SOON).unwrap();
        assert_eq!(
            wrong.settings.ui.font_size, 20.0,
            "the last good value stays"
        );
        assert_eq!(wrong.problems.len(), 1);

        fs::remove_file(&file).unwrap();
        let gone = changes.recv_timeout(SOON).unwrap();
        assert_eq!(gone.settings.ui.font_size, 14.0);
        assert!(gone.problems.is_empty());
    }

    #[test]
    fn set_is_reported_too() {
        let dir = tempfile::tempdir().unwrap();
        let (store, _watch, changes) = watched(dir.path());
        store.set("ui.theme", "dark").unwrap();
        assert_eq!(
            changes.recv_timeout(SOON).unwrap().settings.ui.theme,
            "dark"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (dotfiles, config) = (dir.path().join("dotfiles"), dir.path().join("config"));
        fs::create_dir(&dotfiles).unwrap();
        fs::create_dir(&config).unwrap();
        let target = dotfiles.join("nebula.toml");
        fs::write(&target, "[ui]\nfont_size = 10\n").unwrap();
        std::os::unix::fs::symlink(&target, config.join("settings.toml")).unwrap();
        let (_store, _watch, changes) = watched(dir.path());
        fs::write(&target, "[ui]\nfont_size = 11\n").unwrap();
        assert_eq!(
            changes.recv_timeout(SOON).unwrap().settings.ui.font_size,
            11.0
        );
    }

    #[test]
    fn a_dropped_watch_ends_its_thread() {
        let dir = tempfile::tempdir().unwrap();
        let (store, watch, changes) = watched(dir.path());
        drop(watch);
        // The callback owns the sender; its end is the end of the thread.
        assert!(
            changes
                .recv_timeout(SOON)
                .is_err_and(|error| { error == mpsc::RecvTimeoutError::Disconnected })
        );
        store.wake_watches();
        assert!(store.shared().watchers.lock().is_empty());
    }
}
