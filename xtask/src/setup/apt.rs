//! Installing Debian packages.

use std::process::Command;

use anyhow::{Result, bail};

use super::table::Requirement;
use crate::command::{find, run, succeeds};

/// Installs the packages of what is missing, or says how.
pub fn install(missing: &[&Requirement]) -> Result<()> {
    if find("apt-get").is_none() {
        bail!(
            "this system has no apt. Install what brings the things above; on Debian the packages \
             are: {}",
            packages(missing).join(" ")
        );
    }
    let root = rustix::process::geteuid().is_root();
    if !root && !succeeds(Command::new("sudo").args(["-n", "true"])) {
        bail!(
            "this needs root, or sudo without a password. Run:\n\n    {}\n",
            line(missing)
        );
    }
    let apt = |arguments: &[&str]| {
        // sudo drops variables, so they are set behind it.
        let mut command = Command::new(if root { "env" } else { "sudo" });
        if !root {
            command.args(["-n", "env"]);
        }
        command
            .args(["DEBIAN_FRONTEND=noninteractive", "apt-get"])
            .args(arguments);
        command
    };
    run(&mut apt(&["update"]))?;
    let mut install = apt(&["install", "--yes", "--no-install-recommends"]);
    run(install.args(packages(missing)))
}

/// The command for a person to type.
pub fn line(missing: &[&Requirement]) -> String {
    format!(
        "sudo apt-get update && sudo apt-get install --no-install-recommends {}",
        packages(missing).join(" ")
    )
}

fn packages(missing: &[&Requirement]) -> Vec<&'static str> {
    missing
        .iter()
        .map(|requirement| requirement.package)
        .collect()
}
