//! Which files belong to a transfer. Folders are made on the way.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::link::Link;
use super::transfer::{Job, Shared};
use super::{Entry, EntryKind, SftpError, names};
use crate::limits;

/// A file or folder of the host, for a folder of this side.
pub(super) async fn remote(
    link: &Link,
    path: &str,
    folder: &Path,
    shared: &Shared,
) -> Result<VecDeque<Job>, SftpError> {
    let path = link.canonical(path).await?;
    let root = link.stat(&path).await?;
    let name = names::safe(names::last(&path))?;
    let mut jobs = VecDeque::new();
    let target = folder.join(name);
    if root.kind != EntryKind::Folder {
        push(&mut jobs, shared, job(&root, path, target))?;
        return Ok(jobs);
    }
    let mut folders = VecDeque::from([(path, target, 0)]);
    while let Some((path, target, depth)) = folders.pop_front() {
        make_local(&target).await?;
        for mut entry in link.list(&path).await? {
            let from = names::join(&path, &entry.name);
            let to = target.join(&entry.name);
            if entry.kind == EntryKind::Link {
                // A link to a file is copied as the file; a link to a folder could lead in circles.
                match link.stat(&from).await {
                    Ok(found) if found.kind == EntryKind::File => entry = found,
                    _ => {}
                }
            }
            match entry.kind {
                EntryKind::Folder if depth < limits::SFTP_DEPTH => {
                    folders.push_back((from, to, depth + 1))
                }
                EntryKind::File => push(&mut jobs, shared, job(&entry, from, to))?,
                _ => shared.skipped(),
            }
        }
    }
    Ok(jobs)
}

fn job(entry: &Entry, remote: String, local: PathBuf) -> Job {
    Job {
        local,
        remote,
        size: entry.size,
        modified: entry.modified,
        permissions: entry.permissions,
    }
}

fn push(jobs: &mut VecDeque<Job>, shared: &Shared, job: Job) -> Result<(), SftpError> {
    if jobs.len() >= limits::SFTP_FILES {
        return Err(SftpError::TooMany);
    }
    shared.found(&job);
    jobs.push_back(job);
    Ok(())
}

async fn make_local(path: &Path) -> Result<(), SftpError> {
    let path = path.to_owned();
    blocking(move || fs::create_dir_all(&path).map_err(|error| local_error(&path, &error))).await
}

/// Something with files of this side, on a thread for it.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SftpError> + Send + 'static,
) -> Result<T, SftpError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or(Err(SftpError::Lost))
}

pub(super) fn local_error(path: &Path, error: &std::io::Error) -> SftpError {
    SftpError::Local {
        path: path.display().to_string(),
        reason: error.to_string(),
    }
}

/// A file or folder of this side, for a folder of the host.
pub(super) async fn local(
    link: &Link,
    path: &Path,
    folder: &str,
    shared: &Arc<Shared>,
) -> Result<VecDeque<Job>, SftpError> {
    let (root, target) = (path.to_owned(), link.canonical(folder).await?);
    let counted = Arc::clone(shared);
    let (folders, jobs) = blocking(move || found(&root, &target, &counted)).await?;
    for folder in folders {
        match link.make_folder(&folder).await {
            Ok(()) => {}
            // It may be there already, which servers tell in different ways.
            Err(error) => match link.stat(&folder).await {
                Ok(found) if found.kind == EntryKind::Folder => {}
                _ => return Err(error),
            },
        }
    }
    Ok(jobs)
}

/// Folders, each before what is in it, and files.
fn found(
    root: &Path,
    folder: &str,
    shared: &Shared,
) -> Result<(Vec<String>, VecDeque<Job>), SftpError> {
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let mut folders = Vec::new();
    let mut jobs = VecDeque::new();
    let root_name = name(root);
    let mut waiting = VecDeque::from([(
        root.to_owned(),
        names::join(folder, names::safe(&root_name)?),
        0,
    )]);
    while let Some((path, target, depth)) = waiting.pop_front() {
        let metadata = fs::metadata(&path).map_err(|error| local_error(&path, &error))?;
        if metadata.is_file() {
            push(
                &mut jobs,
                shared,
                Job {
                    local: path,
                    remote: target,
                    size: metadata.len(),
                    modified: metadata.modified().ok(),
                    permissions: permissions(&metadata),
                },
            )?;
            continue;
        }
        let link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
        if !metadata.is_dir() || (link && depth > 0) || depth >= limits::SFTP_DEPTH {
            shared.skipped();
            continue;
        }
        for entry in fs::read_dir(&path).map_err(|error| local_error(&path, &error))? {
            let inside = entry.map_err(|error| local_error(&path, &error))?.path();
            let to = names::join(&target, &name(&inside));
            waiting.push_back((inside, to, depth + 1));
        }
        folders.push(target);
    }
    Ok((folders, jobs))
}

#[cfg(unix)]
fn permissions(metadata: &fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    Some(metadata.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn permissions(_: &fs::Metadata) -> Option<u32> {
    None
}
