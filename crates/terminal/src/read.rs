//! Reading a terminal as text, from the bottom of its buffer (`pane.read`).

use std::ops::Range;

use alacritty_terminal::Grid;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::{Cell, Flags};
use thiserror::Error;

use crate::command_log::wraps;
use crate::frame::visible;
use crate::screen::Screen;
use crate::sgr::{RESET, Style};

/// What to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// Terminal rows, at least 1.
    pub lines: usize,
    /// Which part of the buffer.
    pub source: ReadSource,
    /// Plain text or text with SGR sequences.
    pub format: ReadFormat,
}

/// Which rows a read takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadSource {
    /// Screen plus scrollback.
    #[default]
    Recent,
    /// The visible rows at the bottom, wherever the view is scrolled.
    Screen,
    /// The output of the last command, found by its marks.
    LastCommand,
}

/// How the text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadFormat {
    /// No control character but newline.
    #[default]
    Text,
    /// With SGR sequences; every line ends in a reset, and nothing else is escaped.
    Ansi,
}

/// The answer to a [`ReadRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalRead {
    /// Logical lines joined by newlines, at most 1 MiB.
    pub text: String,
    /// Terminal rows that went into `text`.
    pub returned_lines: usize,
    /// Rows above the screen.
    pub history_available: usize,
    /// Older rows exist that were not returned, or bytes were cut.
    pub truncated: bool,
    /// Command line of the last command, when read from it and known.
    pub command: Option<String>,
    /// Exit code of the last command, when read from it and known.
    pub exit_code: Option<i32>,
}

/// Why nothing could be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// `LastCommand` without usable marks.
    #[error("{reason}")]
    OutputUnavailable {
        /// One sentence for the user.
        reason: &'static str,
    },
}

/// Longest answer in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// Rows of the grid that an answer is made of.
struct Extent {
    first: i32,
    last: i32,
    /// First column taken from the first row.
    from_column: usize,
    /// Column after the last one taken from the last row.
    to_column: usize,
}

/// Reads a screen.
pub(crate) fn read(screen: &Screen, request: &ReadRequest) -> Result<TerminalRead, ReadError> {
    let grid = screen.term.grid();
    let history = screen.history();
    let bottom = grid.bottommost_line().0;
    let whole = |first: i32| Extent {
        first,
        last: bottom,
        from_column: 0,
        to_column: grid.columns(),
    };
    let mut answer = TerminalRead {
        history_available: history,
        ..TerminalRead::default()
    };
    let mut extent = match request.source {
        ReadSource::Recent => whole(i32::try_from(history).map_or(0, |rows| -rows)),
        ReadSource::Screen => whole(0),
        ReadSource::LastCommand => {
            let output = last_command(screen)?;
            answer.command = output.command_line;
            answer.exit_code = output.exit_code;
            answer.truncated = output.evicted;
            match output.extent {
                Some(extent) => extent,
                None => return Ok(answer),
            }
        }
    };
    let available = extent.last.saturating_sub(extent.first).saturating_add(1);
    let rows = i32::try_from(request.lines)
        .unwrap_or(i32::MAX)
        .clamp(1, available.max(1));
    if rows < available {
        extent.first = extent.last.saturating_sub(rows).saturating_add(1);
        extent.from_column = 0;
        answer.truncated = true;
    }
    collect(grid, &extent, request.format, &mut answer);
    Ok(answer)
}

struct Output {
    extent: Option<Extent>,
    command_line: Option<String>,
    exit_code: Option<i32>,
    /// The beginning has left the buffer.
    evicted: bool,
}

fn last_command(screen: &Screen) -> Result<Output, ReadError> {
    let unavailable = |reason| ReadError::OutputUnavailable { reason };
    let command = screen.commands.last().ok_or(unavailable(
        "no command marks were seen in this pane; is shell integration on?",
    ))?;
    if screen.is_alt() {
        return Err(unavailable(
            "a full-screen program covers the output; read the screen instead",
        ));
    }
    let start = command.start.ok_or(unavailable(
        "the place of the last command's output is not known any more",
    ))?;

    let grid = screen.term.grid();
    let history = i64::try_from(screen.history()).unwrap_or(i64::MAX);
    let oldest = screen
        .rows
        .floor
        .max(screen.rows.top.saturating_sub(history));
    let line = |row: i64| i32::try_from(row.saturating_sub(screen.rows.top)).unwrap_or(i32::MIN);
    let evicted = start.row < oldest;
    let (first, from_column) = match evicted {
        true => (line(oldest), 0),
        false => (line(start.row), start.column),
    };
    let (last, to_column) = match command.end {
        Some(end) => (line(end.row), end.column),
        None => (
            last_written(grid).max(grid.cursor.point.line.0),
            grid.columns(),
        ),
    };
    // An output that ended with a newline leaves the cursor in a row that is not part of it.
    let (last, to_column) = match to_column {
        0 => (last.saturating_sub(1), grid.columns()),
        _ => (last, to_column),
    };
    let last = last.min(grid.bottommost_line().0);
    let empty = last < first || (last == first && to_column <= from_column);
    let extent = (!empty).then_some(Extent {
        first,
        last,
        from_column,
        to_column,
    });
    Ok(Output {
        extent,
        command_line: command.command_line.clone(),
        exit_code: command.exit_code,
        evicted,
    })
}

/// The last screen line with something on it.
fn last_written(grid: &Grid<Cell>) -> i32 {
    let columns = grid.columns();
    let written =
        |line: &i32| !row_text(grid, *line, 0..columns, ReadFormat::Text, true).is_empty();
    (0..=grid.bottommost_line().0)
        .rev()
        .find(written)
        .unwrap_or(0)
}

/// Fills in text, row count and truncation, from the last row upwards until the limit is reached.
fn collect(grid: &Grid<Cell>, extent: &Extent, format: ReadFormat, answer: &mut TerminalRead) {
    let mut pieces: Vec<String> = Vec::new();
    let mut bytes = 0usize;
    // The rest of the logical line below the present row is blank.
    let mut rest_blank = true;
    for line in (extent.first..=extent.last).rev() {
        let is_last = line == extent.last;
        let continues = !is_last && wraps(grid, line);
        rest_blank |= !continues;
        let from = if line == extent.first {
            extent.from_column
        } else {
            0
        };
        let to = if is_last {
            extent.to_column
        } else {
            grid.columns()
        };
        let mut piece = row_text(grid, line, from..to, format, rest_blank);
        rest_blank = rest_blank && piece.is_empty();
        if !continues {
            if format == ReadFormat::Ansi {
                piece.push_str(RESET);
            }
            if !is_last {
                piece.push('\n');
            }
        }
        if bytes.saturating_add(piece.len()) > MAX_BYTES {
            answer.truncated = true;
            if pieces.is_empty() {
                pieces.push(keep_end(piece));
                answer.returned_lines = 1;
            }
            break;
        }
        bytes = bytes.saturating_add(piece.len());
        pieces.push(piece);
        answer.returned_lines = pieces.len();
    }
    answer.text = pieces.into_iter().rev().collect();
}

/// The end of a text, at most [`MAX_BYTES`] of it.
fn keep_end(mut text: String) -> String {
    let cut = text.ceil_char_boundary(text.len().saturating_sub(MAX_BYTES));
    text.split_off(cut)
}

/// One row. With `trim` its trailing blanks are removed; coloured ones stay in ANSI format.
fn row_text(
    grid: &Grid<Cell>,
    line: i32,
    columns: Range<usize>,
    format: ReadFormat,
    trim: bool,
) -> String {
    #[allow(
        clippy::indexing_slicing,
        reason = "the callers keep the line inside of the grid"
    )]
    let row = &grid[Line(line)];
    let cells = row.into_iter().take(columns.end).skip(columns.start);
    let cells: Vec<&Cell> = cells.collect();
    let length = match trim {
        true => cells
            .iter()
            .rposition(|cell| !is_blank(cell, format))
            .map_or(0, |at| at + 1),
        false => cells.len(),
    };
    let mut text = String::with_capacity(length);
    let mut style = Style::default();
    for cell in cells.into_iter().take(length) {
        let spacers = Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER;
        if cell.flags.intersects(spacers) {
            continue;
        }
        if format == ReadFormat::Ansi {
            style.change_to(Style::of(cell), &mut text);
        }
        text.push(visible(cell.c));
        text.extend(cell.zerowidth().unwrap_or_default());
    }
    if style != Style::default() {
        text.push_str(RESET);
    }
    text
}

fn is_blank(cell: &Cell, format: ReadFormat) -> bool {
    let blank = visible(cell.c) == ' ' && cell.zerowidth().is_none_or(|marks| marks.is_empty());
    blank && (format == ReadFormat::Text || Style::of(cell).is_invisible_on_blank())
}

#[cfg(test)]
mod tests;
