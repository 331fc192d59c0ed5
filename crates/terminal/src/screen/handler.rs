//! What the parser calls: bounds and answers of our own, everything else passed on to the library.

use std::time::{Duration, Instant};

use alacritty_terminal::Term;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::{TermMode, color};
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, LineClearMode,
    Mode, NamedPrivateMode, PrivateMode, Rgb, StandardCharset, TabulationClearMode, cursor_icon,
};
use unicode_width::UnicodeWidthChar;

use super::Screen;
use super::listener::Listener;
use crate::EmulatorEvent;

/// Zero-width marks kept per cell.
const MAX_ZEROWIDTH: usize = 16;
/// Longest window title in bytes.
const MAX_TITLE: usize = 4 * 1024;
/// Deepest stack of saved titles.
const MAX_TITLES: usize = 16;
/// A synchronized update ends by itself after this time.
const SYNC_TIMEOUT: Duration = Duration::from_millis(150);
/// How far back anchors are looked for when the alternate screen is entered, which a hostile
/// program can do often.
const PARK_REACH: usize = 2_000;
/// Width and height that are told for a cell whose size in pixels is not known, as without a window.
const DEFAULT_CELL: (u16, u16) = (8, 16);

impl Screen {
    pub(super) fn reply(&self, text: String) {
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
        self.measure(self.region.start == 0);
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
        if self.term.mode().contains(TermMode::INSERT) {
            self.mend(self.term.grid().cursor.point.line);
        }
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
        let above = matches!(mode, ClearMode::Above);
        match mode {
            ClearMode::Below => self.cut(0),
            ClearMode::Above => self.cut(1),
            ClearMode::All | ClearMode::Saved => {}
        }
        self.settle();
        // Clearing moves the screen into the history, whatever the scroll region.
        self.measure(true);
        self.term.clear_screen(mode);
        if above && self.term.grid().cursor.point.line == 1 {
            // The library forgets the line above.
            self.term.grid_mut().reset_region(..Line(1));
        }
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
        for index in 0..color::COUNT {
            self.term.reset_color(index);
        }
        self.user_offset = 0;
        self.region = 0..self.term.screen_lines();
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
        if let Some(region) = self.region_of(top, bottom) {
            self.term
                .set_scrolling_region(region.start + 1, Some(region.end));
            self.region = region;
        }
        self.measure(self.region.start == 0);
    }

    fn delete_lines(&mut self, lines: usize) {
        // Below the first line this moves no row into the history, but it would move the offset.
        let measure = self.region.start == 0 && self.term.grid().cursor.point.line == 0;
        self.settle();
        self.measure(measure);
        self.term.delete_lines(lines);
        self.settle();
        self.return_within_region();
    }

    fn insert_blank_lines(&mut self, lines: usize) {
        self.term.insert_blank_lines(lines);
        self.return_within_region();
    }

    fn move_up(&mut self, lines: usize) {
        self.move_rows(lines, 0);
    }

    fn move_down(&mut self, lines: usize) {
        self.move_rows(0, lines);
    }

    fn move_up_and_cr(&mut self, lines: usize) {
        self.move_rows(lines, 0);
        self.move_to_column(0);
    }

    fn move_down_and_cr(&mut self, lines: usize) {
        self.move_rows(0, lines);
        self.move_to_column(0);
    }

    #[inline]
    fn goto_col(&mut self, column: usize) {
        self.move_to_column(column);
    }

    #[inline]
    fn linefeed(&mut self) {
        // In mode 20 (LNM) this is a new line, too.
        self.term.newline();
    }

    fn identify_terminal(&mut self, intermediate: Option<char>) {
        match intermediate {
            // DA3: the number of the unit, which has none.
            Some('=') => self.reply("\x1bP!|00000000\x1b\\".to_owned()),
            other => self.term.identify_terminal(other),
        }
    }

    // `CSI ? u` is not passed on. The kitty keyboard protocol finds out by it who supports the protocol:
    // who does not must stay silent, and flags of 0 would say that it is supported.

    fn device_status(&mut self, argument: usize) {
        if argument == 6 {
            let (line, column) = self.reported_cursor();
            self.reply(format!("\x1b[{line};{column}R"));
        } else {
            self.term.device_status(argument);
        }
    }

    fn insert_blank(&mut self, count: usize) {
        self.cut(0);
        self.cut_at_margin(count);
        self.term.insert_blank(count);
    }

    fn delete_chars(&mut self, count: usize) {
        // The library clears as many cells as are asked for, also those before the cursor.
        let left = self.term.columns() - self.term.grid().cursor.point.column.0;
        let count = count.min(left);
        self.cut(0);
        self.cut(count);
        self.term.delete_chars(count);
    }

    fn erase_chars(&mut self, count: usize) {
        self.cut(0);
        self.cut(count);
        self.term.erase_chars(count);
    }

    fn clear_line(&mut self, mode: LineClearMode) {
        match mode {
            // A full line that waits to wrap is left as it is.
            LineClearMode::Right if self.term.grid().cursor.input_needs_wrap => {}
            LineClearMode::Right => self.cut(0),
            LineClearMode::Left => self.cut(1),
            LineClearMode::All => {}
        }
        self.term.clear_line(mode);
    }

    #[inline]
    fn terminal_attribute(&mut self, attribute: Attr) {
        // SGR 21 is a double underline in ECMA-48 and xterm; bold ends with 22.
        let attribute = match attribute {
            Attr::CancelBold => Attr::DoubleUnderline,
            other => other,
        };
        self.term.terminal_attribute(attribute);
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
                self.region = 0..self.term.screen_lines();
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
                self.region = 0..self.term.screen_lines();
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
        let cell = match (self.size.cell_width, self.size.cell_height) {
            (0, _) | (_, 0) => DEFAULT_CELL,
            known => known,
        };
        let height = u32::from(self.size.lines) * u32::from(cell.1);
        let width = u32::from(self.size.columns) * u32::from(cell.0);
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
        move_forward(columns: usize);
        move_backward(columns: usize);
        put_tab(count: u16);
        backspace();
        carriage_return();
        bell();
        substitute();
        newline();
        set_horizontal_tabstop();
        scroll_up(lines: usize);
        scroll_down(lines: usize);
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        save_cursor_position();
        restore_cursor_position();
        clear_tabs(mode: TabulationClearMode);
        set_tabs(interval: u16);
        reverse_index();
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
