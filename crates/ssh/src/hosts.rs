//! Saved hosts: `hosts.toml` in the configuration directory.
//!
//! What a user keeps about a host beyond `ssh_config`. Secrets are never in it: a key that could hold
//! one is unknown, and unknown keys are errors.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Destination, HostOverrides, Persist, Proxy, ProxyChoice, ProxyKind, limits};

/// Name of the file.
pub const FILE: &str = "hosts.toml";

/// One saved host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedHost {
    /// The name in lists; each once.
    pub label: String,
    /// `user@host:port`, or an alias of `ssh_config`.
    pub destination: String,
    /// The group in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Key files instead of those of the configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identity_files: Vec<PathBuf>,
    /// Jump hosts, the first one first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jump: Option<Vec<String>>,
    /// `none`, `http://host:port` or `socks5://host:port`; the proxy of the settings otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// Whether the host may use the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_agent: Option<bool>,
    /// `tmux`: the shell outlives its connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persist: Option<SavedPersist>,
    /// Try again after a loss.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub reconnect: bool,
}

/// How a shell outlives its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SavedPersist {
    /// In a tmux session on the host.
    Tmux,
}

fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_yes(value: &bool) -> bool {
    *value
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    host: Vec<SavedHost>,
}

/// Why saved hosts cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HostsError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The file means nothing.
    #[error("{path}: {reason}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its line.
        reason: String,
    },
    /// A host means nothing.
    #[error("the host \"{label}\": {reason}")]
    Host {
        /// Its label.
        label: String,
        /// What is wrong.
        reason: String,
    },
}

impl SavedHost {
    /// The destination, what it overrides, and whether its shell outlives its connection under
    /// `session`.
    ///
    /// # Errors
    /// One of its values means nothing.
    pub fn resolve(
        &self,
        session: &str,
    ) -> Result<(Destination, HostOverrides, Persist), HostsError> {
        let wrong = |reason: String| HostsError::Host {
            label: self.label.clone(),
            reason,
        };
        let parse = |text: &str| {
            text.parse::<Destination>()
                .map_err(|error| wrong(error.to_string()))
        };
        let jump = match &self.jump {
            Some(hops) => Some(
                hops.iter()
                    .map(|hop| parse(hop))
                    .collect::<Result<_, _>>()?,
            ),
            None => None,
        };
        let proxy =
            match self.proxy.as_deref() {
                None => ProxyChoice::Inherit,
                Some("none") => ProxyChoice::None,
                Some(text) => ProxyChoice::Use(proxy(text).ok_or_else(|| {
                    wrong(format!("\"{text}\" is no proxy; write http://host:port"))
                })?),
            };
        let overrides = HostOverrides {
            identity_files: self.identity_files.clone(),
            jump,
            proxy,
            forward_agent: self.forward_agent,
        };
        let persist = match self.persist {
            Some(SavedPersist::Tmux) => Persist::Tmux(session.to_owned()),
            None => Persist::No,
        };
        Ok((parse(&self.destination)?, overrides, persist))
    }
}

fn proxy(text: &str) -> Option<Proxy> {
    let (scheme, rest) = text.split_once("://")?;
    let kind = match scheme {
        "http" => ProxyKind::Http,
        "socks5" | "socks5h" => ProxyKind::Socks5,
        _ => return None,
    };
    let destination: Destination = rest.trim_end_matches('/').parse().ok()?;
    // A user would need a password, and that has no place here.
    if destination.user.is_some() {
        return None;
    }
    Some(Proxy {
        kind,
        host: destination.host,
        port: destination.port?,
        credentials: None,
    })
}

/// The saved hosts of a configuration directory; none when there is no file.
///
/// # Errors
/// The file cannot be read or means nothing.
pub fn load(directory: &Path) -> Result<Vec<SavedHost>, HostsError> {
    let path = directory.join(FILE);
    let text = match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(HostsError::Io { path, error }),
        Ok(found) if found.len() > limits::FILE_BYTES => {
            let reason = "it is too large".to_owned();
            return Err(HostsError::Invalid { path, reason });
        }
        Ok(_) => fs::read_to_string(&path).map_err(|error| HostsError::Io {
            path: path.clone(),
            error,
        })?,
    };
    let file: File = toml::from_str(&text).map_err(|error| HostsError::Invalid {
        path: path.clone(),
        reason: error.to_string(),
    })?;
    check(&file.host)?;
    Ok(file.host)
}

/// Writes the saved hosts, at once or not at all.
///
/// # Errors
/// One of them means nothing, or the file cannot be written.
pub fn save(directory: &Path, hosts: &[SavedHost]) -> Result<(), HostsError> {
    check(hosts)?;
    let path = directory.join(FILE);
    let text = toml::to_string_pretty(&File {
        host: hosts.to_vec(),
    })
    .map_err(|error| HostsError::Invalid {
        path: path.clone(),
        reason: error.to_string(),
    })?;
    let write = || {
        fs::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| HostsError::Io {
        path: path.clone(),
        error,
    })
}

fn check(hosts: &[SavedHost]) -> Result<(), HostsError> {
    let mut labels = BTreeSet::new();
    for host in hosts {
        host.resolve("check")?;
        if !labels.insert(&host.label) {
            return Err(HostsError::Host {
                label: host.label.clone(),
                reason: "there are two of that label".to_owned(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_kept_and_wrong_ones_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(load(dir.path()).unwrap(), []);
        let host = SavedHost {
            label: "Box".into(),
            destination: "me@box:2222".into(),
            group: Some("home".into()),
            jump: Some(vec!["gate".into()]),
            proxy: Some("socks5://proxy:1080".into()),
            persist: Some(SavedPersist::Tmux),
            reconnect: true,
            ..SavedHost::default()
        };
        save(dir.path(), std::slice::from_ref(&host)).unwrap();
        assert_eq!(load(dir.path()).unwrap(), std::slice::from_ref(&host));
        let (destination, overrides, persist) = host.resolve("7").unwrap();
        assert_eq!(destination.port, Some(2222));
        assert!(matches!(&overrides.proxy, ProxyChoice::Use(proxy) if proxy.port == 1080));
        assert_eq!(persist, Persist::Tmux("7".into()));
        assert!(save(dir.path(), &[host.clone(), host.clone()]).is_err());
        for (key, value) in [
            ("destination", "a b"),
            ("proxy", "ftp://x:1"),
            ("proxy", "http://me:pw@x:1"),
        ] {
            let mut wrong = host.clone();
            match key {
                "proxy" => wrong.proxy = Some(value.into()),
                _ => wrong.destination = value.into(),
            }
            assert!(save(dir.path(), &[wrong]).is_err(), "{value}");
        }
        // A secret has no place, and saying so names the line.
        let text = "[[host]]\nlabel = 'x'\ndestination = 'x'\npassword = 'y'\n";
        fs::write(dir.path().join(FILE), text).unwrap();
        let error = load(dir.path()).unwrap_err().to_string();
        assert!(error.contains("password") && error.contains('4'), "{error}");
    }
}
