use std::pin::pin;
use std::thread;

use futures_lite::future::{block_on, poll_once};
use protocol::{ApiError, Call, ErrorCode, Method};
use serde_json::json;

use super::{Command, Origin, command_queue};
use crate::Outcome;

fn snapshot_call() -> Command {
    let call = Call::decode(Method::RuntimeSnapshot, json!({})).unwrap();
    Command::Call {
        call,
        origin: Origin::Owner,
    }
}

fn unavailable_because(error: &ApiError, reason: &str) {
    assert_eq!(error.code, ErrorCode::RuntimeUnavailable);
    assert_eq!(error.details, json!({"reason": reason}));
}

#[test]
fn commands_are_answered_in_the_order_of_arrival() {
    let (sender, receiver) = command_queue(4);
    let mut first = pin!(sender.dispatch(Command::Attach));
    let mut second = pin!(sender.dispatch(snapshot_call()));
    block_on(async {
        assert!(poll_once(&mut first).await.is_none());
        assert!(poll_once(&mut second).await.is_none());
    });

    let queued = receiver.try_recv().unwrap();
    assert!(matches!(queued.command, Command::Attach));
    assert!(queued.reply.send(Ok(Outcome::Attached)));
    let queued = block_on(receiver.recv()).unwrap();
    assert!(matches!(
        queued.command,
        Command::Call {
            origin: Origin::Owner,
            ..
        }
    ));
    assert!(queued.reply.send(Err(ApiError::no_pane(9))));
    assert!(receiver.try_recv().is_none());

    assert!(matches!(block_on(first), Ok(Outcome::Attached)));
    assert_eq!(
        block_on(second).unwrap_err().code,
        ErrorCode::TargetNotFound
    );
}

#[test]
fn a_full_queue_refuses_at_once() {
    let (sender, _receiver) = command_queue(1);
    let mut waiting = pin!(sender.dispatch(Command::Attach));
    assert!(block_on(poll_once(&mut waiting)).is_none());
    let error = block_on(sender.dispatch(Command::Attach)).unwrap_err();
    unavailable_because(&error, "queue_full");
}

#[test]
fn without_an_owner_there_is_no_answer() {
    let (sender, receiver) = command_queue(1);
    drop(receiver);
    let error = block_on(sender.dispatch(Command::Attach)).unwrap_err();
    unavailable_because(&error, "no_owner");
}

#[test]
fn a_dropped_command_is_unavailable() {
    let (sender, receiver) = command_queue(1);
    let owner = thread::spawn(move || {
        drop(block_on(receiver.recv()));
        receiver
    });
    let error = block_on(sender.dispatch(Command::Attach)).unwrap_err();
    unavailable_because(&error, "unanswered");
    drop(owner.join().unwrap());
}

#[test]
fn an_owner_that_goes_away_answers_what_is_queued() {
    let (sender, receiver) = command_queue(8);
    let mut queued = pin!(sender.dispatch(Command::Attach));
    assert!(block_on(poll_once(&mut queued)).is_none());
    drop(receiver);
    unavailable_because(&block_on(queued).unwrap_err(), "unanswered");
}

#[test]
fn a_closed_queue_still_hands_out_what_it_holds() {
    let (sender, receiver) = command_queue(8);
    let mut queued = pin!(sender.dispatch(Command::Attach));
    assert!(block_on(poll_once(&mut queued)).is_none());
    receiver.close();
    unavailable_because(
        &block_on(sender.dispatch(Command::Attach)).unwrap_err(),
        "no_owner",
    );
    assert!(
        receiver
            .try_recv()
            .unwrap()
            .reply
            .send(Ok(Outcome::Attached))
    );
    assert!(matches!(block_on(queued), Ok(Outcome::Attached)));
    assert!(block_on(receiver.recv()).is_none());
}

#[test]
fn an_answer_nobody_waits_for_is_noticed() {
    let (sender, receiver) = command_queue(1);
    {
        let mut given_up = pin!(sender.dispatch(Command::Attach));
        assert!(block_on(poll_once(&mut given_up)).is_none());
    }
    let reply = receiver.try_recv().unwrap().reply;
    assert!(reply.is_abandoned());
    assert!(!reply.send(Ok(Outcome::Attached)));
}

#[test]
fn the_owner_learns_when_its_last_answer_was_written() {
    let (closing, answered) = crate::closing();
    assert!(!answered.is_done());
    assert!(block_on(poll_once(answered.wait())).is_none());
    drop(closing);
    block_on(answered.wait());
    assert!(answered.is_done());
}

#[test]
fn a_failed_wait_of_a_prompt_says_that_the_text_was_delivered() {
    let submission = crate::Submission::new();
    let error = submission.annotate(ApiError::no_pane(3), Some(6));
    assert_eq!(
        error.details,
        json!({"pane_id": 3, "submitted": true, "after_seq": 6, "submission": "unconfirmed"})
    );
    submission.clone().confirm();
    assert_eq!(submission.report(), protocol::Submission::Confirmed);
}
