//! Operating system commands as shells and hostile programs send them: marks, directories, links,
//! titles, the clipboard.

use terminal::{Emulator, EmulatorEvent, Frame, GridSize, TerminalOptions};

use crate::noise::Noise;
use crate::output::check_event;

/// Beginnings that have a meaning, so that a fuzzer does not have to find them.
const BEGINNINGS: [&str; 16] = [
    "",
    "0;",
    "2;",
    "4;",
    "7;file://",
    "7;kitty-shell-cwd://",
    "8;",
    "8;id=",
    "9;9;",
    "10;",
    "22;",
    "52;",
    "104;",
    "133;",
    "133;C;cmdline_url=",
    "133;D;",
];

/// Ends of a string, the last three of which cut it.
const ENDS: [&[u8]; 6] = [b"\x07", b"\x1b\\", b"\x1b\\", b"\x18", b"\x1a", b"\x1b[m"];

/// A string leaves no text on the screen and does not touch what stands there; what it announces
/// keeps within its bounds, and a string that is cut announces nothing.
pub fn strings(data: &[u8]) {
    let mut noise = Noise::new(data);
    let choice = noise.byte();
    let beginning = BEGINNINGS
        .get(usize::from(choice >> 3) % BEGINNINGS.len())
        .copied()
        .unwrap_or_default();
    let end = usize::from(choice & 7) % ENDS.len();
    let (end, is_cut) = (ENDS.get(end).copied().unwrap_or(b"\x07"), end > 2);
    let piece = usize::from(noise.byte()).max(1);
    // What would end the string early belongs to the other target.
    let body = noise.rest().iter().copied();
    let body = body.filter(|byte| !matches!(byte, 0x07 | 0x18 | 0x1a | 0x1b));

    let mut stream = b"\x1b]".to_vec();
    stream.extend_from_slice(beginning.as_bytes());
    stream.extend(body);
    stream.extend_from_slice(end);

    let options = TerminalOptions {
        size: GridSize::new(20, 4),
        ..TerminalOptions::default()
    };
    let mut emulator = Emulator::new(&options);
    emulator.advance(b"text");
    let mut before = Frame::default();
    emulator.frame(&mut before);
    for piece in stream.chunks(piece) {
        emulator.advance(piece);
    }
    let events = emulator.take_events();
    events.iter().for_each(check_event);
    assert!(
        !is_cut || events.is_empty(),
        "half a string announced {events:?}"
    );
    let rang = events.contains(&EmulatorEvent::Bell);
    assert!(!rang, "the end of a string does not ring");

    let mut after = Frame::default();
    emulator.frame(&mut after);
    assert_eq!(after.cells, before.cells, "a string is no text");
    assert_eq!(after.cursor, before.cursor, "a string moves nothing");

    // Whatever it set, a link among them, text after it is text.
    emulator.advance(b"!");
    emulator.frame(&mut after);
    let cell = after.row(0).get(4).map(|cell| cell.c);
    assert_eq!(cell, Some('!'), "text goes on after a string");
}
