//! A transfer: what it is about, how far it is, and what happens where something stands already.

use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use super::link::Link;
use super::{Sftp, SftpError, copy, walk};

/// Files under way at a time; small ones are mostly waiting for answers.
const AT_ONCE: usize = 8;

/// What to do where a file stands already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictChoice {
    /// Replace it.
    Overwrite,
    /// Leave it and go on.
    Skip,
    /// Take another name for the new one.
    KeepBoth,
}

/// A file that stands where one is to go.
#[derive(Debug)]
pub struct Conflict {
    /// The target.
    pub path: String,
    /// Size of what stands there.
    pub existing_size: u64,
    /// Size of what comes.
    pub incoming_size: u64,
    reply: oneshot::Sender<(ConflictChoice, bool)>,
}

impl Conflict {
    /// Decides; with `for_all` for all that follow, too. Dropping it skips the file.
    pub fn choose(self, choice: ConflictChoice, for_all: bool) {
        if self.reply.send((choice, for_all)).is_err() {
            tracing::trace!("a conflict was decided after its time");
        }
    }
}

/// Puts conflicts to the user.
pub trait ConflictAsker: Send + Sync + 'static {
    /// Takes a conflict over. Called on the SSH thread: must not block.
    fn conflict(&self, conflict: Conflict);
}

/// What decides conflicts.
#[derive(Clone)]
pub enum ConflictPolicy {
    /// Always the same.
    Always(ConflictChoice),
    /// The user.
    Ask(Arc<dyn ConflictAsker>),
}

impl fmt::Debug for ConflictPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always(choice) => f.debug_tuple("Always").field(choice).finish(),
            Self::Ask(_) => f.write_str("Ask"),
        }
    }
}

/// How far a transfer is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferProgress {
    /// Files found so far.
    pub files: u64,
    /// Files that are done, skipped ones among them.
    pub files_done: u64,
    /// Bytes found so far.
    pub bytes: u64,
    /// Bytes that are done, those of an earlier try among them.
    pub bytes_done: u64,
    /// One of the files under way.
    pub current: String,
}

/// What a transfer came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferSummary {
    /// Files that were written.
    pub files: u64,
    /// Files that were skipped, by choice or because they are no files.
    pub skipped: u64,
    /// Bytes that an earlier try had brought.
    pub resumed: u64,
}

#[derive(Clone)]
pub(super) enum Direction {
    Download { remote: String, folder: PathBuf },
    Upload { local: PathBuf, folder: String },
}

/// A file to be copied.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub local: PathBuf,
    pub remote: String,
    pub size: u64,
    pub modified: Option<SystemTime>,
    pub permissions: Option<u32>,
}

/// A transfer under way. Clones are the same one; it goes on when all are dropped.
#[derive(Clone)]
pub struct Transfer(Arc<Shared>);

/// What the handles and the work share.
pub(super) struct Shared {
    /// Held for a change or a copy only.
    progress: Mutex<TransferProgress>,
    summary: Mutex<TransferSummary>,
    outcome: Mutex<Option<Result<TransferSummary, SftpError>>>,
    cancelled: watch::Sender<bool>,
    /// Closed when there is an outcome.
    finished: async_channel::Receiver<()>,
    /// The user's decision for all that follow.
    for_all: Mutex<Option<ConflictChoice>>,
    conflicts: ConflictPolicy,
}

impl fmt::Debug for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transfer")
            .field("progress", &self.progress())
            .finish()
    }
}

impl Transfer {
    pub(super) fn start(sftp: &Sftp, direction: Direction, conflicts: ConflictPolicy) -> Self {
        let (running, finished) = async_channel::bounded(1);
        let shared = Arc::new(Shared {
            progress: Mutex::default(),
            summary: Mutex::default(),
            outcome: Mutex::default(),
            cancelled: watch::Sender::new(false),
            finished,
            for_all: Mutex::default(),
            conflicts,
        });
        let (sftp, at_work) = (sftp.clone(), Arc::clone(&shared));
        let runtime = sftp.context.runtime.clone();
        runtime.spawn(async move {
            let mut cancelled = at_work.cancelled.subscribe();
            let result = tokio::select! {
                result = work(&sftp, &direction, &at_work) => result,
                _ = cancelled.wait_for(|cancelled| *cancelled) => Err(SftpError::Cancelled),
            };
            let result = result.map(|()| at_work.summary.lock().clone());
            *at_work.outcome.lock() = Some(result);
            drop(running);
        });
        Self(shared)
    }

    /// How far it is.
    pub fn progress(&self) -> TransferProgress {
        self.0.progress.lock().clone()
    }

    /// What it came to, once it is over.
    pub fn outcome(&self) -> Option<Result<TransferSummary, SftpError>> {
        self.0.outcome.lock().clone()
    }

    /// Stops. What was complete stays; what was not can be continued by the same transfer later.
    pub fn cancel(&self) {
        self.0.cancelled.send_replace(true);
    }

    /// Waits until it is over, in any executor.
    pub async fn finished(&self) {
        while self.0.finished.recv().await.is_ok() {}
    }

    /// Waits until it is over, and blocks the thread.
    ///
    /// # Errors
    /// See [`SftpError`].
    pub fn wait(&self) -> Result<TransferSummary, SftpError> {
        while self.0.finished.recv_blocking().is_ok() {}
        self.outcome().unwrap_or(Err(SftpError::Lost))
    }
}

impl Shared {
    pub(super) fn found(&self, job: &Job) {
        let mut progress = self.progress.lock();
        progress.files += 1;
        progress.bytes = progress.bytes.saturating_add(job.size);
    }

    pub(super) fn moved(&self, bytes: u64) {
        let mut progress = self.progress.lock();
        progress.bytes_done = progress.bytes_done.saturating_add(bytes);
    }

    pub(super) fn resumed(&self, bytes: u64) {
        self.moved(bytes);
        self.summary.lock().resumed += bytes;
    }

    pub(super) fn skipped(&self) {
        self.summary.lock().skipped += 1;
    }

    fn done(&self, written: bool) {
        self.progress.lock().files_done += 1;
        let mut summary = self.summary.lock();
        match written {
            true => summary.files += 1,
            false => summary.skipped += 1,
        }
    }

    /// Decides about a file that stands at the target.
    pub(super) async fn decide(
        &self,
        path: &str,
        existing_size: u64,
        incoming_size: u64,
    ) -> ConflictChoice {
        let asker = match &self.conflicts {
            ConflictPolicy::Always(choice) => return *choice,
            ConflictPolicy::Ask(asker) => asker,
        };
        if let Some(choice) = *self.for_all.lock() {
            return choice;
        }
        let (reply, chosen) = oneshot::channel();
        asker.conflict(Conflict {
            path: path.to_owned(),
            existing_size,
            incoming_size,
            reply,
        });
        let (choice, for_all) = chosen.await.unwrap_or((ConflictChoice::Skip, false));
        if for_all {
            *self.for_all.lock() = Some(choice);
        }
        choice
    }
}

async fn work(sftp: &Sftp, direction: &Direction, shared: &Arc<Shared>) -> Result<(), SftpError> {
    let link = sftp.link().await?;
    let (jobs, down) = match direction {
        Direction::Download { remote, folder } => {
            (walk::remote(&link, remote, folder, shared).await?, true)
        }
        Direction::Upload { local, folder } => {
            (walk::local(&link, local, folder, shared).await?, false)
        }
    };
    let queue = Arc::new(Mutex::new(jobs));
    // Dropping the set stops its tasks, and so does the first failure.
    let mut workers = JoinSet::new();
    for _ in 0..AT_ONCE {
        workers.spawn(worker(
            Arc::clone(&link),
            Arc::clone(&queue),
            Arc::clone(shared),
            down,
        ));
    }
    while let Some(result) = workers.join_next().await {
        result.unwrap_or(Err(SftpError::Lost))?;
    }
    Ok(())
}

async fn worker(
    link: Arc<Link>,
    queue: Arc<Mutex<VecDeque<Job>>>,
    shared: Arc<Shared>,
    down: bool,
) -> Result<(), SftpError> {
    loop {
        let Some(job) = queue.lock().pop_front() else {
            return Ok(());
        };
        shared.progress.lock().current.clone_from(&job.remote);
        let written = match down {
            true => copy::download(&link, &job, &shared).await?,
            false => copy::upload(&link, &job, &shared).await?,
        };
        shared.done(written);
    }
}
