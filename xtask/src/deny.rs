//! Licences, sources and known faults of the packages that are used, with cargo-deny.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::command::{cargo, run, shown};
use crate::test::ensure_tool;
use crate::waiting::until;

const DENY: &str = "0.20.2";

/// The database is small; a download that takes longer does not come.
const LONGEST: Duration = Duration::from_secs(120);

/// The task. Advisories need a database that is downloaded from outside crates.io; where that cannot
/// be reached this is said, and everything else is still checked.
pub fn deny() -> Result<()> {
    ensure_tool("cargo-deny", "deny", DENY)?;
    let check = ["deny", "--all-features", "check"];
    run(cargo(check).args(["bans", "licenses", "sources"]))?;
    if !database()? {
        println!("advisories: NOT CHECKED, the database cannot be downloaded from here");
        return Ok(());
    }
    run(cargo(check).args(["--disable-fetch", "advisories"]))
}

/// Brings the database of advisories up to date; tells whether that was possible.
fn database() -> Result<bool> {
    let mut fetch = cargo(["deny", "fetch", "db"]);
    // Nobody is there to type a password, and a network may swallow what is sent.
    fetch
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    eprintln!("$ {}", shown(&fetch));
    let mut fetch = fetch.spawn().context("cannot start cargo")?;
    let Ok(status) = until("the advisory database", LONGEST, || Ok(fetch.try_wait()?)) else {
        fetch.kill()?;
        fetch.wait()?;
        return Ok(false);
    };
    Ok(status.success())
}
