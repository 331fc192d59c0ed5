//! The cells of the screen, for whoever draws them somewhere else (`pane.read` with `screen`).
//!
//! A [`crate::Frame`] belongs to one view: it follows the scroll position, carries the selection and
//! arms the next redraw. [`ScreenCells`] is for everybody else. It always shows the bottom of the
//! buffer, and taking it changes nothing that a view could notice.

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::Line;
use alacritty_terminal::term::TermMode;

use crate::CursorShape;
use crate::frame::{self, Cell, Palette};
use crate::screen::Screen;

/// The screen as the program left it, wherever a view is scrolled.
#[derive(Clone, Debug, Default)]
pub struct ScreenCells {
    /// Columns of the grid.
    pub columns: usize,
    /// Lines of the grid.
    pub lines: usize,
    /// `columns * lines` cells, row by row.
    pub cells: Vec<Cell>,
    /// The cursor.
    pub cursor: ScreenCursor,
    /// Colours that the program changed.
    pub palette: Palette,
    /// Grows with each output and each change of size, and never falls; equal numbers of one
    /// terminal mean equal cells.
    pub sequence: u64,
}

/// Where the cursor is, also when it is hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenCursor {
    /// Column, 0-based; the left half of a wide character.
    pub column: usize,
    /// Line, 0-based.
    pub line: usize,
    /// The program shows it.
    pub visible: bool,
}

impl ScreenCells {
    /// The cells of one line, empty when there is no such line.
    pub fn row(&self, line: usize) -> &[Cell] {
        let start = line.saturating_mul(self.columns);
        self.cells
            .get(start..start.saturating_add(self.columns))
            .unwrap_or_default()
    }
}

/// Copies the screen.
pub(crate) fn copy(screen: &Screen, sequence: u64) -> ScreenCells {
    let grid = screen.term.grid();
    let mut cells = Vec::with_capacity(grid.columns() * grid.screen_lines());
    for line in 0..=grid.bottommost_line().0 {
        #[allow(
            clippy::indexing_slicing,
            reason = "the loop ends at the last line of the grid"
        )]
        let row = &grid[Line(line)];
        cells.extend(row.into_iter().map(Cell::from_grid));
    }
    let shown = screen.term.mode().contains(TermMode::SHOW_CURSOR)
        && screen.term.cursor_style().shape != CursorShape::Hidden;
    let (line, column) = frame::cursor_cell(screen);
    ScreenCells {
        columns: grid.columns(),
        lines: grid.screen_lines(),
        cells,
        cursor: ScreenCursor {
            column,
            line: usize::try_from(line).unwrap_or(0),
            visible: shown,
        },
        palette: Palette::of(screen.term.colors()),
        sequence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Color, Emulator, Flags, Frame, GridSize, Rgb, Scroll, SelectionKind, TerminalOptions,
        ViewPoint,
    };

    fn emulator(columns: u16, lines: u16) -> Emulator {
        Emulator::new(&TerminalOptions {
            size: GridSize::new(columns, lines),
            ..TerminalOptions::default()
        })
    }

    fn text(cells: &ScreenCells, line: usize) -> String {
        cells.row(line).iter().map(|cell| cell.c).collect()
    }

    #[test]
    fn the_screen_is_read_wherever_the_view_is() {
        let mut emulator = emulator(10, 3);
        for number in 0..20 {
            emulator.advance(format!("line {number}\r\n").as_bytes());
        }
        emulator.scroll(Scroll::Top);
        let point = ViewPoint { line: 0, column: 0 };
        emulator.select(SelectionKind::Lines, point, crate::CellSide::Left);
        let mut before = Frame::default();
        emulator.frame(&mut before);
        let revision = emulator.revision();

        let cells = emulator.screen_cells();
        assert_eq!((cells.columns, cells.lines), (10, 3));
        assert_eq!(text(&cells, 0), "line 18   ");
        assert_eq!(text(&cells, 2), "          ");
        assert!(cells.row(3).is_empty());
        let cursor = ScreenCursor {
            column: 0,
            line: 2,
            visible: true,
        };
        assert_eq!(cells.cursor, cursor);

        let mut after = Frame::default();
        emulator.frame(&mut after);
        assert_eq!(emulator.revision(), revision);
        assert_eq!(after.display_offset, before.display_offset);
        assert_eq!(after.selection, before.selection);
        assert_eq!(after.cells, before.cells);
    }

    #[test]
    fn a_hidden_cursor_has_a_place() {
        let mut emulator = emulator(10, 3);
        emulator.advance("中\x1b[1;2H\x1b[?25l".as_bytes());
        let cursor = ScreenCursor {
            column: 0,
            line: 0,
            visible: false,
        };
        assert_eq!(emulator.screen_cells().cursor, cursor);
    }

    #[test]
    fn colours_that_the_program_changed_are_named() {
        let mut emulator = emulator(4, 1);
        emulator.advance(b"\x1b]4;1;#010203\x07\x1b[31mx");
        let cells = emulator.screen_cells();
        let red = Rgb { r: 1, g: 2, b: 3 };
        assert_eq!(cells.palette.iter().collect::<Vec<_>>(), [(1, red)]);
        assert_eq!(
            cells.cells.first().map(|cell| (cell.c, cell.fg)),
            Some(('x', Color::Named(crate::NamedColor::Red)))
        );
    }

    #[test]
    fn the_sequence_grows_with_the_content_and_with_nothing_else() {
        let mut emulator = emulator(10, 2);
        emulator.advance(b"a\r\nb\r\nc\r\n");
        let first = emulator.screen_cells().sequence;
        emulator.scroll(Scroll::Top);
        emulator.select(
            SelectionKind::Simple,
            ViewPoint::default(),
            crate::CellSide::Left,
        );
        emulator.resize(GridSize::new(10, 2));
        assert_eq!(emulator.screen_cells().sequence, first);
        emulator.advance(b"d");
        let second = emulator.screen_cells().sequence;
        assert!(second > first);
        emulator.resize(GridSize::new(11, 2));
        let third = emulator.screen_cells().sequence;
        assert!(third > second);
        // What replaces an emulator that failed goes on from there.
        let replaced = self::emulator(10, 2).screen_cells();
        assert!(replaced.sequence > third);
        assert!(
            replaced
                .cells
                .iter()
                .all(|cell| cell.flags == Flags::empty())
        );
    }
}
