//! The emulator without a process: replies, bounds, frames, selection.

#![allow(
    clippy::indexing_slicing,
    reason = "what is out of range fails the test"
)]

mod properties;

use terminal::{
    CellSide, CursorShape, Emulator, EmulatorEvent, Flags, Frame, GridSize, Mark, MouseEncoding,
    MouseTracking, ReadFormat, ReadRequest, ReadSource, Rgb, Scroll, SelectionKind, SelectionSpan,
    TerminalOptions, ViewPoint,
};

fn emulator(columns: u16, lines: u16, history: usize) -> Emulator {
    Emulator::new(&TerminalOptions {
        size: GridSize {
            columns,
            lines,
            cell_width: 9,
            cell_height: 18,
        },
        history_lines: history,
        ..TerminalOptions::default()
    })
}

fn frame(emulator: &mut Emulator) -> Frame {
    let mut frame = Frame::default();
    emulator.frame(&mut frame);
    frame
}

fn rows(frame: &Frame) -> Vec<String> {
    (0..frame.lines)
        .map(|line| {
            frame
                .row(line)
                .iter()
                .map(|cell| cell.c)
                .collect::<String>()
        })
        .map(|row| row.trim_end().to_owned())
        .collect()
}

fn replies(emulator: &mut Emulator) -> String {
    let reply = |event| match event {
        EmulatorEvent::Reply(text) => Some(text),
        _ => None,
    };
    emulator
        .take_events()
        .into_iter()
        .filter_map(reply)
        .collect()
}

fn read(emulator: &Emulator, source: ReadSource, format: ReadFormat) -> String {
    match emulator.read(&ReadRequest {
        lines: 2000,
        source,
        format,
    }) {
        Ok(read) => format!("{read:?}"),
        Err(error) => error.to_string(),
    }
}

fn numbered(from: usize, to: usize) -> String {
    (from..=to).map(|n| format!("line {n}\r\n")).collect()
}

#[test]
fn queries_are_answered_with_computed_values() {
    let mut emulator = emulator(80, 24, 100);
    for (query, reply) in [
        ("\x1b[c", "\x1b[?6c"),
        ("\x1b[>c", "\x1b[>0;2600;1c"),
        ("\x1b[=c", "\x1bP!|00000000\x1b\\"),
        (
            "\x1b[>q",
            concat!("\x1bP>|nebula ", env!("CARGO_PKG_VERSION"), "\x1b\\"),
        ),
        ("\x1bP$qm\x1b\\", "\x1bP1$r0m\x1b\\"),
        (
            "\x1b[1;4;38;5;208m\x1bP$qm\x1b\\\x1b[m",
            "\x1bP1$r0;1;4;38;5;208m\x1b\\",
        ),
        ("\x1bP$q q\x1b\\", "\x1bP1$r2 q\x1b\\"),
        ("\x1b[5 q\x1bP$q q\x1b\\\x1b[0 q", "\x1bP1$r5 q\x1b\\"),
        ("\x1bP$qr\x1b\\", "\x1bP1$r1;24r\x1b\\"),
        ("\x1b[3;9r\x1bP$qr\x1b\\\x1b[r", "\x1bP1$r3;9r\x1b\\"),
        ("\x1bP$qsecret\x1b\\", "\x1bP0$r\x1b\\"),
        // The answer to a question comes before the answer to the next.
        ("\x1bP$qm\x1b\\\x1b[5n", "\x1bP1$r0m\x1b\\\x1b[0n"),
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[3;7H\x1b[6n", "\x1b[3;7R"),
        ("\x1b[?2004$p", "\x1b[?2004;2$y"),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2026h\x1b[?2026$p\x1b[?2026l", "\x1b[?2026;1$y"),
        ("\x1b[?1015$p", "\x1b[?1015;2$y"),
        ("\x1b[4$p", "\x1b[4;2$y"),
        ("\x1b[14t", "\x1b[4;432;720t"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x07"),
        ("\x1b]4;1;?\x1b\\", "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\"),
        (
            "\x1b]4;1;#102030\x07\x1b]4;1;?\x07",
            "\x1b]4;1;rgb:1010/2020/3030\x07",
        ),
        // Titles, clipboard and keyboard protocol are not told.
        ("\x1b]2;secret\x07\x1b[21t\x1b[20t", ""),
        ("\x1b]52;c;?\x07", ""),
        ("\x1b[?u", ""),
    ] {
        emulator.advance(query.as_bytes());
        assert_eq!(replies(&mut emulator), reply, "{query:?}");
    }
    emulator.set_theme_colors(vec![Rgb {
        r: 0xab,
        g: 0xcd,
        b: 0xef,
    }]);
    emulator.advance(b"\x1b]4;0;?\x07");
    assert_eq!(replies(&mut emulator), "\x1b]4;0;rgb:abab/cdcd/efef\x07");

    emulator.resize(GridSize::new(80, 24));
    emulator.advance(b"\x1b[14t");
    assert_eq!(replies(&mut emulator), "\x1b[4;384;640t");
}

#[test]
fn events_keep_their_order() {
    let mut emulator = emulator(80, 24, 100);
    emulator.advance(b"\x07\x07\x1b]2;a\x07\x1b]2;b\x07\x1b]133;A\x07\x1b[c\x1b]7;file:///tmp\x07\x1b]52;c;aGk=\x07\x07");
    assert_eq!(
        emulator.take_events(),
        [
            EmulatorEvent::Bell,
            EmulatorEvent::Title(Some("b".to_owned())),
            EmulatorEvent::Mark(Mark::PromptStart),
            EmulatorEvent::Reply("\x1b[?6c".to_owned()),
            EmulatorEvent::Directory("/tmp".into()),
            EmulatorEvent::Clipboard("hi".to_owned()),
        ]
    );
}

#[test]
fn titles_are_bounded_and_stacked() {
    let mut emulator = emulator(80, 24, 100);
    emulator.advance(format!("\x1b]2;a\u{85}{}\x07", "é".repeat(5000)).as_bytes());
    let EmulatorEvent::Title(Some(title)) = emulator.take_events().remove(0) else {
        panic!("no title");
    };
    assert!(title.len() <= 4096 && title.len() > 4090 && title.starts_with("aé"));
    emulator.advance(b"\x1b]2;first\x07\x1b[22t\x1b]2;second\x07");
    emulator.take_events();
    emulator.advance(b"\x1b[23t");
    assert_eq!(
        emulator.take_events(),
        [EmulatorEvent::Title(Some("first".to_owned()))]
    );
    emulator.advance(b"\x1bc");
    assert_eq!(emulator.take_events(), [EmulatorEvent::Title(None)]);
}

#[test]
fn zero_width_marks_are_bounded() {
    let mut emulator = emulator(10, 2, 0);
    emulator.advance(format!("e{}x中{}", "\u{301}".repeat(100), "\u{200d}".repeat(100)).as_bytes());
    let frame = frame(&mut emulator);
    let marks = |column: usize| {
        frame.cells[column]
            .zerowidth
            .as_ref()
            .map_or(0, |m| m.len())
    };
    assert_eq!((marks(0), marks(1), marks(2), marks(3)), (16, 0, 16, 0));
}

#[test]
fn links_have_numbers_and_addresses() {
    let mut emulator = emulator(20, 2, 0);
    emulator.advance(b"\x1b]8;;https://a.example\x1b\\ab\x1b]8;;\x1b\\c");
    let frame = frame(&mut emulator);
    let link = frame.cells[0].link.unwrap();
    assert_eq!(frame.cells[1].link, Some(link));
    assert_eq!(frame.cells[2].link, None);
    assert_eq!(emulator.link(link).as_deref(), Some("https://a.example"));
    let long = format!("\x1b]8;;{}\x1b\\x", "u".repeat(3000));
    emulator.advance(long.as_bytes());
    assert_eq!(self::frame(&mut emulator).cells[3].link, None);
}

#[test]
fn a_frame_shows_cells_cursor_and_palette() {
    let mut emulator = emulator(6, 3, 10);
    emulator.advance("a\x1b[1;31m中\x1b[0m\tb\x1b]12;#0a0b0c\x07\x1b[5 q\x1b[1;2H".as_bytes());
    let frame = frame(&mut emulator);
    assert_eq!((frame.columns, frame.lines, frame.cells.len()), (6, 3, 18));
    assert_eq!(rows(&frame)[0], "a中   b");
    assert!(
        frame.cells[1]
            .flags
            .contains(Flags::WIDE_CHAR | Flags::BOLD)
    );
    assert!(frame.cells[2].flags.contains(Flags::WIDE_CHAR_SPACER));
    assert!(frame.cells.iter().all(|cell| !cell.c.is_control()));
    let cursor = frame.cursor.unwrap();
    assert_eq!((cursor.column, cursor.line, cursor.wide), (1, 0, true));
    assert_eq!((cursor.shape, cursor.blinking), (CursorShape::Beam, true));
    let palette: Vec<_> = frame.palette.iter().collect();
    assert_eq!(
        palette,
        [(
            258,
            Rgb {
                r: 10,
                g: 11,
                b: 12
            }
        )]
    );
    assert_eq!(
        frame.palette.get(258),
        Some(Rgb {
            r: 10,
            g: 11,
            b: 12
        })
    );
    emulator.advance(b"\x1b[?25l\x1b]112\x07");
    let frame = self::frame(&mut emulator);
    assert!(frame.cursor.is_none() && frame.palette.is_empty());
}

#[test]
fn an_unchanged_frame_is_left_alone() {
    let mut emulator = emulator(6, 3, 10);
    let mut other = self::emulator(6, 3, 10);
    emulator.advance(b"a");
    other.advance(b"b");
    let mut frame = Frame::default();
    emulator.frame(&mut frame);
    frame.cells[0].c = '!';
    emulator.frame(&mut frame);
    assert_eq!(frame.cells[0].c, '!');
    other.frame(&mut frame);
    assert_eq!(frame.cells[0].c, 'b');
}

#[test]
fn a_synchronized_update_is_seen_whole() {
    let mut emulator = emulator(10, 2, 10);
    let mut frame = Frame::default();
    emulator.advance(b"old");
    emulator.frame(&mut frame);
    emulator.advance(b"\x1b[?2026h\rnew");
    assert!(emulator.sync_deadline().is_some());
    emulator.frame(&mut frame);
    assert_eq!(rows(&frame)[0], "old");
    // A read sees the grid, and so does a frame the user asked for by scrolling.
    assert!(read(&emulator, ReadSource::Screen, ReadFormat::Text).contains("new"));
    emulator.advance(b"er\x1b[?2026l");
    assert!(emulator.sync_deadline().is_none());
    emulator.frame(&mut frame);
    assert_eq!(rows(&frame)[0], "newer");
    // Beginning again and again does not prolong it.
    emulator.advance(b"\x1b[?2026h");
    let deadline = emulator.sync_deadline();
    emulator.advance(b"\x1b[?2026h\x1b[?2026h");
    assert_eq!(emulator.sync_deadline(), deadline);
}

#[test]
fn the_view_stays_on_its_line() {
    for history in [20, 2000] {
        let mut emulator = emulator(20, 4, history);
        emulator.advance(numbered(1, history + 30).as_bytes());
        emulator.scroll(Scroll::Delta(5));
        let before = rows(&frame(&mut emulator));
        emulator.advance(numbered(1, 10).as_bytes());
        let after = frame(&mut emulator);
        assert_eq!(rows(&after), before);
        assert_eq!(after.display_offset, 15);
        assert!(after.cursor.is_none());
        // Until its line is evicted.
        emulator.advance(numbered(1, history * 2).as_bytes());
        assert_eq!(frame(&mut emulator).display_offset, history);
        emulator.scroll(Scroll::Bottom);
        assert_eq!(frame(&mut emulator).display_offset, 0);
    }
}

#[test]
fn scrolling() {
    let mut emulator = emulator(20, 4, 100);
    emulator.advance(numbered(1, 50).as_bytes());
    for (scroll, offset) in [
        (Scroll::PageUp, 4),
        (Scroll::Delta(3), 7),
        (Scroll::Delta(-100), 0),
        (Scroll::Delta(i32::MAX), 47),
        (Scroll::PageDown, 43),
        (Scroll::Top, 47),
        (Scroll::Delta(i32::MIN), 0),
        (Scroll::Top, 47),
        (Scroll::Bottom, 0),
    ] {
        emulator.scroll(scroll);
        assert_eq!(frame(&mut emulator).display_offset, offset, "{scroll:?}");
    }
    // The alternate screen has nothing to scroll to.
    emulator.advance(b"\x1b[?1049h");
    emulator.scroll(Scroll::Top);
    assert_eq!(frame(&mut emulator).display_offset, 0);
    assert_eq!(frame(&mut emulator).history, 0);
}

#[test]
fn history_shown_is_what_was_asked_for() {
    let mut emulator = emulator(20, 4, 3);
    emulator.advance(numbered(1, 50).as_bytes());
    emulator.scroll(Scroll::Top);
    let frame = frame(&mut emulator);
    assert_eq!((frame.history, frame.display_offset), (3, 3));
    assert_eq!(rows(&frame)[0], "line 45");
}

#[test]
fn selections() {
    let at = |line, column| ViewPoint { line, column };
    let mut emulator = emulator(10, 4, 100);
    emulator.advance("one two\r\n中文字 x\r\n0123456789abc   \r\n".as_bytes());
    assert_eq!(emulator.selection_text(), None);
    emulator.select(SelectionKind::Simple, at(0, 1), CellSide::Left);
    assert_eq!(emulator.selection_text(), None);
    emulator.extend_selection(at(0, 4), CellSide::Right);
    // The screen has scrolled by one: its first line is the one with wide characters.
    assert_eq!(emulator.selection_text().as_deref(), Some("中文字"));
    let span = SelectionSpan {
        line: 0,
        start: 0,
        end: 6,
    };
    assert_eq!(
        frame(&mut emulator).selection,
        [SelectionSpan { start: 0, ..span }]
    );

    emulator.select(SelectionKind::Semantic, at(0, 2), CellSide::Left);
    assert_eq!(emulator.selection_text().as_deref(), Some("中文字"));
    assert_eq!(
        frame(&mut emulator).selection,
        [SelectionSpan {
            line: 0,
            start: 0,
            end: 6
        }]
    );

    // A logical line over two rows is joined, its trailing blanks go.
    emulator.select(SelectionKind::Lines, at(2, 0), CellSide::Left);
    assert_eq!(emulator.selection_text().as_deref(), Some("0123456789abc"));
    assert_eq!(frame(&mut emulator).selection.len(), 2);

    emulator.select(SelectionKind::Block, at(1, 1), CellSide::Left);
    emulator.extend_selection(at(2, 2), CellSide::Right);
    assert_eq!(emulator.selection_text().as_deref(), Some("12\nbc"));
    let block = [(1, 1, 3), (2, 1, 3)].map(|(line, start, end)| SelectionSpan { line, start, end });
    assert_eq!(frame(&mut emulator).selection, block);

    // It survives output below and scrolling of the view.
    emulator.advance(b"more\r\nmore");
    assert_eq!(emulator.selection_text().as_deref(), Some("12\nbc"));
    emulator.scroll(Scroll::Delta(1));
    assert_eq!(emulator.selection_text().as_deref(), Some("12\nbc"));
    emulator.clear_selection();
    assert_eq!(emulator.selection_text(), None);
    assert!(frame(&mut emulator).selection.is_empty());
    // Points outside are moved to the edge.
    emulator.select(SelectionKind::Simple, at(999, 999), CellSide::Left);
    emulator.extend_selection(at(0, 0), CellSide::Left);
    assert!(emulator.selection_text().is_some());
}

#[test]
fn mouse_modes() {
    let mut emulator = emulator(10, 4, 0);
    for (sequence, tracking, encoding) in [
        ("", MouseTracking::Off, MouseEncoding::Legacy),
        ("\x1b[?9h", MouseTracking::X10, MouseEncoding::Legacy),
        (
            "\x1b[?1000h\x1b[?1005h",
            MouseTracking::Click,
            MouseEncoding::Utf8,
        ),
        (
            "\x1b[?1002h\x1b[?1015h",
            MouseTracking::Drag,
            MouseEncoding::Urxvt,
        ),
        (
            "\x1b[?1003h\x1b[?1006h",
            MouseTracking::Motion,
            MouseEncoding::Sgr,
        ),
        ("\x1b[?9h", MouseTracking::X10, MouseEncoding::Sgr),
        (
            "\x1b[?9l\x1b[?1006l",
            MouseTracking::Off,
            MouseEncoding::Legacy,
        ),
    ] {
        emulator.advance(sequence.as_bytes());
        let modes = emulator.modes();
        assert_eq!(
            (modes.mouse, modes.mouse_encoding),
            (tracking, encoding),
            "{sequence:?}"
        );
    }
}

#[test]
fn the_smallest_grid_holds_anything() {
    let mut emulator = emulator(1, 1, 10);
    assert_eq!((emulator.size().columns, emulator.size().lines), (2, 1));
    emulator.advance(
        "中文a中\u{301}\t\x1b[?7l中字x\x1b[?7h\x1b[4h中\x1b[65535b\x1b[999P\x1b[9@".as_bytes(),
    );
    for size in [
        (80, 24),
        (2, 1),
        (1, 1),
        (0, 0),
        (u16::MAX, u16::MAX),
        (3, 2),
    ] {
        emulator.resize(GridSize::new(size.0, size.1));
        emulator.advance("中x".as_bytes());
        let frame = frame(&mut emulator);
        assert_eq!(frame.cells.len(), frame.columns * frame.lines);
    }
}

/// Found by fuzzing: text that waits to wrap is inserted in the next line, not in this one.
#[test]
fn insert_mode_cuts_no_character_in_half() {
    let mut emulator = emulator(4, 3, 10);
    emulator.advance("abcd日本\x1b[1;4H\x1b[4hXY".as_bytes());
    assert_eq!(rows(&frame(&mut emulator)), ["abcX", "Y日", ""]);
    emulator.advance("\x1b[2;3HZ".as_bytes());
    let frame = frame(&mut emulator);
    assert_eq!(rows(&frame), ["abcX", "Y Z", ""]);
    assert!(
        frame
            .cells
            .iter()
            .all(|cell| cell.flags.is_empty() || cell.flags == Flags::WRAPLINE)
    );
}

/// Found by fuzzing: the alternate screen is not reflowed, and what is cut was left in half.
#[test]
fn a_narrower_alternate_screen_cuts_no_character_in_half() {
    let mut emulator = emulator(6, 2, 10);
    emulator.advance("\x1b[?1049h\x1b[Hab中cd".as_bytes());
    emulator.resize(GridSize::new(3, 2));
    let frame = frame(&mut emulator);
    assert_eq!(rows(&frame), ["ab", ""]);
    assert!(!frame.row(0)[2].flags.contains(Flags::WIDE_CHAR));
}
