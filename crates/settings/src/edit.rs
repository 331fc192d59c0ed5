//! Changing one value in `settings.toml` as a careful person would: comments, order and everything
//! else in the file stay as they are.

use std::io;
use std::path::PathBuf;

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use crate::fields::field;
use crate::file;
use crate::store::SettingsStore;

/// Why a value was not written. The file is then unchanged. The text is complete: there is no
/// source that would be printed after it once more.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// There is no such key.
    #[error("{0} is not a setting")]
    UnknownKey(String),
    /// The value is of the wrong type or out of range; the message names key and range.
    #[error("{0}")]
    NotAllowed(String),
    /// The file as it is cannot be changed without losing something.
    #[error("{file} is not valid TOML ({reason}); repair it, then change the setting again")]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file can be neither read nor replaced.
    #[error("cannot change {file}: {reason}")]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

impl SettingsStore {
    /// Writes `value` for a dotted key (`ui.font_size`) and puts it in force. Touches the disk: not
    /// for a thread that draws.
    ///
    /// # Errors
    /// See [`SetError`].
    pub fn set(&self, key: &str, value: impl Into<Value>) -> Result<(), SetError> {
        let value = value.into();
        let field = field(key).ok_or_else(|| SetError::UnknownKey(key.to_owned()))?;
        field.check(&value).map_err(SetError::NotAllowed)?;
        self.edit(|document| {
            let table = section(document, field.section())?;
            match table.get_mut(field.name()).and_then(Item::as_value_mut) {
                Some(old) => {
                    // The decoration is the blanks before the value and the comment behind it.
                    let decor = old.decor().clone();
                    *old = value;
                    *old.decor_mut() = decor;
                }
                None => {
                    table.insert(field.name(), Item::Value(value));
                }
            }
            Some(())
        })
    }

    /// Removes a dotted key, so that its default is in force again.
    ///
    /// # Errors
    /// See [`SetError`].
    pub fn reset(&self, key: &str) -> Result<(), SetError> {
        let field = field(key).ok_or_else(|| SetError::UnknownKey(key.to_owned()))?;
        self.edit(|document| {
            if let Some(table) = document
                .get_mut(field.section())
                .and_then(Item::as_table_like_mut)
            {
                table.remove(field.name());
            }
            Some(())
        })
    }

    fn edit(&self, change: impl FnOnce(&mut DocumentMut) -> Option<()>) -> Result<(), SetError> {
        let path = self.paths().settings_file();
        let failed = |reason| SetError::Io {
            file: path.clone(),
            reason,
        };
        let broken = |reason| SetError::Broken {
            file: path.clone(),
            reason,
        };
        {
            let _alone = self.shared().editing.lock();
            let text = file::read(&path).map_err(failed)?.unwrap_or_default();
            let mut document: DocumentMut = text
                .parse()
                .map_err(|error: toml_edit::TomlError| broken(error.message().to_owned()))?;
            change(&mut document)
                .ok_or_else(|| broken("a key stands where a table must".into()))?;
            let changed = document.to_string();
            if changed != text {
                file::replace(&path, &changed).map_err(failed)?;
            }
        }
        if self.reload() {
            self.wake_watches();
        }
        Ok(())
    }
}

/// The table of a section, made at the end of the file where it is missing.
fn section<'a>(document: &'a mut DocumentMut, name: &str) -> Option<&'a mut dyn TableLike> {
    if document.get(name).is_none() {
        document.insert(name, Item::Table(Table::new()));
    }
    document.get_mut(name)?.as_table_like_mut()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::paths::Paths;

    fn store(text: &str) -> (tempfile::TempDir, SettingsStore) {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::new(dir.path().join("data"), dir.path());
        fs::write(paths.settings_file(), text).unwrap();
        let store = SettingsStore::load(&paths).0;
        (dir, store)
    }

    fn text(store: &SettingsStore) -> String {
        fs::read_to_string(store.paths().settings_file()).unwrap()
    }

    #[test]
    fn comments_order_and_unknown_keys_stay() {
        let before = "# mine\n[ui] # looks\nfont_size = 12   # small\nfuture = 1\n\n[terminal]\n\
                      shell = 'zsh' # ok\n";
        let (_dir, store) = store(before);
        store.set("ui.font_size", 15).unwrap();
        assert_eq!(text(&store), before.replace("= 12 ", "= 15 "));
        assert_eq!(store.current().ui.font_size, 15.0);
        store.set("ui.theme", "dark").unwrap();
        store.set("panes.hold_on_exit", true).unwrap();
        assert_eq!(
            text(&store),
            "# mine\n[ui] # looks\nfont_size = 15   # small\nfuture = 1\ntheme = \"dark\"\n\n\
             [terminal]\nshell = 'zsh' # ok\n\n[panes]\nhold_on_exit = true\n"
        );
        store.reset("ui.font_size").unwrap();
        assert_eq!(store.current().ui.font_size, 14.0);
        assert!(!text(&store).contains("font_size"));
    }

    #[test]
    fn dotted_and_inline_tables_are_edited_in_place() {
        let (_dir, dotted) = store("ui.font_size = 12\n");
        dotted.set("ui.font_size", 13).unwrap();
        dotted.set("ui.theme", "light").unwrap();
        assert_eq!(text(&dotted), "ui.font_size = 13\nui.theme = \"light\"\n");
        let (_dir, inline) = store("ui = { font_size = 12 }\n");
        inline.set("ui.theme", "light").unwrap();
        let written = text(&inline);
        assert!(written.starts_with("ui = { font_size = 12"), "{written}");
        assert_eq!(inline.current().ui.theme, "light");
        assert_eq!(inline.problems(), []);
    }

    #[test]
    fn a_refused_change_leaves_the_file_alone() {
        let (_dir, store) = store("[ui]\nfont_size = 12\n");
        let refused = store.set("ui.font_size", 200).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "ui.font_size must be a number from 6 to 72, not 200"
        );
        assert!(matches!(
            store.set("ui.nothing", 1),
            Err(SetError::UnknownKey(_))
        ));
        assert!(matches!(
            store.reset("nothing"),
            Err(SetError::UnknownKey(_))
        ));
        assert_eq!(text(&store), "[ui]\nfont_size = 12\n");
    }

    #[test]
    fn what_the_system_said_is_told_once() {
        use std::error::Error;

        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a file");
        fs::write(&file, "").unwrap();
        let paths = crate::Paths::new(dir.path().join("data"), file.join("config"));
        let (store, _) = SettingsStore::load(&paths);
        let refused = store.set("ui.font_size", 20).unwrap_err();
        let failed = store.watch(|_| {}).err().unwrap();
        for error in [&refused as &dyn Error, &failed] {
            assert!(error.to_string().contains("(os error"), "{error}");
            assert!(error.source().is_none(), "{error}");
        }
    }

    #[test]
    fn a_broken_file_is_not_overwritten() {
        let (_dir, store) = store("[ui\n");
        assert!(matches!(
            store.set("ui.font_size", 20),
            Err(SetError::Broken { .. })
        ));
        assert_eq!(text(&store), "[ui\n");
        fs::write(store.paths().settings_file(), "ui = 3\n").unwrap();
        assert!(matches!(
            store.set("ui.font_size", 20),
            Err(SetError::Broken { .. })
        ));
        assert_eq!(text(&store), "ui = 3\n");
    }

    #[test]
    fn edits_of_many_threads_all_arrive() {
        let (_dir, store) = store("");
        std::thread::scope(|scope| {
            for key in [
                "terminal.copy_on_select",
                "terminal.cursor_blink",
                "panes.hold_on_exit",
            ] {
                let store = store.clone();
                scope.spawn(move || store.set(key, true).unwrap());
            }
        });
        let settings = store.current();
        assert!(settings.terminal.copy_on_select);
        assert!(settings.terminal.cursor_blink && settings.panes.hold_on_exit);
    }
}
