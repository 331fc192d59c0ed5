//! What the configuration says about a host.
//!
//! With an OpenSSH client installed, `ssh -G` expands the user's configuration, so that `Include`,
//! `Match`, tokens and defaults mean exactly what they mean to `ssh`. Without one the reader of
//! [`reader`] understands the common part and says what it left out. Both fill the same
//! [`HostConfig`] through [`directives`].

mod directives;
mod expand;
mod host_list;
mod pattern;
mod reader;
mod tokens;

use std::path::PathBuf;
use std::time::Duration;

pub use expand::{ConfigError, ConfigSource, OpenSsh};
pub use host_list::configured_hosts;
pub(crate) use pattern::{host_matches, wildcard};
pub(crate) use reader::read_limited;

use crate::Destination;

/// Everything about one host that the crate honours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostConfig {
    /// The host as typed.
    pub alias: String,
    /// Name or address to reach (`HostName`).
    pub host_name: String,
    /// Port to reach.
    pub port: u16,
    /// User on the host.
    pub user: String,
    /// Private keys in order; files that do not exist are left out later.
    pub identity_files: Vec<PathBuf>,
    /// Use nothing but the keys named here, also from the agent.
    pub identities_only: bool,
    /// Which agent to ask.
    pub identity_agent: AgentSocket,
    /// Certificates for the keys.
    pub certificate_files: Vec<PathBuf>,
    /// What happens to a key that was unlocked.
    pub add_keys_to_agent: AddKeys,
    /// The agent that the host may use.
    pub forward_agent: ForwardAgent,
    /// How the host is reached.
    pub route: Route,
    /// Files that are read and, the first of them, written.
    pub user_known_hosts: Vec<PathBuf>,
    /// Files that are only read.
    pub global_known_hosts: Vec<PathBuf>,
    /// What to do about a host key.
    pub strict_host_key_checking: StrictHostKeyChecking,
    /// Name under which the host key is kept.
    pub host_key_alias: Option<String>,
    /// Learn host names as hashes.
    pub hash_known_hosts: bool,
    /// Seconds between keepalives; `None` when the configuration says nothing or 0.
    pub server_alive_interval: Option<Duration>,
    /// Unanswered keepalives until the connection counts as lost.
    pub server_alive_count_max: u32,
    /// Limit for reaching the server.
    pub connect_timeout: Option<Duration>,
    /// Keepalive of the kernel.
    pub tcp_keep_alive: bool,
    /// Addresses of which family.
    pub address_family: AddressFamily,
    /// Compress what is sent.
    pub compression: bool,
    /// Lists of algorithms as written, with `+`, `-` and `^`.
    pub algorithms: AlgorithmLists,
    /// Forwards from this side.
    pub local_forwards: Vec<ForwardRule>,
    /// Forwards from the host.
    pub remote_forwards: Vec<ForwardRule>,
    /// SOCKS servers on this side.
    pub dynamic_forwards: Vec<ListenAddress>,
    /// Patterns of local variables to send.
    pub send_env: Vec<String>,
    /// Variables to set on the host.
    pub set_env: Vec<(String, String)>,
    /// Run this instead of a shell.
    pub remote_command: Option<String>,
    /// Whether to ask for a terminal.
    pub request_tty: RequestTty,
    /// Authentication methods in order; empty for the usual order.
    pub preferred_authentications: Vec<String>,
    /// Methods that are switched off.
    pub switched_off: SwitchedOff,
    /// Passwords asked for at most.
    pub password_prompts: usize,
    /// Directives that the own reader left out, each once; for the connection log.
    pub ignored: Vec<String>,
}

/// `IdentityAgent`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum AgentSocket {
    /// The one of `SSH_AUTH_SOCK`.
    #[default]
    Environment,
    /// None.
    None,
    /// This socket.
    Path(PathBuf),
}

/// `AddKeysToAgent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddKeys {
    /// Never.
    #[default]
    No,
    /// An unlocked key is added.
    Yes,
    /// The user is asked first.
    Ask,
    /// It is added, and the agent asks before each use.
    Confirm,
}

/// `ForwardAgent`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum ForwardAgent {
    /// The host may use no agent.
    #[default]
    No,
    /// The agent of the connection.
    Yes,
    /// The agent behind this socket.
    Path(PathBuf),
}

/// How a host is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Route {
    /// By TCP, or the proxy of the settings.
    #[default]
    Direct,
    /// Through these hosts, the first one first.
    Jump(Vec<Destination>),
    /// Through the input and output of this command.
    Command(String),
}

/// `StrictHostKeyChecking`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StrictHostKeyChecking {
    /// Unknown hosts are refused.
    Yes,
    /// Unknown hosts are learned without a question.
    AcceptNew,
    /// The user is asked about unknown hosts.
    #[default]
    Ask,
    /// Unknown hosts are learned without a question. Nebula refuses a changed key all the same.
    No,
}

/// `AddressFamily`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressFamily {
    /// Whatever the name resolves to.
    #[default]
    Any,
    /// IPv4 only.
    Inet,
    /// IPv6 only.
    Inet6,
}

/// `RequestTTY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RequestTty {
    /// With a shell and with a command; a pane is a terminal.
    #[default]
    Auto,
    /// Never.
    No,
    /// Always.
    Yes,
}

/// Algorithm lists as the configuration has them; `None` for the defaults of the crate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlgorithmLists {
    /// `Ciphers`.
    pub ciphers: Option<String>,
    /// `MACs`.
    pub macs: Option<String>,
    /// `KexAlgorithms`.
    pub kex: Option<String>,
    /// `HostKeyAlgorithms`.
    pub host_key: Option<String>,
    /// `PubkeyAcceptedAlgorithms`.
    pub public_key: Option<String>,
}

/// Authentication methods that the configuration switches off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SwitchedOff {
    /// `PubkeyAuthentication no`.
    pub public_key: bool,
    /// `PasswordAuthentication no`.
    pub password: bool,
    /// `KbdInteractiveAuthentication no`.
    pub keyboard_interactive: bool,
}

/// Where a forward listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ListenAddress {
    /// A port; `host` is `None` for the loopback interface, `*` or empty for every interface.
    Port {
        /// Interface.
        host: Option<String>,
        /// Port; 0 lets the listening side choose.
        port: u16,
    },
    /// A Unix socket.
    Socket(PathBuf),
}

/// Where a forward leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ForwardTarget {
    /// A host and port, as seen from the far side.
    Port {
        /// Host.
        host: String,
        /// Port.
        port: u16,
    },
    /// A Unix socket of the far side.
    Socket(PathBuf),
    /// Whatever a SOCKS client asks for.
    Socks,
}

/// One `LocalForward` or `RemoteForward`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ForwardRule {
    /// Where it listens.
    pub listen: ListenAddress,
    /// Where it leads.
    pub target: ForwardTarget,
}

impl HostConfig {
    /// A host about which the configuration says nothing.
    pub(crate) fn new(alias: &str, user: &str) -> Self {
        Self {
            alias: alias.to_owned(),
            host_name: alias.to_owned(),
            port: 22,
            user: user.to_owned(),
            identity_files: Vec::new(),
            identities_only: false,
            identity_agent: AgentSocket::default(),
            certificate_files: Vec::new(),
            add_keys_to_agent: AddKeys::default(),
            forward_agent: ForwardAgent::default(),
            route: Route::default(),
            user_known_hosts: Vec::new(),
            global_known_hosts: Vec::new(),
            strict_host_key_checking: StrictHostKeyChecking::default(),
            host_key_alias: None,
            hash_known_hosts: false,
            server_alive_interval: None,
            server_alive_count_max: 3,
            connect_timeout: None,
            tcp_keep_alive: true,
            address_family: AddressFamily::default(),
            compression: false,
            algorithms: AlgorithmLists::default(),
            local_forwards: Vec::new(),
            remote_forwards: Vec::new(),
            dynamic_forwards: Vec::new(),
            send_env: Vec::new(),
            set_env: Vec::new(),
            remote_command: None,
            request_tty: RequestTty::default(),
            preferred_authentications: Vec::new(),
            switched_off: SwitchedOff::default(),
            password_prompts: crate::limits::PASSWORD_TRIES,
            ignored: Vec::new(),
        }
    }

    /// The name of the host in a known-hosts file: `host`, or `[host]:port` for another port than
    /// 22, or the alias of the configuration.
    pub fn known_hosts_name(&self) -> String {
        match &self.host_key_alias {
            Some(alias) => alias.to_ascii_lowercase(),
            None if self.port == 22 => self.host_name.to_ascii_lowercase(),
            None => format!("[{}]:{}", self.host_name.to_ascii_lowercase(), self.port),
        }
    }
}
