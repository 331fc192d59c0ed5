//! Every stage against every event.

use super::*;

fn at(stage: Stage) -> State {
    State {
        stage,
        ..State::new(true).0
    }
}

fn working() -> Vec<(StageName, Stage)> {
    vec![
        (StageName::Resolve, Stage::Resolve),
        (StageName::Connect, Stage::Connect),
        (StageName::Authenticate, Stage::Authenticate),
        (StageName::OpenShell, Stage::OpenShell),
    ]
}

fn resting() -> Vec<Stage> {
    vec![
        Stage::Reconnecting {
            attempt: 2,
            next_in: backoff(2),
        },
        Stage::Failed {
            stage: StageName::Connect,
            reason: "x".into(),
        },
        Stage::Closed {
            exit: Exit::default(),
        },
    ]
}

fn all() -> Vec<Stage> {
    let mut all: Vec<_> = working().into_iter().map(|(_, stage)| stage).collect();
    all.push(Stage::Ready);
    all.extend(resting());
    all
}

fn failure(again: bool) -> Event {
    Event::Failed {
        reason: "no".into(),
        again,
    }
}

fn lost() -> Event {
    Event::Lost {
        reason: "gone".into(),
    }
}

fn exit() -> Exit {
    Exit {
        code: Some(3),
        signal: None,
    }
}

#[test]
fn the_straight_way_visits_every_stage_and_starts_its_clock() {
    let (state, effects) = State::new(true);
    assert_eq!(
        effects,
        [Effect::StartTimer(limits::RESOLVE), Effect::Resolve]
    );
    let (state, effects) = step(
        state,
        Event::Resolved {
            connect_timeout: None,
        },
    );
    assert_eq!(state.stage, Stage::Connect);
    assert_eq!(
        effects,
        [Effect::StartTimer(limits::CONNECT), Effect::Establish]
    );
    let (state, effects) = step(state, Event::Authenticating);
    assert_eq!(state.stage, Stage::Authenticate);
    assert_eq!(effects, [Effect::StartTimer(limits::AUTHENTICATE)]);
    let (state, effects) = step(state, Event::Established);
    assert_eq!(state.stage, Stage::OpenShell);
    assert_eq!(
        effects,
        [Effect::StartTimer(limits::OPEN_SHELL), Effect::OpenShell]
    );
    let (state, effects) = step(state, Event::Opened);
    assert_eq!(state.stage, Stage::Ready);
    assert_eq!(effects, [Effect::StopTimer]);
    let (state, effects) = step(state, Event::Exited(exit()));
    assert_eq!(state.stage, Stage::Closed { exit: exit() });
    assert_eq!(effects, [Effect::StopTimer, Effect::Abort, Effect::End]);
}

#[test]
fn a_pooled_connection_skips_connect_and_authenticate() {
    let (state, _) = step(
        State::new(true).0,
        Event::Resolved {
            connect_timeout: None,
        },
    );
    let (state, effects) = step(state, Event::Established);
    assert_eq!(state.stage, Stage::OpenShell);
    assert!(effects.contains(&Effect::OpenShell));
}

#[test]
fn each_hop_has_its_own_clock_and_connect_timeout_counts() {
    let limit = Duration::from_secs(3);
    let event = Event::Resolved {
        connect_timeout: Some(limit),
    };
    let (state, effects) = step(State::new(true).0, event);
    assert_eq!(effects[0], Effect::StartTimer(limit));
    let (state, _) = step(state, Event::Authenticating);
    let (state, effects) = step(state, Event::Connecting);
    assert_eq!(state.stage, Stage::Connect);
    assert_eq!(effects, [Effect::StartTimer(limit)]);
    let (state, _) = step(state, Event::TimedOut);
    let Stage::Failed { reason, .. } = state.stage else {
        panic!()
    };
    assert!(reason.contains("3 s"), "{reason}");
}

#[test]
fn every_working_stage_fails_times_out_and_can_be_cancelled_under_its_own_name() {
    for (name, stage) in working() {
        for event in [
            failure(true),
            failure(false),
            Event::TimedOut,
            Event::Cancel,
            lost(),
        ] {
            let (state, effects) = step(at(stage.clone()), event);
            let Stage::Failed { stage, .. } = state.stage else {
                panic!("{name}")
            };
            assert_eq!(stage, name);
            assert_eq!(effects, [Effect::StopTimer, Effect::Abort]);
        }
    }
}

#[test]
fn time_in_a_prompt_does_not_count() {
    for (_, stage) in working() {
        let (state, effects) = step(at(stage.clone()), Event::PromptOpened);
        assert_eq!(effects, [Effect::PauseTimer]);
        // Neither a second prompt nor the clock does anything now.
        assert_eq!(step(state.clone(), Event::PromptOpened).1, []);
        assert_eq!(
            step(state.clone(), Event::TimedOut),
            (state.clone(), vec![])
        );
        let (state, effects) = step(state, Event::PromptClosed);
        assert_eq!(effects, [Effect::ResumeTimer]);
        assert_eq!(state, at(stage));
        assert_eq!(step(state, Event::PromptClosed).1, []);
    }
}

#[test]
fn a_loss_is_shown_and_tried_again_with_growing_pauses() {
    let (mut state, effects) = step(at(Stage::Ready), lost());
    assert_eq!(
        effects,
        [
            Effect::Abort,
            Effect::ShowLoss("gone".into()),
            Effect::WaitRetry(Duration::from_secs(1))
        ]
    );
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let Stage::Reconnecting { next_in, .. } = state.stage else {
            panic!()
        };
        pauses.push(next_in.as_secs());
        let (next, effects) = step(state, Event::RetryDue);
        assert_eq!(
            effects,
            [Effect::StartTimer(limits::RESOLVE), Effect::Resolve]
        );
        let (next, _) = step(
            next,
            Event::Resolved {
                connect_timeout: None,
            },
        );
        state = step(next, failure(true)).0;
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
    // An authentication failure ends the tries.
    let (state, _) = step(state, Event::RetryDue);
    let (state, _) = step(state, failure(false));
    assert!(matches!(state.stage, Stage::Failed { .. }));
}

#[test]
fn after_success_the_pauses_begin_anew() {
    let (state, _) = step(at(Stage::Ready), lost());
    let (state, _) = step(state, Event::RetryDue);
    let (state, _) = step(
        state,
        Event::Resolved {
            connect_timeout: None,
        },
    );
    let (state, _) = step(state, Event::Established);
    let (state, _) = step(state, Event::Opened);
    assert_eq!(state.attempt, 0);
    let (state, _) = step(state, lost());
    assert!(matches!(
        state.stage,
        Stage::Reconnecting { attempt: 1, .. }
    ));
}

#[test]
fn without_reconnect_a_loss_is_a_failure_of_ready() {
    let mut state = at(Stage::Ready);
    state.reconnect = false;
    let (state, effects) = step(state, lost());
    assert!(matches!(
        state.stage,
        Stage::Failed {
            stage: StageName::Ready,
            ..
        }
    ));
    assert!(effects.contains(&Effect::ShowLoss("gone".into())));
}

#[test]
fn closing_ends_every_stage_once() {
    for stage in all() {
        let was_closed = matches!(stage, Stage::Closed { .. });
        let (state, effects) = step(at(stage), Event::Close);
        assert!(matches!(state.stage, Stage::Closed { .. }));
        assert_eq!(effects.is_empty(), was_closed);
    }
}

#[test]
fn a_user_can_try_a_failure_again_and_cancel_the_waiting() {
    let [reconnecting, failed, _] = <[Stage; 3]>::try_from(resting()).unwrap();
    let (state, effects) = step(at(failed), Event::Retry);
    assert_eq!(state.stage, Stage::Resolve);
    assert!(effects.contains(&Effect::Resolve));
    let (state, _) = step(at(reconnecting), Event::Cancel);
    assert!(matches!(state.stage, Stage::Failed { .. }));
}

#[test]
fn events_out_of_place_change_nothing() {
    let events = [
        Event::Resolved {
            connect_timeout: None,
        },
        Event::Connecting,
        Event::Authenticating,
        Event::Established,
        Event::Opened,
        Event::PromptOpened,
        Event::PromptClosed,
        failure(true),
        failure(false),
        lost(),
        Event::Exited(exit()),
        Event::TimedOut,
        Event::RetryDue,
        Event::Retry,
        Event::Cancel,
    ];
    for stage in all() {
        for event in &events {
            let (state, effects) = step(at(stage.clone()), event.clone());
            let expected = means_something(&stage, event);
            assert_eq!(!effects.is_empty(), expected, "{stage:?} {event:?}");
            if !expected {
                assert_eq!(state, at(stage.clone()));
            }
        }
    }
}

/// The table of what each stage listens to, written down a second time.
fn means_something(stage: &Stage, event: &Event) -> bool {
    let work = matches!(
        event,
        Event::PromptOpened
            | Event::Failed { .. }
            | Event::Lost { .. }
            | Event::TimedOut
            | Event::Cancel
    );
    match stage {
        Stage::Resolve => work || matches!(event, Event::Resolved { .. }),
        Stage::Connect | Stage::Authenticate => {
            work || matches!(
                event,
                Event::Connecting | Event::Authenticating | Event::Established
            )
        }
        Stage::OpenShell => work || matches!(event, Event::Opened | Event::Exited(_)),
        Stage::Ready => matches!(event, Event::Lost { .. } | Event::Exited(_)),
        Stage::Reconnecting { .. } => matches!(event, Event::RetryDue | Event::Cancel),
        Stage::Failed { .. } => matches!(event, Event::Retry),
        Stage::Closed { .. } => false,
    }
}

#[test]
fn names_are_those_of_the_control_api() {
    let names: Vec<_> = all().iter().map(Stage::as_str).collect();
    assert_eq!(
        names,
        [
            "resolve",
            "connect",
            "authenticate",
            "open_shell",
            "ready",
            "reconnecting",
            "failed",
            "closed"
        ]
    );
    assert!(
        all()
            .iter()
            .all(|stage| stage.reason().is_empty() == (*stage == Stage::Ready))
    );
}
