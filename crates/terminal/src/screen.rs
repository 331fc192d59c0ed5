//! The grid as programs change it: `alacritty_terminal` with Nebula's bounds around it.
//!
//! [`Screen`] stands between the parser and [`Term`] and passes almost everything on. It adds:
//!
//! * bounds: zero-width marks per cell, title length and stack, link addresses;
//! * replies where the library's would be wrong or open: colours, sizes, mode 2026;
//! * cursor movement that respects the scroll region, and wide characters that are never cut;
//! * mouse modes 9 and 1015, which the library does not know;
//! * synchronized updates as a matter of drawing: the grid goes on, only frames wait. So marks keep
//!   their exact place, queries are answered at once and nothing is buffered;
//! * the number of rows that scrolled away, which the library does not tell. It does promise that a
//!   view which is scrolled up stays on its line; so while bytes are parsed the view is scrolled up
//!   by one, and afterwards its offset says how far the rows moved. See [`Screen::settle`].

mod answers;
mod handler;
mod listener;
mod margins;

use std::ops::Range;
use std::time::Instant;

use alacritty_terminal::Term;
use alacritty_terminal::grid::{Dimensions, Scroll};
use alacritty_terminal::term::{Config, TermMode};

use self::listener::Listener;
use crate::command_log::{Anchor, CommandLog, Rows};
use crate::links::Links;
use crate::queries::Queries;
use crate::theme::Theme;
use crate::{GridSize, Mark, Modes, MouseEncoding, MouseTracking, TerminalOptions};

/// Rows the library keeps at least, shown or not: [`Screen::settle`] needs room to measure in.
const MIN_KEPT_ROWS: usize = 1024;

pub(crate) struct Screen {
    pub(crate) term: Term<Listener>,
    pub(crate) listener: Listener,
    pub(crate) size: GridSize,
    pub(crate) theme: Theme,
    pub(crate) links: Links,
    pub(crate) commands: CommandLog,
    pub(crate) rows: Rows,
    pub(crate) queries: Queries,
    /// Rows of history that are shown; the library keeps `kept_history`.
    shown_history: usize,
    kept_history: usize,
    /// How far the user scrolled up, while the library's own offset measures.
    user_offset: usize,
    /// History rows when measuring began.
    measured_from: usize,
    /// The library's offset is at 1 and moves with the rows.
    measuring: bool,
    /// Lines of the scroll region, as the library has it and does not tell.
    region: Range<usize>,
    /// Set while a synchronized update holds frames back.
    sync_until: Option<Instant>,
    resized_in_alt: bool,
    mouse_x10: bool,
    mouse_urxvt: bool,
    title: Option<String>,
    titles: Vec<Option<String>>,
}

impl Screen {
    pub(crate) fn new(options: &TerminalOptions) -> Self {
        let size = options.size.clamped();
        let shown_history = options
            .history_lines
            .min(TerminalOptions::MAX_HISTORY_LINES);
        let kept_history = shown_history.max(MIN_KEPT_ROWS);
        let config = Config {
            scrolling_history: kept_history,
            semantic_escape_chars: options.semantic_escape_chars.clone(),
            default_cursor_style: options.cursor,
            ..Config::default()
        };
        let listener = Listener::default();
        Self {
            term: Term::new(config, &size, listener.clone()),
            listener,
            size,
            theme: Theme::default(),
            links: Links::default(),
            commands: CommandLog::default(),
            rows: Rows::default(),
            queries: Queries::default(),
            shown_history,
            kept_history,
            user_offset: 0,
            measured_from: 0,
            measuring: false,
            region: 0..usize::from(size.lines),
            sync_until: None,
            resized_in_alt: false,
            mouse_x10: false,
            mouse_urxvt: false,
            title: None,
            titles: Vec::new(),
        }
    }

    /// Rows above the screen that may be shown or read.
    pub(crate) fn history(&self) -> usize {
        self.term.grid().history_size().min(self.shown_history)
    }

    /// Bytes that may be parsed between two calls of [`Screen::settle`], so that the rows they
    /// scroll can be counted.
    pub(crate) fn stride(&self) -> usize {
        (self.kept_history / 2).clamp(512, 4096)
    }

    /// Begins to measure; the display offset is ours until [`Screen::end`].
    pub(crate) fn begin(&mut self) {
        self.user_offset = self.term.grid().display_offset();
        self.measure(self.region.start == 0);
    }

    /// Ends measuring and gives the display offset back to the user.
    pub(crate) fn end(&mut self) {
        self.settle();
        self.set_offset(self.user_offset);
        self.measuring = false;
    }

    fn measure(&mut self, wanted: bool) {
        self.measured_from = self.term.grid().history_size();
        self.measuring = wanted && self.measured_from > 0;
        self.set_offset(usize::from(self.measuring));
    }

    /// Counts the rows that scrolled since the last call and begins anew.
    ///
    /// When they are more than can be measured, all anchors are given up: the rows they stood on
    /// have left the history as well, but for a screenful.
    pub(crate) fn settle(&mut self) {
        let grid = self.term.grid();
        let history = grid.history_size();
        let (moved, full) = match self.measuring {
            true => (
                grid.display_offset().saturating_sub(1),
                grid.display_offset(),
            ),
            false => (history.saturating_sub(self.measured_from), history),
        };
        if moved > 0 {
            let lost = full >= self.kept_history;
            let rows = if lost {
                self.kept_history.saturating_add(grid.screen_lines())
            } else {
                moved
            };
            self.rows.top = self
                .rows
                .top
                .saturating_add(i64::try_from(rows).unwrap_or(i64::MAX));
            if self.user_offset > 0 {
                self.user_offset = self.user_offset.saturating_add(rows).min(self.history());
            }
        }
        self.measure(self.region.start == 0);
    }

    pub(crate) fn set_offset(&mut self, rows: usize) {
        let grid = self.term.grid_mut();
        grid.scroll_display(Scroll::Bottom);
        if rows > 0 {
            grid.scroll_display(Scroll::Delta(i32::try_from(rows).unwrap_or(i32::MAX)));
        }
    }

    /// Records a mark at the cursor.
    pub(crate) fn mark(&mut self, mark: &Mark) {
        self.settle();
        let point = self.term.grid().cursor.point;
        let anchor = (!self.is_alt()).then(|| Anchor {
            row: self.rows.top.saturating_add(i64::from(point.line.0)),
            column: point.column.0,
        });
        self.commands.mark(mark, anchor);
    }

    pub(crate) fn is_alt(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// Changes the size of the grid; the size must be clamped.
    pub(crate) fn resize(&mut self, size: GridSize) {
        let same = (size.columns, size.lines) == (self.size.columns, self.size.lines);
        self.size = size;
        if same {
            return;
        }
        let alt = self.is_alt();
        match alt {
            true => self.resized_in_alt = true,
            false => self.commands.park(self.term.grid(), self.rows, usize::MAX),
        }
        self.term.resize(size);
        self.region = 0..self.term.screen_lines();
        match alt {
            true => self.mend_margin(),
            false => self.reflowed(),
        }
    }

    fn reflowed(&mut self) {
        let history = i64::try_from(self.history()).unwrap_or(i64::MAX);
        self.rows.floor = self.rows.top.saturating_sub(history);
        self.commands.unpark(self.term.grid(), self.rows);
        let offset = self.term.grid().display_offset().min(self.history());
        self.set_offset(offset);
    }

    /// Until when frames wait for a synchronized update.
    pub(crate) fn sync_until(&self) -> Option<Instant> {
        self.sync_until
    }

    pub(crate) fn end_sync(&mut self) {
        self.sync_until = None;
    }

    pub(crate) fn modes(&self) -> Modes {
        let mode = self.term.mode();
        Modes {
            app_cursor: mode.contains(TermMode::APP_CURSOR),
            app_keypad: mode.contains(TermMode::APP_KEYPAD),
            newline: mode.contains(TermMode::LINE_FEED_NEW_LINE),
            bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
            alt_screen: mode.contains(TermMode::ALT_SCREEN),
            alternate_scroll: mode.contains(TermMode::ALTERNATE_SCROLL),
            focus: mode.contains(TermMode::FOCUS_IN_OUT),
            mouse: if mode.contains(TermMode::MOUSE_MOTION) {
                MouseTracking::Motion
            } else if mode.contains(TermMode::MOUSE_DRAG) {
                MouseTracking::Drag
            } else if mode.contains(TermMode::MOUSE_REPORT_CLICK) {
                MouseTracking::Click
            } else if self.mouse_x10 {
                MouseTracking::X10
            } else {
                MouseTracking::Off
            },
            mouse_encoding: if mode.contains(TermMode::SGR_MOUSE) {
                MouseEncoding::Sgr
            } else if self.mouse_urxvt {
                MouseEncoding::Urxvt
            } else if mode.contains(TermMode::UTF8_MOUSE) {
                MouseEncoding::Utf8
            } else {
                MouseEncoding::Legacy
            },
        }
    }
}
