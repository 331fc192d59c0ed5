//! Where the program keeps its files.
//!
//! Two directories are enough: one for data that the program writes for itself (the discovery
//! file, the saved session) and one for what the user edits (`settings.toml`, `keymap.toml`).
//! Nothing is created here; whoever writes first creates its directory.

use std::env;
use std::ffi::OsString;
use std::path::{self, PathBuf};

use directories::ProjectDirs;

/// Environment variable that replaces the platform's data directory.
pub const DATA_DIR_VARIABLE: &str = "NEBULA_DATA_DIR";

/// Environment variable that replaces the platform's configuration directory.
pub const CONFIG_DIR_VARIABLE: &str = "NEBULA_CONFIG_DIR";

/// The directories of one instance. Both are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Local data: discovery file, lock, saved session.
    pub data_dir: PathBuf,
    /// What the user edits: `settings.toml` and `keymap.toml`.
    pub config_dir: PathBuf,
}

/// Neither the environment nor the platform names a directory.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot tell where to keep files: no home directory is set. Set {DATA_DIR_VARIABLE} and \
     {CONFIG_DIR_VARIABLE}, or HOME"
)]
pub struct PathsError;

impl Paths {
    /// Directories chosen by the caller, made absolute against the current directory.
    pub fn new(data_dir: impl Into<PathBuf>, config_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: absolute(data_dir.into()),
            config_dir: absolute(config_dir.into()),
        }
    }

    /// `NEBULA_DATA_DIR` and `NEBULA_CONFIG_DIR` where set and not empty, else the platform's
    /// directories (on Linux `~/.local/share/nebula` and `~/.config/nebula`).
    ///
    /// # Errors
    /// When a directory is named by neither.
    pub fn from_env() -> Result<Self, PathsError> {
        Self::resolve(
            env::var_os(DATA_DIR_VARIABLE),
            env::var_os(CONFIG_DIR_VARIABLE),
        )
    }

    fn resolve(data: Option<OsString>, config: Option<OsString>) -> Result<Self, PathsError> {
        let named = |value: Option<OsString>| value.filter(|v| !v.is_empty()).map(PathBuf::from);
        let platform = ProjectDirs::from("", "", "nebula");
        let data_dir = named(data)
            .or_else(|| {
                platform
                    .as_ref()
                    .map(|dirs| dirs.data_local_dir().to_owned())
            })
            .ok_or(PathsError)?;
        let config_dir = named(config)
            .or_else(|| platform.as_ref().map(|dirs| dirs.config_dir().to_owned()))
            .ok_or(PathsError)?;
        Ok(Self::new(data_dir, config_dir))
    }

    /// The file of [`crate::Settings`].
    pub fn settings_file(&self) -> PathBuf {
        self.config_dir.join("settings.toml")
    }

    /// The file of [`crate::Keymap`] overrides.
    pub fn keymap_file(&self) -> PathBuf {
        self.config_dir.join("keymap.toml")
    }
}

/// Shells and children may run in other directories, so a relative path is fixed at once. Where the
/// current directory is gone the path stays as it is; opening it then gives the honest error.
fn absolute(path: PathBuf) -> PathBuf {
    path::absolute(&path).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_win_over_the_platform() {
        let paths = Paths::resolve(Some("/d".into()), Some("/c".into())).unwrap();
        assert_eq!(paths, Paths::new("/d", "/c"));
        assert_eq!(paths.settings_file(), PathBuf::from("/c/settings.toml"));
    }

    #[test]
    fn a_relative_directory_becomes_absolute() {
        let paths = Paths::resolve(Some("d".into()), Some("c".into())).unwrap();
        assert!(paths.data_dir.is_absolute() && paths.config_dir.is_absolute());
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        let unset = Paths::resolve(None, Some("/c".into())).unwrap();
        let empty = Paths::resolve(Some("".into()), Some("/c".into())).unwrap();
        assert_eq!(unset, empty);
    }
}
