//! The grid as programs change it: `alacritty_terminal` with Nebula's bounds around it.
//!
//! [`Screen`] stands between the parser and [`Term`] and passes almost everything on. It adds:
//!
//! * bounds: zero-width marks per cell, title length and stack, link addresses;
//! * replies where the library's would be wrong or open: colours, sizes, mode 2026;
//! * mouse modes 9 and 1015, which the library does not know;
//! * synchronized updates as a matter of drawing: the grid goes on, only frames wait. So marks keep
//!   their exact place, queries are answered at once and nothing is buffered;
//! * the number of rows that scrolled away, which the library does not tell. It does promise that a
//!   view which is scrolled up stays on its line; so while bytes are parsed the view is scrolled up
//!   by one, and afterwards its offset says how far the rows moved. See [`Screen::settle`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use alacritty_terminal::Term;
use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::{Dimensions, Scroll};
use alacritty_terminal::index::Column;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::{Config, TermMode};
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, LineClearMode,
    Mode, NamedPrivateMode, PrivateMode, Rgb, StandardCharset, TabulationClearMode, cursor_icon,
};
use parking_lot::Mutex;
use unicode_width::UnicodeWidthChar;

use crate::command_log::{Anchor, CommandLog, Rows};
use crate::links::Links;
use crate::theme::Theme;
use crate::{EmulatorEvent, GridSize, Mark, Modes, MouseEncoding, MouseTracking, TerminalOptions};

/// Zero-width marks kept per cell.
const MAX_ZEROWIDTH: usize = 16;
/// Longest window title in bytes.
const MAX_TITLE: usize = 4 * 1024;
/// Deepest stack of saved titles.
const MAX_TITLES: usize = 16;
/// A synchronized update ends by itself after this time.
const SYNC_TIMEOUT: Duration = Duration::from_millis(150);
/// Rows the library keeps at least, shown or not: [`Screen::settle`] needs room to measure in.
const MIN_KEPT_ROWS: usize = 1024;
/// How far back anchors are looked for when the alternate screen is entered, which a hostile
/// program can do often.
const PARK_REACH: usize = 2_000;

/// Collects what the library announces.
#[derive(Clone, Default)]
pub(crate) struct Listener(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    events: Vec<EmulatorEvent>,
    rang: bool,
}

impl Listener {
    pub(crate) fn push(&self, event: EmulatorEvent) {
        let mut queue = self.0.lock();
        let Queue { events, rang } = &mut *queue;
        match (&event, events.last_mut()) {
            (EmulatorEvent::Bell, _) if std::mem::replace(rang, true) => {}
            (EmulatorEvent::Title(_), Some(last @ EmulatorEvent::Title(_))) => *last = event,
            _ => events.push(event),
        }
    }

    pub(crate) fn take(&self) -> Vec<EmulatorEvent> {
        let mut queue = self.0.lock();
        queue.rang = false;
        std::mem::take(&mut queue.events)
    }
}

impl EventListener for Listener {
    fn send_event(&self, event: Event) {
        match event {
            Event::PtyWrite(text) => self.push(EmulatorEvent::Reply(text)),
            Event::Bell => self.push(EmulatorEvent::Bell),
            Event::ClipboardStore(_, text) => self.push(EmulatorEvent::Clipboard(text)),
            // Reading the clipboard is denied; everything else is answered or tracked here.
            _ => {}
        }
    }
}

pub(crate) struct Screen {
    pub(crate) term: Term<Listener>,
    pub(crate) listener: Listener,
    pub(crate) size: GridSize,
    pub(crate) theme: Theme,
    pub(crate) links: Links,
    pub(crate) commands: CommandLog,
    pub(crate) rows: Rows,
    /// Rows of history that are shown; the library keeps `kept_history`.
    shown_history: usize,
    kept_history: usize,
    /// How far the user scrolled up, while the library's own offset measures.
    user_offset: usize,
    /// History rows when measuring began.
    measured_from: usize,
    /// The library's offset is at 1 and moves with the rows.
    measuring: bool,
    /// First line of the scroll region.
    region_top: usize,
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
            shown_history,
            kept_history,
            user_offset: 0,
            measured_from: 0,
            measuring: false,
            region_top: 0,
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
        self.measure(self.region_top == 0);
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
        self.measure(self.region_top == 0);
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
        self.region_top = 0;
        if !alt {
            self.reflowed();
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

    fn reply(&self, text: String) {
        self.listener.push(EmulatorEvent::Reply(text));
    }

    fn announce_title(&self) {
        self.listener.push(EmulatorEvent::Title(self.title.clone()));
    }

    /// Enters or leaves the alternate screen with the anchors kept.
    fn swap(&mut self, to_alt: bool, apply: impl FnOnce(&mut Term<Listener>)) {
        let was_alt = self.is_alt();
        if was_alt == to_alt {
            return;
        }
        self.settle();
        self.set_offset(0);
        if to_alt {
            self.commands.park(self.term.grid(), self.rows, PARK_REACH);
            self.resized_in_alt = false;
        }
        apply(&mut self.term);
        self.user_offset = 0;
        if !to_alt && std::mem::take(&mut self.resized_in_alt) {
            self.reflowed();
        }
        self.measure(self.region_top == 0);
    }

    /// True when the cell a zero-width character would join has no room left.
    #[allow(
        clippy::indexing_slicing,
        reason = "the cursor is always inside of the grid"
    )]
    fn cell_is_full(&self) -> bool {
        let grid = self.term.grid();
        let mut column = grid.cursor.point.column.0;
        if !grid.cursor.input_needs_wrap {
            column = column.saturating_sub(1);
        }
        let row = &grid[grid.cursor.point.line];
        if row[Column(column)].flags.contains(Flags::WIDE_CHAR_SPACER) {
            column = column.saturating_sub(1);
        }
        row[Column(column)]
            .zerowidth()
            .is_some_and(|marks| marks.len() >= MAX_ZEROWIDTH)
    }

    fn private_mode_state(&self, mode: u16) -> Option<bool> {
        match mode {
            9 => Some(self.mouse_x10),
            1015 => Some(self.mouse_urxvt),
            2026 => Some(self.sync_until.is_some()),
            _ => None,
        }
    }
}

/// Passes methods of [`Handler`] on unchanged.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(
            #[inline]
            fn $name(&mut self, $($argument: $kind),*) {
                Handler::$name(&mut self.term, $($argument),*);
            }
        )*
    };
}

impl Handler for Screen {
    #[inline]
    fn input(&mut self, c: char) {
        // ASCII, CJK and Hangul syllables, which are never zero-width, take the straight way.
        let plain = matches!(c, ..'\u{80}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
        if !plain && c.width() == Some(0) && self.cell_is_full() {
            return;
        }
        self.term.input(c);
    }

    fn set_title(&mut self, title: Option<String>) {
        self.title = title.map(|mut title| {
            title.retain(|c| !c.is_control());
            title.truncate(title.floor_char_boundary(MAX_TITLE));
            title
        });
        self.announce_title();
    }

    fn push_title(&mut self) {
        if self.titles.len() < MAX_TITLES {
            self.titles.push(self.title.clone());
        }
    }

    fn pop_title(&mut self) {
        if let Some(title) = self.titles.pop() {
            self.title = title;
            self.announce_title();
        }
    }

    fn set_hyperlink(&mut self, link: Option<Hyperlink>) {
        let link = link.and_then(|link| self.links.intern(link));
        self.term.set_hyperlink(link);
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        let clears_history = matches!(mode, ClearMode::Saved);
        self.settle();
        // Clearing moves the screen into the history, whatever the scroll region.
        self.measure(true);
        self.term.clear_screen(mode);
        if clears_history && !self.is_alt() {
            self.user_offset = 0;
            self.rows.floor = self.rows.top;
            self.measure(true);
        }
        self.settle();
    }

    fn reset_state(&mut self) {
        self.settle();
        self.term.reset_state();
        self.user_offset = 0;
        self.region_top = 0;
        self.rows.floor = self.rows.top;
        self.commands.clear();
        self.sync_until = None;
        self.mouse_x10 = false;
        self.mouse_urxvt = false;
        self.titles.clear();
        if self.title.take().is_some() {
            self.announce_title();
        }
        self.measure(true);
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        self.settle();
        let lines = self.term.screen_lines();
        if top < bottom.unwrap_or(lines) {
            self.region_top = top.saturating_sub(1).min(lines);
        }
        self.term.set_scrolling_region(top, bottom);
        self.measure(self.region_top == 0);
    }

    fn delete_lines(&mut self, lines: usize) {
        // Below the first line this moves no row into the history, but it would move the offset.
        let measure = self.region_top == 0 && self.term.grid().cursor.point.line == 0;
        self.settle();
        self.measure(measure);
        self.term.delete_lines(lines);
        self.settle();
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        match mode {
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor) => {
                self.swap(true, |term| term.set_private_mode(mode));
            }
            PrivateMode::Named(NamedPrivateMode::SyncUpdate) => {
                // A second begin does not prolong the first: that could hold frames back forever.
                self.sync_until
                    .get_or_insert_with(|| Instant::now() + SYNC_TIMEOUT);
            }
            PrivateMode::Named(
                NamedPrivateMode::ReportMouseClicks
                | NamedPrivateMode::ReportCellMouseMotion
                | NamedPrivateMode::ReportAllMouseMotion,
            ) => {
                self.mouse_x10 = false;
                self.term.set_private_mode(mode);
            }
            PrivateMode::Named(NamedPrivateMode::SgrMouse | NamedPrivateMode::Utf8Mouse) => {
                self.mouse_urxvt = false;
                self.term.set_private_mode(mode);
            }
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {
                self.region_top = 0;
                self.term.set_private_mode(mode);
            }
            PrivateMode::Unknown(9) => {
                for other in [
                    NamedPrivateMode::ReportMouseClicks,
                    NamedPrivateMode::ReportCellMouseMotion,
                    NamedPrivateMode::ReportAllMouseMotion,
                ] {
                    self.term.unset_private_mode(other.into());
                }
                self.mouse_x10 = true;
            }
            PrivateMode::Unknown(1015) => {
                for other in [NamedPrivateMode::SgrMouse, NamedPrivateMode::Utf8Mouse] {
                    self.term.unset_private_mode(other.into());
                }
                self.mouse_urxvt = true;
            }
            _ => self.term.set_private_mode(mode),
        }
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        match mode {
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor) => {
                self.swap(false, |term| term.unset_private_mode(mode));
            }
            PrivateMode::Named(NamedPrivateMode::SyncUpdate) => self.sync_until = None,
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {
                self.region_top = 0;
                self.term.unset_private_mode(mode);
            }
            PrivateMode::Unknown(9) => self.mouse_x10 = false,
            PrivateMode::Unknown(1015) => self.mouse_urxvt = false,
            _ => self.term.unset_private_mode(mode),
        }
    }

    fn report_private_mode(&mut self, mode: PrivateMode) {
        match self.private_mode_state(mode.raw()) {
            Some(set) => {
                let state = if set { 1 } else { 2 };
                self.reply(format!("\x1b[?{};{state}$y", mode.raw()));
            }
            None => self.term.report_private_mode(mode),
        }
    }

    fn dynamic_color_sequence(&mut self, prefix: String, index: usize, terminator: &str) {
        let Rgb { r, g, b } = self.theme.resolve(index, self.term.colors());
        self.reply(format!(
            "\x1b]{prefix};rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}{terminator}"
        ));
    }

    fn text_area_size_pixels(&mut self) {
        let height = u32::from(self.size.lines) * u32::from(self.size.cell_height);
        let width = u32::from(self.size.columns) * u32::from(self.size.cell_width);
        self.reply(format!("\x1b[4;{height};{width}t"));
    }

    fn text_area_size_chars(&mut self) {
        self.reply(format!("\x1b[8;{};{}t", self.size.lines, self.size.columns));
    }

    pass_on! {
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        goto(line: i32, column: usize);
        goto_line(line: i32);
        goto_col(column: usize);
        insert_blank(count: usize);
        move_up(lines: usize);
        move_down(lines: usize);
        identify_terminal(intermediate: Option<char>);
        device_status(argument: usize);
        move_forward(columns: usize);
        move_backward(columns: usize);
        move_down_and_cr(lines: usize);
        move_up_and_cr(lines: usize);
        put_tab(count: u16);
        backspace();
        carriage_return();
        linefeed();
        bell();
        substitute();
        newline();
        set_horizontal_tabstop();
        scroll_up(lines: usize);
        scroll_down(lines: usize);
        insert_blank_lines(lines: usize);
        erase_chars(count: usize);
        delete_chars(count: usize);
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        save_cursor_position();
        restore_cursor_position();
        clear_line(mode: LineClearMode);
        clear_tabs(mode: TabulationClearMode);
        set_tabs(interval: u16);
        reverse_index();
        terminal_attribute(attribute: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        report_mode(mode: Mode);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        set_active_charset(index: CharsetIndex);
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        set_color(index: usize, color: Rgb);
        reset_color(index: usize);
        clipboard_store(clipboard: u8, base64: &[u8]);
        clipboard_load(clipboard: u8, terminator: &str);
        decaln();
        set_mouse_cursor_icon(icon: cursor_icon::CursorIcon);
    }
}
