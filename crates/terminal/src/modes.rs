//! The modes of a terminal that change what typing, pasting and clicking send.

/// Which mouse events a program asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseTracking {
    /// None: the mouse selects text.
    #[default]
    Off,
    /// Mode 9: presses only, without modifiers.
    X10,
    /// Mode 1000: presses and releases.
    Click,
    /// Mode 1002: also motion while a button is held.
    Drag,
    /// Mode 1003: all motion.
    Motion,
}

/// How mouse events are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseEncoding {
    /// `CSI M` and three bytes; coordinates end at 223.
    #[default]
    Legacy,
    /// Mode 1005: like legacy, coordinates as UTF-8, up to 2015.
    Utf8,
    /// Mode 1006: `CSI <` with decimal numbers.
    Sgr,
    /// Mode 1015: `CSI` with decimal numbers and `M`.
    Urxvt,
}

/// A copy of a terminal's modes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// DECCKM (1): cursor keys send `SS3`.
    pub app_cursor: bool,
    /// DECKPAM: the keypad sends `SS3`.
    pub app_keypad: bool,
    /// LNM (20): Enter sends CR LF.
    pub newline: bool,
    /// Mode 2004.
    pub bracketed_paste: bool,
    /// Mode 1049: the alternate screen is shown, which has no scrollback.
    pub alt_screen: bool,
    /// Mode 1007: on the alternate screen the wheel sends cursor keys.
    pub alternate_scroll: bool,
    /// Mode 1004: focus changes are reported.
    pub focus: bool,
    /// Which mouse events are reported.
    pub mouse: MouseTracking,
    /// How mouse events are written.
    pub mouse_encoding: MouseEncoding,
}
