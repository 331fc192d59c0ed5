//! Build Nebula and start it, so that a person sees something within one command.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::command::{cargo, output, quoted, run as execute};
use crate::setup::{Group, ensure};
use crate::waiting::until;
use crate::workspace;

/// A server that has not answered by then will not.
const READY: Duration = Duration::from_secs(30);

#[derive(clap::Args)]
pub struct Options {
    /// Without a window, also where there is a display
    #[arg(long)]
    headless: bool,
    /// Arguments for Nebula
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

/// The task; its exit code is that of Nebula.
pub fn run(options: &Options) -> Result<ExitCode> {
    let display = ["WAYLAND_DISPLAY", "DISPLAY"]
        .iter()
        .any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    let headless = options.headless || !display;
    ensure(if headless {
        &[Group::Build]
    } else {
        &[Group::Build, Group::Window]
    })?;
    execute(&mut cargo(["build", "--release", "--package", "nebula"]))?;
    let nebula = workspace::binary("release", "nebula")?;
    if !headless {
        let failed = Command::new(&nebula).args(&options.arguments).exec();
        return Err(failed).with_context(|| format!("cannot start {}", nebula.display()));
    }
    if !options.headless {
        println!("There is no display (DISPLAY and WAYLAND_DISPLAY are not set): no window opens.");
    }
    serve(&nebula, &options.arguments)
}

/// Starts the workspace without a window and says how to talk to it once it listens.
fn serve(nebula: &Path, arguments: &[OsString]) -> Result<ExitCode> {
    let mut server = Command::new(nebula)
        .arg("--headless")
        .args(arguments)
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", nebula.display()))?;
    let listens = until("Nebula to answer", READY, || {
        if let Some(status) = server.try_wait()? {
            bail!("Nebula ended at once ({status})");
        }
        Ok((answering(nebula) == Some(server.id())).then_some(()))
    });
    if listens.is_err() {
        server.kill()?;
        server.wait()?;
    }
    listens?;
    println!("The workspace runs without a window. In another terminal, try:\n");
    println!("    {}\n", ctl_line(nebula, "snapshot --pretty"));
    println!(
        "    {}\n",
        ctl_line(nebula, "prompt --pane 1 --text 'echo hello' --wait settled")
    );
    println!("Ctrl+C ends it.");
    let status = server.wait()?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The process that answers on the data directory, which may be another one than was started.
fn answering(nebula: &Path) -> Option<u32> {
    let mut snapshot = Command::new(nebula);
    // Set in a pane of a running Nebula, where it would name that one.
    snapshot.env_remove("NEBULA_RUNTIME_ENDPOINT");
    let text = output(snapshot.args(["ctl", "--timeout-ms", "2000", "snapshot"])).ok()?;
    let answer: Value = serde_json::from_str(&text).ok()?;
    u32::try_from(answer.pointer("/result/process_id")?.as_u64()?).ok()
}

/// A line that works in another terminal: with the path of the program, and with the directory in
/// which it finds the server where that is not the usual one.
fn ctl_line(nebula: &Path, arguments: &str) -> String {
    let data = env::var("NEBULA_DATA_DIR")
        .ok()
        .filter(|directory| !directory.is_empty());
    let data = data.and_then(|directory| std::path::absolute(directory).ok());
    let variable =
        data.map(|directory| format!("NEBULA_DATA_DIR={} ", quoted(&directory.to_string_lossy())));
    let program = quoted(&nebula.to_string_lossy());
    format!("{}{program} ctl {arguments}", variable.unwrap_or_default())
}
