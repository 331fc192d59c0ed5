//! `docs/settings.md` says what the types say.

use std::fs;
use std::path::Path;

/// Set by `cargo xtask docs --write`: the page is written instead of compared.
const WRITE: &str = "NEBULA_WRITE_DOCS";

#[test]
fn the_page_is_current() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let wanted = settings::documentation();
    if std::env::var_os(WRITE).is_some() {
        fs::write(&page, &wanted).unwrap();
    }
    let written = fs::read_to_string(&page).unwrap_or_default();
    let place = written
        .lines()
        .zip(wanted.lines())
        .position(|(written, wanted)| written != wanted);
    assert!(
        written == wanted,
        "docs/settings.md differs from the types, first in line {}; run `cargo xtask docs --write`",
        place.unwrap_or(written.lines().count().min(wanted.lines().count())) + 1
    );
}
