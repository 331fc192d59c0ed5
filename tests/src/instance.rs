//! A running `nebula --headless`.

use std::process::{Command, ExitStatus};
use std::sync::Arc;

use serde_json::json;

use crate::client::{Client, Endpoint};
use crate::ctl::Ctl;
use crate::home::Home;
use crate::pane::{await_prompt, await_rest};
use crate::poll::{self, PATIENCE};
use crate::process::{self, Process, Signal};
use crate::snapshot;
use crate::start::Starting;

/// A running server. Dropping it kills it by its process id and checks that no child is left.
#[derive(Debug)]
pub struct Instance {
    home: Arc<Home>,
    start: Starting,
    endpoint: Endpoint,
}

impl Instance {
    /// Starts in new directories with the usual settings.
    #[must_use]
    pub fn start() -> Self {
        Self::start_in(&Arc::new(Home::new()))
    }

    /// Starts in new directories with the given `settings.toml`.
    #[must_use]
    pub fn start_with(settings: &str) -> Self {
        Self::start_in(&Arc::new(Home::with_settings(settings)))
    }

    /// Starts in directories that exist, and waits until the discovery file is its own.
    #[must_use]
    pub fn start_in(home: &Arc<Home>) -> Self {
        let mut command = home.nebula();
        command.arg("--headless");
        Self::start_command(home, command)
    }

    /// Starts a prepared command as a server.
    #[must_use]
    pub fn start_command(home: &Arc<Home>, command: Command) -> Self {
        let before = home.endpoint();
        let mut start = Starting::spawn(home, command);
        let endpoint = poll::until_ok("runtime.port to be published", PATIENCE, || {
            if let Ok(Some(status)) = start.child.try_wait() {
                panic!(
                    "nebula ended with {status} at its start: {}",
                    start.stderr()
                );
            }
            home.endpoint()
                .filter(|found| Some(found) != before.as_ref())
                .ok_or_else(|| {
                    format!(
                        "{} is absent or old; {}",
                        home.port_file().display(),
                        start.stderr()
                    )
                })
        });
        Self {
            home: Arc::clone(home),
            start,
            endpoint,
        }
    }

    /// The directories in which it lives.
    #[must_use]
    pub fn home(&self) -> &Arc<Home> {
        &self.home
    }

    /// Port and owner token.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.start.child.id()
    }

    /// What it printed on stderr so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.start.stderr()
    }

    /// A connection with the owner token.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::connect(&self.endpoint)
    }

    /// Runs `nebula ctl` against it.
    #[must_use]
    pub fn ctl(&self, arguments: &[&str]) -> Ctl {
        self.home.ctl(arguments)
    }

    /// A connection and the first pane, whose shell shows its prompt and rests.
    pub fn ready(&self) -> (Client, u64) {
        let mut client = self.client();
        let pane = poll::until("the first pane", || {
            snapshot::pane_ids(&client.ok("runtime.snapshot", json!({})))
                .first()
                .copied()
        });
        await_prompt(&mut client, pane);
        await_rest(&mut client);
        (client, pane)
    }

    /// Ends it in order, as a service manager or Ctrl+C would, and returns its directories.
    pub fn stop(mut self) -> (Arc<Home>, ExitStatus) {
        process::signal(self.pid(), Signal::TERM);
        let status = self.wait();
        let home = Arc::clone(&self.home);
        (home, status)
    }

    /// Kills it as a crash would and returns its directories.
    pub fn kill(mut self) -> Arc<Home> {
        process::signal(self.pid(), Signal::KILL);
        self.wait();
        Arc::clone(&self.home)
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        self.start.wait()
    }

    /// Live processes that were started by it, directly or not, and by nobody else.
    #[must_use]
    pub fn left_behind(&self) -> Vec<Process> {
        self.start.left_behind()
    }

    /// Asserts that no process is left of those it started.
    pub fn expect_nothing_left(&self) {
        self.start.expect_nothing_left();
    }
}
