//! What the user can set: `settings.toml`, `keymap.toml`, and where the program keeps its files.
//!
//! The types in [`Settings`] are the one description of every key: values are checked against them,
//! and the documentation is made from them ([`documentation`]). The promises to the user are that a
//! wrong value never costs more than itself, that a message names file, line, key and what is
//! allowed, and that a program which writes the file keeps the user's comments and order.
//!
//! ```no_run
//! let paths = settings::Paths::from_env()?;
//! let (store, problems) = settings::SettingsStore::load(&paths);
//! let size = store.current().ui.font_size;
//! store.set("ui.font_size", f64::from(size + 1.0))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod documentation;
mod edit;
mod evaluate;
mod fields;
mod file;
mod keymap;
mod model;
mod paths;
mod problem;
mod store;
mod watch;

pub use documentation::documentation;
pub use edit::SetError;
pub use fields::{Allowed, Choice, Field, field, fields};
pub use keymap::{Action, Keymap, Keystroke, KeystrokeError, UnknownAction};
pub use model::{
    CursorShape, Language, PaneControl, PaneSettings, Settings, ShellIntegration, TerminalSettings,
    UiSettings,
};
pub use paths::{CONFIG_DIR_VARIABLE, DATA_DIR_VARIABLE, Paths, PathsError};
pub use problem::{Problem, Severity};
pub use store::{Current, SettingsStore};
pub use toml_edit::Value;
pub use watch::{SettingsWatch, WatchError};
