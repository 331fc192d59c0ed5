//! What a person types and pastes into a pane.

use std::time::Instant;

use terminal::{BulkWrite, Terminal, WriteError, input};

use crate::ids::PaneId;
use crate::pane::Pane;
use crate::reducer::Evidence;
use crate::workspace::Workspace;

/// A paste longer than this is written piece by piece, with progress and a way to stop.
const BULK: usize = 32 * 1024;

/// Why input was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// There is no such pane.
    #[error("there is no such pane")]
    NoPane,
    /// Its process has ended.
    #[error("the process in this pane has ended")]
    Ended,
    /// The program does not read, or a prompt is just being written.
    #[error("the program in this pane is not taking input now; try again")]
    Busy,
}

impl From<WriteError> for InputError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Full => Self::Busy,
            WriteError::Closed => Self::Ended,
        }
    }
}

impl Workspace {
    /// Sends the bytes of a key. While a prompt waits for its Enter, they wait behind it.
    ///
    /// # Errors
    /// When the pane does not take them.
    pub fn type_input(&mut self, pane: PaneId, bytes: Vec<u8>) -> Result<(), InputError> {
        let now = Instant::now();
        let view = self.panes.get_mut(&pane).ok_or(InputError::NoPane)?;
        if let Some(gap) = &mut view.gap {
            return if gap.hold(&bytes) {
                Ok(())
            } else {
                Err(InputError::Busy)
            };
        }
        let interrupt = is_interrupt(&bytes);
        living(view)?.write(bytes)?;
        self.took_input(pane, now, interrupt);
        Ok(())
    }

    /// Pastes a text, in brackets when the program asked for them, without anything in it that a
    /// program could take for a key. A long one goes on in the background; its handle is returned.
    ///
    /// # Errors
    /// When the pane does not take it.
    pub fn paste(&mut self, pane: PaneId, text: &str) -> Result<Option<BulkWrite>, InputError> {
        let now = Instant::now();
        let view = self.panes.get_mut(&pane).ok_or(InputError::NoPane)?;
        if view.gap.is_some() {
            return Err(InputError::Busy);
        }
        let terminal = living(view)?;
        let bytes = input::paste_bytes(text, terminal.modes().bracketed_paste);
        let bulk = if bytes.len() > BULK {
            Some(terminal.write_bulk(bytes)?)
        } else {
            terminal.write(bytes)?;
            None
        };
        self.took_input(pane, now, false);
        Ok(bulk)
    }

    /// Bytes went to a program.
    pub(crate) fn took_input(&mut self, pane: PaneId, at: Instant, interrupt: bool) {
        self.observe(pane, |pane, watching| {
            if interrupt {
                pane.interrupted(at);
            }
            pane.apply(Evidence::Input, at, watching)
        });
    }
}

fn living(pane: &Pane) -> Result<&Terminal, InputError> {
    let terminal = pane.terminal().filter(|_| pane.ending().is_none());
    terminal.ok_or(InputError::Ended)
}

/// Escape and Ctrl-C on their own.
fn is_interrupt(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1b] | [0x03])
}
