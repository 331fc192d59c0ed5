//! The emulator as the threads of one terminal share it, and how its size changes.
//!
//! A new number of columns lays the whole history out anew, which takes half a second for a hundred
//! thousand rows. So who wants a size only leaves it here; the latest wins, and one thread, the parser
//! while it runs, brings the grid to it. Meanwhile the UI thread must not wait for the lock:
//! [`Grid::look`] and [`Grid::modes`] do not, and [`Grid::change`] leaves changes for afterwards.
//! [`Grid::lock`] waits, however long it takes.

use std::ops::DerefMut;
use std::panic::{AssertUnwindSafe, catch_unwind};

use alacritty_terminal::sync::FairMutex;
use parking_lot::Mutex;

use crate::{Emulator, GridSize, Modes, TerminalOptions};

/// Changes that wait for a reflow at most. A person makes a handful in that time.
const MAX_LATER: usize = 256;

type Change = Box<dyn FnOnce(&mut Emulator) + Send>;

/// Locks are taken in this order: the lease, the emulator, one of the others. A lease is held while
/// waiting for the emulator, but not for a reflow.
pub(crate) struct Grid {
    /// Fair, so that a view gets its turn while a program floods. Its lease is the right to lock it
    /// next.
    emulator: FairMutex<Emulator>,
    /// Set while the emulator is locked for a reflow. It is set under the lease, so that nobody who saw
    /// it unset under the lease waits for more than the piece being parsed.
    reflow: Mutex<Option<Reflow>>,
    sizes: Mutex<Sizes>,
}

struct Reflow {
    /// A reflow does not change them.
    modes: Modes,
    later: Vec<Change>,
}

struct Sizes {
    wanted: GridSize,
    /// What the grid has, or is being given.
    given: GridSize,
    /// Somebody will look at `wanted` again.
    served: bool,
}

impl Grid {
    /// The grid of a terminal whose parser thread is about to serve it.
    pub(crate) fn new(options: &TerminalOptions) -> Self {
        let size = options.size.clamped();
        Self {
            emulator: FairMutex::new(Emulator::new(options)),
            reflow: Mutex::new(None),
            sizes: Mutex::new(Sizes {
                wanted: size,
                given: size,
                served: true,
            }),
        }
    }

    /// Locks the emulator. Not for the UI thread: it waits for a reflow.
    pub(crate) fn lock(&self) -> impl DerefMut<Target = Emulator> + '_ {
        let lease = self.emulator.lease();
        if self.reflow.lock().is_some() {
            // Who does not wait for the reflow must get the lease.
            drop(lease);
        }
        self.emulator.lock_unfair()
    }

    /// Uses the emulator, unless it is being reflowed.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&mut Emulator) -> R) -> Option<R> {
        let lease = self.emulator.lease();
        if self.reflow.lock().is_some() {
            return None;
        }
        let mut emulator = self.emulator.lock_unfair();
        drop(lease);
        Some(look(&mut emulator))
    }

    /// Changes the emulator, after a reflow if there is one.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Emulator) + Send + 'static) {
        let lease = self.emulator.lease();
        if let Some(reflow) = self.reflow.lock().as_mut() {
            if reflow.later.len() < MAX_LATER {
                reflow.later.push(Box::new(change));
            }
            return;
        }
        let mut emulator = self.emulator.lock_unfair();
        drop(lease);
        change(&mut emulator);
    }

    /// The modes that shape input.
    pub(crate) fn modes(&self) -> Modes {
        let lease = self.emulator.lease();
        if let Some(reflow) = self.reflow.lock().as_ref() {
            return reflow.modes;
        }
        let emulator = self.emulator.lock_unfair();
        drop(lease);
        emulator.modes()
    }

    /// Leaves a size that is wanted from now on. False when nobody serves it: then the caller does, by
    /// [`Grid::serve`].
    pub(crate) fn want(&self, size: GridSize) -> bool {
        let mut sizes = self.sizes.lock();
        sizes.wanted = size.clamped();
        let served = sizes.served || sizes.wanted == sizes.given;
        sizes.served |= !served;
        served
    }

    /// The size wanted last.
    pub(crate) fn wanted(&self) -> GridSize {
        self.sizes.lock().wanted
    }

    /// True when the wanted size was not given to the grid yet.
    pub(crate) fn is_stale(&self) -> bool {
        let sizes = self.sizes.lock();
        sizes.wanted != sizes.given
    }

    /// Gives the grid the wanted size. `tell` tells the kernel, after the grid and before anything else
    /// can happen to it.
    pub(crate) fn apply(&self, options: &TerminalOptions, tell: impl FnOnce(GridSize)) {
        let size = {
            let mut sizes = self.sizes.lock();
            sizes.given = sizes.wanted;
            sizes.given
        };
        let lease = self.emulator.lease();
        let modes = self.emulator.lock_unfair().modes();
        *self.reflow.lock() = Some(Reflow {
            modes,
            later: Vec::new(),
        });
        drop(lease);
        let mut emulator = self.emulator.lock_unfair();
        guarded(&mut emulator, options, |emulator| emulator.resize(size));
        tell(size);
        while let Some(changes) = self.later() {
            for change in changes {
                guarded(&mut emulator, options, change);
            }
        }
    }

    /// Gives the grid the wanted size until it has it, and serves it no longer.
    pub(crate) fn serve(&self, options: &TerminalOptions, tell: impl Fn(GridSize)) {
        loop {
            {
                let mut sizes = self.sizes.lock();
                if sizes.wanted == sizes.given {
                    sizes.served = false;
                    return;
                }
            }
            self.apply(options, &tell);
        }
    }

    /// The changes that wait; none end the reflow.
    fn later(&self) -> Option<Vec<Change>> {
        let mut reflow = self.reflow.lock();
        match reflow.as_mut() {
            Some(waiting) if !waiting.later.is_empty() => Some(std::mem::take(&mut waiting.later)),
            _ => {
                *reflow = None;
                None
            }
        }
    }
}

/// Works on the emulator. A fault of it costs this pane's screen, not the pane: it goes on with an
/// empty one.
pub(crate) fn guarded(
    emulator: &mut Emulator,
    options: &TerminalOptions,
    work: impl FnOnce(&mut Emulator),
) {
    if catch_unwind(AssertUnwindSafe(|| work(emulator))).is_err() {
        tracing::error!("the emulator failed; its screen was reset");
        let mut options = options.clone();
        options.size = emulator.size();
        *emulator = Emulator::new(&options);
        emulator.advance(b"[This screen was reset: the program's output could not be shown.]\r\n");
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::{Frame, Scroll};

    fn full_of(lines: usize) -> (Grid, TerminalOptions) {
        let options = TerminalOptions {
            history_lines: lines,
            ..TerminalOptions::default()
        };
        let grid = Grid::new(&options);
        grid.lock()
            .advance("a line of text\r\n".repeat(lines).as_bytes());
        (grid, options)
    }

    #[test]
    fn the_latest_size_wins_and_is_applied_once() {
        let (grid, options) = full_of(100);
        for columns in [40, 50, 60] {
            assert!(grid.want(GridSize::new(columns, 10)));
        }
        assert_eq!(grid.wanted(), GridSize::new(60, 10));
        assert_eq!(grid.lock().size(), GridSize::default());
        let told = Mutex::new(Vec::new());
        grid.serve(&options, |size| told.lock().push(size));
        assert_eq!(*told.lock(), [GridSize::new(60, 10)]);
        assert_eq!(grid.lock().size(), GridSize::new(60, 10));
        assert!(!grid.is_stale());
    }

    #[test]
    fn a_size_nobody_serves_is_handed_to_the_caller() {
        let (grid, options) = full_of(1);
        grid.serve(&options, |_| {});
        // Nothing is to be done for the size it has.
        assert!(grid.want(GridSize::default()));
        assert!(!grid.want(GridSize::new(40, 10)));
        // Now that caller serves it.
        assert!(grid.want(GridSize::new(50, 10)));
        grid.serve(&options, |_| {});
        assert_eq!(grid.lock().size(), GridSize::new(50, 10));
    }

    #[test]
    fn nobody_who_must_not_wait_waits_for_a_reflow() {
        let (grid, options) = full_of(1000);
        grid.lock().advance(b"\x1b[?2004h");
        assert!(grid.want(GridSize::new(40, 10)));
        grid.serve(&options, |_| {
            // The emulator is locked by this very thread: whoever waited would wait for ever.
            assert!(grid.look(|emulator| emulator.revision()).is_none());
            assert!(grid.modes().bracketed_paste);
            grid.change(|emulator| emulator.scroll(Scroll::Delta(7)));
            assert!(grid.want(GridSize::new(30, 10)));
            assert_eq!(grid.wanted(), GridSize::new(30, 10));
        });
        let mut frame = Frame::default();
        grid.look(|emulator| emulator.frame(&mut frame)).unwrap();
        assert_eq!((frame.columns, frame.lines), (30, 10));
        assert!(frame.display_offset >= 7);
    }

    #[test]
    fn changes_that_wait_are_bounded() {
        let (grid, options) = full_of(1000);
        assert!(grid.want(GridSize::new(79, 24)));
        let once = std::sync::Once::new();
        grid.serve(&options, |_| {
            once.call_once(|| {
                for _ in 0..1000 {
                    grid.change(|emulator| emulator.scroll(Scroll::Delta(1)));
                }
            });
        });
        let mut frame = Frame::default();
        grid.look(|emulator| emulator.frame(&mut frame)).unwrap();
        assert_eq!(frame.display_offset, MAX_LATER);
    }

    #[test]
    fn a_view_goes_on_while_a_long_history_is_reflowed() {
        let (grid, options) = full_of(TerminalOptions::MAX_HISTORY_LINES);
        assert!(grid.want(GridSize::new(9, 24)));
        let worst = std::thread::scope(|scope| {
            let reflow = scope.spawn(|| grid.serve(&options, |_| {}));
            let mut worst = Duration::ZERO;
            let mut frame = Frame::default();
            while !reflow.is_finished() {
                let started = Instant::now();
                grid.look(|emulator| emulator.frame(&mut frame));
                grid.modes();
                worst = worst.max(started.elapsed());
                std::thread::yield_now();
            }
            worst
        });
        assert_eq!(grid.lock().size(), GridSize::new(9, 24));
        // Generous: the machine may be busy. That it never waits is proved above.
        assert!(worst < Duration::from_secs(5), "{worst:?}");
    }
}
