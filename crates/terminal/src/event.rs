//! What a terminal tells the rest of the program, and how.

use std::path::PathBuf;

/// Receives what happens in one terminal.
///
/// Both methods are called on the terminal's parser thread with no lock held. `event` may block:
/// that is the back pressure which keeps a flood of marks from filling memory.
pub trait EventSink: Send + Sync + 'static {
    /// Something a program or the kernel announced, in the order of the output.
    fn event(&self, event: TerminalEvent);

    /// The picture changed. Called once, then not again until [`crate::Terminal::frame`] was
    /// taken. Must not block.
    fn redraw(&self);
}

/// One announcement of a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalEvent {
    /// A shell-integration mark (OSC 133).
    Mark(Mark),
    /// The shell's working directory on this host (OSC 7 or OSC 9;9), always absolute.
    Directory(PathBuf),
    /// The window title, at most 4 KiB; `None` when the program reset it.
    Title(Option<String>),
    /// BEL; several in one burst of output count as one.
    Bell,
    /// A program asked to put this text on the clipboard (OSC 52), at most 1 MiB encoded.
    Clipboard(String),
    /// The root process ended and all its remaining output was read. Always the last event.
    Exited(ExitStatus),
}

/// A shell-integration mark, in the letters of FinalTerm's OSC 133.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `A`: a prompt begins.
    PromptStart,
    /// `B`: the prompt ended, the user's command line begins.
    CommandLineStart,
    /// `C`: the command was accepted and its output begins.
    CommandStart {
        /// The command line, at most 4 KiB, when the shell reported it.
        command_line: Option<String>,
    },
    /// `D`: the command ended.
    CommandEnd {
        /// Exit code, when the shell reported one.
        exit_code: Option<i32>,
    },
}

/// How a root process ended: by a code or by a signal, never both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExitStatus {
    /// Exit code, 0..=255.
    pub code: Option<i32>,
    /// Number of the signal that ended it.
    pub signal: Option<i32>,
}
