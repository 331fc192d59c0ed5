//! How a text and its Enter are written into a pane (control-api.md 9.6).
//!
//! A shell at its prompt and a program that reads lines take the text and Enter in one go. A
//! program that asked for bracketed paste takes the text as one paste, and takes an Enter that
//! comes in the same burst for a line break of the text; there Enter is a write of its own, after
//! a gap. During the gap nothing else may get between the two: keys of the user are held back and
//! follow Enter, other requests are refused.
//!
//! This module plans and times; it writes nothing, and it never logs a text.

use std::time::{Duration, Instant};

use terminal::input;

/// Enter follows the accepted text no sooner than this.
const GAP_MIN: Duration = Duration::from_millis(30);
/// The program must have been silent for this long, which tells that it has taken the paste in.
const SILENCE: Duration = Duration::from_millis(20);
/// Enter follows the text at the latest after this, whatever the program does.
const GAP_MAX: Duration = Duration::from_millis(250);
/// How soon to look again whether the gap is over.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// Bytes of the user's keys that are held back at most; nobody types more in a quarter second.
const KEYS_MAX: usize = 64 * 1024;

/// Who reads what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The shell of the pane.
    Shell,
    /// A program in front of it.
    Program,
}

/// What to write now, and whether Enter has to wait.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) first: Vec<u8>,
    /// Enter, when it is a write of its own after a gap.
    pub(crate) after_gap: Option<Vec<u8>>,
}

/// Plans a prompt: one line without control characters.
pub(crate) fn plan_prompt(
    text: &str,
    enter: Option<Vec<u8>>,
    reader: Reader,
    bracketed: bool,
) -> Plan {
    if reader == Reader::Program && bracketed {
        Plan {
            first: input::paste_bytes(text, true),
            after_gap: enter,
        }
    } else {
        let mut first = text.as_bytes().to_vec();
        first.extend(enter.unwrap_or_default());
        Plan {
            first,
            after_gap: None,
        }
    }
}

/// Plans a paste, which is always bracketed.
pub(crate) fn plan_paste(text: &str, enter: Option<Vec<u8>>, reader: Reader) -> Plan {
    let mut first = input::paste_bytes(text, true);
    match reader {
        Reader::Shell => {
            first.extend(enter.unwrap_or_default());
            Plan {
                first,
                after_gap: None,
            }
        }
        Reader::Program => Plan {
            first,
            after_gap: enter,
        },
    }
}

/// An Enter whose time has not come, and the keys that wait behind it.
#[derive(Debug)]
pub(crate) struct Gap {
    enter: Vec<u8>,
    keys: Vec<u8>,
    written: Instant,
    accepted: Option<Instant>,
}

impl Gap {
    pub(crate) fn new(enter: Vec<u8>, written: Instant) -> Self {
        Self {
            enter,
            keys: Vec::new(),
            written,
            accepted: None,
        }
    }

    /// Holds back keys of the user. False when there is no room for them.
    pub(crate) fn hold(&mut self, keys: &[u8]) -> bool {
        let fits = self.keys.len().saturating_add(keys.len()) <= KEYS_MAX;
        if fits {
            self.keys.extend_from_slice(keys);
        }
        fits
    }

    /// Whether Enter is due. `pending`: bytes of the text that the PTY has not accepted;
    /// `silent`: time since the program wrote last.
    pub(crate) fn is_over(&mut self, now: Instant, pending: usize, silent: Duration) -> bool {
        if pending == 0 && self.accepted.is_none() {
            self.accepted = Some(now);
        }
        let rested = self
            .accepted
            .is_some_and(|accepted| now.saturating_duration_since(accepted) >= GAP_MIN);
        (rested && silent >= SILENCE) || now.saturating_duration_since(self.written) >= GAP_MAX
    }

    /// How long to wait before asking again.
    pub(crate) fn look_again(&self) -> Duration {
        LOOK_AGAIN
    }

    /// Enter, and the keys that follow it.
    pub(crate) fn into_parts(self) -> (Vec<u8>, Vec<u8>) {
        (self.enter, self.keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSY: Duration = Duration::ZERO;
    const QUIET: Duration = Duration::from_secs(1);

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn enter() -> Option<Vec<u8>> {
        Some(b"\r".to_vec())
    }

    #[test]
    fn a_shell_gets_text_and_enter_at_once() {
        let plan = plan_prompt("make", enter(), Reader::Shell, true);
        assert_eq!(
            plan,
            Plan {
                first: b"make\r".to_vec(),
                after_gap: None
            }
        );
        let plan = plan_prompt("make", None, Reader::Shell, true);
        assert_eq!(
            plan,
            Plan {
                first: b"make".to_vec(),
                after_gap: None
            }
        );
    }

    #[test]
    fn a_program_that_reads_lines_gets_plain_text() {
        let plan = plan_prompt("y", enter(), Reader::Program, false);
        assert_eq!(
            plan,
            Plan {
                first: b"y\r".to_vec(),
                after_gap: None
            }
        );
    }

    #[test]
    fn a_program_with_bracketed_paste_gets_enter_apart() {
        let plan = plan_prompt("hi", enter(), Reader::Program, true);
        assert_eq!(plan.first, input::paste_bytes("hi", true));
        assert_eq!(plan.after_gap, enter());
    }

    #[test]
    fn a_paste_into_a_shell_needs_no_gap() {
        let plan = plan_paste("a\nb", enter(), Reader::Shell);
        assert!(plan.first.ends_with(b"\r"));
        assert_eq!(plan.after_gap, None);
        assert_eq!(
            plan_paste("a\nb", enter(), Reader::Program).after_gap,
            enter()
        );
    }

    #[test]
    fn enter_waits_for_acceptance_thirty_milliseconds_and_silence() {
        let start = Instant::now();
        let mut gap = Gap::new(b"\r".to_vec(), start);
        assert!(!gap.is_over(start + ms(40), 9, QUIET), "not accepted");
        assert!(!gap.is_over(start + ms(50), 0, QUIET), "accepted just now");
        assert!(!gap.is_over(start + ms(79), 0, QUIET));
        assert!(
            !gap.is_over(start + ms(80), 0, BUSY),
            "the program still writes"
        );
        assert!(gap.is_over(start + ms(80), 0, ms(20)));
    }

    #[test]
    fn enter_never_waits_longer_than_a_quarter_second() {
        let start = Instant::now();
        let mut gap = Gap::new(b"\r".to_vec(), start);
        assert!(!gap.is_over(start + ms(249), 9, BUSY));
        assert!(gap.is_over(start + ms(250), 9, BUSY));
    }

    #[test]
    fn keys_follow_enter_in_order_and_are_bounded() {
        let mut gap = Gap::new(b"\r".to_vec(), Instant::now());
        assert!(gap.hold(b"ab") && gap.hold(b"c"));
        assert!(!gap.hold(&vec![b'x'; KEYS_MAX]));
        assert_eq!(gap.into_parts(), (b"\r".to_vec(), b"abc".to_vec()));
    }
}
