//! A copy of what a view draws.
//!
//! A view keeps one [`Frame`] and lets [`crate::Terminal::frame`] refill it: the lock is held for
//! the copy of the visible cells and nothing else, and the vectors are reused.

use crate::{Color, CursorShape, Flags, Modes, Rgb};

/// The visible part of a terminal.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Columns of the grid.
    pub columns: usize,
    /// Visible lines of the grid.
    pub lines: usize,
    /// `columns * lines` cells, row by row.
    pub cells: Vec<Cell>,
    /// The cursor, absent when hidden or scrolled out of view.
    pub cursor: Option<Cursor>,
    /// Rows the view is scrolled up; 0 at the bottom.
    pub display_offset: usize,
    /// Rows above the screen that can be scrolled to.
    pub history: usize,
    /// Selected cells, at most one span per line, top to bottom.
    pub selection: Vec<SelectionSpan>,
    /// The modes at the time of the copy.
    pub modes: Modes,
    /// Colours that the program changed.
    pub palette: Palette,
    /// Grows with every change of the content; equal revisions draw equal cells.
    pub revision: u64,
}

impl Frame {
    /// The cells of one visible line, empty when there is no such line.
    pub fn row(&self, line: usize) -> &[Cell] {
        let start = line.saturating_mul(self.columns);
        self.cells
            .get(start..start.saturating_add(self.columns))
            .unwrap_or_default()
    }
}

/// One cell. Colours are symbolic; the view resolves them with its theme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The character; a blank is U+0020.
    pub c: char,
    /// Zero-width marks drawn over `c`, at most 16.
    pub zerowidth: Option<Box<[char]>>,
    /// Foreground.
    pub fg: Color,
    /// Background.
    pub bg: Color,
    /// Colour of the underline when it differs from the foreground.
    pub underline_color: Option<Color>,
    /// Attributes; `WIDE_CHAR_SPACER` marks the second half of a wide character.
    pub flags: Flags,
}

impl Default for Cell {
    fn default() -> Self {
        Self {
            c: ' ',
            zerowidth: None,
            fg: Color::Named(crate::NamedColor::Foreground),
            bg: Color::Named(crate::NamedColor::Background),
            underline_color: None,
            flags: Flags::empty(),
        }
    }
}

/// A visible cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Column, 0-based.
    pub column: usize,
    /// Visible line, 0-based.
    pub line: usize,
    /// Shape asked for by the program (DECSCUSR).
    pub shape: CursorShape,
    /// The program asked for blinking.
    pub blinking: bool,
    /// The cursor stands on a wide character and covers two cells.
    pub wide: bool,
}

/// Selected cells of one visible line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectionSpan {
    /// Visible line, 0-based.
    pub line: usize,
    /// First selected column.
    pub start: usize,
    /// Column after the last selected one.
    pub end: usize,
}

/// Colours a program changed (OSC 4, 10, 11, 12), by index: 0..=255, then `NamedColor` values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    changed: Vec<(u16, Rgb)>,
}

impl Palette {
    /// The colour the program set at an index, if it did.
    pub fn get(&self, index: usize) -> Option<Rgb> {
        let index = u16::try_from(index).ok()?;
        self.changed
            .iter()
            .find(|(at, _)| *at == index)
            .map(|(_, rgb)| *rgb)
    }

    /// All changes, by rising index.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Rgb)> + '_ {
        self.changed
            .iter()
            .map(|(at, rgb)| (usize::from(*at), *rgb))
    }

    /// True when the theme's colours hold unchanged.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }
}
