//! Measuring Nebula beside the programs that people would use instead, in the same run and on the same
//! machine. Figures are printed and are never assertions: a shared machine may be slow.
//!
//! Everything runs in private directories and on a display of its own, so that neither the user's
//! settings nor a running Nebula take part.

pub mod child;
mod control;
mod display;
mod idle;
mod instance;
mod report;
mod statistics;
mod streams;
mod terminal;
mod wire;

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use report::Report;

#[derive(clap::Args)]
pub struct Options {
    #[command(subcommand)]
    what: What,
    /// Also put the table into this file, in the place of the last one of the same bench
    #[arg(long, global = true, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Measure this Nebula instead of building one
    #[arg(long, global = true, value_name = "PROGRAM")]
    nebula: Option<PathBuf>,
}

#[derive(Subcommand)]
enum What {
    /// Throughput in a visible window, beside Alacritty and kitty, and without a window
    Terminal(terminal::Options),
    /// Round trips of the control API, and `nebula ctl snapshot` beside `tmux list-panes -a`
    Control(control::Options),
    /// Processor time of an idle workspace with ten panes
    Idle(idle::Options),
}

/// The task.
pub fn bench(options: &Options) -> Result<()> {
    let nebula = || match &options.nebula {
        Some(program) => Ok(std::path::absolute(program)?),
        None => instance::build(),
    };
    let report: Report = match &options.what {
        What::Terminal(options) if options.need_nebula() => {
            terminal::measure(options, Some(nebula()?))?
        }
        What::Terminal(options) => terminal::measure(options, None)?,
        What::Control(options) => control::measure(options, &nebula()?)?,
        What::Idle(options) => idle::measure(options, &nebula()?)?,
    };
    println!("{report}");
    options
        .write
        .as_ref()
        .map_or(Ok(()), |file| report.write(file))
}
