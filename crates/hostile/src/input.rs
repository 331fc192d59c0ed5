//! What a person does: keys, mouse, paste.

use terminal::input::{
    Key, Modifiers, MouseAction, MouseButton, MouseEvent, encode_alternate_scroll, encode_focus,
    encode_key, encode_mouse, paste_bytes,
};
use terminal::{Modes, MouseEncoding, MouseTracking};

use crate::noise::Noise;

/// Longest encoding of one key or one mouse event.
const MAX_SEQUENCE: usize = 32;

/// Any key, mouse event and pasted text in any mode gives one well-formed sequence of bounded length
/// or nothing, and pasted text can neither end its bracket nor act as a key.
pub fn input(data: &[u8]) {
    let mut noise = Noise::new(data);
    let modes = modes(&mut noise);
    let modifiers = Modifiers {
        shift: noise.flag(),
        alt: noise.flag(),
        control: noise.flag(),
    };

    let key = key(&mut noise);
    if let Some(bytes) = encode_key(&key, modifiers, &modes) {
        check_key(&key, modifiers, &bytes);
    }

    let event = MouseEvent {
        action: action(&mut noise),
        column: coordinate(&mut noise),
        line: coordinate(&mut noise),
        modifiers,
    };
    if let Some(bytes) = encode_mouse(&event, &modes) {
        assert!(modes.mouse != MouseTracking::Off, "nobody asked for it");
        check_mouse(&event, &modes, &bytes);
    }
    let steps = i32::from_ne_bytes(noise.number().to_ne_bytes());
    if let Some(bytes) = encode_alternate_scroll(steps, &modes) {
        assert!(modes.alt_screen && bytes.len() <= 3 * 256, "wheel");
    }
    assert_eq!(encode_focus(noise.flag(), &modes).is_some(), modes.focus);

    let text = String::from_utf8_lossy(noise.rest());
    for bracketed in [false, true] {
        check_paste(&text, bracketed);
    }
}

fn modes(noise: &mut Noise<'_>) -> Modes {
    Modes {
        app_cursor: noise.flag(),
        app_keypad: noise.flag(),
        newline: noise.flag(),
        bracketed_paste: noise.flag(),
        alt_screen: noise.flag(),
        alternate_scroll: noise.flag(),
        focus: noise.flag(),
        mouse: match noise.byte() % 5 {
            0 => MouseTracking::Off,
            1 => MouseTracking::X10,
            2 => MouseTracking::Click,
            3 => MouseTracking::Drag,
            _ => MouseTracking::Motion,
        },
        mouse_encoding: match noise.byte() % 4 {
            0 => MouseEncoding::Legacy,
            1 => MouseEncoding::Utf8,
            2 => MouseEncoding::Sgr,
            _ => MouseEncoding::Urxvt,
        },
    }
}

fn character(noise: &mut Noise<'_>) -> char {
    char::from_u32(noise.number() % 0x11_0000).unwrap_or('\u{fffd}')
}

fn key(noise: &mut Noise<'_>) -> Key {
    match noise.byte() % 18 {
        0 => Key::Enter,
        1 => Key::Tab,
        2 => Key::Backspace,
        3 => Key::Escape,
        4 => Key::Up,
        5 => Key::Down,
        6 => Key::Left,
        7 => Key::Right,
        8 => Key::Home,
        9 => Key::End,
        10 => Key::Insert,
        11 => Key::Delete,
        12 => Key::PageUp,
        13 => Key::PageDown,
        14 => Key::Function(noise.byte()),
        15 => Key::Keypad(char::from(noise.byte())),
        16 => Key::Character(char::from(noise.byte())),
        _ => Key::Character(character(noise)),
    }
}

fn action(noise: &mut Noise<'_>) -> MouseAction {
    let button = match noise.byte() % 9 {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        2 => MouseButton::Right,
        3 => MouseButton::WheelUp,
        4 => MouseButton::WheelDown,
        5 => MouseButton::WheelLeft,
        6 => MouseButton::WheelRight,
        7 => MouseButton::Back,
        _ => MouseButton::Forward,
    };
    match noise.byte() % 4 {
        0 => MouseAction::Press(button),
        1 => MouseAction::Release(button),
        2 => MouseAction::Motion(Some(button)),
        _ => MouseAction::Motion(None),
    }
}

/// Mostly a place on a screen, sometimes one that no screen has.
fn coordinate(noise: &mut Noise<'_>) -> usize {
    let number = usize::try_from(noise.number()).unwrap_or(usize::MAX);
    match noise.byte() % 4 {
        0 => number,
        1 => number % 70_000,
        _ => number % 300,
    }
}

fn check_key(key: &Key, modifiers: Modifiers, bytes: &[u8]) {
    assert!(
        (1..=MAX_SEQUENCE).contains(&bytes.len()),
        "length of {key:?}"
    );
    let text = std::str::from_utf8(bytes);
    assert!(text.is_ok(), "a key is text or a sequence of ASCII");
    let text = text.unwrap_or_default();
    let mut rest = text.chars();
    match (rest.next(), rest.as_str()) {
        // One character, a control or not; Enter in mode 20.
        (Some(_), "") | (Some('\r'), "\n") => {}
        (Some('\x1b'), rest) => {
            let behind_alt = rest.strip_prefix('\x1b').filter(|_| modifiers.alt);
            let is_good = is_sequence(rest) || behind_alt.is_some_and(is_sequence);
            assert!(is_good, "{key:?} sends {text:?}");
        }
        _ => assert!(is_sequence(text), "{key:?} sends {text:?}"),
    }
}

/// What may follow an ESC: `[` or `O` with parameters and one letter, or a single character that Alt
/// was held with.
fn is_sequence(text: &str) -> bool {
    let body = text.strip_prefix('[').or_else(|| text.strip_prefix('O'));
    let is_function = body.is_some_and(|body| {
        let mut letters = body.chars();
        let last = letters.next_back();
        last.is_some_and(|c| matches!(c, '@'..='~'))
            && letters.all(|c| c.is_ascii_digit() || c == ';')
    });
    is_function || text.chars().count() == 1 || text == "\r\n"
}

fn check_mouse(event: &MouseEvent, modes: &Modes, bytes: &[u8]) {
    assert!(bytes.len() <= MAX_SEQUENCE, "length of a mouse report");
    assert!(bytes.starts_with(b"\x1b["), "{bytes:?}");
    match modes.mouse_encoding {
        MouseEncoding::Legacy => {
            assert_eq!(bytes.len(), 6);
            assert!(event.column <= 222 && event.line <= 222, "{event:?}");
        }
        MouseEncoding::Utf8 => {
            let text = std::str::from_utf8(bytes);
            assert!(
                text.is_ok_and(|text| text.chars().count() == 6),
                "{bytes:?}"
            );
        }
        MouseEncoding::Sgr | MouseEncoding::Urxvt => {
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            let numbers = text
                .trim_start_matches(['\x1b', '[', '<'])
                .trim_end_matches(['M', 'm']);
            let numbers: Vec<Option<usize>> = numbers
                .split(';')
                .map(|number| number.parse().ok())
                .collect();
            let place = (event.column + 1, event.line + 1);
            assert!(
                matches!(*numbers, [Some(_), Some(column), Some(line)] if (column, line) == place),
                "{text:?} for {event:?}"
            );
        }
    }
}

fn check_paste(text: &str, bracketed: bool) {
    let bytes = paste_bytes(text, bracketed);
    assert!(bytes.len() <= text.len() + 12, "pasting adds nothing");
    let inside = match bracketed {
        true => bytes
            .strip_prefix(b"\x1b[200~")
            .and_then(|bytes| bytes.strip_suffix(b"\x1b[201~")),
        false => Some(&*bytes),
    };
    let inside = inside.and_then(|bytes| std::str::from_utf8(bytes).ok());
    assert!(inside.is_some(), "a bracket around text");
    let line_end = if bracketed { '\n' } else { '\r' };
    let foreign = |c: char| c.is_control() && c != '\t' && c != line_end;
    assert!(
        !inside.unwrap_or_default().contains(foreign),
        "controls in pasted text"
    );
}
