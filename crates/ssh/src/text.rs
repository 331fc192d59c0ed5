//! Text of a server, a proxy or another program on its way to the user.

/// Makes foreign text safe to show: control characters, among them escape sequences, become
/// blanks, and it is cut at `limit` bytes.
pub(crate) fn plain(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let c = if c.is_control() || is_direction_control(c) {
            ' '
        } else {
            c
        };
        if out.len() + c.len_utf8() > limit {
            break;
        }
        out.push(c);
    }
    out
}

/// As [`plain`], but line ends stay.
pub(crate) fn plain_lines(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let rest = limit.saturating_sub(out.len());
        if rest == 0 {
            break;
        }
        out.push_str(&plain(line, rest.saturating_sub(1)));
        out.push('\n');
    }
    out
}

/// Characters that turn the direction of writing and could make a text read as another one.
fn is_direction_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_foreign_controls_the_screen() {
        assert_eq!(plain("a\u{1b}[31mb\u{202e}c\n", 100), "a [31mb c ");
        assert_eq!(plain("ääää", 5), "ää");
        assert_eq!(plain_lines("a\r\n\u{7}b\nc", 100), "a\n b\nc\n");
        assert!(plain_lines(&"x\n".repeat(1000), 64).len() <= 64);
    }
}
