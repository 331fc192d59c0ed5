//! Output of a program: the mark scanner and the emulator behind it.

use terminal::{
    Cell, CellSide, Emulator, EmulatorEvent, Flags, Frame, GridSize, ReadFormat, ReadRequest,
    ReadSource, Scroll, SelectionKind, TerminalOptions, TerminalRead, ViewPoint,
};

use crate::noise::Noise;

/// Bytes at the end of an input that are no output: size, history and where it is cut.
const SETUP: usize = 8;
/// Marks kept per cell.
const MAX_ZEROWIDTH: usize = 16;
/// Bytes of a window title.
const MAX_TITLE: usize = 4 * 1024;
/// Bytes of a command line in a mark, and of a directory.
const MAX_TOLD: usize = 4 * 1024;
/// Bytes of an answer to a read.
const MAX_READ: usize = 1024 * 1024;

/// Any output leaves a grid whose parts fit together, within its bounds and with safe replies; and
/// the pieces in which it arrives change nothing. The last eight bytes choose size and pieces.
pub fn output(data: &[u8]) {
    let (stream, setup) = data
        .split_at_checked(data.len().saturating_sub(SETUP))
        .unwrap_or((data, &[]));
    let mut setup = Noise::new(setup);
    let options = TerminalOptions {
        size: GridSize {
            cell_width: 9,
            cell_height: 18,
            ..GridSize::new(1 + setup.below(40), 1 + setup.below(12))
        },
        history_lines: usize::from(setup.byte()),
        ..TerminalOptions::default()
    };
    let seed = setup.number();

    let mut whole = Emulator::new(&options);
    whole.advance(stream);
    let mut pieces = Emulator::new(&options);
    for piece in cut(stream, seed) {
        pieces.advance(piece);
    }
    let events = whole.take_events();
    assert_eq!(events, pieces.take_events(), "events of the pieces");
    events.iter().for_each(check_event);
    let (a, b) = (look(&mut whole), look(&mut pieces));
    assert_eq!(a.reads, b.reads, "text of the pieces");
    assert_eq!(a.frame.cells, b.frame.cells, "cells of the pieces");
    assert_eq!(a.frame.cursor, b.frame.cursor, "cursor of the pieces");
    assert_eq!(a.frame.modes, b.frame.modes, "modes of the pieces");
    assert_eq!(a.frame.palette, b.frame.palette, "palette of the pieces");
    assert_eq!(a.frame.history, b.frame.history, "history of the pieces");
    assert!(a.frame.history <= options.history_lines, "history");
    check_frame(&a.frame);

    use_it(&mut whole, seed);
    whole.advance(stream);
    check_frame(&look(&mut whole).frame);
}

/// Everything that can be seen of an emulator.
struct Look {
    frame: Frame,
    reads: Vec<Option<TerminalRead>>,
}

fn look(emulator: &mut Emulator) -> Look {
    emulator.end_sync();
    let mut frame = Frame::default();
    emulator.frame(&mut frame);
    let screen = emulator.screen_cells();
    assert_eq!(screen.cells.len(), frame.cells.len(), "both are the grid");
    if frame.display_offset == 0 {
        assert_eq!(screen.cells, frame.cells, "both show the bottom");
    }
    let reads = [
        (ReadSource::Recent, ReadFormat::Text),
        (ReadSource::Screen, ReadFormat::Ansi),
        (ReadSource::LastCommand, ReadFormat::Text),
    ];
    let reads = reads.map(|(source, format)| {
        let request = ReadRequest {
            lines: 2000,
            source,
            format,
        };
        let read = emulator.read(&request).ok()?;
        assert!(read.text.len() <= MAX_READ, "length of a read");
        let foreign = |c: char| c.is_control() && c != '\n';
        assert!(
            format == ReadFormat::Ansi || !read.text.contains(foreign),
            "controls in the text of a read"
        );
        Some(read)
    });
    Look {
        frame,
        reads: reads.into(),
    }
}

/// Cuts a stream into pieces of lengths that depend on the seed only.
fn cut(stream: &[u8], seed: u32) -> Vec<&[u8]> {
    let mut state = seed;
    let mut pieces = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let long = if state & 0x40_0000 == 0 { 3 } else { 200 };
        let length = 1 + usize::try_from(state >> 24).unwrap_or(0) % long;
        let (piece, later) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        pieces.push(piece);
        rest = later;
    }
    pieces
}

fn check_frame(frame: &Frame) {
    assert_eq!(frame.cells.len(), frame.columns * frame.lines, "cells");
    if let Some(cursor) = frame.cursor {
        assert!(
            cursor.line < frame.lines && cursor.column < frame.columns,
            "the cursor is in the grid"
        );
    }
    for line in 0..frame.lines {
        check_row(frame.row(line));
    }
    for span in &frame.selection {
        assert!(
            span.line < frame.lines && span.start < span.end && span.end <= frame.columns,
            "the selection is in the grid"
        );
    }
}

fn check_row(row: &[Cell]) {
    let mut left = None;
    for cell in row {
        assert!(!cell.c.is_control(), "a control character in a cell");
        let marks = cell.zerowidth.as_deref().unwrap_or_default();
        assert!(marks.len() <= MAX_ZEROWIDTH, "marks in a cell");
        let spacer = cell.flags.contains(Flags::WIDE_CHAR_SPACER);
        assert_eq!(
            spacer,
            left.is_some_and(|flags: Flags| flags.contains(Flags::WIDE_CHAR)),
            "a wide character has two halves"
        );
        left = Some(cell.flags);
    }
    assert!(
        !left.is_some_and(|flags| flags.contains(Flags::WIDE_CHAR)),
        "a wide character has two halves"
    );
}

pub(crate) fn check_event(event: &EmulatorEvent) {
    match event {
        EmulatorEvent::Reply(reply) => assert!(is_safe(reply), "reply {reply:?}"),
        EmulatorEvent::Title(Some(title)) => {
            assert!(title.len() <= MAX_TITLE, "length of a title");
            assert!(!title.contains(char::is_control), "controls in a title");
        }
        EmulatorEvent::Directory(path) => {
            assert!(path.is_absolute(), "directory {path:?}");
            assert!(path.as_os_str().len() <= MAX_TOLD, "length of a directory");
        }
        EmulatorEvent::Mark(terminal::Mark::CommandStart { command_line }) => {
            let line = command_line.as_deref().unwrap_or_default();
            assert!(line.len() <= MAX_TOLD, "length of a command line");
            let foreign = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
            assert!(!line.contains(foreign), "controls in a command line");
        }
        EmulatorEvent::Clipboard(text) => {
            assert!(text.len() <= MAX_READ, "length of a clipboard text");
        }
        EmulatorEvent::Title(None) | EmulatorEvent::Mark(_) | EmulatorEvent::Bell => {}
    }
}

/// A reply is one control sequence, with nothing in it that a shell would take for input.
fn is_safe(reply: &str) -> bool {
    if let Some(body) = reply.strip_prefix("\x1b[") {
        let mut letters = body.chars();
        let last = letters.next_back();
        return last.is_some_and(|c| matches!(c, '@'..='~'))
            && letters.all(|c| matches!(c, ' '..='?'));
    }
    // OSC or DCS.
    let string = reply.strip_prefix("\x1b]");
    let Some(body) = string.or_else(|| reply.strip_prefix("\x1bP")) else {
        return false;
    };
    let body = body
        .strip_suffix('\x07')
        .or_else(|| body.strip_suffix("\x1b\\"));
    body.is_some_and(|body| body.chars().all(|c| matches!(c, ' '..='~')))
}

/// Scrolls, selects and changes the size, as a person does at any moment.
fn use_it(emulator: &mut Emulator, seed: u32) {
    let bytes = seed.to_le_bytes();
    let mut noise = Noise::new(&bytes);
    emulator.scroll(Scroll::Delta(i32::from(noise.byte()) - 20));
    let (column, line) = (usize::from(noise.byte()), usize::from(noise.byte()));
    let kind = match noise.byte() % 4 {
        0 => SelectionKind::Simple,
        1 => SelectionKind::Semantic,
        2 => SelectionKind::Lines,
        _ => SelectionKind::Block,
    };
    emulator.select(kind, ViewPoint { line, column }, CellSide::Left);
    let end = ViewPoint {
        line: line / 2,
        column: column * 2,
    };
    emulator.extend_selection(end, CellSide::Right);
    if let Some(text) = emulator.selection_text() {
        assert!(!text.is_empty(), "what is selected is not nothing");
    }
    let size = emulator.size();
    for (columns, lines) in [
        (size.columns / 2, size.lines.saturating_add(7)),
        (size.columns.saturating_add(13), size.lines / 3),
        (size.columns, size.lines),
    ] {
        emulator.resize(GridSize::new(columns, lines));
        let look = look(emulator);
        check_frame(&look.frame);
    }
}
