//! A private set of directories for one user of Nebula: data, configuration, home.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

use crate::binary;
use crate::client::Endpoint;
use crate::ctl::Ctl;
use crate::process;

/// The variable by which a process that was left behind is recognised, whoever its parent is now.
const MARK: &str = "NEBULA_TEST_MARK";

/// Settings of every test unless it writes its own: bash, nothing held.
pub const SETTINGS: &str = "[terminal]\nshell = \"bash\"\n";

/// As [`SETTINGS`], and panes stay when their root process ends.
pub const HELD: &str = "[terminal]\nshell = \"bash\"\n\n[panes]\nhold_on_exit = true\n";

/// As [`SETTINGS`] with a theme and a language, so that pictures do not depend on a desktop.
#[must_use]
pub fn themed(theme: &str) -> String {
    format!("{SETTINGS}\n[ui]\ntheme = \"{theme}\"\nlanguage = \"en\"\n")
}

/// The directories of one user. They vanish with the value.
#[derive(Debug)]
pub struct Home {
    root: TempDir,
    starts: AtomicU32,
}

impl Home {
    /// Makes empty directories, a short prompt for every shell, and [`SETTINGS`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_settings(SETTINGS)
    }

    /// As [`Home::new`] with another `settings.toml`.
    #[must_use]
    pub fn with_settings(settings: &str) -> Self {
        let root = tempfile::Builder::new()
            .prefix("nebula-test-")
            .tempdir()
            .expect("a directory");
        let home = Self {
            root,
            starts: AtomicU32::new(0),
        };
        for directory in [home.config(), home.user()] {
            fs::create_dir(directory).expect("an empty place");
        }
        home.write("user/.bashrc", "PS1='$ '\nHISTFILE=\n");
        home.write("user/.zshrc", "PS1='%% '\nHISTFILE=\n");
        home.write(
            "user/.config/fish/config.fish",
            "set -g fish_greeting\nfunction fish_prompt\n    echo -n '> '\nend\n",
        );
        home.write_settings(settings);
        home
    }

    /// Replaces `settings.toml` the way editors do: a new file renamed over the old one.
    pub fn write_settings(&self, settings: &str) {
        self.write("config/settings.toml.new", settings);
        fs::rename(
            self.root.path().join("config/settings.toml.new"),
            self.config().join("settings.toml"),
        )
        .expect("settings can be replaced");
    }

    /// Writes a file below the root, with its directories.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("directories");
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Writes an executable script to `user/bin`, which stands first in `PATH`.
    pub fn write_program(&self, name: &str, script: &str) -> PathBuf {
        self.write(&format!("user/bin/{name}"), script);
        let path = self.user().join("bin").join(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable file");
        path
    }

    /// `NEBULA_DATA_DIR`. Nebula makes it itself.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    /// `NEBULA_CONFIG_DIR`.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.root.path().join("config")
    }

    /// `HOME`, and the directory in which programs start.
    #[must_use]
    pub fn user(&self) -> PathBuf {
        self.root.path().join("user")
    }

    /// [`Home::user`] as a shell reports it.
    #[must_use]
    pub fn user_path(&self) -> String {
        let path = self.user().canonicalize().expect("the home is there");
        path.to_str().expect("its path is UTF-8").to_owned()
    }

    /// The discovery file.
    #[must_use]
    pub fn port_file(&self) -> PathBuf {
        self.data().join("runtime.port")
    }

    /// What the discovery file says, when it is there and complete.
    #[must_use]
    pub fn endpoint(&self) -> Option<Endpoint> {
        Endpoint::parse(&fs::read_to_string(self.port_file()).ok()?)
    }

    /// A command of the program under test, in an environment that has nothing of the caller's
    /// but a `PATH`.
    #[must_use]
    pub fn nebula(&self) -> Command {
        self.command(&binary::nebula())
    }

    /// Any program in the same environment.
    #[must_use]
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env_clear()
            .env("PATH", format!("{}/bin:{path}", self.user().display()))
            .env("HOME", self.user())
            .env("LANG", "C.UTF-8")
            .env("SHELL", "/bin/bash")
            .env("NEBULA_DATA_DIR", self.data())
            .env("NEBULA_CONFIG_DIR", self.config())
            .current_dir(self.user());
        command
    }

    /// Runs `nebula ctl` and waits for its end.
    #[must_use]
    pub fn ctl(&self, arguments: &[&str]) -> Ctl {
        let mut command = self.nebula();
        command.arg("ctl").args(arguments);
        Ctl::run(command)
    }

    /// A `NAME=value` no other start has, to be put into the environment of one start.
    pub(crate) fn next_mark(&self) -> (String, String) {
        let start = self.starts.fetch_add(1, Ordering::Relaxed);
        (
            MARK.to_owned(),
            format!("{}-{start}", self.root.path().display()),
        )
    }

    /// The file for what a start prints on stderr.
    pub(crate) fn log(&self, start: &str) -> PathBuf {
        self.root.path().join(format!("stderr-{start}"))
    }

    /// Reads a file of the user, when it is there.
    #[must_use]
    pub fn read_user(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.user().join(name)).ok()
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // Instances check their own children. What a test started by hand, for example a tmux
        // server, must not outlive the directory in which it runs.
        for start in 0..self.starts.load(Ordering::Relaxed) {
            let mark = format!("{MARK}={}-{start}", self.root.path().display());
            for process in process::with_environment(&mark) {
                process::signal(process.pid, process::Signal::KILL);
            }
        }
    }
}
