//! Reference tests: recorded output of programs against what a person found it to mean.
//!
//! Each folder of `tests/reference` holds a recording and a description of the screen after it.
//! `tests/reference/README.md` says how to add one, and how to read them.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a folder that cannot be read fails the test"
)]

#[path = "reference/describe.rs"]
mod describe;

use std::fs;
use std::path::{Path, PathBuf};

use describe::describe;
use terminal::{Emulator, GridSize, TerminalOptions};

/// With this variable descriptions are written instead of compared.
const WRITE: &str = "NEBULA_WRITE_REFERENCE";

/// Cell size in pixels, as in the recorder.
const CELL: (u16, u16) = (9, 18);

struct Case {
    folder: PathBuf,
    output: Vec<u8>,
    /// Lines for people at the begin of the description.
    about: String,
    size: GridSize,
    expected: String,
}

impl Case {
    fn load(folder: PathBuf) -> Self {
        let read = |name: &str| {
            fs::read(folder.join(name))
                .unwrap_or_else(|error| panic!("{}/{name}: {error}", folder.display()))
        };
        let expected = String::from_utf8(read("expected.txt")).expect("descriptions are UTF-8");
        let about: String = expected
            .lines()
            .take_while(|line| line.starts_with('#'))
            .map(|line| format!("{line}\n"))
            .collect();
        let size = expected
            .lines()
            .find_map(|line| line.strip_prefix("size ")?.split_once('x'))
            .and_then(|(columns, lines)| {
                Some(GridSize {
                    cell_width: CELL.0,
                    cell_height: CELL.1,
                    ..GridSize::new(columns.parse().ok()?, lines.parse().ok()?)
                })
            });
        Self {
            output: read("output"),
            size: size.unwrap_or_else(|| panic!("{}: no line `size 80x24`", folder.display())),
            about,
            expected,
            folder,
        }
    }

    fn name(&self) -> &str {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        name.expect("folders have plain names")
    }

    /// The description after the output, taken in pieces of at most `piece` bytes.
    fn describe(&self, piece: usize) -> String {
        let mut emulator = Emulator::new(&TerminalOptions {
            size: self.size,
            ..TerminalOptions::default()
        });
        for bytes in self.output.chunks(piece) {
            emulator.advance(bytes);
        }
        let events = emulator.take_events();
        self.about.clone() + &describe(&mut emulator, &events)
    }
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let mut folders: Vec<PathBuf> = fs::read_dir(root)
        .expect("the references are there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders.into_iter().map(Case::load).collect()
}

/// The first lines that differ, with what is around them.
fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let same = expected.iter().zip(&found).take_while(|(a, b)| a == b);
    let from = same.count();
    let part = |lines: &[&str], sign: &str| {
        let lines = lines.iter().skip(from).take(6);
        lines
            .map(|line| format!("{sign} {line}\n"))
            .collect::<String>()
    };
    format!(
        "from line {}:\n{}{}",
        from + 1,
        part(&expected, "-"),
        part(&found, "+")
    )
}

#[test]
fn recordings_mean_what_is_written_beside_them() {
    let cases = cases();
    assert!(cases.len() >= 25, "only {} references", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let found = case.describe(usize::MAX);
        if std::env::var_os(WRITE).is_some() {
            fs::write(case.folder.join("expected.txt"), &found).expect("written");
        } else if found != case.expected {
            wrong.push(format!(
                "{}, {}",
                case.name(),
                difference(&case.expected, &found)
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_pieces_in_which_a_recording_arrives_change_nothing() {
    for case in cases() {
        let whole = case.describe(usize::MAX);
        for piece in [1, 2, 7, 61] {
            let found = case.describe(piece);
            let name = case.name();
            assert!(
                found == whole,
                "{name} in pieces of {piece}, {}",
                difference(&whole, &found)
            );
        }
    }
}

/// Who records shall not publish where: everything comes from the stage.
#[test]
fn recordings_name_no_place_of_the_machine() {
    for case in cases() {
        let texts = [&case.output[..], case.expected.as_bytes()];
        for (text, place) in texts.iter().flat_map(|text| {
            ["/home/", "/root", "/tmp", "/work", "/Users"].map(|place| (text, place))
        }) {
            let windows = text.windows(place.len() + 4);
            let found = windows.filter(|part| part.starts_with(place.as_bytes()));
            for part in found {
                let name = case.name();
                assert_eq!(part, b"/home/demo", "a place in {name}");
            }
        }
    }
}
