//! What is wrong with a file, said so that the user can repair it.

use std::fmt;
use std::path::PathBuf;

/// How much a [`Problem`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file works; a part of it has no effect.
    Warning,
    /// A value could not be used; the last good one, or the default, is in force.
    Error,
}

/// One finding in `settings.toml` or `keymap.toml`. `Display` gives the whole sentence:
/// `settings.toml:3: ui.font_size must be a number from 6 to 72, not 100; 14 stays in force`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file in which it was found.
    pub file: PathBuf,
    /// Line in the file, from 1, where it is known.
    pub line: Option<usize>,
    /// Dotted key (`ui.font_size`), where the finding is about one.
    pub key: Option<String>,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong and what is in force instead; begins with the key where there is one.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file.file_name() {
            Some(name) => write!(f, "{}", name.to_string_lossy())?,
            None => write!(f, "{}", self.file.display())?,
        }
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Line of a byte offset, from 1.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}
