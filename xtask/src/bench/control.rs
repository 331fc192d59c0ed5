//! How long the control API takes, as a script and as an agent sees it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};

use super::display::forget_running_nebula;
use super::instance::Instance;
use super::report::Report;
use super::statistics::{median, p95, shown};
use super::wire::Connection;
use crate::command::{find, output};
use crate::waiting::until;

/// Panes on both sides, so that a snapshot and a list have something to say.
const PANES: usize = 10;

/// One row takes no longer.
const LONGEST: Duration = Duration::from_secs(30);

#[derive(clap::Args)]
pub struct Options {
    /// Calls on a kept connection; one in ten of them with a connection each
    #[arg(long, default_value_t = 2000)]
    calls: usize,
    /// Runs of whole programs
    #[arg(long, default_value_t = 100)]
    programs: usize,
}

/// The bench.
pub fn measure(options: &Options, nebula: &Path) -> Result<Report> {
    let instance = Instance::start(nebula, None)?;
    instance.fill(PANES)?;
    let pane = *instance
        .panes()?
        .first()
        .ok_or_else(|| anyhow!("there is no pane"))?;
    let calls: [(&str, &str, Value); 4] = [
        ("describe", "runtime.describe", json!({})),
        ("snapshot", "runtime.snapshot", json!({})),
        (
            "read, 40 lines",
            "pane.read",
            json!({"pane_id": pane, "lines": 40}),
        ),
        (
            "prompt",
            "pane.prompt",
            json!({"pane_id": pane, "text": "true"}),
        ),
    ];
    let mut rows = Vec::new();
    for (name, method, params) in &calls {
        let call = Call {
            instance: &instance,
            pane,
            method,
            params,
        };
        let kept = call.kept(options.calls)?;
        let each = call.each(options.calls.div_ceil(10))?;
        rows.push(row(&format!("{name}, kept connection"), &kept));
        rows.push(row(&format!("{name}, a connection each"), &each));
    }
    rows.extend(programs(&instance, options.programs)?);
    Ok(Report {
        name: "control",
        title: "Control API",
        notes: vec![
            format!(
                "A headless workspace with {PANES} panes; {} calls on a kept connection, a tenth of \
                 them with a connection each, {} runs of each program, alternating.",
                options.calls, options.programs
            ),
            "Between prompts the shell is left to settle, which is not in the figure.".to_owned(),
        ],
        columns: vec!["what", "median", "p95", "ratio"],
        rows,
    })
}

fn row(name: &str, times: &[Duration]) -> Vec<String> {
    vec![
        name.to_owned(),
        shown(median(times)),
        shown(p95(times)),
        String::new(),
    ]
}

/// One call, made many times.
struct Call<'a> {
    instance: &'a Instance,
    pane: u64,
    method: &'a str,
    params: &'a Value,
}

impl Call<'_> {
    fn kept(&self, count: usize) -> Result<Vec<Duration>> {
        let mut connection = self.instance.connect()?;
        self.repeat(count, |call| call.once(&mut connection, Instant::now()))
    }

    fn each(&self, count: usize) -> Result<Vec<Duration>> {
        self.repeat(count, |call| {
            let start = Instant::now();
            call.once(&mut call.instance.connect()?, start)
        })
    }

    /// Stops early when the calls, or what is waited for between them, take long.
    fn repeat(
        &self,
        count: usize,
        mut call: impl FnMut(&Self) -> Result<Duration>,
    ) -> Result<Vec<Duration>> {
        let start = Instant::now();
        let mut times = Vec::with_capacity(count);
        while times.len() < count && start.elapsed() < LONGEST {
            times.push(call(self)?);
        }
        Ok(times)
    }

    /// One call and the time since `start`, connecting included where the caller has just connected.
    fn once(&self, connection: &mut Connection, start: Instant) -> Result<Duration> {
        let request = connection.request(self.method, self.params);
        let answer = connection.round_trip(&request)?;
        let time = start.elapsed();
        ensure!(
            answer.contains("\"ok\":true"),
            "{}: {}",
            self.method,
            answer.trim()
        );
        if self.method == "pane.prompt" {
            let wait = json!({"pane_id": self.pane, "states": ["settled"], "timeout_ms": 30_000});
            connection.call("pane.wait", &wait)?;
        }
        Ok(time)
    }
}

/// `nebula ctl snapshot` and what one would type with tmux, from start to end of the process.
fn programs(instance: &Instance, runs: usize) -> Result<Vec<Vec<String>>> {
    let tmux = match find("tmux") {
        Some(_) => Some(Tmux::start()?),
        None => None,
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        ours.push(timed(&mut instance.ctl(&["snapshot"]))?);
        if let Some(tmux) = &tmux {
            theirs.push(timed(&mut tmux.command(&["list-panes", "-a"]))?);
        }
    }
    let mut rows = vec![row("`nebula ctl snapshot`, whole process", &ours)];
    if tmux.is_none() {
        rows.push(vec![
            "tmux is not installed".into(),
            "–".into(),
            "–".into(),
            "–".into(),
        ]);
        return Ok(rows);
    }
    let ratio = median(&ours).as_secs_f64() / median(&theirs).as_secs_f64();
    if let Some(last) = rows.first_mut().and_then(|row| row.last_mut()) {
        *last = format!("{ratio:.2} × tmux");
    }
    rows.push(row("`tmux list-panes -a`, whole process", &theirs));
    Ok(rows)
}

fn timed(command: &mut Command) -> Result<Duration> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let start = Instant::now();
    let status = command
        .status()
        .context("cannot start the program under measurement")?;
    let time = start.elapsed();
    ensure!(
        status.success(),
        "the program under measurement failed ({status})"
    );
    Ok(time)
}

/// A tmux server of its own, on a socket of its own; it ends with this value.
struct Tmux {
    directory: tempfile::TempDir,
}

impl Tmux {
    fn start() -> Result<Self> {
        let tmux = Self {
            directory: tempfile::Builder::new().prefix("nebula-tmux-").tempdir()?,
        };
        output(&mut tmux.command(&["new-session", "-d", "-x", "120", "-y", "40", "/bin/sh"]))?;
        for _ in 1..PANES {
            output(&mut tmux.command(&["new-window", "-d", "/bin/sh"]))?;
        }
        until("tmux", Duration::from_secs(20), || {
            let list = tmux.command(&["list-panes", "-a"]).output()?;
            let lines = list.stdout.split(|byte| *byte == b'\n').count() - 1;
            Ok((lines == PANES).then_some(()))
        })?;
        Ok(tmux)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        forget_running_nebula(&mut command)
            .env_remove("TMUX")
            .arg("-S")
            .arg(self.directory.path().join("socket"))
            .args(["-f", "/dev/null"])
            .args(arguments);
        command
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        if let Err(error) = output(&mut self.command(&["kill-server"])) {
            eprintln!("{error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_is_not_measured() {
        assert!(timed(&mut Command::new("true")).is_ok());
        assert!(timed(&mut Command::new("false")).is_err());
    }
}
