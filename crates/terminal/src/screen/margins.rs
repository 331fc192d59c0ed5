//! Where the library leaves the margins of the scroll region, and where it cuts wide characters.
//!
//! xterm and the VT terminals before it agree on what is done here; `tests/reference` has a case for
//! each rule, and `vttest` looks at most of them.

use std::ops::Range;

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::vte::ansi::Handler;

use super::Screen;

impl Screen {
    /// The lines that DECSTBM asks for, counted from 1 and including the last; `None` when it asks
    /// for fewer than two, which changes nothing.
    pub(super) fn region_of(&self, top: usize, bottom: Option<usize>) -> Option<Range<usize>> {
        let lines = self.term.screen_lines();
        let region = top.max(1) - 1..bottom.unwrap_or(lines).min(lines);
        (region.len() >= 2).then_some(region)
    }

    fn cursor_line(&self) -> usize {
        usize::try_from(self.term.grid().cursor.point.line.0).unwrap_or(0)
    }

    /// Whether the cursor is in the scroll region.
    pub(super) fn is_in_region(&self) -> bool {
        self.region.contains(&self.cursor_line())
    }

    /// CUU and CUD: up to the margin of the region when the cursor comes from within it or from
    /// beyond the other margin, otherwise up to the edge of the screen.
    pub(super) fn move_rows(&mut self, up: usize, down: usize) {
        let line = self.cursor_line();
        let first = match line >= self.region.start {
            true => self.region.start,
            false => 0,
        };
        let end = match line < self.region.end {
            true => self.region.end,
            false => self.term.screen_lines(),
        };
        let line = line
            .saturating_sub(up)
            .max(first)
            .saturating_add(down)
            .min(end.saturating_sub(1));
        let cursor = &mut self.term.grid_mut().cursor;
        cursor.point.line = Line(i32::try_from(line).unwrap_or(i32::MAX));
        cursor.input_needs_wrap = false;
    }

    /// CHA and HPA: along the line, also in origin mode.
    pub(super) fn move_to_column(&mut self, column: usize) {
        let last = self.term.columns().saturating_sub(1);
        let cursor = &mut self.term.grid_mut().cursor;
        cursor.point.column = Column(column.min(last));
        cursor.input_needs_wrap = false;
    }

    /// Line and column of the cursor as CPR tells them: from 1, in origin mode from the margin.
    pub(super) fn reported_cursor(&self) -> (usize, usize) {
        let above = match self.term.mode().contains(TermMode::ORIGIN) {
            true => self.region.start,
            false => 0,
        };
        let line = self.cursor_line().saturating_sub(above);
        (line + 1, self.term.grid().cursor.point.column.0 + 1)
    }

    /// What IL and DL do after their work: the cursor goes to the first column.
    pub(super) fn return_within_region(&mut self) {
        if self.is_in_region() {
            self.term.carriage_return();
        }
    }

    /// Blanks both halves of the wide character that a change of the cursor's line would cut in two
    /// before this column, counted from the cursor.
    #[allow(
        clippy::indexing_slicing,
        reason = "the column is compared with the width, and the cursor is inside of the grid"
    )]
    pub(super) fn cut(&mut self, after_cursor: usize) {
        let columns = self.term.columns();
        let point = self.term.grid().cursor.point;
        let column = point.column.0.saturating_add(after_cursor);
        if column == 0 || column >= columns {
            return;
        }
        let row = &mut self.term.grid_mut()[point.line];
        if row[Column(column)].flags.contains(Flags::WIDE_CHAR_SPACER) {
            row[Column(column)].flags.remove(Flags::WIDE_CHAR_SPACER);
            row[Column(column - 1)].clear_wide();
        }
    }

    /// Blanks the wide characters that a narrower grid without reflow has cut.
    #[allow(
        clippy::indexing_slicing,
        reason = "the loop ends at the last line, and a grid has columns"
    )]
    pub(super) fn mend_margin(&mut self) {
        let last = Column(self.term.columns() - 1);
        for line in 0..=self.term.bottommost_line().0 {
            let cell = &mut self.term.grid_mut()[Line(line)][last];
            if cell.flags.contains(Flags::WIDE_CHAR) {
                cell.clear_wide();
            }
        }
    }

    /// Blanks the halves of wide characters in a line. For insert mode, where only afterwards it is
    /// known in which line the text was moved.
    #[allow(clippy::indexing_slicing, reason = "callers give a line of the screen")]
    pub(super) fn mend(&mut self, line: Line) {
        let row = &mut self.term.grid_mut()[line];
        let mut cells = row.into_iter().peekable();
        let mut after_wide = false;
        while let Some(cell) = cells.next() {
            if cell.flags.contains(Flags::WIDE_CHAR_SPACER) && !after_wide {
                cell.flags.remove(Flags::WIDE_CHAR_SPACER);
            }
            after_wide = cell.flags.contains(Flags::WIDE_CHAR);
            let next = cells.peek().map_or(Flags::empty(), |next| next.flags);
            if after_wide && !next.contains(Flags::WIDE_CHAR_SPACER) {
                cell.clear_wide();
                after_wide = false;
            }
        }
    }

    /// As [`Screen::cut`], for cells that are pushed over the right margin.
    pub(super) fn cut_at_margin(&mut self, pushed: usize) {
        let left = self.term.columns() - self.term.grid().cursor.point.column.0;
        if let Some(stay) = left.checked_sub(pushed) {
            self.cut(stay);
        }
    }
}
