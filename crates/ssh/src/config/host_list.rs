//! The hosts that the configuration names, for lists.

use std::path::Path;

use super::ConfigSource;
use super::reader::{arguments, read_limited, split};
use crate::limits;

/// Hosts named in the files of `source` without a wildcard, in the order of the files, each once.
/// Includes of the top level are followed. Reads files: call it off the UI thread.
pub fn configured_hosts(source: &ConfigSource) -> Vec<String> {
    let mut hosts = Vec::new();
    for file in source.files() {
        collect(&file, &source.home(), &mut hosts, 0);
    }
    hosts
}

fn collect(path: &Path, home: &Path, hosts: &mut Vec<String>, depth: usize) {
    let Some(text) = read_limited(path, limits::FILE_BYTES) else {
        return;
    };
    for line in text.lines() {
        let Some((keyword, rest)) = split(line) else {
            continue;
        };
        match keyword.as_str() {
            "host" => {
                let named = arguments(rest).into_iter().filter(|host| {
                    !host.contains(['*', '?', '!']) && host.parse::<crate::Destination>().is_ok()
                });
                for host in named {
                    if hosts.len() < limits::LOG_LINES && !hosts.contains(&host) {
                        hosts.push(host);
                    }
                }
            }
            "include" if depth < limits::INCLUDE_DEPTH => {
                for file in arguments(rest)
                    .iter()
                    .flat_map(|arg| super::reader::included(home, path, arg))
                {
                    collect(&file, home, hosts, depth + 1);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenSsh;

    #[test]
    fn hosts_without_wildcards_are_listed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config");
        std::fs::write(&file, "Host a b\nHost *.lan !c d a\nInclude more\n").unwrap();
        std::fs::write(dir.path().join("more"), "Host e\n").unwrap();
        let source = ConfigSource {
            openssh: OpenSsh::Never,
            file: Some(file),
            home: None,
        };
        assert_eq!(configured_hosts(&source), ["a", "b", "d", "e"]);
    }
}
