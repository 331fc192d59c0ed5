//! Looking again until something holds.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// How long a condition may take on a busy machine before the test calls it a hang.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How long to stand back between two looks. It bounds the load of the loop, not the result.
const PAUSE: Duration = Duration::from_millis(20);

/// Looks until there is something, at most [`PATIENCE`] long.
///
/// # Panics
/// When the bound passes; the message names `what`.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    until_ok(what, PATIENCE, || look().ok_or("it did not happen"))
}

/// Looks until the answer is `Ok`, at most `bound` long.
///
/// # Panics
/// When the bound passes; the message names `what` and the last reason.
pub fn until_ok<T, E: Display>(
    what: &str,
    bound: Duration,
    mut look: impl FnMut() -> Result<T, E>,
) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Ok(found) => return found,
            Err(reason) if start.elapsed() > bound => {
                panic!("waited {bound:?} for {what}; last look: {reason}")
            }
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}
