//! Input on its way to a remote terminal: a bounded queue that never blocks who writes.
//!
//! Small writes (keys, replies) are refused when [`limits::INPUT_WAITING`] bytes wait; a large one (a
//! paste) has room of its own, and can be watched and cancelled. All go out in the order in which
//! they came. What waits when a connection is lost is dropped: it was meant for the program that ran
//! then.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::limits;

/// Bytes handed to the connection at once.
const PIECE: usize = 32 * 1024;
/// The end of a bracketed paste, which is sent even when the paste is cancelled, so that the program
/// does not take everything typed later for pasted text.
const PASTE_END: &[u8] = b"\x1b[201~";

/// Why input was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Too much waits already.
    #[error("the host does not read its input; what was typed is still waiting")]
    Full,
    /// The session is not ready (`ssh_not_ready`).
    #[error("the session is not ready ({stage}): {reason}")]
    NotReady {
        /// Name of the stage.
        stage: &'static str,
        /// Why bytes cannot pass.
        reason: String,
    },
}

/// The queue.
#[derive(Default)]
pub(crate) struct InputQueue {
    /// Held for a push or a pop only.
    state: Mutex<State>,
    /// Wakes the SSH thread.
    pushed: Notify,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    waiting: usize,
    waiting_bulk: usize,
    open: bool,
}

struct Job {
    bytes: Bytes,
    bulk: Option<Arc<Bulk>>,
}

#[derive(Debug, Default)]
struct Bulk {
    sent: AtomicUsize,
    total: usize,
    cancelled: AtomicBool,
    finished: AtomicBool,
}

/// A large write under way. Dropping it lets the write go on.
#[derive(Clone, Debug)]
pub struct BulkInput(Arc<Bulk>);

impl BulkInput {
    /// Bytes on their way to the host, and bytes in all.
    pub fn progress(&self) -> (usize, usize) {
        (self.0.sent.load(Ordering::Relaxed), self.0.total)
    }

    /// Drops what was not sent yet, except for the end of a bracketed paste.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
    }

    /// Everything was sent, the write was cancelled, or the connection was lost.
    pub fn is_finished(&self) -> bool {
        self.0.finished.load(Ordering::Acquire)
    }
}

impl InputQueue {
    pub(crate) fn push(&self, bytes: Vec<u8>) -> Result<(), InputError> {
        let mut state = self.open_state()?;
        let waiting = state.waiting.saturating_add(bytes.len());
        if waiting > limits::INPUT_WAITING {
            return Err(InputError::Full);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        state.waiting = waiting;
        state.jobs.push_back(Job {
            bytes: bytes.into(),
            bulk: None,
        });
        drop(state);
        self.pushed.notify_one();
        Ok(())
    }

    pub(crate) fn push_bulk(&self, bytes: Vec<u8>) -> Result<BulkInput, InputError> {
        let bulk = Arc::new(Bulk {
            total: bytes.len(),
            ..Bulk::default()
        });
        let mut state = self.open_state()?;
        let waiting = state.waiting_bulk.saturating_add(bytes.len());
        if waiting > limits::INPUT_BULK {
            return Err(InputError::Full);
        }
        state.waiting_bulk = waiting;
        state.jobs.push_back(Job {
            bytes: bytes.into(),
            bulk: Some(Arc::clone(&bulk)),
        });
        drop(state);
        self.pushed.notify_one();
        Ok(BulkInput(bulk))
    }

    fn open_state(&self) -> Result<parking_lot::MutexGuard<'_, State>, InputError> {
        let state = self.state.lock();
        match state.open {
            true => Ok(state),
            false => Err(InputError::NotReady {
                stage: "",
                reason: String::new(),
            }),
        }
    }

    /// Opens or closes the queue; closing drops what waits.
    pub(crate) fn set_open(&self, open: bool) {
        let mut state = self.state.lock();
        state.open = open;
        if !open {
            let dropped = std::mem::take(&mut *state);
            drop(state);
            for bulk in dropped.jobs.into_iter().filter_map(|job| job.bulk) {
                bulk.finished.store(true, Ordering::Release);
            }
        }
    }

    pub(crate) fn waiting(&self) -> usize {
        let state = self.state.lock();
        state.waiting + state.waiting_bulk
    }

    /// The next bytes to send.
    pub(crate) async fn next(&self) -> Bytes {
        loop {
            let pushed = self.pushed.notified();
            if let Some(bytes) = self.pop() {
                return bytes;
            }
            pushed.await;
        }
    }

    fn pop(&self) -> Option<Bytes> {
        let mut state = self.state.lock();
        loop {
            let job = state.jobs.front_mut()?;
            if let Some(bulk) = &job.bulk
                && bulk.cancelled.load(Ordering::Acquire)
            {
                let dropped = job.bytes.len();
                let end = job
                    .bytes
                    .ends_with(PASTE_END)
                    .then(|| Bytes::from_static(PASTE_END));
                bulk.finished.store(true, Ordering::Release);
                state.jobs.pop_front();
                state.waiting_bulk = state.waiting_bulk.saturating_sub(dropped);
                match end {
                    Some(end) => return Some(end),
                    None => continue,
                }
            }
            let piece = job.bytes.split_to(job.bytes.len().min(PIECE));
            let done = job.bytes.is_empty();
            let bulk = job.bulk.clone();
            if done {
                state.jobs.pop_front();
            }
            match bulk {
                Some(bulk) => {
                    state.waiting_bulk = state.waiting_bulk.saturating_sub(piece.len());
                    bulk.sent.fetch_add(piece.len(), Ordering::Relaxed);
                    bulk.finished.store(done, Ordering::Release);
                }
                None => state.waiting = state.waiting.saturating_sub(piece.len()),
            }
            return Some(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn order_limits_and_cancelling() {
        let queue = InputQueue::default();
        assert!(matches!(
            queue.push(b"x".to_vec()),
            Err(InputError::NotReady { .. })
        ));
        queue.set_open(true);
        queue.push(b"a".to_vec()).unwrap();
        let mut paste = vec![b'p'; 3 * PIECE];
        paste.extend(PASTE_END);
        let bulk = queue.push_bulk(paste.clone()).unwrap();
        queue.push(b"b".to_vec()).unwrap();
        assert_eq!(
            queue.push(vec![0; limits::INPUT_WAITING]),
            Err(InputError::Full)
        );
        assert_eq!(queue.waiting(), paste.len() + 2);
        assert_eq!(queue.next().await, "a");
        assert_eq!(queue.next().await.len(), PIECE);
        assert_eq!(bulk.progress(), (PIECE, paste.len()));
        bulk.cancel();
        assert_eq!(queue.next().await, PASTE_END);
        assert!(bulk.is_finished());
        assert_eq!(queue.next().await, "b");
        assert_eq!(queue.waiting(), 0);
        let late = queue.push_bulk(vec![0; 10]).unwrap();
        queue.set_open(false);
        assert!(late.is_finished() && queue.waiting() == 0);
    }
}
