//! Where the configuration of a host comes from: `ssh -G`, or the own reader.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::AsyncReadExt;
use tokio::process::Command;

use super::HostConfig;
use super::directives::Builder;
use super::reader::Reader;
use super::tokens;
use crate::{Destination, limits};

/// Whether an installed OpenSSH client expands the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OpenSsh {
    /// When there is one on `PATH`.
    #[default]
    Auto,
    /// This program.
    Program(PathBuf),
    /// Never; the own reader is used.
    Never,
}

/// Where configuration comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigSource {
    /// The OpenSSH client.
    pub openssh: OpenSsh,
    /// Read this file alone, as `ssh -F` does, instead of `~/.ssh/config` and
    /// `/etc/ssh/ssh_config`.
    pub file: Option<PathBuf>,
    /// The home directory, when it is another one than the environment's.
    pub home: Option<PathBuf>,
}

/// Why a host's configuration cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// OpenSSH refused the configuration.
    #[error("the ssh configuration is not valid: {0}")]
    Invalid(String),
    /// The OpenSSH client could not be run.
    #[error("ssh -G could not be run: {0}")]
    Run(String),
}

impl ConfigSource {
    /// The home directory: the given one, or that of the environment.
    pub fn home(&self) -> PathBuf {
        let from_env = || {
            ["HOME", "USERPROFILE"]
                .iter()
                .find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
                .map(PathBuf::from)
        };
        self.home
            .clone()
            .or_else(from_env)
            .unwrap_or_else(|| PathBuf::from("/"))
    }

    /// The configuration files, the user's first.
    pub fn files(&self) -> Vec<PathBuf> {
        match &self.file {
            Some(file) => vec![file.clone()],
            None => vec![
                self.home().join(".ssh/config"),
                PathBuf::from("/etc/ssh/ssh_config"),
            ],
        }
    }

    /// The configuration of a host.
    ///
    /// # Errors
    /// OpenSSH refuses the configuration or cannot be run.
    pub(crate) async fn resolve(&self, host: &Destination) -> Result<HostConfig, ConfigError> {
        let program = match &self.openssh {
            OpenSsh::Never => return Ok(self.read(host).await),
            OpenSsh::Program(program) => program.as_path(),
            OpenSsh::Auto => Path::new("ssh"),
        };
        match self.expand(program, host).await {
            Ok(config) => Ok(config),
            Err(Failure::Missing) if self.openssh == OpenSsh::Auto => Ok(self.read(host).await),
            Err(Failure::Missing) => Err(ConfigError::Run("there is no such program".to_owned())),
            Err(Failure::Other(error)) => Err(error),
        }
    }

    /// The own reader, on a thread for files.
    async fn read(&self, host: &Destination) -> HostConfig {
        let (home, files, destination) = (self.home(), self.files(), host.clone());
        let local_user = tokens::local_user();
        let fallback = HostConfig::new(&host.host, &local_user);
        let read = move || {
            let reader = Reader {
                home: &home,
                local_user: &local_user,
                destination: &destination,
            };
            reader.read(&files)
        };
        tokio::task::spawn_blocking(read).await.unwrap_or(fallback)
    }

    async fn expand(&self, program: &Path, host: &Destination) -> Result<HostConfig, Failure> {
        let mut command = Command::new(program);
        command.arg("-G");
        if let Some(file) = &self.file {
            command.arg("-F").arg(file);
        }
        if let Some(user) = &host.user {
            command.arg("-l").arg(user);
        }
        if let Some(port) = host.port {
            command.arg("-p").arg(port.to_string());
        }
        command
            .arg("--")
            .arg(&host.host)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(failure)?;
        let (mut out, mut errors) = (Vec::new(), Vec::new());
        if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
            let mut stdout = stdout.take(limits::EXPANSION_BYTES);
            let mut stderr = stderr.take(limits::EXPANSION_BYTES);
            tokio::try_join!(
                stdout.read_to_end(&mut out),
                stderr.read_to_end(&mut errors)
            )
            .map_err(failure)?;
        }
        let status = child.wait().await.map_err(failure)?;
        if !status.success() {
            let text = String::from_utf8_lossy(&errors);
            let text = crate::text::plain(text.trim(), limits::LOG_LINE_BYTES);
            return Err(Failure::Other(ConfigError::Invalid(text)));
        }
        Ok(parse(&String::from_utf8_lossy(&out), host, &self.home()))
    }
}

enum Failure {
    Missing,
    Other(ConfigError),
}

fn failure(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => Failure::Missing,
        _ => Failure::Other(ConfigError::Run(error.to_string())),
    }
}

/// Directives that `ssh -G` prints with several values on a line.
const LISTS: [&str; 6] = [
    "userknownhostsfile",
    "globalknownhostsfile",
    "localforward",
    "remoteforward",
    "dynamicforward",
    "sendenv",
];

/// Reads the output of `ssh -G`: a lower-case keyword and its value on each line, without quotes.
fn parse(text: &str, host: &Destination, home: &Path) -> HostConfig {
    let local_user = tokens::local_user();
    let mut builder = Builder::new(host, &local_user);
    for line in text.lines() {
        let Some((keyword, rest)) = line.split_once(' ') else {
            continue;
        };
        let args: Vec<String> = if LISTS.contains(&keyword) {
            rest.split_whitespace().map(str::to_owned).collect()
        } else {
            vec![rest.to_owned()]
        };
        // Directives of `ssh` without meaning here are many; it knows them, so none is reported.
        builder.apply(keyword, &args, rest);
    }
    let mut config = builder.finish(home, &local_user, &tokens::local_host());
    host.host.clone_into(&mut config.alias);
    config
}

#[cfg(test)]
mod tests {
    use super::super::{AgentSocket, ForwardAgent, Route};
    use super::*;

    const TEXT: &str = "Host box\n HostName 10.0.0.%h\n Port 2222\n User root\n IdentityFile ~/a b\n \
        IdentityFile /x/%h-%p-%r\n ForwardAgent yes\n LocalForward 8080 localhost:80\n \
        RemoteForward [::1]:9 [::2]:10\n DynamicForward 1080\n SendEnv LANG LC_*\n SetEnv A=1\n \
        ProxyCommand nc -x y %h %p\n UserKnownHostsFile ~/k1 /k2\n ConnectTimeout 1m\n \
        ServerAliveInterval 30\n StrictHostKeyChecking yes\n IdentityAgent none\n Compression yes\n \
        RemoteCommand echo %h\n RequestTTY yes\n";

    fn source(dir: &Path, openssh: OpenSsh) -> ConfigSource {
        let file = dir.join("config");
        // OpenSSH wants quotes around a path with a blank.
        std::fs::write(&file, TEXT.replace("~/a b", "\"~/a b\"")).unwrap();
        ConfigSource {
            openssh,
            file: Some(file),
            home: Some(PathBuf::from("/home/me")),
        }
    }

    #[tokio::test]
    async fn both_ways_read_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let host = "box".parse().unwrap();
        let own = source(dir.path(), OpenSsh::Never)
            .resolve(&host)
            .await
            .unwrap();
        assert_eq!(own.host_name, "10.0.0.box");
        assert_eq!(own.route, Route::Command("nc -x y 10.0.0.box 2222".into()));
        assert_eq!(own.identity_agent, AgentSocket::None);
        assert_eq!(own.forward_agent, ForwardAgent::Yes);
        assert_eq!(own.identity_files[1], Path::new("/x/10.0.0.box-2222-root"));
        assert_eq!(own.remote_command.as_deref(), Some("echo 10.0.0.box"));
        let openssh = source(dir.path(), OpenSsh::Program("ssh".into()));
        let mut theirs = openssh.resolve(&host).await.unwrap();
        // `ssh -G` prints its defaults, too, and knows the real home of the user.
        theirs.algorithms = own.algorithms.clone();
        theirs.global_known_hosts = own.global_known_hosts.clone();
        theirs.preferred_authentications = own.preferred_authentications.clone();
        theirs.user_known_hosts[0] = own.user_known_hosts[0].clone();
        assert_eq!(theirs, own);
    }

    #[tokio::test]
    async fn an_invalid_configuration_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let source = source(dir.path(), OpenSsh::Program("ssh".into()));
        std::fs::write(dir.path().join("config"), "Port nonsense\n").unwrap();
        let error = source.resolve(&"box".parse().unwrap()).await.unwrap_err();
        assert!(
            error.to_string().contains("nonsense") || error.to_string().contains("Bad number"),
            "{error}"
        );
        let source = ConfigSource {
            openssh: OpenSsh::Program("/no/ssh".into()),
            ..source
        };
        assert!(matches!(
            source.resolve(&"box".parse().unwrap()).await,
            Err(ConfigError::Run(_))
        ));
    }
}
