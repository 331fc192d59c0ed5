//! A running terminal: process, threads, emulator.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::{
    CellSide, EventSink, Frame, GridSize, Modes, PtyCommand, ReadError, ReadRequest, Rgb, Scroll,
    SelectionKind, TerminalOptions, TerminalRead, ViewPoint,
};

/// Why a terminal could not be started.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The system gave no pseudo-terminal.
    #[error("no pseudo-terminal could be opened: {reason}. Close some panes and try again")]
    Pty {
        /// What the system said.
        reason: String,
    },
    /// The program could not be started.
    #[error("`{program}` could not be started: {reason}. Check the shell in the settings")]
    Program {
        /// The program.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// The start directory cannot be entered.
    #[error("the directory `{}` cannot be entered: {reason}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A thread could not be started.
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// Why bytes were not accepted.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum WriteError {
    /// The program does not read its input and the queue is full.
    #[error("the program in this pane does not read its input; try again later")]
    Full,
    /// The process ended.
    #[error("the process in this pane has ended")]
    Closed,
}

/// A running terminal. Clones are handles to the same one; when the last handle is dropped the
/// process group is killed.
#[derive(Clone)]
pub struct Terminal {
    _private: (),
}

impl Terminal {
    /// Starts a process on a new pseudo-terminal. Blocks while forking: call it off the UI thread.
    pub fn spawn(
        _command: PtyCommand,
        _options: TerminalOptions,
        _sink: Arc<dyn EventSink>,
    ) -> Result<Self, SpawnError> {
        Err(SpawnError::Pty {
            reason: "not available".to_owned(),
        })
    }

    /// Process id of the root process, until it was reaped.
    pub fn root_pid(&self) -> Option<u32> {
        None
    }

    /// Process group in the foreground of the pseudo-terminal.
    pub fn foreground_group(&self) -> Option<u32> {
        None
    }

    /// Queues bytes for the program, all or nothing. Never blocks.
    pub fn write(&self, _bytes: Vec<u8>) -> Result<(), WriteError> {
        Err(WriteError::Closed)
    }

    /// Queues a large input that is written as fast as the program reads it, after everything
    /// queued before and before everything queued later. Never blocks.
    pub fn write_bulk(&self, _bytes: Vec<u8>) -> Result<BulkWrite, WriteError> {
        Err(WriteError::Closed)
    }

    /// Bytes queued and not yet accepted by the kernel.
    pub fn bytes_pending(&self) -> usize {
        0
    }

    /// Changes the size of grid and kernel window in one step.
    pub fn resize(&self, _size: GridSize) {}

    /// Ends the process group and whatever else is left of its session. Returns at once.
    pub fn kill(&self) {}

    /// True once the root process ended and its output was read.
    pub fn is_exited(&self) -> bool {
        true
    }

    /// The modes that shape input.
    pub fn modes(&self) -> Modes {
        Modes::default()
    }

    /// Copies what is visible and arms the next redraw.
    pub fn frame(&self, _frame: &mut Frame) {}

    /// Moves the view.
    pub fn scroll(&self, _scroll: Scroll) {}

    /// Begins a selection.
    pub fn select(&self, _kind: SelectionKind, _point: ViewPoint, _side: CellSide) {}

    /// Moves the end of the selection.
    pub fn extend_selection(&self, _point: ViewPoint, _side: CellSide) {}

    /// Drops the selection.
    pub fn clear_selection(&self) {}

    /// The selected text, wrapped lines joined; `None` when nothing is selected.
    pub fn selection_text(&self) -> Option<String> {
        None
    }

    /// Reads text from the bottom of the buffer; view, selection and cursor stay as they are.
    pub fn read(&self, _request: &ReadRequest) -> Result<TerminalRead, ReadError> {
        Ok(TerminalRead::default())
    }

    /// Time since the program last wrote something, or since the start.
    pub fn last_output_age(&self) -> Duration {
        Duration::ZERO
    }

    /// Grows with every change of the content.
    pub fn revision(&self) -> u64 {
        0
    }

    /// The colours answered to colour queries where the program changed nothing: 0..=255, then
    /// `NamedColor` values. The view calls this when its theme changes.
    pub fn set_theme_colors(&self, _colors: Vec<Rgb>) {}
}

/// Handle to a large input under way; dropping it lets the input finish.
#[derive(Debug)]
pub struct BulkWrite {
    _private: (),
}

impl BulkWrite {
    /// Bytes written so far and in all.
    pub fn progress(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Stops. The end of a bracketed paste is still sent, so that the program is not left inside.
    pub fn cancel(&self) {}

    /// True when everything was written, the input was cancelled, or the process ended.
    pub fn is_finished(&self) -> bool {
        true
    }
}
