//! Random histories of the hub, checked against what the specification says about them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use protocol::{ErrorCode, LifecycleEvent, Snapshot, StateSet, TaskState, WaitState};

use crate::sample::{SamplePane, pane, target, world};
use crate::wait::WaitResult;
use crate::{Delivery, RuntimeHub, Subscription, WaitSpec, WaitTicket};

#[derive(Clone, Debug)]
enum Step {
    /// A pane passes through these states.
    States(u64, Vec<TaskState>),
    Title(u64, u8),
    Open,
    Close(u64, bool),
    /// The root process of a pane that is held ends.
    Hold(u64),
    Occupy(u64),
    Publish {
        paced: bool,
        after_ms: u64,
    },
    /// Baseline: this many revisions before the current one.
    Subscribe {
        behind: Option<u64>,
        replay: bool,
    },
    Drain(usize),
    Wait {
        pane: u64,
        states: Vec<WaitState>,
        /// Baseline relative to the published sequence, plus one.
        after: Option<u64>,
        pinned: bool,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let state = proptest::sample::select(TaskState::ALL.to_vec());
    let entries = proptest::sample::subsequence(WaitState::ALL.to_vec(), 1..=3);
    let id = 1..6_u64;
    prop_oneof![
        4 => (id.clone(), vec(state, 1..4)).prop_map(|(id, states)| Step::States(id, states)),
        2 => (id.clone(), 0..3_u8).prop_map(|(id, title)| Step::Title(id, title)),
        1 => Just(Step::Open),
        1 => (id.clone(), any::<bool>()).prop_map(|(id, exited)| Step::Close(id, exited)),
        1 => id.clone().prop_map(Step::Hold),
        1 => id.clone().prop_map(Step::Occupy),
        8 => (any::<bool>(), 0..400_u64)
            .prop_map(|(paced, after_ms)| Step::Publish { paced, after_ms }),
        2 => (option::of(0..30_u64), any::<bool>())
            .prop_map(|(behind, replay)| Step::Subscribe { behind, replay }),
        2 => (0..8_usize).prop_map(Step::Drain),
        4 => (id, entries, option::of(0..4_u64), any::<bool>())
            .prop_map(|(pane, states, after, pinned)| Step::Wait { pane, states, after, pinned }),
    ]
}

/// A subscriber and what it got.
struct Follower {
    subscription: Subscription,
    /// The revision that has to come next.
    next: u64,
    /// Where to resume: the last event, before the first one the baseline.
    last: u64,
    ended: bool,
}

impl Follower {
    fn drain(&mut self) {
        while let Some(delivery) = self.subscription.try_next() {
            match delivery {
                Delivery::Event(event) => {
                    assert!(!self.ended);
                    assert_eq!(event.revision(), self.next, "a hole or a duplicate");
                    self.last = self.next;
                    self.next += 1;
                }
                Delivery::Overflow { last_revision } => {
                    assert_eq!(last_revision, self.last);
                    self.ended = true;
                    return;
                }
                Delivery::Closed => unreachable!("nobody shuts the hub down"),
            }
        }
    }
}

/// A wait and where in the history it began.
struct Waiting {
    ticket: WaitTicket,
    from: usize,
}

struct Model {
    hub: RuntimeHub,
    now: Instant,
    panes: Vec<SamplePane>,
    next_id: u64,
    held: HashSet<u64>,
    /// Every published snapshot.
    history: Vec<Arc<Snapshot>>,
    /// Transitions per pane since it was first published.
    transitions: HashMap<u64, u64>,
    followers: Vec<Follower>,
    waits: Vec<Waiting>,
}

impl Model {
    fn new() -> Self {
        let mut model = Self {
            hub: RuntimeHub::new(String::new()),
            now: Instant::now(),
            panes: Vec::new(),
            next_id: 1,
            held: HashSet::new(),
            history: Vec::new(),
            transitions: HashMap::new(),
            followers: Vec::new(),
            waits: Vec::new(),
        };
        model.step(Step::Open);
        model.step(Step::Publish {
            paced: false,
            after_ms: 0,
        });
        model
    }

    fn pane(&mut self, id: u64) -> Option<&mut SamplePane> {
        let held = self.held.contains(&id);
        self.panes.iter_mut().find(|pane| pane.id == id && !held)
    }

    fn current(&self) -> &Arc<Snapshot> {
        self.history.last().expect("the first step publishes")
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::States(id, states) => {
                if let Some(pane) = self.pane(id) {
                    for state in states {
                        pane.transitions += u64::from(pane.state != state);
                        pane.state = state;
                    }
                }
            }
            Step::Title(id, title) => {
                if let Some(pane) = self.pane(id) {
                    pane.title = title.to_string();
                }
            }
            Step::Open => {
                self.panes.push(pane(self.next_id, TaskState::Idle));
                self.next_id += 1;
            }
            Step::Close(id, exited) => {
                if let Some(index) = self.panes.iter().position(|pane| pane.id == id) {
                    self.panes.remove(index);
                    self.held.remove(&id);
                    let event = if exited {
                        LifecycleEvent::Exited
                    } else {
                        LifecycleEvent::Closed
                    };
                    self.hub.record_lifecycle(target(id), event, None, None);
                    self.publish(false);
                }
            }
            Step::Hold(id) => {
                if let Some(pane) = self.pane(id) {
                    pane.transitions += u64::from(pane.state != TaskState::Failed);
                    pane.state = TaskState::Failed;
                    self.hub
                        .record_lifecycle(target(id), LifecycleEvent::Exited, Some(1), None);
                    self.held.insert(id);
                    self.publish(false);
                }
            }
            Step::Occupy(id) => {
                if let Some(pane) = self.pane(id) {
                    pane.occupant_seq += 1;
                }
            }
            Step::Publish { paced, after_ms } => {
                self.now += Duration::from_millis(after_ms);
                self.publish(paced);
            }
            Step::Subscribe { behind, replay } => self.subscribe(behind, replay),
            Step::Drain(index) => {
                if let Some(follower) = self.followers.get_mut(index) {
                    follower.drain();
                }
            }
            Step::Wait {
                pane,
                states,
                after,
                pinned,
            } => self.wait(pane, &states, after, pinned),
        }
    }

    fn publish(&mut self, paced: bool) {
        let mut projection = world(&self.panes);
        projection.paced = paced;
        let expected = projection.snapshot.windows.clone();
        let before = self.history.last().map_or(0, |snapshot| snapshot.revision);
        let current = self.hub.publish_at(projection, self.now);
        if current.revision == before {
            assert!(Arc::ptr_eq(&current, self.current()));
        } else {
            assert_eq!(current.revision, before + 1);
            self.history.push(Arc::clone(&current));
        }
        for pane in &mut self.panes {
            let seen = current.pane(target(pane.id)).expect("a published pane");
            let moved = std::mem::take(&mut pane.transitions);
            let seq = self
                .transitions
                .entry(pane.id)
                .and_modify(|seq| *seq += moved)
                .or_insert(1);
            assert_eq!(seen.state_change_seq, *seq);
            assert_eq!(seen.task_state, pane.state);
        }
        let titles = |windows: &[protocol::Window]| -> Vec<String> {
            let tabs = windows.iter().flat_map(|window| &window.tabs);
            tabs.flat_map(|tab| &tab.panes)
                .map(|pane| pane.title.clone())
                .collect()
        };
        let up_to_date = titles(&current.windows) == titles(&expected);
        assert!(
            up_to_date || paced,
            "the effect of a command is never delayed"
        );
        assert_eq!(self.hub.next_due().is_some(), !up_to_date);
    }

    fn subscribe(&mut self, behind: Option<u64>, replay: bool) {
        let revision = self.current().revision;
        let since = behind.map(|behind| revision.saturating_sub(behind));
        let subscription = self.hub.subscribe(since, replay);
        assert!(!subscription.ack().gap);
        assert_eq!(subscription.ack().current_revision, revision);
        let next = match since {
            Some(since) if replay => since + 1,
            Some(since) if since == revision => revision + 1,
            _ => revision,
        };
        self.followers.push(Follower {
            subscription,
            next,
            last: since.unwrap_or(0),
            ended: false,
        });
    }

    fn wait(&mut self, id: u64, states: &[WaitState], after: Option<u64>, pinned: bool) {
        let seen = self.current().pane(target(id));
        let spec = WaitSpec {
            target: target(id),
            states: StateSet::from_params("", None, Some(states)).expect("a valid set"),
            after_seq: after
                .map(|after| (seen.map_or(1, |seen| seen.state_change_seq) + after) - 1),
            pin: seen.filter(|_| pinned).map(|seen| seen.occupant_seq),
        };
        let ticket = self.hub.wait(spec);
        self.waits.push(Waiting {
            ticket,
            from: self.history.len() - 1,
        });
    }

    /// Every wait ended with the first publication that the specification names, or is open.
    fn check_waits(&self) {
        for waiting in &self.waits {
            let spec = waiting.ticket.spec();
            let actual = waiting.ticket.try_outcome();
            let observed = self.history[waiting.from..].iter().enumerate();
            let expected = observed
                .into_iter()
                .find_map(|(at, seen)| expected(spec, seen, at == 0));
            assert_eq!(actual.as_ref().map(summary), expected, "{spec:?}");
            if let Some(Ok(matched)) = actual {
                assert!(matched.state_change_seq > spec.after_seq.unwrap_or(0));
                assert!(spec.states.contains(matched.state));
            }
        }
    }
}

/// What one observation means for a wait (7.3, and 7.4 for the first).
fn expected(
    spec: &WaitSpec,
    seen: &Snapshot,
    first: bool,
) -> Option<Result<(u64, TaskState), ErrorCode>> {
    let mut records = seen.pane_lifecycles.iter();
    let record = records.rfind(|record| record.pane_id == spec.target.pane_id);
    let Some(pane) = seen.pane(spec.target) else {
        return Some(Err(match record.map(|record| record.event) {
            Some(LifecycleEvent::Exited) => ErrorCode::PaneExited,
            Some(LifecycleEvent::Closed) => ErrorCode::PaneClosed,
            None if first => ErrorCode::TargetNotFound,
            None => ErrorCode::PaneClosed,
        }));
    };
    let later = pane.state_change_seq > spec.after_seq.unwrap_or(0);
    if record.is_some() {
        return Some(if later && spec.states.names(pane.task_state) {
            Ok((seen.revision, pane.task_state))
        } else {
            Err(ErrorCode::PaneExited)
        });
    }
    if spec.pin.is_some_and(|pin| pin != pane.occupant_seq) {
        return Some(Err(ErrorCode::AgentExited));
    }
    let matches = later && spec.states.contains(pane.task_state);
    matches.then_some(Ok((seen.revision, pane.task_state)))
}

fn summary(result: &WaitResult) -> Result<(u64, TaskState), ErrorCode> {
    match result {
        Ok(matched) => Ok((matched.snapshot.revision, matched.state)),
        Err(error) => Err(error.code),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_random_history_keeps_every_promise(steps in vec(step(), 1..120)) {
        let mut model = Model::new();
        for step in steps {
            model.step(step);
        }
        for follower in &mut model.followers {
            follower.drain();
            let end = model.history.len() as u64 + 1;
            prop_assert!(follower.ended || follower.next == end);
        }
        model.check_waits();
    }
}
