//! A program for panes that switches bracketed paste on and writes down what it reads.
//!
//! `paste-probe FILE` puts its terminal into raw mode, prints `probe ready`, and appends one line
//! `<milliseconds> <bytes in hex>` to FILE for every read. It ends when a read holds byte 4
//! (Ctrl+D). `paste-probe FILE plain` does the same without bracketed paste.

use std::fs::File;
use std::io::{Read, Write};
use std::time::Instant;

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments
        .next()
        .ok_or_else(|| std::io::Error::other("a file is needed"))?;
    let bracketed = arguments.next().is_none();

    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout();
    let cooked = tcgetattr(&input)?;
    let mut raw = cooked.clone();
    raw.make_raw();
    tcsetattr(&input, OptionalActions::Now, &raw)?;

    let mut file = File::create(path)?;
    if bracketed {
        write!(output, "\x1b[?2004h")?;
    }
    write!(output, "probe ready\r\n")?;
    output.flush()?;

    let start = Instant::now();
    let mut buffer = [0; 65536];
    loop {
        let count = input.read(&mut buffer)?;
        let bytes = &buffer[..count];
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(file, "{} {hex}", start.elapsed().as_millis())?;
        if count == 0 || bytes.contains(&4) {
            break;
        }
    }

    if bracketed {
        write!(output, "\x1b[?2004l")?;
    }
    write!(output, "probe done\r\n")?;
    output.flush()?;
    tcsetattr(&input, OptionalActions::Now, &cooked)?;
    Ok(())
}
