//! `nebula`: a desktop workspace for many shells and command-line agents.
//!
//! The command line decides which face of the program is wanted before anything of the window is touched: `nebula ctl` is a small client, `nebula --headless`
//! the workspace alone, and plain `nebula` the workspace with its window.

mod cli;
mod headless;
mod log;
mod start;
mod views;

use std::io::Write as _;
use std::process::ExitCode;

use cli::Invocation;
use start::Start;

rust_i18n::i18n!("locales", fallback = "en");

fn main() -> ExitCode {
    let (args, headless) = match cli::parse() {
        Invocation::Ctl(args) => return cli::run_ctl(*args),
        Invocation::Headless(args) => (args, true),
        Invocation::Window(args) => (args, false),
    };
    log::to_stderr();
    match run(&args, headless) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&error),
    }
}

fn run(args: &cli::StartArgs, headless: bool) -> anyhow::Result<()> {
    match (start::start(args, headless)?, headless) {
        (Start::Owner(started), true) => {
            headless::run(*started);
            Ok(())
        }
        (Start::Owner(started), false) => views::run(*started),
        (Start::Elsewhere(_), true) => {
            anyhow::bail!("a workspace already runs on this data directory")
        }
        (Start::Elsewhere(endpoint), false) => start::hand_over(args, &endpoint),
    }
}

/// One line on standard error, and the status that goes with it.
fn complain(error: &anyhow::Error) -> ExitCode {
    match writeln!(std::io::stderr().lock(), "nebula: {error:#}") {
        // Where standard error is gone, the status alone says it.
        Ok(()) | Err(_) => ExitCode::FAILURE,
    }
}
