//! One file, many requests at a time: under a temporary name, from where an earlier try ended.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use russh_sftp::client::error::Error;
use russh_sftp::protocol::{FileAttributes, OpenFlags, StatusCode};
use tokio::task::{AbortHandle, JoinHandle};

use super::link::{Link, remote};
use super::transfer::{ConflictChoice, Job, Shared};
use super::walk::{blocking, local_error};
use super::{EntryKind, SftpError, names};
use crate::limits::{SFTP_PIECE, SFTP_REQUESTS};

/// Bytes of a local file that are read or written at once.
const BLOCK: usize = 1024 * 1024;

/// A request under way, stopped when it is dropped.
struct Request<T>(JoinHandle<T>, AbortHandle);

impl<T: Send + 'static> Request<T> {
    fn new(work: impl Future<Output = T> + Send + 'static) -> Self {
        let handle = tokio::spawn(work);
        let abort = handle.abort_handle();
        Self(handle, abort)
    }

    async fn answer(mut self) -> Result<T, SftpError> {
        (&mut self.0).await.map_err(|_| SftpError::Lost)
    }
}

impl<T> Drop for Request<T> {
    fn drop(&mut self) {
        self.1.abort();
    }
}

/// Brings a file here; false when it was skipped.
pub(super) async fn download(link: &Link, job: &Job, shared: &Shared) -> Result<bool, SftpError> {
    let Some(target) = local_target(job, shared).await? else {
        return Ok(false);
    };
    let part = beside(&target, job)?;
    let path = part.clone();
    let size = job.size;
    let (mut file, begin) = blocking(move || open_part(&path, size)).await?;
    shared.resumed(begin);
    let handle = link.open_file(&job.remote, OpenFlags::READ).await?;
    let copied = fetch(link, job, &handle, &part, &mut file, begin, shared).await;
    link.close(&handle).await;
    copied?;
    let (modified, permissions) = (job.modified, job.permissions);
    blocking(move || finish_local(file, &part, &target, modified, permissions)).await?;
    Ok(true)
}

/// Where the file goes; `None` when it is skipped.
async fn local_target(job: &Job, shared: &Shared) -> Result<Option<PathBuf>, SftpError> {
    let Ok(found) = std::fs::metadata(&job.local) else {
        return Ok(Some(job.local.clone()));
    };
    match shared
        .decide(&job.local.display().to_string(), found.len(), job.size)
        .await
    {
        ConflictChoice::Overwrite => Ok(Some(job.local.clone())),
        ConflictChoice::Skip => Ok(None),
        ConflictChoice::KeepBoth => {
            let name = file_name(&job.local);
            let free = (2..).map(|n| job.local.with_file_name(names::numbered(&name, n)));
            Ok(free.take(10_000).find(|path| !path.exists()))
        }
    }
}

async fn fetch(
    link: &Link,
    job: &Job,
    handle: &str,
    part: &Path,
    file: &mut File,
    begin: u64,
    shared: &Shared,
) -> Result<(), SftpError> {
    let ask = |offset: u64, length: u32| {
        let (raw, handle) = (Arc::clone(&link.raw), handle.to_owned());
        (
            length,
            offset,
            Request::new(async move { raw.read(handle, offset, length).await }),
        )
    };
    let mut under_way = VecDeque::new();
    let mut next = begin;
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        // Past the size that the host told there may be more; it is asked for one piece at a time.
        while under_way.len() < SFTP_REQUESTS && (next < job.size || under_way.is_empty()) {
            let length = u32::try_from(SFTP_PIECE).unwrap_or(u32::MAX);
            under_way.push_back(ask(next, length));
            next += u64::from(length);
        }
        let Some((length, offset, request)) = under_way.pop_front() else {
            break;
        };
        match request.answer().await? {
            Ok(data) => {
                let got = u64::try_from(data.data.len()).unwrap_or(0);
                if got == 0 {
                    break;
                }
                shared.moved(got);
                block.extend_from_slice(&data.data);
                // A short answer: the rest is asked for again, before all that follows.
                let rest = u64::from(length).saturating_sub(got);
                if rest > 0 {
                    let rest = u32::try_from(rest).unwrap_or(u32::MAX);
                    under_way.push_front(ask(offset + got, rest));
                }
            }
            Err(Error::Status(status)) if status.status_code == StatusCode::Eof => break,
            Err(error) => {
                write_block(file, part, &mut block).await?;
                return Err(remote(&job.remote, error));
            }
        }
        if block.len() >= BLOCK {
            write_block(file, part, &mut block).await?;
        }
    }
    write_block(file, part, &mut block).await
}

async fn write_block(file: &mut File, part: &Path, block: &mut Vec<u8>) -> Result<(), SftpError> {
    if block.is_empty() {
        return Ok(());
    }
    let bytes = std::mem::replace(block, Vec::with_capacity(BLOCK));
    let mut writer = file
        .try_clone()
        .map_err(|error| local_error(part, &error))?;
    let path = part.to_owned();
    blocking(move || {
        writer
            .write_all(&bytes)
            .map_err(|error| local_error(&path, &error))
    })
    .await
}

/// Opens the unfinished copy where it ends.
fn open_part(path: &Path, size: u64) -> Result<(File, u64), SftpError> {
    let open = || {
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let mut length = file.metadata()?.len();
        if length > size {
            file.set_len(0)?;
            length = 0;
        }
        file.seek(SeekFrom::Start(length))?;
        Ok((file, length))
    };
    open().map_err(|error: std::io::Error| local_error(path, &error))
}

fn finish_local(
    file: File,
    part: &Path,
    target: &Path,
    modified: Option<SystemTime>,
    permissions: Option<u32>,
) -> Result<(), SftpError> {
    if let Some(modified) = modified
        && let Err(error) = file.set_modified(modified)
    {
        tracing::debug!(%error, "the time of a file was not set");
    }
    #[cfg(unix)]
    if let Some(mode) = permissions {
        use std::os::unix::fs::PermissionsExt;
        // Never more than the user's own bits: who may read is decided on this side.
        let set = file.set_permissions(std::fs::Permissions::from_mode(mode & 0o700 | 0o600));
        set.map_err(|error| local_error(part, &error))?;
    }
    #[cfg(not(unix))]
    let _ = permissions;
    file.sync_all().map_err(|error| local_error(part, &error))?;
    drop(file);
    std::fs::rename(part, target).map_err(|error| local_error(target, &error))
}

/// Brings a file to the host; false when it was skipped.
pub(super) async fn upload(link: &Link, job: &Job, shared: &Shared) -> Result<bool, SftpError> {
    let Some(target) = remote_target(link, job, shared).await? else {
        return Ok(false);
    };
    let folder = target.rsplit_once('/').map_or("", |(folder, _)| folder);
    let part = names::join(
        folder,
        &names::part(names::last(&target), job.size, seconds(job.modified)),
    );
    // Requests are written in order, but not all of the last ones need to have arrived.
    let uncertain = u64::try_from(SFTP_REQUESTS * SFTP_PIECE).unwrap_or(u64::MAX);
    let begin = match link.stat(&part).await {
        Ok(found) if found.size <= job.size => found.size.saturating_sub(uncertain),
        _ => 0,
    };
    shared.resumed(begin);
    let mut flags = OpenFlags::WRITE | OpenFlags::CREATE;
    if begin == 0 {
        flags |= OpenFlags::TRUNCATE;
    }
    let handle = link.open_file(&part, flags).await?;
    let sent = send(link, job, &handle, begin, shared).await;
    let finished = match sent {
        Ok(()) => finish_remote(link, job, &handle).await,
        Err(error) => Err(error),
    };
    link.close(&handle).await;
    finished?;
    link.replace(&part, &target).await?;
    Ok(true)
}

async fn remote_target(
    link: &Link,
    job: &Job,
    shared: &Shared,
) -> Result<Option<String>, SftpError> {
    let Ok(found) = link.stat(&job.remote).await else {
        return Ok(Some(job.remote.clone()));
    };
    if found.kind == EntryKind::Folder {
        return Err(SftpError::Remote {
            path: job.remote.clone(),
            reason: "a folder stands there".to_owned(),
        });
    }
    match shared.decide(&job.remote, found.size, job.size).await {
        ConflictChoice::Overwrite => Ok(Some(job.remote.clone())),
        ConflictChoice::Skip => Ok(None),
        ConflictChoice::KeepBoth => {
            let folder = job.remote.rsplit_once('/').map_or("", |(folder, _)| folder);
            for number in 2..10_000 {
                let path = names::join(folder, &names::numbered(names::last(&job.remote), number));
                if let Err(SftpError::NotFound(_)) = link.stat(&path).await {
                    return Ok(Some(path));
                }
            }
            Ok(None)
        }
    }
}

async fn send(
    link: &Link,
    job: &Job,
    handle: &str,
    begin: u64,
    shared: &Shared,
) -> Result<(), SftpError> {
    let path = job.local.clone();
    let mut file = blocking(move || {
        let open = || {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(begin))?;
            Ok(file)
        };
        open().map_err(|error: std::io::Error| local_error(&path, &error))
    })
    .await?;
    let mut under_way: VecDeque<(u64, Request<_>)> = VecDeque::new();
    let mut offset = begin;
    loop {
        let path = job.local.clone();
        let (back, block) = blocking(move || read_block(file, &path)).await?;
        file = back;
        if block.is_empty() {
            break;
        }
        for piece in block.chunks(SFTP_PIECE) {
            if under_way.len() >= SFTP_REQUESTS
                && let Some(oldest) = under_way.pop_front()
            {
                written(oldest, job, shared).await?;
            }
            let (raw, handle, bytes, at) = (
                Arc::clone(&link.raw),
                handle.to_owned(),
                piece.to_vec(),
                offset,
            );
            let length = u64::try_from(piece.len()).unwrap_or(0);
            let request = Request::new(async move { raw.write(handle, at, bytes).await });
            under_way.push_back((length, request));
            offset += length;
        }
    }
    for request in under_way {
        written(request, job, shared).await?;
    }
    Ok(())
}

async fn written<T: Send + 'static>(
    (length, request): (u64, Request<Result<T, Error>>),
    job: &Job,
    shared: &Shared,
) -> Result<(), SftpError> {
    request
        .answer()
        .await?
        .map_err(|error| remote(&job.remote, error))?;
    shared.moved(length);
    Ok(())
}

fn read_block(mut file: File, path: &Path) -> Result<(File, Vec<u8>), SftpError> {
    let mut block = Vec::with_capacity(BLOCK);
    let limit = u64::try_from(BLOCK).unwrap_or(u64::MAX);
    (&mut file)
        .take(limit)
        .read_to_end(&mut block)
        .map_err(|error| local_error(path, &error))?;
    Ok((file, block))
}

/// Size, permissions and time. A host that refuses the last two still has the file.
async fn finish_remote(link: &Link, job: &Job, handle: &str) -> Result<(), SftpError> {
    let time = u32::try_from(seconds(job.modified))
        .ok()
        .filter(|time| *time > 0);
    let attributes = FileAttributes {
        permissions: job.permissions,
        atime: time,
        mtime: time,
        ..FileAttributes::empty()
    };
    if let Err(error) = link.raw.fsetstat(handle, attributes).await {
        tracing::debug!(%error, "the host did not take the attributes of a file");
    }
    Ok(())
}

fn beside(target: &Path, job: &Job) -> Result<PathBuf, SftpError> {
    let name = file_name(target);
    names::safe(&name)?;
    Ok(target.with_file_name(names::part(&name, job.size, seconds(job.modified))))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn seconds(time: Option<SystemTime>) -> u64 {
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_secs())
}
