//! Output on its way from the reader thread to the parser thread: a bounded buffer.
//!
//! Reading and parsing each keep a core busy while a program floods, so each has its own thread. The
//! reader fills one buffer while the parser works on another; they change places when the parser is
//! done. A full buffer stops the reader, the kernel's buffer fills up, and the program waits in its
//! `write`: no output is lost and memory stays bounded.

use std::time::Instant;

use parking_lot::{Condvar, Mutex};

/// Bytes that may wait for the parser; twice as many are in memory while it works.
const CAPACITY: usize = 128 * 1024;

/// The buffer between the two threads of one terminal.
#[derive(Default)]
pub(crate) struct Intake {
    /// Held to copy a read or to swap buffers, never while reading or parsing.
    state: Mutex<State>,
    /// Something waits for the parser, or nothing more will come.
    filled: Condvar,
    /// There is room again, or the parser is gone.
    drained: Condvar,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// The parser was woken for something else than output.
    woken: bool,
    /// The reader has handed over everything.
    complete: bool,
    /// The parser takes nothing more.
    abandoned: bool,
}

/// What the parser is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Parse the bytes in its buffer.
    Parse,
    /// The deadline has passed.
    Deadline,
    /// Look at what [`Intake::wake`] was called for.
    Woken,
    /// All output was taken.
    End,
}

impl Intake {
    /// Hands bytes over, waiting for room. False when nobody will parse them.
    pub(crate) fn push(&self, bytes: &[u8]) -> bool {
        let mut state = self.state.lock();
        while state.bytes.len() >= CAPACITY && !state.abandoned {
            self.drained.wait(&mut state);
        }
        state.bytes.extend_from_slice(bytes);
        let abandoned = state.abandoned;
        drop(state);
        self.filled.notify_one();
        !abandoned
    }

    /// Nothing more will come.
    pub(crate) fn complete(&self) {
        self.state.lock().complete = true;
        self.filled.notify_one();
    }

    /// Lets [`Intake::take`] return soon, whether there is output or not.
    pub(crate) fn wake(&self) {
        self.state.lock().woken = true;
        self.filled.notify_one();
    }

    /// Lets a waiting reader go on; what it pushes is dropped with the buffer.
    pub(crate) fn abandon(&self) {
        self.state.lock().abandoned = true;
        self.drained.notify_one();
    }

    /// Waits for bytes and takes all of them in exchange for the parser's empty buffer.
    pub(crate) fn take(&self, buffer: &mut Vec<u8>, deadline: Option<Instant>) -> Next {
        buffer.clear();
        let mut state = self.state.lock();
        while state.bytes.is_empty() {
            if state.complete {
                return Next::End;
            }
            if std::mem::take(&mut state.woken) {
                return Next::Woken;
            }
            match deadline {
                None => self.filled.wait(&mut state),
                Some(at) if Instant::now() >= at => return Next::Deadline,
                Some(at) => {
                    self.filled.wait_until(&mut state, at);
                }
            }
        }
        std::mem::swap(&mut state.bytes, buffer);
        drop(state);
        self.drained.notify_one();
        Next::Parse
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn all_bytes_arrive_in_order_through_the_bound() {
        let intake = Arc::new(Intake::default());
        let sent: Vec<u8> = (0..3_000_000_u32).map(|n| n.to_le_bytes()[0] ^ 7).collect();
        let pushing = {
            let (intake, sent) = (Arc::clone(&intake), sent.clone());
            thread::spawn(move || {
                assert!(sent.chunks(4095).all(|chunk| intake.push(chunk)));
                intake.complete();
            })
        };
        let (mut buffer, mut received) = (Vec::new(), Vec::new());
        while intake.take(&mut buffer, None) == Next::Parse {
            assert!(buffer.len() < CAPACITY + 4095);
            received.extend_from_slice(&buffer);
        }
        pushing.join().unwrap();
        assert!(received == sent);
    }

    #[test]
    fn a_deadline_passes_only_while_nothing_waits() {
        let intake = Intake::default();
        let mut buffer = Vec::new();
        let soon = Some(Instant::now() + Duration::from_millis(5));
        assert_eq!(intake.take(&mut buffer, soon), Next::Deadline);
        assert!(intake.push(b"x"));
        assert_eq!(intake.take(&mut buffer, soon), Next::Parse);
        assert_eq!(buffer, b"x");
    }

    #[test]
    fn a_wake_is_not_lost_and_does_not_overtake_output() {
        let intake = Intake::default();
        let mut buffer = Vec::new();
        intake.wake();
        intake.wake();
        assert!(intake.push(b"x"));
        assert_eq!(intake.take(&mut buffer, None), Next::Parse);
        assert_eq!(intake.take(&mut buffer, None), Next::Woken);
        intake.complete();
        assert_eq!(intake.take(&mut buffer, None), Next::End);
    }

    #[test]
    fn what_was_pushed_before_the_end_is_taken_before_it() {
        let intake = Intake::default();
        intake.push(b"last words");
        intake.complete();
        let mut buffer = Vec::new();
        assert_eq!(intake.take(&mut buffer, None), Next::Parse);
        assert_eq!(buffer, b"last words");
        assert_eq!(intake.take(&mut buffer, None), Next::End);
    }

    #[test]
    fn a_reader_does_not_wait_for_a_parser_that_is_gone() {
        let intake = Arc::new(Intake::default());
        assert!(intake.push(&vec![0; CAPACITY]));
        let pushing = {
            let intake = Arc::clone(&intake);
            thread::spawn(move || intake.push(b"more"))
        };
        intake.abandon();
        assert!(!pushing.join().unwrap());
    }
}
