//! Points, scrolling and selection as a view sees them.

use alacritty_terminal::Term;
use alacritty_terminal::event::EventListener;
use alacritty_terminal::index::{Column, Line, Point};
use alacritty_terminal::selection::SelectionType;
use alacritty_terminal::term::cell::Flags;

/// A cell of the visible part, 0-based from the top left. Values outside are moved to the edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewPoint {
    /// Visible line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

/// Half of a cell a pointer is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellSide {
    /// Left half.
    Left,
    /// Right half.
    Right,
}

/// What a selection grows by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionKind {
    /// Single characters.
    Simple,
    /// Words, ended by the terminal's semantic escape characters.
    Semantic,
    /// Whole logical lines.
    Lines,
    /// A rectangle.
    Block,
}

/// A change of the scroll position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scroll {
    /// Rows; positive goes up into the history.
    Delta(i32),
    /// One screen up.
    PageUp,
    /// One screen down.
    PageDown,
    /// To the oldest row.
    Top,
    /// To the newest row.
    Bottom,
}

/// The selected text: wrapped lines joined, trailing blanks of each line removed. `None` when
/// nothing is selected.
pub(crate) fn text<T: EventListener>(term: &Term<T>) -> Option<String> {
    let selection = term.selection.as_ref().filter(|s| !s.is_empty())?;
    let range = selection.to_range(term)?;
    let text = match selection.ty {
        SelectionType::Block => {
            let lines = (range.start.line.0..=range.end.line.0).map(Line);
            let part = |line| {
                let from = Point::new(line, range.start.column);
                between(term, from, Point::new(line, range.end.column))
            };
            lines.map(part).collect::<Vec<_>>().join("\n")
        }
        _ => between(term, range.start, range.end),
    };
    let lines = text.split('\n').map(|line| line.trim_end_matches(' '));
    let text = lines.collect::<Vec<_>>().join("\n");
    Some(text).filter(|text| !text.is_empty())
}

/// The text from one cell to another, both included.
#[allow(
    clippy::indexing_slicing,
    reason = "a selection's range is inside of the grid"
)]
fn between<T: EventListener>(term: &Term<T>, from: Point, mut to: Point) -> String {
    // The blank that a wide character left when it wrapped is none of the text. The library takes
    // it for a character of the row above, which need not exist.
    let cell = &term.grid()[to.line][to.column];
    if cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) && to.column > Column(0) {
        to.column -= 1;
        if to.column < from.column && to.line == from.line {
            return String::new();
        }
    }
    term.bounds_to_string(from, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Emulator, GridSize, TerminalOptions};

    fn selected(kind: SelectionKind, from: (usize, usize), to: (usize, usize)) -> Option<String> {
        let mut emulator = Emulator::new(&TerminalOptions {
            size: GridSize::new(5, 4),
            ..TerminalOptions::default()
        });
        emulator.advance("abcd中fg\r\nx\ty".as_bytes());
        let point = |(line, column)| ViewPoint { line, column };
        emulator.select(kind, point(from), CellSide::Left);
        emulator.extend_selection(point(to), CellSide::Right);
        emulator.selection_text()
    }

    /// The row above the first one was read here.
    #[test]
    fn the_blank_before_a_wrapped_wide_character_is_no_text() {
        let text = |from, to| selected(SelectionKind::Simple, from, to);
        assert_eq!(text((0, 2), (0, 4)).as_deref(), Some("cd"));
        assert_eq!(text((0, 4), (0, 4)), None);
        assert_eq!(text((0, 2), (1, 0)).as_deref(), Some("cd中"));
        assert_eq!(text((0, 4), (1, 2)).as_deref(), Some("中f"));
        let block = selected(SelectionKind::Block, (0, 3), (1, 4));
        assert_eq!(block.as_deref(), Some("d\ng"));
    }

    #[test]
    fn tabs_are_text() {
        let text = selected(SelectionKind::Lines, (2, 0), (2, 0));
        assert_eq!(text.as_deref(), Some("x\ty"));
    }
}
