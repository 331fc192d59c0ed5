//! The submitted latch (control-api.md 6.4).
//!
//! A shell needs some tens of milliseconds before it reports that a command started. From the
//! moment Enter is written until there is evidence of an end, the latch keeps the pane `running`,
//! so that a client that submits and then waits for "not running" cannot see the state from before
//! its own submission. This module decides when the latch lets go; it looks at nothing but the
//! evidence it is given and never at a clock.
//!
//! Evidence carries the moment at which it came into being, not the moment at which it was handed
//! over. A mark that was on its way while Enter was written is therefore not mistaken for an
//! answer to that Enter.

use std::time::{Duration, Instant};

use runtime::Submission;
use terminal::Mark;

use crate::sampler::Front;

/// Two samples that shall prove something are at least this far apart.
pub(crate) const SAMPLES_APART: Duration = Duration::from_millis(250);
/// How long a shell with marks has to report a start before the latch gives up.
const MARKED: Duration = Duration::from_secs(3);
/// How long a shell without marks keeps the latch at least.
const UNMARKED: Duration = Duration::from_millis(400);
/// How long a shell that is still busy with its own start keeps the latch. What was submitted to it
/// waits behind the user's startup files, which may well take longer than [`MARKED`].
const STARTING: Duration = Duration::from_secs(30);

/// How much a shell tells, and with it how long its silence has to last to mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    /// It writes no marks.
    Unmarked,
    /// It writes marks, or should do so and has nothing else to do.
    Marked,
    /// It should write marks and is still at work on its start.
    Starting,
}

/// What a piece of evidence means for the latch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Hold,
    Release,
}

/// One Enter that is waiting for its end.
#[derive(Debug, Clone)]
pub(crate) struct Latch {
    entered: Instant,
    /// A prompt of the time before Enter has still to arrive; it proves nothing.
    old_prompt_due: bool,
    start_seen: bool,
    shell_in_front_since: Option<Instant>,
    submission: Submission,
}

impl Latch {
    /// `prompt_due`: a command had ended (or the shell had just been started) and its prompt had
    /// not arrived when Enter was written.
    pub(crate) fn new(entered: Instant, prompt_due: bool, submission: Submission) -> Self {
        Self {
            entered,
            old_prompt_due: prompt_due,
            start_seen: false,
            shell_in_front_since: None,
            submission,
        }
    }

    /// Silence can end it: nothing was seen to start.
    pub(crate) fn ends_by_time(&self) -> bool {
        !self.start_seen
    }

    pub(crate) fn mark(&mut self, mark: &Mark, at: Instant) -> Verdict {
        if at < self.entered {
            self.old_mark(mark);
            return Verdict::Hold;
        }
        match mark {
            Mark::CommandStart { .. } => {
                self.start_seen = true;
                self.submission.confirm();
                Verdict::Hold
            }
            Mark::CommandEnd { .. } if self.start_seen => Verdict::Release,
            // The end of what already ran when Enter was written; the prompt will tell more.
            Mark::CommandEnd { .. } => Verdict::Hold,
            Mark::PromptStart if self.old_prompt_due => {
                self.old_prompt_due = false;
                Verdict::Hold
            }
            // Either the line was empty, or the end mark was lost: a new prompt is there.
            Mark::PromptStart => Verdict::Release,
            Mark::CommandLineStart => Verdict::Hold,
        }
    }

    /// A mark that the shell wrote before Enter and that arrives late.
    fn old_mark(&mut self, mark: &Mark) {
        match mark {
            Mark::CommandEnd { .. } => self.old_prompt_due = true,
            Mark::PromptStart | Mark::CommandStart { .. } => self.old_prompt_due = false,
            Mark::CommandLineStart => {}
        }
    }

    pub(crate) fn sample(&mut self, front: Front, taken: Instant, talk: Talk) -> Verdict {
        if taken < self.entered {
            return Verdict::Hold;
        }
        match front {
            Front::Program => {
                self.submission.confirm();
                self.shell_in_front_since = None;
                return Verdict::Hold;
            }
            Front::Unknown => {
                self.shell_in_front_since = None;
                return Verdict::Hold;
            }
            Front::Shell | Front::NestedShell => {}
        }
        let since = *self.shell_in_front_since.get_or_insert(taken);
        let patience = match talk {
            Talk::Unmarked => UNMARKED,
            Talk::Marked => MARKED,
            Talk::Starting => STARTING,
        };
        let settled = taken.duration_since(since) >= SAMPLES_APART
            && taken.duration_since(self.entered) >= patience;
        if settled && !self.start_seen {
            Verdict::Release
        } else {
            Verdict::Hold
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Talk::{Marked, Starting, Unmarked};
    use super::Verdict::{Hold, Release};
    use super::*;

    const A: Mark = Mark::PromptStart;
    const B: Mark = Mark::CommandLineStart;

    fn c() -> Mark {
        Mark::CommandStart { command_line: None }
    }

    fn d() -> Mark {
        Mark::CommandEnd { exit_code: Some(0) }
    }

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    struct Script {
        latch: Latch,
        entered: Instant,
        submission: Submission,
    }

    impl Script {
        fn new(prompt_due: bool) -> Self {
            let entered = Instant::now() + ms(60_000);
            let submission = Submission::default();
            Self {
                latch: Latch::new(entered, prompt_due, submission.clone()),
                entered,
                submission,
            }
        }

        fn marks(&mut self, marks: &[Mark]) -> Vec<Verdict> {
            let at = self.entered + ms(5);
            marks.iter().map(|mark| self.latch.mark(mark, at)).collect()
        }

        fn sample(&mut self, front: Front, after: u64, talk: Talk) -> Verdict {
            self.latch.sample(front, self.entered + ms(after), talk)
        }
    }

    #[test]
    fn a_command_releases_at_its_end_mark() {
        let mut script = Script::new(false);
        assert_eq!(script.marks(&[c(), d()]), [Hold, Release]);
        assert!(script.submission.is_confirmed());
    }

    #[test]
    fn an_empty_line_releases_at_the_new_prompt() {
        let mut script = Script::new(false);
        assert_eq!(script.marks(&[A]), [Release]);
        assert!(!script.submission.is_confirmed());
    }

    #[test]
    fn a_late_prompt_closes_the_old_cycle_and_releases_nothing() {
        let mut script = Script::new(true);
        assert_eq!(script.marks(&[A, B, c(), d()]), [Hold, Hold, Hold, Release]);
        let mut script = Script::new(true);
        assert_eq!(
            script.marks(&[A, B, A]),
            [Hold, Hold, Release],
            "then an empty line"
        );
    }

    #[test]
    fn marks_from_before_enter_are_no_answer_to_it() {
        let mut script = Script::new(false);
        let before = script.entered - ms(1);
        assert_eq!(script.latch.mark(&c(), before), Hold);
        assert_eq!(script.latch.mark(&d(), before), Hold);
        assert!(!script.submission.is_confirmed());
        assert_eq!(
            script.marks(&[A, B]),
            [Hold, Hold],
            "the prompt of that old command"
        );
        assert_eq!(script.marks(&[c(), d()]), [Hold, Release]);
    }

    #[test]
    fn the_end_of_what_ran_before_needs_a_prompt_to_release() {
        let mut script = Script::new(false);
        assert_eq!(script.marks(&[d(), A]), [Hold, Release]);
    }

    #[test]
    fn a_lost_end_mark_is_made_up_for_by_the_next_prompt() {
        let mut script = Script::new(false);
        assert_eq!(script.marks(&[c(), A]), [Hold, Release]);
    }

    #[test]
    fn silent_marks_release_after_three_seconds_and_two_samples() {
        let mut script = Script::new(false);
        assert_eq!(script.sample(Front::Shell, 2_900, Marked), Hold);
        assert_eq!(
            script.sample(Front::Shell, 3_000, Marked),
            Hold,
            "samples too close"
        );
        assert_eq!(script.sample(Front::Shell, 3_150, Marked), Release);
        assert!(!script.submission.is_confirmed());
    }

    #[test]
    fn a_shell_that_is_still_starting_gets_more_time() {
        let mut script = Script::new(true);
        assert_eq!(script.sample(Front::Shell, 2_000, Starting), Hold);
        assert_eq!(script.sample(Front::Shell, 29_000, Starting), Hold);
        assert_eq!(script.sample(Front::Shell, 30_000, Starting), Release);
    }

    #[test]
    fn a_started_command_is_not_released_by_time() {
        let mut script = Script::new(false);
        script.marks(&[c()]);
        assert_eq!(script.sample(Front::Shell, 10_000, Marked), Hold);
        assert_eq!(script.sample(Front::Shell, 20_000, Marked), Hold);
    }

    #[test]
    fn without_marks_the_shell_must_be_in_front_twice() {
        let mut script = Script::new(false);
        assert_eq!(script.sample(Front::Shell, 10, Unmarked), Hold);
        assert_eq!(
            script.sample(Front::Shell, 300, Unmarked),
            Hold,
            "400 ms are not over"
        );
        assert_eq!(script.sample(Front::Shell, 410, Unmarked), Release);
    }

    #[test]
    fn without_marks_a_program_in_front_confirms_and_starts_the_count_anew() {
        let mut script = Script::new(false);
        assert_eq!(script.sample(Front::Shell, 10, Unmarked), Hold);
        assert_eq!(script.sample(Front::Program, 200, Unmarked), Hold);
        assert!(script.submission.is_confirmed());
        assert_eq!(script.sample(Front::Shell, 5_000, Unmarked), Hold);
        assert_eq!(script.sample(Front::Shell, 5_249, Unmarked), Hold);
        assert_eq!(script.sample(Front::Shell, 5_250, Unmarked), Release);
    }

    #[test]
    fn samples_from_before_enter_do_not_count() {
        let mut script = Script::new(false);
        let before = script.entered - ms(300);
        assert_eq!(script.latch.sample(Front::Shell, before, Unmarked), Hold);
        assert_eq!(script.sample(Front::Shell, 400, Unmarked), Hold);
        assert_eq!(script.sample(Front::Shell, 650, Unmarked), Release);
    }
}
