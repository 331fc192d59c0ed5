//! What keys, mouse and paste send to a program.

use crate::Modes;

/// Begins a bracketed paste.
pub(crate) const PASTE_START: &[u8] = b"\x1b[200~";
/// Ends a bracketed paste.
pub(crate) const PASTE_END: &[u8] = b"\x1b[201~";

/// Modifier keys held during an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Shift.
    pub shift: bool,
    /// Alt (Option).
    pub alt: bool,
    /// Control.
    pub control: bool,
}

/// A key as the keyboard layout produced it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character; upper case when Shift made it so.
    Character(char),
    /// Return.
    Enter,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Insert.
    Insert,
    /// Delete.
    Delete,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// F1..F24.
    Function(u8),
    /// A key of the numeric keypad with Num Lock on: `0`..`9`, `.`, `,`, `+`, `-`, `*`, `/`, `=`,
    /// or `\r` for its Enter.
    Keypad(char),
}

/// A button of the mouse, or a step of its wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseButton {
    /// Left.
    Left,
    /// Middle.
    Middle,
    /// Right.
    Right,
    /// Wheel up.
    WheelUp,
    /// Wheel down.
    WheelDown,
    /// Wheel left.
    WheelLeft,
    /// Wheel right.
    WheelRight,
    /// Back.
    Back,
    /// Forward.
    Forward,
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAction {
    /// A button went down, or the wheel moved one step.
    Press(MouseButton),
    /// A button went up.
    Release(MouseButton),
    /// The pointer entered another cell, with the button that is held.
    Motion(Option<MouseButton>),
}

/// A mouse event at a cell of the visible part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MouseEvent {
    /// What happened.
    pub action: MouseAction,
    /// Column, 0-based.
    pub column: usize,
    /// Line, 0-based.
    pub line: usize,
    /// Modifiers held.
    pub modifiers: Modifiers,
}

/// Bytes a key sends, `None` when it sends nothing.
pub fn encode_key(_key: &Key, _modifiers: Modifiers, _modes: &Modes) -> Option<Vec<u8>> {
    None
}

/// Bytes a mouse event sends, `None` when the program did not ask for it.
pub fn encode_mouse(_event: &MouseEvent, _modes: &Modes) -> Option<Vec<u8>> {
    None
}

/// Cursor keys for wheel steps on the alternate screen (mode 1007); positive goes up. `None` when
/// the wheel scrolls the view instead.
pub fn encode_alternate_scroll(_steps: i32, _modes: &Modes) -> Option<Vec<u8>> {
    None
}

/// Bytes for a change of focus, `None` when the program did not ask (mode 1004).
pub fn encode_focus(_focused: bool, _modes: &Modes) -> Option<&'static [u8]> {
    None
}

/// Bytes for pasted text, with everything removed that a program could take for a key or for the
/// end of the paste.
pub fn paste_bytes(text: &str, _bracketed: bool) -> Vec<u8> {
    text.as_bytes().to_vec()
}
