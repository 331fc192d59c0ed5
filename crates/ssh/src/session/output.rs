//! Output of a remote terminal on its way to the thread that reads it: a bounded queue between the
//! SSH thread, which waits without blocking, and a reader that blocks.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};
use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use crate::limits;

/// The queue; clones are the same one.
#[derive(Clone)]
pub(crate) struct Output(Arc<Inner>);

struct Inner {
    /// Held for a push, a copy or a look.
    state: Mutex<State>,
    /// Wakes the reader.
    filled: Condvar,
    /// Wakes the SSH thread.
    taken: Notify,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<Bytes>,
    waiting: usize,
    ended: bool,
    reader_gone: bool,
}

/// What a read came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOutcome {
    /// So many bytes, at least one.
    Bytes(usize),
    /// Nothing came in time.
    TimedOut,
    /// The session has ended and everything was read.
    End,
}

/// Reads the output of a session; the only one of it.
pub struct OutputReader(Output);

impl Output {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner {
            state: Mutex::default(),
            filled: Condvar::new(),
            taken: Notify::new(),
        }))
    }

    pub(crate) fn reader(&self) -> OutputReader {
        OutputReader(self.clone())
    }

    /// Queues output, after waiting for room.
    pub(crate) async fn push(&self, bytes: Bytes) {
        if bytes.is_empty() {
            return;
        }
        loop {
            let taken = self.0.taken.notified();
            {
                let mut state = self.0.state.lock();
                if state.reader_gone {
                    return;
                }
                if state.waiting < limits::OUTPUT_WAITING {
                    state.waiting += bytes.len();
                    state.pieces.push_back(bytes);
                    self.0.filled.notify_one();
                    return;
                }
            }
            taken.await;
        }
    }

    /// Queues a few bytes of our own whatever waits.
    pub(crate) fn announce(&self, text: String) {
        let mut state = self.0.state.lock();
        state.waiting += text.len();
        state.pieces.push_back(Bytes::from(text));
        self.0.filled.notify_one();
    }

    /// Nothing follows.
    pub(crate) fn end(&self) {
        self.0.state.lock().ended = true;
        self.0.filled.notify_all();
    }
}

impl OutputReader {
    /// Waits for output and copies as much of it as fits; forever when `timeout` is `None`.
    pub fn read_timeout(&mut self, buffer: &mut [u8], timeout: Option<Duration>) -> ReadOutcome {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let inner = &self.0.0;
        let mut state = inner.state.lock();
        while state.pieces.is_empty() {
            if state.ended {
                return ReadOutcome::End;
            }
            match deadline {
                None => inner.filled.wait(&mut state),
                Some(deadline) => {
                    let timed_out = inner.filled.wait_until(&mut state, deadline).timed_out();
                    if timed_out && state.pieces.is_empty() && !state.ended {
                        return ReadOutcome::TimedOut;
                    }
                }
            }
        }
        let mut filled = 0;
        while let Some(piece) = state.pieces.front_mut() {
            let room = buffer.get_mut(filled..).unwrap_or_default();
            let count = piece.len().min(room.len());
            if let (Some(to), Some(from)) = (room.get_mut(..count), piece.get(..count)) {
                to.copy_from_slice(from);
            }
            piece.advance(count);
            filled += count;
            if piece.is_empty() {
                state.pieces.pop_front();
            } else {
                break;
            }
        }
        state.waiting = state.waiting.saturating_sub(filled);
        drop(state);
        inner.taken.notify_one();
        ReadOutcome::Bytes(filled)
    }
}

impl Read for OutputReader {
    /// Blocks until there is output; 0 at the end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        match self.read_timeout(buffer, None) {
            ReadOutcome::Bytes(count) => Ok(count),
            ReadOutcome::TimedOut | ReadOutcome::End => Ok(0),
        }
    }
}

impl Drop for OutputReader {
    fn drop(&mut self) {
        let mut state = self.0.0.state.lock();
        // Nobody will read it, and nobody shall wait for that.
        state.reader_gone = true;
        state.pieces.clear();
        state.waiting = 0;
        drop(state);
        self.0.0.taken.notify_one();
    }
}

impl std::fmt::Debug for OutputReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputReader").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_is_bounded_and_in_order() {
        let output = Output::new();
        let mut reader = output.reader();
        let mut buffer = [0; 8];
        assert_eq!(
            reader.read_timeout(&mut buffer, Some(Duration::ZERO)),
            ReadOutcome::TimedOut
        );
        output.push(Bytes::from_static(b"hello ")).await;
        output.push(Bytes::from_static(b"world")).await;
        assert_eq!(
            reader.read_timeout(&mut buffer, None),
            ReadOutcome::Bytes(8)
        );
        assert_eq!(&buffer, b"hello wo");
        assert_eq!(reader.read(&mut buffer).unwrap(), 3);
        output
            .push(Bytes::from(vec![0; limits::OUTPUT_WAITING]))
            .await;
        let full = tokio::time::timeout(
            Duration::from_millis(20),
            output.push(Bytes::from_static(b"x")),
        );
        assert!(full.await.is_err());
        let pushing = tokio::spawn({
            let output = output.clone();
            async move { output.push(Bytes::from_static(b"y")).await }
        });
        tokio::task::yield_now().await;
        let mut large = vec![1; limits::OUTPUT_WAITING];
        assert_eq!(reader.read(&mut large).unwrap(), limits::OUTPUT_WAITING);
        pushing.await.unwrap();
        output.end();
        assert_eq!(reader.read(&mut buffer).unwrap(), 1);
        assert_eq!(reader.read(&mut buffer).unwrap(), 0);
    }

    #[tokio::test]
    async fn a_reader_that_is_gone_holds_nobody_up() {
        let output = Output::new();
        drop(output.reader());
        output
            .push(Bytes::from(vec![0; limits::OUTPUT_WAITING]))
            .await;
        output
            .push(Bytes::from(vec![0; limits::OUTPUT_WAITING]))
            .await;
    }
}
