//! What the system must have, and how to get it.
//!
//! The table says for each thing what it is for, how to see whether it is there, and which Debian
//! package brings it. What is missing is installed with apt when this runs as root or when `sudo`
//! needs no password; otherwise the one command to type is printed. Nothing is asked.

mod apt;
mod detect;
mod table;

use anyhow::{Result, bail};

use detect::System;
pub use table::Group;
use table::{REQUIREMENTS, Requirement};

#[derive(clap::Args)]
pub struct Options {
    /// Only say what is missing
    #[arg(long)]
    check: bool,
    /// Also what the benches compare with: other terminals
    #[arg(long)]
    benches: bool,
}

/// The task: everything that building, running and testing needs.
pub fn setup(options: &Options) -> Result<()> {
    let mut groups = vec![Group::Build, Group::Window, Group::Tests];
    if options.benches {
        groups.push(Group::Benches);
    }
    if !options.check {
        return ensure(&groups);
    }
    let missing = missing(&groups);
    report(&missing);
    if !missing.is_empty() {
        bail!(
            "{} missing; to install: {}",
            counted(missing.len()),
            apt::line(&missing)
        );
    }
    Ok(())
}

/// Installs what is missing of some groups; silent when nothing is.
pub fn ensure(groups: &[Group]) -> Result<()> {
    let wanted = missing(groups);
    if wanted.is_empty() {
        println!("setup: nothing is missing");
        return Ok(());
    }
    report(&wanted);
    apt::install(&wanted)?;
    let still = missing(groups);
    if !still.is_empty() {
        report(&still);
        bail!(
            "apt installed the packages, but {} still missing",
            counted(still.len())
        );
    }
    Ok(())
}

fn missing(groups: &[Group]) -> Vec<&'static Requirement> {
    let system = System::new();
    REQUIREMENTS
        .iter()
        .filter(|requirement| groups.contains(&requirement.group))
        .filter(|requirement| !system.has(requirement))
        .collect()
}

fn report(missing: &[&Requirement]) {
    if missing.is_empty() {
        println!("setup: nothing is missing");
    }
    for requirement in missing {
        println!(
            "missing: {:<24} {}",
            requirement.package, requirement.purpose
        );
    }
}

fn counted(number: usize) -> String {
    if number == 1 {
        "1 package is".to_owned()
    } else {
        format!("{number} packages are")
    }
}
