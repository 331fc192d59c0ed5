//! Waiting for a task state (section 7).
//!
//! A wait is registered in the hub and looked at inside every publication, on the thread that
//! publishes, so no publication can slip by between two looks. The first look is at the current
//! snapshot, under the same lock that registers the wait. A wait ends in one of these ways: a
//! match, the end of the pane, a changed occupant, the caller's deadline (which drops the ticket),
//! or the shutdown of the hub.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_channel::{Receiver, Sender};
use protocol::{
    ApiError, ErrorCode, Lifecycle, LifecycleEvent, Pane, PaneRef, Snapshot, StateSet, TaskState,
};
use serde_json::{Value, json};

use crate::hub::Shared;
use crate::lifecycle::Lifecycles;

/// What to wait for.
#[derive(Clone, Debug)]
pub struct WaitSpec {
    /// The pane.
    pub target: PaneRef,
    /// The states that end the wait.
    pub states: StateSet,
    /// Only observations with a greater `state_change_seq` count (7.2). `None` and 0 accept the
    /// current state.
    pub after_seq: Option<u64>,
    /// The `occupant_seq` that has to stay (7.6). A prompt to a shell passes `None`: programs
    /// started by that shell, agents too, are no change, and its end is the end of the root
    /// process.
    pub pin: Option<u64>,
}

/// A successful observation.
#[derive(Clone, Debug)]
pub struct WaitMatch {
    /// The snapshot that matched.
    pub snapshot: Arc<Snapshot>,
    /// The state of the pane in it.
    pub state: TaskState,
    /// Its sequence number.
    pub state_change_seq: u64,
}

pub(crate) type WaitResult = Result<WaitMatch, ApiError>;

/// A registered wait. Guarded by the hub's lock.
#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) spec: WaitSpec,
    /// Kind of the agent at the start, for the errors about it.
    agent_kind: Option<String>,
    done: Sender<WaitResult>,
}

impl Waiter {
    /// A wait and where its result arrives.
    pub(crate) fn new(spec: WaitSpec, snapshot: Option<&Snapshot>) -> (Self, Receiver<WaitResult>) {
        let agent_kind = snapshot
            .and_then(|snapshot| snapshot.pane(spec.target))
            .and_then(|pane| pane.agent.as_ref())
            .map(|agent| agent.kind.clone());
        let (done, result) = async_channel::bounded(1);
        (
            Self {
                spec,
                agent_kind,
                done,
            },
            result,
        )
    }

    /// The first look, which knows about panes that never existed (7.4).
    pub(crate) fn start(
        &self,
        snapshot: Option<&Arc<Snapshot>>,
        lifecycles: &Lifecycles,
    ) -> Option<WaitResult> {
        let target = self.spec.target;
        let present = snapshot.filter(|snapshot| snapshot.pane(target).is_some());
        match present {
            Some(snapshot) => self.observe(snapshot, lifecycles),
            None => Some(Err(match lifecycles.of(target) {
                Some(record) => gone(target, Some(record)),
                None => not_found(target),
            })),
        }
    }

    /// One observation; the order of the checks is that of 7.3.
    pub(crate) fn observe(
        &self,
        snapshot: &Arc<Snapshot>,
        lifecycles: &Lifecycles,
    ) -> Option<WaitResult> {
        let target = self.spec.target;
        let Some(pane) = snapshot.pane(target) else {
            return Some(Err(gone(target, lifecycles.of(target))));
        };
        let later = pane.state_change_seq > self.spec.after_seq.unwrap_or(0);
        if let Some(record) = lifecycles.exit_of(target) {
            return Some(if later && self.spec.states.names(pane.task_state) {
                Ok(matching(snapshot, pane))
            } else {
                Err(exited(record, pane.task_state))
            });
        }
        if self.spec.pin.is_some_and(|pin| pane.occupant_seq != pin) {
            return Some(Err(self.occupant_changed(pane)));
        }
        let matches = later && self.spec.states.contains(pane.task_state);
        matches.then(|| Ok(matching(snapshot, pane)))
    }

    /// Hands the result over. Never blocks: there is one result and room for one.
    pub(crate) fn finish(self, result: WaitResult) {
        // The ticket may be gone; then nobody wants to know.
        self.done.try_send(result).ok();
    }

    fn occupant_changed(&self, pane: &Pane) -> ApiError {
        let (code, message) = match pane.agent {
            Some(_) => (
                ErrorCode::AgentReplaced,
                "another agent runs in this pane now",
            ),
            None => (
                ErrorCode::AgentExited,
                "the program that was waited for has ended",
            ),
        };
        ApiError::new(
            code,
            format!("pane {}: {message}", pane.id),
            json!({"kind": self.agent_kind, "task_state": pane.task_state}),
        )
    }
}

fn matching(snapshot: &Arc<Snapshot>, pane: &Pane) -> WaitMatch {
    WaitMatch {
        snapshot: Arc::clone(snapshot),
        state: pane.task_state,
        state_change_seq: pane.state_change_seq,
    }
}

fn not_found(target: PaneRef) -> ApiError {
    ApiError::new(
        ErrorCode::TargetNotFound,
        format!("no pane {} in window {}", target.pane_id, target.window_id),
        target_details(target),
    )
}

pub(crate) fn gone(target: PaneRef, record: Option<&Lifecycle>) -> ApiError {
    let details = record.map_or_else(|| target_details(target), |record| json!(record));
    match record.map(|record| record.event) {
        Some(LifecycleEvent::Exited) => ApiError::new(
            ErrorCode::PaneExited,
            format!("the root process of pane {} has ended", target.pane_id),
            details,
        ),
        Some(LifecycleEvent::Closed) | None => ApiError::new(
            ErrorCode::PaneClosed,
            format!("pane {} was closed", target.pane_id),
            details,
        ),
    }
}

pub(crate) fn exited(record: &Lifecycle, state: TaskState) -> ApiError {
    ApiError::new(
        ErrorCode::PaneExited,
        format!("the root process of pane {} has ended", record.pane_id),
        json!(record),
    )
    .with_detail("task_state", state.as_str())
}

fn target_details(target: PaneRef) -> Value {
    json!({"window_id": target.window_id, "pane_id": target.pane_id})
}

/// The caller's end of a wait. Dropping it ends the wait.
#[derive(Debug)]
pub struct WaitTicket {
    shared: Arc<Shared>,
    id: u64,
    spec: WaitSpec,
    started: Instant,
    result: Receiver<WaitResult>,
}

impl WaitTicket {
    pub(crate) fn new(
        shared: Arc<Shared>,
        id: u64,
        spec: WaitSpec,
        result: Receiver<WaitResult>,
    ) -> Self {
        Self {
            shared,
            id,
            spec,
            started: Instant::now(),
            result,
        }
    }

    /// What is waited for.
    #[must_use]
    pub fn spec(&self) -> &WaitSpec {
        &self.spec
    }

    /// The time since the wait was registered.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns when the wait is over. The result is handed out once. Dropping the future loses
    /// nothing.
    ///
    /// There is no deadline in here. Whoever has a clock answers [`Self::timeout_error`] when it is
    /// reached and drops the ticket.
    ///
    /// # Errors
    ///
    /// `target_not_found`, `pane_closed`, `pane_exited`, `agent_exited` or `agent_replaced` as in
    /// section 7; `runtime_unavailable` when the hub was shut down.
    pub async fn outcome(&self) -> Result<WaitMatch, ApiError> {
        match self.result.recv().await {
            Ok(result) => result,
            Err(_) => Err(ApiError::unavailable(
                "the workspace ended during the wait",
                "shutdown",
            )),
        }
    }

    /// The result if the wait is over already and it was not handed out yet.
    #[must_use]
    pub fn try_outcome(&self) -> Option<Result<WaitMatch, ApiError>> {
        self.result.try_recv().ok()
    }

    /// The error of a deadline that was reached now, with what is observed now (7.5).
    #[must_use]
    pub fn timeout_error(&self) -> ApiError {
        let (target, snapshot) = self.shared.observe(self.id, self.spec.target);
        let pane = snapshot
            .as_deref()
            .and_then(|snapshot| snapshot.pane(target));
        ApiError::new(
            ErrorCode::Timeout,
            format!("pane {} did not reach the state in time", target.pane_id),
            json!({
                "window_id": target.window_id,
                "pane_id": target.pane_id,
                "after_seq": self.spec.after_seq,
                "observed_state_change_seq": pane.map(|pane| pane.state_change_seq),
                "observed_state": pane.map(|pane| pane.task_state),
                "states": self.spec.states.entries(),
            }),
        )
    }
}

impl Drop for WaitTicket {
    fn drop(&mut self) {
        self.shared.forget_wait(self.id);
    }
}

#[cfg(test)]
mod tests;
