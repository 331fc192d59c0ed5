//! What runs on the host: a login shell, a shell in a known directory, a command, or a shell in
//! tmux. Written for `sh`, wrapped so that any login shell passes it on.

use super::Persist;
use crate::shell::quote;

/// Server of tmux that Nebula uses, beside the user's own.
const TMUX_SERVER: &str = "nebula";

/// The command to run; `None` for the login shell.
pub(crate) fn command(
    command: Option<&str>,
    persist: &Persist,
    directory: Option<&str>,
) -> Option<String> {
    if let Some(command) = command {
        return Some(command.to_owned());
    }
    let cd = directory.map(|directory| format!("cd -- {} 2>/dev/null; ", quote(directory)));
    let cd = cd.unwrap_or_default();
    let shell = "exec \"${SHELL:-/bin/sh}\" -l";
    match persist {
        Persist::Tmux(name) => {
            let name = session_name(name);
            // Without tmux the shell runs all the same, and the user is told.
            Some(wrapped(&format!(
                "{cd}if command -v tmux >/dev/null 2>&1; then \
                 exec tmux -u -L {TMUX_SERVER} new-session -A -s {name} \\; set-option status off; \
                 fi; echo \"tmux is not installed here; this shell ends with its connection.\"; {shell}"
            )))
        }
        Persist::No if directory.is_some() => Some(wrapped(&format!("{cd}{shell}"))),
        Persist::No => None,
    }
}

/// The command that ends a shell in tmux; `None` when there is none.
pub(crate) fn end(persist: &Persist) -> Option<String> {
    match persist {
        Persist::No => None,
        Persist::Tmux(name) => Some(wrapped(&format!(
            "tmux -L {TMUX_SERVER} kill-session -t ={}",
            session_name(name)
        ))),
    }
}

fn session_name(name: &str) -> String {
    let keep = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
    let name: String = name.chars().filter(keep).take(64).collect();
    format!("nebula-{name}")
}

fn wrapped(script: &str) -> String {
    format!("exec /bin/sh -c {}", quote(script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind() {
        let tmux = Persist::Tmux("pane 1; rm".into());
        assert_eq!(command(None, &Persist::No, None), None);
        assert_eq!(
            command(Some("top"), &tmux, Some("/x")).as_deref(),
            Some("top")
        );
        assert!(
            command(None, &tmux, None)
                .unwrap()
                .contains("-s nebula-pane1rm ")
        );
        assert!(end(&tmux).unwrap().contains("=nebula-pane1rm"));
        assert_eq!(end(&Persist::No), None);
    }

    #[test]
    fn a_directory_with_any_name_is_reached() {
        let dir = tempfile::tempdir().unwrap();
        let odd = dir.path().join("it's a \"$dir\" \\ !");
        std::fs::create_dir(&odd).unwrap();
        let line = command(None, &Persist::No, Some(&odd.to_string_lossy())).unwrap();
        let out = std::process::Command::new("sh")
            .args(["-c", &line])
            .env("SHELL", "/bin/pwd")
            .output()
            .unwrap();
        // `pwd -l` is an error, but shows that the shell was reached; the directory is what counts.
        let out = if out.stdout.is_empty() {
            std::process::Command::new("sh")
                .args(["-c", &line.replace("-l", "-c pwd")])
                .env("SHELL", "/bin/sh")
                .output()
                .unwrap()
        } else {
            out
        };
        assert_eq!(
            String::from_utf8(out.stdout).unwrap().trim_end(),
            odd.to_string_lossy()
        );
    }
}
