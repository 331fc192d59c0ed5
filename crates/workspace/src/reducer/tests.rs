//! Scripts of evidence and the states they must lead to.

use proptest::prelude::*;

use super::*;
use crate::ids::PaneId;

const A: Mark = Mark::PromptStart;
const B: Mark = Mark::CommandLineStart;

fn c() -> Mark {
    Mark::CommandStart { command_line: None }
}

fn d(code: i32) -> Mark {
    Mark::CommandEnd {
        exit_code: Some(code),
    }
}

struct Script {
    reducer: ShellReducer,
    begun: Instant,
    submission: Submission,
    state: TaskState,
    transitions: u32,
}

impl Script {
    fn new(integrated: bool) -> Self {
        let reducer = ShellReducer::new(integrated);
        let state = reducer.decide().state;
        Self {
            reducer,
            begun: Instant::now(),
            submission: Submission::new(),
            state,
            transitions: 0,
        }
    }

    /// A shell with marks, at its first prompt.
    fn at_prompt() -> Self {
        let mut script = Self::new(true);
        script.mark(0, A).mark(1, B);
        script
    }

    fn at(&self, millis: u64) -> Instant {
        self.begun + Duration::from_millis(millis)
    }

    fn apply(&mut self, millis: u64, evidence: Evidence<'_>) -> &mut Self {
        let at = self.at(millis);
        self.reducer.apply(evidence, at);
        let state = self.reducer.decide().state;
        self.transitions += u32::from(state != self.state);
        self.state = state;
        self
    }

    fn mark(&mut self, millis: u64, mark: Mark) -> &mut Self {
        self.apply(millis, Evidence::Mark(&mark))
    }

    fn enter(&mut self, millis: u64) -> &mut Self {
        self.submission = Submission::new();
        let submission = self.submission.clone();
        self.apply(millis, Evidence::Submitted(submission))
    }

    fn look(&mut self, millis: u64, front: Front, shell_is_idle: bool) -> &mut Self {
        let taken = self.at(millis);
        let sample = Sample {
            pane: PaneId(1),
            taken,
            front,
            program: None,
            shell_is_idle,
            directory: None,
            branch: None,
        };
        self.apply(millis, Evidence::Sample(&sample))
    }

    fn expect(&mut self, state: TaskState, authority: Authority) -> &mut Self {
        assert_eq!(self.reducer.decide(), Decision { state, authority });
        self
    }

    fn idle(&mut self) -> &mut Self {
        assert_eq!(self.state, TaskState::Idle, "{:?}", self.reducer);
        self
    }

    fn running(&mut self) -> &mut Self {
        assert_eq!(self.state, TaskState::Running, "{:?}", self.reducer);
        self
    }
}

#[test]
fn a_typed_command_runs_from_its_start_mark_to_its_end_mark() {
    let mut script = Script::at_prompt();
    script
        .idle()
        .mark(10, c())
        .expect(TaskState::Running, Authority::Shell);
    script
        .mark(20, d(1))
        .expect(TaskState::Idle, Authority::Shell);
    script.mark(21, A).idle();
    assert_eq!(
        (script.transitions, script.reducer.last_exit()),
        (2, Some(1))
    );
}

#[test]
fn a_submitted_command_is_one_edge_up_and_one_down() {
    let mut script = Script::at_prompt();
    script
        .enter(10)
        .expect(TaskState::Running, Authority::Submit);
    script
        .mark(20, c())
        .running()
        .mark(30, d(0))
        .idle()
        .mark(31, A)
        .mark(32, B)
        .idle();
    assert_eq!(script.transitions, 2);
    assert!(script.submission.is_confirmed());
}

#[test]
fn a_prompt_that_was_due_when_enter_was_written_releases_nothing() {
    let mut script = Script::at_prompt();
    script.enter(10).mark(20, c()).mark(30, d(0)).idle();
    script.enter(31).mark(32, A).running().mark(33, B).running();
    script.mark(40, c()).running().mark(50, d(0)).idle();
    assert_eq!(script.transitions, 4);
}

#[test]
fn the_first_prompt_of_a_new_shell_releases_nothing() {
    let mut script = Script::new(true);
    script
        .idle()
        .enter(5)
        .running()
        .mark(100, A)
        .mark(101, B)
        .running();
    script.mark(110, c()).mark(120, d(0)).idle();
}

#[test]
fn an_empty_line_ends_at_its_prompt_and_stays_unconfirmed() {
    let mut script = Script::at_prompt();
    script.enter(10).running().mark(15, A).idle();
    assert!(!script.submission.is_confirmed());
}

#[test]
fn submitting_while_a_command_runs_is_no_edge() {
    let mut script = Script::at_prompt();
    script.mark(10, c()).running();
    let before = script.transitions;
    script.enter(20).running();
    assert_eq!(script.transitions, before);
    script.mark(30, d(0)).running().mark(31, A).idle();
}

#[test]
fn without_marks_samples_decide() {
    let mut script = Script::new(false);
    script
        .idle()
        .look(10, Front::Shell, false)
        .expect(TaskState::Idle, Authority::None);
    script
        .look(20, Front::Program, false)
        .expect(TaskState::Running, Authority::Process);
    script.look(30, Front::NestedShell, false).idle();
}

#[test]
fn without_marks_a_submission_lasts_until_the_shell_is_in_front_again() {
    let mut script = Script::new(false);
    script
        .enter(0)
        .running()
        .look(50, Front::Program, false)
        .running();
    script.look(5_000, Front::Shell, false).running();
    script.look(5_250, Front::Shell, false).idle();
    assert!(script.submission.is_confirmed());
    assert_eq!(script.transitions, 2);
}

#[test]
fn marks_that_stay_away_release_after_three_seconds() {
    let mut script = Script::at_prompt();
    script.enter(10).look(300, Front::Shell, true).running();
    script.look(2_900, Front::Shell, true).running();
    script.look(3_010, Front::Shell, true).idle();
    assert!(!script.submission.is_confirmed());
}

#[test]
fn at_a_marked_prompt_one_sample_of_a_program_proves_nothing() {
    let mut script = Script::at_prompt();
    script.look(100, Front::Program, false).idle();
    script
        .look(350, Front::Program, false)
        .expect(TaskState::Running, Authority::Process);
    script.mark(400, A).idle();
}

#[test]
fn samples_older_than_the_last_mark_are_ignored() {
    let mut script = Script::at_prompt();
    script.mark(100, c()).mark(500, d(0)).idle();
    script
        .look(200, Front::Program, false)
        .look(450, Front::Program, false)
        .idle();
}

#[test]
fn a_lost_end_mark_is_noticed_after_two_seconds() {
    let mut script = Script::at_prompt();
    script.mark(10, c()).look(100, Front::Shell, true).running();
    script
        .look(2_099, Front::Shell, true)
        .running()
        .look(2_100, Front::Shell, true)
        .idle();
    script.look(2_200, Front::Program, false).running();
}

#[test]
fn a_shell_with_children_or_at_work_is_no_lost_end() {
    let mut script = Script::at_prompt();
    script
        .mark(10, c())
        .look(100, Front::Shell, false)
        .look(9_000, Front::Shell, false)
        .running();
}

#[test]
fn a_bell_of_a_running_command_asks_for_input_until_a_key_answers() {
    let mut script = Script::at_prompt();
    script.mark(10, c()).apply(500, Evidence::Bell);
    script.expect(TaskState::WaitingInput, Authority::Bell);
    script.apply(900, Evidence::Input).running();
    script.apply(1_000, Evidence::Bell).running();
    script.apply(1_200, Evidence::Bell);
    script.expect(TaskState::WaitingInput, Authority::Bell);
    script.mark(1_300, d(0)).idle();
}

#[test]
fn a_bell_at_the_prompt_means_nothing() {
    let mut script = Script::at_prompt();
    script.apply(500, Evidence::Bell).idle();
}

#[test]
fn the_latch_outranks_the_bell() {
    let mut script = Script::at_prompt();
    script.enter(10).mark(20, c()).apply(900, Evidence::Bell);
    script.expect(TaskState::Running, Authority::Submit);
}

#[test]
fn the_end_of_the_root_process_is_final() {
    let ended = |code, signal| {
        let mut script = Script::at_prompt();
        script.enter(10);
        script.apply(20, Evidence::Ended(ExitStatus { code, signal }));
        script
            .mark(30, A)
            .apply(40, Evidence::Bell)
            .look(50, Front::Program, false);
        script.reducer.decide()
    };
    let lifecycle = |state| Decision {
        state,
        authority: Authority::Lifecycle,
    };
    assert_eq!(ended(Some(0), None), lifecycle(TaskState::Finished));
    assert_eq!(ended(Some(3), None), lifecycle(TaskState::Failed));
    assert_eq!(ended(None, Some(9)), lifecycle(TaskState::Failed));
}

#[derive(Debug, Clone)]
enum Step {
    Mark(u8),
    Look(u8, bool),
    Bell,
    Input,
    Enter,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..4_u8).prop_map(Step::Mark),
        3 => (0..4_u8, any::<bool>()).prop_map(|(front, idle)| Step::Look(front, idle)),
        1 => Just(Step::Bell),
        1 => Just(Step::Input),
        2 => Just(Step::Enter),
    ]
}

fn run(script: &mut Script, at: u64, step: &Step) {
    match step {
        Step::Mark(0) => script.mark(at, A),
        Step::Mark(1) => script.mark(at, B),
        Step::Mark(2) => script.mark(at, c()),
        Step::Mark(_) => script.mark(at, d(0)),
        Step::Look(front, idle) => {
            let front = match front {
                0 => Front::Unknown,
                1 => Front::Shell,
                2 => Front::NestedShell,
                _ => Front::Program,
            };
            script.look(at, front, *idle)
        }
        Step::Bell => script.apply(at, Evidence::Bell),
        Step::Input => script.apply(at, Evidence::Input),
        Step::Enter => script.enter(at),
    };
}

proptest! {
    /// Whatever came before: Enter makes the pane run at once, and a whole cycle of marks after it
    /// brings it back to idle with the submission confirmed.
    #[test]
    fn enter_is_an_edge_and_a_cycle_of_marks_ends_it(
        steps in prop::collection::vec((1..2_000_u64, step()), 0..40),
        integrated in any::<bool>(),
    ) {
        let mut script = Script::new(integrated);
        let mut at = 0;
        for (pause, step) in &steps {
            at += pause;
            run(&mut script, at, step);
            if matches!(step, Step::Enter) {
                prop_assert_eq!(script.state, TaskState::Running);
            }
        }
        script.enter(at + 1);
        prop_assert_eq!(script.state, TaskState::Running);
        script.mark(at + 2, c());
        prop_assert_eq!(script.state, TaskState::Running);
        prop_assert!(script.submission.is_confirmed());
        script.mark(at + 3, d(0));
        prop_assert_eq!(script.state, TaskState::Idle);
    }

    /// No latch outlives a shell that demonstrably waits, marks or not.
    #[test]
    fn a_latch_without_a_start_does_not_last(
        steps in prop::collection::vec((1..2_000_u64, step()), 0..40),
        integrated in any::<bool>(),
    ) {
        let mut script = Script::new(integrated);
        let mut at = 0;
        for (pause, step) in &steps {
            at += pause;
            run(&mut script, at, step);
        }
        script.enter(at + 1).look(at + 100, Front::Shell, true);
        script.look(at + 3_200, Front::Shell, true);
        prop_assert_ne!(script.reducer.decide().authority, Authority::Submit);
    }

    /// Only an observed end makes a shell pane fail or finish.
    #[test]
    fn a_living_shell_never_fails(
        steps in prop::collection::vec((1..2_000_u64, step()), 0..40),
        integrated in any::<bool>(),
    ) {
        let mut script = Script::new(integrated);
        for (number, (_, step)) in steps.iter().enumerate() {
            run(&mut script, number as u64 * 300, step);
            prop_assert!(!matches!(
                script.state,
                TaskState::Failed | TaskState::Finished | TaskState::Attention
            ));
        }
    }
}
