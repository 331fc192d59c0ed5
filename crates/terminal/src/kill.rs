//! Ending everything that runs in a terminal.
//!
//! A shell's jobs live in process groups of their own but in the shell's session, so the whole
//! session is signalled: SIGHUP, after 500 ms SIGTERM, after 2 s SIGKILL, each time to whatever is
//! then left of it. A process that began a session of its own (a daemon) has left the terminal on
//! purpose and is not touched.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::exit_watch;

/// The signals and how long after the first each is sent.
const STEPS: [(Signal, Duration); 3] = [
    (Signal::HUP, Duration::ZERO),
    (Signal::TERM, Duration::from_millis(500)),
    (Signal::KILL, Duration::from_secs(2)),
];
/// How long the last signal is waited for.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Ends the session led by `leader` on a thread of its own.
pub(crate) fn end_session(leader: Pid) -> io::Result<()> {
    std::thread::Builder::new()
        .name("pty-kill".to_owned())
        .stack_size(128 * 1024)
        .spawn(move || escalate(leader))?;
    Ok(())
}

/// Ends a child that has just begun and leads its group, without a thread and without asking it, and
/// reaps it.
pub(crate) fn end_at_once(leader: Pid) {
    tell(kill_process_group(leader, Signal::KILL));
    // Not reaped yet, so the number is still its own.
    match kill_process(leader, Signal::KILL) {
        Ok(()) | Err(Errno::SRCH) => {
            exit_watch::reap(leader);
        }
        // It runs as somebody else and cannot be waited for; it is hung up when its terminal closes.
        Err(error) => tracing::warn!(%error, "a process could not be ended"),
    }
}

/// Says so when a signal did not arrive for another reason than that its process has ended.
fn tell(sent: Result<(), Errno>) {
    match sent {
        Ok(()) | Err(Errno::SRCH) => {}
        Err(error) => tracing::warn!(%error, "a process of a closed pane was not signalled"),
    }
}

fn escalate(leader: Pid) {
    let started = Instant::now();
    for (index, (signal, _)) in STEPS.iter().enumerate() {
        let members = session::members(leader);
        if members.is_empty() {
            return;
        }
        for member in &members {
            member.signal(*signal);
            // A stopped job must run to notice.
            member.signal(Signal::CONT);
        }
        let next = STEPS.get(index + 1).map(|(_, after)| *after);
        let until = next.unwrap_or(started.elapsed() + LAST_WAIT);
        wait_for(members, started + until);
    }
    if !session::members(leader).is_empty() {
        tracing::warn!(
            leader = leader.as_raw_pid(),
            "processes of a closed pane survived SIGKILL"
        );
    }
}

/// Waits until all members have ended or the time is up.
fn wait_for(mut members: Vec<session::Member>, until: Instant) {
    loop {
        let now = Instant::now();
        if members.is_empty() || now >= until {
            return;
        }
        // A member that cannot be watched keeps the wait going until the time is up.
        let watched: Vec<&OwnedFd> = members.iter().filter_map(session::Member::ended).collect();
        let mut fds: Vec<PollFd> = watched
            .iter()
            .map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN))
            .collect();
        let timeout = Timespec::try_from(until - now).ok();
        if poll(&mut fds, timeout.as_ref()).is_err() {
            continue;
        }
        let done: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut done = done.into_iter();
        members.retain(|member| member.ended().is_none() || !done.next().unwrap_or(false));
    }
}

#[cfg(target_os = "linux")]
mod session {
    //! Members of a session, found in `/proc` and held by pidfd, so that no signal can reach a
    //! process that took over a number.

    use std::os::fd::OwnedFd;

    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    pub(super) struct Member(OwnedFd);

    impl Member {
        pub(super) fn signal(&self, signal: Signal) {
            super::tell(pidfd_send_signal(&self.0, signal));
        }

        /// Readable when the process has ended.
        pub(super) fn ended(&self) -> Option<&OwnedFd> {
            Some(&self.0)
        }
    }

    pub(super) fn members(leader: Pid) -> Vec<Member> {
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
            .filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?))
            .filter(|pid| in_session(*pid, leader))
            .filter_map(|pid| {
                let fd = match pidfd_open(pid, PidfdFlags::empty()) {
                    Ok(fd) => fd,
                    Err(Errno::SRCH) => return None,
                    Err(error) => {
                        tracing::warn!(%error, "a process of a closed pane cannot be held");
                        return None;
                    }
                };
                // The number may have changed hands between the two looks.
                in_session(pid, leader).then_some(Member(fd))
            })
            .collect()
    }

    /// True for a process of the session that has not ended.
    fn in_session(pid: Pid, leader: Pid) -> bool {
        let path = format!("/proc/{}/stat", pid.as_raw_pid());
        std::fs::read_to_string(path).is_ok_and(|stat| parse(&stat) == Some((true, leader)))
    }

    /// Alive or not, and the session. The name in parentheses may contain anything.
    fn parse(stat: &str) -> Option<(bool, Pid)> {
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        let alive = !matches!(fields.next()?, "Z" | "X" | "x");
        // A process on its way out has -1, which is no process id.
        let session: u32 = fields.nth(2)?.parse().ok()?;
        Some((alive, Pid::from_raw(i32::try_from(session).ok()?)?))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn stat_lines() {
            let line = "12 (a) b) S 1 12 7 34816 12 4194304";
            assert_eq!(parse(line), Some((true, Pid::from_raw(7).unwrap())));
            assert_eq!(
                parse("12 (x) Z 1 12 7 0"),
                Some((false, Pid::from_raw(7).unwrap()))
            );
            assert_eq!(parse("12 (x) S 1 12 0 0"), None);
            assert_eq!(parse("12 (x) X 0 -1 -1 0"), None);
            assert_eq!(parse("nonsense"), None);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod session {
    //! Without `/proc` the leader's process group stands for the session.

    use std::os::fd::OwnedFd;

    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

    pub(super) struct Member(Pid);

    impl Member {
        pub(super) fn signal(&self, signal: Signal) {
            super::tell(kill_process_group(self.0, signal));
        }

        pub(super) fn ended(&self) -> Option<&OwnedFd> {
            None
        }
    }

    pub(super) fn members(leader: Pid) -> Vec<Member> {
        test_kill_process_group(leader)
            .map(|()| vec![Member(leader)])
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use rustix::io::Errno;
    use rustix::process::test_kill_process;

    use super::*;
    use crate::{GridSize, PtyCommand, pty};

    #[test]
    fn a_process_that_ignores_signals_is_ended_at_once_and_reaped() {
        let command = PtyCommand {
            args: vec!["-c".into(), "trap '' HUP TERM; exec sleep 1000".into()],
            ..PtyCommand::new("/bin/sh")
        };
        let started = Instant::now();
        let pty = pty::spawn(command, GridSize::default()).unwrap();
        end_at_once(pty.pid);
        assert_eq!(test_kill_process(pty.pid), Err(Errno::SRCH));
        assert!(started.elapsed() < Duration::from_secs(60));
    }
}
