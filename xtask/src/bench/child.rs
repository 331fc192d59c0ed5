//! The program that runs inside a terminal under measurement.
//!
//! It waits until the terminal has the wanted size, writes a file to it, asks it a question and stops
//! the clock when the answer comes. A terminal answers in order, so the answer proves that everything
//! before it was interpreted. The result goes to a file, because the terminal itself is what is
//! measured.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::termios::{
    OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
};

/// Primary device attributes; every terminal answers `ESC [ ? … c`.
const QUESTION: &[u8] = b"\x1b[c";

/// As `cat` writes.
const PIECE: usize = 128 * 1024;

/// A window that does not have the wanted size by then will not get it.
const RESIZED: Duration = Duration::from_secs(10);

#[derive(clap::Args)]
pub struct Options {
    /// The file to write to the terminal; nothing is written when it is left out
    #[arg(long)]
    stream: Option<PathBuf>,
    /// Wait until the terminal has this size, columns and lines
    #[arg(long, num_args = 2, value_names = ["COLUMNS", "LINES"])]
    size: Vec<u16>,
    /// Where the result goes: seconds, columns and lines
    out: PathBuf,
}

/// What the child found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// From the first byte written to the answer.
    pub time: Duration,
    /// Size of the terminal.
    pub columns: u16,
    /// Size of the terminal.
    pub lines: u16,
}

impl Outcome {
    /// Reads the file of a child; `None` when it is not there yet.
    pub fn read(path: &Path) -> Option<Result<Self>> {
        let text = fs::read_to_string(path).ok()?;
        let words: Vec<_> = text.split_whitespace().collect();
        Some(match words.as_slice() {
            [seconds, columns, lines] => Self::parse(seconds, columns, lines),
            _ => Err(anyhow::anyhow!("the measured terminal: {}", text.trim())),
        })
    }

    fn parse(seconds: &str, columns: &str, lines: &str) -> Result<Self> {
        Ok(Self {
            time: Duration::from_secs_f64(seconds.parse()?),
            columns: columns.parse()?,
            lines: lines.parse()?,
        })
    }
}

/// The hidden task.
pub fn run(options: &Options) -> Result<()> {
    let text = match measure(options) {
        Ok(Outcome {
            time,
            columns,
            lines,
        }) => {
            format!("{} {columns} {lines}\n", time.as_secs_f64())
        }
        Err(error) => format!("failed: {error:#}\n"),
    };
    // Renamed, so that who waits for the file never sees half of it.
    let part = options.out.with_extension("part");
    fs::write(&part, text)?;
    fs::rename(&part, &options.out)?;
    Ok(())
}

fn measure(options: &Options) -> Result<Outcome> {
    let stream = match &options.stream {
        Some(path) => fs::read(path).with_context(|| format!("cannot read {}", path.display()))?,
        None => Vec::new(),
    };
    let raw = Raw::start()?;
    let (columns, lines) = wait_for_size(&options.size)?;
    let start = Instant::now();
    let mut terminal = io::stdout().lock();
    for piece in stream.chunks(PIECE) {
        terminal.write_all(piece)?;
    }
    terminal.write_all(QUESTION)?;
    terminal.flush()?;
    wait_for_answer()?;
    let time = start.elapsed();
    drop(raw);
    Ok(Outcome {
        time,
        columns,
        lines,
    })
}

fn wait_for_size(wanted: &[u16]) -> Result<(u16, u16)> {
    let deadline = Instant::now() + RESIZED;
    loop {
        let size = tcgetwinsize(io::stdout())?;
        let is = (size.ws_col, size.ws_row);
        match wanted {
            [columns, lines] if is != (*columns, *lines) => {
                if Instant::now() > deadline {
                    bail!("it stays at {} × {}, not {columns} × {lines}", is.0, is.1);
                }
                thread::sleep(Duration::from_millis(10));
            }
            _ => return Ok(is),
        }
    }
}

/// Reads up to the `c` that ends the answer. Typing cannot come before it: nobody types here.
fn wait_for_answer() -> Result<()> {
    let mut input = io::stdin().lock();
    let mut byte = [0];
    let mut answer = Vec::new();
    loop {
        input
            .read_exact(&mut byte)
            .context("the terminal was closed before it answered")?;
        answer.extend_from_slice(&byte);
        if byte == *b"c" && answer.windows(3).any(|part| part == b"\x1b[?") {
            return Ok(());
        }
        if answer.len() > 4096 {
            bail!("the terminal sends something else than an answer");
        }
    }
}

/// The terminal in raw mode; dropping it restores the mode.
struct Raw(Termios);

impl Raw {
    fn start() -> Result<Self> {
        let before = tcgetattr(io::stdin()).context("standard input is no terminal")?;
        let mut raw = before.clone();
        raw.make_raw();
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self(before))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(io::stdin(), OptionalActions::Now, &self.0) {
            eprintln!("the terminal stays in raw mode: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_and_failures_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        assert!(Outcome::read(&path).is_none());
        fs::write(&path, "2.5 120 40\n").unwrap();
        let outcome = Outcome::read(&path).unwrap().unwrap();
        assert_eq!((outcome.columns, outcome.lines), (120, 40));
        assert_eq!(outcome.time, Duration::from_millis(2500));
        fs::write(&path, "failed: it stays at 80 × 24\n").unwrap();
        let error = Outcome::read(&path).unwrap().unwrap_err().to_string();
        assert!(error.contains("it stays at 80 × 24"), "{error}");
    }
}
