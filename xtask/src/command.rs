//! Running other programs, visibly.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

/// A `cargo` command in the root of the repository, of the toolchain that runs this program.
pub fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(arguments)
        .current_dir(crate::workspace::root());
    command
}

/// Shows the command, runs it with the terminal of the caller, and fails when it fails.
pub fn run(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", shown(command));
    let status = command
        .status()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a command and takes its output; fails when it fails, with what it said.
pub fn output(command: &mut Command) -> Result<String> {
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .output()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !status.success() {
        let said = String::from_utf8_lossy(&stderr);
        bail!("`{}` failed ({status}): {}", shown(command), said.trim());
    }
    String::from_utf8(stdout).with_context(|| format!("`{}` printed no text", shown(command)))
}

/// Runs a command in silence; a program that cannot be started did not succeed.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Where a program is, searched on `PATH` and in the directories of system programs.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .map(|directory| directory.join(program))
        .find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok() && path.is_file()
}

/// A command as a person would type it.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    // The toolchain's own path to cargo would only hide what was run.
    let program = if program.is_absolute() && program.ends_with("cargo") {
        "cargo".into()
    } else {
        command.get_program().to_string_lossy()
    };
    std::iter::once(quoted(&program))
        .chain(
            command
                .get_args()
                .map(|argument| quoted(&argument.to_string_lossy())),
        )
        .collect::<Vec<_>>()
        .join(" ")
}

/// One word of a POSIX shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("--flag=a/b"), "--flag=a/b");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        let printed = output(
            Command::new("sh")
                .arg("-c")
                .arg(format!("printf %s {}", quoted("a'b *"))),
        );
        assert_eq!(printed.unwrap(), "a'b *");
    }

    #[test]
    fn a_failure_names_the_command_and_what_it_said() {
        let error = output(Command::new("sh").args(["-c", "echo no >&2; exit 3"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`sh -c 'echo no >&2; exit 3'` failed (exit status: 3): no"
        );
        assert!(run(&mut Command::new("/nonexistent/program")).is_err());
    }

    #[test]
    fn programs_are_found_on_the_path() {
        assert!(find("sh").is_some());
        assert_eq!(find("no-such-program-anywhere"), None);
    }
}
