//! The way of bytes to a program: a bounded queue and the thread that empties it.
//!
//! A program that does not read blocks nobody. Small writes (keys, prompts, replies) are refused
//! when 1 MiB of them waits; a large one (a paste) waits in a queue of its own size, is written as
//! fast as the program reads, and can be watched and cancelled. All are written in the order in
//! which they were queued.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::WriteError;
use crate::input::PASTE_END;

/// Bytes of small writes that may wait.
const MAX_WAITING: usize = 1024 * 1024;
/// Bytes of large writes that may wait.
const MAX_WAITING_BULK: usize = 64 * 1024 * 1024;
/// Bytes given to the kernel at once.
const PIECE: usize = 64 * 1024;

/// The queue; shared by everybody who writes and the writer thread.
pub(crate) struct WriteQueue {
    /// Held for a push or a pop only.
    state: Mutex<State>,
    /// Wakes the writer thread.
    waker: UnixStream,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    waiting: usize,
    waiting_bulk: usize,
    closed: bool,
}

struct Job {
    bytes: Vec<u8>,
    written: usize,
    bulk: Option<Arc<Bulk>>,
}

#[derive(Debug, Default)]
struct Bulk {
    written: AtomicUsize,
    total: usize,
    cancelled: AtomicBool,
    finished: AtomicBool,
}

/// A large write under way. Dropping it lets the write go on.
#[derive(Clone, Debug)]
pub struct BulkWrite {
    bulk: Arc<Bulk>,
    queue: std::sync::Weak<WriteQueue>,
}

impl std::fmt::Debug for WriteQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriteQueue").finish_non_exhaustive()
    }
}

impl BulkWrite {
    /// Bytes the program's side has accepted, and bytes in all.
    pub fn progress(&self) -> (usize, usize) {
        (self.bulk.written.load(Ordering::Relaxed), self.bulk.total)
    }

    /// Stops. The end of a bracketed paste is still written, so that the program does not take
    /// everything typed later for pasted text.
    pub fn cancel(&self) {
        self.bulk.cancelled.store(true, Ordering::Release);
        if let Some(queue) = self.queue.upgrade() {
            queue.wake();
        }
    }

    /// True when everything was written, the write was cancelled, or the process ended.
    pub fn is_finished(&self) -> bool {
        self.bulk.finished.load(Ordering::Acquire)
    }
}

impl WriteQueue {
    /// An empty queue and the end of its waker that the writer thread needs.
    pub(crate) fn new() -> io::Result<(Arc<Self>, UnixStream)> {
        let (waker, woken) = UnixStream::pair()?;
        waker.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        Ok((
            Arc::new(Self {
                state: Mutex::default(),
                waker,
            }),
            woken,
        ))
    }

    pub(crate) fn push(&self, bytes: Vec<u8>) -> Result<(), WriteError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let mut state = self.state.lock();
        if state.closed {
            return Err(WriteError::Closed);
        }
        let waiting = state.waiting.saturating_add(bytes.len());
        if waiting > MAX_WAITING {
            return Err(WriteError::Full);
        }
        state.waiting = waiting;
        state.jobs.push_back(Job {
            bytes,
            written: 0,
            bulk: None,
        });
        drop(state);
        self.wake();
        Ok(())
    }

    pub(crate) fn push_bulk(self: &Arc<Self>, bytes: Vec<u8>) -> Result<BulkWrite, WriteError> {
        let bulk = Arc::new(Bulk {
            total: bytes.len(),
            ..Bulk::default()
        });
        let mut state = self.state.lock();
        if state.closed {
            return Err(WriteError::Closed);
        }
        let waiting = state.waiting_bulk.saturating_add(bytes.len());
        if waiting > MAX_WAITING_BULK {
            return Err(WriteError::Full);
        }
        state.waiting_bulk = waiting;
        state.jobs.push_back(Job {
            bytes,
            written: 0,
            bulk: Some(Arc::clone(&bulk)),
        });
        drop(state);
        self.wake();
        Ok(BulkWrite {
            bulk,
            queue: Arc::downgrade(self),
        })
    }

    /// Bytes queued and not accepted by the kernel yet.
    pub(crate) fn pending(&self) -> usize {
        let state = self.state.lock();
        state.waiting.saturating_add(state.waiting_bulk)
    }

    /// Refuses further writes, drops what waits and ends the writer thread.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.waiting = 0;
        state.waiting_bulk = 0;
        for job in state.jobs.drain(..) {
            job.finish();
        }
        drop(state);
        self.wake();
    }

    fn wake(&self) {
        if let Err(error) = (&self.waker).write_all(&[0]) {
            match error.kind() {
                // A full socket has woken the thread already, and a thread that is gone needs no waking.
                io::ErrorKind::WouldBlock | io::ErrorKind::BrokenPipe => {}
                _ => tracing::warn!(%error, "the writer of a pane could not be woken"),
            }
        }
    }

    /// The next job when one is wanted, unless the queue was closed.
    fn next(&self, wanted: bool) -> Result<Option<Job>, WriteError> {
        let mut state = self.state.lock();
        match state.closed {
            true => Err(WriteError::Closed),
            false if wanted => Ok(state.jobs.pop_front()),
            false => Ok(None),
        }
    }

    fn settle(&self, job: &Job, bytes: usize) {
        let mut state = self.state.lock();
        let waiting = match &job.bulk {
            Some(_) => &mut state.waiting_bulk,
            None => &mut state.waiting,
        };
        *waiting = waiting.saturating_sub(bytes);
    }
}

impl Job {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.written..).unwrap_or_default()
    }

    /// Counts bytes as written; says how many.
    fn advance(&mut self, bytes: usize) -> usize {
        self.written = self.written.saturating_add(bytes);
        if let Some(bulk) = &self.bulk {
            bulk.written.store(self.written, Ordering::Relaxed);
        }
        bytes
    }

    /// Skips what a cancelled write has left; says how many bytes.
    fn skip_cancelled(&mut self) -> usize {
        let cancelled = self
            .bulk
            .as_ref()
            .is_some_and(|b| b.cancelled.load(Ordering::Acquire));
        if !cancelled {
            return 0;
        }
        // A bracket that was not begun needs no end.
        let kept = if self.written > 0 && self.bytes.ends_with(PASTE_END) {
            PASTE_END.len()
        } else {
            0
        };
        let skipped = self.rest().len().saturating_sub(kept);
        self.advance(skipped)
    }

    fn finish(&self) {
        if let Some(bulk) = &self.bulk {
            bulk.finished.store(true, Ordering::Release);
        }
    }
}

/// Body of the writer thread; returns when the queue is closed or the terminal is gone.
pub(crate) fn run(queue: &WriteQueue, mut woken: UnixStream, master: &OwnedFd) {
    let mut current: Option<Job> = None;
    loop {
        match queue.next(current.is_none()) {
            Ok(None) => {}
            Ok(next) => current = next,
            Err(_) => {
                if let Some(job) = current {
                    job.finish();
                }
                return;
            }
        }
        let blocked = match current.as_mut() {
            None => true,
            Some(job) => {
                let skipped = job.skip_cancelled();
                queue.settle(job, skipped);
                let piece = job.rest().get(..PIECE).unwrap_or(job.rest());
                match rustix::io::write(master, piece) {
                    _ if piece.is_empty() => false,
                    Ok(bytes) => {
                        let bytes = job.advance(bytes);
                        queue.settle(job, bytes);
                        false
                    }
                    Err(Errno::AGAIN) => true,
                    Err(Errno::INTR) => false,
                    Err(_) => {
                        job.finish();
                        return queue.close();
                    }
                }
            }
        };
        if let Some(job) = current.take_if(|job| job.rest().is_empty()) {
            job.finish();
        } else if blocked {
            wait(&mut woken, current.is_some().then_some(master));
        }
    }
}

/// Waits for a wake, or until `master` takes bytes again.
fn wait(woken: &mut UnixStream, master: Option<&OwnedFd>) {
    let waker = woken.as_fd();
    let mut fds = vec![PollFd::from_borrowed_fd(waker, PollFlags::IN)];
    if let Some(master) = master {
        fds.push(PollFd::from_borrowed_fd(master.as_fd(), PollFlags::OUT));
    }
    if poll(&mut fds, None).is_err() {
        return;
    }
    drop(fds);
    // Only that it was woken matters, not how often; an empty socket ends the loop.
    let mut bin = [0; 64];
    while woken.read(&mut bin).is_ok_and(|bytes| bytes == bin.len()) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_paste_keeps_the_end_of_a_bracket_that_was_begun() {
        for (written, left) in [(0, 0), (1, PASTE_END.len()), (100, PASTE_END.len())] {
            let bulk = Bulk {
                cancelled: AtomicBool::new(true),
                ..Bulk::default()
            };
            let mut job = Job {
                bytes: crate::input::paste_bytes(&"z".repeat(1000), true),
                written,
                bulk: Some(Arc::new(bulk)),
            };
            job.skip_cancelled();
            assert_eq!(job.rest(), PASTE_END.get(..left).unwrap());
        }
    }
}
