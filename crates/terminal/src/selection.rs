//! Points, scrolling and selection as a view sees them.

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
