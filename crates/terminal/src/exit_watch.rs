//! A descriptor that becomes readable when a process ends.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, WaitOptions, waitpid};

use crate::ExitStatus;

/// Watches a child of this process, which it does not reap.
pub(crate) fn watch(pid: Pid) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, pidfd_open};
        if let Ok(fd) = pidfd_open(pid, PidfdFlags::empty()) {
            return Ok(fd);
        }
    }
    watch_by_thread(pid)
}

/// For systems without pidfd: a thread that waits and then closes its end of a socket.
fn watch_by_thread(pid: Pid) -> io::Result<OwnedFd> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    std::thread::Builder::new()
        .name("pty-exit".to_owned())
        .stack_size(64 * 1024)
        .spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(
                waitid(WaitId::Pid(pid), options),
                Err(rustix::io::Errno::INTR)
            ) {}
            drop(theirs);
        })?;
    Ok(ours.into())
}

/// Reaps a child that has ended.
pub(crate) fn reap(pid: Pid) -> ExitStatus {
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(Some((_, status))) => {
                return ExitStatus {
                    code: status.exit_status(),
                    signal: status.terminating_signal(),
                };
            }
            // Somebody else reaped it; how it ended is lost.
            Ok(None) | Err(_) => return ExitStatus::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::process::Command;

    use rustix::event::{PollFd, PollFlags, poll};

    use super::*;

    #[test]
    #[allow(
        clippy::zombie_processes,
        reason = "it is reaped by the code under test"
    )]
    fn both_ways_notice_an_end() {
        for way in [watch, watch_by_thread] {
            let child = Command::new("sh").args(["-c", "exit 7"]).spawn().unwrap();
            let pid = Pid::from_child(&child);
            let fd = way(pid).unwrap();
            let mut fds = [PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)];
            poll(&mut fds, None).unwrap();
            assert_eq!(
                reap(pid),
                ExitStatus {
                    code: Some(7),
                    signal: None
                }
            );
        }
    }
}
