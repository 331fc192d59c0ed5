//! The screen of a pane in the shape of the control API (control-api.md 9.13).

use protocol::{CellRow, Screen, ScreenCell, ScreenCursor, limits};
use terminal::{Cell, Color, Flags, Rgb, ScreenCells};

/// Version of the shape.
const VERSION: u32 = 1;

/// Attributes that the shape knows, and their bits.
const FLAGS: [(Flags, u8); 6] = [
    (Flags::BOLD, 1),
    (Flags::DIM, 2),
    (Flags::ITALIC, 4),
    (Flags::ALL_UNDERLINES, 8),
    (Flags::INVERSE, 16),
    (Flags::STRIKEOUT, 32),
];

/// Columns from the left and, like every read, rows from the bottom, within the limits of the shape.
pub(super) fn screen(cells: &ScreenCells) -> Screen {
    let columns = cells.columns.min(limits::SCREEN_COLUMNS);
    let first = cells.lines.saturating_sub(limits::SCREEN_ROWS);
    let at = cells.cursor;
    let seen = at.visible && at.line >= first && at.column < columns;
    Screen {
        version: VERSION,
        columns: integer(columns),
        rows: (first..cells.lines)
            .map(|line| row(cells.row(line), columns))
            .collect(),
        cursor: ScreenCursor(
            integer(at.line.saturating_sub(first)),
            integer(at.column.min(columns.saturating_sub(1))),
            u8::from(seen),
        ),
        palette: cells
            .palette
            .iter()
            .map(|(index, rgb)| (integer(index), integer(hex(rgb))))
            .collect(),
    }
}

/// Cells whose widths add up to `columns`.
fn row(cells: &[Cell], columns: usize) -> CellRow {
    let mut row = Vec::with_capacity(columns);
    let mut left = cells.get(..columns).unwrap_or(cells).iter().peekable();
    while let Some(cell) = left.next() {
        let wide = cell.flags.contains(Flags::WIDE_CHAR)
            && left
                .next_if(|next| next.flags.contains(Flags::WIDE_CHAR_SPACER))
                .is_some();
        // Half of a wide character, when the limit cut it, is a blank; and what the program hid is
        // not shown by a reader that does not know hidden cells.
        let half = cell.flags.contains(Flags::WIDE_CHAR) && !wide;
        let mut text = String::new();
        if half || cell.flags.contains(Flags::HIDDEN) {
            text.push(' ');
        } else {
            text.push(cell.c);
            text.extend(cell.zerowidth.iter().flatten());
        }
        let flags = FLAGS
            .iter()
            .filter(|(flag, _)| cell.flags.intersects(*flag))
            .fold(0, |flags, (_, bit)| flags | bit);
        row.push(ScreenCell(
            text,
            1 + u8::from(wide),
            color(cell.fg),
            color(cell.bg),
            flags,
        ));
    }
    row
}

/// 0xRRGGBB, or negative for a palette index: -1 is index 0, -257 the foreground.
fn color(color: Color) -> i32 {
    let negative = |index: usize| i32::try_from(index).map_or(i32::MIN, |index| -1 - index);
    match color {
        Color::Spec(rgb) => i32::try_from(hex(rgb)).unwrap_or(0),
        Color::Indexed(index) => negative(usize::from(index)),
        Color::Named(named) => negative(named as usize),
    }
}

fn hex(Rgb { r, g, b }: Rgb) -> usize {
    usize::from(r) << 16 | usize::from(g) << 8 | usize::from(b)
}

fn integer(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use terminal::{Emulator, GridSize, TerminalOptions};

    use super::*;

    fn shown(columns: u16, lines: u16, output: &str) -> Screen {
        let mut emulator = Emulator::new(&TerminalOptions {
            size: GridSize::new(columns, lines),
            ..TerminalOptions::default()
        });
        emulator.advance(output.as_bytes());
        screen(&emulator.screen_cells())
    }

    fn cell(text: &str, width: u8, fg: i32, bg: i32, flags: u8) -> ScreenCell {
        ScreenCell(text.to_owned(), width, fg, bg, flags)
    }

    const FOREGROUND: i32 = -257;
    const BACKGROUND: i32 = -258;

    #[test]
    fn colours_and_attributes() {
        let output = "\x1b[1;31ma\x1b[0;2;3;4;38;5;208mb\x1b[0;7;9;48;2;1;2;3mc\x1b[0;4:3;97md";
        let rows = shown(4, 1, output).rows;
        let expected = vec![
            cell("a", 1, -2, BACKGROUND, 1),
            cell("b", 1, -209, BACKGROUND, 2 | 4 | 8),
            cell("c", 1, FOREGROUND, 0x01_02_03, 16 | 32),
            cell("d", 1, -16, BACKGROUND, 8),
        ];
        assert_eq!(rows, [expected]);
    }

    #[test]
    fn wide_characters_marks_and_what_is_hidden() {
        let rows = shown(6, 1, "中e\u{301}\x1b[8ms\x1b[0m\tx").rows;
        let expected = vec![
            cell("中", 2, FOREGROUND, BACKGROUND, 0),
            cell("e\u{301}", 1, FOREGROUND, BACKGROUND, 0),
            cell(" ", 1, FOREGROUND, BACKGROUND, 0),
            cell(" ", 1, FOREGROUND, BACKGROUND, 0),
            cell("x", 1, FOREGROUND, BACKGROUND, 0),
        ];
        assert_eq!(rows, [expected]);
    }

    #[test]
    fn a_screen_beyond_the_limits_is_cut_at_the_right_and_the_top() {
        let output = "top\x1b[250;399H\x1b[999mx中\x1b[60;450H";
        let cut = shown(500, 250, output);
        assert_eq!((cut.columns, cut.rows.len()), (400, 200));
        let widths = |row: &CellRow| row.iter().map(|cell| usize::from(cell.1)).sum::<usize>();
        assert!(cut.rows.iter().all(|row| widths(row) == 400));
        let last: Vec<&str> = cut
            .rows
            .last()
            .unwrap()
            .iter()
            .skip(398)
            .map(|cell| cell.0.as_str())
            .collect();
        assert_eq!(last, ["x", " "]);
        assert_eq!(cut.cursor, ScreenCursor(9, 399, 0), "out of sight");
    }

    #[test]
    fn the_palette_and_the_cursor() {
        let changed = shown(
            10,
            2,
            "\x1b]4;1;#0a0b0c\x07\x1b]11;#000000\x07\r\nab\x1b[?25l",
        );
        assert_eq!(changed.palette, [(1, 0x0a_0b_0c), (257, 0)]);
        assert_eq!(changed.cursor, ScreenCursor(1, 2, 0));
        assert_eq!(shown(10, 2, "ab").cursor, ScreenCursor(0, 2, 1));
    }
}
