//! One terminal: the process behind it, the grid of cells it paints, and the bytes a user sends to it.
//!
//! The crate knows neither windows nor sockets. A [`Terminal`] owns a pseudo-terminal with a reader
//! and a writer thread, feeds an [`Emulator`] and tells its [`EventSink`] what a program announced
//! (marks, directory, title, bell, exit). Whoever draws copies a [`Frame`]; whoever reads text asks
//! with a [`ReadRequest`]; whoever types uses the encoders of [`input`].
//!
//! Output of programs is hostile until proved otherwise: every string, queue and list kept here is
//! bounded, and every reply sent back contains computed values only.

mod cells;
mod command_log;
mod emulator;
mod event;
mod exit_watch;
mod frame;
mod grid;
pub mod input;
mod intake;
mod kill;
mod links;
mod marks;
mod modes;
mod options;
mod pacing;
mod parser;
mod pty;
mod queries;
mod read;
mod reader;
mod scanner;
mod screen;
mod selection;
mod sgr;
pub mod shell_integration;
mod terminal;
mod theme;
mod utf8;
mod writer;

pub use alacritty_terminal::term::cell::Flags;
pub use alacritty_terminal::vte::ansi::{Color, CursorShape, CursorStyle, NamedColor, Rgb};

pub use cells::{ScreenCells, ScreenCursor};
pub use emulator::{Emulator, EmulatorEvent};
pub use event::{EventSink, ExitStatus, Mark, TerminalEvent};
pub use frame::{Cell, Cursor, Frame, Palette, SelectionSpan};
pub use links::LinkId;
pub use modes::{Modes, MouseEncoding, MouseTracking};
pub use options::{GridSize, PtyCommand, TerminalOptions};
pub use read::{ReadError, ReadFormat, ReadRequest, ReadSource, TerminalRead};
pub use selection::{CellSide, Scroll, SelectionKind, ViewPoint};
pub use terminal::{SpawnError, Terminal, WriteError};
pub use writer::BulkWrite;
