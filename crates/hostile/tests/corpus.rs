//! Looks again at everything that fuzzing was seeded with or has found.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a corpus that cannot be read fails the test"
)]

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use hostile::Check;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a readable entry").path();
        match path.is_dir() {
            true => files.extend(self::files(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

fn replay(check: Check, files: &[PathBuf]) {
    let failed: Vec<&PathBuf> = files
        .iter()
        .filter(|path| {
            let data = fs::read(path).expect("a readable file");
            catch_unwind(|| check(&data)).is_err()
        })
        .collect();
    assert!(failed.is_empty(), "promises do not hold for {failed:#?}");
}

#[test]
fn the_corpus_keeps_every_promise() {
    for (target, check) in hostile::TARGETS {
        let files = files(&repository().join("fuzz/corpus").join(target));
        assert!(files.len() >= 10, "{target} has only {} seeds", files.len());
        replay(check, &files);
    }
}

/// Recordings are output as well, and cut anywhere they are hostile enough.
#[test]
fn recordings_keep_the_promises_of_output() {
    let folder = repository().join("crates/terminal/tests/reference");
    let recordings = files(&folder);
    let recordings = recordings
        .into_iter()
        .filter(|path| path.ends_with("output"));
    replay(hostile::output, &recordings.collect::<Vec<_>>());
}
