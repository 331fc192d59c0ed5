//! Opening a pseudo-terminal and starting a process on it.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Pid;
use rustix::termios::{Winsize, tcsetwinsize};

use crate::{GridSize, PtyCommand, SpawnError};

/// A started process and the master side of its pseudo-terminal.
pub(crate) struct Pty {
    /// Non-blocking, closed on exec.
    pub master: OwnedFd,
    /// The root process: leader of its session and process group.
    pub pid: Pid,
}

/// Opens a pseudo-terminal of a clamped size and starts `command` as the leader of a new session.
pub(crate) fn spawn(command: PtyCommand, size: GridSize) -> Result<Pty, SpawnError> {
    let no_pty = |reason: String| SpawnError::Pty { reason };
    let winsize = winsize(size);
    let pair = native_pty_system()
        .openpty(PtySize {
            rows: winsize.ws_row,
            cols: winsize.ws_col,
            pixel_width: winsize.ws_xpixel,
            pixel_height: winsize.ws_ypixel,
        })
        .map_err(|error| no_pty(format!("{error:#}")))?;
    let raw = pair
        .master
        .as_raw_fd()
        .ok_or_else(|| no_pty("it has no descriptor".to_owned()))?;
    // SAFETY: `pair.master` owns this descriptor and outlives the borrow, which ends in this
    // statement with a duplicate of our own.
    let master = unsafe { BorrowedFd::borrow_raw(raw) }
        .try_clone_to_owned()
        .and_then(|master| {
            fcntl_setfl(&master, fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
            Ok(master)
        })
        .map_err(|error| no_pty(error.to_string()))?;

    let program = command.program.to_string_lossy().into_owned();
    let failed = |reason: String| SpawnError::Program {
        program: program.clone(),
        reason,
    };
    let child = pair
        .slave
        .spawn_command(builder(command)?)
        .map_err(|error| failed(format!("{error:#}")))?;
    // The child handle is not needed: the reader thread waits for the process by its id.
    let pid = child
        .process_id()
        .and_then(|pid| i32::try_from(pid).ok())
        .and_then(Pid::from_raw)
        .ok_or_else(|| failed("it has no process id".to_owned()))?;
    Ok(Pty { master, pid })
}

fn builder(command: PtyCommand) -> Result<CommandBuilder, SpawnError> {
    let cwd = match command.cwd {
        Some(path) => match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => Some(path),
            Ok(_) => {
                return Err(SpawnError::Directory {
                    path,
                    reason: "it is no directory".to_owned(),
                });
            }
            Err(error) => {
                return Err(SpawnError::Directory {
                    path,
                    reason: error.to_string(),
                });
            }
        },
        None => std::env::current_dir().ok(),
    };
    let mut builder = CommandBuilder::new(command.program);
    builder.args(command.args);
    for name in command.env_remove {
        builder.env_remove(name);
    }
    for (name, value) in command.env {
        builder.env(name, value);
    }
    if let Some(cwd) = cwd {
        builder.cwd(cwd);
    }
    Ok(builder)
}

/// Tells the kernel the size, which signals the foreground process group when it changed.
pub(crate) fn set_size(master: &OwnedFd, size: GridSize) -> io::Result<()> {
    Ok(tcsetwinsize(master, winsize(size))?)
}

fn winsize(size: GridSize) -> Winsize {
    Winsize {
        ws_row: size.lines,
        ws_col: size.columns,
        ws_xpixel: size.columns.saturating_mul(size.cell_width),
        ws_ypixel: size.lines.saturating_mul(size.cell_height),
    }
}
