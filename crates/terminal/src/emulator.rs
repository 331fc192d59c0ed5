//! A terminal emulator in memory: bytes in, grid and events out.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use alacritty_terminal::index::{Column, Line, Point, Side};
use alacritty_terminal::selection::{Selection, SelectionType};
use alacritty_terminal::vte::ansi::{Processor, Timeout};

use crate::links::LinkId;
use crate::marks::{self, Osc};
use crate::scanner::{ScanSink, Scanner, Verdict};
use crate::screen::Screen;
use crate::theme::Theme;
use crate::utf8::{self, Utf8Boundary};
use crate::{
    CellSide, Frame, GridSize, Mark, Modes, ReadError, ReadRequest, Rgb, ScreenCells, Scroll,
    SelectionKind, TerminalOptions, TerminalRead, ViewPoint, cells, frame, read, selection,
};

/// What an [`Emulator`] reports while it takes bytes, in the order of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmulatorEvent {
    /// Bytes to send to the program: the answer to a query, made of computed values only.
    Reply(String),
    /// A shell-integration mark.
    Mark(Mark),
    /// Working directory on this host.
    Directory(PathBuf),
    /// Window title; several in a row count as the last.
    Title(Option<String>),
    /// BEL; several between two calls of [`Emulator::take_events`] count as one.
    Bell,
    /// Text for the clipboard.
    Clipboard(String),
}

/// One emulator without any process: the heart of a [`crate::Terminal`], and all that benches,
/// fuzzing and property tests need.
pub struct Emulator {
    screen: Screen,
    /// Boxed: the parser's tables are large and never move.
    processor: Box<Processor<Unsynchronized>>,
    scanner: Scanner,
    boundary: Utf8Boundary,
    /// Tells this emulator's frames from those of others.
    id: u64,
    revision: u64,
    /// Number of the present content, see [`ScreenCells::sequence`].
    content: u64,
    /// The user scrolled or selected: the next frame is due even in a synchronized update.
    frame_due: bool,
}

/// Makes the parser pass synchronized updates through; [`Screen`] holds frames back instead.
#[derive(Default)]
struct Unsynchronized;

impl Timeout for Unsynchronized {
    fn set_timeout(&mut self, _: Duration) {}

    fn clear_timeout(&mut self) {}

    fn pending_timeout(&self) -> bool {
        false
    }
}

impl Emulator {
    /// An empty screen.
    pub fn new(options: &TerminalOptions) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Self {
            screen: Screen::new(options),
            processor: Box::default(),
            scanner: Scanner::default(),
            boundary: Utf8Boundary::default(),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            revision: 1,
            content: next_content(),
            frame_due: false,
        }
    }

    /// Takes output of a program. Any chunking of the same bytes has the same effect.
    pub fn advance(&mut self, bytes: &[u8]) {
        self.screen.begin();
        let mut feed = Feed {
            screen: &mut self.screen,
            processor: &mut self.processor,
            boundary: &mut self.boundary,
        };
        self.scanner.scan(bytes, &mut feed);
        self.screen.end();
        self.revision = self.revision.wrapping_add(1);
        self.content = next_content();
    }

    /// Takes the events since the last call.
    pub fn take_events(&mut self) -> Vec<EmulatorEvent> {
        self.screen.listener.take()
    }

    /// Size of the grid.
    pub fn size(&self) -> GridSize {
        self.screen.size
    }

    /// Changes the size of the grid, clamped as [`GridSize::clamped`] says.
    pub fn resize(&mut self, size: GridSize) {
        let (size, before) = (size.clamped(), self.screen.size);
        self.screen.resize(size);
        if (size.columns, size.lines) != (before.columns, before.lines) {
            self.content = next_content();
        }
        self.changed_by_user();
    }

    /// The modes that shape input.
    pub fn modes(&self) -> Modes {
        self.screen.modes()
    }

    /// Grows with every change of what a frame shows.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// When a synchronized update that holds frames back ends by itself.
    pub fn sync_deadline(&self) -> Option<Instant> {
        self.screen.sync_until()
    }

    /// Ends a synchronized update whose time is up.
    pub fn end_sync(&mut self) {
        self.screen.end_sync();
        self.revision = self.revision.wrapping_add(1);
    }

    /// Copies what is visible. During a synchronized update a filled frame is left as it is.
    pub fn frame(&mut self, frame: &mut Frame) {
        let now = Instant::now();
        if self.screen.sync_until().is_some_and(|until| until <= now) {
            self.end_sync();
        }
        let held = self.screen.sync_until().is_some() && !self.frame_due;
        if frame.is_of(self.id, &self.screen.size, self.revision, held) {
            return;
        }
        self.frame_due = false;
        frame::fill(frame, &self.screen);
        frame.stamp(self.id, self.revision);
    }

    /// Moves the view.
    pub fn scroll(&mut self, scroll: Scroll) {
        let page = i64::from(self.screen.size.lines);
        let history = self.screen.history();
        let now = self.screen.term.grid().display_offset();
        let moved = |rows: i64| {
            let now = i64::try_from(now).unwrap_or(i64::MAX);
            usize::try_from(now.saturating_add(rows)).unwrap_or(0)
        };
        let offset = match scroll {
            Scroll::Delta(rows) => moved(i64::from(rows)),
            Scroll::PageUp => moved(page),
            Scroll::PageDown => moved(-page),
            Scroll::Top => history,
            Scroll::Bottom => 0,
        };
        let offset = offset.min(history);
        if offset != now {
            self.screen.set_offset(offset);
            self.changed_by_user();
        }
    }

    /// Begins a selection.
    pub fn select(&mut self, kind: SelectionKind, point: ViewPoint, side: CellSide) {
        let kind = match kind {
            SelectionKind::Simple => SelectionType::Simple,
            SelectionKind::Semantic => SelectionType::Semantic,
            SelectionKind::Lines => SelectionType::Lines,
            SelectionKind::Block => SelectionType::Block,
        };
        let point = self.grid_point(point);
        self.screen.term.selection = Some(Selection::new(kind, point, grid_side(side)));
        self.changed_by_user();
    }

    /// Moves the end of the selection.
    pub fn extend_selection(&mut self, point: ViewPoint, side: CellSide) {
        let point = self.grid_point(point);
        if let Some(selection) = self.screen.term.selection.as_mut() {
            selection.update(point, grid_side(side));
            self.changed_by_user();
        }
    }

    /// Drops the selection.
    pub fn clear_selection(&mut self) {
        if self.screen.term.selection.take().is_some() {
            self.changed_by_user();
        }
    }

    /// The selected text: wrapped lines joined, trailing blanks of each line removed. `None` when
    /// nothing is selected.
    pub fn selection_text(&self) -> Option<String> {
        selection::text(&self.screen.term)
    }

    /// Reads text from the bottom of the buffer; view, selection and cursor stay as they are.
    ///
    /// # Errors
    /// [`ReadError::OutputUnavailable`] for the last command's output without its marks.
    pub fn read(&self, request: &ReadRequest) -> Result<TerminalRead, ReadError> {
        read::read(&self.screen, request)
    }

    /// Copies the screen; view, selection and the next frame stay as they are.
    pub fn screen_cells(&self) -> ScreenCells {
        cells::copy(&self.screen, self.content)
    }

    /// The address of a link in a cell, `None` when it was forgotten.
    pub fn link(&self, link: LinkId) -> Option<Arc<str>> {
        self.screen.links.uri(link)
    }

    /// The colours answered to colour queries where the program changed nothing.
    pub fn set_theme_colors(&mut self, colors: Vec<Rgb>) {
        self.screen.theme = Theme::new(colors);
    }

    fn changed_by_user(&mut self) {
        self.revision = self.revision.wrapping_add(1);
        self.frame_due = true;
    }

    fn grid_point(&self, point: ViewPoint) -> Point {
        let last = |count: u16| usize::from(count.saturating_sub(1));
        let line = point.line.min(last(self.screen.size.lines));
        let column = point.column.min(last(self.screen.size.columns));
        let line = i32::try_from(line).unwrap_or(0);
        Point::new(
            Line(line) - self.screen.term.grid().display_offset(),
            Column(column),
        )
    }
}

/// Numbers are given out once in this process, so that an emulator that takes another's place goes
/// on where that one ended.
fn next_content() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn grid_side(side: CellSide) -> Side {
    match side {
        CellSide::Left => Side::Left,
        CellSide::Right => Side::Right,
    }
}

/// The way of bytes from the scanner into the grid.
struct Feed<'a> {
    screen: &'a mut Screen,
    processor: &'a mut Processor<Unsynchronized>,
    boundary: &'a mut Utf8Boundary,
}

impl ScanSink for Feed<'_> {
    fn text(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (now, query, later) = self.screen.queries.cut(rest);
            self.parse(now);
            if let Some(query) = query {
                self.screen.answer(query);
            }
            rest = later;
        }
    }

    fn osc(&mut self, payload: &[u8]) -> Verdict {
        match marks::parse(payload) {
            Osc::Emulator => return Verdict::Feed,
            Osc::Ignored => {}
            Osc::Mark(mark) => {
                self.screen.mark(&mark);
                self.screen.listener.push(EmulatorEvent::Mark(mark));
            }
            Osc::Directory(path) => self.screen.listener.push(EmulatorEvent::Directory(path)),
        }
        Verdict::Swallow
    }
}

impl Feed<'_> {
    fn parse(&mut self, bytes: &[u8]) {
        let Self {
            screen,
            processor,
            boundary,
        } = self;
        let stride = screen.stride();
        boundary.push(bytes, |bytes| {
            let mut rest = bytes;
            while rest.len() > stride {
                let window = rest.get(..stride).unwrap_or(rest);
                let cut = utf8::complete(window).max(1);
                let (now, later) = rest.split_at_checked(cut).unwrap_or((rest, &[]));
                processor.advance(*screen, now);
                screen.settle();
                rest = later;
            }
            processor.advance(*screen, rest);
        });
    }
}
