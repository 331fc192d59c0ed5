//! When output is worth a frame.
//!
//! Output is drawn at once, with one exception: nobody can follow a program that prints a screenful in
//! less time than a frame takes, and each frame takes time from the parser. So a flood is drawn thirty
//! times a second, less often where frames are dear (pixels drawn in software), and its last line a
//! thirtieth of a second after it came.

use std::time::{Duration, Instant};

/// Shortest time between two frames of a flood.
const INTERVAL: Duration = Duration::from_millis(33);
/// Longest time between two frames of a flood.
const LONGEST_INTERVAL: Duration = Duration::from_millis(400);
/// The interval is this many times as long as a frame takes.
const SHARE: u32 = 4;
/// More bytes than this in an interval are a flood. A full-screen program repaints a large screen with
/// less.
const FLOOD: usize = 64 * 1024;

/// The decision for one terminal.
#[derive(Debug, Default)]
pub(crate) struct Pacing {
    interval_ends: Option<Instant>,
    last_output: Option<Instant>,
    /// Bytes in this interval.
    bytes: usize,
    /// A frame is owed at the end of the interval.
    owed: bool,
}

impl Pacing {
    /// Takes note of parsed bytes; true when a frame is to be asked for now. `frame` is how long the
    /// last one took.
    pub(crate) fn output(&mut self, bytes: usize, frame: Duration, now: Instant) -> bool {
        if self.interval_ends.is_none_or(|end| end <= now) {
            let interval = frame.saturating_mul(SHARE);
            self.interval_ends = now.checked_add(interval.clamp(INTERVAL, LONGEST_INTERVAL));
            self.bytes = 0;
            self.owed = false;
        }
        self.last_output = Some(now);
        self.bytes = self.bytes.saturating_add(bytes);
        // The first output of an interval is drawn, however much it is.
        let first = self.bytes == bytes;
        self.owed |= !first && self.bytes > FLOOD;
        !self.owed
    }

    /// When a frame is to be asked for if no more output comes.
    pub(crate) fn due(&self) -> Option<Instant> {
        let quiet = self.last_output?.checked_add(INTERVAL)?;
        self.interval_ends
            .map(|end| end.min(quiet))
            .filter(|_| self.owed)
    }

    /// The frame that was due is being asked for.
    pub(crate) fn paid(&mut self) {
        self.owed = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: Duration = Duration::from_millis(2);

    #[test]
    fn ordinary_output_is_drawn_at_once() {
        let mut pacing = Pacing::default();
        let now = Instant::now();
        for after in 0..100 {
            assert!(pacing.output(FLOOD / 33, FAST, now + Duration::from_millis(after)));
            assert_eq!(pacing.due(), None);
        }
    }

    #[test]
    fn a_flood_is_drawn_thirty_times_a_second_and_to_its_end() {
        let mut pacing = Pacing::default();
        let start = Instant::now();
        let at = |tenths: u32| start + Duration::from_micros(100) * tenths;
        let frames = (0..10_000)
            .filter(|n| pacing.output(8 * 1024, FAST, at(*n)))
            .count();
        // Each interval begins with the output that is not yet a flood, which is one frame on a screen.
        assert_eq!(frames, 31 * 8);
        let due = pacing.due().expect("a frame is owed");
        assert!(due <= at(9_999) + INTERVAL, "{due:?}");
        pacing.paid();
        assert_eq!(pacing.due(), None);
        assert!(
            pacing.output(1, FAST, due + Duration::from_millis(1)),
            "a key's echo"
        );
    }

    #[test]
    fn dear_frames_of_a_flood_are_fewer_but_never_stop() {
        for (frame, interval) in [(0, 33), (20, 80), (1_000, 400)] {
            let mut pacing = Pacing::default();
            let now = Instant::now();
            let frame = Duration::from_millis(frame);
            assert!(pacing.output(FLOOD, frame, now));
            let drawn = (1..)
                .find(|after| pacing.output(FLOOD, frame, now + Duration::from_millis(*after)));
            assert_eq!(drawn, Some(interval));
        }
    }

    #[test]
    fn the_end_of_a_flood_is_not_kept_waiting() {
        let mut pacing = Pacing::default();
        let now = Instant::now();
        let dear = Duration::from_secs(1);
        assert!(pacing.output(FLOOD, dear, now));
        assert!(!pacing.output(FLOOD, dear, now));
        assert_eq!(pacing.due(), Some(now + INTERVAL));
    }
}
