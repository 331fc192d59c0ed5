//! What is observed about a pane, applied to it.

use std::path::PathBuf;
use std::time::Instant;

use protocol::TaskState;
use terminal::{ExitStatus, GridSize, Mark};

use super::Pane;
use crate::ending::Ending;
use crate::reducer::Evidence;
use crate::sampler::{Sample, Watch};

/// Longest name of a program that is taken from a command line.
const PROGRAM_NAME_MAX: usize = 64;

impl Pane {
    /// How the sampler should watch it, if that differs from before.
    pub(crate) fn watch_change(&mut self) -> Option<Watch> {
        let wanted = self.reducer.wants_samples();
        let changed = wanted != self.watch;
        self.watch = wanted;
        changed.then_some(wanted)
    }

    /// The user, or a request, sent Escape or Ctrl-C: what ends soon after it was interrupted.
    pub(crate) fn interrupted(&mut self, at: Instant) {
        self.last_interrupt = Some(at);
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

    /// Remembers which program a submitted line should start, to have a name for what closing
    /// would end. Only the first word is kept, and only of a line that a shell was waiting for:
    /// anything else is not a command, and nobody's business.
    pub(crate) fn expect_program(&mut self, line: &str) {
        let is_command = self.reducer.takes_command();
        self.expected_program = program_of(line).filter(|_| is_command);
    }

    /// Applies a mark, and returns whether anything visible changed.
    pub(crate) fn mark(&mut self, mark: &Mark, at: Instant, watching: bool) -> bool {
        let program = self.program().map(str::to_owned);
        match mark {
            Mark::CommandStart { command_line } => {
                let expected = self.expected_program.take();
                let told = command_line.as_deref().map(program_of);
                self.command_program = told.unwrap_or(expected);
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
