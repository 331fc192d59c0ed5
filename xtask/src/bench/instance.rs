//! A private Nebula under measurement.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::display::{Display, Owned, forget_running_nebula};
use super::wire::{Connection, Endpoint};
use crate::command::{cargo, quoted, run};
use crate::waiting::until;
use crate::workspace;

/// The shell that most people have, and the font and history that the other terminals get too.
const SETTINGS: &str = "\
[terminal]
shell = \"bash\"
history_lines = 10000

[ui]
theme = \"dark\"
font_family = \"DejaVu Sans Mono\"
font_size = 14
keep_session = false
confirm_close = false
";

/// Builds Nebula as it is shipped and says where it is.
pub fn build() -> Result<PathBuf> {
    run(&mut cargo(["build", "--release", "--package", "nebula"]))?;
    workspace::binary("release", "nebula")
}

/// One running Nebula with directories of its own.
pub struct Instance {
    // In this order: the process ends before its directories go.
    process: Owned,
    home: TempDir,
    program: PathBuf,
    endpoint: Endpoint,
}

impl Instance {
    /// Starts the program, in a window of `display` or without one, and waits for its first pane.
    pub fn start(program: &Path, display: Option<&Display>) -> Result<Self> {
        let home = tempfile::Builder::new().prefix("nebula-bench-").tempdir()?;
        let config = home.path().join("config");
        fs::create_dir(&config)?;
        fs::write(config.join("settings.toml"), SETTINGS)?;
        let mut command = Command::new(program);
        forget_running_nebula(&mut command);
        command
            .env("NEBULA_DATA_DIR", home.path().join("data"))
            .env("NEBULA_CONFIG_DIR", &config)
            // What the user's startup files do is not measured.
            .env("HOME", home.path())
            // A shell that is hung up would write its history into a directory that goes away.
            .env("HISTFILE", "")
            .current_dir(home.path());
        match display {
            Some(display) => display.enter(&mut command),
            None => command.arg("--headless"),
        };
        let mut process = Owned::start(&mut command)?;
        let data = home.path().join("data");
        let endpoint = until("the discovery file", Duration::from_secs(60), || {
            process.alive()?;
            Endpoint::read(&data)
        })?;
        let instance = Self {
            process,
            home,
            program: program.to_owned(),
            endpoint,
        };
        until("the first pane", Duration::from_secs(60), || {
            Ok(instance.panes()?.pop())
        })?;
        Ok(instance)
    }

    /// A new connection to its control API.
    pub fn connect(&self) -> Result<Connection> {
        self.endpoint.connect()
    }

    /// `nebula ctl` against this instance.
    pub fn ctl(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        forget_running_nebula(&mut command);
        command
            .env("NEBULA_DATA_DIR", self.home.path().join("data"))
            .arg("ctl")
            .args(arguments);
        command
    }

    /// The process.
    pub fn process(&mut self) -> &mut Owned {
        &mut self.process
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.process.0.id()
    }

    /// Ids of all panes.
    pub fn panes(&self) -> Result<Vec<u64>> {
        let snapshot = self.connect()?.call("runtime.snapshot", &json!({}))?;
        let list = |value: &Value, name: &str| {
            value
                .get(name)
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default()
        };
        let windows = list(&snapshot, "windows").into_iter();
        let tabs = windows.flat_map(|window| list(&window, "tabs"));
        let panes = tabs.flat_map(|tab| list(&tab, "panes"));
        Ok(panes
            .filter_map(|pane| pane.get("id").and_then(Value::as_u64))
            .collect())
    }

    /// Types a command line into the first pane.
    pub fn type_line(&self, words: &[&str]) -> Result<()> {
        let pane = *self
            .panes()?
            .first()
            .ok_or_else(|| anyhow!("there is no pane"))?;
        let line: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        self.connect()?
            .call(
                "pane.prompt",
                &json!({"pane_id": pane, "text": line.join(" ")}),
            )
            .context("cannot type into the pane")?;
        Ok(())
    }

    /// Opens tabs until there are `wanted` panes.
    pub fn fill(&self, wanted: usize) -> Result<()> {
        let mut connection = self.connect()?;
        while self.panes()?.len() < wanted {
            connection.call("tab.new", &json!({}))?;
        }
        Ok(())
    }
}

impl Drop for Instance {
    /// Ends Nebula in order, so that its shells end before their directory goes. The process itself
    /// is killed afterwards if it is still there.
    fn drop(&mut self) {
        if let Err(error) = self.process.terminate() {
            eprintln!("Nebula did not end in order: {error:#}");
        }
    }
}
