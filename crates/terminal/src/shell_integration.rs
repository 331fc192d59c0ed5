//! Makes a shell report its directory and its commands, without touching the user's files.
//!
//! Each shell is started so that it reads a script of ours beside the user's own files. The scripts
//! stand in `assets/shell-integration`; they put back every variable that was changed to get them
//! read, so that programs started from the shell find the user's environment.
//!
//! Marks are a convenience, not a boundary: any program can print them.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::PtyCommand;

const BASH: &str = include_str!("../../../assets/shell-integration/nebula.bash");
const ZSH: &str = include_str!("../../../assets/shell-integration/nebula.zsh");
const ZSHENV: &str = include_str!("../../../assets/shell-integration/zshenv.zsh");
const FISH: &str = include_str!("../../../assets/shell-integration/nebula.fish");

/// A shell to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// Its program.
    pub path: PathBuf,
    /// What it understands.
    pub kind: ShellKind,
}

/// Shells that differ in how they are prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// GNU bash.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
    /// Any other: started without integration.
    Other,
}

impl Shell {
    /// Recognises a shell by the name of its program.
    pub fn from_path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let kind = match path.file_name().and_then(OsStr::to_str) {
            Some("bash") => ShellKind::Bash,
            Some("zsh") => ShellKind::Zsh,
            Some("fish") => ShellKind::Fish,
            _ => ShellKind::Other,
        };
        Self { path, kind }
    }
}

/// Adds shell integration to a command that starts `shell`. The scripts are written below `dir`,
/// which must be an absolute path, private to the user, and live as long as the shells.
///
/// A command with arguments other than `-i`, `-l` and `--login` is not meant as an interactive shell
/// and returned unchanged, as is one for a shell of another kind.
///
/// # Errors
/// When the scripts cannot be written; the command may then be started without integration.
pub fn prepare(
    shell: &Shell,
    mut command: PtyCommand,
    dir: &Path,
) -> Result<PtyCommand, io::Error> {
    let plain = |arg: &OsString| ["-i", "-l", "--login"].iter().any(|known| arg == known);
    if !command.args.iter().all(plain) {
        return Ok(command);
    }
    match shell.kind {
        ShellKind::Bash => prepare_bash(&mut command, dir)?,
        ShellKind::Zsh => prepare_zsh(&mut command, dir)?,
        ShellKind::Fish => prepare_fish(&mut command, dir)?,
        ShellKind::Other => {}
    }
    Ok(command)
}

fn prepare_bash(command: &mut PtyCommand, dir: &Path) -> io::Result<()> {
    let script = install(dir, "bash/nebula.bash", BASH)?;
    if command.args.iter().any(|arg| arg != "-i") {
        // A login shell knows no `--rcfile`, but in POSIX mode it reads ENV, and only that.
        if let Some(env) = variable(command, "ENV") {
            command.env.push(("NEBULA_BASH_ENV".into(), env));
        }
        command.env.push(("ENV".into(), script.into()));
        command.env.push(("NEBULA_BASH_LOGIN".into(), "1".into()));
        command.args.insert(0, "--posix".into());
    } else {
        command
            .args
            .splice(0..0, ["--rcfile".into(), script.into()]);
    }
    Ok(())
}

fn prepare_zsh(command: &mut PtyCommand, dir: &Path) -> io::Result<()> {
    install(dir, "zsh/nebula.zsh", ZSH)?;
    install(dir, "zsh/.zshenv", ZSHENV)?;
    if let Some(zdotdir) = variable(command, "ZDOTDIR") {
        command.env.push(("NEBULA_ZDOTDIR".into(), zdotdir));
    } else {
        command.env_remove.push("NEBULA_ZDOTDIR".into());
    }
    command.env.push(("ZDOTDIR".into(), dir.join("zsh").into()));
    Ok(())
}

fn prepare_fish(command: &mut PtyCommand, dir: &Path) -> io::Result<()> {
    install(dir, "fish/vendor_conf.d/nebula.fish", FISH)?;
    let original = variable(command, "XDG_DATA_DIRS");
    match &original {
        Some(dirs) => command
            .env
            .push(("NEBULA_XDG_DATA_DIRS".into(), dirs.clone())),
        None => command.env_remove.push("NEBULA_XDG_DATA_DIRS".into()),
    }
    command.env.push(("NEBULA_PANE_FISH".into(), "1".into()));
    // What the XDG base directory specification says an absent variable means.
    let mut dirs = dir.as_os_str().to_owned();
    dirs.push(":");
    dirs.push(original.unwrap_or_else(|| "/usr/local/share/:/usr/share/".into()));
    command.env.push(("XDG_DATA_DIRS".into(), dirs));
    Ok(())
}

/// What a variable will be for the command, before integration.
fn variable(command: &PtyCommand, name: &str) -> Option<OsString> {
    let set = command
        .env
        .iter()
        .rev()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.clone());
    let inherited = || match command.env_remove.iter().any(|removed| removed == name) {
        true => None,
        false => std::env::var_os(name),
    };
    set.or_else(inherited).filter(|value| !value.is_empty())
}

/// Writes a script, in one step, unless it stands there already: shells may be reading it.
fn install(dir: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let path = dir.join(name);
    if std::fs::read(&path).is_ok_and(|present| present == text.as_bytes()) {
        return Ok(path);
    }
    let parent = path.parent().unwrap_or(dir);
    std::fs::create_dir_all(parent)?;
    let unfinished = parent.join(format!(".{}.new", std::process::id()));
    std::fs::write(&unfinished, text)?;
    std::fs::rename(&unfinished, &path)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(path: &str, args: &[&str]) -> PtyCommand {
        let dir = tempfile::tempdir().unwrap();
        let command = PtyCommand {
            args: args.iter().map(OsString::from).collect(),
            ..PtyCommand::new(path)
        };
        prepare(&Shell::from_path(path), command, dir.path()).unwrap()
    }

    #[test]
    fn shells_are_recognised_by_name() {
        assert_eq!(Shell::from_path("/bin/bash").kind, ShellKind::Bash);
        assert_eq!(Shell::from_path("/usr/local/bin/zsh").kind, ShellKind::Zsh);
        assert_eq!(Shell::from_path("fish").kind, ShellKind::Fish);
        assert_eq!(Shell::from_path("/bin/dash").kind, ShellKind::Other);
        assert_eq!(Shell::from_path("/").kind, ShellKind::Other);
    }

    #[test]
    fn only_interactive_shells_are_changed() {
        let args = ["-c", "true"];
        let command = prepared("/bin/bash", &args);
        assert_eq!(command.args, args);
        assert!(command.env.is_empty());
        assert!(prepared("/bin/dash", &[]).env.is_empty());
        assert_eq!(prepared("/bin/bash", &["-i"]).args.len(), 3);
        assert_eq!(prepared("/bin/bash", &["-l"]).args, ["--posix", "-l"]);
    }

    #[test]
    fn variables_of_the_command_count_before_inherited_ones() {
        let mut command = PtyCommand::new("fish");
        command.env.push(("XDG_DATA_DIRS".into(), "/a:/b".into()));
        assert_eq!(variable(&command, "XDG_DATA_DIRS"), Some("/a:/b".into()));
        command.env_remove.push("PATH".into());
        assert_eq!(variable(&command, "PATH"), None);
        assert_eq!(
            variable(&PtyCommand::new("x"), "PATH"),
            std::env::var_os("PATH")
        );
    }

    #[test]
    fn scripts_are_written_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = install(dir.path(), "a/b", "text").unwrap();
        let written = std::fs::metadata(&path).unwrap().modified().unwrap();
        install(dir.path(), "a/b", "text").unwrap();
        assert_eq!(
            std::fs::metadata(&path).unwrap().modified().unwrap(),
            written
        );
        install(dir.path(), "a/b", "other").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"other");
        assert_eq!(std::fs::read_dir(dir.path().join("a")).unwrap().count(), 1);
    }
}
