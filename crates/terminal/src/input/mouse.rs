//! Mouse and focus reports, as xterm's control sequences document describes them.

use super::Modifiers;
use crate::{Modes, MouseEncoding, MouseTracking};

/// A button of the mouse, or a direction of its wheel.
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

impl MouseButton {
    fn code(self) -> u16 {
        match self {
            Self::Left => 0,
            Self::Middle => 1,
            Self::Right => 2,
            Self::WheelUp => 64,
            Self::WheelDown => 65,
            Self::WheelLeft => 66,
            Self::WheelRight => 67,
            Self::Back => 128,
            Self::Forward => 129,
        }
    }

    fn is_wheel(self) -> bool {
        matches!(
            self,
            Self::WheelUp | Self::WheelDown | Self::WheelLeft | Self::WheelRight
        )
    }
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

/// Code of "no button".
const NONE: u16 = 3;
/// Added to the code of a motion.
const MOTION: u16 = 32;
/// Most cursor keys sent for one turn of the wheel.
const MAX_STEPS: u32 = 256;

/// Bytes a mouse event sends, `None` when the program did not ask for it or its place cannot be
/// written in the encoding it asked for.
pub fn encode_mouse(event: &MouseEvent, modes: &Modes) -> Option<Vec<u8>> {
    let tracking = modes.mouse;
    let (code, released) = match event.action {
        _ if tracking == MouseTracking::Off => return None,
        MouseAction::Press(button) => (button.code(), false),
        MouseAction::Release(button) if button.is_wheel() => return None,
        MouseAction::Release(button) => (button.code(), true),
        MouseAction::Motion(button) => {
            let wanted = match tracking {
                MouseTracking::Motion => true,
                MouseTracking::Drag => button.is_some(),
                _ => false,
            };
            if !wanted {
                return None;
            }
            (MOTION + button.map_or(NONE, MouseButton::code), false)
        }
    };
    if tracking == MouseTracking::X10 && (released || code > 2) {
        return None;
    }
    let modifiers = match tracking {
        MouseTracking::X10 => 0,
        // xterm's mouse modifiers stand two bits higher than those of keys.
        _ => u16::from(event.modifiers.bits()) << 2,
    };
    let column = u16::try_from(event.column).ok()?.checked_add(1)?;
    let line = u16::try_from(event.line).ok()?.checked_add(1)?;
    let legacy_code = modifiers + if released { NONE } else { code };
    match modes.mouse_encoding {
        MouseEncoding::Sgr => {
            let end = if released { 'm' } else { 'M' };
            Some(format!("\x1b[<{};{column};{line}{end}", modifiers + code).into_bytes())
        }
        MouseEncoding::Urxvt => {
            Some(format!("\x1b[{};{column};{line}M", legacy_code + 32).into_bytes())
        }
        MouseEncoding::Legacy => {
            let byte = |value: u16| u8::try_from(value.checked_add(32)?).ok();
            Some(vec![
                0x1b,
                b'[',
                b'M',
                byte(legacy_code)?,
                byte(column)?,
                byte(line)?,
            ])
        }
        MouseEncoding::Utf8 => {
            // Two bytes of UTF-8 are the most this encoding has room for.
            let letter = |value: u16| {
                let value = value.checked_add(32).filter(|value| *value < 0x800)?;
                char::from_u32(u32::from(value))
            };
            let text: String = [letter(legacy_code)?, letter(column)?, letter(line)?]
                .iter()
                .collect();
            Some([b"\x1b[M", text.as_bytes()].concat())
        }
    }
}

/// Cursor keys for wheel steps on the alternate screen (mode 1007); positive goes up. `None` when
/// the wheel does something else: it is reported as a mouse event or scrolls the view.
pub fn encode_alternate_scroll(steps: i32, modes: &Modes) -> Option<Vec<u8>> {
    let scrolls = modes.alt_screen && modes.alternate_scroll && modes.mouse == MouseTracking::Off;
    if !scrolls || steps == 0 {
        return None;
    }
    let key: &[u8] = match (steps > 0, modes.app_cursor) {
        (true, true) => b"\x1bOA",
        (true, false) => b"\x1b[A",
        (false, true) => b"\x1bOB",
        (false, false) => b"\x1b[B",
    };
    let count = steps.unsigned_abs().min(MAX_STEPS);
    Some(key.repeat(usize::try_from(count).unwrap_or_default()))
}

/// Bytes for a change of focus, `None` when the program did not ask (mode 1004).
pub fn encode_focus(focused: bool, modes: &Modes) -> Option<&'static [u8]> {
    match (modes.focus, focused) {
        (false, _) => None,
        (true, true) => Some(b"\x1b[I"),
        (true, false) => Some(b"\x1b[O"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: MouseAction = MouseAction::Press(MouseButton::Left);
    const UP: MouseAction = MouseAction::Release(MouseButton::Left);
    const WHEEL: MouseAction = MouseAction::Press(MouseButton::WheelDown);
    const MOVE: MouseAction = MouseAction::Motion(None);
    const DRAG: MouseAction = MouseAction::Motion(Some(MouseButton::Right));

    fn report(
        action: MouseAction,
        at: (usize, usize),
        mouse: MouseTracking,
        mouse_encoding: MouseEncoding,
    ) -> Option<Vec<u8>> {
        let modifiers = Modifiers {
            control: true,
            ..Modifiers::default()
        };
        let event = MouseEvent {
            action,
            column: at.0,
            line: at.1,
            modifiers,
        };
        encode_mouse(
            &event,
            &Modes {
                mouse,
                mouse_encoding,
                ..Modes::default()
            },
        )
    }

    #[test]
    fn each_mode_reports_what_it_asked_for() {
        use MouseTracking::{Click, Drag, Motion, Off, X10};
        for (mode, reported) in [
            (Off, [false, false, false, false, false]),
            (X10, [true, false, false, false, false]),
            (Click, [true, true, true, false, false]),
            (Drag, [true, true, true, false, true]),
            (Motion, [true, true, true, true, true]),
        ] {
            let actions = [LEFT, UP, WHEEL, MOVE, DRAG];
            let sent = actions.map(|a| report(a, (0, 0), mode, MouseEncoding::Sgr).is_some());
            assert_eq!(sent, reported, "{mode:?}");
        }
    }

    #[test]
    fn encodings() {
        use MouseEncoding::{Legacy, Sgr, Urxvt, Utf8};
        for (encoding, action, at, expected) in [
            (Sgr, LEFT, (0, 0), Some("\x1b[<16;1;1M")),
            (Sgr, UP, (299, 9), Some("\x1b[<16;300;10m")),
            (Sgr, WHEEL, (1, 2), Some("\x1b[<81;2;3M")),
            (Sgr, MOVE, (1, 2), Some("\x1b[<51;2;3M")),
            (Sgr, DRAG, (1, 2), Some("\x1b[<50;2;3M")),
            (Urxvt, LEFT, (0, 0), Some("\x1b[48;1;1M")),
            (Urxvt, UP, (299, 0), Some("\x1b[51;300;1M")),
            (Legacy, LEFT, (0, 1), Some("\x1b[M0!\"")),
            (Legacy, UP, (0, 1), Some("\x1b[M3!\"")),
            (Legacy, LEFT, (223, 0), None),
            (Utf8, LEFT, (223, 0), Some("\x1b[M0\u{100}!")),
            (Utf8, LEFT, (2014, 0), Some("\x1b[M0\u{7ff}!")),
            (Utf8, LEFT, (2015, 0), None),
        ] {
            let sent = report(action, at, MouseTracking::Motion, encoding);
            assert_eq!(
                sent.as_deref(),
                expected.map(str::as_bytes),
                "{encoding:?} {action:?}"
            );
        }
        // The last place of the legacy encoding is a byte that is no text.
        let last = report(LEFT, (222, 0), MouseTracking::Click, Legacy);
        assert_eq!(last.as_deref(), Some(&b"\x1b[M0\xff!"[..]));
        // X10 mode has no modifiers.
        let x10 = report(LEFT, (0, 0), MouseTracking::X10, Legacy);
        assert_eq!(x10.as_deref(), Some(&b"\x1b[M !!"[..]));
    }

    #[test]
    fn the_wheel_on_the_alternate_screen() {
        let alt = Modes {
            alt_screen: true,
            alternate_scroll: true,
            ..Modes::default()
        };
        assert_eq!(
            encode_alternate_scroll(2, &alt).as_deref(),
            Some(&b"\x1b[A\x1b[A"[..])
        );
        let application = Modes {
            app_cursor: true,
            ..alt
        };
        assert_eq!(
            encode_alternate_scroll(-1, &application).as_deref(),
            Some(&b"\x1bOB"[..])
        );
        assert_eq!(encode_alternate_scroll(0, &alt), None);
        let longest = encode_alternate_scroll(i32::MIN, &alt).unwrap();
        assert_eq!(longest.len(), 3 * 256);
        for modes in [
            Modes {
                alt_screen: false,
                ..alt
            },
            Modes {
                alternate_scroll: false,
                ..alt
            },
            Modes {
                mouse: MouseTracking::Click,
                ..alt
            },
        ] {
            assert_eq!(encode_alternate_scroll(1, &modes), None);
        }
    }

    #[test]
    fn focus() {
        let modes = Modes {
            focus: true,
            ..Modes::default()
        };
        assert_eq!(encode_focus(true, &modes), Some(&b"\x1b[I"[..]));
        assert_eq!(encode_focus(false, &modes), Some(&b"\x1b[O"[..]));
        assert_eq!(encode_focus(true, &Modes::default()), None);
    }
}
