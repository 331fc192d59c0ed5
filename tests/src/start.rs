//! One start of the program, from its first instant to the last of its children.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::home::Home;
use crate::poll::{self, PATIENCE};
use crate::process::{self, Process, Signal};

/// A start, whatever becomes of it. Dropping it kills it and checks that no child is left.
#[derive(Debug)]
pub struct Starting {
    /// The process.
    pub child: Child,
    mark: String,
    log: PathBuf,
}

impl Starting {
    /// Starts a command with stderr in a file and a mark by which its children are known.
    #[must_use]
    pub fn spawn(home: &Home, mut command: Command) -> Self {
        let (name, value) = home.next_mark();
        let log = home.log(value.rsplit('-').next().unwrap_or_default());
        let child = command
            .env(&name, &value)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).expect("a file for stderr"))
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        Self {
            child,
            mark: format!("{name}={value}"),
            log,
        }
    }

    /// What it printed on stderr so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Its exit status, when it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child can be waited for")
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        let what = format!("process {} to end", self.child.id());
        poll::until(&what, || self.ended())
    }

    /// Live processes that were started by it, directly or not, and by nobody else.
    #[must_use]
    pub fn left_behind(&self) -> Vec<Process> {
        let own = self.child.id();
        let mut processes = process::with_environment(&self.mark);
        processes.retain(|process| process.pid != own);
        processes
    }

    /// Asserts that no process is left of those it started.
    pub fn expect_nothing_left(&self) {
        poll::until_ok("all children to be gone", PATIENCE, || {
            let left = self.left_behind();
            if left.is_empty() {
                Ok(())
            } else {
                Err(format!("{left:?}"))
            }
        });
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        // Once it was waited for, its process id may belong to somebody else.
        if let Ok(None) = self.child.try_wait() {
            process::signal(self.child.id(), Signal::KILL);
            if let Err(error) = self.child.wait() {
                eprintln!("nebula cannot be waited for: {error}");
            }
        }
        if std::thread::panicking() {
            eprintln!("--- stderr of nebula ---\n{}", self.stderr());
            for process in self.left_behind() {
                process::signal(process.pid, Signal::KILL);
            }
        } else {
            self.expect_nothing_left();
        }
    }
}
