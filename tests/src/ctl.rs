//! One finished run of `nebula ctl`.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

use crate::client::check_envelope;
use crate::poll;
use crate::process::{self, Signal};

/// No command of a test takes longer; a longer run is a hang.
const BOUND: Duration = Duration::from_secs(120);

/// Exit status and output of a command.
#[derive(Debug, Clone)]
pub struct Ctl {
    /// Exit status; a signal is a panic.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ctl {
    /// Runs a command to its end.
    ///
    /// # Panics
    /// When it cannot be started, is ended by a signal, or takes two minutes.
    #[must_use]
    pub fn run(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let stdout = drain(child.stdout.take());
        let stderr = drain(child.stderr.take());
        let status = poll::until_ok(&format!("the end of {command:?}"), BOUND, || {
            match child.try_wait().expect("a child can be waited for") {
                Some(status) => Ok(status),
                None => Err("it still runs"),
            }
        });
        let status = status
            .code()
            .unwrap_or_else(|| panic!("{command:?} ended with {status}"));
        let collect = |reader: JoinHandle<String>| reader.join().expect("output is UTF-8");
        Self {
            status,
            stdout: collect(stdout),
            stderr: collect(stderr),
        }
    }

    /// The one envelope it printed.
    ///
    /// # Panics
    /// When stdout is anything but one response envelope.
    #[must_use]
    pub fn envelope(&self) -> Value {
        let value: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON value ({error}): {self:?}"));
        check_envelope(&value);
        value
    }

    /// The result of a run that must have succeeded.
    pub fn result(&self) -> Value {
        let mut envelope = self.envelope();
        assert_eq!(
            (self.status, &envelope["ok"]),
            (0, &Value::Bool(true)),
            "{self:?}"
        );
        envelope["result"].take()
    }

    /// The error of a run that must have failed with the code and exit status 1.
    pub fn error(&self, code: &str) -> Value {
        let mut envelope = self.envelope();
        assert_eq!(self.status, 1, "{self:?}");
        assert_eq!(envelope["error"]["code"], code, "{self:?}");
        envelope["error"].take()
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_string(&mut text).expect("output is UTF-8");
        }
        text
    })
}

/// A child that is killed when the value goes.
#[derive(Debug)]
pub struct Killed(pub Child);

impl Drop for Killed {
    fn drop(&mut self) {
        process::signal(self.0.id(), Signal::KILL);
        if let Err(error) = self.0.wait() {
            eprintln!("a child cannot be waited for: {error}");
        }
    }
}
