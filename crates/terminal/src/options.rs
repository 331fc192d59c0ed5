//! What a terminal is started with.

use std::ffi::OsString;
use std::path::PathBuf;

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::term::SEMANTIC_ESCAPE_CHARS;
use alacritty_terminal::vte::ansi::CursorStyle;

/// The process behind a terminal. It inherits this process's environment, changed by `env_remove`
/// and then `env`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PtyCommand {
    /// Absolute path, or a name looked up in `PATH`.
    pub program: OsString,
    /// Arguments after the program name.
    pub args: Vec<OsString>,
    /// Variables to set.
    pub env: Vec<(OsString, OsString)>,
    /// Variables to remove.
    pub env_remove: Vec<OsString>,
    /// Directory to start in; the caller's own when absent.
    pub cwd: Option<PathBuf>,
}

impl PtyCommand {
    /// A command without arguments in the caller's directory and environment.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            ..Self::default()
        }
    }
}

/// Size of a grid in cells, and of one cell in pixels.
///
/// Any value is accepted where a size is taken; [`GridSize::clamped`] tells what it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSize {
    /// Columns.
    pub columns: u16,
    /// Lines.
    pub lines: u16,
    /// Width of one cell in pixels, 0 when unknown.
    pub cell_width: u16,
    /// Height of one cell in pixels, 0 when unknown.
    pub cell_height: u16,
}

impl GridSize {
    /// The least number of columns of a real grid: one wide character.
    pub const MIN_COLUMNS: u16 = 2;
    /// The greatest number of columns.
    pub const MAX_COLUMNS: u16 = 2048;
    /// The greatest number of lines.
    pub const MAX_LINES: u16 = 1024;

    /// A grid whose cell size in pixels is not known.
    pub fn new(columns: u16, lines: u16) -> Self {
        Self {
            columns,
            lines,
            cell_width: 0,
            cell_height: 0,
        }
    }

    /// The size that grid and kernel really get: 2..=2048 columns, 1..=1024 lines. A single column
    /// is widened to two, because a grid must be able to hold a wide character; program and grid
    /// always agree on the size.
    pub fn clamped(self) -> Self {
        Self {
            columns: self.columns.clamp(Self::MIN_COLUMNS, Self::MAX_COLUMNS),
            lines: self.lines.clamp(1, Self::MAX_LINES),
            ..self
        }
    }
}

impl Default for GridSize {
    fn default() -> Self {
        Self::new(80, 24)
    }
}

impl Dimensions for GridSize {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.lines)
    }

    fn columns(&self) -> usize {
        usize::from(self.columns)
    }
}

/// Settings of one terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalOptions {
    /// First size.
    pub size: GridSize,
    /// Rows kept above the screen, 0..=100,000; larger values are cut.
    pub history_lines: usize,
    /// Characters that end a word when selecting by double click.
    pub semantic_escape_chars: String,
    /// Shape and blinking of the cursor until a program chooses (DECSCUSR), and after it gives the
    /// choice back.
    pub cursor: CursorStyle,
}

impl TerminalOptions {
    /// The greatest history.
    pub const MAX_HISTORY_LINES: usize = 100_000;
}

impl Default for TerminalOptions {
    fn default() -> Self {
        Self {
            size: GridSize::default(),
            history_lines: 10_000,
            semantic_escape_chars: SEMANTIC_ESCAPE_CHARS.to_owned(),
            cursor: CursorStyle::default(),
        }
    }
}
