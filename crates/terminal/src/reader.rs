//! The reader thread: output of a program into the emulator, events out, and the end of it all.

use std::os::fd::{AsFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::terminal::Shared;
use crate::{Emulator, EmulatorEvent, TerminalEvent, exit_watch};

/// Bytes taken from the kernel before they are parsed.
const BUFFER: usize = 128 * 1024;
/// Bytes parsed between two looks at the clock.
const PIECE: usize = 4 * 1024;
/// The lock is given up after this time when more is to be parsed, so that a frame or a read never
/// waits longer.
const MAX_LOCKED: Duration = Duration::from_millis(2);
/// Output read after the end of the root process. What the kernel still holds is far less; more can
/// only come from a process that goes on writing.
const MAX_REMAINDER: usize = 1024 * 1024;

pub(crate) struct Reader {
    pub shared: Arc<Shared>,
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
    /// No process has the terminal open any more.
    HungUp,
}

impl Reader {
    /// Body of the thread; returns when the root process has ended.
    pub(crate) fn run(self) {
        let mut buffer = vec![0; BUFFER];
        let mut hung_up = false;
        while !self.wait(hung_up) {
            if !hung_up {
                hung_up = self.read_and_parse(&mut buffer).1 == Stop::HungUp;
            }
        }
        let mut remainder = 0;
        while !hung_up && remainder < MAX_REMAINDER {
            let (bytes, stop) = self.read_and_parse(&mut buffer);
            remainder += bytes;
            hung_up = stop != Stop::Full;
        }
        self.finish();
    }

    /// Waits for output or the end of a synchronized update; true when the root process has ended.
    fn wait(&self, hung_up: bool) -> bool {
        let deadline = self.shared.emulator.lock().sync_deadline();
        let mut fds = vec![PollFd::from_borrowed_fd(self.ended.as_fd(), PollFlags::IN)];
        if !hung_up {
            fds.push(PollFd::from_borrowed_fd(self.master.as_fd(), PollFlags::IN));
        }
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let polled = poll(&mut fds, timeout.as_ref());
        let ended = fds.first().is_some_and(|fd| !fd.revents().is_empty());
        if polled == Ok(0) && deadline.is_some() {
            self.shared.emulator.lock().end_sync();
            self.shared.request_redraw();
        }
        ended
    }

    /// Reads what is there and parses it; says how many bytes it was.
    fn read_and_parse(&self, buffer: &mut [u8]) -> (usize, Stop) {
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
        if filled > 0 {
            self.parse(buffer.get(..filled).unwrap_or_default());
        }
        (filled, stop)
    }

    fn parse(&self, bytes: &[u8]) {
        self.shared.note_output();
        let mut rest = bytes;
        while !rest.is_empty() {
            let mut emulator = self.shared.emulator.lock();
            let locked = Instant::now();
            while !rest.is_empty() && locked.elapsed() < MAX_LOCKED {
                let (piece, later) = rest.split_at_checked(PIECE).unwrap_or((rest, &[]));
                advance(&mut emulator, piece, &self.shared);
                rest = later;
            }
            let events = emulator.take_events();
            let held = emulator.sync_deadline().is_some();
            drop(emulator);
            for event in events {
                self.dispatch(event);
            }
            if !held {
                self.shared.request_redraw();
            }
        }
    }

    fn dispatch(&self, event: EmulatorEvent) {
        let event = match event {
            EmulatorEvent::Reply(reply) => {
                // A program that asks and does not read loses the answers, not the pane.
                if let Err(error) = self.shared.queue.push(reply.into_bytes()) {
                    tracing::debug!(%error, "a reply was dropped");
                }
                return;
            }
            EmulatorEvent::Mark(mark) => TerminalEvent::Mark(mark),
            EmulatorEvent::Directory(path) => TerminalEvent::Directory(path),
            EmulatorEvent::Title(title) => TerminalEvent::Title(title),
            EmulatorEvent::Bell => TerminalEvent::Bell,
            EmulatorEvent::Clipboard(text) => TerminalEvent::Clipboard(text),
        };
        self.shared.sink.event(event);
    }

    fn finish(self) {
        let Self {
            shared,
            master,
            ended,
        } = self;
        let status = exit_watch::reap(shared.pid);
        shared.close();
        drop((master, ended));
        shared.emulator.lock().end_sync();
        shared.request_redraw();
        shared.sink.event(TerminalEvent::Exited(status));
    }
}

/// Parses a piece. A fault of the emulator costs this pane's screen, not the pane: it goes on with
/// an empty one.
fn advance(emulator: &mut Emulator, bytes: &[u8], shared: &Shared) {
    if catch_unwind(AssertUnwindSafe(|| emulator.advance(bytes))).is_err() {
        tracing::error!("the emulator failed on the output of a program; its screen was reset");
        let size = emulator.size();
        *emulator = Emulator::new(&shared.options);
        emulator.resize(size);
        emulator.advance(b"[This screen was reset: the program's output could not be shown.]\r\n");
    }
}
