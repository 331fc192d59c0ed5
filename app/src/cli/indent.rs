//! Indenting an encoded JSON text without decoding it, so that members keep their order and numbers
//! their digits.

/// The text with two spaces per level. The text must be valid JSON on one line; of anything else
/// the result is as invalid as the text.
pub(super) fn indent(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut level = 0_usize;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                out.push('"');
                string(&mut characters, &mut out);
            }
            '{' | '[' => {
                out.push(character);
                while characters
                    .next_if(|next| next.is_ascii_whitespace())
                    .is_some()
                {}
                if let Some(end) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    level += 1;
                    line(&mut out, level);
                }
            }
            '}' | ']' => {
                level = level.saturating_sub(1);
                line(&mut out, level);
                out.push(character);
            }
            ',' => {
                out.push(',');
                line(&mut out, level);
            }
            ':' => out.push_str(": "),
            blank if blank.is_ascii_whitespace() => {}
            other => out.push(other),
        }
    }
    out
}

/// Copies the rest of a string.
fn string(characters: &mut impl Iterator<Item = char>, out: &mut String) {
    while let Some(character) = characters.next() {
        out.push(character);
        match character {
            '\\' => out.extend(characters.next()),
            '"' => return,
            _ => {}
        }
    }
}

fn line(out: &mut String, level: usize) {
    out.push('\n');
    for _ in 0..level {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn it_is_what_the_encoder_would_write() {
        for value in [
            json!(null),
            json!({}),
            json!([]),
            json!({"a": [], "b": {}, "c": [1, -2.5e-7, [true, {"d": "x"}]]}),
            json!({"quote \" , : { [ ] } \\": "\\\" \u{7f} ü \n"}),
            json!([[[[]]]]),
        ] {
            let expected = serde_json::to_string_pretty(&value).unwrap();
            assert_eq!(indent(&value.to_string()), expected);
            assert_eq!(serde_json::from_str::<Value>(&expected).unwrap(), value);
        }
    }

    #[test]
    fn members_keep_their_order_and_blanks_do_not_matter() {
        assert_eq!(
            indent("{ \"z\" : 1 ,\"a\":{ } }"),
            "{\n  \"z\": 1,\n  \"a\": {}\n}"
        );
    }
}
