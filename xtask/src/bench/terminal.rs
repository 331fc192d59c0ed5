//! How fast output is taken, beside Alacritty and kitty and beside the bare parser.
//!
//! Every terminal gets a fresh window of 120 × 40 under the same X server, the same font and history,
//! and runs the same child (see [`super::child`]). Rounds are interleaved, so that a slow minute of the
//! machine hits all of them.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;

use super::child::Outcome;
use super::display::{Display, Owned, forget_running_nebula};
use super::instance::Instance;
use super::report::Report;
use super::statistics::median;
use super::streams::Stream;
use crate::command::{cargo, find, output, run};
use crate::setup::{Group, ensure};
use crate::waiting::until;
use crate::workspace;

const COLUMNS: u16 = 120;
const LINES: u16 = 40;

/// A terminal that takes longer has stopped.
const LONGEST: Duration = Duration::from_secs(600);

#[derive(clap::Args)]
pub struct Options {
    /// Rounds; the median of each terminal is shown
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Size of each stream in MB
    #[arg(long, default_value_t = 100)]
    megabytes: usize,
    /// Measure only these
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Subject>,
}

impl Options {
    fn subjects(&self) -> impl Iterator<Item = Subject> {
        let all = Subject::value_variants().iter().copied();
        all.filter(|subject| self.only.is_empty() || self.only.contains(subject))
    }

    /// Whether Nebula itself is measured, and so must be built.
    pub fn need_nebula(&self) -> bool {
        self.subjects()
            .any(|subject| matches!(subject, Subject::Nebula | Subject::Headless))
    }
}

/// What is measured, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Subject {
    /// Nebula in a window
    Nebula,
    /// Alacritty
    Alacritty,
    /// kitty
    Kitty,
    /// Nebula without a window
    Headless,
    /// The parser of Alacritty and Nebula, without anything around it
    Parser,
}

impl Subject {
    /// The program that must be installed.
    const fn program(self) -> Option<&'static str> {
        match self {
            Self::Alacritty => Some("alacritty"),
            Self::Kitty => Some("kitty"),
            Self::Nebula | Self::Headless | Self::Parser => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Nebula => "Nebula, window",
            Self::Alacritty => "Alacritty",
            Self::Kitty => "kitty",
            Self::Headless => "Nebula, headless",
            Self::Parser => "bare `alacritty_terminal`, no PTY",
        }
    }
}

/// The bench.
pub fn measure(options: &Options, nebula: Option<PathBuf>) -> Result<Report> {
    ensure(&[Group::Build, Group::Window, Group::Tests])?;
    let mut notes = vec![format!(
        "`cat` of {} MB and the answer to a device query, {COLUMNS} × {LINES}, 10,000 lines of history, \
         Xvfb with software OpenGL; median of {} interleaved rounds.",
        options.megabytes, options.rounds
    )];
    let mut subjects = Vec::new();
    for subject in options.subjects() {
        match subject.program() {
            Some(program) if find(program).is_none() => {
                notes.push(format!("{program} is not installed and was left out."));
            }
            Some(program) => {
                notes.push(version(program));
                subjects.push(subject);
            }
            None => subjects.push(subject),
        }
    }
    let bench = Bench::prepare(options, nebula)?;
    let mut outcomes: BTreeMap<(Subject, usize), Vec<Outcome>> = BTreeMap::new();
    for round in 1..=options.rounds.max(1) {
        for subject in &subjects {
            for (place, stream) in bench.streams.iter().enumerate() {
                let outcome = bench
                    .measure(*subject, stream)
                    .with_context(|| format!("cannot measure {}", subject.name()))?;
                let name = Stream::ALL.get(place).map_or("", |stream| stream.name());
                eprintln!(
                    "round {round}: {}, {name}: {:.2?}",
                    subject.name(),
                    outcome.time
                );
                outcomes.entry((*subject, place)).or_default().push(outcome);
            }
        }
    }
    Ok(report(notes, &bench, &subjects, &outcomes))
}

/// Version as the program itself prints it.
fn version(program: &str) -> String {
    let said = output(Command::new(program).arg("--version")).unwrap_or_default();
    format!("{}.", said.lines().next().unwrap_or(program).trim())
}

/// What all measurements share.
struct Bench {
    display: Display,
    /// Absent when only the others are measured.
    nebula: Option<PathBuf>,
    /// Size of the window in which Nebula's pane has the wanted size.
    window: Option<(u32, u32)>,
    parser: PathBuf,
    streams: Vec<PathBuf>,
    scratch: tempfile::TempDir,
}

impl Bench {
    fn prepare(options: &Options, nebula: Option<PathBuf>) -> Result<Self> {
        let directory = workspace::metadata(false)?.target_directory.join("bench");
        fs::create_dir_all(&directory)?;
        let streams = Stream::ALL
            .iter()
            .map(|stream| stream.generate(directory.as_std_path(), options.megabytes * 1_000_000))
            .collect::<Result<_>>()?;
        run(&mut cargo([
            "build",
            "--release",
            "--package",
            "xtask",
            "--example",
            "parse",
        ]))?;
        let mut bench = Self {
            display: Display::start()?,
            nebula,
            window: None,
            parser: workspace::binary("release", "examples/parse")?,
            streams,
            scratch: tempfile::Builder::new().prefix("nebula-bench-").tempdir()?,
        };
        if options.subjects().any(|subject| subject == Subject::Nebula) {
            bench.window = Some(bench.fit_nebula()?);
        }
        Ok(bench)
    }

    fn nebula(&self) -> Result<&Path> {
        self.nebula
            .as_deref()
            .ok_or_else(|| anyhow!("Nebula was left out"))
    }

    fn measure(&self, subject: Subject, stream: &Path) -> Result<Outcome> {
        let out = self.scratch.path().join("out");
        if out.exists() {
            fs::remove_file(&out)?;
        }
        let sized = ["--size".to_owned(), COLUMNS.to_string(), LINES.to_string()];
        let child = child(Some(stream), &sized, &out)?;
        let child: Vec<_> = child.iter().map(String::as_str).collect();
        match subject {
            Subject::Parser => self.parse(stream),
            Subject::Headless => {
                let mut nebula = Instance::start(self.nebula()?, None)?;
                nebula.type_line(&child)?;
                wait(&out, nebula.process())
            }
            Subject::Nebula => {
                let mut nebula = Instance::start(self.nebula()?, Some(&self.display))?;
                if let Some(size) = self.window {
                    self.resize(&nebula, size)?;
                }
                nebula.type_line(&child)?;
                wait(&out, nebula.process())
            }
            Subject::Alacritty => {
                let mut alacritty = Command::new("alacritty");
                alacritty
                    .args(["--config-file", "/dev/null"])
                    .args(["-o", &format!("window.dimensions.columns={COLUMNS}")])
                    .args(["-o", &format!("window.dimensions.lines={LINES}")])
                    .args(["-o", "scrolling.history=10000"])
                    .args(["-o", "font.normal.family=DejaVu Sans Mono"])
                    .args(["-o", "font.size=10.5", "-e"])
                    .args(&child);
                self.run(alacritty, &out)
            }
            Subject::Kitty => {
                let mut kitty = Command::new("kitty");
                kitty
                    .args(["--config", "NONE", "-o", "remember_window_size=no"])
                    .args(["-o", &format!("initial_window_width={COLUMNS}c")])
                    .args(["-o", &format!("initial_window_height={LINES}c")])
                    .args([
                        "-o",
                        "scrollback_lines=10000",
                        "-o",
                        "update_check_interval=0",
                    ])
                    .args(["-o", "font_family=DejaVu Sans Mono", "-o", "font_size=10.5"])
                    .args(&child);
                self.run(kitty, &out)
            }
        }
    }

    fn run(&self, mut terminal: Command, out: &Path) -> Result<Outcome> {
        // A home of its own: neither configuration nor caches of the user take part.
        forget_running_nebula(&mut terminal).env("HOME", self.scratch.path());
        let mut terminal = Owned::start(self.display.enter(&mut terminal))?;
        wait_even_after_end(out, &mut terminal)
    }

    /// The parser prints its seconds.
    fn parse(&self, stream: &Path) -> Result<Outcome> {
        let mut command = Command::new(&self.parser);
        command
            .arg(stream)
            .args([COLUMNS.to_string(), LINES.to_string()]);
        let seconds: f64 = output(&mut command)?.trim().parse()?;
        Ok(Outcome {
            time: Duration::from_secs_f64(seconds),
            columns: COLUMNS,
            lines: LINES,
        })
    }

    /// Finds the size of the window in which the first pane is 120 × 40: what is around the pane is
    /// not known here, but a pane tells its size.
    fn fit_nebula(&self) -> Result<(u32, u32)> {
        const TRIES: usize = 24;
        let mut nebula = Instance::start(self.nebula()?, Some(&self.display))?;
        let (mut width, mut height) = (1300, 800);
        for attempt in 0..TRIES {
            self.resize(&nebula, (width, height))?;
            let out = self.scratch.path().join(format!("size-{attempt}"));
            let words = child(None, &[], &out)?;
            nebula.type_line(&words.iter().map(String::as_str).collect::<Vec<_>>())?;
            let size = wait(&out, nebula.process())?;
            if (size.columns, size.lines) == (COLUMNS, LINES) {
                return Ok((width, height));
            }
            // About a cell for each that is missing; the step shrinks as the size comes close.
            width = width.saturating_add_signed((i32::from(COLUMNS) - i32::from(size.columns)) * 8);
            height = height.saturating_add_signed((i32::from(LINES) - i32::from(size.lines)) * 17);
        }
        Err(anyhow!(
            "no size of the window gives the pane {COLUMNS} × {LINES}"
        ))
    }

    fn resize(&self, nebula: &Instance, (width, height): (u32, u32)) -> Result<()> {
        let window = self.display.window_of(nebula.pid())?;
        let (width, height) = (width.to_string(), height.to_string());
        self.display
            .xdotool(&["windowsize", "--sync", &window, &width, &height])?;
        Ok(())
    }
}

/// The command line of the child.
fn child(stream: Option<&Path>, size: &[String], out: &Path) -> Result<Vec<String>> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut words = vec![text(&env::current_exe()?), "bench-child".to_owned()];
    if let Some(stream) = stream {
        words.extend(["--stream".to_owned(), text(stream)]);
    }
    words.extend_from_slice(size);
    words.push(text(out));
    Ok(words)
}

fn wait(out: &Path, process: &mut Owned) -> Result<Outcome> {
    until("the measured terminal", LONGEST, || {
        let outcome = Outcome::read(out).transpose()?;
        if outcome.is_none() {
            process.alive()?;
        }
        Ok(outcome)
    })
}

/// As [`wait`]; a terminal that was started for one command ends with it.
fn wait_even_after_end(out: &Path, process: &mut Owned) -> Result<Outcome> {
    until("the measured terminal", LONGEST, || {
        let alive = process.alive();
        match Outcome::read(out).transpose()? {
            None => alive.map(|()| None),
            some => Ok(some),
        }
    })
}

fn report(
    notes: Vec<String>,
    bench: &Bench,
    subjects: &[Subject],
    outcomes: &BTreeMap<(Subject, usize), Vec<Outcome>>,
) -> Report {
    let seconds = |subject: Subject, place: usize| {
        let times: Vec<_> = outcomes
            .get(&(subject, place))?
            .iter()
            .map(|one| one.time)
            .collect();
        Some(median(&times).as_secs_f64())
    };
    let size = |place: usize| {
        let path = bench.streams.get(place)?;
        Some(fs::metadata(path).ok()?.len() as f64 / 1e6)
    };
    let ratio = |subject, other, place| match (seconds(subject, place), seconds(other, place)) {
        (Some(own), Some(other)) => format!("{:.2}", other / own),
        _ => "–".to_owned(),
    };
    let rows = subjects.iter().map(|subject| {
        let grid = outcomes.get(&(*subject, 0)).and_then(|list| list.first());
        let grid = grid.map_or("–".into(), |one| {
            format!("{} × {}", one.columns, one.lines)
        });
        let mut row = vec![subject.name().to_owned(), grid];
        for place in 0..Stream::ALL.len() {
            row.push(match (seconds(*subject, place), size(place)) {
                (Some(time), Some(size)) => format!("{time:.2} s, {:.0} MB/s", size / time),
                _ => "–".to_owned(),
            });
            row.push(ratio(*subject, Subject::Alacritty, place));
            row.push(ratio(*subject, Subject::Parser, place));
        }
        row
    });
    Report {
        name: "terminal",
        title: "Terminal throughput",
        notes,
        columns: vec![
            "terminal",
            "grid",
            "ASCII",
            "× Alacritty",
            "× bare",
            "SGR+CJK",
            "× Alacritty",
            "× bare",
        ],
        rows: rows.collect(),
    }
}
