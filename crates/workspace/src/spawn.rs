//! Starts the process of a pane, on a thread of its own.
//!
//! Looking for a shell, checking a directory, writing integration scripts and forking all touch
//! the disk and may take long on a bad day, so none of it happens on the thread that draws. The
//! result comes back through the inbox, ahead of everything the new terminal has to say.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread;

use settings::ShellIntegration;
use terminal::shell_integration::{self, Shell, ShellKind};
use terminal::{CursorStyle, GridSize, PtyCommand, Terminal, TerminalOptions};

use crate::ids::PaneId;
use crate::inbox::{Event, Outbox, PaneSink, Redraws, SharedNotes};
use crate::{processes, shells};

/// Variables of an outer terminal, or of the pane in which this program was started, that would
/// mislead programs in a new pane.
const NOT_INHERITED: &[&str] = &[
    "COLUMNS",
    "LINES",
    "NEBULA_CLI",
    "NEBULA_HOOK_SOCKET",
    "NEBULA_PANE_ID",
    "NEBULA_PANE_REMOTE",
    "NEBULA_RUNTIME_ENDPOINT",
    "STY",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TMUX",
    "TMUX_PANE",
    "VTE_VERSION",
    "WINDOWID",
];

/// What a pane runs, kept to start the same again beside it or in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// A shell id: `auto`, `bash`, an absolute path.
    pub shell: String,
}

/// Where a pane starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StartIn {
    /// The caller named it: it must be there.
    Exactly(PathBuf),
    /// If it is gone, or there is none, the home directory will do.
    Preferably(Option<PathBuf>),
    /// Where another pane is, see [`Beside`].
    Beside(Beside),
}

/// The directory of another pane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Beside {
    /// As far as is known.
    pub(crate) directory: Option<PathBuf>,
    /// Its shell, while that waits for a command: the shell itself is the one to ask then, since
    /// what it tells about a change of directory may still be on its way.
    pub(crate) shell: Option<u32>,
}

/// Everything a spawn needs to know.
#[derive(Debug)]
pub(crate) struct SpawnRequest {
    pub(crate) pane: PaneId,
    pub(crate) launch: Launch,
    pub(crate) start_in: StartIn,
    pub(crate) size: GridSize,
    pub(crate) environment: BTreeMap<&'static str, OsString>,
    pub(crate) integration: ShellIntegration,
    pub(crate) scripts: PathBuf,
    pub(crate) history_lines: usize,
    pub(crate) semantic_escape_chars: String,
    pub(crate) cursor: CursorStyle,
}

/// A process that runs.
#[derive(Clone)]
pub(crate) struct Started {
    pub(crate) terminal: Terminal,
    pub(crate) notes: SharedNotes,
    /// The shell should write marks.
    pub(crate) integrated: bool,
    /// File name of the shell.
    pub(crate) shell_name: String,
    pub(crate) directory: Option<PathBuf>,
}

impl std::fmt::Debug for Started {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Started")
            .field("shell_name", &self.shell_name)
            .finish_non_exhaustive()
    }
}

/// Why there is no process.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpawnFailure {
    #[error(transparent)]
    Shell(#[from] shells::UnknownShell),
    #[error("`{}` is not a directory that can be entered", .0.display())]
    Directory(PathBuf),
    #[error(transparent)]
    Terminal(#[from] terminal::SpawnError),
    #[error("no thread could be started: {0}; close some panes and try again")]
    Thread(io::Error),
    #[error("too many panes are being started at the same time; wait for them and try again")]
    TooMany,
}

/// The result of one spawn.
#[derive(Debug)]
pub(crate) struct Spawned {
    pub(crate) pane: PaneId,
    pub(crate) result: Result<Started, SpawnFailure>,
}

/// Starts a thread that starts the process.
pub(crate) fn spawn(
    request: SpawnRequest,
    outbox: Outbox,
    redraws: Option<Redraws>,
) -> Result<(), SpawnFailure> {
    let work = move || {
        let pane = request.pane;
        let announced = Arc::new(OnceLock::new());
        let notes = SharedNotes::default();
        let sink = PaneSink {
            pane,
            outbox: outbox.clone(),
            notes: Arc::clone(&notes),
            redraws,
            announced: Arc::clone(&announced),
        };
        let result = start(request, Arc::new(sink), notes);
        // A workspace that is gone drops the event, and the terminal in it ends with it.
        outbox.send(Event::Spawned(Box::new(Spawned { pane, result })));
        announced.get_or_init(|| ());
    };
    let named = thread::Builder::new().name("pane start".to_owned());
    named.spawn(work).map(drop).map_err(SpawnFailure::Thread)
}

fn start(
    request: SpawnRequest,
    sink: Arc<PaneSink>,
    notes: SharedNotes,
) -> Result<Started, SpawnFailure> {
    let path = shells::resolve(&request.launch.shell)?;
    let directory = start_directory(request.start_in)?;
    let shell = Shell::from_path(path);
    let mut command = PtyCommand::new(&shell.path);
    command.cwd.clone_from(&directory);
    command.env = request
        .environment
        .into_iter()
        .map(|(name, value)| (OsString::from(name), value))
        .collect();
    command.env_remove = NOT_INHERITED.iter().map(OsString::from).collect();
    let (command, integrated) = match request.integration {
        ShellIntegration::Auto => integrate(&shell, command, &request.scripts),
        ShellIntegration::Off => (command, false),
    };
    let options = TerminalOptions {
        size: request.size,
        history_lines: request.history_lines,
        semantic_escape_chars: request.semantic_escape_chars,
        cursor: request.cursor,
    };
    let terminal = Terminal::spawn(command, options, sink)?;
    let shell_name = shell.path.file_name().map_or_else(
        || "shell".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    Ok(Started {
        terminal,
        notes,
        integrated,
        shell_name,
        directory,
    })
}

fn integrate(shell: &Shell, command: PtyCommand, scripts: &Path) -> (PtyCommand, bool) {
    if shell.kind == ShellKind::Other {
        return (command, false);
    }
    match shell_integration::prepare(shell, command.clone(), scripts) {
        Ok(prepared) => (prepared, true),
        Err(error) => {
            tracing::warn!(%error, "a shell is started without marks: its scripts cannot be written");
            (command, false)
        }
    }
}

fn start_directory(start_in: StartIn) -> Result<Option<PathBuf>, SpawnFailure> {
    match start_in {
        StartIn::Exactly(path) if path.is_absolute() && path.is_dir() => Ok(Some(path)),
        StartIn::Exactly(path) => Err(SpawnFailure::Directory(path)),
        StartIn::Preferably(path) => Ok(path.filter(|path| path.is_dir()).or_else(home)),
        StartIn::Beside(beside) => Ok(beside.look().filter(|path| path.is_dir()).or_else(home)),
    }
}

fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|path| path.is_dir())
}

impl Beside {
    /// The name the shell gave its directory, which may lead through links, unless it is elsewhere
    /// by now.
    fn look(self) -> Option<PathBuf> {
        let Some(real) = self.shell.and_then(processes::directory) else {
            return self.directory;
        };
        let is_there = |known: &PathBuf| {
            known
                .canonicalize()
                .is_ok_and(|canonical| canonical == real)
        };
        Some(self.directory.filter(is_there).unwrap_or(real))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_directory_must_exist_and_an_inherited_one_need_not() {
        let gone = PathBuf::from("/nonexistent/place");
        assert!(start_directory(StartIn::Exactly(gone.clone())).is_err());
        assert!(start_directory(StartIn::Exactly(PathBuf::from("tmp"))).is_err());
        assert_eq!(
            start_directory(StartIn::Preferably(Some(gone)))
                .ok()
                .flatten(),
            std::env::home_dir()
        );
        let root = PathBuf::from("/");
        assert_eq!(
            start_directory(StartIn::Exactly(root.clone()))
                .ok()
                .flatten(),
            Some(root)
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_shell_that_moved_on_is_believed_more_than_what_it_told_last() {
        let here = std::env::current_dir().expect("a directory");
        let shell = Some(std::process::id());
        let known = |path: &str| Some(PathBuf::from(path));
        let look = |directory, shell| Beside { directory, shell }.look();
        assert_eq!(look(known("/usr"), shell), Some(here.clone()));
        assert_eq!(look(None, shell), Some(here.clone()));
        assert_eq!(
            look(known("/usr"), None),
            known("/usr"),
            "a program is in front"
        );
        let place = tempfile::tempdir().expect("a directory");
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&here, &link).expect("linked");
        assert_eq!(
            look(Some(link.clone()), shell),
            Some(link),
            "the user's own name for it"
        );
    }
}
