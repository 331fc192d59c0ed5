//! Build everything once and run all tests.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{cargo, run, succeeds};
use crate::setup::{Group, ensure};

/// The version is pinned so that a new release cannot turn a green build red.
const NEXTEST: &str = "0.9.143";

/// The task: setup, build, tests, doc tests.
pub fn test(nextest: &[OsString]) -> Result<()> {
    set_up()?;
    build()?;
    unit_and_black_box(nextest)?;
    // A filter names tests that the person cares about now.
    if nextest.is_empty() {
        documentation()
    } else {
        Ok(())
    }
}

/// What must be installed to run every test that this user may run.
pub fn set_up() -> Result<()> {
    let mut groups = vec![Group::Build, Group::Window, Group::Tests];
    if may_start_servers() {
        groups.push(Group::Servers);
    }
    ensure(&groups)
}

/// SSH servers that change nothing of the system run in namespaces of their own, which only root may
/// make. Whoever is not root does not get a server installed for tests that could not use it.
fn may_start_servers() -> bool {
    let options = ["--mount", "--pid", "--fork", "--mount-proc", "true"];
    succeeds(Command::new("unshare").args(options))
}

/// Compiles what the tests start and the tests themselves, with the features that both share, so that
/// nextest finds everything built and GPUI is compiled once.
pub fn build() -> Result<()> {
    run(&mut cargo([
        "build",
        "--workspace",
        "--lib",
        "--bins",
        "--tests",
        "--examples",
    ]))
}

/// All tests in all crates. Those of `tests/` start the program that [`build`] made.
pub fn unit_and_black_box(arguments: &[OsString]) -> Result<()> {
    ensure_tool("cargo-nextest", "nextest", NEXTEST)?;
    let mut nextest = cargo(["nextest", "run", "--workspace"]);
    nextest.args(arguments);
    if arguments.is_empty() && !may_start_servers() {
        println!("the tests against real SSH servers are left out: they need root");
        nextest.args(["--filterset", "not (package(ssh) & binary(real))"]);
    }
    run(&mut nextest)
}

/// The examples in documentation comments.
pub fn documentation() -> Result<()> {
    run(&mut cargo(["test", "--workspace", "--doc"]))
}

/// Installs a cargo subcommand from crates.io when there is none.
pub fn ensure_tool(package: &str, subcommand: &str, version: &str) -> Result<()> {
    if succeeds(&mut cargo([subcommand, "--version"])) {
        return Ok(());
    }
    println!("{package} is missing; compiling it takes a few minutes, once");
    let mut install: Command = cargo(["install", "--locked", package, "--version", version]);
    run(&mut install).with_context(|| format!("cannot install {package} from crates.io"))
}
