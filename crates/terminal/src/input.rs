//! What keys, mouse, focus and paste send to a program.
//!
//! Pure functions from an event and the terminal's [`Modes`](crate::Modes) to bytes, in xterm's
//! legacy encoding. Other keyboard protocols join [`encode_key`] behind their modes.

mod keys;
mod mouse;
mod paste;

pub use keys::{Key, encode_key};
pub use mouse::{
    MouseAction, MouseButton, MouseEvent, encode_alternate_scroll, encode_focus, encode_mouse,
};
pub(crate) use paste::PASTE_END;
pub use paste::paste_bytes;

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

impl Modifiers {
    /// xterm's bits: shift 1, alt 2, control 4.
    fn bits(self) -> u8 {
        u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.control)
    }
}
