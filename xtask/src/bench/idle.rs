//! What a workspace costs in which nothing happens.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use super::display::Display;
use super::instance::Instance;
use super::report::Report;
use crate::setup::{Group, ensure};

const PANES: usize = 10;

/// The unit of times in `/proc`; Linux fixes it for programs, whatever the kernel itself counts in.
const TICKS_PER_SECOND: f64 = 100.0;

/// Shells print their prompts, caches fill.
const SETTLE: Duration = Duration::from_secs(5);

#[derive(clap::Args)]
pub struct Options {
    /// How long to look, in seconds
    #[arg(long, default_value_t = 20)]
    seconds: u64,
}

/// The bench.
pub fn measure(options: &Options, nebula: &Path) -> Result<Report> {
    ensure(&[Group::Build, Group::Window, Group::Tests])?;
    let time = Duration::from_secs(options.seconds.max(1));
    let mut rows = vec![row("headless", nebula, None, time)?];
    let display = Display::start()?;
    rows.push(row("window", nebula, Some(&display), time)?);
    Ok(Report {
        name: "idle",
        title: "Idle",
        notes: vec![format!(
            "{PANES} panes with a shell at its prompt, over {} s. Wakes are voluntary context switches \
             of all threads of the process.",
            time.as_secs()
        )],
        columns: vec![
            "what",
            "of one core",
            "wakes per second",
            "resident",
            "threads",
        ],
        rows,
    })
}

fn row(
    name: &str,
    nebula: &Path,
    display: Option<&Display>,
    time: Duration,
) -> Result<Vec<String>> {
    let mut instance = Instance::start(nebula, display)?;
    instance.fill(PANES)?;
    thread::sleep(SETTLE);
    let before = Usage::of(instance.pid())?;
    thread::sleep(time);
    let after = Usage::of(instance.pid())?;
    instance.process().alive()?;
    let seconds = time.as_secs_f64();
    let busy = (after.ticks - before.ticks) as f64 / TICKS_PER_SECOND;
    Ok(vec![
        name.to_owned(),
        format!("{:.2} %", 100.0 * busy / seconds),
        format!(
            "{:.1}",
            after.wakes.saturating_sub(before.wakes) as f64 / seconds
        ),
        format!("{} MiB", after.resident_kib / 1024),
        after.threads.to_string(),
    ])
}

/// What the kernel says of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Usage {
    /// User and system time of all threads, in clock ticks.
    ticks: u64,
    wakes: u64,
    resident_kib: u64,
    threads: u64,
}

impl Usage {
    fn of(pid: u32) -> Result<Self> {
        let read =
            |path: String| fs::read_to_string(&path).with_context(|| format!("cannot read {path}"));
        let status = read(format!("/proc/{pid}/status"))?;
        let mut wakes = 0;
        for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
            // A thread may end between the two looks.
            let status = fs::read_to_string(thread?.path().join("status")).unwrap_or_default();
            wakes += field(&status, "voluntary_ctxt_switches").unwrap_or(0);
        }
        Ok(Self {
            ticks: ticks(&read(format!("/proc/{pid}/stat"))?)?,
            wakes,
            resident_kib: field(&status, "VmRSS")?,
            threads: field(&status, "Threads")?,
        })
    }
}

/// `utime` and `stime` of `/proc/PID/stat`; the name before them may contain anything but ends with
/// the last parenthesis.
fn ticks(stat: &str) -> Result<u64> {
    let (_, numbers) = stat.rsplit_once(')').context("no process name in stat")?;
    let numbers: Vec<_> = numbers.split_whitespace().collect();
    let time = |place: usize| -> Result<u64> {
        Ok(numbers
            .get(place)
            .ok_or_else(|| anyhow!("stat is too short"))?
            .parse()?)
    };
    Ok(time(11)? + time(12)?)
}

fn field(status: &str, name: &str) -> Result<u64> {
    let value = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let number = value.and_then(|value| value.split_whitespace().next());
    Ok(number
        .with_context(|| format!("no {name} in status"))?
        .parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stand_behind_any_name() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20";
        assert_eq!(ticks(stat).unwrap(), 300);
        assert!(ticks("7 (short) S 1").is_err());
    }

    #[test]
    fn this_process_has_usage() {
        let usage = Usage::of(std::process::id()).unwrap();
        assert!(usage.resident_kib > 0 && usage.threads > 0);
    }
}
