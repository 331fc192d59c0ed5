//! Records what a program prints, for the reference tests: `tests/reference/README.md` says how.
//!
//!     cargo run -p terminal --example record -- OUTPUT COLUMNSxLINES [KEYS]... -- PROGRAM [ARGUMENT]...
//!
//! Starts the program on a pseudo-terminal of that size, answers its queries as Nebula does, sends
//! each KEYS when its output has come to rest, and writes the bytes that it printed until it ends or
//! rests after the last KEYS. KEYS may contain `\e`, `\r`, `\n`, `\t`, `\\` and `\xHH`.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use terminal::{Emulator, EmulatorEvent, GridSize, TerminalOptions};

/// Output rests when nothing came for this long.
const REST: Duration = Duration::from_millis(700);
/// A recording is something to be read by people.
const MAX_BYTES: usize = 256 * 1024;

const USAGE: &str = "record OUTPUT COLUMNSxLINES [KEYS]... -- PROGRAM [ARGUMENT]...";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let at = arguments
        .iter()
        .position(|word| word == "--")
        .ok_or(USAGE)?;
    let (own, program) = arguments.split_at(at);
    let [output, size, keys @ ..] = own else {
        return Err(USAGE.into());
    };
    let size = parse_size(size).ok_or(USAGE)?;
    let pieces: Vec<Vec<u8>> = keys.iter().map(|keys| unescape(keys)).collect();

    let pair = native_pty_system().openpty(PtySize {
        rows: size.lines,
        cols: size.columns,
        pixel_width: size.columns * size.cell_width,
        pixel_height: size.lines * size.cell_height,
    })?;
    let mut words = program.iter().skip(1);
    let mut command = CommandBuilder::new(words.next().ok_or(USAGE)?);
    command.args(words);
    command.cwd(std::env::current_dir()?);
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    let mut child = pair.slave.spawn_command(command)?;
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader()?;
    let mut writer = pair.master.take_writer()?;
    let (sender, received) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 64 * 1024];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            let bytes = buffer.get(..count).unwrap_or_default().to_vec();
            if sender.send(bytes).is_err() {
                return;
            }
        }
    });

    let mut recording = Vec::new();
    let mut emulator = Emulator::new(&TerminalOptions {
        size,
        ..TerminalOptions::default()
    });
    let mut alive = until_rest(&received, &mut emulator, &mut writer, &mut recording)?;
    for piece in pieces {
        if alive {
            writer.write_all(&piece)?;
            alive = until_rest(&received, &mut emulator, &mut writer, &mut recording)?;
        }
    }
    if alive {
        child.kill()?;
    }
    child.wait()?;
    fs::write(output, recording)?;
    Ok(())
}

/// Takes output until it rests; false when the program has ended.
fn until_rest(
    received: &Receiver<Vec<u8>>,
    emulator: &mut Emulator,
    writer: &mut impl Write,
    recording: &mut Vec<u8>,
) -> Result<bool, Box<dyn Error>> {
    loop {
        let bytes = match received.recv_timeout(REST) {
            Ok(bytes) => bytes,
            Err(RecvTimeoutError::Timeout) => return Ok(true),
            Err(RecvTimeoutError::Disconnected) => return Ok(false),
        };
        recording.extend_from_slice(&bytes);
        if recording.len() > MAX_BYTES {
            return Err("this is too much to be read by people".into());
        }
        emulator.advance(&bytes);
        for event in emulator.take_events() {
            if let EmulatorEvent::Reply(reply) = event {
                writer.write_all(reply.as_bytes())?;
            }
        }
    }
}

fn parse_size(text: &str) -> Option<GridSize> {
    let (columns, lines) = text.split_once('x')?;
    Some(GridSize {
        cell_width: 9,
        cell_height: 18,
        ..GridSize::new(columns.parse().ok()?, lines.parse().ok()?)
    })
}

fn unescape(keys: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = keys.chars();
    while let Some(c) = rest.next() {
        let escaped = (c == '\\').then(|| rest.next()).flatten();
        match escaped {
            Some('e') => bytes.push(0x1b),
            Some('r') => bytes.push(b'\r'),
            Some('n') => bytes.push(b'\n'),
            Some('t') => bytes.push(b'\t'),
            Some('x') => {
                let digits: String = rest.by_ref().take(2).collect();
                bytes.extend(u8::from_str_radix(&digits, 16));
            }
            other => bytes.extend(other.unwrap_or(c).to_string().as_bytes()),
        }
    }
    bytes
}
