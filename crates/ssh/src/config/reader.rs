//! The own reader of `ssh_config`, for machines without an OpenSSH client.
//!
//! It understands `Host` with patterns and negation, `Match` on `all`, `host`, `originalhost`,
//! `user` and `localuser`, `Include` with wildcards, both `Key=Value` and `Key Value`, quotes, tabs
//! and options before the first `Host`. What it leaves out is reported, each directive once. It runs
//! nothing: `Match exec` never matches.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::directives::{Applied, Builder};
use super::{host_matches, tokens, wildcard};
use crate::{Destination, HostConfig, limits};

/// Reads the files of one host.
pub(crate) struct Reader<'a> {
    pub home: &'a Path,
    pub local_user: &'a str,
    pub destination: &'a Destination,
}

impl Reader<'_> {
    /// Reads `files` in order; a file that does not exist says nothing.
    pub(crate) fn read(&self, files: &[PathBuf]) -> HostConfig {
        let mut builder = Builder::new(self.destination, self.local_user);
        for file in files {
            self.file(file, &mut builder, true, 0);
        }
        builder.finish(self.home, self.local_user, &tokens::local_host())
    }

    fn file(&self, path: &Path, builder: &mut Builder, outer: bool, depth: usize) {
        let Some(text) = read_limited(path, limits::FILE_BYTES) else {
            return;
        };
        let mut active = outer;
        for line in text.lines() {
            let Some((keyword, rest)) = split(line) else {
                continue;
            };
            let args = arguments(rest);
            match keyword.as_str() {
                "host" => {
                    let patterns = args.iter().map(String::as_str);
                    active = outer && host_matches(patterns, &self.destination.host);
                }
                "match" => active = outer && self.matches(&args, builder),
                "include" if active && depth < limits::INCLUDE_DEPTH => {
                    for file in args.iter().flat_map(|arg| included(self.home, path, arg)) {
                        self.file(&file, builder, true, depth + 1);
                    }
                }
                "include" => {}
                _ if active => match builder.apply(&keyword, &args, rest) {
                    Applied::Yes => {}
                    Applied::Ignored => report(builder, format!("{keyword} is not honoured")),
                    Applied::Bad => {
                        let file = path.display();
                        report(
                            builder,
                            format!("{file}: {keyword} has a value without meaning"),
                        );
                    }
                },
                _ => {}
            }
        }
    }

    /// All criteria of a `Match` hold.
    fn matches(&self, args: &[String], builder: &mut Builder) -> bool {
        let mut args = args.iter();
        let mut all = true;
        while let Some(criterion) = args.next() {
            let (negated, name) = match criterion.strip_prefix('!') {
                Some(name) => (true, name),
                None => (false, criterion.as_str()),
            };
            let name = name.to_ascii_lowercase();
            if name == "all" {
                continue;
            }
            if ["canonical", "final"].contains(&name.as_str()) {
                all = false;
                continue;
            }
            let Some(list) = args.next() else {
                return false;
            };
            let patterns = || list.split(',');
            let holds = match name.as_str() {
                "host" | "originalhost" => host_matches(patterns(), &self.destination.host),
                "user" => patterns().any(|pattern| wildcard(pattern, &builder.config.user)),
                "localuser" => patterns().any(|pattern| wildcard(pattern, self.local_user)),
                _ => {
                    report(
                        builder,
                        format!("match {name} is not understood and never holds"),
                    );
                    return false;
                }
            };
            all &= holds != negated;
        }
        all
    }
}

/// The files that an `Include` in the file `from` names.
pub(super) fn included(home: &Path, from: &Path, text: &str) -> Vec<PathBuf> {
    let expanded = tokens::environment(text);
    let path = match expanded.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None if Path::new(&expanded).is_absolute() => PathBuf::from(&expanded),
        // Relative to the directory of the configuration: `~/.ssh` or `/etc/ssh`.
        None if from.starts_with("/etc/ssh") => Path::new("/etc/ssh").join(&expanded),
        None => from.parent().unwrap_or(Path::new("")).join(&expanded),
    };
    glob(&path)
}

fn report(builder: &mut Builder, line: String) {
    let ignored = &mut builder.config.ignored;
    if ignored.len() < limits::LOG_LINES && !ignored.contains(&line) {
        ignored.push(line);
    }
}

/// Keyword in lower case and the rest of a line; `None` for empty lines and comments.
pub(super) fn split(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let end = line
        .find(|c: char| c.is_whitespace() || c == '=')
        .unwrap_or(line.len());
    let (keyword, rest) = line.split_at_checked(end)?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim();
    Some((keyword.to_ascii_lowercase(), rest))
}

/// Splits at blanks, keeps what stands in quotes together, and ends at a comment.
pub(super) fn arguments(text: &str) -> Vec<String> {
    let mut args = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        let Some(first) = chars.peek() else {
            return args;
        };
        if *first == '#' {
            return args;
        }
        let mut arg = String::new();
        let mut quote = None;
        while let Some(c) = chars.next_if(|c| quote.is_some() || !c.is_whitespace()) {
            match (c, quote) {
                ('"' | '\'', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                ('\\', _) => match chars.next_if(|next| ['"', '\'', '\\'].contains(next)) {
                    Some(escaped) => arg.push(escaped),
                    None => arg.push('\\'),
                },
                (c, _) => arg.push(c),
            }
        }
        args.push(arg);
    }
}

/// Files that match a path whose components may have wildcards, in the order of their names.
fn glob(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in path.components() {
        let name = component.as_os_str().to_string_lossy();
        if !name.contains(['*', '?']) {
            for path in &mut found {
                path.push(component);
            }
            continue;
        }
        let mut next = Vec::new();
        for directory in &found {
            let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            let fits = |entry: &String| {
                wildcard(&name, entry) && (name.starts_with('.') || !entry.starts_with('.'))
            };
            let mut names: Vec<_> = names.filter(fits).take(limits::LOG_LINES).collect();
            names.sort();
            next.extend(names.into_iter().map(|entry| directory.join(entry)));
        }
        found = next;
    }
    found
}

/// A text file up to a size; bytes that are no UTF-8 are replaced.
pub(crate) fn read_limited(path: &Path, limit: u64) -> Option<String> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(limit).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod reader_tests;
