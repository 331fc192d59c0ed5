//! The connection log: what was done to reach a host, for the user to read.
//!
//! It never holds a secret: nothing that a user typed and no key material is ever given to it. Text
//! of the server is made harmless on the way in.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::{limits, text};

/// A bounded list of lines; clones are the same log.
#[derive(Clone, Default)]
pub struct ConnectionLog {
    /// Held for a push or a copy only.
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl ConnectionLog {
    /// The lines so far, oldest first, at most [`limits::LOG_LINES`].
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().iter().cloned().collect()
    }

    pub(crate) fn push(&self, line: impl AsRef<str>) {
        let line = text::plain(line.as_ref(), limits::LOG_LINE_BYTES);
        tracing::debug!(target: "ssh", "{line}");
        let mut lines = self.lines.lock();
        if lines.len() >= limits::LOG_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

impl fmt::Debug for ConnectionLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionLog").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_bounded_and_harmless() {
        let log = ConnectionLog::default();
        for n in 0..limits::LOG_LINES + 5 {
            log.push(format!("{n}\u{1b}[2J{}", "x".repeat(5000)));
        }
        let lines = log.lines();
        assert_eq!(lines.len(), limits::LOG_LINES);
        assert!(lines[0].starts_with("5 [2J") && lines[0].len() <= limits::LOG_LINE_BYTES);
    }
}
