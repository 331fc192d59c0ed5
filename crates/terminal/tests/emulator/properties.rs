//! What holds for any output, in any pieces.

use proptest::prelude::*;
use terminal::{
    CellSide, EmulatorEvent, GridSize, ReadFormat, ReadRequest, ReadSource, Scroll, SelectionKind,
    ViewPoint,
};

use super::{emulator, frame, numbered, read};

/// Sequences a terminal knows, in odd mixtures.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => "[ -~]{0,30}".prop_map(String::into_bytes),
        3 => Just(b"\r\n".to_vec()),
        3 => "[é中👍\u{301}\u{200d}\u{85}\u{9b}]{1,4}".prop_map(String::into_bytes),
        3 => proptest::collection::vec(any::<u8>(), 0..6),
        6 => "\u{1b}\\[[?>=]{0,1}[0-9;:]{0,8}[ $!]{0,1}[@-~]".prop_map(String::into_bytes),
        2 => "\u{1b}\\[\\?(1049|2026|2004|6|7|9|1000|1015|25)[hl]".prop_map(String::into_bytes),
        2 => "\u{1b}\\[[0-9]{1,2};[0-9]{0,2}[rH]".prop_map(String::into_bytes),
        2 => "\u{1b}\\[[0-4][JK]".prop_map(String::into_bytes),
        1 => "\u{1b}[ -~]".prop_map(String::into_bytes),
        3 => "\u{1b}\\](133;[ABCD];?[0-9]{0,3}|7;file:///[a-z%]{0,8}|2;[a-z]{0,9}|8;;[a-z]{0,5}|4;[0-9]{1,3};(\\?|#[0-9a-f]{0,70})|1[0-2];(\\?|rgb:[0-9a-f/]{0,20})|104|52;c;[A-Za-z=?]{0,8}|[0-9]{1,3};[ -~]{0,9})(\u{7}|\u{1b}\\\\|\u{18}|)"
            .prop_map(String::into_bytes),
        1 => "\u{1b}[P_^X][ -~]{0,9}(\u{1b}\\\\|)".prop_map(String::into_bytes),
        1 => "\u{1b}P\\$q(m|r| q|[ -~]{0,4})(\u{1b}\\\\|\u{18}|)".prop_map(String::into_bytes),
        1 => "\u{1b}\\[>0{0,1}q".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn cut(bytes: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2)
        .map(|pair| bytes[pair[0]..pair[1]].to_vec())
        .collect()
}

/// All events, with those left out that are coalesced in time.
fn lasting(events: Vec<EmulatorEvent>) -> Vec<EmulatorEvent> {
    let coalesced =
        |event: &EmulatorEvent| matches!(event, EmulatorEvent::Bell | EmulatorEvent::Title(_));
    events
        .into_iter()
        .filter(|event| !coalesced(event))
        .collect()
}

/// A reply is one control sequence with nothing that a shell would take for input.
fn is_safe(reply: &str) -> bool {
    let csi = |body: &str| {
        let (body, last) = body.split_at(body.len() - 1);
        body.chars().all(|c| matches!(c, ' '..='?')) && matches!(last.as_bytes()[0], b'@'..=b'~')
    };
    let osc = |body: &str| {
        let body = body
            .strip_suffix('\x07')
            .or_else(|| body.strip_suffix("\x1b\\"));
        body.is_some_and(|body| body.chars().all(|c| matches!(c, ' '..='~')))
    };
    reply
        .strip_prefix("\x1b[")
        .map(|body| !body.is_empty() && csi(body))
        .or_else(|| reply.strip_prefix("\x1b]").map(osc))
        .or_else(|| reply.strip_prefix("\x1bP").map(osc))
        .unwrap_or(false)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, ..ProptestConfig::default() })]

    #[test]
    fn chunking_changes_nothing(
        bytes in stream(),
        cuts in proptest::collection::vec(any::<usize>(), 0..12),
        columns in 2u16..20,
        lines in 1u16..8,
        history in 0usize..30,
    ) {
        let mut whole = emulator(columns, lines, history);
        whole.advance(&bytes);
        for chunks in [cut(&bytes, &cuts), bytes.chunks(1).map(<[u8]>::to_vec).collect()] {
            let mut split = emulator(columns, lines, history);
            let mut events = Vec::new();
            for chunk in &chunks {
                split.advance(chunk);
                events.extend(split.take_events());
            }
            for source in [ReadSource::Recent, ReadSource::LastCommand] {
                prop_assert_eq!(
                    read(&whole, source, ReadFormat::Ansi),
                    read(&split, source, ReadFormat::Ansi)
                );
            }
            let mut one = super::emulator(columns, lines, history);
            one.advance(&bytes);
            prop_assert_eq!(lasting(one.take_events()), lasting(events));
            prop_assert_eq!(whole.modes(), split.modes());
            let (a, b) = (frame(&mut whole), frame(&mut split));
            prop_assert_eq!(a.cursor, b.cursor);
            prop_assert_eq!(a.palette, b.palette);
            prop_assert_eq!(a.cells.len(), b.cells.len());
            for (a, b) in a.cells.iter().zip(&b.cells) {
                prop_assert_eq!(a, b);
            }
        }
    }

    #[test]
    fn replies_are_safe(bytes in stream()) {
        let mut emulator = emulator(20, 5, 10);
        emulator.advance(&bytes);
        for event in emulator.take_events() {
            if let EmulatorEvent::Reply(reply) = event {
                prop_assert!(is_safe(&reply), "{:?}", reply);
            }
        }
    }

    #[test]
    fn any_size_at_any_time(
        steps in proptest::collection::vec((stream(), 0u16..30, 0u16..12, -5i32..20), 1..6),
    ) {
        let mut emulator = emulator(20, 5, 10);
        for (bytes, columns, lines, scroll) in steps {
            emulator.advance(&bytes);
            emulator.scroll(Scroll::Delta(scroll));
            let point = ViewPoint { line: usize::from(lines), column: usize::from(columns) };
            emulator.select(SelectionKind::Semantic, point, CellSide::Left);
            emulator.resize(GridSize::new(columns, lines));
            let frame = frame(&mut emulator);
            prop_assert_eq!(frame.cells.len(), frame.columns * frame.lines);
            prop_assert!(frame.display_offset <= frame.history);
            emulator.selection_text();
            for source in [ReadSource::Recent, ReadSource::Screen, ReadSource::LastCommand] {
                read(&emulator, source, ReadFormat::Ansi);
            }
        }
    }

    /// The place of a command's output against a line count kept by hand.
    #[test]
    fn marks_stay_on_their_rows(
        before in 0usize..3000,
        output in 1usize..200,
        after in proptest::collection::vec(0usize..40, 0..4),
        history in 250usize..1500,
    ) {
        let mut emulator = emulator(20, 5, history);
        emulator.advance(numbered(1, before).as_bytes());
        emulator.advance(b"\x1b]133;C\x07");
        emulator.advance(numbered(1, output).as_bytes());
        emulator.advance(b"\x1b]133;D;0\x07");
        for lines in after {
            emulator.advance("after\r\n".repeat(lines).as_bytes());
        }
        let request = ReadRequest { lines: 2000, source: ReadSource::LastCommand, format: ReadFormat::Text };
        let read = emulator.read(&request).unwrap();
        let expected: Vec<_> = (1..=output).map(|n| format!("line {n}")).collect();
        prop_assert_eq!(read.text, expected.join("\n"));
        prop_assert!(!read.truncated);
    }
}
