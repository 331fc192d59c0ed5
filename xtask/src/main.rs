//! `cargo xtask`: everything that is done to the repository, by people and by the build server alike.
//!
//! Each task is a module with one public function that either succeeds or says what to do. Tasks run
//! the same commands that a person would type and show them, so that nothing here is needed to
//! understand a failure.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool prints"
)]

mod bench;
mod boundaries;
mod ci;
mod command;
mod deny;
mod fuzz;
mod run;
mod schema;
mod setup;
mod test;
mod waiting;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Tasks of the Nebula repository",
    version
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Find missing system libraries and programs, and install them with apt
    Setup(setup::Options),
    /// Build Nebula and start it, in a window where there is a display
    Run(run::Options),
    /// Build everything and run all tests
    Test {
        /// Arguments for `cargo nextest run`, for example a filter
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        nextest: Vec<OsString>,
    },
    /// Run every check that a change must pass
    Ci(ci::Options),
    /// Think of inputs that break a promise, with cargo-fuzz on a nightly compiler
    Fuzz(fuzz::Options),
    /// Compare or write the JSON Schema of the control API
    Schema(schema::Options),
    /// Compare or write the pages that are made from types
    Docs(schema::Options),
    /// Measure; figures are printed as Markdown tables
    Bench(bench::Options),
    /// The program that a terminal under measurement runs
    #[command(hide = true)]
    BenchChild(bench::child::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Setup(options) => setup::setup(&options),
        Task::Run(options) => return run::run(&options).unwrap_or_else(|error| failure(&error)),
        Task::Test { nextest } => test::test(&nextest),
        Task::Ci(options) => ci::ci(&options),
        Task::Fuzz(options) => fuzz::fuzz(&options),
        Task::Schema(options) => schema::schema(&options),
        Task::Docs(options) => schema::docs(&options),
        Task::Bench(options) => bench::bench(&options),
        Task::BenchChild(options) => bench::child::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure(&error),
    }
}

fn failure(error: &anyhow::Error) -> ExitCode {
    eprintln!("xtask: {error:#}");
    ExitCode::FAILURE
}
