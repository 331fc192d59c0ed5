//! A pane: one terminal, what is known about it, and the state that follows.
//!
//! A pane promises that every change of its state is counted once ([`Pane::take_transitions`]),
//! and that nothing about it is derived anywhere else: views and the snapshot read the same fields.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use protocol::TaskState;
use terminal::{ExitStatus, GridSize, Mark, Terminal};

use crate::ending::Ending;
use crate::ids::PaneId;
use crate::inbox::SharedNotes;
use crate::prompt::Gap;
use crate::reducer::{Decision, Evidence, ShellReducer};
use crate::sampler::Sample;
use crate::spawn::{Launch, Started};
use crate::title::{self, ProgramTitle};

/// Longest name of a program that is taken from a command line.
const PROGRAM_NAME_MAX: usize = 64;

/// One pane of the workspace.
pub struct Pane {
    id: PaneId,
    launch: Launch,
    shell_name: String,
    terminal: Option<Terminal>,
    pub(crate) notes: SharedNotes,
    size: GridSize,
    started: Instant,
    reducer: ShellReducer,
    decision: Decision,
    since: Instant,
    transitions: u64,
    unseen: bool,
    title: ProgramTitle,
    told_directory: Option<PathBuf>,
    found_directory: Option<PathBuf>,
    branch: Option<String>,
    /// The program in front, as the processes say.
    front_program: Option<String>,
    /// The program of the running command, as the command line says.
    command_program: Option<String>,
    ending: Option<Ending>,
    occupant_seq: u64,
    /// The sampler was told to watch it.
    watched: bool,
    last_interrupt: Option<Instant>,
    /// An Enter that has still to be written.
    pub(crate) gap: Option<Gap>,
}

impl Pane {
    pub(crate) fn new(
        id: PaneId,
        launch: Launch,
        started: Started,
        size: GridSize,
        now: Instant,
    ) -> Self {
        let reducer = ShellReducer::new(started.integrated);
        Self {
            id,
            launch,
            shell_name: started.shell_name,
            terminal: Some(started.terminal),
            notes: started.notes,
            size,
            started: now,
            decision: reducer.decide(),
            reducer,
            since: now,
            transitions: 0,
            unseen: false,
            title: ProgramTitle::default(),
            told_directory: None,
            found_directory: started.directory,
            branch: None,
            front_program: None,
            command_program: None,
            ending: None,
            occupant_seq: 1,
            watched: false,
            last_interrupt: None,
            gap: None,
        }
    }

    /// A pane whose process could not be started; it holds the message.
    pub(crate) fn broken(
        id: PaneId,
        launch: Launch,
        reason: String,
        size: GridSize,
        now: Instant,
    ) -> Self {
        let mut reducer = ShellReducer::new(false);
        reducer.fail();
        Self {
            id,
            shell_name: launch.shell.clone(),
            launch,
            terminal: None,
            notes: SharedNotes::default(),
            size,
            started: now,
            decision: reducer.decide(),
            reducer,
            since: now,
            transitions: 0,
            unseen: true,
            title: ProgramTitle::default(),
            told_directory: None,
            found_directory: None,
            branch: None,
            front_program: None,
            command_program: None,
            ending: Some(Ending::not_started(reason)),
            occupant_seq: 1,
            watched: false,
            last_interrupt: None,
            gap: None,
        }
    }

    /// The id of this pane.
    pub fn id(&self) -> PaneId {
        self.id
    }

    /// What runs in it; `None` when it could not be started.
    pub fn terminal(&self) -> Option<&Terminal> {
        self.terminal.as_ref()
    }

    /// What it was started with.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Its size as last set, in cells and pixels.
    pub fn size(&self) -> GridSize {
        self.size
    }

    /// The title to show: what the program calls itself, else the program in front, else the
    /// directory, else the shell.
    pub fn title(&self) -> String {
        self.title.get().map_or_else(
            || title::fallback(self.program(), self.directory(), &self.shell_name),
            str::to_owned,
        )
    }

    /// The working directory, as the shell told it or as its process shows.
    pub fn directory(&self) -> Option<&Path> {
        self.told_directory
            .as_deref()
            .or(self.found_directory.as_deref())
    }

    /// The git branch of the directory.
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// The program in front, `None` at a shell prompt.
    pub fn program(&self) -> Option<&str> {
        match self.state() {
            TaskState::Running | TaskState::WaitingInput => self
                .front_program
                .as_deref()
                .or(self.command_program.as_deref()),
            TaskState::Idle | TaskState::Attention | TaskState::Finished | TaskState::Failed => {
                None
            }
        }
    }

    /// The state as the snapshot shows it, and what decided it.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The state as the snapshot shows it.
    pub fn state(&self) -> TaskState {
        self.decision.state
    }

    /// When the state began.
    pub fn state_since(&self) -> Instant {
        self.since
    }

    /// It finished, failed or asked for something, and was not looked at since.
    pub fn unseen(&self) -> bool {
        self.unseen
    }

    /// How the root process ended, while the pane is held open after it.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// The exit code of the last command, when the shell told it.
    pub fn last_exit(&self) -> Option<i32> {
        self.reducer.last_exit()
    }

    /// When Escape or Ctrl-C was sent last, by a person or through the API. An agent that stops
    /// right after it did not finish its turn.
    pub fn last_interrupt(&self) -> Option<Instant> {
        self.last_interrupt
    }

    /// Grows whenever another occupant takes the pane over (control-api.md 7.6). The root process
    /// is the occupant until agents are recognised, and a pane keeps its root process for life.
    pub fn occupant_seq(&self) -> u64 {
        self.occupant_seq
    }

    /// Whether closing it would end something (control-api.md 9.4).
    pub fn is_busy(&self) -> bool {
        matches!(self.state(), TaskState::Running | TaskState::WaitingInput)
    }

    /// The name under which a busy pane is reported.
    pub(crate) fn busy_program(&self) -> String {
        self.program().unwrap_or(&self.shell_name).to_owned()
    }

    /// The root process has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.ending.is_some()
    }

    pub(crate) fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }

    /// Whether the sampler should watch it, if that differs from before.
    pub(crate) fn watch_change(&mut self) -> Option<bool> {
        let wanted = self.reducer.wants_samples();
        let changed = wanted != self.watched;
        self.watched = wanted;
        changed.then_some(wanted)
    }

    /// The user, or a request, sent Escape or Ctrl-C: what ends soon after it was interrupted.
    pub(crate) fn interrupted(&mut self, at: Instant) {
        self.last_interrupt = Some(at);
    }

    /// As far as is known its shell will take the next line as a command.
    pub(crate) fn takes_command(&self) -> bool {
        self.reducer.takes_command()
    }

    /// Transitions since the last call.
    pub(crate) fn take_transitions(&mut self) -> u64 {
        std::mem::take(&mut self.transitions)
    }

    pub(crate) fn set_size(&mut self, size: GridSize) -> bool {
        let size = size.clamped();
        let changed = self.size != size;
        if changed {
            self.size = size;
            if let Some(terminal) = &self.terminal {
                terminal.resize(size);
            }
        }
        changed
    }

    /// Whether the flag changed.
    pub(crate) fn seen(&mut self) -> bool {
        std::mem::take(&mut self.unseen)
    }

    pub(crate) fn set_title(&mut self, title: Option<&str>) -> bool {
        self.title.set(title)
    }

    pub(crate) fn tell_directory(&mut self, directory: PathBuf) -> bool {
        let changed = self.told_directory.as_ref() != Some(&directory);
        self.told_directory = Some(directory);
        changed
    }

    /// Remembers which program a submitted line will start, for as long as nothing better is
    /// known. Only the first word is kept, and only of a line that a shell was waiting for.
    pub(crate) fn expect_program(&mut self, line: &str) {
        self.command_program = program_of(line);
    }

    /// Applies a mark, and returns whether anything visible changed.
    pub(crate) fn mark(&mut self, mark: &Mark, at: Instant, watching: bool) -> bool {
        let program = self.program().map(str::to_owned);
        match mark {
            Mark::CommandStart { command_line } => {
                if let Some(line) = command_line {
                    self.command_program = program_of(line);
                }
            }
            Mark::PromptStart | Mark::CommandLineStart => self.front_program = None,
            Mark::CommandEnd { .. } => {
                self.front_program = None;
                self.command_program = None;
            }
        }
        let changed = self.apply(Evidence::Mark(mark), at, watching);
        changed || self.program() != program.as_deref()
    }

    /// Applies a sample, and returns whether anything visible changed.
    pub(crate) fn sample(&mut self, sample: Sample, watching: bool) -> bool {
        let before = (self.title(), self.program().map(str::to_owned));
        if self.reducer.accepts(&sample) {
            self.front_program.clone_from(&sample.program);
        }
        let state = self.apply(Evidence::Sample(&sample), sample.taken, watching);
        let moved = sample.directory.is_some() && self.found_directory != sample.directory;
        if moved {
            self.found_directory = sample.directory;
        }
        let branched = self.branch != sample.branch;
        self.branch = sample.branch;
        let named = before != (self.title(), self.program().map(str::to_owned));
        state || moved || branched || named
    }

    /// The root process ended and the pane stays.
    pub(crate) fn hold(&mut self, status: ExitStatus, at: Instant, watching: bool) {
        self.ending = Some(Ending::of(&self.shell_name, status));
        self.gap = None;
        self.apply(Evidence::Ended(status), at, watching);
    }

    /// Applies one piece of evidence. `watching`: the user looks at the pane, so nothing about it
    /// can be unseen. Returns whether the state changed.
    pub(crate) fn apply(&mut self, evidence: Evidence<'_>, at: Instant, watching: bool) -> bool {
        self.reducer.apply(evidence, at);
        let decision = self.reducer.decide();
        let changed = decision.state != self.decision.state;
        self.decision = decision;
        if changed {
            self.transitions += 1;
            self.since = at;
            self.unseen = !watching && wants_eyes(decision.state);
        }
        changed
    }
}

/// States that somebody should see (control-api.md 5.4).
fn wants_eyes(state: TaskState) -> bool {
    match state {
        TaskState::Finished
        | TaskState::Failed
        | TaskState::Attention
        | TaskState::WaitingInput => true,
        TaskState::Idle | TaskState::Running => false,
    }
}

/// The program that a command line starts, as far as its first word tells.
fn program_of(line: &str) -> Option<String> {
    let is_assignment = |word: &&str| word.contains('=') && !word.starts_with(['=', '-']);
    let word = line.split_whitespace().find(|word| !is_assignment(word))?;
    let name = word.rsplit('/').next()?;
    let plain = !name.is_empty()
        && name.len() <= PROGRAM_NAME_MAX
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "._+-".contains(c));
    plain.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_name_programs() {
        for (line, program) in [
            ("sleep 60", Some("sleep")),
            (
                "RUST_LOG=debug ./target/debug/nebula --headless",
                Some("nebula"),
            ),
            ("  /usr/bin/env x", Some("env")),
            ("(cd /; ls)", None),
            ("", None),
            ("A=1", None),
            ("$(secret)", None),
        ] {
            assert_eq!(program_of(line).as_deref(), program, "{line}");
        }
    }
}
