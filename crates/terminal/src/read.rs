//! Reading a terminal as text, from the bottom of its buffer (`pane.read`).

use thiserror::Error;

/// What to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// Terminal rows, at least 1.
    pub lines: usize,
    /// Which part of the buffer.
    pub source: ReadSource,
    /// Plain text or text with SGR sequences.
    pub format: ReadFormat,
}

/// Which rows a read takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadSource {
    /// Screen plus scrollback.
    #[default]
    Recent,
    /// The visible rows at the bottom, wherever the view is scrolled.
    Screen,
    /// The output of the last command, found by its marks.
    LastCommand,
}

/// How the text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadFormat {
    /// No control character but newline.
    #[default]
    Text,
    /// With SGR sequences; every line ends in a reset, and nothing else is escaped.
    Ansi,
}

/// The answer to a [`ReadRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalRead {
    /// Logical lines joined by newlines, at most 1 MiB.
    pub text: String,
    /// Terminal rows that went into `text`.
    pub returned_lines: usize,
    /// Rows above the screen.
    pub history_available: usize,
    /// Older rows exist that were not returned, or bytes were cut.
    pub truncated: bool,
    /// Command line of the last command, when read from it and known.
    pub command: Option<String>,
    /// Exit code of the last command, when read from it and known.
    pub exit_code: Option<i32>,
}

/// Why nothing could be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// `LastCommand` without usable marks.
    #[error("{reason}")]
    OutputUnavailable {
        /// One sentence for the user.
        reason: &'static str,
    },
}
