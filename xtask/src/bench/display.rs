//! A private X server with a window manager, and programs that end with their owner.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::command::output;
use crate::waiting::until;

/// A program that is killed, and waited for, when this is dropped.
#[derive(Debug)]
pub struct Owned(pub Child);

impl Owned {
    /// Starts a program; what it prints is lost.
    pub fn start(command: &mut Command) -> Result<Self> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self::start_as_is(command)
    }

    fn start_as_is(command: &mut Command) -> Result<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        Ok(Self(
            command
                .spawn()
                .with_context(|| format!("cannot start {program}"))?,
        ))
    }

    /// Asks the program to end and waits until it has.
    pub fn terminate(&mut self) -> Result<()> {
        if let Some(process) = Pid::from_raw(self.0.id().cast_signed())
            && self.0.try_wait()?.is_none()
        {
            kill_process(process, Signal::TERM)?;
        }
        until("the program to end", Duration::from_secs(10), || {
            Ok(self.0.try_wait()?)
        })?;
        Ok(())
    }

    /// Fails when the program has ended.
    pub fn alive(&mut self) -> Result<()> {
        match self.0.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("the program under measurement ended ({status})"),
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let Err(error) = self.0.kill().and_then(|()| self.0.wait()) {
            eprintln!("process {} was not ended: {error}", self.0.id());
        }
    }
}

/// Xvfb with openbox.
#[derive(Debug)]
pub struct Display {
    name: String,
    // In this order: the manager goes before its server.
    _manager: Owned,
    _server: Owned,
}

impl Display {
    /// Starts both and waits until windows are managed.
    pub fn start() -> Result<Self> {
        let mut server = Command::new("Xvfb");
        server
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1920x1200x24",
                "-nolisten",
                "tcp",
            ])
            .args(["-noreset", "-dpi", "96"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut server = Owned::start_as_is(&mut server)?;
        let mut number = String::new();
        if let Some(stdout) = server.0.stdout.take() {
            BufReader::new(stdout).read_line(&mut number)?;
        }
        let number = number.trim();
        if number.is_empty() {
            bail!("Xvfb ended at its start; `cargo xtask setup` brings what it needs");
        }
        let name = format!(":{number}");
        let manager = Owned::start(Command::new("openbox").env("DISPLAY", &name))?;
        let display = Self {
            name,
            _manager: manager,
            _server: server,
        };
        until("the window manager", Duration::from_secs(20), || {
            Ok(display.xdotool(&["get_desktop"]).ok())
        })?;
        Ok(display)
    }

    /// Lets a program open its windows here. Rendering is done in software by OpenGL: the software
    /// Vulkan driver of Debian 12 presents black frames to X.
    pub fn enter<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("DISPLAY", &self.name)
            .env_remove("WAYLAND_DISPLAY")
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("VK_DRIVER_FILES", "/dev/null")
    }

    /// Runs xdotool and takes its output.
    pub fn xdotool(&self, arguments: &[&str]) -> Result<String> {
        output(
            Command::new("xdotool")
                .env("DISPLAY", &self.name)
                .args(arguments),
        )
    }

    /// The visible window of a process.
    pub fn window_of(&self, process: u32) -> Result<String> {
        let process = process.to_string();
        let arguments = ["search", "--onlyvisible", "--pid", &process];
        until("a window", Duration::from_secs(60), || {
            let found = self.xdotool(&arguments).unwrap_or_default();
            Ok(found.lines().last().map(str::to_owned))
        })
    }
}

/// The environment variables by which a running Nebula could take part in a measurement.
pub fn forget_running_nebula(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("NEBULA_") {
            command.env_remove(name);
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owned_program_ends_with_its_owner() {
        let owned = Owned::start(Command::new("sleep").arg("600")).unwrap();
        let process = format!("/proc/{}", owned.0.id());
        assert!(std::path::Path::new(&process).exists());
        drop(owned);
        assert!(!std::path::Path::new(&process).exists());
    }

    #[test]
    fn a_program_is_asked_to_end() {
        let mut owned = Owned::start(Command::new("sleep").arg("600")).unwrap();
        owned.terminate().unwrap();
        assert!(owned.alive().is_err());
        owned.terminate().unwrap();
    }
}
