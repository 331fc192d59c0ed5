//! Every check that a change must pass, in one command: the cheap ones first, up to the first that
//! fails. The build server runs the same.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::command::{cargo, run};
use crate::{boundaries, deny, schema, test};

#[derive(clap::Args)]
pub struct Options {
    /// Only these steps, in the order of the list
    #[arg(value_enum)]
    steps: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// System libraries and programs
    Setup,
    /// Formatting
    Fmt,
    /// Which crate may use which
    Boundaries,
    /// Licences, sources and known faults of dependencies
    Deny,
    /// Lints
    Clippy,
    /// The program and all tests
    Build,
    /// Unit and black-box tests, among them whether docs/settings.md is current
    Test,
    /// Examples in documentation comments
    Doctest,
    /// Whether the schema file is current
    Schema,
}

/// The task.
pub fn ci(options: &Options) -> Result<()> {
    let wanted = |step: &&Step| options.steps.is_empty() || options.steps.contains(step);
    let start = Instant::now();
    let mut done = Vec::new();
    for step in Step::value_variants().iter().filter(wanted) {
        println!("\n== {}", step.name());
        let began = Instant::now();
        let result = step.run();
        let line = line(step, &result, began.elapsed());
        println!("== {line}");
        done.push(line);
        result.with_context(|| format!("{} failed", step.name()))?;
    }
    println!(
        "\n{}\nall passed, {}",
        done.join("\n"),
        seconds(start.elapsed())
    );
    Ok(())
}

fn line(step: &Step, result: &Result<()>, time: Duration) -> String {
    let outcome = if result.is_ok() { "ok" } else { "FAILED" };
    format!("{:<12} {outcome:<6} {:>10}", step.name(), seconds(time))
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

impl Step {
    fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    fn run(self) -> Result<()> {
        match self {
            Self::Setup => test::set_up(),
            Self::Fmt => run(&mut cargo(["fmt", "--all", "--check"])),
            Self::Boundaries => boundaries::check(),
            Self::Deny => deny::deny(),
            Self::Clippy => run(&mut cargo([
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "--deny",
                "warnings",
            ])),
            Self::Build => test::build(),
            Self::Test => test::unit_and_black_box(&[]),
            Self::Doctest => test::documentation(),
            Self::Schema => schema::schema(&schema::Options::CHECK),
        }
    }
}
