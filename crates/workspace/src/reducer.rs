//! What a pane is doing, derived from what was observed (agents.md 10 and 11, without agents).
//!
//! Evidence comes in arrival order and each piece is applied at once, so a state that lasted less
//! than a tick of the pump is still counted. The rules, first match wins:
//!
//! 1. the root process ended: `failed`, or `finished` with code 0;
//! 2. the submitted latch is set: `running`;
//! 3. the foreground program rang while it ran: `waiting_input`;
//! 4. the marks say that a command runs and nothing disproves it, or a program that is no
//!    interactive shell is in front: `running`;
//! 5. otherwise `idle`.
//!
//! A bell counts only while a command runs and when no input went to the pane within the last
//! 200 ms, since that bell is most likely the answer to a key. It is taken back by the next input
//! and by the end of the command; output does not take it back, for programs ring and then go on
//! printing their question.
//!
//! Marks are exact and samples are not: where a shell writes marks, a program in front of its
//! prompt counts only when two samples after the last mark show it. Without marks the samples
//! decide alone.

use std::time::{Duration, Instant};

use protocol::TaskState;
use runtime::Submission;
use terminal::{ExitStatus, Mark};

use crate::latch::{Latch, SAMPLES_APART, Talk, Verdict};
use crate::sampler::{Front, Sample, Watch};

/// A bell this soon after input is an answer to it.
const BELL_AFTER_INPUT: Duration = Duration::from_millis(200);
/// How long the shell must sit in front without children before "a command runs" is disbelieved.
const LOST_END: Duration = Duration::from_secs(2);

/// Which kind of evidence decided the state (`authority` of control-api.md 9.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// Life and death of the root process.
    Lifecycle,
    /// The submitted latch.
    Submit,
    /// A bell.
    Bell,
    /// Marks of the shell.
    Shell,
    /// The process in front.
    Process,
    /// No evidence that anything happens.
    None,
}

/// A state and what decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The state as the snapshot shows it.
    pub state: TaskState,
    /// Why.
    pub authority: Authority,
}

/// Something that was observed about a pane.
#[derive(Debug)]
pub(crate) enum Evidence<'a> {
    Mark(&'a Mark),
    Sample(&'a Sample),
    Bell,
    /// Bytes went to the program, from the user or from the API.
    Input,
    /// Enter was written together with a submitted text.
    Submitted(Submission),
    Ended(ExitStatus),
}

/// What is known about the prompt marks of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marks {
    Absent,
    /// The shell was started with integration but has not written a mark yet.
    Expected,
    Seen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    AtPrompt,
    /// A command ended, or the shell was just started, and no prompt has arrived since.
    PromptDue,
    Running,
}

/// The state of a shell pane.
#[derive(Debug)]
pub(crate) struct ShellReducer {
    marks: Marks,
    command: Command,
    last_mark: Option<Instant>,
    last_exit: Option<i32>,
    front: Front,
    program_in_front_since: Option<Instant>,
    program_proved: bool,
    idle_shell_since: Option<Instant>,
    disproved: bool,
    awaiting_input: bool,
    last_input: Option<Instant>,
    latch: Option<Latch>,
    ended: Option<TaskState>,
}

impl ShellReducer {
    /// `integrated`: the shell was started so that it should write marks.
    pub(crate) fn new(integrated: bool) -> Self {
        Self {
            marks: if integrated {
                Marks::Expected
            } else {
                Marks::Absent
            },
            command: if integrated {
                Command::PromptDue
            } else {
                Command::AtPrompt
            },
            last_mark: None,
            last_exit: None,
            front: Front::Unknown,
            program_in_front_since: None,
            program_proved: false,
            idle_shell_since: None,
            disproved: false,
            awaiting_input: false,
            last_input: None,
            latch: None,
            ended: None,
        }
    }

    /// Takes in one observation; `at` is the moment it was made.
    pub(crate) fn apply(&mut self, evidence: Evidence<'_>, at: Instant) {
        match evidence {
            Evidence::Mark(mark) => self.mark(mark, at),
            Evidence::Sample(sample) => self.sample(sample),
            Evidence::Bell => self.bell(at),
            Evidence::Input => self.input(at),
            Evidence::Submitted(submission) => {
                self.input(at);
                let due = self.marks != Marks::Absent && self.command == Command::PromptDue;
                self.latch = Some(Latch::new(at, due, submission));
            }
            Evidence::Ended(status) => {
                let success = status.code == Some(0) && status.signal.is_none();
                self.end(if success {
                    TaskState::Finished
                } else {
                    TaskState::Failed
                });
            }
        }
    }

    /// The pane is dead, for a reason that is no exit status, such as a shell that could not be
    /// started.
    pub(crate) fn fail(&mut self) {
        self.end(TaskState::Failed);
    }

    pub(crate) fn decide(&self) -> Decision {
        let (state, authority) = if let Some(ended) = self.ended {
            (ended, Authority::Lifecycle)
        } else if self.latch.is_some() {
            (TaskState::Running, Authority::Submit)
        } else if self.awaiting_input {
            (TaskState::WaitingInput, Authority::Bell)
        } else if self.runs_by_marks() {
            (TaskState::Running, Authority::Shell)
        } else if self.program_in_front() {
            (TaskState::Running, Authority::Process)
        } else if self.marks == Marks::Seen {
            (TaskState::Idle, Authority::Shell)
        } else {
            (TaskState::Idle, Authority::None)
        };
        Decision { state, authority }
    }

    /// Which samples could change the state although they show nothing new.
    pub(crate) fn wants_samples(&self) -> Watch {
        if self.ended.is_some() {
            Watch::Off
        } else if let Some(latch) = &self.latch {
            if latch.ends_by_time() {
                Watch::Submission
            } else {
                Watch::Off
            }
        } else if self.command == Command::Running {
            Watch::LostEnd
        } else if self.front == Front::Program && !self.program_in_front() {
            Watch::Program
        } else {
            Watch::Off
        }
    }

    /// As far as is known the shell will take the next line as a command.
    pub(crate) fn takes_command(&self) -> bool {
        let free = match self.marks {
            Marks::Absent => self.front != Front::Program,
            Marks::Expected | Marks::Seen => self.command != Command::Running,
        };
        free && self.latch.is_none() && self.ended.is_none()
    }

    /// Whether a sample says anything new: what was looked up before the last mark is older than
    /// what the mark says.
    pub(crate) fn accepts(&self, sample: &Sample) -> bool {
        self.last_mark.is_none_or(|mark| sample.taken >= mark)
    }

    /// The exit code of the last command, when the shell told it.
    pub(crate) fn last_exit(&self) -> Option<i32> {
        self.last_exit
    }

    fn mark(&mut self, mark: &Mark, at: Instant) {
        self.marks = Marks::Seen;
        self.last_mark = Some(at);
        self.front = Front::Unknown;
        self.program_in_front_since = None;
        self.program_proved = false;
        self.idle_shell_since = None;
        self.disproved = false;
        match mark {
            Mark::PromptStart | Mark::CommandLineStart => {
                self.command = Command::AtPrompt;
                self.awaiting_input = false;
            }
            Mark::CommandStart { .. } => self.command = Command::Running,
            Mark::CommandEnd { exit_code } => {
                self.command = Command::PromptDue;
                self.awaiting_input = false;
                self.last_exit = *exit_code;
            }
        }
        let verdict = self.latch.as_mut().map(|latch| latch.mark(mark, at));
        self.heed(verdict);
    }

    fn sample(&mut self, sample: &Sample) {
        if !self.accepts(sample) {
            return;
        }
        let taken = sample.taken;
        self.front = sample.front;
        let talk = match self.marks {
            Marks::Absent => Talk::Unmarked,
            Marks::Expected if !sample.shell_is_idle => Talk::Starting,
            Marks::Expected | Marks::Seen => Talk::Marked,
        };
        if self.front == Front::Program {
            let since = *self.program_in_front_since.get_or_insert(taken);
            self.program_proved = taken.duration_since(since) >= SAMPLES_APART;
        } else {
            self.program_in_front_since = None;
            self.program_proved = false;
            if self.marks == Marks::Absent {
                self.awaiting_input = false;
            }
        }
        if self.command == Command::Running && sample.shell_is_idle {
            let since = *self.idle_shell_since.get_or_insert(taken);
            if taken.duration_since(since) >= LOST_END {
                self.disproved = true;
                self.awaiting_input = false;
            }
        } else {
            self.idle_shell_since = None;
            self.disproved = false;
        }
        let front = self.front;
        let verdict = self
            .latch
            .as_mut()
            .map(|latch| latch.sample(front, taken, talk));
        self.heed(verdict);
    }

    fn bell(&mut self, at: Instant) {
        let answers_input = self
            .last_input
            .is_some_and(|input| at.saturating_duration_since(input) < BELL_AFTER_INPUT);
        if !answers_input && (self.runs_by_marks() || self.program_in_front()) {
            self.awaiting_input = true;
        }
    }

    fn input(&mut self, at: Instant) {
        self.last_input = Some(at);
        self.awaiting_input = false;
    }

    fn end(&mut self, state: TaskState) {
        self.ended = Some(state);
        self.latch = None;
        self.awaiting_input = false;
    }

    fn heed(&mut self, verdict: Option<Verdict>) {
        if verdict == Some(Verdict::Release) {
            self.latch = None;
        }
    }

    fn runs_by_marks(&self) -> bool {
        self.command == Command::Running && !self.disproved
    }

    fn program_in_front(&self) -> bool {
        self.front == Front::Program && (self.marks == Marks::Absent || self.program_proved)
    }
}

#[cfg(test)]
mod tests;
