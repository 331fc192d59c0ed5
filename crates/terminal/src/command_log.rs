//! Where the last command's output stands in the grid.
//!
//! Rows are numbered from the start of the terminal, so that scrolling does not change a number;
//! the row of screen line 0 is [`Rows::top`]. Reflow does change rows. Then an anchor is expressed
//! as a distance from the cursor in logical lines, which reflow keeps, and found again afterwards.

use alacritty_terminal::Grid;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};

use crate::Mark;

/// A place in the grid that scrolls with its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub row: i64,
    pub column: usize,
}

/// Which row numbers the grid holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    /// Number of the row at screen line 0.
    pub top: i64,
    /// Rows below this number were cleared, whatever stands there now.
    pub floor: i64,
}

/// The last command seen, from its `C` mark.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandLog {
    last: Option<Command>,
    /// Where the anchors stood when the alternate screen was entered.
    parked: Option<(Relative, Relative)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Command {
    pub command_line: Option<String>,
    pub exit_code: Option<i32>,
    /// First cell of the output; `None` when its place is not known any more.
    pub start: Option<Anchor>,
    /// Cell after the output; `None` while the command runs.
    pub end: Option<Anchor>,
    running: bool,
}

impl CommandLog {
    /// Takes a mark that arrived with the cursor at `cursor`; `None` on the alternate screen.
    pub(crate) fn mark(&mut self, mark: &Mark, cursor: Option<Anchor>) {
        match mark {
            Mark::CommandStart { command_line } => {
                if cursor.is_none() {
                    self.parked = None;
                }
                self.last = Some(Command {
                    command_line: command_line.clone(),
                    start: cursor,
                    running: true,
                    ..Command::default()
                });
            }
            Mark::CommandEnd { exit_code } => self.end(cursor, *exit_code),
            Mark::PromptStart => self.end(cursor, None),
            Mark::CommandLineStart => {}
        }
    }

    fn end(&mut self, cursor: Option<Anchor>, exit_code: Option<i32>) {
        if let Some(command) = self.last.as_mut().filter(|command| command.running) {
            command.running = false;
            command.end = cursor;
            command.exit_code = exit_code;
        }
    }

    pub(crate) fn last(&self) -> Option<&Command> {
        self.last.as_ref()
    }

    /// Forgets everything: the screen was reset.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes bearings before the grid is reflowed, or before it is hidden by the alternate screen,
    /// under which it may be reflowed unseen. Looks at no more than `reach` rows.
    pub(crate) fn park(&mut self, grid: &Grid<Cell>, rows: Rows, reach: usize) {
        self.parked = self.last.as_ref().map(|command| {
            let bearing = |anchor: Option<Anchor>| Relative::new(grid, rows, anchor?, reach);
            (
                bearing(command.start).unwrap_or(Relative::Lost),
                bearing(command.end).unwrap_or(Relative::Lost),
            )
        });
    }

    /// Finds the anchors again after a reflow.
    pub(crate) fn unpark(&mut self, grid: &Grid<Cell>, rows: Rows) {
        if let (Some(command), Some((start, end))) = (self.last.as_mut(), self.parked.take()) {
            command.start = start.anchor(grid, rows);
            command.end = end.anchor(grid, rows);
        }
    }
}

/// An anchor in terms that reflow keeps.
#[derive(Clone, Copy, Debug)]
enum Relative {
    At {
        /// Logical lines above (positive) or below the cursor's.
        lines_up: i32,
        /// Cells from the start of the logical line.
        cells: usize,
    },
    Lost,
}

impl Relative {
    fn new(grid: &Grid<Cell>, rows: Rows, anchor: Anchor, reach: usize) -> Option<Self> {
        let line = i32::try_from(anchor.row.checked_sub(rows.top)?).ok()?;
        if line < grid.topmost_line().0 || line > grid.bottommost_line().0 {
            return None;
        }
        let cursor = grid.cursor.point.line.0;
        if usize::try_from(line.abs_diff(cursor)).ok()? > reach {
            return None;
        }
        let between = |from: i32, to: i32| (from..to).filter(|line| !wraps(grid, *line)).count();
        let lines_up = match line <= cursor {
            true => i32::try_from(between(line, cursor)).ok()?,
            false => i32::try_from(between(cursor, line)).ok()?.checked_neg()?,
        };
        let first = line_start(grid, line);
        let rows_in = usize::try_from(line.checked_sub(first)?).ok()?;
        let cells = rows_in
            .checked_mul(grid.columns())?
            .checked_add(anchor.column)?;
        Some(Self::At { lines_up, cells })
    }

    fn anchor(self, grid: &Grid<Cell>, rows: Rows) -> Option<Anchor> {
        let Self::At { lines_up, cells } = self else {
            return None;
        };
        let mut line = line_start(grid, grid.cursor.point.line.0);
        for _ in 0..lines_up {
            if line <= grid.topmost_line().0 {
                return None;
            }
            line = line_start(grid, line.checked_sub(1)?);
        }
        for _ in lines_up..0 {
            while wraps(grid, line) {
                line = line.checked_add(1)?;
            }
            line = line.checked_add(1)?;
        }
        let mut column = cells;
        while column >= grid.columns() && wraps(grid, line) {
            column = column.checked_sub(grid.columns())?;
            line = line.checked_add(1)?;
        }
        let line = line.min(grid.bottommost_line().0);
        let column = column.min(grid.columns().saturating_sub(1));
        Some(Anchor {
            row: rows.top.checked_add(i64::from(line))?,
            column,
        })
    }
}

/// True when a row of the grid continues in the next one.
pub(crate) fn wraps(grid: &Grid<Cell>, line: i32) -> bool {
    line >= grid.topmost_line().0 && line < grid.bottommost_line().0 && ends_wrapped(grid, line)
}

#[allow(
    clippy::indexing_slicing,
    reason = "the callers keep the line inside of the grid"
)]
fn ends_wrapped(grid: &Grid<Cell>, line: i32) -> bool {
    let last = Column(grid.columns().saturating_sub(1));
    grid[Line(line)][last].flags.contains(Flags::WRAPLINE)
}

fn line_start(grid: &Grid<Cell>, line: i32) -> i32 {
    let mut line = line;
    while line > grid.topmost_line().0 && wraps(grid, line.saturating_sub(1)) {
        line = line.saturating_sub(1);
    }
    line
}
