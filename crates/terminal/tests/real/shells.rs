//! Shell integration with the real shells, which `cargo xtask setup` installs.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use terminal::shell_integration::{Shell, prepare};
use terminal::{Mark, PtyCommand, ReadSource, TerminalEvent};

use crate::harness::Pane;

/// A home directory of its own, and a shell in it.
struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("home")
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Starts a shell and waits for its first prompt.
    fn start(&self, shell: &str, args: &[&str]) -> Pane {
        self.start_with(shell, args, &[])
    }

    fn start_with(&self, shell: &str, args: &[&str], env: &[(&str, &str)]) -> Pane {
        let path = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|dir| dir.join(shell))
            .find(|path| path.is_file());
        let path = path.unwrap_or_else(|| panic!("{shell} is not installed"));
        let mut command = PtyCommand::new(&path);
        command.args = args.iter().map(Into::into).collect();
        command.cwd = Some(self.path());
        for name in [
            "ZDOTDIR",
            "XDG_DATA_DIRS",
            "XDG_CONFIG_HOME",
            "ENV",
            "PROMPT_COMMAND",
            "PS1",
        ] {
            command.env_remove.push(name.into());
        }
        command.env_remove.push("HISTCONTROL".into());
        command.env.push(("HOME".into(), self.path().into()));
        command.env.push(("TERM".into(), "xterm-256color".into()));
        for (name, value) in env {
            command.env.push((name.into(), value.into()));
        }
        let scripts = self.dir.path().canonicalize().unwrap().join("scripts");
        let command = prepare(&Shell::from_path(path), command, &scripts).unwrap();
        let pane = Pane::start(command);
        pane.wait(|| !prompts(&pane).is_empty());
        pane
    }
}

fn marks(pane: &Pane) -> Vec<Mark> {
    let mark = |event| match event {
        TerminalEvent::Mark(mark) => Some(mark),
        _ => None,
    };
    pane.events().into_iter().filter_map(mark).collect()
}

/// Places of the prompt starts among the marks.
fn prompts(pane: &Pane) -> Vec<usize> {
    let marks = marks(pane);
    marks
        .iter()
        .enumerate()
        .filter(|(_, mark)| **mark == Mark::PromptStart)
        .map(|(at, _)| at)
        .collect()
}

/// Types a line and waits for the next prompt; the marks from the line on, without `B`.
fn run(pane: &Pane, line: &str) -> Vec<Mark> {
    let before = marks(pane).len();
    let prompts_before = prompts(pane).len();
    pane.terminal
        .write(format!("{line}\r").into_bytes())
        .unwrap();
    pane.wait(|| prompts(pane).len() > prompts_before);
    let mut new = marks(pane).split_off(before);
    new.retain(|mark| *mark != Mark::CommandLineStart);
    new
}

fn command(line: &str, code: i32) -> Vec<Mark> {
    vec![
        Mark::CommandStart {
            command_line: Some(line.to_owned()),
        },
        Mark::CommandEnd {
            exit_code: Some(code),
        },
        Mark::PromptStart,
    ]
}

fn output(pane: &Pane) -> String {
    pane.read(ReadSource::LastCommand).text
}

fn last_directory(pane: &Pane) -> Option<PathBuf> {
    let directory = |event| match event {
        TerminalEvent::Directory(path) => Some(path),
        _ => None,
    };
    pane.events().into_iter().filter_map(directory).next_back()
}

/// What every shell must do.
fn behaves(pane: &Pane, home: &Path) {
    assert_eq!(last_directory(pane).as_deref(), Some(home));

    assert_eq!(
        run(pane, "printf 'a\\nb\\n'"),
        command("printf 'a\\nb\\n'", 0)
    );
    assert_eq!(output(pane), "a\nb");
    let read = pane.read(ReadSource::LastCommand);
    assert_eq!(
        (read.command.as_deref(), read.exit_code),
        (Some("printf 'a\\nb\\n'"), Some(0))
    );

    // Exit codes, and none for an empty line.
    assert_eq!(run(pane, "false"), command("false", 1));
    assert_eq!(run(pane, ""), [Mark::PromptStart]);
    assert_eq!(run(pane, "sh -c 'exit 42'"), command("sh -c 'exit 42'", 42));
    assert_eq!(run(pane, "true"), command("true", 0));

    // Characters that mean something to the marks.
    let line = "echo 'a;b%c d#e?f é'";
    assert_eq!(run(pane, line), command(line, 0));
    assert_eq!(output(pane), "a;b%c d#e?f é");

    // A directory with such a name.
    run(pane, "mkdir 'x y;z%é' && cd 'x y;z%é'");
    assert_eq!(last_directory(pane), Some(home.join("x y;z%é")));
    run(pane, "cd ..");

    // The end of the prompt is marked between prompt and command.
    let all = marks(pane);
    let last = all
        .iter()
        .rposition(|mark| matches!(mark, Mark::CommandStart { .. }))
        .unwrap();
    assert_eq!(all[last - 1], Mark::CommandLineStart);
    assert_eq!(all[last - 2], Mark::PromptStart);

    // Child processes find nothing of ours.
    run(
        pane,
        "sh -c 'env | grep -i -e nebula_ -e ZDOTDIR -e XDG_DATA -e ^ENV=; echo done'",
    );
    assert_eq!(output(pane), "done");

    // Ctrl+C at the prompt is no command. What is typed before the prompt stands is another matter.
    let ready = || {
        marks(pane)
            .iter()
            .filter(|m| **m == Mark::CommandLineStart)
            .count()
    };
    pane.wait(|| marks(pane).last() == Some(&Mark::CommandLineStart));
    let (before, prompts) = (marks(pane).len(), ready());
    pane.terminal.write(b"abandoned".to_vec()).unwrap();
    pane.wait_for_text("abandoned");
    pane.terminal.write(vec![3]).unwrap();
    pane.wait(|| ready() > prompts);
    run(pane, "true");
    let new = marks(pane).split_off(before);
    let commands: Vec<_> = new
        .iter()
        .filter(|m| matches!(m, Mark::CommandStart { .. }))
        .collect();
    assert_eq!(commands, [&command("true", 0)[0]]);

    pane.terminal.write(b"exit 5\r".to_vec()).unwrap();
    assert_eq!(pane.exit().code, Some(5));
}

#[test]
fn bash_behaves() {
    let home = Home::new();
    home.file(".bashrc", "FROM_RC=yes; PS1='rc$ '");
    let pane = home.start("bash", &[]);
    run(
        &pane,
        "echo \"[$FROM_RC]\"; shopt -q login_shell && echo login",
    );
    assert_eq!(output(&pane), "[yes]");
    behaves(&pane, &home.path());
}

#[test]
fn bash_behaves_as_a_login_shell() {
    let home = Home::new();
    home.file(
        ".bash_profile",
        "FROM_PROFILE=$((${FROM_PROFILE-0} + 1)); PS1='profile$ '",
    );
    home.file(".profile", "FROM_PROFILE=wrong");
    home.file(".bashrc", "FROM_RC=yes");
    let pane = home.start_with("bash", &["-l"], &[("ENV", "/nonexistent/env")]);
    run(
        &pane,
        "echo \"[$FROM_PROFILE] [$FROM_RC] $ENV $HISTFILE\"; shopt -q login_shell && echo login; shopt -o posix",
    );
    let shown = output(&pane);
    let expected = format!(
        "[1] [] /nonexistent/env {}/.bash_history\nlogin",
        home.path().display()
    );
    assert!(shown.starts_with(&expected), "{shown}");
    assert!(shown.contains("off"), "{shown}");
    run(&pane, "unset ENV");
    behaves(&pane, &home.path());
}

#[test]
fn bash_with_strict_settings_and_prompt_commands() {
    let home = Home::new();
    home.file(
        ".bashrc",
        "set -u\nPS1='$ '\nPROMPT_COMMAND=('first=$?' 'count=$((${count-0} + 1))')\n\
         trap 'debugged=$((${debugged-0} + 1))' DEBUG\nPS0='ps0 '\n",
    );
    let pane = home.start("bash", &[]);
    run(&pane, "(exit 7)");
    run(
        &pane,
        "echo \"$first $((count > 1)) $((debugged > 1)) ${#PROMPT_COMMAND[@]}\"",
    );
    assert_eq!(output(&pane), "ps0 7 1 1 3");
    run(&pane, "trap - DEBUG; PS0=; set +u");
    run(&pane, "PS1='$ '");
    behaves(&pane, &home.path());
}

#[test]
fn bash_with_a_prompt_command_that_sets_the_prompt() {
    let home = Home::new();
    home.file(
        ".bashrc",
        "set_prompt() { PS1=\"[$?]$ \"; }\nPROMPT_COMMAND='set_prompt; '\n",
    );
    let pane = home.start("bash", &[]);
    run(&pane, "(exit 9)");
    pane.wait_for_text("[9]$");
    behaves(&pane, &home.path());
}

#[test]
fn bash_commands_that_history_does_not_take() {
    let home = Home::new();
    home.file(".bashrc", "PS1='$ '\nHISTCONTROL=ignorespace\n");
    let pane = home.start("bash", &[]);
    assert_eq!(run(&pane, "true"), command("true", 0));
    let hidden = run(&pane, " false");
    assert_eq!(hidden[0], Mark::CommandStart { command_line: None });
    run(&pane, "HISTCONTROL=ignoredups");
    assert_eq!(run(&pane, "true"), command("true", 0));
    assert_eq!(run(&pane, "true"), command("true", 0));
    // Several lines are one command.
    let lines = run(&pane, "for n in 1 2; do\necho $n; done");
    let Mark::CommandStart {
        command_line: Some(line),
    } = &lines[0]
    else {
        panic!("{lines:?}")
    };
    assert!(
        line.starts_with("for n in 1 2; do") && line.contains("echo $n"),
        "{line}"
    );
    assert_eq!(output(&pane), "1\n2");
}

#[test]
fn zsh_behaves() {
    let home = Home::new();
    home.file(".zshenv", "FROM_ENV=yes\n");
    home.file(".zshrc", "FROM_RC=yes; PS1='rc%# '\n");
    let pane = home.start("zsh", &[]);
    run(&pane, "echo \"[$FROM_ENV] [$FROM_RC] [${ZDOTDIR-none}]\"");
    assert_eq!(output(&pane), "[yes] [yes] [none]");
    behaves(&pane, &home.path());
}

#[test]
fn zsh_with_a_directory_of_its_own_and_strict_settings() {
    let home = Home::new();
    let own = home.path().join("own");
    home.file("own/.zshenv", "FROM_ENV=own\n");
    home.file(
        "own/.zshrc",
        "setopt nounset prompt_subst\nautoload -Uz add-zsh-hook\n\
         theme() { local code=$?; PS1=\"[$code]%# \" }\nadd-zsh-hook precmd theme\n",
    );
    home.file("own/.zlogin", "FROM_LOGIN=yes\n");
    let own = own.to_str().unwrap();
    let pane = home.start_with("zsh", &["-l"], &[("ZDOTDIR", own)]);
    run(&pane, "echo \"[$FROM_ENV] [$FROM_LOGIN] [$ZDOTDIR]\"");
    assert_eq!(output(&pane), format!("[own] [yes] [{own}]"));
    run(&pane, "(exit 9)");
    pane.wait_for_text("[9]#");
    run(&pane, "unset ZDOTDIR");
    behaves(&pane, &home.path());
}

#[test]
fn fish_behaves() {
    let home = Home::new();
    home.file(
        ".config/fish/config.fish",
        "set -g FROM_RC yes\nfunction fish_greeting; end\n",
    );
    let pane = home.start("fish", &[]);
    run(&pane, "echo \"[$FROM_RC] [$XDG_DATA_DIRS]\"");
    assert_eq!(output(&pane), "[yes] []");
    behaves(&pane, &home.path());
}

#[test]
fn fish_gets_its_data_directories_back() {
    let home = Home::new();
    home.file(
        ".config/fish/config.fish",
        "function fish_greeting; end\nfunction fish_prompt; echo -n \"[$status]> \"; end\n",
    );
    let env = [("XDG_DATA_DIRS", "/usr/local/share:/usr/share")];
    let pane = home.start_with("fish", &["-l"], &env);
    run(&pane, "sh -c 'echo \"$XDG_DATA_DIRS\"'");
    assert_eq!(output(&pane), "/usr/local/share:/usr/share");
    run(&pane, "sh -c 'exit 9'");
    pane.wait_for_text("[9]>");
    run(&pane, "set -e XDG_DATA_DIRS");
    behaves(&pane, &home.path());
}
