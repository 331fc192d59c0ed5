//! Finds operating system commands (`ESC ]`) in a stream and bounds their length.
//!
//! The emulator's parser keeps an OSC string in memory until it ends, however long it grows. So the
//! scanner stands before the parser: it withholds a string until its end is seen and drops it whole
//! when it grows past its limit, also when the end never comes. BEL and `ESC \` end a string; CAN,
//! SUB and any other sequence cut it, and what is cut is dropped. Everything else passes untouched
//! and uncopied. It is no second parser: `]` is found with memchr, and only then one looks back for
//! the `ESC` before it.
//!
//! Promise: the calls to the [`ScanSink`] depend on the bytes only, never on their chunking (except
//! that text may arrive in more or fewer pieces).

use memchr::{memchr, memrchr};

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// Longest OSC string that is kept, without `ESC ]` and terminator.
pub(crate) const MAX_OSC: usize = 64 * 1024;
/// Longest agent hook message (OSC 777 `nebula-hook`).
pub(crate) const MAX_OSC_HOOK: usize = 96 * 1024;
/// Longest clipboard request (OSC 52).
pub(crate) const MAX_OSC_CLIPBOARD: usize = 1024 * 1024;

/// Buffers larger than this are given back after use.
const KEEP_CAPACITY: usize = 4 * 1024;

/// Receives the pieces of a stream in order.
pub(crate) trait ScanSink {
    /// Bytes for the parser.
    fn text(&mut self, bytes: &[u8]);

    /// A complete OSC string. All bytes before it were handed over as text. The answer says whether
    /// the parser shall see it; if so it follows as text.
    fn osc(&mut self, payload: &[u8]) -> Verdict;
}

/// What becomes of an OSC string after [`ScanSink::osc`] looked at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The parser gets it.
    Feed,
    /// The parser never learns of it.
    Swallow,
}

/// The state between two chunks.
#[derive(Default)]
pub(crate) struct Scanner {
    state: State,
    /// The withheld part of an OSC string.
    held: Vec<u8>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Outside of OSC strings.
    #[default]
    Text,
    /// As `Text`; an `ESC` was passed on and a `]` would now begin a string.
    Escape,
    /// Inside an OSC string.
    Osc,
    /// Inside an OSC string that has grown too long.
    Discard,
    /// As `Osc`; an `ESC` came and a `\` would now end the string.
    OscEscape,
    /// As `Discard`; an `ESC` came.
    DiscardEscape,
}

impl Scanner {
    /// Takes the next bytes of the stream.
    pub(crate) fn scan(&mut self, bytes: &[u8], sink: &mut impl ScanSink) {
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = match self.state {
                State::Text | State::Escape => self.scan_text(rest, sink),
                State::Osc | State::Discard => self.scan_osc(rest, sink),
                State::OscEscape | State::DiscardEscape => self.scan_end(rest, sink),
            };
        }
    }

    fn scan_text<'a>(&mut self, bytes: &'a [u8], sink: &mut impl ScanSink) -> &'a [u8] {
        let after_escape = self.state == State::Escape;
        let Some((text, rest)) = find_osc(bytes, after_escape).and_then(|at| {
            let (text, rest) = bytes.split_at_checked(at)?;
            Some((text, rest.get(1..)?))
        }) else {
            sink.text(bytes);
            self.state = match ends_after_escape(bytes, after_escape) {
                true => State::Escape,
                false => State::Text,
            };
            return &[];
        };
        if !text.is_empty() {
            sink.text(text);
        }
        self.state = State::Osc;
        rest
    }

    fn scan_osc<'a>(&mut self, bytes: &'a [u8], sink: &mut impl ScanSink) -> &'a [u8] {
        let end = bytes
            .iter()
            .position(|byte| matches!(*byte, BEL | CAN | SUB | ESC));
        let Some((last, rest)) = end.and_then(|at| bytes.split_at_checked(at)) else {
            self.hold(bytes);
            return &[];
        };

        let verdict = match rest {
            [BEL, ..] | [ESC, b'\\', ..] => {
                if self.state == State::Osc && self.held.is_empty() {
                    dispatch(last, sink)
                } else {
                    self.hold(last);
                    self.dispatch_held(sink)
                }
            }
            // What follows decides whether this is the end or a sequence that cut the string.
            [ESC] => {
                self.hold(last);
                self.state = match self.state {
                    State::Discard => State::DiscardEscape,
                    _ => State::OscEscape,
                };
                return &[];
            }
            _ => drop_string(sink),
        };
        self.forget();
        self.state = State::Text;

        // CAN, SUB and ESC mean something of their own and stay in the stream as text.
        match rest.split_first() {
            Some((&BEL, after)) => {
                if verdict == Verdict::Feed {
                    sink.text(&[BEL]);
                }
                after
            }
            _ => rest,
        }
    }

    /// The `ESC` behind a string was the last byte of a chunk.
    fn scan_end<'a>(&mut self, bytes: &'a [u8], sink: &mut impl ScanSink) -> &'a [u8] {
        self.state = match self.state {
            State::DiscardEscape => State::Discard,
            _ => State::Osc,
        };
        match bytes.first() {
            Some(b'\\') => self.dispatch_held(sink),
            _ => drop_string(sink),
        };
        self.forget();
        sink.text(&[ESC]);
        self.state = State::Escape;
        bytes
    }

    fn dispatch_held(&self, sink: &mut impl ScanSink) -> Verdict {
        match self.state {
            State::Osc => dispatch(&self.held, sink),
            _ => drop_string(sink),
        }
    }

    fn forget(&mut self) {
        self.held.clear();
        self.held.shrink_to(KEEP_CAPACITY);
    }

    /// Keeps a part of a string, or stops keeping it when it has grown too long.
    fn hold(&mut self, bytes: &[u8]) {
        if self.state == State::Discard {
            return;
        }
        let room = MAX_OSC_CLIPBOARD
            .saturating_add(1)
            .saturating_sub(self.held.len());
        self.held
            .extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        if self.held.len() > limit(&self.held) {
            self.held = Vec::new();
            self.state = State::Discard;
        }
    }
}

fn dispatch(payload: &[u8], sink: &mut impl ScanSink) -> Verdict {
    if payload.len() > limit(payload) || sink.osc(payload) == Verdict::Swallow {
        return drop_string(sink);
    }
    sink.text(b"]");
    sink.text(payload);
    Verdict::Feed
}

/// The parser stands right behind an `ESC`; this brings it back to plain text.
fn drop_string(sink: &mut impl ScanSink) -> Verdict {
    sink.text(b"\\");
    Verdict::Swallow
}

fn limit(payload: &[u8]) -> usize {
    if payload.starts_with(b"52;") {
        MAX_OSC_CLIPBOARD
    } else if payload.starts_with(b"777;nebula-hook;") {
        MAX_OSC_HOOK
    } else {
        MAX_OSC
    }
}

/// Position of the first `]` that begins an OSC string.
///
/// Between `ESC` and `]` the parser skips bytes that mean nothing there (controls, which it
/// executes, and everything from DEL up), so these are skipped here, too.
fn find_osc(bytes: &[u8], after_escape: bool) -> Option<usize> {
    let mut searched = 0;
    loop {
        let gap = bytes.get(searched..)?;
        let length = memchr(b']', gap)?;
        let before = gap.get(..length)?;
        let carried = after_escape && searched == 0;
        let begins = match before.last() {
            None => carried,
            Some(&ESC) => true,
            Some(&byte) if !is_skipped(byte) => false,
            Some(_) => ends_after_escape(before, carried),
        };
        let at = searched.saturating_add(length);
        if begins {
            return Some(at);
        }
        searched = at.saturating_add(1);
    }
}

/// True when the parser stands behind an `ESC` after these bytes.
fn ends_after_escape(bytes: &[u8], after_escape: bool) -> bool {
    match memrchr(ESC, bytes) {
        Some(at) => bytes
            .get(at..)
            .unwrap_or_default()
            .iter()
            .all(|byte| is_skipped(*byte)),
        None => after_escape && bytes.iter().all(|byte| is_skipped(*byte)),
    }
}

/// Bytes that do not end the parser's escape state.
fn is_skipped(byte: u8) -> bool {
    matches!(byte, 0x00..=0x17 | 0x19 | 0x1b..=0x1f | 0x7f..)
}

#[cfg(test)]
mod tests;
