//! One directive of the configuration after the other into a [`HostConfig`]; the first value wins,
//! as in OpenSSH, except for directives that add up.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::tokens::Tokens;
use super::{
    AddKeys, AddressFamily, AgentSocket, ForwardAgent, ForwardRule, ForwardTarget, HostConfig,
    ListenAddress, RequestTty, Route, StrictHostKeyChecking,
};
use crate::{Destination, limits};

/// Directives that may be given several times.
const ADDING_UP: [&str; 8] = [
    "identityfile",
    "certificatefile",
    "localforward",
    "remoteforward",
    "dynamicforward",
    "sendenv",
    "setenv",
    "include",
];

/// What became of a directive.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    /// It counts, or an earlier one did.
    Yes,
    /// The crate does not honour it.
    Ignored,
    /// Its value means nothing.
    Bad,
}

/// Collects directives.
pub(crate) struct Builder {
    pub config: HostConfig,
    seen: BTreeSet<String>,
    host_name: Option<String>,
    jump: Option<Vec<Destination>>,
    command: Option<String>,
    identity_files: Vec<String>,
    certificate_files: Vec<String>,
    user_known_hosts: Option<Vec<String>>,
    global_known_hosts: Option<Vec<String>>,
    identity_agent: Option<String>,
    forward_agent: Option<String>,
}

impl Builder {
    /// What was typed counts before anything that is written.
    pub(crate) fn new(destination: &Destination, local_user: &str) -> Self {
        let mut config = HostConfig::new(&destination.host, local_user);
        let mut seen = BTreeSet::new();
        if let Some(user) = &destination.user {
            config.user.clone_from(user);
            seen.insert("user".to_owned());
        }
        if let Some(port) = destination.port {
            config.port = port;
            seen.insert("port".to_owned());
        }
        Self {
            config,
            seen,
            host_name: None,
            jump: None,
            command: None,
            identity_files: Vec::new(),
            certificate_files: Vec::new(),
            user_known_hosts: None,
            global_known_hosts: None,
            identity_agent: None,
            forward_agent: None,
        }
    }

    /// Applies a directive: its lower-case keyword, its arguments, and the rest of the line as it
    /// stands.
    pub(crate) fn apply(&mut self, keyword: &str, args: &[String], rest: &str) -> Applied {
        let adds = ADDING_UP.contains(&keyword);
        if !adds && self.seen.contains(keyword) {
            return Applied::Yes;
        }
        let applied = self.set(keyword, args, rest);
        if applied == Applied::Yes {
            self.seen.insert(keyword.to_owned());
        }
        applied
    }

    fn set(&mut self, keyword: &str, args: &[String], rest: &str) -> Applied {
        let Some(first) = args.first().map(String::as_str) else {
            return Applied::Bad;
        };
        let config = &mut self.config;
        match keyword {
            "hostname" => self.host_name = Some(first.to_owned()),
            "port" => {
                return put(
                    &mut config.port,
                    first.parse().ok().filter(|port| *port > 0),
                );
            }
            "user" => first.clone_into(&mut config.user),
            "identityfile" => self.identity_files.push(first.to_owned()),
            "certificatefile" => self.certificate_files.push(first.to_owned()),
            "identitiesonly" => return put(&mut config.identities_only, flag(first)),
            "identityagent" => self.identity_agent = Some(first.to_owned()),
            "addkeystoagent" => return put(&mut config.add_keys_to_agent, add_keys(first)),
            "forwardagent" => self.forward_agent = Some(first.to_owned()),
            "proxyjump" => {
                // Whichever of the two comes first switches the other off.
                if self.command.is_none() {
                    let Some(hops) = jump(first) else {
                        return Applied::Bad;
                    };
                    self.jump = Some(hops);
                }
            }
            "proxycommand" => {
                if self.jump.is_none() {
                    self.command = Some(rest.to_owned());
                }
            }
            "userknownhostsfile" => self.user_known_hosts = Some(args.to_vec()),
            "globalknownhostsfile" => self.global_known_hosts = Some(args.to_vec()),
            "stricthostkeychecking" => {
                return put(&mut config.strict_host_key_checking, strict(first));
            }
            "hostkeyalias" => config.host_key_alias = Some(first.to_owned()),
            "hashknownhosts" => return put(&mut config.hash_known_hosts, flag(first)),
            "serveraliveinterval" => match duration(first) {
                Some(interval) => {
                    config.server_alive_interval = Some(interval).filter(|i| !i.is_zero());
                }
                None => return Applied::Bad,
            },
            "serveralivecountmax" => {
                return put(&mut config.server_alive_count_max, first.parse().ok());
            }
            "connecttimeout" => match duration(first) {
                Some(limit) => config.connect_timeout = Some(limit).filter(|l| !l.is_zero()),
                None if first == "none" => config.connect_timeout = None,
                None => return Applied::Bad,
            },
            "tcpkeepalive" => return put(&mut config.tcp_keep_alive, flag(first)),
            "addressfamily" => return put(&mut config.address_family, family(first)),
            "compression" => return put(&mut config.compression, flag(first)),
            "ciphers" => config.algorithms.ciphers = Some(first.to_owned()),
            "macs" => config.algorithms.macs = Some(first.to_owned()),
            "kexalgorithms" => config.algorithms.kex = Some(first.to_owned()),
            "hostkeyalgorithms" => config.algorithms.host_key = Some(first.to_owned()),
            "pubkeyacceptedalgorithms" | "pubkeyacceptedkeytypes" => {
                config.algorithms.public_key = Some(first.to_owned());
            }
            "localforward" | "remoteforward" => {
                let Some(rule) = forward(args) else {
                    return Applied::Bad;
                };
                if keyword == "localforward" {
                    config.local_forwards.push(rule);
                } else {
                    config.remote_forwards.push(rule);
                }
            }
            "dynamicforward" => match listen(first) {
                Some(address) => config.dynamic_forwards.push(address),
                None => return Applied::Bad,
            },
            "sendenv" => send_env(&mut config.send_env, args),
            "setenv" => config.set_env.extend(args.iter().filter_map(|arg| {
                let (name, value) = arg.split_once('=')?;
                Some((name.to_owned(), value.to_owned()))
            })),
            "remotecommand" => {
                config.remote_command = Some(rest.to_owned()).filter(|c| c != "none")
            }
            "requesttty" => return put(&mut config.request_tty, tty(first)),
            "preferredauthentications" => {
                config.preferred_authentications = first.split(',').map(str::to_owned).collect();
            }
            "pubkeyauthentication" => {
                // `true` is how `ssh -G` writes yes; `host-bound` and `unbound` mean yes too.
                let no = first.eq_ignore_ascii_case("no") || first == "false";
                config.switched_off.public_key = no;
            }
            "passwordauthentication" => {
                return put(&mut config.switched_off.password, flag(first).map(|on| !on));
            }
            "kbdinteractiveauthentication" | "challengeresponseauthentication" => {
                let off = &mut config.switched_off.keyboard_interactive;
                return put(off, flag(first).map(|on| !on));
            }
            "numberofpasswordprompts" => {
                return put(&mut config.password_prompts, first.parse().ok());
            }
            _ => return Applied::Ignored,
        }
        Applied::Yes
    }

    /// Expands what was collected. `defaults` are the key files to try when none is named.
    pub(crate) fn finish(self, home: &Path, local_user: &str, local_host: &str) -> HostConfig {
        let mut config = self.config;
        if let Some(name) = self.host_name {
            let tokens = Tokens {
                config: &config,
                home,
                local_user,
                local_host,
            };
            config.host_name = tokens.expand(&name);
        }
        config.route = match (self.jump, self.command) {
            (Some(hops), _) if !hops.is_empty() => Route::Jump(hops),
            (None, Some(command)) if command != "none" => Route::Command(command),
            _ => Route::Direct,
        };
        let source = config.clone();
        let tokens = Tokens {
            config: &source,
            home,
            local_user,
            local_host,
        };
        let paths = |texts: &[String]| -> Vec<PathBuf> {
            let named = texts.iter().filter(|text| *text != "none");
            named.map(|text| tokens.path(text)).collect()
        };
        config.identity_files = if self.identity_files.is_empty() {
            paths(&default_identities())
        } else {
            paths(&self.identity_files)
        };
        config.certificate_files = paths(&self.certificate_files);
        config.user_known_hosts = match &self.user_known_hosts {
            Some(files) => paths(files),
            None => vec![
                home.join(".ssh/known_hosts"),
                home.join(".ssh/known_hosts2"),
            ],
        };
        config.global_known_hosts = match &self.global_known_hosts {
            Some(files) => paths(files),
            None => vec![
                PathBuf::from("/etc/ssh/ssh_known_hosts"),
                PathBuf::from("/etc/ssh/ssh_known_hosts2"),
            ],
        };
        config.identity_agent = match self.identity_agent.as_deref() {
            None | Some("SSH_AUTH_SOCK") => AgentSocket::Environment,
            Some("none") => AgentSocket::None,
            Some(text) => agent_path(&tokens, text).map_or(AgentSocket::None, AgentSocket::Path),
        };
        config.forward_agent = match self.forward_agent.as_deref() {
            None => ForwardAgent::No,
            Some(text) => match flag(text) {
                Some(true) => ForwardAgent::Yes,
                Some(false) => ForwardAgent::No,
                None => agent_path(&tokens, text).map_or(ForwardAgent::No, ForwardAgent::Path),
            },
        };
        if let Route::Command(command) = &mut config.route {
            *command = tokens.expand(command);
        }
        config.remote_command = config.remote_command.as_deref().map(|c| tokens.expand(c));
        config
    }
}

/// A socket: a path, or `$NAME` for the value of a variable.
fn agent_path(tokens: &Tokens<'_>, text: &str) -> Option<PathBuf> {
    match text.strip_prefix('$').filter(|name| !name.starts_with('{')) {
        Some(name) => std::env::var_os(name).map(PathBuf::from),
        None => Some(tokens.path(text)),
    }
}

/// Key files that OpenSSH tries when none is named, strongest first.
fn default_identities() -> [String; 5] {
    [
        "id_ed25519",
        "id_ecdsa",
        "id_rsa",
        "id_ed25519_sk",
        "id_ecdsa_sk",
    ]
    .map(|name| format!("~/.ssh/{name}"))
}

fn put<T>(slot: &mut T, value: Option<T>) -> Applied {
    match value {
        Some(value) => {
            *slot = value;
            Applied::Yes
        }
        None => Applied::Bad,
    }
}

fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

fn strict(text: &str) -> Option<StrictHostKeyChecking> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(StrictHostKeyChecking::Yes),
        "accept-new" => Some(StrictHostKeyChecking::AcceptNew),
        "ask" => Some(StrictHostKeyChecking::Ask),
        "no" | "off" | "false" => Some(StrictHostKeyChecking::No),
        _ => None,
    }
}

/// `yes`, `no`, `ask`, `confirm`, each perhaps with a lifetime, which counts as yes.
fn add_keys(text: &str) -> Option<AddKeys> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(AddKeys::Yes),
        "no" | "false" => Some(AddKeys::No),
        "ask" => Some(AddKeys::Ask),
        "confirm" => Some(AddKeys::Confirm),
        lifetime => duration(lifetime).map(|_| AddKeys::Yes),
    }
}

fn family(text: &str) -> Option<AddressFamily> {
    match text.to_ascii_lowercase().as_str() {
        "any" => Some(AddressFamily::Any),
        "inet" => Some(AddressFamily::Inet),
        "inet6" => Some(AddressFamily::Inet6),
        _ => None,
    }
}

fn tty(text: &str) -> Option<RequestTty> {
    match text.to_ascii_lowercase().as_str() {
        "auto" => Some(RequestTty::Auto),
        "no" | "false" => Some(RequestTty::No),
        "yes" | "true" | "force" => Some(RequestTty::Yes),
        _ => None,
    }
}

fn jump(text: &str) -> Option<Vec<Destination>> {
    if text.eq_ignore_ascii_case("none") {
        return Some(Vec::new());
    }
    let hops: Vec<Destination> = text
        .split(',')
        .map(|hop| hop.parse().ok())
        .collect::<Option<_>>()?;
    (hops.len() <= limits::JUMPS).then_some(hops)
}

/// OpenSSH's time format: `90`, `1m30s`, `2h`, `1d`, `1w`.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let mut total = 0_u64;
    let mut digits = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        let unit = match c.to_ascii_lowercase() {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            'w' => 604_800,
            _ => return None,
        };
        total = total.checked_add(digits.parse::<u64>().ok()?.checked_mul(unit)?)?;
        digits.clear();
    }
    if !digits.is_empty() {
        total = total.checked_add(digits.parse().ok()?)?;
    } else if text.is_empty() {
        return None;
    }
    Some(Duration::from_secs(total))
}

/// Adds patterns; `-pattern` takes those away that it matches.
fn send_env(patterns: &mut Vec<String>, args: &[String]) {
    for arg in args {
        match arg.strip_prefix('-') {
            Some(pattern) => patterns.retain(|known| !super::wildcard(pattern, known)),
            None => patterns.push(arg.clone()),
        }
    }
}

/// `[bind:]port` or a socket path.
pub(crate) fn listen(text: &str) -> Option<ListenAddress> {
    if text.starts_with('/') {
        return Some(ListenAddress::Socket(PathBuf::from(text)));
    }
    let (host, port) = host_port(text);
    let port = port.parse().ok()?;
    let host = host.map(str::to_owned);
    Some(ListenAddress::Port { host, port })
}

fn forward(args: &[String]) -> Option<ForwardRule> {
    let listen = listen(args.first()?)?;
    let target = match args.get(1).map(String::as_str) {
        None | Some("[socks]:0" | "socks") => ForwardTarget::Socks,
        Some(text) => target(text)?,
    };
    Some(ForwardRule { listen, target })
}

/// `host:port` or a socket path.
pub(crate) fn target(text: &str) -> Option<ForwardTarget> {
    if text.starts_with('/') {
        return Some(ForwardTarget::Socket(PathBuf::from(text)));
    }
    let (host, port) = host_port(text);
    Some(ForwardTarget::Port {
        host: host?.to_owned(),
        port: port.parse().ok()?,
    })
}

/// Splits `host:port`, `[v6]:port`, `host/port` and `port`.
fn host_port(text: &str) -> (Option<&str>, &str) {
    if let Some((host, port)) = text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]:"))
    {
        return (Some(host), port);
    }
    match text.rsplit_once([':', '/']) {
        Some((host, port)) => (Some(host), port),
        None => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let seconds = |text| duration(text).map(|d| d.as_secs());
        assert_eq!(seconds("90"), Some(90));
        assert_eq!(seconds("1m30s"), Some(90));
        assert_eq!(
            seconds("1w2d3h4m5"),
            Some(604_800 + 172_800 + 10_800 + 240 + 5)
        );
        assert_eq!(seconds(""), None);
        assert_eq!(seconds("x"), None);
        assert_eq!(seconds("m"), None);
        assert_eq!(seconds("99999999999999999999"), None);
    }

    #[test]
    fn forwards() {
        let args = |a: &[&str]| a.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let port = |host: Option<&str>, port| ListenAddress::Port {
            host: host.map(str::to_owned),
            port,
        };
        let rule = forward(&args(&["8080", "[::1]:80"])).unwrap();
        assert_eq!(rule.listen, port(None, 8080));
        let target = ForwardTarget::Port {
            host: "::1".into(),
            port: 80,
        };
        assert_eq!(rule.target, target);
        assert_eq!(
            forward(&args(&["*:1", "/run/x"])).unwrap().listen,
            port(Some("*"), 1)
        );
        assert_eq!(
            forward(&args(&["1080"])).unwrap().target,
            ForwardTarget::Socks
        );
        assert_eq!(forward(&args(&["x", "a:1"])), None);
        assert_eq!(forward(&args(&["1", "a"])), None);
        assert_eq!(listen("[::1]:5"), Some(port(Some("::1"), 5)));
    }
}
