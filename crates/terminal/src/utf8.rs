//! Keeps characters whole between chunks.
//!
//! The emulator's parser treats a control character (U+0080..U+009F) that arrives in two chunks
//! unlike one that arrives in a single one. So no chunk it gets ends inside of a character: an
//! incomplete one is held back until its next byte comes.

/// The incomplete character at the end of the last chunk.
#[derive(Default)]
pub(crate) struct Utf8Boundary {
    held: [u8; 4],
    length: usize,
}

impl Utf8Boundary {
    /// Hands `bytes` on, preceded by what was held back, without an incomplete last character.
    pub(crate) fn push(&mut self, bytes: &[u8], mut feed: impl FnMut(&[u8])) {
        let mut rest = bytes;
        while let Some(expected) = self.expected() {
            if self.length == expected {
                self.flush(&mut feed);
                break;
            }
            match rest.split_first() {
                None => return,
                Some((byte, after)) if is_continuation(*byte) => {
                    self.hold(*byte);
                    rest = after;
                }
                // Whatever the parser makes of a broken character, it is the same in two pieces.
                Some(_) => {
                    self.flush(&mut feed);
                    break;
                }
            }
        }
        let (whole, tail) = rest.split_at_checked(complete(rest)).unwrap_or((rest, &[]));
        if !whole.is_empty() {
            feed(whole);
        }
        for byte in tail {
            self.hold(*byte);
        }
    }

    fn expected(&self) -> Option<usize> {
        self.held
            .first()
            .filter(|_| self.length > 0)
            .map(|lead| character_length(*lead))
    }

    fn hold(&mut self, byte: u8) {
        if let Some(place) = self.held.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    fn flush(&mut self, feed: &mut impl FnMut(&[u8])) {
        feed(self.held.get(..self.length).unwrap_or_default());
        self.length = 0;
    }
}

/// Length of `bytes` without an incomplete character at its end.
pub(crate) fn complete(bytes: &[u8]) -> usize {
    for (back, byte) in bytes.iter().rev().take(3).enumerate() {
        if !is_continuation(*byte) {
            let present = back + 1;
            let missing = character_length(*byte) > present;
            return bytes.len() - if missing { present } else { 0 };
        }
    }
    bytes.len()
}

fn is_continuation(byte: u8) -> bool {
    matches!(byte, 0x80..=0xbf)
}

fn character_length(lead: u8) -> usize {
    match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push_all(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut boundary = Utf8Boundary::default();
        let mut fed = Vec::new();
        for chunk in chunks {
            boundary.push(chunk, |bytes| fed.push(bytes.to_vec()));
        }
        fed
    }

    #[test]
    fn characters_stay_whole() {
        assert_eq!(
            push_all(&[b"a\xe4", b"\xb8", b"\xadb"]),
            [&b"a"[..], "中".as_bytes(), b"b"]
        );
        assert_eq!(push_all(&[b"\xc2", b"\x85"]), [b"\xc2\x85"]);
        assert_eq!(push_all(&[b"\xf0\x9f\x98", b"\x80\xf0"]), ["😀".as_bytes()]);
    }

    #[test]
    fn broken_characters_are_passed_on() {
        assert_eq!(push_all(&[b"\xe4\xb8", b"x"]), [&b"\xe4\xb8"[..], b"x"]);
        assert_eq!(push_all(&[b"\xff\x80\x80\x80"]), [b"\xff\x80\x80\x80"]);
        assert_eq!(push_all(&[b"\xe4", b"\x1b[m"]), [&b"\xe4"[..], b"\x1b[m"]);
    }
}
