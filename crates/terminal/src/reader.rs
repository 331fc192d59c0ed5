//! The reader thread: output of a program out of the kernel, as fast as the parser takes it.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::intake::Intake;

/// Bytes taken from the kernel before they are handed over. It gives 4 KiB at once.
const BUFFER: usize = 64 * 1024;
/// Output read after the end of the root process. What the kernel still holds is far less; more can
/// only come from a process that goes on writing.
const MAX_REMAINDER: usize = 1024 * 1024;

pub(crate) struct Reader {
    pub intake: Arc<Intake>,
    pub master: Arc<OwnedFd>,
    /// Readable when the root process has ended.
    pub ended: OwnedFd,
}

/// Why reading stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// Nothing more at present.
    Empty,
    /// The buffer is full.
    Full,
    /// No process has the terminal open any more, or nobody parses its output.
    HungUp,
}

impl Reader {
    /// Body of the thread; returns when the root process has ended and its output was handed over.
    pub(crate) fn run(self) {
        let mut buffer = vec![0; BUFFER];
        let mut hung_up = false;
        while !self.wait(hung_up) {
            if !hung_up {
                hung_up = self.read(&mut buffer).1 == Stop::HungUp;
            }
        }
        let mut remainder = 0;
        while !hung_up && remainder < MAX_REMAINDER {
            let (bytes, stop) = self.read(&mut buffer);
            remainder += bytes;
            hung_up = stop != Stop::Full;
        }
        self.intake.complete();
    }

    /// Waits for output; true when the root process has ended.
    fn wait(&self, hung_up: bool) -> bool {
        let mut fds = vec![PollFd::from_borrowed_fd(self.ended.as_fd(), PollFlags::IN)];
        if !hung_up {
            fds.push(PollFd::from_borrowed_fd(self.master.as_fd(), PollFlags::IN));
        }
        // An interrupted wait is repeated by the caller.
        poll(&mut fds, None).is_ok() && fds.first().is_some_and(|fd| !fd.revents().is_empty())
    }

    /// Reads what is there and hands it over; says how many bytes it was.
    fn read(&self, buffer: &mut [u8]) -> (usize, Stop) {
        let mut filled = 0;
        let stop = loop {
            let Some(free) = buffer.get_mut(filled..).filter(|free| !free.is_empty()) else {
                break Stop::Full;
            };
            match rustix::io::read(&*self.master, free) {
                Ok(0) => break Stop::HungUp,
                Ok(bytes) => filled += bytes,
                Err(Errno::AGAIN) => break Stop::Empty,
                Err(Errno::INTR) => {}
                Err(_) => break Stop::HungUp,
            }
        };
        let output = buffer.get(..filled).unwrap_or_default();
        if filled > 0 && !self.intake.push(output) {
            return (filled, Stop::HungUp);
        }
        (filled, stop)
    }
}
