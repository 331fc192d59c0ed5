//! The discovery file `runtime.port`: how clients find a running server.
//!
//! One line, `<port> <owner token> <protocol version>`, in the data directory. The file is private
//! from its first instant (created exclusively with mode 0600 under a random name, then renamed),
//! and a directory that other users could write to is never used, because they could plant a file
//! of their own there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use protocol::Token;

use crate::token;

/// Name of the discovery file inside the data directory.
pub const FILE_NAME: &str = "runtime.port";

/// Name of the lock file inside the data directory.
pub const LOCK_NAME: &str = "runtime.lock";

/// A discovery file is one short line; more is not read.
const READ_LIMIT: u64 = 4096;

/// Where a server listens and the token it accepts.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub port: u16,
    pub token: Token,
}

impl Address {
    /// Reads the first two fields of a discovery line and ignores the rest.
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split_whitespace();
        let port = fields
            .next()?
            .parse::<u16>()
            .ok()
            .filter(|port| *port > 0)?;
        let token = fields.next()?.parse().ok()?;
        Some(Self { port, token })
    }
}

/// Why a file with an address could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it belongs to another user")]
    ForeignOwner,
    #[error("other users may read it; it must have mode 0600")]
    NotPrivate,
    #[error("it does not hold `<port> <token>`")]
    Malformed,
}

/// Reads an address from a file. With `private`, a file that another user owns or could read is
/// refused; the check looks at the opened file, so that it cannot be exchanged in between.
pub(crate) fn read(path: &Path, private: bool) -> Result<Address, FileError> {
    // Opening a named pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file").into());
    }
    let file = File::open(path)?;
    if private {
        check_private(&file)?;
    }
    let mut text = String::new();
    file.take(READ_LIMIT)
        .read_to_string(&mut text)
        .map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => FileError::Malformed,
            _ => FileError::Io(error),
        })?;
    Address::parse(&text).ok_or(FileError::Malformed)
}

#[cfg(unix)]
fn check_private(file: &File) -> Result<(), FileError> {
    use std::os::unix::fs::MetadataExt;

    let metadata = file.metadata()?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(FileError::ForeignOwner);
    }
    if metadata.mode() & 0o066 != 0 {
        return Err(FileError::NotPrivate);
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_private(_file: &File) -> Result<(), FileError> {
    Ok(())
}

/// Why the data directory is not fit for a discovery file. The text is complete: there is no
/// source that would be printed after it once more.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// The directory could not be created, examined or tightened.
    #[error("the data directory {path} cannot be used: {reason}")]
    Io {
        /// The data directory.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
    /// Another user owns the directory.
    #[error("the data directory {0} belongs to another user")]
    ForeignOwner(PathBuf),
    /// Group or others may write to the directory.
    #[error("the data directory {0} is writable by other users; `chmod 700` it")]
    Writable(PathBuf),
}

/// Creates the data directory with mode 0700 if it is missing, tightens one that others may read,
/// and refuses one that others own or may write to.
///
/// # Errors
/// The directory must not hold a discovery file.
pub(crate) fn prepare_directory(path: &Path) -> Result<(), DirectoryError> {
    let failed = |reason| DirectoryError::Io {
        path: path.to_owned(),
        reason,
    };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};

        let metadata = fs::metadata(path).map_err(failed)?;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(DirectoryError::ForeignOwner(path.to_owned()));
        }
        if metadata.mode() & 0o022 != 0 {
            return Err(DirectoryError::Writable(path.to_owned()));
        }
        if metadata.mode() & 0o077 != 0 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        }
    }
    Ok(())
}

/// Opens (and creates, private) the lock file without following a symbolic link.
pub(crate) fn open_lock(directory: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.open(directory.join(LOCK_NAME))
}

/// A published discovery file. Dropping it removes the file if it is still this server's.
#[derive(Debug)]
pub(crate) struct Publication {
    path: PathBuf,
    port: u16,
    token: Token,
}

impl Publication {
    /// Writes the file beside its place and renames it over an older one.
    pub fn publish(directory: &Path, port: u16, token: Token) -> io::Result<Self> {
        let path = directory.join(FILE_NAME);
        // `tempfile` creates exclusively (which also refuses to follow a link) with mode 0600.
        let mut file = tempfile::Builder::new()
            .prefix(".runtime.port.")
            .rand_bytes(12)
            .tempfile_in(directory)?;
        let line = format!("{port} {} {}\n", token.reveal(), protocol::VERSION);
        file.write_all(line.as_bytes())?;
        file.flush()?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(Self { path, port, token })
    }
}

impl Drop for Publication {
    fn drop(&mut self) {
        let own = read(&self.path, false).is_ok_and(|found| {
            found.port == self.port && token::matches(&self.token, found.token.reveal())
        });
        if own && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, "the discovery file could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_two_fields_and_ignores_the_rest() {
        let token = "0123456789abcdef0123456789abcdef";
        let address = Address::parse(&format!(" 51234\t{token} 1 later additions\n")).unwrap();
        assert_eq!(address.port, 51234);
        assert_eq!(address.token.reveal(), token);
        for bad in ["", "1", "0 0123456789abcdef0123456789abcdef", "1 zz"] {
            assert!(Address::parse(bad).is_none(), "{bad}");
        }
        assert!(Address::parse(&format!("65536 {token}")).is_none());
    }

    #[test]
    fn publication_is_private_and_removed_only_when_own() {
        use std::os::unix::fs::PermissionsExt;

        let directory = tempfile::tempdir().unwrap();
        let token = token::generate().unwrap();
        let path = directory.path().join(FILE_NAME);

        let publication = Publication::publish(directory.path(), 4242, token.clone()).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("4242 {} 1\n", token.reveal()));
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(publication);
        assert!(!path.exists());

        let publication = Publication::publish(directory.path(), 4242, token.clone()).unwrap();
        let other = token::generate().unwrap();
        fs::write(&path, format!("4242 {} 1\n", other.reveal())).unwrap();
        drop(publication);
        assert!(path.exists());
    }

    #[test]
    fn directories_are_created_tightened_or_refused() {
        use std::os::unix::fs::PermissionsExt;

        let root = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;

        let fresh = root.path().join("a/b");
        prepare_directory(&fresh).unwrap();
        assert_eq!(mode(&fresh), 0o700);

        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o755)).unwrap();
        prepare_directory(&fresh).unwrap();
        assert_eq!(mode(&fresh), 0o700);

        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o770)).unwrap();
        assert!(matches!(
            prepare_directory(&fresh),
            Err(DirectoryError::Writable(_))
        ));
        assert_eq!(mode(&fresh), 0o770);
    }

    #[test]
    fn a_file_others_may_read_is_refused_when_privacy_is_asked() {
        use std::os::unix::fs::PermissionsExt;

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("endpoint");
        fs::write(&path, format!("4242 {} 1\n", "a".repeat(32))).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(read(&path, true), Err(FileError::NotPrivate)));
        assert!(read(&path, false).is_ok());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(read(&path, true).is_ok());
    }
}
