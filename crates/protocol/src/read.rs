//! What `pane.read` answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::snapshot::TaskState;

/// Which part of the terminal to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadSource {
    /// The screen and the scrollback above it.
    #[default]
    Recent,
    /// Only the rows at the bottom that a screen shows.
    Screen,
    /// The output of the last command, which needs the shell's marks.
    LastCommand,
}

/// How to write what was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadFormat {
    /// Characters and newlines only.
    #[default]
    Text,
    /// With SGR sequences (ECMA-48) for colours and attributes; each line ends in a reset.
    Ansi,
}

/// Text of a pane, as `pane.read` returns it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneRead {
    /// Window of the pane.
    pub window_id: u64,
    /// The pane.
    pub pane_id: u64,
    /// Logical lines, joined where the terminal wrapped them, without trailing blanks.
    pub text: String,
    /// Terminal rows asked for.
    pub requested_lines: u32,
    /// Terminal rows returned.
    pub returned_lines: u32,
    /// Rows above the screen.
    pub history_available: u64,
    /// Whether older rows exist that were not returned, or bytes were cut.
    pub truncated: bool,
    /// What the pane is doing.
    pub task_state: TaskState,
    /// Whether the root process has ended.
    pub exited: bool,
    /// How it ended, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_reason: Option<String>,
    /// What was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ReadSource>,
    /// How it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ReadFormat>,
    /// Revision of the projection when it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// Command line of the last command, for `last_command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Exit code of the last command, for `last_command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The visible cells, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<Screen>,
    /// Sequence of the screen content, when asked for; it grows with each change of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_seq: Option<u64>,
}

/// A row of cells.
pub type CellRow = Vec<ScreenCell>;

/// The visible cells of a pane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Screen {
    /// Version of this shape, 1.
    pub version: u32,
    /// Columns, at most 400, counted from the left. The widths of each row's cells add up to them.
    pub columns: u32,
    /// Rows from top to bottom. Of a taller screen the 200 at the bottom.
    pub rows: Vec<CellRow>,
    /// Where the cursor is, counted from the first of `rows`.
    pub cursor: ScreenCursor,
    /// Palette entries that the program changed: index and 0xRRGGBB.
    pub palette: Vec<(u32, u32)>,
}

/// Row, column (both from 0) and whether the cursor shows (1) or not (0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenCursor(pub u32, pub u32, pub u8);

/// Text, width (1 or 2), foreground, background, flags.
///
/// A colour is 0xRRGGBB, or negative for a palette index: -1 is index 0, -256 index 255, -257 the default foreground, -258 the default background. Flags: 1 bold, 2 dim, 4 italic, 8 underline, 16 inverse, 32 struck through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenCell(pub String, pub u8, pub i32, pub i32, pub u8);
