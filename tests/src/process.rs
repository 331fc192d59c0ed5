//! What the kernel says about processes: who is whose child, who is left over, who listens.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::Path;

pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};

/// One line of the process table.
#[derive(Debug, Clone)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Process id of the parent.
    pub parent: u32,
    /// State letter of `/proc/<pid>/stat`; `Z` is a zombie.
    pub state: char,
    /// The short name of the program.
    pub name: String,
}

/// Every process that can be seen.
#[must_use]
pub fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(one)
        .collect()
}

/// The entry of one process, when it still exists.
#[must_use]
pub fn one(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may hold anything, also parentheses and blanks.
    let open = stat.find('(')?;
    let close = stat.rfind(')')?;
    let mut rest = stat[close + 1..].split_whitespace();
    let state = rest.next()?.chars().next()?;
    let parent = rest.next()?.parse().ok()?;
    Some(Process {
        pid,
        parent,
        state,
        name: stat[open + 1..close].to_owned(),
    })
}

/// Whether the process exists and is not a zombie.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    one(pid).is_some_and(|process| process.state != 'Z' && process.state != 'X')
}

/// All descendants of a process, zombies included.
#[must_use]
pub fn descendants(pid: u32) -> Vec<Process> {
    let mut by_parent: HashMap<u32, Vec<Process>> = HashMap::new();
    for process in all() {
        by_parent.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut next = vec![pid];
    while let Some(parent) = next.pop() {
        for child in by_parent.remove(&parent).unwrap_or_default() {
            next.push(child.pid);
            found.push(child);
        }
    }
    found
}

/// Live processes that were started with the given `NAME=value` in their environment, however they
/// were passed on since: this finds children whose parent is gone.
#[must_use]
pub fn with_environment(entry: &str) -> Vec<Process> {
    all()
        .into_iter()
        .filter(|process| process.state != 'Z')
        .filter(|process| {
            fs::read(format!("/proc/{}/environ", process.pid)).is_ok_and(|environment| {
                environment
                    .split(|byte| *byte == 0)
                    .any(|pair| pair == entry.as_bytes())
            })
        })
        .collect()
}

/// Sends a signal to one process. A process that is already gone is not an error.
pub fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .expect("a process id is positive");
    match kill_process(pid, signal) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => {}
        Err(error) => panic!("cannot signal process {pid:?}: {error}"),
    }
}

/// How many file descriptors a process has open.
#[must_use]
pub fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

/// The addresses on which a process listens for TCP.
#[must_use]
pub fn listening(pid: u32) -> Vec<String> {
    let sockets: HashSet<String> = fs::read_dir(format!("/proc/{pid}/fd"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .filter_map(|target| {
            let target = target.to_str()?.to_owned();
            Some(
                target
                    .strip_prefix("socket:[")?
                    .strip_suffix(']')?
                    .to_owned(),
            )
        })
        .collect();
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| Some((table, fs::read_to_string(Path::new(table)).ok()?)))
        .flat_map(|(table, text)| {
            text.lines()
                .skip(1)
                .map(|line| {
                    line.split_whitespace()
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                })
                .filter(|fields| fields.get(3).is_some_and(|state| state == "0A"))
                .filter(|fields| fields.get(9).is_some_and(|inode| sockets.contains(inode)))
                .map(|fields| address(table, &fields[1]))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// A local address as `/proc/net/tcp` writes it; what is not IPv4 stays as it stands there.
fn address(table: &str, text: &str) -> String {
    let parsed = text
        .split_once(':')
        .filter(|(host, _)| host.len() == 8)
        .and_then(|(host, port)| {
            let host = u32::from_str_radix(host, 16).ok()?;
            let port = u16::from_str_radix(port, 16).ok()?;
            Some(SocketAddr::V4(SocketAddrV4::new(
                Ipv4Addr::from(host.to_le_bytes()),
                port,
            )))
        });
    parsed.map_or_else(|| format!("{table} {text}"), |address| address.to_string())
}
