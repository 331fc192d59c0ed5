//! Reading and replacing the files that the user edits.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// More than any such file can need; beyond it a wrong path or a runaway program is likelier.
const LARGEST: u64 = 1024 * 1024;

/// The text of a file, or `None` when there is no such file. Anything but a regular file is refused:
/// opening a named pipe would wait for its other end.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => {}
        Ok(_) => return Err(io::Error::other("not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if read as u64 > LARGEST {
        return Err(io::Error::other("larger than 1 MiB"));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| io::Error::other("not UTF-8 text"))
}

/// Replaces the text of a file in one step: a reader sees the old or the new one, never a half.
///
/// An existing file keeps its mode, and a symbolic link stays a link to the file that changed. A new
/// file is 0600, a new directory 0700.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = real_path(path);
    let directory = path.parent().unwrap_or(Path::new("."));
    create_private(directory)?;
    let mut file = tempfile::Builder::new()
        .prefix(".nebula-")
        .tempfile_in(directory)?;
    match fs::metadata(&path) {
        Ok(metadata) if metadata.permissions().readonly() => {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the file is read-only",
            ));
        }
        Ok(metadata) => file.as_file().set_permissions(metadata.permissions())?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}

/// Creates a directory, and those above it, for the user alone. An existing one is left as it is.
pub(crate) fn create_private(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Where a path leads; people keep their settings as links into another directory.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_is_refused_and_not_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("settings.toml");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = read(&path).unwrap_err();
        assert_eq!(error.to_string(), "not a regular file");
    }

    #[test]
    fn a_new_file_and_directory_are_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/deep/settings.toml");
        replace(&path, "x = 1\n").unwrap();
        assert_eq!(read(&path).unwrap().as_deref(), Some("x = 1\n"));
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[test]
    fn an_existing_file_keeps_its_mode_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.toml");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        replace(&path, "new").unwrap();
        assert_eq!(mode(&path), 0o644);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (
            dir.path().join("dotfiles.toml"),
            dir.path().join("settings.toml"),
        );
        fs::write(&target, "old").unwrap();
        symlink(&target, &link).unwrap();
        replace(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    }

    #[test]
    fn a_read_only_file_is_respected() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.toml");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        assert_eq!(
            replace(&path, "new").unwrap_err().kind(),
            io::ErrorKind::PermissionDenied
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }

    #[test]
    fn what_is_not_a_settings_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.toml");
        assert_eq!(read(&path).unwrap(), None);
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(read(&path).is_err());
        fs::write(&path, vec![b'#'; 1024 * 1024 + 1]).unwrap();
        assert!(read(&path).is_err());
    }
}
