//! Endpoint resolution: which server a client speaks to.
//!
//! The first source that is present wins, and a source that is present but malformed or dead is an
//! error: a client inside a pane must never fall through to another instance and steer that one.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use protocol::Token;

use crate::discovery::{self, Address, FileError};

/// Environment variable that gives a pane its own endpoint: `<port> <token>` or `@<path>`.
pub const ENDPOINT_VARIABLE: &str = "NEBULA_RUNTIME_ENDPOINT";

/// Where an endpoint came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointSource {
    /// The file named by `--port-file`.
    PortFile,
    /// The variable [`ENDPOINT_VARIABLE`].
    Environment,
    /// `runtime.port` in the data directory.
    Discovery,
}

impl EndpointSource {
    /// The name used in `nebula ctl env`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PortFile => "port_file",
            Self::Environment => "env",
            Self::Discovery => "discovery",
        }
    }
}

/// The address of a server and the token to show it. `Debug` hides the token.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(crate) address: Address,
    source: EndpointSource,
}

/// Why no endpoint could be resolved. No variant carries a token.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The file named on the command line is not usable.
    #[error("the port file {path} cannot be used: {reason}")]
    PortFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The environment variable is set and malformed.
    #[error("{ENDPOINT_VARIABLE} is malformed: it must be `<port> <token>` or `@<path>`")]
    Environment,
    /// The file named by the environment variable is not usable.
    #[error("the file {path} named by {ENDPOINT_VARIABLE} cannot be used: {reason}")]
    EnvironmentFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No discovery file: most likely nothing runs.
    #[error("no nebula is running here: {path} does not exist; start `nebula` first")]
    NotRunning {
        /// The discovery file that was looked for.
        path: PathBuf,
    },
    /// The discovery file is not usable.
    #[error("the discovery file {path} cannot be used: {reason}")]
    Discovery {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl EndpointError {
    /// Whether a source was named and is wrong, as opposed to nothing being there.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::NotRunning { .. })
    }
}

impl Endpoint {
    /// Resolves the endpoint of a client: `port_file`, else the environment variable
    /// [`ENDPOINT_VARIABLE`], else `runtime.port` in `data_dir`.
    ///
    /// # Errors
    /// The first source that is present is not usable, or none is.
    pub fn resolve(port_file: Option<&Path>, data_dir: &Path) -> Result<Self, EndpointError> {
        Self::resolve_from(
            port_file,
            env::var_os(ENDPOINT_VARIABLE).as_deref(),
            data_dir,
        )
    }

    /// [`Endpoint::resolve`] with the value of the variable given by the caller.
    ///
    /// # Errors
    /// As [`Endpoint::resolve`].
    pub fn resolve_from(
        port_file: Option<&Path>,
        variable: Option<&OsStr>,
        data_dir: &Path,
    ) -> Result<Self, EndpointError> {
        if let Some(path) = port_file {
            return match discovery::read(path, false) {
                Ok(address) => Ok(Self {
                    address,
                    source: EndpointSource::PortFile,
                }),
                Err(error) => Err(EndpointError::PortFile {
                    path: path.to_owned(),
                    reason: error.to_string(),
                }),
            };
        }
        match variable {
            Some(value) => Self::from_variable(value),
            None => Self::discover(data_dir),
        }
    }

    /// Reads `runtime.port` in a data directory; a file that others own or may read is refused.
    ///
    /// # Errors
    /// The file is missing or not usable.
    pub fn discover(data_dir: &Path) -> Result<Self, EndpointError> {
        let path = data_dir.join(discovery::FILE_NAME);
        match discovery::read(&path, true) {
            Ok(address) => Ok(Self {
                address,
                source: EndpointSource::Discovery,
            }),
            Err(FileError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(EndpointError::NotRunning { path })
            }
            Err(error) => Err(EndpointError::Discovery {
                path,
                reason: error.to_string(),
            }),
        }
    }

    /// An endpoint from its parts, for callers that hold a server in the same process.
    #[must_use]
    pub fn new(port: u16, token: Token) -> Self {
        Self {
            address: Address { port, token },
            source: EndpointSource::Discovery,
        }
    }

    fn from_variable(value: &OsStr) -> Result<Self, EndpointError> {
        let source = EndpointSource::Environment;
        let text = value.to_str().ok_or(EndpointError::Environment)?;
        if let Some(path) = text.strip_prefix('@') {
            let path = Path::new(path);
            return match discovery::read(path, true) {
                Ok(address) => Ok(Self { address, source }),
                Err(error) => Err(EndpointError::EnvironmentFile {
                    path: path.to_owned(),
                    reason: error.to_string(),
                }),
            };
        }
        let (port, token) = text.split_once(' ').ok_or(EndpointError::Environment)?;
        let port = port
            .parse()
            .ok()
            .filter(|port| *port > 0)
            .ok_or(EndpointError::Environment)?;
        let token = token.parse().map_err(|_| EndpointError::Environment)?;
        Ok(Self {
            address: Address { port, token },
            source,
        })
    }

    /// The port on IPv4 loopback.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port
    }

    /// Where this endpoint came from.
    #[must_use]
    pub fn source(&self) -> EndpointSource {
        self.source
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn token(letter: &str) -> String {
        letter.repeat(32)
    }

    fn private(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    #[test]
    fn the_first_present_source_wins() {
        let directory = tempfile::tempdir().unwrap();
        private(
            &directory.path().join("runtime.port"),
            &format!("3 {} 1\n", token("c")),
        );
        let file = directory.path().join("other");
        private(&file, &format!("1 {} 1\n", token("a")));
        let variable = format!("2 {}", token("b"));
        let variable = Some(OsStr::new(&variable));

        let resolve = |port_file, variable| {
            Endpoint::resolve_from(port_file, variable, directory.path()).unwrap()
        };
        let found = resolve(Some(file.as_path()), variable);
        assert_eq!(
            (found.port(), found.source()),
            (1, EndpointSource::PortFile)
        );
        let found = resolve(None, variable);
        assert_eq!(
            (found.port(), found.source()),
            (2, EndpointSource::Environment)
        );
        let found = resolve(None, None);
        assert_eq!(
            (found.port(), found.source()),
            (3, EndpointSource::Discovery)
        );
        assert!(!format!("{found:?}").contains("ccc"));
    }

    #[test]
    fn a_malformed_variable_is_an_error_and_no_reason_to_fall_through() {
        let directory = tempfile::tempdir().unwrap();
        private(
            &directory.path().join("runtime.port"),
            &format!("3 {} 1\n", token("c")),
        );
        let upper = format!("2 {}", token("B"));
        let more = format!("2 {} 1", token("b"));
        let zero = format!("0 {}", token("b"));
        for value in [
            "",
            "1 zz",
            "7",
            "@/nonexistent/endpoint",
            &upper,
            &more,
            &zero,
        ] {
            let result = Endpoint::resolve_from(None, Some(OsStr::new(value)), directory.path());
            let error = result.unwrap_err();
            assert!(!error.is_absent(), "{value}");
            assert!(!error.to_string().contains("bbb"), "{error}");
        }
    }

    #[test]
    fn the_variable_may_name_a_private_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("endpoint");
        private(&file, &format!("9 {}\n", token("d")));
        let value = format!("@{}", file.display());
        let found = Endpoint::resolve_from(None, Some(OsStr::new(&value)), directory.path());
        assert_eq!(found.unwrap().port(), 9);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let found = Endpoint::resolve_from(None, Some(OsStr::new(&value)), directory.path());
        assert!(matches!(found, Err(EndpointError::EnvironmentFile { .. })));
    }

    #[test]
    fn nothing_there_is_told_apart_from_something_wrong() {
        let directory = tempfile::tempdir().unwrap();
        let error = Endpoint::resolve_from(None, None, directory.path()).unwrap_err();
        assert!(error.is_absent());
        let file = directory.path().join("runtime.port");
        private(&file, &format!("3 {} 1\n", token("c")));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let error = Endpoint::resolve_from(None, None, directory.path()).unwrap_err();
        assert!(matches!(error, EndpointError::Discovery { .. }));
    }
}
