//! Keys in xterm's legacy encoding, as the terminfo entry `xterm-256color` promises it.

use super::Modifiers;
use crate::Modes;

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
    /// F1..F24; other numbers send nothing.
    Function(u8),
    /// A key of the numeric keypad without Num Lock: `0`..`9`, `.`, `,`, `+`, `-`, `*`, `/`, `=`,
    /// or `\r` for its Enter. With Num Lock it is a [`Key::Character`], whatever the mode, as in
    /// xterm.
    Keypad(char),
}

/// How a key without text of its own is written.
enum Form {
    /// `CSI` or, in application cursor mode, `SS3` and a letter.
    Cursor(char),
    /// `SS3` and a letter.
    Ss3(char),
    /// `CSI`, a number and `~`.
    Tilde(u8),
}

/// Bytes a key press sends, `None` when it sends nothing.
pub fn encode_key(key: &Key, modifiers: Modifiers, modes: &Modes) -> Option<Vec<u8>> {
    let Modifiers {
        shift,
        alt,
        control,
    } = modifiers;
    let text = match key {
        Key::Character(c) => return character(*c, modifiers),
        Key::Enter if modes.newline => "\r\n",
        Key::Enter => "\r",
        Key::Tab if shift => "\x1b[Z",
        Key::Tab => "\t",
        Key::Backspace if control => "\x08",
        Key::Backspace => "\x7f",
        Key::Escape => "\x1b",
        Key::Keypad('\r') if !modes.app_keypad => return encode_key(&Key::Enter, modifiers, modes),
        Key::Keypad(c) if !modes.app_keypad => return character(*c, modifiers),
        Key::Keypad(c) => return sequence(&Form::Ss3(keypad(*c)?), modifiers, modes),
        Key::Function(number @ 13..=24) => {
            // terminfo: F13 is Shift+F1, and so on.
            return sequence(
                &function(*number - 12)?,
                Modifiers {
                    shift: true,
                    ..modifiers
                },
                modes,
            );
        }
        Key::Function(number) => return sequence(&function(*number)?, modifiers, modes),
        Key::Up => return sequence(&Form::Cursor('A'), modifiers, modes),
        Key::Down => return sequence(&Form::Cursor('B'), modifiers, modes),
        Key::Right => return sequence(&Form::Cursor('C'), modifiers, modes),
        Key::Left => return sequence(&Form::Cursor('D'), modifiers, modes),
        Key::End => return sequence(&Form::Cursor('F'), modifiers, modes),
        Key::Home => return sequence(&Form::Cursor('H'), modifiers, modes),
        Key::Insert => return sequence(&Form::Tilde(2), modifiers, modes),
        Key::Delete => return sequence(&Form::Tilde(3), modifiers, modes),
        Key::PageUp => return sequence(&Form::Tilde(5), modifiers, modes),
        Key::PageDown => return sequence(&Form::Tilde(6), modifiers, modes),
    };
    Some(with_alt(text.as_bytes(), alt))
}

fn sequence(form: &Form, modifiers: Modifiers, modes: &Modes) -> Option<Vec<u8>> {
    let text = match (form, modifiers.bits()) {
        (Form::Cursor(letter), 0) if modes.app_cursor => format!("\x1bO{letter}"),
        (Form::Cursor(letter), 0) => format!("\x1b[{letter}"),
        (Form::Ss3(letter), 0) => format!("\x1bO{letter}"),
        (Form::Tilde(number), 0) => format!("\x1b[{number}~"),
        (Form::Cursor(letter) | Form::Ss3(letter), bits) => format!("\x1b[1;{}{letter}", bits + 1),
        (Form::Tilde(number), bits) => format!("\x1b[{number};{}~", bits + 1),
    };
    Some(text.into_bytes())
}

fn function(number: u8) -> Option<Form> {
    Some(match number {
        1 => Form::Ss3('P'),
        2 => Form::Ss3('Q'),
        3 => Form::Ss3('R'),
        4 => Form::Ss3('S'),
        5 => Form::Tilde(15),
        6..=10 => Form::Tilde(number + 11),
        11 | 12 => Form::Tilde(number + 12),
        _ => return None,
    })
}

/// The letter of a keypad key in application mode.
fn keypad(c: char) -> Option<char> {
    Some(match c {
        '0' => 'p',
        '1' => 'q',
        '2' => 'r',
        '3' => 's',
        '4' => 't',
        '5' => 'u',
        '6' => 'v',
        '7' => 'w',
        '8' => 'x',
        '9' => 'y',
        '*' => 'j',
        '+' => 'k',
        ',' => 'l',
        '-' => 'm',
        '.' => 'n',
        '/' => 'o',
        '=' => 'X',
        '\r' => 'M',
        _ => return None,
    })
}

fn character(c: char, modifiers: Modifiers) -> Option<Vec<u8>> {
    if c.is_control() {
        return None;
    }
    let c = match modifiers.control {
        true => controlled(c),
        false => c,
    };
    Some(with_alt(
        c.encode_utf8(&mut [0; 4]).as_bytes(),
        modifiers.alt,
    ))
}

/// What Control makes of a character; those it does nothing to are sent as they are.
fn controlled(c: char) -> char {
    match c.to_ascii_lowercase() {
        letter @ 'a'..='z' => char::from(u8::try_from(letter).unwrap_or_default() & 0x1f),
        ' ' | '2' | '@' => '\0',
        '3' | '[' | '{' => '\x1b',
        '4' | '\\' | '|' => '\x1c',
        '5' | ']' | '}' => '\x1d',
        '6' | '^' | '~' => '\x1e',
        '7' | '/' | '_' => '\x1f',
        '8' | '?' => '\x7f',
        _ => c,
    }
}

fn with_alt(bytes: &[u8], alt: bool) -> Vec<u8> {
    let mut sent = Vec::with_capacity(bytes.len() + 1);
    if alt {
        sent.push(0x1b);
    }
    sent.extend_from_slice(bytes);
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Modes = Modes {
        app_cursor: false,
        app_keypad: false,
        newline: false,
        bracketed_paste: false,
        alt_screen: false,
        alternate_scroll: false,
        focus: false,
        mouse: crate::MouseTracking::Off,
        mouse_encoding: crate::MouseEncoding::Legacy,
    };
    const APPLICATION: Modes = Modes {
        app_cursor: true,
        app_keypad: true,
        ..PLAIN
    };

    fn modifiers(bits: u8) -> Modifiers {
        Modifiers {
            shift: bits & 1 != 0,
            alt: bits & 2 != 0,
            control: bits & 4 != 0,
        }
    }

    fn sent(key: Key, bits: u8, modes: &Modes) -> String {
        String::from_utf8(encode_key(&key, modifiers(bits), modes).unwrap()).unwrap()
    }

    /// Key; bytes in normal mode; bytes in application mode; bytes for the modifier sets 1..=7.
    /// `{}` stands for xterm's modifier number.
    #[test]
    fn keys_with_every_modifier() {
        let table: [(Key, &str, &str, &str); 30] = [
            (Key::Up, "\x1b[A", "\x1bOA", "\x1b[1;{}A"),
            (Key::Down, "\x1b[B", "\x1bOB", "\x1b[1;{}B"),
            (Key::Right, "\x1b[C", "\x1bOC", "\x1b[1;{}C"),
            (Key::Left, "\x1b[D", "\x1bOD", "\x1b[1;{}D"),
            (Key::Home, "\x1b[H", "\x1bOH", "\x1b[1;{}H"),
            (Key::End, "\x1b[F", "\x1bOF", "\x1b[1;{}F"),
            (Key::Insert, "\x1b[2~", "\x1b[2~", "\x1b[2;{}~"),
            (Key::Delete, "\x1b[3~", "\x1b[3~", "\x1b[3;{}~"),
            (Key::PageUp, "\x1b[5~", "\x1b[5~", "\x1b[5;{}~"),
            (Key::PageDown, "\x1b[6~", "\x1b[6~", "\x1b[6;{}~"),
            (Key::Function(1), "\x1bOP", "\x1bOP", "\x1b[1;{}P"),
            (Key::Function(2), "\x1bOQ", "\x1bOQ", "\x1b[1;{}Q"),
            (Key::Function(3), "\x1bOR", "\x1bOR", "\x1b[1;{}R"),
            (Key::Function(4), "\x1bOS", "\x1bOS", "\x1b[1;{}S"),
            (Key::Function(5), "\x1b[15~", "\x1b[15~", "\x1b[15;{}~"),
            (Key::Function(6), "\x1b[17~", "\x1b[17~", "\x1b[17;{}~"),
            (Key::Function(7), "\x1b[18~", "\x1b[18~", "\x1b[18;{}~"),
            (Key::Function(8), "\x1b[19~", "\x1b[19~", "\x1b[19;{}~"),
            (Key::Function(9), "\x1b[20~", "\x1b[20~", "\x1b[20;{}~"),
            (Key::Function(10), "\x1b[21~", "\x1b[21~", "\x1b[21;{}~"),
            (Key::Function(11), "\x1b[23~", "\x1b[23~", "\x1b[23;{}~"),
            (Key::Function(12), "\x1b[24~", "\x1b[24~", "\x1b[24;{}~"),
            (Key::Keypad('0'), "0", "\x1bOp", ""),
            (Key::Keypad('9'), "9", "\x1bOy", ""),
            (Key::Keypad('+'), "+", "\x1bOk", ""),
            (Key::Keypad('\r'), "\r", "\x1bOM", ""),
            (Key::Enter, "\r", "\r", ""),
            (Key::Tab, "\t", "\t", ""),
            (Key::Backspace, "\x7f", "\x7f", ""),
            (Key::Escape, "\x1b", "\x1b", ""),
        ];
        for (key, normal, application, modified) in table {
            assert_eq!(sent(key.clone(), 0, &PLAIN), normal, "{key:?}");
            assert_eq!(sent(key.clone(), 0, &APPLICATION), application, "{key:?}");
            for bits in (1..=7).filter(|_| !modified.is_empty()) {
                let expected = modified.replace("{}", &(bits + 1).to_string());
                assert_eq!(sent(key.clone(), bits, &PLAIN), expected, "{key:?} {bits}");
                assert_eq!(
                    sent(key.clone(), bits, &APPLICATION),
                    expected,
                    "{key:?} {bits}"
                );
            }
        }
    }

    #[test]
    fn function_keys_beyond_twelve_are_shifted_ones() {
        assert_eq!(sent(Key::Function(13), 0, &PLAIN), "\x1b[1;2P");
        assert_eq!(sent(Key::Function(17), 0, &PLAIN), "\x1b[15;2~");
        assert_eq!(sent(Key::Function(24), 0, &PLAIN), "\x1b[24;2~");
        assert_eq!(sent(Key::Function(24), 4, &PLAIN), "\x1b[24;6~");
        assert_eq!(encode_key(&Key::Function(0), modifiers(0), &PLAIN), None);
        assert_eq!(encode_key(&Key::Function(25), modifiers(0), &PLAIN), None);
    }

    #[test]
    fn editing_keys_with_modifiers() {
        for (key, bits, expected) in [
            (Key::Enter, 1, "\r"),
            (Key::Enter, 2, "\x1b\r"),
            (Key::Enter, 4, "\r"),
            (Key::Tab, 1, "\x1b[Z"),
            (Key::Tab, 2, "\x1b\t"),
            (Key::Tab, 3, "\x1b\x1b[Z"),
            (Key::Tab, 4, "\t"),
            (Key::Backspace, 1, "\x7f"),
            (Key::Backspace, 2, "\x1b\x7f"),
            (Key::Backspace, 4, "\x08"),
            (Key::Backspace, 6, "\x1b\x08"),
            (Key::Escape, 2, "\x1b\x1b"),
        ] {
            assert_eq!(sent(key.clone(), bits, &PLAIN), expected, "{key:?} {bits}");
        }
        let newline = Modes {
            newline: true,
            ..PLAIN
        };
        assert_eq!(sent(Key::Enter, 0, &newline), "\r\n");
    }

    #[test]
    fn characters() {
        for (c, bits, expected) in [
            ('a', 0, "a"),
            ('A', 1, "A"),
            ('é', 0, "é"),
            ('中', 2, "\x1b中"),
            ('a', 2, "\x1ba"),
            ('a', 4, "\x01"),
            ('Z', 5, "\x1a"),
            ('c', 6, "\x1b\x03"),
            (' ', 4, "\0"),
            ('2', 4, "\0"),
            ('@', 5, "\0"),
            ('[', 4, "\x1b"),
            ('3', 4, "\x1b"),
            ('4', 4, "\x1c"),
            ('\\', 4, "\x1c"),
            ('5', 4, "\x1d"),
            (']', 4, "\x1d"),
            ('6', 4, "\x1e"),
            ('^', 5, "\x1e"),
            ('7', 4, "\x1f"),
            ('/', 4, "\x1f"),
            ('_', 5, "\x1f"),
            ('8', 4, "\x7f"),
            ('?', 5, "\x7f"),
            ('1', 4, "1"),
            ('9', 4, "9"),
            ('é', 4, "é"),
        ] {
            assert_eq!(
                sent(Key::Character(c), bits, &PLAIN),
                expected,
                "{c:?} {bits}"
            );
        }
        assert_eq!(
            encode_key(&Key::Character('\x1b'), modifiers(0), &PLAIN),
            None
        );
    }
}
