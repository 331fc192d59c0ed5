//! Which programs are interactive shells, and which shell a pane gets.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Programs that wait for command lines (agents.md 11.2). One of these in front of a terminal means
/// that nothing runs there.
const INTERACTIVE: &[&str] = &[
    "bash",
    "sh",
    "dash",
    "zsh",
    "ksh",
    "tcsh",
    "fish",
    "nu",
    "pwsh",
    "powershell",
    "cmd",
    "elvish",
    "xonsh",
];

/// Where shells are looked for besides `PATH`, which may be short when a desktop starts the program.
const DIRECTORIES: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin"];

/// The last resort, present on every Unix.
const FALLBACK: &str = "/bin/sh";

/// Options of shells that take the next argument as their value.
const WITH_VALUE: &[&str] = &[
    "--rcfile",
    "--init-file",
    "-o",
    "+o",
    "-O",
    "+O",
    "--init-command",
];

/// No shell has this id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no shell `{shell}`: use `auto`, the name of an installed shell or its full path")]
pub struct UnknownShell {
    /// What was asked for.
    pub shell: String,
}

/// Whether this is the name of an interactive shell; a leading `-` marks a login shell.
pub fn is_shell_name(name: &str) -> bool {
    INTERACTIVE.contains(&name.strip_prefix('-').unwrap_or(name))
}

/// Whether a process with this name and these arguments waits for command lines. A shell that was
/// given a script or a command runs a program like any other.
pub(crate) fn is_interactive<'a>(name: &str, arguments: impl Iterator<Item = &'a str>) -> bool {
    if !is_shell_name(name) {
        return false;
    }
    let mut is_value = false;
    for argument in arguments {
        if is_value {
            is_value = false;
            continue;
        }
        is_value = WITH_VALUE.contains(&argument);
        let Some(flags) = argument.strip_prefix(['-', '+']) else {
            return false;
        };
        if !flags.starts_with('-') && flags.contains('c') && !is_value {
            return false;
        }
    }
    true
}

/// The program for a shell id: `auto` is `$SHELL`, else the login shell of the user database, else
/// `/bin/sh`; an absolute path is that program; any other id is the name of an installed shell.
/// Looks at files, so it does not belong on a thread that draws.
///
/// # Errors
/// When the id names no shell. Nothing else is started in its place.
pub(crate) fn resolve(id: &str) -> Result<PathBuf, UnknownShell> {
    let unknown = || UnknownShell {
        shell: id.to_owned(),
    };
    if id == "auto" {
        return Ok(login_shell());
    }
    let path = Path::new(id);
    if path.is_absolute() {
        return is_program(path)
            .then(|| path.to_owned())
            .ok_or_else(unknown);
    }
    if !is_shell_name(id) || id.starts_with('-') {
        return Err(unknown());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(DIRECTORIES.iter().map(PathBuf::from))
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(id))
        .find(|candidate| is_program(candidate))
        .ok_or_else(unknown)
}

fn login_shell() -> PathBuf {
    let named = env::var_os("SHELL").map(PathBuf::from);
    let database = || {
        let text = fs::read_to_string("/etc/passwd").ok()?;
        database_shell(&text, rustix::process::getuid().as_raw())
    };
    named
        .filter(|path| usable(path))
        .or_else(|| database().filter(|path| usable(path)))
        .unwrap_or_else(|| PathBuf::from(FALLBACK))
}

fn usable(path: &Path) -> bool {
    path.is_absolute() && is_program(path)
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The seventh field of the user's line in the format of passwd(5).
fn database_shell(text: &str, uid: u32) -> Option<PathBuf> {
    text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let owner: u32 = fields.nth(2)?.parse().ok()?;
        let shell = fields.nth(3)?;
        (owner == uid && !shell.is_empty()).then(|| PathBuf::from(shell))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interactive(line: &str) -> bool {
        let mut words = line.split(' ');
        is_interactive(words.next().unwrap_or_default(), words)
    }

    #[test]
    fn shells_without_a_script_wait_for_commands() {
        for line in [
            "bash",
            "-bash",
            "bash -i",
            "bash --rcfile /tmp/rc -i",
            "zsh -l",
            "fish -o posix",
            "sh -o vi",
        ] {
            assert!(interactive(line), "{line}");
        }
    }

    #[test]
    fn shells_with_something_to_do_do_not() {
        for line in [
            "bash -c true",
            "sh -ec true",
            "bash build.sh",
            "sh -x run",
            "vim",
            "cargo",
        ] {
            assert!(!interactive(line), "{line}");
        }
    }

    #[test]
    fn unknown_ids_never_fall_back() {
        for id in [
            "nope",
            "",
            "-bash",
            "bin/bash",
            "python3",
            "/nonexistent/zsh",
            "/etc/passwd",
        ] {
            assert_eq!(
                resolve(id),
                Err(UnknownShell {
                    shell: id.to_owned()
                }),
                "{id}"
            );
        }
    }

    #[test]
    fn names_and_paths_lead_to_programs() {
        assert!(resolve("sh").is_ok_and(|path| path.is_absolute()));
        assert_eq!(resolve("/bin/sh"), Ok(PathBuf::from("/bin/sh")));
        assert!(resolve("auto").is_ok_and(|path| is_program(&path)));
    }

    #[test]
    fn the_user_database_is_read_by_user_id() {
        let text = "root:x:0:0:root:/root:/bin/bash\nbroken\nme:x:1000:1000::/home/me:/bin/zsh\n\
                    none:x:1001:1001::/:\n";
        assert_eq!(database_shell(text, 1000), Some(PathBuf::from("/bin/zsh")));
        assert_eq!(database_shell(text, 1001), None);
        assert_eq!(database_shell(text, 7), None);
    }
}
