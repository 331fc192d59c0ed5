//! Text and keys from requests (control-api.md 9.6 and 9.9).
//!
//! The running edge of a submission is set in the same step that writes Enter, and the moment that
//! counts as "Enter" is taken before the write: nothing the shell says afterwards can be older.

use std::time::Instant;

use protocol::{
    Action, ApiError, ErrorCode, KeyModifiers, PanePasteParams, PanePromptParams,
    PaneSendKeyParams, StateSet,
};
use runtime::{Outcome, Reply, Submission, WaitSpec};
use serde_json::json;
use terminal::input::{self as keys, Modifiers};
use terminal::{Terminal, WriteError};

use super::{Answer, Step};
use crate::ids::{PaneId, WINDOW_ID};
use crate::prompt::{self, Gap, Plan, Reader};
use crate::reducer::Evidence;
use crate::workspace::Workspace;

/// How a text that was written is answered.
#[derive(Debug)]
enum Form {
    /// `pane.prompt`, with the states that its wait asked for.
    Prompt(Option<StateSet>),
    /// `pane.paste`.
    Paste,
}

/// The answer to a request whose Enter has still to be written.
#[derive(Debug)]
pub(crate) struct HeldAnswer {
    reply: Reply,
    form: Form,
}

impl HeldAnswer {
    /// There will be no Enter.
    pub(crate) fn fail(self, error: ApiError) {
        self.reply.send(Err(unsubmitted(error)));
    }
}

/// Says that the text was written, so that nobody sends it again blindly, and that its Enter was
/// not.
fn unsubmitted(error: ApiError) -> ApiError {
    let mut error = error.with_detail("submitted", false);
    error
        .message
        .push_str("; the text was written, its Enter was not");
    error
}

impl Workspace {
    pub(super) fn pane_prompt(&mut self, params: PanePromptParams, reply: Reply) -> Step {
        match self.plan_prompt(&params) {
            Ok((pane, plan, form)) => {
                self.write_text(pane, plan, params.submit(), &params.text, form, reply)
            }
            Err(error) => Step::Now(reply, Err(error)),
        }
    }

    pub(super) fn pane_paste(&mut self, params: PanePasteParams, reply: Reply) -> Step {
        match self.plan_paste(&params) {
            Ok((pane, plan)) => self.write_text(
                pane,
                plan,
                params.submit(),
                &params.text,
                Form::Paste,
                reply,
            ),
            Err(error) => Step::Now(reply, Err(error)),
        }
    }

    fn plan_prompt(&self, params: &PanePromptParams) -> Result<(PaneId, Plan, Form), ApiError> {
        let (id, terminal) = self.writable(params.window_id, params.pane_id)?;
        let states = params
            .wait
            .as_ref()
            .map(|wait| wait.state_set())
            .transpose()?;
        let enter = enter(terminal, params.submit())?;
        let bracketed = terminal.modes().bracketed_paste;
        let plan = prompt::plan_prompt(&params.text, enter, reader(terminal), bracketed);
        Ok((id, plan, Form::Prompt(states)))
    }

    fn plan_paste(&self, params: &PanePasteParams) -> Result<(PaneId, Plan), ApiError> {
        let (id, terminal) = self.writable(params.window_id, params.pane_id)?;
        if !terminal.modes().bracketed_paste {
            let message = format!("the program in pane {id} takes no pasted text; use pane.prompt");
            return Err(ApiError::invalid_state(message, "bracketed_paste_off"));
        }
        let enter = enter(terminal, params.submit())?;
        Ok((
            id,
            prompt::plan_paste(&params.text, enter, reader(terminal)),
        ))
    }

    /// A pane whose process lives and which no other request is writing to.
    fn writable(
        &self,
        window_id: Option<u64>,
        pane_id: u64,
    ) -> Result<(PaneId, &Terminal), ApiError> {
        let (id, pane, terminal) = self.resolve_living(window_id, pane_id)?;
        if pane.gap.is_some() {
            return Err(in_progress(id, "another text is being written"));
        }
        Ok((id, terminal))
    }

    fn write_text(
        &mut self,
        id: PaneId,
        plan: Plan,
        submit: bool,
        text: &str,
        form: Form,
        reply: Reply,
    ) -> Step {
        let at = Instant::now();
        tracing::debug!(
            pane = id.0,
            bytes = text.len(),
            submit,
            "a request writes a text"
        );
        if let Err(error) = self.write(id, plan.first) {
            return Step::Now(reply, Err(error));
        }
        if let Some(enter) = plan.after_gap {
            self.took_input(id, at, false);
            if let Some(pane) = self.panes.get_mut(&id) {
                pane.gap = Some(Gap::new(enter, at));
            }
            self.held.insert(id, HeldAnswer { reply, form });
            return Step::Later;
        }
        if !submit {
            self.took_input(id, at, false);
            let answer = self.written(id, None, form);
            return Step::Now(reply, Ok(answer));
        }
        if let Some(pane) = self.panes.get_mut(&id) {
            pane.expect_program(text);
        }
        let submission = self.submitted(id, at);
        let answer = self.written(id, Some(submission), form);
        Step::Now(reply, Ok(answer))
    }

    /// Sets the running edge of an Enter that was just written.
    fn submitted(&mut self, id: PaneId, at: Instant) -> Submission {
        let submission = Submission::new();
        let latch = submission.clone();
        self.observe(id, |pane, watching| {
            pane.apply(Evidence::Submitted(latch), at, watching);
            true
        });
        // Whatever the state was: the answer's snapshot is taken after the edge.
        self.changed();
        submission
    }

    /// The answer about a text that was written, and its Enter too when there is a submission.
    fn written(&mut self, id: PaneId, submission: Option<Submission>, form: Form) -> Outcome {
        let snapshot = self.publish();
        let submitted = submission.is_some();
        let action = Action::Text {
            window_id: WINDOW_ID,
            pane_id: id.0,
            submitted,
        };
        let states = match form {
            Form::Paste => return Outcome::Mutation { action, snapshot },
            Form::Prompt(states) => states,
        };
        let wait = states.map(|states| {
            let target = id.to_ref();
            let after_seq = snapshot.pane(target).map(|pane| pane.state_change_seq);
            // The occupant is the root process, whose end is the end of the pane.
            self.hub.wait(WaitSpec {
                target,
                states,
                after_seq,
                pin: None,
            })
        });
        Outcome::Prompted {
            action,
            snapshot,
            wait,
            submission: submission.unwrap_or_default(),
        }
    }

    /// Writes every Enter whose gap is over, and the keys that were held back behind it.
    pub(crate) fn finish_gaps(&mut self, now: Instant) {
        let waiting: Vec<PaneId> = self.held.keys().copied().collect();
        for id in waiting {
            let Some(pane) = self.panes.get_mut(&id) else {
                continue;
            };
            let (pending, silent) = pane
                .terminal()
                .map(|terminal| (terminal.bytes_pending(), terminal.last_output_age()))
                .unwrap_or_default();
            let Some(gap) = pane.gap.take_if(|gap| gap.is_over(now, pending, silent)) else {
                continue;
            };
            let Some(held) = self.held.remove(&id) else {
                continue;
            };
            self.finish_gap(id, gap, held);
        }
    }

    fn finish_gap(&mut self, id: PaneId, gap: Gap, held: HeldAnswer) {
        let at = Instant::now();
        let (enter, keys) = gap.into_parts();
        let HeldAnswer { reply, form } = held;
        let answer = self.write(id, enter).map_err(unsubmitted).map(|()| {
            let submission = self.submitted(id, at);
            self.written(id, Some(submission), form)
        });
        if !keys.is_empty() && self.type_input(id, keys).is_err() {
            tracing::debug!(
                pane = id.0,
                "keys held back during a prompt could not be sent"
            );
        }
        reply.send(answer);
    }

    fn write(&self, id: PaneId, bytes: Vec<u8>) -> Result<(), ApiError> {
        let (_, _, terminal) = self.living(id)?;
        terminal.write(bytes).map_err(|error| match error {
            WriteError::Full => in_progress(id, "the program does not read its input"),
            WriteError::Closed => self.pane_over(id),
        })
    }

    pub(super) fn pane_send_key(&mut self, params: &PaneSendKeyParams) -> Answer {
        let (id, terminal) = self.writable(params.window_id, params.pane_id)?;
        let at = Instant::now();
        let modes = terminal.modes();
        let key = terminal_key(params.key);
        let once = keys::encode_key(&key, modifiers(params.modifiers()), &modes)
            .ok_or_else(|| unencodable(&params.key.to_string()))?;
        let repeat = params.repeat();
        let bytes = once.repeat(usize::try_from(repeat).unwrap_or(1));
        let bytes_sent = bytes.len();
        self.write(id, bytes)?;
        self.took_input(id, at, is_interrupt(params));
        let (pane_id, key) = (id.0, params.key);
        Ok(self.done(Action::Key {
            window_id: WINDOW_ID,
            pane_id,
            key,
            repeat,
            bytes_sent,
        }))
    }
}

/// Who takes what is written: the shell of the pane, or what runs in front of it.
fn reader(terminal: &Terminal) -> Reader {
    match (terminal.foreground_group(), terminal.root_pid()) {
        (Some(group), Some(root)) if group != root => Reader::Program,
        _ => Reader::Shell,
    }
}

/// The bytes of Enter in the keyboard protocol of the pane, if it is wanted.
fn enter(terminal: &Terminal, submit: bool) -> Result<Option<Vec<u8>>, ApiError> {
    if !submit {
        return Ok(None);
    }
    let bytes = keys::encode_key(&keys::Key::Enter, Modifiers::default(), &terminal.modes());
    bytes.map(Some).ok_or_else(|| unencodable("enter"))
}

fn is_interrupt(params: &PaneSendKeyParams) -> bool {
    let with = params.modifiers();
    match params.key {
        protocol::Key::Escape => !with.alt() && !with.control(),
        protocol::Key::Letter('c') => with.control() && !with.alt(),
        _ => false,
    }
}

fn modifiers(held: KeyModifiers) -> Modifiers {
    Modifiers {
        shift: held.shift(),
        alt: held.alt(),
        control: held.control(),
    }
}

fn terminal_key(key: protocol::Key) -> keys::Key {
    use protocol::Key;
    match key {
        Key::Escape => keys::Key::Escape,
        Key::Enter => keys::Key::Enter,
        Key::Tab => keys::Key::Tab,
        Key::Backspace => keys::Key::Backspace,
        Key::Up => keys::Key::Up,
        Key::Down => keys::Key::Down,
        Key::Left => keys::Key::Left,
        Key::Right => keys::Key::Right,
        Key::Home => keys::Key::Home,
        Key::End => keys::Key::End,
        Key::Insert => keys::Key::Insert,
        Key::Delete => keys::Key::Delete,
        Key::PageUp => keys::Key::PageUp,
        Key::PageDown => keys::Key::PageDown,
        Key::Function(number) => keys::Key::Function(number),
        Key::Letter(letter) => keys::Key::Character(letter),
    }
}

fn unencodable(key: &str) -> ApiError {
    ApiError::new(
        ErrorCode::InputEncodingUnavailable,
        format!("the program in this pane cannot be sent {key} now"),
        json!({ "key": key }),
    )
}

fn in_progress(pane: PaneId, reason: &str) -> ApiError {
    let message = format!("pane {pane} takes no input now: {reason}; try again");
    ApiError::with_reason(ErrorCode::InputInProgress, message, reason)
}
