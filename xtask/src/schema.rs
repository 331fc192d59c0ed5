//! Files in `docs/` that are made from types, and whether they still say what the types say.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{cargo, output, run};
use crate::workspace;

/// Where the schema of the control API stands; `runtime.describe` names the same path.
const SCHEMA: &str = "docs/runtime-api-v1.schema.json";

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub struct Options {
    /// Fail, with a difference, when a file is not current
    #[arg(long)]
    check: bool,
    /// Bring the files up to date
    #[arg(long)]
    write: bool,
}

impl Options {
    /// As `--check`.
    pub const CHECK: Self = Self {
        check: true,
        write: false,
    };
}

/// The task: the schema that `nebula ctl schema` prints against the file in the repository.
pub fn schema(options: &Options) -> Result<()> {
    run(&mut cargo([
        "build",
        "--workspace",
        "--lib",
        "--bins",
        "--tests",
        "--examples",
    ]))?;
    let nebula = workspace::binary("debug", "nebula")?;
    let current = output(Command::new(nebula).args(["ctl", "schema"]))?;
    let path = workspace::root().join(SCHEMA);
    if options.write {
        fs::write(&path, current).with_context(|| format!("cannot write {SCHEMA}"))?;
        println!("{SCHEMA} is written");
        return Ok(());
    }
    let written = fs::read_to_string(&path).with_context(|| format!("cannot read {SCHEMA}"))?;
    if written == current {
        println!("{SCHEMA} is current");
        return Ok(());
    }
    for line in difference(&written, &current) {
        println!("{line}");
    }
    bail!("{SCHEMA} differs from the types; run `cargo xtask schema --write`");
}

/// The task: pages made from types. The comparison is a test of the crate that owns the types, which
/// is run with its siblings; this is the short way to it, and the only way to write.
pub fn docs(options: &Options) -> Result<()> {
    let mut command = cargo(["test", "--package", "settings", "--test", "documentation"]);
    if options.write {
        command.env("NEBULA_WRITE_DOCS", "1");
    }
    run(&mut command)
}

/// The lines that differ, in between those that are equal at both ends.
fn difference(old: &str, new: &str) -> Vec<String> {
    const LONGEST: usize = 40;
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = old.iter().zip(&new).take_while(same).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(same)
        .count();
    let changed = |lines: &[&str], mark: char| {
        let middle = lines.iter().skip(head).take(lines.len() - head - tail);
        let mut shown: Vec<_> = middle
            .clone()
            .take(LONGEST)
            .map(|line| format!("{mark}{line}"))
            .collect();
        let more = middle.count().saturating_sub(LONGEST);
        if more > 0 {
            shown.push(format!("{mark} … {more} more lines"));
        }
        shown
    };
    let mut lines = vec![format!("@@ line {} @@", head + 1)];
    lines.extend(changed(&old, '-'));
    lines.extend(changed(&new, '+'));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_between_the_equal_ends() {
        assert_eq!(
            difference("a\nb\nc\nd\n", "a\nX\nd\n"),
            ["@@ line 2 @@", "-b", "-c", "+X"]
        );
        assert_eq!(difference("a\na\n", "a\n"), ["@@ line 2 @@", "-a"]);
        assert_eq!(difference("", "a\n"), ["@@ line 1 @@", "+a"]);
        let long = "x\n".repeat(100);
        assert_eq!(difference("", &long).len(), 42);
    }
}
