//! The parser thread: output into the emulator, events out, and the end of it all.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::intake::{Intake, Next};
use crate::pacing::Pacing;
use crate::terminal::Shared;
use crate::{Emulator, EmulatorEvent, TerminalEvent, exit_watch};

/// Bytes parsed between two looks at the clock.
const PIECE: usize = 4 * 1024;
/// The lock is given up after this time when more is to be parsed, so that a frame or a read never
/// waits longer.
const MAX_LOCKED: Duration = Duration::from_millis(2);

pub(crate) struct Parser {
    pub shared: Arc<Shared>,
    pub intake: Arc<Intake>,
    pub pacing: Pacing,
}

impl Drop for Parser {
    fn drop(&mut self) {
        self.intake.abandon();
    }
}

impl Parser {
    /// Body of the thread; returns when the root process has ended and its output was parsed.
    pub(crate) fn run(mut self) {
        let mut buffer = Vec::new();
        let mut held_until = None;
        loop {
            let deadline = held_until.or(self.pacing.due());
            match self.intake.take(&mut buffer, deadline) {
                Next::Parse => held_until = self.parse(&buffer),
                Next::Deadline => {
                    if held_until.take().is_some() {
                        self.shared.emulator.lock().end_sync();
                    }
                    self.pacing.paid();
                    self.shared.request_redraw();
                }
                Next::End => return self.finish(),
            }
        }
    }

    /// Says when a synchronized update that holds frames back ends by itself.
    fn parse(&mut self, bytes: &[u8]) -> Option<Instant> {
        self.shared.note_output();
        let mut held_until = None;
        let mut rest = bytes;
        while !rest.is_empty() {
            let before = rest.len();
            let mut emulator = self.shared.emulator.lock();
            let locked = Instant::now();
            while !rest.is_empty() && locked.elapsed() < MAX_LOCKED {
                let (piece, later) = rest.split_at_checked(PIECE).unwrap_or((rest, &[]));
                advance(&mut emulator, piece, &self.shared);
                rest = later;
            }
            let events = emulator.take_events();
            held_until = emulator.sync_deadline();
            drop(emulator);
            for event in events {
                self.dispatch(event);
            }
            let parsed = before.saturating_sub(rest.len());
            let frame = self.shared.frame_time();
            if held_until.is_none() && self.pacing.output(parsed, frame, Instant::now()) {
                self.shared.request_redraw();
            }
        }
        held_until
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
        let shared = &self.shared;
        let status = exit_watch::reap(shared.pid);
        shared.close();
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
