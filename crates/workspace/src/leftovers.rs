//! Waits for what is left of the panes when the program ends.
//!
//! A program may ignore that its terminal went away and live on after the shell that started it.
//! Terminals see to its end on threads of their own, which takes up to two seconds; a program that
//! exits before that would leave it behind.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::inbox::{Event, Outbox};
use crate::processes;

/// Terminals have killed everything for good before this is over.
const LIMIT: Duration = Duration::from_secs(4);
/// A process that just came is noticed this soon.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Tells when the processes of some sessions have ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Leftovers {
    none: Arc<AtomicBool>,
}

impl Leftovers {
    /// Watches the sessions of these root processes. An event wakes the owner when none is left.
    pub(crate) fn watch(sessions: BTreeSet<u32>, outbox: Outbox) -> Self {
        let leftovers = Self::default();
        let told = leftovers.clone();
        let work = move || {
            let deadline = Instant::now() + LIMIT;
            while Instant::now() < deadline {
                let members = processes::members(&sessions);
                if members.is_empty() {
                    break;
                }
                wait_for(&members, LOOK_AGAIN);
            }
            told.none.store(true, Ordering::Release);
            outbox.send(Event::Redraw);
        };
        if let Err(error) = thread::Builder::new()
            .name("leftovers".to_owned())
            .spawn(work)
        {
            tracing::warn!(%error, "processes of panes may outlive the program");
            leftovers.none.store(true, Ordering::Release);
        }
        leftovers
    }

    /// Nothing is left, or nothing more can be done.
    pub(crate) fn are_gone(&self) -> bool {
        self.none.load(Ordering::Acquire)
    }
}

/// Returns when one of these processes has ended, or the time is up.
#[cfg(target_os = "linux")]
fn wait_for(members: &[u32], limit: Duration) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    let handles: Vec<_> = members
        .iter()
        .filter_map(|pid| Pid::from_raw(i32::try_from(*pid).ok()?))
        .filter_map(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
        .collect();
    let mut watched: Vec<_> = handles
        .iter()
        .map(|handle| PollFd::new(handle, PollFlags::IN))
        .collect();
    let limit = Timespec::try_from(limit).ok();
    // Interrupted or not: the caller looks again.
    if let Err(error) = poll(&mut watched, limit.as_ref()) {
        tracing::debug!(%error, "ended processes cannot be watched");
    }
}

#[cfg(not(target_os = "linux"))]
fn wait_for(_: &[u32], limit: Duration) {
    thread::park_timeout(limit);
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::inbox::inbox;

    #[test]
    fn no_sessions_leave_nothing() {
        let (outbox, inbox) = inbox();
        let leftovers = Leftovers::watch(BTreeSet::new(), outbox);
        assert!(smol::block_on(inbox.next()).is_some());
        assert!(leftovers.are_gone());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_session_is_watched_until_its_last_process_ended() {
        // Reads from a pipe of this test, so it ends when told to.
        let mut child = Command::new("setsid")
            .args(["sh", "-c", "echo up; read line"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("started");
        let mut up = [0; 3];
        let output = child.stdout.as_mut().expect("a pipe");
        std::io::Read::read_exact(output, &mut up).expect("it is up");
        let (outbox, inbox) = inbox();
        let leftovers = Leftovers::watch(BTreeSet::from([child.id()]), outbox);
        assert!(!leftovers.are_gone());
        drop(child.stdin.take());
        assert!(smol::block_on(inbox.next()).is_some());
        assert!(leftovers.are_gone());
        child.wait().expect("ended");
    }
}
