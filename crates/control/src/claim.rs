//! The start sequence: who becomes the server of a data directory.
//!
//! Exactly one process serves a data directory. The advisory lock decides between starts at the
//! same moment; a `PING` to the published endpoint finds a server whose lock is not visible here
//! (some network file systems). The lock is held for the life of the process and released by the
//! kernel after a crash, and the stale discovery file is then replaced by the next start.

use std::fs::{File, TryLockError};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{self, ClientError, Endpoint};
use crate::discovery::{self, DirectoryError, Publication};
use crate::token::TokenTable;

/// How long a start waits for the holder of the lock to publish and answer. The holder may be
/// between taking the lock and publishing, or on its way out.
const HOLDER_PATIENCE: Duration = Duration::from_secs(5);

/// Pause between two looks at a lock holder; files offer no event for "published".
const HOLDER_PAUSE: Duration = Duration::from_millis(20);

/// The outcome of the start sequence.
#[derive(Debug)]
pub enum Claim {
    /// This process serves the data directory and has published its endpoint.
    Server(Claimed),
    /// Another process serves the data directory and answers here.
    ClientOnly(Endpoint),
    /// This process may serve, but without a discovery file: only panes can reach it. The reason
    /// is worth one warning to the user.
    Unpublished {
        /// The listener and tokens, as in [`Claim::Server`].
        claimed: Claimed,
        /// Why nothing was published.
        reason: UnpublishedReason,
    },
}

/// Why a server runs without a discovery file. The text is complete: there is no
/// source that would be printed after it once more.
#[derive(Debug, thiserror::Error)]
pub enum UnpublishedReason {
    /// The data directory is not safe or cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The lock file could not be opened or locked.
    #[error("{path} cannot be locked: {reason}")]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
    /// The discovery file could not be written.
    #[error("{path} cannot be written: {reason}")]
    Publish {
        /// The discovery file.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
}

/// Why no server can run and no running one was found.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The loopback listener could not be opened.
    #[error("cannot listen on 127.0.0.1: {0}")]
    Bind(io::Error),
    /// The operating system gave no random bytes for a token.
    #[error("the operating system gave no random bytes for a token: {0}")]
    Random(getrandom::Error),
    /// Another process holds the lock and does not answer.
    #[error(
        "another nebula holds {path} and does not answer; end that process, \
         or set NEBULA_DATA_DIR to another directory"
    )]
    HolderSilent {
        /// The data directory.
        path: PathBuf,
        /// What came of the last try to reach it, if it had published where it listens.
        source: Option<ClientError>,
    },
}

/// The right to serve: a bound listener, fresh tokens, and the lock and discovery file when
/// there are any. Dropping it withdraws the discovery file and then releases the lock.
#[derive(Debug)]
pub struct Claimed {
    pub(crate) listener: TcpListener,
    pub(crate) tokens: TokenTable,
    pub(crate) presence: Presence,
}

/// What makes a server findable. Field order is drop order: the file goes before the lock.
#[derive(Debug)]
pub(crate) struct Presence {
    publication: Option<Publication>,
    _lock: Option<File>,
}

impl Presence {
    /// Removes the discovery file; the lock stays until the server has ended.
    pub fn withdraw(&mut self) {
        self.publication = None;
    }
}

impl Claimed {
    /// The port the server listens on, IPv4 loopback.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.tokens.port()
    }

    /// The token table of this server. Panes can be given tokens before the server runs.
    #[must_use]
    pub fn tokens(&self) -> TokenTable {
        self.tokens.clone()
    }

    /// Whether a discovery file stands in the data directory.
    #[must_use]
    pub fn is_published(&self) -> bool {
        self.presence.publication.is_some()
    }

    fn bind(lock: Option<File>) -> Result<Self, ClaimError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(ClaimError::Bind)?;
        let port = listener.local_addr().map_err(ClaimError::Bind)?.port();
        Ok(Self {
            listener,
            tokens: TokenTable::new(port).map_err(ClaimError::Random)?,
            presence: Presence {
                publication: None,
                _lock: lock,
            },
        })
    }
}

/// Runs the start sequence on a data directory. Blocks for at most a few seconds, and only when
/// another process holds the lock without answering.
///
/// # Errors
/// No listener could be opened, or the lock is held by a process that does not answer.
pub fn claim(data_dir: &Path) -> Result<Claim, ClaimError> {
    let unpublished = |reason: UnpublishedReason, lock| {
        tracing::warn!(%reason, "the control API runs without a discovery file");
        Ok(Claim::Unpublished {
            claimed: Claimed::bind(lock)?,
            reason,
        })
    };
    if let Err(reason) = discovery::prepare_directory(data_dir) {
        return unpublished(reason.into(), None);
    }
    let lock = match lock_or_holder(data_dir)? {
        Ok(Held::Lock(lock)) => lock,
        Ok(Held::Elsewhere(endpoint)) => return Ok(Claim::ClientOnly(endpoint)),
        Err(reason) => {
            let path = data_dir.join(discovery::LOCK_NAME);
            return unpublished(UnpublishedReason::Lock { path, reason }, None);
        }
    };
    // The lock is ours, yet a server may live whose lock this file system does not show.
    if let Ok(endpoint) = Endpoint::discover(data_dir)
        && matches!(client::ping(&endpoint), Ok(true))
    {
        return Ok(Claim::ClientOnly(endpoint));
    }
    let mut claimed = Claimed::bind(Some(lock))?;
    match Publication::publish(data_dir, claimed.port(), claimed.tokens.owner().clone()) {
        Ok(publication) => {
            claimed.presence.publication = Some(publication);
            Ok(Claim::Server(claimed))
        }
        Err(reason) => {
            let path = data_dir.join(discovery::FILE_NAME);
            let reason = UnpublishedReason::Publish { path, reason };
            tracing::warn!(%reason, "the control API runs without a discovery file");
            Ok(Claim::Unpublished { claimed, reason })
        }
    }
}

enum Held {
    Lock(File),
    Elsewhere(Endpoint),
}

/// Takes the lock, or finds the endpoint of the process that holds it. The inner error is a
/// failure of the lock file itself.
fn lock_or_holder(data_dir: &Path) -> Result<io::Result<Held>, ClaimError> {
    let lock = match discovery::open_lock(data_dir) {
        Ok(lock) => lock,
        Err(error) => return Ok(Err(error)),
    };
    let give_up = Instant::now() + HOLDER_PATIENCE;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Ok(Held::Lock(lock))),
            Err(TryLockError::Error(error)) => return Ok(Err(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        let mut source = None;
        if let Ok(endpoint) = Endpoint::discover(data_dir) {
            match client::ping(&endpoint) {
                Ok(true) => return Ok(Ok(Held::Elsewhere(endpoint))),
                Ok(false) => {}
                Err(error) => source = Some(error),
            }
        }
        if Instant::now() >= give_up {
            let path = data_dir.to_owned();
            return Err(ClaimError::HolderSilent { path, source });
        }
        thread::sleep(HOLDER_PAUSE);
    }
}
