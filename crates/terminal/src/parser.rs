//! The parser thread: output into the emulator, events out, and the end of it all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::grid::guarded;
use crate::intake::Next;
use crate::pacing::Pacing;
use crate::terminal::Shared;
use crate::{EmulatorEvent, TerminalEvent, exit_watch};

/// Bytes parsed between two looks at the clock, as long as they are parsed as fast as text is. A few
/// bytes can ask for much work (`CSI 65535 b` repeats a character so often), so slow pieces get smaller.
const PIECE: usize = 4 * 1024;
/// Pieces do not get smaller than this.
const MIN_PIECE: usize = 64;
/// The lock is given up after this time when more is to be parsed, so that a frame or a read never
/// waits longer.
const MAX_LOCKED: Duration = Duration::from_millis(2);
/// Shortest time between two sizes given to the grid. Of a storm of them, the last one in a frame counts.
const BETWEEN_SIZES: Duration = Duration::from_millis(16);

pub(crate) struct Parser {
    shared: Arc<Shared>,
    pacing: Pacing,
    piece: usize,
    /// When the grid got its last size.
    resized: Option<Instant>,
}

impl Drop for Parser {
    fn drop(&mut self) {
        self.shared.intake.abandon();
    }
}

impl Parser {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            pacing: Pacing::default(),
            piece: PIECE,
            resized: None,
        }
    }

    /// Body of the thread; returns when the root process has ended and its output was parsed.
    pub(crate) fn run(mut self) {
        let mut buffer = Vec::new();
        let mut held_until = None;
        loop {
            self.resize_if_due();
            let draw_at = held_until.or(self.pacing.due());
            let deadline = draw_at.into_iter().chain(self.resize_at()).min();
            match self.shared.intake.take(&mut buffer, deadline) {
                // Nobody will see what a terminal that is being closed still prints.
                Next::Parse if self.shared.is_killed() => {}
                Next::Parse => held_until = self.parse(&buffer),
                // The head of the loop does what is to be done.
                Next::Woken => {}
                Next::Deadline if draw_at.is_none_or(|at| at > Instant::now()) => {}
                Next::Deadline => {
                    if held_until.take().is_some() {
                        self.shared.grid.lock().end_sync();
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
        while !rest.is_empty() && !self.shared.is_killed() {
            self.resize_if_due();
            let before = rest.len();
            let mut emulator = self.shared.grid.lock();
            let locked = Instant::now();
            while !rest.is_empty() && locked.elapsed() < MAX_LOCKED {
                let (piece, later) = rest.split_at_checked(self.piece).unwrap_or((rest, &[]));
                let began = Instant::now();
                guarded(&mut emulator, &self.shared.options, |emulator| {
                    emulator.advance(piece);
                });
                self.piece = next_piece(self.piece, began.elapsed());
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

    /// When the grid is to get another size.
    fn resize_at(&self) -> Option<Instant> {
        if !self.shared.grid.is_stale() {
            return None;
        }
        let now = Instant::now();
        let at = self
            .resized
            .and_then(|last| last.checked_add(BETWEEN_SIZES));
        Some(at.map_or(now, |at| at.max(now)))
    }

    fn resize_if_due(&mut self) {
        if self.resize_at().is_some_and(|at| at <= Instant::now()) {
            self.shared.apply_size();
            self.resized = Some(Instant::now());
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
        let shared = &self.shared;
        let status = exit_watch::reap(shared.pid);
        shared.close();
        shared.grid.lock().end_sync();
        shared.serve_sizes();
        shared.request_redraw();
        shared.sink.event(TerminalEvent::Exited(status));
    }
}

/// The size of the next piece, after one took so long: such that it takes half of the time a lock may
/// be held, and no more than twice as large.
fn next_piece(piece: usize, took: Duration) -> usize {
    let wanted = MAX_LOCKED.as_micros() / 2;
    let took = took.as_micros().max(1);
    let scaled = u128::try_from(piece)
        .unwrap_or(u128::MAX)
        .saturating_mul(wanted)
        / took;
    let scaled = usize::try_from(scaled).unwrap_or(usize::MAX);
    scaled.min(piece.saturating_mul(2)).clamp(MIN_PIECE, PIECE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_pieces_get_smaller_and_fast_ones_larger_again() {
        let millis = Duration::from_millis;
        assert_eq!(next_piece(PIECE, millis(400)), MIN_PIECE);
        assert_eq!(next_piece(PIECE, millis(4)), PIECE / 4);
        assert_eq!(next_piece(PIECE / 4, Duration::from_micros(100)), PIECE / 2);
        assert_eq!(next_piece(PIECE, Duration::ZERO), PIECE);
        assert_eq!(next_piece(MIN_PIECE, Duration::MAX), MIN_PIECE);
    }
}
