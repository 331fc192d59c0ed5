//! Parsing alone: the emulator beside the bare library it is built on, on three streams.
//!
//! `cargo bench -p terminal`. The distance between the two is the price of the scanner, the marks
//! and the bounds; it should stay under a tenth.
#![allow(
    missing_docs,
    reason = "criterion's macros write undocumented functions"
)]

use std::hint::black_box;

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::term::Config;
use alacritty_terminal::vte::ansi::{Processor, StdSyncHandler};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use terminal::{Emulator, GridSize, TerminalOptions};

/// As much as the reader thread hands over at once.
const CHUNK: usize = 64 * 1024;
const SIZE: usize = 8 * 1024 * 1024;

/// Printable ASCII in lines of different lengths.
fn ascii() -> Vec<u8> {
    let mut text = Vec::with_capacity(SIZE + 256);
    let mut seed = 1u32;
    while text.len() < SIZE {
        for _ in 0..40 + seed % 120 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push(b' ' + u8::try_from((seed >> 16) % 95).unwrap_or_default());
        }
        text.extend_from_slice(b"\r\n");
    }
    text
}

/// Colour changes around short words, a quarter of them in wide characters.
fn colored() -> Vec<u8> {
    let mut text = Vec::with_capacity(SIZE + 256);
    let mut n = 0u32;
    while text.len() < SIZE {
        n = n.wrapping_add(1);
        let word = if n.is_multiple_of(4) {
            "中文字符"
        } else {
            "word and more"
        };
        text.extend_from_slice(format!("\x1b[38;5;{}m{word}\x1b[0m ", n % 256).as_bytes());
        if n.is_multiple_of(8) {
            text.extend_from_slice(b"\r\n");
        }
    }
    text
}

/// A full-screen program that repaints cell by cell.
fn painting() -> Vec<u8> {
    let mut text = Vec::with_capacity(SIZE + 256);
    let mut n = 0u32;
    while text.len() < SIZE {
        n = n.wrapping_add(1);
        let (line, column) = (1 + n * 7 % 40, 1 + n * 13 % 110);
        let paint = format!("\x1b[{line};{column}H\x1b[1;3{}mcell {n}\x1b[K", n % 8);
        text.extend_from_slice(paint.as_bytes());
    }
    text
}

fn parse(criterion: &mut Criterion) {
    let options = TerminalOptions {
        size: GridSize::new(120, 40),
        ..TerminalOptions::default()
    };
    for (name, stream) in [
        ("ascii", ascii()),
        ("colored", colored()),
        ("painting", painting()),
    ] {
        let mut group = criterion.benchmark_group(name);
        group
            .sample_size(20)
            .throughput(Throughput::Bytes(stream.len() as u64));
        let mut term = Term::new(Config::default(), &options.size, VoidListener);
        let mut processor = Processor::<StdSyncHandler>::new();
        group.bench_function("library", |bencher| {
            bencher.iter(|| {
                for chunk in stream.chunks(CHUNK) {
                    processor.advance(&mut term, black_box(chunk));
                }
            });
        });
        let mut emulator = Emulator::new(&options);
        group.bench_function("emulator", |bencher| {
            bencher.iter(|| {
                for chunk in stream.chunks(CHUNK) {
                    emulator.advance(black_box(chunk));
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, parse);
criterion_main!(benches);
