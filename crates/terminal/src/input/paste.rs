//! Pasted text, made harmless.
//!
//! Threat: text on the clipboard may come from anywhere. Left as it is, an `ESC [ 201 ~` in it
//! would end the bracket and the rest would count as typed, and control characters would act as
//! keys. So every control character but tab and newline is removed.

/// Begins a bracketed paste.
const PASTE_START: &[u8] = b"\x1b[200~";
/// Ends a bracketed paste.
pub(crate) const PASTE_END: &[u8] = b"\x1b[201~";

/// Bytes for pasted text. Line ends of any kind become newlines inside of a bracket, and returns,
/// as typed, without one.
pub fn paste_bytes(text: &str, bracketed: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() + PASTE_START.len() + PASTE_END.len());
    if bracketed {
        bytes.extend_from_slice(PASTE_START);
    }
    let newline = if bracketed { b'\n' } else { b'\r' };
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            // Of CR LF the LF counts.
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\n' => bytes.push(newline),
            '\t' => bytes.push(b'\t'),
            c if c.is_control() => {}
            c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    if bracketed {
        bytes.extend_from_slice(PASTE_END);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_and_controls() {
        let text = "a\r\nb\rc\nd\te\u{1b}[201~\u{7f}\u{9b}\0é";
        assert_eq!(paste_bytes(text, false), "a\rb\rc\rd\te[201~é".as_bytes());
        assert_eq!(
            paste_bytes(text, true),
            "\x1b[200~a\nb\nc\nd\te[201~é\x1b[201~".as_bytes()
        );
        assert_eq!(paste_bytes("", true), b"\x1b[200~\x1b[201~");
    }

    proptest! {
        #[test]
        fn nothing_ends_the_bracket_but_its_end(text in any::<String>(), more in "(\u{1b}|\\[201~|\u{9b}|a){0,20}") {
            let bytes = paste_bytes(&format!("{text}{more}"), true);
            let inside = &bytes[PASTE_START.len()..bytes.len() - PASTE_END.len()];
            let inside = std::str::from_utf8(inside).unwrap();
            prop_assert!(inside.chars().all(|c| matches!(c, '\t' | '\n') || !c.is_control()));
            let typed = paste_bytes(&text, false);
            let typed = std::str::from_utf8(&typed).unwrap();
            prop_assert!(typed.chars().all(|c| matches!(c, '\t' | '\r') || !c.is_control()));
        }
    }
}
