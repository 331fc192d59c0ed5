//! The settings themselves: plain data with documented fields.
//!
//! The doc comments below are also the text of `docs/settings.md` and of the settings tab; the
//! `schemars` ranges are the ones that values are checked against. A key is therefore described
//! once, here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that `settings.toml` can say. Keys that the file leaves out have their defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Shells and the terminal inside a pane.
    pub terminal: TerminalSettings,
    /// Life and control of panes.
    pub panes: PaneSettings,
    /// The window.
    pub ui: UiSettings,
}

/// `[terminal]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TerminalSettings {
    /// The shell of new tabs and panes: `auto` (your login shell), the name of a shell on `PATH`
    /// such as `zsh`, or the path of a program.
    #[schemars(length(min = 1, max = 4096))]
    pub shell: String,
    /// Lines kept above the screen, per pane. Applies to panes opened afterwards.
    #[schemars(range(min = 0, max = 100_000))]
    pub history_lines: usize,
    /// Whether shells are started with prompt and directory marks.
    pub shell_integration: ShellIntegration,
    /// Characters at which a double-click stops selecting, besides blanks.
    #[schemars(length(max = 256))]
    pub semantic_escape_chars: String,
    /// Copy a selection to the clipboard as soon as the mouse button is released.
    pub copy_on_select: bool,
    /// Shape of the cursor, unless a program asks for another one.
    pub cursor_shape: CursorShape,
    /// Whether the cursor blinks, unless a program asks otherwise.
    pub cursor_blink: bool,
}

impl Default for TerminalSettings {
    fn default() -> Self {
        Self {
            shell: "auto".to_owned(),
            history_lines: 10_000,
            shell_integration: ShellIntegration::Auto,
            semantic_escape_chars: ",│`|:\"' ()[]{}<>\t".to_owned(),
            copy_on_select: false,
            cursor_shape: CursorShape::Block,
            cursor_blink: false,
        }
    }
}

/// `terminal.shell_integration`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShellIntegration {
    /// Marks for the shells that are known (bash, zsh, fish); your own files stay as they are.
    Auto,
    /// Shells are started plainly; states and directories of panes are then guessed from processes.
    Off,
}

/// `terminal.cursor_shape`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CursorShape {
    /// A filled cell.
    Block,
    /// A vertical line at the left edge of the cell.
    Beam,
    /// A line at the bottom of the cell.
    Underline,
}

/// `[panes]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PaneSettings {
    /// What programs inside a pane may do with the control API. A change applies to the next
    /// request of running panes.
    pub control: PaneControl,
    /// Keep a pane open, with its last screen, after its shell ended.
    pub hold_on_exit: bool,
}

impl Default for PaneSettings {
    fn default() -> Self {
        Self {
            control: PaneControl::Full,
            hold_on_exit: false,
        }
    }
}

/// `panes.control`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaneControl {
    /// Every method: programs in one pane can drive the others.
    Full,
    /// Methods that only read.
    Read,
    /// Nothing but asking which pane they are in.
    None,
}

/// `[ui]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UiSettings {
    /// `system` (follow the desktop), `light`, `dark`, or the name of a theme.
    #[schemars(length(min = 1, max = 256))]
    pub theme: String,
    /// Font of the terminal: `auto` (the first good monospace font that is installed) or the name
    /// of a font family.
    #[schemars(length(min = 1, max = 256))]
    pub font_family: String,
    /// Size of the terminal font in pixels.
    #[schemars(range(min = 6, max = 72))]
    pub font_size: f32,
    /// Height of a terminal row as a multiple of the font size.
    #[schemars(range(min = 1, max = 2))]
    pub line_height: f32,
    /// Language of the window.
    pub language: Language,
    /// Closing the window only hides it: what runs in it goes on, and starting Nebula again shows it.
    /// When this is off, closing the window ends the program.
    pub keep_session: bool,
    /// Ask before closing a pane, a tab or the window while a program runs in it.
    pub confirm_close: bool,
}

impl Default for UiSettings {
    fn default() -> Self {
        Self {
            theme: "system".to_owned(),
            font_family: "auto".to_owned(),
            font_size: 14.0,
            line_height: 1.25,
            language: Language::Auto,
            keep_session: false,
            confirm_close: true,
        }
    }
}

/// `ui.language`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Language {
    /// The language of the desktop where there is a translation, else English.
    #[serde(rename = "auto")]
    Auto,
    /// English.
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    SimplifiedChinese,
}
