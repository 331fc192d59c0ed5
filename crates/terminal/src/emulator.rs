//! A terminal emulator in memory: bytes in, grid and events out.

use crate::{Mark, TerminalOptions};

/// What an [`Emulator`] reports while it takes bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmulatorEvent {
    /// Bytes to send to the program: the answer to a query.
    Reply(String),
    /// A shell-integration mark.
    Mark(Mark),
    /// Working directory on this host.
    Directory(std::path::PathBuf),
    /// Window title.
    Title(Option<String>),
    /// BEL.
    Bell,
    /// Text for the clipboard.
    Clipboard(String),
}

/// One emulator without any process: for benches, fuzzing, tests, and as the heart of
/// [`crate::Terminal`].
pub struct Emulator {
    events: Vec<EmulatorEvent>,
}

impl Emulator {
    /// An empty screen.
    pub fn new(_options: &TerminalOptions) -> Self {
        Self { events: Vec::new() }
    }

    /// Takes output of a program. Any chunking of the same bytes has the same effect.
    pub fn advance(&mut self, _bytes: &[u8]) {}

    /// Takes the events since the last call.
    pub fn take_events(&mut self) -> Vec<EmulatorEvent> {
        std::mem::take(&mut self.events)
    }
}
