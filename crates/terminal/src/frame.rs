//! A copy of what a view draws.
//!
//! A view keeps one [`Frame`] and lets [`crate::Terminal::frame`] refill it: the lock is held for
//! the copy of the visible cells and nothing else, and the vectors are reused.

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line, Point};
use alacritty_terminal::selection::SelectionRange;
use alacritty_terminal::term::cell::Cell as GridCell;
use alacritty_terminal::term::{TermMode, color};

use crate::links::{LinkId, Links};
use crate::screen::Screen;
use crate::{Color, CursorShape, Flags, GridSize, Modes, Rgb};

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
    /// Changes with every change of what is shown; equal revisions draw the same.
    pub revision: u64,
    /// The emulator that filled this frame, 0 for none.
    source: u64,
}

impl Frame {
    /// The cells of one visible line, empty when there is no such line.
    pub fn row(&self, line: usize) -> &[Cell] {
        let start = line.saturating_mul(self.columns);
        self.cells
            .get(start..start.saturating_add(self.columns))
            .unwrap_or_default()
    }

    /// True when this frame shows the given emulator at its present size and revision, or, when
    /// `held`, at any revision.
    pub(crate) fn is_of(&self, source: u64, size: &GridSize, revision: u64, held: bool) -> bool {
        self.source == source
            && self.columns == usize::from(size.columns)
            && self.lines == usize::from(size.lines)
            && (held || self.revision == revision)
    }

    pub(crate) fn stamp(&mut self, source: u64, revision: u64) {
        self.source = source;
        self.revision = revision;
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
    /// The OSC 8 link this cell is part of.
    pub link: Option<LinkId>,
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
            link: None,
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

/// Refills a frame, reusing its memory.
pub(crate) fn fill(frame: &mut Frame, screen: &Screen) {
    let grid = screen.term.grid();
    frame.columns = grid.columns();
    frame.lines = grid.screen_lines();
    frame.display_offset = grid.display_offset();
    frame.history = screen.history();
    frame.modes = screen.modes();
    frame.cursor = cursor(screen);
    frame.palette.refill(screen.term.colors());
    frame
        .cells
        .resize(frame.columns * frame.lines, Cell::default());
    let rows = frame.cells.chunks_exact_mut(frame.columns);
    for (row, line) in rows.zip(first_line(frame.display_offset)..) {
        #[allow(clippy::indexing_slicing, reason = "the view never leaves the grid")]
        let cells = &grid[Line(line)];
        for (cell, from) in row.iter_mut().zip(cells) {
            cell.copy_from(from);
        }
    }
    frame.selection.clear();
    let range = screen
        .term
        .selection
        .as_ref()
        .and_then(|s| s.to_range(&screen.term));
    if let Some(range) = range {
        select(frame, &range);
    }
}

impl Cell {
    pub(crate) fn from_grid(from: &GridCell) -> Self {
        let mut cell = Self::default();
        cell.copy_from(from);
        cell
    }

    fn copy_from(&mut self, from: &GridCell) {
        self.c = visible(from.c);
        self.fg = from.fg;
        self.bg = from.bg;
        self.flags = from.flags;
        match &from.extra {
            None => {
                self.zerowidth = None;
                self.underline_color = None;
                self.link = None;
            }
            Some(_) => {
                let marks = from.zerowidth().filter(|marks| !marks.is_empty());
                self.zerowidth = marks.map(Box::from);
                self.underline_color = from.underline_color();
                self.link = from.hyperlink().and_then(|link| Links::number(link.id()));
            }
        }
    }
}

/// The grid keeps a tab in the cell where it was printed; it is shown as a blank.
pub(crate) fn visible(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

fn first_line(display_offset: usize) -> i32 {
    i32::try_from(display_offset).map_or(i32::MIN, |rows| -rows)
}

fn cursor(screen: &Screen) -> Option<Cursor> {
    let grid = screen.term.grid();
    let style = screen.term.cursor_style();
    if !screen.term.mode().contains(TermMode::SHOW_CURSOR) || style.shape == CursorShape::Hidden {
        return None;
    }
    let (line, column) = cursor_cell(screen);
    let wide = cell_flags(screen, line, column).contains(Flags::WIDE_CHAR);
    let line = usize::try_from(line)
        .ok()?
        .checked_add(grid.display_offset())?;
    (line < grid.screen_lines()).then_some(Cursor {
        column,
        line,
        shape: style.shape,
        blinking: style.blinking,
        wide,
    })
}

/// Grid line and column of the cursor, never the right half of a wide character.
pub(crate) fn cursor_cell(screen: &Screen) -> (i32, usize) {
    let Point { line, column } = screen.term.grid().cursor.point;
    let on_spacer = cell_flags(screen, line.0, column.0).contains(Flags::WIDE_CHAR_SPACER);
    (line.0, column.0.saturating_sub(usize::from(on_spacer)))
}

/// Flags of the cell under or beside the cursor.
#[allow(
    clippy::indexing_slicing,
    reason = "the cursor is always inside of the grid"
)]
fn cell_flags(screen: &Screen, line: i32, column: usize) -> Flags {
    screen.term.grid()[Line(line)][Column(column)].flags
}

/// Adds the visible lines of a selection, never half of a wide character.
fn select(frame: &mut Frame, range: &SelectionRange) {
    for line in 0..frame.lines {
        let grid_line = first_line(frame.display_offset)
            .saturating_add(i32::try_from(line).unwrap_or(i32::MAX));
        if grid_line < range.start.line.0 || grid_line > range.end.line.0 {
            continue;
        }
        let from_start = range.is_block || grid_line == range.start.line.0;
        let to_end = range.is_block || grid_line == range.end.line.0;
        let mut start = if from_start { range.start.column.0 } else { 0 };
        let mut end = if to_end {
            range.end.column.0 + 1
        } else {
            frame.columns
        };
        let row = frame.row(line);
        let flags_at = |column: usize| row.get(column).map_or(Flags::empty(), |cell| cell.flags);
        if flags_at(start).contains(Flags::WIDE_CHAR_SPACER) {
            start = start.saturating_sub(1);
        }
        if flags_at(end).contains(Flags::WIDE_CHAR_SPACER) {
            end += 1;
        }
        let end = end.min(frame.columns);
        if start < end {
            frame.selection.push(SelectionSpan { line, start, end });
        }
    }
}

impl Palette {
    pub(crate) fn of(colors: &color::Colors) -> Self {
        let mut palette = Self::default();
        palette.refill(colors);
        palette
    }

    fn refill(&mut self, colors: &color::Colors) {
        self.changed.clear();
        for index in 0..color::COUNT {
            #[allow(clippy::indexing_slicing, reason = "the loop ends at the length")]
            if let (Some(rgb), Ok(index)) = (colors[index], u16::try_from(index)) {
                self.changed.push((index, rgb));
            }
        }
    }
}
