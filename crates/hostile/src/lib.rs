//! What must hold for any bytes that come from outside.
//!
//! Each function takes the bytes a fuzzer thought of and panics when a promise does not hold. The
//! fuzz targets in `fuzz/` call nothing else, and `tests/corpus.rs` calls the same functions with
//! the corpus they left, so that what was found once is looked at by every `cargo test`.
//!
//! Nothing here knows what is *right* for an input. That is said by the tests of the crates.

mod input;
mod noise;
mod output;
mod request;
mod strings;

pub use input::input;
pub use output::output;
pub use request::request;
pub use strings::strings;

/// Takes any bytes and panics when a promise does not hold.
pub type Check = fn(&[u8]);

/// Every check with the name of its fuzz target and its corpus.
pub const TARGETS: [(&str, Check); 4] = [
    ("output", output),
    ("strings", strings),
    ("input", input),
    ("request", request),
];
