//! The command line of the program: what it is asked to do before any window exists.
//!
//! Nothing here touches the window toolkit, because `nebula ctl` must start and end as quickly as
//! any small tool. Usage errors leave with status 2 and are the only thing that ends the process
//! from here.

mod args;
mod ctl;
mod environment;
mod indent;
mod output;
mod pane_list;
mod pasted;
mod prompt;
mod request;
mod resources;
mod subscribe;

use std::path::PathBuf;

use clap::Parser;

pub use args::CtlArgs;
pub use ctl::run_ctl;

/// What the program is asked to do.
#[derive(Debug)]
pub enum Invocation {
    /// Open the window, or reveal the one that is open.
    Window(StartArgs),
    /// Run the workspace without a window.
    Headless(StartArgs),
    /// Talk to a running workspace: [`run_ctl`].
    Ctl(Box<CtlArgs>),
}

/// What the first tab should be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartArgs {
    /// Directory of the first tab; absolute. `None` means the current directory's default.
    pub directory: Option<PathBuf>,
    /// Shell id of the first tab; `None` means the setting.
    pub shell: Option<String>,
}

#[derive(Debug, Parser)]
#[command(
    name = "nebula",
    version,
    about = "A desktop workspace for many shells and command-line agents",
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
struct Cli {
    /// Directory of the first tab
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Shell of the first tab: an id of the `shell` setting, such as bash or zsh
    #[arg(long, value_name = "ID")]
    shell: Option<String>,
    /// Run the workspace without a window
    #[arg(long)]
    headless: bool,
    #[command(subcommand)]
    command: Option<TopCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum TopCommand {
    /// Talk to a running workspace
    Ctl(Box<CtlArgs>),
}

/// Reads the command line of this process. Ends the process for `--help`, `--version` (status 0)
/// and usage errors (status 2).
#[must_use]
pub fn parse() -> Invocation {
    Cli::parse().into()
}

impl From<Cli> for Invocation {
    fn from(cli: Cli) -> Self {
        if let Some(TopCommand::Ctl(args)) = cli.command {
            return Self::Ctl(args);
        }
        let start = StartArgs {
            // A second start hands the directory to another process with another current
            // directory. Where the current one is gone, opening the path gives the honest error.
            directory: cli
                .directory
                .map(|path| std::path::absolute(&path).unwrap_or(path)),
            shell: cli.shell,
        };
        if cli.headless {
            Self::Headless(start)
        } else {
            Self::Window(start)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &[&str]) -> Result<Invocation, clap::Error> {
        Cli::try_parse_from(std::iter::once(&"nebula").chain(line)).map(Into::into)
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn start_arguments_become_absolute() {
        let Invocation::Window(start) = parse(&["work", "--shell", "zsh"]).unwrap() else {
            panic!("not a window");
        };
        assert!(start.directory.unwrap().is_absolute());
        assert_eq!(start.shell.as_deref(), Some("zsh"));
        assert!(matches!(
            parse(&["--headless"]),
            Ok(Invocation::Headless(_))
        ));
        assert!(matches!(parse(&[]), Ok(Invocation::Window(_))));
    }

    #[test]
    fn usage_errors_have_status_two() {
        for line in [
            &["ctl", "nonsense"][..],
            &["ctl"],
            &["ctl", "snapshot", "--nonsense"],
            &["ctl", "--timeout-ms", "0", "snapshot"],
            &["ctl", "--timeout-ms", "86400001", "snapshot"],
            &["ctl", "prompt", "--pane", "1"],
            &[
                "ctl",
                "prompt",
                "--pane",
                "1",
                "--text",
                "x",
                "--no-submit",
                "--wait",
                "idle",
            ],
            &["ctl", "wait", "--pane", "1", "--after-seq", "0"],
            &["ctl", "wait", "--pane", "1", "--state", "sleeping"],
            &["ctl", "pane", "paste", "--pane", "1"],
            &["ctl", "pane", "paste", "--pane", "1", "--stdin", "word"],
            &["ctl", "zoom-pane", "--pane", "1", "--zoomed", "maybe"],
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line:?}");
        }
    }

    #[test]
    fn global_flags_stand_before_and_after_the_command() {
        for line in [
            &[
                "ctl",
                "--pretty",
                "--timeout-ms",
                "5",
                "--port-file",
                "/p",
                "snapshot",
            ][..],
            &[
                "ctl",
                "snapshot",
                "--pretty",
                "--timeout-ms",
                "5",
                "--port-file",
                "/p",
            ],
            &[
                "ctl",
                "--pretty",
                "pane",
                "list",
                "--timeout-ms",
                "5",
                "--port-file",
                "/p",
            ],
        ] {
            let Invocation::Ctl(args) = parse(line).unwrap() else {
                panic!("not ctl: {line:?}");
            };
            assert!(args.pretty, "{line:?}");
            assert_eq!(args.timeout_ms, Some(5));
            assert_eq!(args.port_file, Some(PathBuf::from("/p")));
        }
    }
}
