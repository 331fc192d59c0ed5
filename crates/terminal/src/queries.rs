//! Finds the queries that the emulator's library passes over: XTVERSION (`CSI > q`) and DECRQSS
//! (`DCS $ q ... ST`).
//!
//! It is no second parser. An `ESC` begins a new sequence from any state, so a query is found by its
//! bytes alone: `q` is looked for with memchr, and only then one looks back. A query with control
//! characters within it, which no program sends, is not found. Everything still goes to the parser.

use memchr::memchr;

const ESC: u8 = 0x1b;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
/// What ends a string for the parser, besides `ESC \`.
const ST: u8 = 0x9c;

/// How queries begin, up to the `q`.
const VERSION: [&[u8]; 2] = [b"\x1b[>", b"\x1b[>0"];
const SETTING: &[u8] = b"\x1bP$";
/// Bytes of the stream that are kept to look back.
const LOOK_BACK: usize = 4;

/// What a program asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// XTVERSION.
    Version,
    /// DECRQSS.
    Setting(Setting),
}

/// A setting DECRQSS can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// SGR.
    Look,
    /// DECSCUSR.
    Cursor,
    /// DECSTBM.
    Margins,
    /// Any other.
    Unknown,
}

/// The state between two chunks.
#[derive(Default)]
pub(crate) struct Queries {
    /// The last bytes before this chunk.
    recent: [u8; LOOK_BACK],
    /// Set inside of a DECRQSS.
    name: Option<Name>,
}

/// The name of a setting, as far as it came.
#[derive(Default)]
struct Name {
    bytes: [u8; 2],
    length: usize,
    /// An `ESC` came and a `\` would now end it.
    escape: bool,
}

impl Queries {
    /// Cuts the next bytes of the stream behind the first query that ends in them.
    pub(crate) fn cut<'a>(&mut self, bytes: &'a [u8]) -> (&'a [u8], Option<Query>, &'a [u8]) {
        let found = self.find(bytes);
        let end = found.map_or(bytes.len(), |(end, _)| end);
        let (now, later) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
        self.recent = std::array::from_fn(|index| {
            let back = LOOK_BACK - index;
            byte_before(&self.recent, now, now.len(), back)
        });
        (now, found.map(|(_, query)| query), later)
    }

    /// The first query that ends in these bytes and the position behind it.
    fn find(&mut self, bytes: &[u8]) -> Option<(usize, Query)> {
        let mut at = 0;
        loop {
            if let Some(name) = self.name.as_mut() {
                let byte = *bytes.get(at)?;
                at = at.saturating_add(1);
                let step = name.push(byte);
                if step != Step::More {
                    self.name = None;
                }
                if let Step::End(setting) = step {
                    return Some((at, Query::Setting(setting)));
                }
            } else {
                let ahead = memchr(b'q', bytes.get(at..)?)?;
                let q = at.saturating_add(ahead);
                at = q.saturating_add(1);
                if VERSION.iter().any(|begin| self.precedes(bytes, q, begin)) {
                    return Some((at, Query::Version));
                }
                if self.precedes(bytes, q, SETTING) {
                    self.name = Some(Name::default());
                }
            }
        }
    }

    /// True when `begin` stands right before the position.
    fn precedes(&self, bytes: &[u8], at: usize, begin: &[u8]) -> bool {
        let backwards = begin.iter().rev().enumerate();
        backwards
            .map(|(index, byte)| (index.saturating_add(1), byte))
            .all(|(back, byte)| byte_before(&self.recent, bytes, at, back) == *byte)
    }
}

/// The byte so many places before a position in `bytes`, or in what came before them.
fn byte_before(recent: &[u8; LOOK_BACK], bytes: &[u8], at: usize, back: usize) -> u8 {
    let found = match at.checked_sub(back) {
        Some(index) => bytes.get(index),
        None => LOOK_BACK
            .checked_sub(back.saturating_sub(at))
            .and_then(|index| recent.get(index)),
    };
    found.copied().unwrap_or(0)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    More,
    End(Setting),
    Cut,
}

impl Name {
    fn push(&mut self, byte: u8) -> Step {
        match byte {
            b'\\' if self.escape => return Step::End(self.setting()),
            _ if self.escape => return Step::Cut,
            CAN | SUB | ST => return Step::Cut,
            ESC => self.escape = true,
            _ => {
                if let Some(room) = self.bytes.get_mut(self.length) {
                    *room = byte;
                }
                self.length = self.length.saturating_add(1);
            }
        }
        Step::More
    }

    fn setting(&self) -> Setting {
        match self.bytes.get(..self.length) {
            Some(b"m") => Setting::Look,
            Some(b" q") => Setting::Cursor,
            Some(b"r") => Setting::Margins,
            _ => Setting::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(chunks: &[&[u8]]) -> Vec<(usize, Query)> {
        let mut queries = Queries::default();
        let (mut passed, mut found) = (0, Vec::new());
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let (now, query, later) = queries.cut(rest);
                assert_eq!([now, later].concat(), rest);
                passed += now.len();
                found.extend(query.map(|query| (passed, query)));
                rest = later;
            }
        }
        found
    }

    #[test]
    fn queries_are_found_in_any_chunking() {
        let stream = b"quiq\x1b[>q-\x1b[>0q-\x1bP$qm\x1b\\\x1bP$q q\x1b\\\x1bP$qr\x1b\\\x1bP$q\"p\x1b\\q\x1bP$qmmmm\x1b\\";
        let whole = found(&[stream]);
        let kinds: Vec<Query> = whole.iter().map(|(_, query)| *query).collect();
        assert_eq!(
            kinds,
            [
                Query::Version,
                Query::Version,
                Query::Setting(Setting::Look),
                Query::Setting(Setting::Cursor),
                Query::Setting(Setting::Margins),
                Query::Setting(Setting::Unknown),
                Query::Setting(Setting::Unknown),
            ]
        );
        assert_eq!(whole[0].0, 8);
        for size in 1..stream.len() {
            let chunks: Vec<&[u8]> = stream.chunks(size).collect();
            assert_eq!(found(&chunks), whole, "{size}");
        }
    }

    #[test]
    fn what_only_looks_alike_is_no_query() {
        let stream: &[u8] =
            b"[>q \x1b[>1q \x1b[q \x1b[1 q \x1bP$m\x1b\\ \x1bP$qm\x18\x1b\\ \x1bP$qm\x1b[m";
        assert_eq!(found(&[stream]), []);
        // A string that was cut is over, and what cut it may begin a query.
        let stream: &[u8] = b"\x1bP$qm\x1b[>q\x1bP$qm\x1b\x1b\\";
        assert_eq!(found(&[stream]), [(9, Query::Version)]);
        let stream: &[u8] = b"\x1bP$qm\x18\x1b[>q";
        assert_eq!(found(&[stream]), [(10, Query::Version)]);
    }
}
