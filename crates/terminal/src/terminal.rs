//! A running terminal: process, threads, emulator.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::process::Pid;
use rustix::termios::tcgetpgrp;
use thiserror::Error;

use crate::grid::Grid;
use crate::intake::Intake;
use crate::links::LinkId;
use crate::parser::Parser;
use crate::pty::{self, Pty};
use crate::reader::Reader;
use crate::writer::{self, BulkWrite, WriteQueue};
use crate::{
    CellSide, Emulator, EventSink, Frame, GridSize, Modes, PtyCommand, ReadError, ReadRequest, Rgb,
    ScreenCells, Scroll, SelectionKind, TerminalOptions, TerminalRead, ViewPoint, exit_watch, kill,
};

/// Why a terminal could not be started.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The system gave no pseudo-terminal.
    #[error("no pseudo-terminal could be opened: {reason}. Close some panes and try again")]
    Pty {
        /// What the system said.
        reason: String,
    },
    /// The program could not be started.
    #[error("`{program}` could not be started: {reason}. Check the shell in the settings")]
    Program {
        /// The program.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// The start directory cannot be entered.
    #[error("the directory `{}` cannot be entered: {reason}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A thread could not be started.
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// Why bytes were not accepted.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum WriteError {
    /// The program does not read its input and the queue is full.
    #[error("the program in this pane does not read its input; try again later")]
    Full,
    /// The process ended.
    #[error("the process in this pane has ended")]
    Closed,
}

/// A running terminal. Clones are handles to the same one; when the last handle is dropped
/// everything in it is killed.
///
/// No method blocks on the program. Those that look at the grid wait for the parser thread to
/// finish the piece it is parsing, about two milliseconds at most.
///
/// A new size takes effect a little later, see [`Terminal::resize`]. While it lays a long history out
/// anew, only the methods that read wait for it and must not be called on the UI thread; a view goes on
/// with the frame it has, selects nothing, and scrolls when that is done.
#[derive(Clone)]
pub struct Terminal {
    handle: Arc<Handle>,
}

struct Handle {
    shared: Arc<Shared>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.kill();
    }
}

/// What the handles and the threads share.
pub(crate) struct Shared {
    pub(crate) grid: Grid,
    pub(crate) intake: Arc<Intake>,
    pub(crate) options: TerminalOptions,
    pub(crate) sink: Arc<dyn EventSink>,
    pub(crate) queue: Arc<WriteQueue>,
    pub(crate) pid: Pid,
    /// `None` after the end, so that the descriptor is closed.
    master: Mutex<Option<Arc<OwnedFd>>>,
    /// The end of the session is being begun, or was.
    ending: AtomicBool,
    /// The end of the session was begun.
    killed: AtomicBool,
    /// A redraw was asked for and no frame was taken since.
    redraw_pending: AtomicBool,
    started: Instant,
    /// Milliseconds from `started` to the last output.
    last_output: AtomicU64,
    /// Microseconds the view took for its last frame.
    frame_time: AtomicU64,
}

impl Shared {
    pub(crate) fn request_redraw(&self) {
        if !self.redraw_pending.swap(true, Ordering::AcqRel) {
            self.sink.redraw();
        }
    }

    pub(crate) fn note_output(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_output.store(now, Ordering::Relaxed);
    }

    pub(crate) fn frame_time(&self) -> Duration {
        Duration::from_micros(self.frame_time.load(Ordering::Relaxed))
    }

    /// Gives grid and kernel the wanted size in one step, and shows it.
    pub(crate) fn apply_size(&self) {
        self.grid
            .apply(&self.options, |size| self.tell_kernel(size));
        self.request_redraw();
    }

    /// Gives grid and kernel the wanted size; the next one that wants another does so itself.
    pub(crate) fn serve_sizes(&self) {
        self.grid
            .serve(&self.options, |size| self.tell_kernel(size));
    }

    fn tell_kernel(&self, size: GridSize) {
        let master = self.master.lock().clone();
        if let Some(master) = master
            && let Err(error) = pty::set_size(&master, size)
        {
            tracing::warn!(%error, "the kernel did not take the size of a pane");
        }
    }

    /// Lets go of the pseudo-terminal. The root process was reaped.
    pub(crate) fn close(&self) {
        self.queue.close();
        self.master.lock().take();
    }

    /// Someone closes this terminal.
    pub(crate) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Acquire)
    }

    fn is_closed(&self) -> bool {
        self.master.lock().is_none()
    }

    fn kill(&self) {
        if self.is_closed() || self.ending.swap(true, Ordering::AcqRel) {
            return;
        }
        match kill::end_session(self.pid) {
            Ok(()) => self.killed.store(true, Ordering::Release),
            Err(error) => {
                // The next call tries again; until then the pane goes on.
                self.ending.store(false, Ordering::Release);
                tracing::error!(%error, "no thread could be started to end the processes of a pane");
            }
        }
    }
}

impl Terminal {
    /// Starts a process on a new pseudo-terminal. Blocks while forking: call it off the UI thread.
    ///
    /// # Errors
    /// See [`SpawnError`]. Nothing is left behind.
    pub fn spawn(
        command: PtyCommand,
        options: TerminalOptions,
        sink: Arc<dyn EventSink>,
    ) -> Result<Self, SpawnError> {
        let (queue, woken) = WriteQueue::new()?;
        let Pty { master, pid } = pty::spawn(command, options.size.clamped())?;
        let master = Arc::new(master);
        let shared = Arc::new(Shared {
            grid: Grid::new(&options),
            intake: Arc::default(),
            options,
            sink,
            queue: Arc::clone(&queue),
            pid,
            master: Mutex::new(Some(Arc::clone(&master))),
            ending: AtomicBool::new(false),
            killed: AtomicBool::new(false),
            redraw_pending: AtomicBool::new(false),
            started: Instant::now(),
            last_output: AtomicU64::new(0),
            frame_time: AtomicU64::new(0),
        });
        // From here on dropping the handle ends the process.
        let terminal = Self {
            handle: Arc::new(Handle {
                shared: Arc::clone(&shared),
            }),
        };

        let started = exit_watch::watch(pid).and_then(|ended| {
            let for_writer = Arc::clone(&master);
            let intake = Arc::clone(&shared.intake);
            let parser = Parser::new(shared);
            let reader = Reader {
                intake,
                master,
                ended,
            };
            let thread = |name: &str| thread::Builder::new().name(name.to_owned());
            thread("pty-writer").spawn(move || writer::run(&queue, woken, &for_writer))?;
            thread("pty-reader").spawn(move || reader.run())?;
            thread("pty-parser").spawn(move || parser.run())
        });
        match started {
            Ok(_) => Ok(terminal),
            Err(error) => {
                let shared = &terminal.handle.shared;
                // Where no thread can be started, none can end the process gently either.
                kill::end_at_once(pid);
                shared.close();
                Err(error.into())
            }
        }
    }

    fn shared(&self) -> &Shared {
        &self.handle.shared
    }

    /// Process id of the root process, `None` once it ended.
    pub fn root_pid(&self) -> Option<u32> {
        match self.is_exited() {
            true => None,
            false => u32::try_from(self.shared().pid.as_raw_pid()).ok(),
        }
    }

    /// Process group in the foreground of the pseudo-terminal, `None` once it ended.
    pub fn foreground_group(&self) -> Option<u32> {
        let master = self.shared().master.lock().clone()?;
        u32::try_from(tcgetpgrp(&*master).ok()?.as_raw_pid()).ok()
    }

    /// Queues bytes for the program, all or nothing.
    ///
    /// # Errors
    /// [`WriteError::Full`] when 1 MiB waits already, [`WriteError::Closed`] after the end.
    pub fn write(&self, bytes: Vec<u8>) -> Result<(), WriteError> {
        self.shared().queue.push(bytes)
    }

    /// Queues a large input, up to 64 MiB. It is written as fast as the program reads it, after
    /// everything queued before and before everything queued later.
    ///
    /// # Errors
    /// [`WriteError::Full`] when more than 64 MiB would wait, [`WriteError::Closed`] after the end.
    pub fn write_bulk(&self, bytes: Vec<u8>) -> Result<BulkWrite, WriteError> {
        self.shared().queue.push_bulk(bytes)
    }

    /// Bytes queued and not yet accepted by the kernel.
    pub fn bytes_pending(&self) -> usize {
        self.shared().queue.pending()
    }

    /// Asks for another size of grid and kernel window, clamped as [`GridSize::clamped`] says, and
    /// returns at once. Both change in one step soon, of several sizes asked for meanwhile to the last,
    /// and a redraw follows. Frames and reads have the old size until then.
    pub fn resize(&self, size: GridSize) {
        let shared = &self.handle.shared;
        if shared.grid.want(size) {
            return shared.intake.wake();
        }
        // The parser thread has gone, but what it has left behind is still shown.
        let served = Arc::clone(shared);
        let resize = move || {
            served.serve_sizes();
            served.request_redraw();
        };
        let thread = thread::Builder::new().name("pty-resize".to_owned());
        if let Err(error) = thread.spawn(resize) {
            tracing::warn!(%error, "no thread could be started to resize a pane");
            shared.serve_sizes();
            shared.request_redraw();
        }
    }

    /// The size asked for last, which the grid has or is about to have.
    pub fn size(&self) -> GridSize {
        self.shared().grid.wanted()
    }

    /// Ends the process and whatever else is left of its session: SIGHUP, SIGTERM after 500 ms,
    /// SIGKILL after 2 s. Returns at once; [`crate::TerminalEvent::Exited`] follows.
    pub fn kill(&self) {
        self.shared().kill();
    }

    /// True once the root process ended and its output was read.
    pub fn is_exited(&self) -> bool {
        self.shared().is_closed()
    }

    /// The modes that shape input.
    pub fn modes(&self) -> Modes {
        self.shared().grid.modes()
    }

    /// Copies what is visible and arms the next redraw. A frame that shows the present state
    /// already is left as it is, which costs nothing.
    pub fn frame(&self, frame: &mut Frame) {
        self.shared().redraw_pending.store(false, Ordering::Release);
        self.shared().grid.look(|emulator| emulator.frame(frame));
    }

    /// How long the view took to draw the last frame; the dearer frames are, the fewer a flood is
    /// drawn with.
    pub fn set_frame_time(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.shared().frame_time.store(micros, Ordering::Relaxed);
    }

    /// Moves the view.
    pub fn scroll(&self, scroll: Scroll) {
        let scroll = move |emulator: &mut Emulator| emulator.scroll(scroll);
        self.shared().grid.change(scroll);
    }

    /// Begins a selection.
    pub fn select(&self, kind: SelectionKind, point: ViewPoint, side: CellSide) {
        self.shared()
            .grid
            .look(|emulator| emulator.select(kind, point, side));
    }

    /// Moves the end of the selection.
    pub fn extend_selection(&self, point: ViewPoint, side: CellSide) {
        self.shared()
            .grid
            .look(|emulator| emulator.extend_selection(point, side));
    }

    /// Drops the selection.
    pub fn clear_selection(&self) {
        self.shared().grid.change(Emulator::clear_selection);
    }

    /// The selected text: wrapped lines joined, trailing blanks of each line removed. `None` when
    /// nothing is selected.
    pub fn selection_text(&self) -> Option<String> {
        let text = |emulator: &mut Emulator| emulator.selection_text();
        self.shared().grid.look(text).flatten()
    }

    /// Reads text from the bottom of the buffer; view, selection and cursor stay as they are.
    ///
    /// # Errors
    /// [`ReadError::OutputUnavailable`] for the last command's output without its marks.
    pub fn read(&self, request: &ReadRequest) -> Result<TerminalRead, ReadError> {
        self.shared().grid.lock().read(request)
    }

    /// Reads text and the cells of the screen at one and the same moment; view, selection, cursor
    /// and the next redraw stay as they are.
    ///
    /// # Errors
    /// As [`Terminal::read`].
    pub fn read_with_cells(
        &self,
        request: &ReadRequest,
    ) -> Result<(TerminalRead, ScreenCells), ReadError> {
        let emulator = self.shared().grid.lock();
        Ok((emulator.read(request)?, emulator.screen_cells()))
    }

    /// The address of a link in a frame's cell, `None` when it was forgotten.
    pub fn link(&self, link: LinkId) -> Option<Arc<str>> {
        let link = |emulator: &mut Emulator| emulator.link(link);
        self.shared().grid.look(link).flatten()
    }

    /// Time since the program last wrote something, or since the start.
    pub fn last_output_age(&self) -> Duration {
        let last = Duration::from_millis(self.shared().last_output.load(Ordering::Relaxed));
        self.shared().started.elapsed().saturating_sub(last)
    }

    /// Changes with every change of what a frame shows. Waits as reading does.
    pub fn revision(&self) -> u64 {
        self.shared().grid.lock().revision()
    }

    /// The colours answered to colour queries where the program changed nothing: 0..=255, then
    /// `NamedColor` values. A view calls this when its theme changes.
    pub fn set_theme_colors(&self, colors: Vec<Rgb>) {
        let set = |emulator: &mut Emulator| emulator.set_theme_colors(colors);
        self.shared().grid.change(set);
    }
}
