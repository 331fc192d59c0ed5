//! Files of a host, over the connection of a session.
//!
//! Browsing answers through [`Pending`]; transfers are [`Transfer`]s that can be watched and
//! cancelled. A file is written under a temporary name beside its target and renamed when it is
//! complete, so that nobody ever sees half of one; an interrupted one goes on where it ended, as long
//! as its source is the same. Names that a server sends are never trusted: one that would lead out
//! of its folder is refused.

mod copy;
mod link;
mod names;
mod transfer;
mod walk;

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::SystemTime;

use tokio::sync::Mutex;

use crate::client::Context;
use crate::connect::Connection;
use link::Link;
pub use transfer::{
    Conflict, ConflictAsker, ConflictChoice, ConflictPolicy, Transfer, TransferProgress,
    TransferSummary,
};

/// Why something with files did not work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SftpError {
    /// The connection is gone.
    #[error("the connection to the host is gone")]
    Lost,
    /// The host offers no SFTP.
    #[error("the host offers no SFTP: {0}")]
    Unavailable(String),
    /// There is no such file.
    #[error("{0} does not exist")]
    NotFound(String),
    /// The host does not allow it.
    #[error("the host does not allow it: {0}")]
    Denied(String),
    /// Something of this side.
    #[error("{path}: {reason}")]
    Local {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// Something of the host.
    #[error("{path}: {reason}")]
    Remote {
        /// The file.
        path: String,
        /// What the host said.
        reason: String,
    },
    /// A server sent a name that leads somewhere else.
    #[error("the host sent a file name that is not safe: {0:?}")]
    UnsafeName(String),
    /// There is more than the crate handles.
    #[error("there are too many files")]
    TooMany,
    /// The user cancelled it.
    #[error("cancelled")]
    Cancelled,
}

/// What kind of thing an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, a socket, a pipe.
    Other,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, without a path.
    pub name: String,
    /// Its kind; a link is not followed.
    pub kind: EntryKind,
    /// Its size in bytes.
    pub size: u64,
    /// When it was changed.
    pub modified: Option<SystemTime>,
    /// Permission bits, as `0o755`.
    pub permissions: Option<u32>,
}

/// An answer that is coming. Dropping it does not stop the work.
#[derive(Debug)]
pub struct Pending<T>(async_channel::Receiver<Result<T, SftpError>>);

impl<T> Pending<T> {
    /// Waits for the answer without blocking, in any executor.
    ///
    /// # Errors
    /// See [`SftpError`].
    pub async fn answer(self) -> Result<T, SftpError> {
        self.0.recv().await.unwrap_or(Err(SftpError::Lost))
    }

    /// Waits for the answer and blocks the thread.
    ///
    /// # Errors
    /// See [`SftpError`].
    pub fn wait(self) -> Result<T, SftpError> {
        self.0.recv_blocking().unwrap_or(Err(SftpError::Lost))
    }
}

/// Files of a host. Clones share one channel, which is opened when it is first needed.
#[derive(Clone)]
pub struct Sftp {
    context: Arc<Context>,
    connection: Weak<Connection>,
    /// Held while the channel is opened, so that it is opened once.
    link: Arc<Mutex<Option<Arc<Link>>>>,
}

impl fmt::Debug for Sftp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sftp").finish_non_exhaustive()
    }
}

impl Sftp {
    pub(crate) fn new(context: &Arc<Context>, connection: &Arc<Connection>) -> Self {
        Self {
            context: Arc::clone(context),
            connection: Arc::downgrade(connection),
            link: Arc::default(),
        }
    }

    /// The channel; opened anew when the one before is gone.
    async fn link(&self) -> Result<Arc<Link>, SftpError> {
        let mut link = self.link.lock().await;
        if let Some(link) = link.as_ref().filter(|link| !link.is_closed()) {
            return Ok(Arc::clone(link));
        }
        let connection = self.connection.upgrade().ok_or(SftpError::Lost)?;
        let opened = Arc::new(Link::open(&connection).await?);
        *link = Some(Arc::clone(&opened));
        Ok(opened)
    }

    fn spawn<T, F>(&self, work: impl FnOnce(Arc<Link>) -> F + Send + 'static) -> Pending<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, SftpError>> + Send,
    {
        let (sender, receiver) = async_channel::bounded(1);
        let this = self.clone();
        self.context.runtime.spawn(async move {
            let result = match this.link().await {
                Ok(link) => work(link).await,
                Err(error) => Err(error),
            };
            if sender.send(result).await.is_err() {
                tracing::trace!("nobody waits for an answer about files");
            }
        });
        Pending(receiver)
    }

    /// The absolute form of a path; `.` is the user's home.
    pub fn canonical(&self, path: &str) -> Pending<String> {
        let path = path.to_owned();
        self.spawn(async move |link: Arc<Link>| link.canonical(&path).await)
    }

    /// The entries of a folder, without `.` and `..`, folders first, by name.
    pub fn list(&self, path: &str) -> Pending<Vec<Entry>> {
        let path = path.to_owned();
        self.spawn(async move |link: Arc<Link>| {
            let mut entries = link.list(&path).await?;
            entries.sort_by(|a, b| {
                let folder = |entry: &Entry| entry.kind != EntryKind::Folder;
                folder(a).cmp(&folder(b)).then_with(|| a.name.cmp(&b.name))
            });
            Ok(entries)
        })
    }

    /// Makes a folder.
    pub fn make_folder(&self, path: &str) -> Pending<()> {
        let path = path.to_owned();
        self.spawn(async move |link: Arc<Link>| link.make_folder(&path).await)
    }

    /// Removes a file, or an empty folder.
    pub fn remove(&self, path: &str, kind: EntryKind) -> Pending<()> {
        let path = path.to_owned();
        self.spawn(async move |link: Arc<Link>| link.remove(&path, kind).await)
    }

    /// Renames; what stands at the new name stays and is an error.
    pub fn rename(&self, from: &str, to: &str) -> Pending<()> {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.spawn(async move |link: Arc<Link>| link.rename(&from, &to).await)
    }

    /// Brings a file or folder into a folder of this side.
    pub fn download(&self, remote: &str, folder: PathBuf, conflicts: ConflictPolicy) -> Transfer {
        Transfer::start(
            self,
            transfer::Direction::Download {
                remote: remote.to_owned(),
                folder,
            },
            conflicts,
        )
    }

    /// Brings a file or folder of this side into a folder of the host.
    pub fn upload(&self, local: PathBuf, folder: &str, conflicts: ConflictPolicy) -> Transfer {
        Transfer::start(
            self,
            transfer::Direction::Upload {
                local,
                folder: folder.to_owned(),
            },
            conflicts,
        )
    }
}
