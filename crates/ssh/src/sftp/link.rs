//! One SFTP channel, and single requests over it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use russh_sftp::client::{Config, RawSftpSession, error::Error};
use russh_sftp::protocol::{FileAttributes, FileType, OpenFlags, Packet, StatusCode};

use super::{Entry, EntryKind, SftpError, names};
use crate::connect::{Connection, OpenError, SessionSlot};
use crate::{limits, text};

const POSIX_RENAME: &str = "posix-rename@openssh.com";

/// An open channel.
pub(super) struct Link {
    pub raw: Arc<RawSftpSession>,
    /// A rename may replace what stands at the new name.
    posix_rename: bool,
    connection: Arc<Connection>,
    _slot: SessionSlot,
}

impl Link {
    pub(super) async fn open(connection: &Arc<Connection>) -> Result<Self, SftpError> {
        let (channel, slot) = connection
            .open_session()
            .await
            .map_err(|error| match error {
                OpenError::Lost(_) => SftpError::Lost,
                refused => SftpError::Unavailable(refused.to_string()),
            })?;
        channel
            .request_subsystem(false, "sftp")
            .await
            .map_err(|_| SftpError::Lost)?;
        let config = Config {
            request_timeout_secs: limits::SFTP_ANSWER.as_secs(),
            ..Config::default()
        };
        let raw = RawSftpSession::new_with_config(channel.into_stream(), config);
        let version = raw
            .init()
            .await
            .map_err(|error| SftpError::Unavailable(error.to_string()))?;
        Ok(Self {
            raw: Arc::new(raw),
            posix_rename: version.extensions.contains_key(POSIX_RENAME),
            connection: Arc::clone(connection),
            _slot: slot,
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.connection.is_dead()
    }

    pub(super) async fn canonical(&self, path: &str) -> Result<String, SftpError> {
        let name = self
            .raw
            .realpath(path)
            .await
            .map_err(|error| remote(path, error))?;
        let first = name.files.into_iter().next();
        first
            .map(|file| file.filename)
            .ok_or_else(|| SftpError::NotFound(path.to_owned()))
    }

    pub(super) async fn list(&self, path: &str) -> Result<Vec<Entry>, SftpError> {
        let handle = self
            .raw
            .opendir(path)
            .await
            .map_err(|error| remote(path, error))?
            .handle;
        let mut entries = Vec::new();
        let result = loop {
            match self.raw.readdir(handle.as_str()).await {
                Ok(name) => {
                    let files = name
                        .files
                        .into_iter()
                        .filter(|f| f.filename != "." && f.filename != "..");
                    let batch: Result<Vec<Entry>, SftpError> = files
                        .map(|file| {
                            names::safe(&file.filename)?;
                            Ok(entry(file.filename, &file.attrs))
                        })
                        .collect();
                    match batch {
                        Ok(batch) => entries.extend(batch),
                        Err(error) => break Err(error),
                    }
                    if entries.len() > limits::SFTP_ENTRIES {
                        break Err(SftpError::TooMany);
                    }
                }
                Err(Error::Status(status)) if status.status_code == StatusCode::Eof => {
                    break Ok(entries);
                }
                Err(error) => break Err(remote(path, error)),
            }
        };
        self.close(&handle).await;
        result
    }

    /// Follows links.
    pub(super) async fn stat(&self, path: &str) -> Result<Entry, SftpError> {
        let attrs = self
            .raw
            .stat(path)
            .await
            .map_err(|error| remote(path, error))?
            .attrs;
        Ok(entry(names::last(path).to_owned(), &attrs))
    }

    pub(super) async fn make_folder(&self, path: &str) -> Result<(), SftpError> {
        let made = self.raw.mkdir(path, FileAttributes::empty()).await;
        made.map(drop).map_err(|error| remote(path, error))
    }

    pub(super) async fn remove(&self, path: &str, kind: EntryKind) -> Result<(), SftpError> {
        let removed = match kind {
            EntryKind::Folder => self.raw.rmdir(path).await,
            _ => self.raw.remove(path).await,
        };
        removed.map(drop).map_err(|error| remote(path, error))
    }

    pub(super) async fn rename(&self, from: &str, to: &str) -> Result<(), SftpError> {
        let renamed = self.raw.rename(from, to).await;
        renamed.map(drop).map_err(|error| remote(to, error))
    }

    /// Renames, whatever stands at the new name.
    pub(super) async fn replace(&self, from: &str, to: &str) -> Result<(), SftpError> {
        if self.posix_rename {
            let mut data = Vec::new();
            for name in [from, to] {
                let length = u32::try_from(name.len()).map_err(|_| SftpError::TooMany)?;
                data.extend(length.to_be_bytes());
                data.extend(name.as_bytes());
            }
            let answer = self.raw.extended(POSIX_RENAME, data).await;
            return match answer.map_err(|error| remote(to, error))? {
                Packet::Status(status) if status.status_code == StatusCode::Ok => Ok(()),
                Packet::Status(status) => Err(remote(to, Error::Status(status))),
                _ => Err(remote(to, Error::UnexpectedPacket)),
            };
        }
        match self.remove(to, EntryKind::File).await {
            Ok(()) | Err(SftpError::NotFound(_)) => self.rename(from, to).await,
            Err(error) => Err(error),
        }
    }

    pub(super) async fn open_file(
        &self,
        path: &str,
        flags: OpenFlags,
    ) -> Result<String, SftpError> {
        let opened = self.raw.open(path, flags, FileAttributes::empty()).await;
        opened
            .map(|handle| handle.handle)
            .map_err(|error| remote(path, error))
    }

    pub(super) async fn close(&self, handle: &str) {
        if let Err(error) = self.raw.close(handle).await {
            tracing::debug!(%error, "a file of the host was not closed");
        }
    }
}

fn entry(name: String, attrs: &FileAttributes) -> Entry {
    Entry {
        name,
        kind: match attrs.file_type() {
            FileType::Dir => EntryKind::Folder,
            FileType::File => EntryKind::File,
            FileType::Symlink => EntryKind::Link,
            FileType::Other => EntryKind::Other,
        },
        size: attrs.size.unwrap_or(0),
        modified: attrs
            .mtime
            .map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.into())),
        permissions: attrs.permissions.map(|mode| mode & 0o7777),
    }
}

pub(super) fn remote(path: &str, error: Error) -> SftpError {
    let reason = |said: &str| text::plain(said, limits::LOG_LINE_BYTES / 4);
    match error {
        Error::Status(status) => match status.status_code {
            StatusCode::NoSuchFile => SftpError::NotFound(path.to_owned()),
            StatusCode::PermissionDenied => SftpError::Denied(path.to_owned()),
            StatusCode::NoConnection | StatusCode::ConnectionLost => SftpError::Lost,
            code => SftpError::Remote {
                path: path.to_owned(),
                reason: match status.error_message.is_empty() {
                    true => code.to_string(),
                    false => reason(&status.error_message),
                },
            },
        },
        Error::IO(_) | Error::UnexpectedBehavior(_) => SftpError::Lost,
        other => SftpError::Remote {
            path: path.to_owned(),
            reason: reason(&other.to_string()),
        },
    }
}
