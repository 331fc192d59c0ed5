//! Looks at the processes of panes, on a thread of its own.
//!
//! Marks tell what a shell does where a shell writes them; everything else has to be looked up:
//! which process group is in front, what it is called, where a shell without OSC 7 is, which git
//! branch that directory has. Reading `/proc` and repositories may take time, so it happens here
//! and only changes are reported. A pane whose state hangs on samples is watched ([`Watch`]): looks
//! that could decide it are reported even when they show what the last one showed.
//!
//! Cost: an idle pane is one `ioctl` per look and a few small reads every two seconds.

mod looker;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use terminal::Terminal;

use crate::ids::PaneId;
use crate::inbox::{Event, Outbox};
use looker::Looker;

/// Between looks while a submission waits for its end.
const WATCHED: Duration = Duration::from_millis(100);
/// Between looks at all others.
const UNWATCHED: Duration = Duration::from_millis(250);
/// Between looks that somebody asked for, so that a flood of marks costs nothing here.
const HURRIED: Duration = Duration::from_millis(20);
/// Between looks at directories and branches, and at the name of a root process.
const SLOW: Duration = Duration::from_secs(2);

/// Who has the keyboard of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Front {
    /// It could not be found out.
    Unknown,
    /// The root process, waiting for command lines.
    Shell,
    /// Another interactive shell, started in the first one.
    NestedShell,
    /// Any other program.
    Program,
}

/// Which looks at a pane are reported although nothing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// None.
    Off,
    /// Those that show a shell in front, and looks come more often: a submission waits.
    Submission,
    /// Those that show an idle shell: a command is said to run, but does it?
    LostEnd,
    /// Those that show a program in front, where a prompt is said to be.
    Program,
}

/// What was seen at one pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) pane: PaneId,
    pub(crate) taken: Instant,
    pub(crate) front: Front,
    /// The name of the program in front; `None` while the pane's own shell is.
    pub(crate) program: Option<String>,
    /// The root shell is in front, sleeps and has no children. Only looked up where it matters.
    pub(crate) shell_is_idle: bool,
    /// Where the root process is. Only looked up when the shell does not tell it.
    pub(crate) directory: Option<PathBuf>,
    /// The git branch of the pane's directory.
    pub(crate) branch: Option<String>,
}

/// A pane as the sampler sees it.
#[derive(Clone)]
struct Target {
    terminal: Terminal,
    root: u32,
    /// The directory that the shell told, if it did.
    told_directory: Option<Arc<Path>>,
    watch: Watch,
    /// At the next look, look at everything and report it.
    stale: bool,
}

/// The owner's handle to the sampler thread, which ends with it.
pub(crate) struct Sampler {
    shared: Arc<Shared>,
}

struct Shared {
    /// What to look at. Held to read or change it, never while looking.
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    targets: BTreeMap<PaneId, Target>,
    /// Look now, whatever the time.
    hurry: bool,
    stop: bool,
}

impl Sampler {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(outbox: Outbox) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            wake: Condvar::new(),
        });
        let own = Arc::clone(&shared);
        thread::Builder::new()
            .name("process sampler".to_owned())
            .spawn(move || {
                run(&own, &outbox);
            })?;
        Ok(Self { shared })
    }

    pub(crate) fn add(&self, pane: PaneId, terminal: Terminal) {
        let Some(root) = terminal.root_pid() else {
            return;
        };
        let target = Target {
            terminal,
            root,
            told_directory: None,
            watch: Watch::Off,
            stale: true,
        };
        self.change(true, |state| {
            state.targets.insert(pane, target);
        });
    }

    pub(crate) fn remove(&self, pane: PaneId) {
        self.change(false, |state| {
            state.targets.remove(&pane);
        });
    }

    /// How the state of the pane hangs on samples.
    pub(crate) fn watch(&self, pane: PaneId, watch: Watch) {
        let hurry = watch == Watch::Submission;
        self.with(pane, hurry, |target| target.watch = watch);
    }

    /// The shell told where it is.
    pub(crate) fn told_directory(&self, pane: PaneId, directory: &Path) {
        self.with(pane, false, |target| {
            target.told_directory = Some(Arc::from(directory));
            target.stale = true;
        });
    }

    /// A command began or ended: what was seen before is old.
    pub(crate) fn refresh(&self, pane: PaneId) {
        self.with(pane, false, |target| target.stale = true);
    }

    fn with(&self, pane: PaneId, hurry: bool, change: impl FnOnce(&mut Target)) {
        self.change(hurry, |state| {
            if let Some(target) = state.targets.get_mut(&pane) {
                change(target);
            }
        });
    }

    fn change(&self, hurry: bool, change: impl FnOnce(&mut State)) {
        let mut state = self.shared.state.lock();
        change(&mut state);
        state.hurry |= hurry;
        drop(state);
        if hurry {
            self.shared.wake.notify_one();
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.change(true, |state| {
            state.stop = true;
            state.targets.clear();
        });
    }
}

fn run(shared: &Shared, outbox: &Outbox) {
    let mut lookers: BTreeMap<PaneId, Looker> = BTreeMap::new();
    let mut slow_due = Instant::now();
    while let Some(targets) = shared.next_round() {
        let now = Instant::now();
        let slow = now >= slow_due;
        if slow {
            slow_due = now + SLOW;
        }
        lookers.retain(|pane, _| targets.contains_key(pane));
        for (pane, target) in targets {
            let looker = lookers.entry(pane).or_default();
            let slow = slow || target.stale;
            let sample = looker.look(pane, &target, slow);
            if let Some(sample) = sample
                && !outbox.send(Event::Sampled(Box::new(sample)))
            {
                return;
            }
        }
    }
}

impl Shared {
    /// Waits until it is time to look again. `None` when the owner is gone.
    fn next_round(&self) -> Option<BTreeMap<PaneId, Target>> {
        let mut state = self.state.lock();
        let begun = Instant::now();
        loop {
            if state.stop {
                return None;
            }
            let period = if state.hurry {
                HURRIED
            } else if state
                .targets
                .values()
                .any(|target| target.watch == Watch::Submission)
            {
                WATCHED
            } else {
                UNWATCHED
            };
            let due = begun + period;
            if state.targets.is_empty() {
                self.wake.wait(&mut state);
            } else if Instant::now() >= due {
                break;
            } else {
                self.wake.wait_until(&mut state, due);
            }
        }
        state.hurry = false;
        let targets = state.targets.clone();
        for target in state.targets.values_mut() {
            target.stale = false;
        }
        Some(targets)
    }
}
