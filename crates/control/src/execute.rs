//! Carrying out one call: over the command queue to the owner of the workspace, then whatever the
//! outcome still asks for (waiting, slow reading), and the encoded result.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_lite::future;
use protocol::{
    Action, ApiError, Call, ErrorCode, IdentifyResult, Method, Snapshot, TokenKind, WaitReport,
};
use runtime::{Closing, Command, Identity, Origin, Outcome, Submission, WaitMatch, WaitTicket};
use serde::Serialize;
use serde_json::json;
use smol::{Async, Timer};
use socket2::SockRef;

use crate::lines;
use crate::request::Accepted;
use crate::server::Shared;
use crate::wire;

/// Why a call has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It is answered with this error.
    Api(ApiError),
    /// The client went away during a wait.
    ClientGone,
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

/// Held until the answer was written; see [`Closing`].
#[derive(Debug, Default)]
pub(crate) struct Ended {
    _closing: Option<Closing>,
}

/// Executes a call and appends its success line to `output`.
pub(crate) async fn run(
    request: Accepted,
    stream: &Async<TcpStream>,
    shared: &Shared,
    output: &mut Vec<u8>,
) -> Result<Ended, Failure> {
    let Accepted {
        origin,
        scope,
        id,
        call,
    } = request;
    let method = call.method();
    if method == Method::RuntimeDescribe {
        // Answered here, so that it works while the workspace is busy.
        wire::success(output, &id, &shared.describe);
        return Ok(Ended::default());
    }
    let accepted = Instant::now();
    let patience = wait_limit(&call);
    let outcome = dispatch(shared, call, origin, method).await?;
    let waiting = Waiting {
        stream,
        deadline: accepted + patience,
        shared,
    };
    match outcome {
        Outcome::Snapshot(snapshot) => snapshot_result(shared, output, &id, &snapshot)?,
        Outcome::Mutation { action, snapshot } => {
            mutation(shared, output, &id, &action, None, &snapshot)?;
        }
        Outcome::Prompted {
            action,
            snapshot,
            wait: None,
            ..
        } => {
            mutation(shared, output, &id, &action, None, &snapshot)?;
        }
        Outcome::Prompted {
            action,
            wait: Some(ticket),
            submission,
            ..
        } => {
            let (report, snapshot) = waiting.prompted(&ticket, &submission).await?;
            mutation(shared, output, &id, &action, Some(&report), &snapshot)?;
        }
        Outcome::Waiting(ticket) => {
            let found = waiting.until(&ticket).await?;
            snapshot_result(shared, output, &id, &found.snapshot)?;
        }
        Outcome::Agents { revision, agents } => {
            encoded(output, &id, &protocol::AgentsResult { revision, agents })?;
        }
        Outcome::Identity(identity) => {
            encoded(output, &id, &identify(identity, origin, scope, shared))?;
        }
        Outcome::Job(job) => {
            let deadline = Instant::now() + shared.deadlines.dispatch;
            let Some(result) = lines::within(deadline, smol::unblock(job)).await else {
                return Err(timed_out(method, shared.deadlines.dispatch).into());
            };
            encoded(output, &id, &result?)?;
        }
        Outcome::Closing {
            action,
            snapshot,
            closing,
        } => {
            mutation(shared, output, &id, &action, None, &snapshot)?;
            return Ok(Ended {
                _closing: Some(closing),
            });
        }
        Outcome::Attached => {
            let message = "the workspace answered another question";
            return Err(ApiError::unavailable(message, "unexpected_outcome").into());
        }
    }
    Ok(Ended::default())
}

async fn dispatch(
    shared: &Shared,
    call: Call,
    origin: Origin,
    method: Method,
) -> Result<Outcome, ApiError> {
    let deadline = Instant::now() + shared.deadlines.dispatch;
    let command = Command::Call { call, origin };
    match lines::within(deadline, shared.commands.dispatch(command)).await {
        Some(outcome) => outcome,
        None => Err(timed_out(method, shared.deadlines.dispatch)),
    }
}

fn timed_out(method: Method, limit: Duration) -> ApiError {
    tracing::warn!(
        method = method.as_str(),
        "the workspace did not answer in time"
    );
    ApiError::new(
        ErrorCode::RuntimeTimeout,
        format!(
            "the workspace did not answer within {} ms",
            limit.as_millis()
        ),
        json!({"method": method.as_str()}),
    )
}

/// How long a call may wait for a state, from the moment it was accepted.
fn wait_limit(call: &Call) -> Duration {
    Duration::from_millis(match call {
        Call::PaneWait(params) => params.timeout_ms(),
        Call::PanePrompt(params) => params.wait.as_ref().map_or(0, |wait| wait.timeout_ms()),
        _ => 0,
    })
}

/// A connection that waits for a state of a pane.
struct Waiting<'a> {
    stream: &'a Async<TcpStream>,
    deadline: Instant,
    shared: &'a Shared,
}

/// How a wait went on.
enum Turn {
    Over(Result<WaitMatch, ApiError>),
    Deadline,
    Gone,
}

impl Waiting<'_> {
    /// Waits until the ticket is served, its deadline passed, or the client or the server is gone.
    async fn until(&self, ticket: &WaitTicket) -> Result<WaitMatch, Failure> {
        let served = async { Turn::Over(ticket.outcome().await) };
        let deadline = async {
            Timer::at(self.deadline).await;
            Turn::Deadline
        };
        let gone = async {
            future::or(self.client_gone(), self.shared.stopped()).await;
            Turn::Gone
        };
        // `or` looks from left to right: a state that was reached wins over a deadline that passed
        // at the same moment.
        match future::or(served, future::or(deadline, gone)).await {
            Turn::Over(result) => Ok(result?),
            Turn::Deadline => Err(ticket.timeout_error().into()),
            Turn::Gone => Err(Failure::ClientGone),
        }
    }

    /// The wait of a prompt: its report, or an error that says that the text was delivered.
    async fn prompted(
        &self,
        ticket: &WaitTicket,
        submission: &Submission,
    ) -> Result<(WaitReport, Arc<Snapshot>), Failure> {
        let after_seq = ticket.spec().after_seq;
        match self.until(ticket).await {
            Ok(found) => {
                let report = WaitReport {
                    state: found.state,
                    state_change_seq: found.state_change_seq,
                    after_seq: after_seq.unwrap_or_default(),
                    elapsed_ms: u64::try_from(ticket.elapsed().as_millis()).unwrap_or(u64::MAX),
                    submission: if submission.is_confirmed() {
                        protocol::Submission::Confirmed
                    } else {
                        protocol::Submission::Unconfirmed
                    },
                };
                Ok((report, found.snapshot))
            }
            Err(Failure::Api(error)) => Err(submission.annotate(error, after_seq).into()),
            Err(Failure::ClientGone) => Err(Failure::ClientGone),
        }
    }

    async fn client_gone(&self) {
        loop {
            Timer::after(self.shared.deadlines.peer_check).await;
            let socket = SockRef::from(self.stream.get_ref());
            if !matches!(socket.take_error(), Ok(None)) {
                tracing::debug!("a waiting client is gone");
                return;
            }
        }
    }
}

fn identify(
    identity: Identity,
    origin: Origin,
    scope: protocol::Scope,
    shared: &Shared,
) -> IdentifyResult {
    IdentifyResult {
        token: match origin {
            Origin::Owner => TokenKind::Owner,
            Origin::Pane(_) => TokenKind::Pane,
        },
        scope,
        caller: identity.caller,
        focused: identity.focused,
        process_id: std::process::id(),
        boot_id: shared.hub.boot_id().to_owned(),
    }
}

fn encoded<T: Serialize>(output: &mut Vec<u8>, id: &str, result: &T) -> Result<(), ApiError> {
    let result = serde_json::to_vec(result).map_err(unencoded)?;
    wire::success(output, id, &result);
    Ok(())
}

fn snapshot_result(
    shared: &Shared,
    output: &mut Vec<u8>,
    id: &str,
    snapshot: &Arc<Snapshot>,
) -> Result<(), ApiError> {
    let snapshot = snapshot_bytes(shared, snapshot)?;
    wire::success(output, id, snapshot.as_bytes());
    Ok(())
}

fn mutation(
    shared: &Shared,
    output: &mut Vec<u8>,
    id: &str,
    action: &Action,
    wait: Option<&WaitReport>,
    snapshot: &Arc<Snapshot>,
) -> Result<(), ApiError> {
    let snapshot = snapshot_bytes(shared, snapshot)?;
    let mut result = Vec::with_capacity(snapshot.len() + 256);
    result.extend_from_slice(b"{\"action\":");
    serde_json::to_writer(&mut result, action).map_err(unencoded)?;
    if let Some(wait) = wait {
        result.extend_from_slice(b",\"wait\":");
        serde_json::to_writer(&mut result, wait).map_err(unencoded)?;
    }
    result.extend_from_slice(b",\"snapshot\":");
    result.extend_from_slice(snapshot.as_bytes());
    result.push(b'}');
    wire::success(output, id, &result);
    Ok(())
}

/// The bytes that the hub keeps for its subscribers serve answers, too. An answer that was long on
/// its way may carry a snapshot that the hub has forgotten.
fn snapshot_bytes(shared: &Shared, snapshot: &Arc<Snapshot>) -> Result<Arc<str>, ApiError> {
    match shared.hub.encoded(snapshot) {
        Some(json) => Ok(json),
        None => serde_json::to_string(snapshot)
            .map(Arc::from)
            .map_err(unencoded),
    }
}

fn unencoded(error: serde_json::Error) -> ApiError {
    tracing::error!(%error, "a result could not be encoded");
    ApiError::serialization_failed()
}
