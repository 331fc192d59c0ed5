//! Where the program under test is.

use std::path::PathBuf;

/// Names the program under test; without it the one built beside the tests is taken.
pub const VARIABLE: &str = "NEBULA_TEST_BINARY";

/// The path of the `nebula` under test.
///
/// `NEBULA_TEST_BINARY` wins; otherwise `<target>/<profile>/nebula`, the profile being that of the
/// running test. A missing program is a panic that says how to get one, because a test that skips
/// itself would look like a test that passed.
#[must_use]
pub fn nebula() -> PathBuf {
    let path = match std::env::var_os(VARIABLE) {
        Some(path) => PathBuf::from(path),
        None => beside_the_tests("nebula"),
    };
    assert!(
        path.is_file(),
        "there is no nebula at {}: build it with `cargo build -p nebula`, or name one in {VARIABLE}",
        path.display()
    );
    path
}

/// A program of the profile directory of the running test.
fn beside_the_tests(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    let mut directory = test
        .parent()
        .expect("a program is in a directory")
        .to_path_buf();
    // Integration tests stand in `deps`, unit tests too; binaries stand one above.
    if directory.ends_with("deps") {
        directory.pop();
    }
    directory.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The root of the repository, for files that tests compare with.
#[must_use]
pub fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
