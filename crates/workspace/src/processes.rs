//! What the operating system tells about processes, read from `/proc`.
//!
//! Processes come and go while they are looked at, so every answer is an `Option`: what cannot be
//! read is not there any more. Nothing here belongs on a thread that draws.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::shells;

/// At most this many processes of a pane are listed.
const LISTED_MAX: usize = 4096;
/// The kernel keeps this many bytes of a program's name.
const COMM_BYTES: usize = 15;

/// A running program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: String,
    /// It is a shell that waits for command lines.
    pub(crate) interactive_shell: bool,
}

/// One process of a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// `None` for the root.
    pub(crate) parent: Option<u32>,
    pub(crate) executable: String,
    pub(crate) name: String,
    pub(crate) depth: u32,
}

/// The program a process runs now. A process that was just forked still carries the name of its
/// parent until it starts its own program.
pub(crate) fn program(pid: u32) -> Option<Program> {
    let comm = fs::read(proc_path(pid, "comm")).ok()?;
    let comm = String::from_utf8_lossy(comm.trim_ascii_end()).into_owned();
    let line = fs::read(proc_path(pid, "cmdline")).unwrap_or_default();
    Some(describe(&comm, &line))
}

fn describe(comm: &str, command_line: &[u8]) -> Program {
    let text = String::from_utf8_lossy(command_line);
    let mut arguments = text.split_terminator('\0');
    let first = arguments.next().unwrap_or_default();
    let name = full_name(comm, first);
    let interactive_shell = shells::is_interactive(&name, arguments);
    Program {
        name,
        interactive_shell,
    }
}

/// The kernel cuts names; the first argument often has the whole one. Where the two disagree the
/// kernel is right, since a program may write anything into its arguments.
fn full_name(comm: &str, first_argument: &str) -> String {
    let base = first_argument.rsplit('/').next().unwrap_or_default();
    let base = base.strip_prefix('-').unwrap_or(base);
    let cut = comm.len() >= COMM_BYTES && base.starts_with(comm);
    if cut || base == comm {
        base.to_owned()
    } else {
        comm.to_owned()
    }
}

/// The working directory of a process.
pub(crate) fn directory(pid: u32) -> Option<PathBuf> {
    fs::read_link(proc_path(pid, "cwd")).ok()
}

/// Whether a process sleeps and has no children: a shell of which this is true runs nothing.
pub(crate) fn sleeps_alone(pid: u32) -> bool {
    let Ok(children) = fs::read(proc_path(pid, &format!("task/{pid}/children"))) else {
        return false;
    };
    let sleeps = fs::read(proc_path(pid, "stat"))
        .ok()
        .and_then(|stat| after_name(&stat).first().copied())
        .is_some_and(|state| state == b'S');
    sleeps && children.trim_ascii().is_empty()
}

/// The processes below `root`, with it: parents before children, in the order of their numbers.
/// `None` when the root is gone or `/proc` cannot be read.
pub(crate) fn tree(root: u32) -> Option<Vec<Process>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        if let Some(parent) = parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut queue = VecDeque::from([(root, None, 0)]);
    while let Some((pid, parent, depth)) = queue.pop_front() {
        let Some(program) = program(pid) else {
            continue;
        };
        let executable = fs::read_link(proc_path(pid, "exe")).map_or_else(
            |_| program.name.clone(),
            |path| path.to_string_lossy().into_owned(),
        );
        found.push(Process {
            pid,
            parent,
            executable,
            name: program.name,
            depth,
        });
        if found.len() >= LISTED_MAX {
            break;
        }
        let mut below = children.remove(&pid).unwrap_or_default();
        below.sort_unstable();
        queue.extend(below.into_iter().map(|child| (child, Some(pid), depth + 1)));
    }
    (!found.is_empty()).then_some(found)
}

/// Processes of these sessions that have not ended. A session has the number of the process that
/// began it, which for a pane is its root process.
pub(crate) fn members(sessions: &BTreeSet<u32>) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| living(*pid).is_some_and(|life| sessions.contains(&life.session)))
        .collect()
}

/// The process that speaks for a process group: its leader, or, when the leader ended before the
/// rest (`true | sleep 60`), another member that lives. `last` is the answer of the look before,
/// which saves going through all processes as long as it holds.
pub(crate) fn speaker(group: u32, last: Option<u32>) -> Option<u32> {
    let speaks = |pid: &u32| living(*pid).is_some_and(|life| life.group == group);
    [Some(group), last]
        .into_iter()
        .flatten()
        .find(speaks)
        .or_else(|| {
            fs::read_dir("/proc")
                .ok()?
                .flatten()
                .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
                .find(speaks)
        })
}

/// Where a process that has not ended belongs.
struct Life {
    group: u32,
    session: u32,
}

/// Group and session of a process, unless it has ended and only waits to be noticed.
fn living(pid: u32) -> Option<Life> {
    let stat = fs::read(proc_path(pid, "stat")).ok()?;
    let mut fields = std::str::from_utf8(after_name(&stat))
        .ok()?
        .split_ascii_whitespace();
    let state = fields.next()?;
    let group = fields.nth(1)?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(Life { group, session })
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read(proc_path(pid, "stat")).ok()?;
    let fields = after_name(&stat);
    let text = std::str::from_utf8(fields).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The fields of a `stat` line behind the name, which stands in parentheses and may contain any
/// byte, also parentheses.
fn after_name(stat: &[u8]) -> &[u8] {
    let behind = stat
        .iter()
        .rposition(|byte| *byte == b')')
        .map_or(stat.len(), |at| at + 1);
    stat.get(behind..).unwrap_or_default().trim_ascii()
}

fn proc_path(pid: u32, file: &str) -> PathBuf {
    let mut path = Path::new("/proc").join(pid.to_string());
    path.push(OsStr::from_bytes(file.as_bytes()));
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_right_about_names() {
        assert_eq!(full_name("bash", "/bin/bash"), "bash");
        assert_eq!(full_name("bash", "-bash"), "bash");
        assert_eq!(full_name("build.sh", "/bin/sh"), "build.sh");
        assert_eq!(
            full_name("a-very-long-pro", "./a-very-long-program"),
            "a-very-long-program"
        );
        assert_eq!(full_name("sleep", "innocent words"), "sleep");
        assert_eq!(full_name("kworker", ""), "kworker");
    }

    #[test]
    fn scripts_are_no_interactive_shells() {
        assert!(describe("bash", b"-bash\0").interactive_shell);
        assert!(!describe("bash", b"bash\0-c\0sleep 1; true\0").interactive_shell);
        assert!(!describe("sleep", b"sleep\x0060\0").interactive_shell);
    }

    #[test]
    fn names_with_parentheses_do_not_shift_the_fields() {
        assert_eq!(after_name(b"12 (a) S 9) S 7 12"), b"S 7 12");
        assert_eq!(after_name(b"broken"), b"");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_the_root_of_its_tree() {
        let own = std::process::id();
        let tree = tree(own).expect("this process is alive");
        assert_eq!(
            tree.first().map(|root| (root.pid, root.parent, root.depth)),
            Some((own, None, 0))
        );
        assert!(directory(own).is_some_and(|path| path.is_absolute()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_group_is_spoken_for_by_a_living_member() {
        let own = std::process::id();
        let group = living(own).expect("this process is alive").group;
        let speaker = speaker(group, None).expect("this process is a member");
        assert!(living(speaker).is_some_and(|life| life.group == group));
        assert_eq!(super::speaker(u32::MAX, Some(own)), None);
    }

    #[test]
    fn a_process_that_is_gone_has_no_tree() {
        assert_eq!(tree(u32::MAX), None);
        assert_eq!(program(u32::MAX), None);
    }
}
