//! The bare parser: reads a file, feeds it to `alacritty_terminal` and prints the seconds that took.
//! It is what a terminal could reach at most if reading, locking and drawing were free. An example,
//! because it must be compiled with optimisation and nothing else of this crate needs the parser.
//!
//! Usage: `parse FILE COLUMNS LINES`
#![allow(clippy::print_stdout, reason = "the result is the output")]

use std::time::Instant;
use std::{env, fs};

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::term::Config;
use alacritty_terminal::vte::ansi::{Processor, StdSyncHandler};
use anyhow::{Context, Result};

/// As a reader thread hands it over.
const PIECE: usize = 64 * 1024;

struct Size {
    columns: usize,
    lines: usize,
}

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.lines
    }

    fn screen_lines(&self) -> usize {
        self.lines
    }

    fn columns(&self) -> usize {
        self.columns
    }
}

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let mut next = || arguments.next().context("usage: parse FILE COLUMNS LINES");
    let bytes = fs::read(next()?)?;
    let size = Size {
        columns: next()?.parse()?,
        lines: next()?.parse()?,
    };
    let config = Config {
        scrolling_history: 10_000,
        ..Config::default()
    };
    let mut terminal = Term::new(config, &size, VoidListener);
    let mut parser: Processor<StdSyncHandler> = Processor::new();
    let start = Instant::now();
    for piece in bytes.chunks(PIECE) {
        parser.advance(&mut terminal, piece);
    }
    println!("{}", start.elapsed().as_secs_f64());
    Ok(())
}
