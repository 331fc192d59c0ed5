//! Thinking of inputs that break a promise, with cargo-fuzz.
//!
//! Needs a nightly compiler, which nothing else here does; where there is none, this says so. What was
//! found once is replayed on any compiler by the tests of `crates/hostile`.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::command::{run, succeeds};
use crate::test::ensure_tool;
use crate::workspace;

/// Pinned as the other tools are.
const CARGO_FUZZ: &str = "0.13.2";

#[derive(clap::Args)]
pub struct Options {
    /// Only these targets
    #[arg(value_enum)]
    targets: Vec<Target>,
    /// Time for each target
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Output of programs: scanner and emulator
    Output,
    /// Marks, directories, links, titles: OSC strings
    Strings,
    /// Keys, mouse and paste
    Input,
    /// Request lines of the control API
    Request,
}

/// The task.
pub fn fuzz(options: &Options) -> Result<()> {
    if !succeeds(&mut nightly(["--version"])) {
        bail!(
            "fuzzing needs a nightly compiler: `rustup toolchain install nightly --profile minimal`. \
             Without one, `cargo test -p hostile` replays what was found before"
        );
    }
    ensure_tool("cargo-fuzz", "fuzz", CARGO_FUZZ)?;
    let wanted = |target: &&Target| options.targets.is_empty() || options.targets.contains(target);
    for target in Target::value_variants().iter().filter(wanted) {
        target.run(options.seconds)?;
    }
    Ok(())
}

/// A cargo of the nightly toolchain in the directory of the fuzz package.
fn nightly<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new("rustup");
    command
        .args(["run", "nightly", "cargo"])
        .args(arguments)
        .current_dir(workspace::root().join("fuzz"));
    command
}

impl Target {
    fn run(self, seconds: u32) -> Result<()> {
        let name = self
            .to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default();
        // What only makes a fuzzer faster is kept beside the compiled code and not in git.
        let target = workspace::metadata(false)?.target_directory;
        let grown = target.into_std_path_buf().join("fuzz-corpus").join(&name);
        fs::create_dir_all(&grown).with_context(|| format!("cannot make {}", grown.display()))?;
        let mut command = nightly(["fuzz", "run", &name]);
        command.arg(&grown).arg(format!("corpus/{name}"));
        if self == Self::Output {
            command.arg("../crates/terminal/tests/reference");
        }
        command.args(["--", "-max_len=2048", "-timeout=20"]);
        command.arg(format!("-max_total_time={seconds}"));
        run(&mut command).with_context(|| {
            format!(
                "{name} breaks a promise, or could not be run. An input that was found stands in \
                 fuzz/artifacts/{name}; repair what it shows and keep it in fuzz/corpus/{name} \
                 under a name that says what it is"
            )
        })
    }
}
