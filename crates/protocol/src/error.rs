//! Errors of the control API: a closed set of codes, a sentence for people, and details for programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::snapshot::PaneRef;

/// What went wrong. Programs branch on this code and on nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The envelope or the JSON is wrong; details `reason`.
    InvalidRequest,
    /// A parameter has a wrong type, range or content, or is not known; details `field`, `reason`.
    InvalidParams,
    /// No such method; details `method`.
    MethodNotFound,
    /// The line is longer than the limit; details `limit`.
    RequestTooLarge,
    /// Another protocol or version; details `supported_versions`.
    ProtocolVersionMismatch,
    /// The token's scope does not allow the method; details `scope`, `method`.
    PermissionDenied,
    /// No such window, tab or pane; details are the ids given.
    TargetNotFound,
    /// Several windows hold the pane id; details `pane_id`, `window_ids`.
    AmbiguousTarget,
    /// Not possible for this tab or pane now; details `reason`.
    InvalidState,
    /// It would end a busy pane; details `busy`.
    ConfirmationRequired,
    /// A window, shell or pane could not be created; details `reason`.
    ActionFailed,
    /// No shell with this id; details `shell`.
    InvalidShell,
    /// The SSH connection of the pane is not ready; details `stage`, `reason`.
    SshNotReady,
    /// Nobody can carry out this action now; details `reason`.
    RuntimeUnavailable,
    /// The workspace did not answer in time; details `method`.
    RuntimeTimeout,
    /// The result could not be encoded.
    SerializationFailed,
    /// The deadline of a wait passed.
    Timeout,
    /// The pane was closed; details are its lifecycle record.
    PaneClosed,
    /// The root process of the pane ended; details are its lifecycle record.
    PaneExited,
    /// The subscriber did not read; details `last_revision`.
    SlowConsumer,
    /// The pane has no command marks; details `reason`.
    OutputUnavailable,
    /// Another input is being written to the pane; details `reason`.
    InputInProgress,
    /// The key cannot be encoded in the pane's current mode; details `key`.
    InputEncodingUnavailable,
    /// The processes of the pane could not be listed; details `reason`.
    ProcessQueryFailed,
    /// The program that a wait was pinned to ended; details `kind`, `task_state`.
    AgentExited,
    /// Another program took the place of the one that a wait was pinned to; details `kind`, `task_state`.
    AgentReplaced,
    /// Command line only: the server answered nothing usable in time.
    RuntimeNoResponse,
    /// Command line only: the answer is not a response of this protocol.
    InvalidRuntimeResponse,
    /// Command line only: the connection failed before the request was written.
    CliTransportError,
    /// Command line only: the connection failed after an action was written; it may have been carried out.
    SubmissionOutcomeUnknown,
}

impl ErrorCode {
    /// The code as it is written on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidParams => "invalid_params",
            Self::MethodNotFound => "method_not_found",
            Self::RequestTooLarge => "request_too_large",
            Self::ProtocolVersionMismatch => "protocol_version_mismatch",
            Self::PermissionDenied => "permission_denied",
            Self::TargetNotFound => "target_not_found",
            Self::AmbiguousTarget => "ambiguous_target",
            Self::InvalidState => "invalid_state",
            Self::ConfirmationRequired => "confirmation_required",
            Self::ActionFailed => "action_failed",
            Self::InvalidShell => "invalid_shell",
            Self::SshNotReady => "ssh_not_ready",
            Self::RuntimeUnavailable => "runtime_unavailable",
            Self::RuntimeTimeout => "runtime_timeout",
            Self::SerializationFailed => "serialization_failed",
            Self::Timeout => "timeout",
            Self::PaneClosed => "pane_closed",
            Self::PaneExited => "pane_exited",
            Self::SlowConsumer => "slow_consumer",
            Self::OutputUnavailable => "output_unavailable",
            Self::InputInProgress => "input_in_progress",
            Self::InputEncodingUnavailable => "input_encoding_unavailable",
            Self::ProcessQueryFailed => "process_query_failed",
            Self::AgentExited => "agent_exited",
            Self::AgentReplaced => "agent_replaced",
            Self::RuntimeNoResponse => "runtime_no_response",
            Self::InvalidRuntimeResponse => "invalid_runtime_response",
            Self::CliTransportError => "cli_transport_error",
            Self::SubmissionOutcomeUnknown => "submission_outcome_unknown",
        }
    }
}

/// The `error` member of a response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// What went wrong, for programs.
    pub code: ErrorCode,
    /// What went wrong, in one English line, for people.
    pub message: String,
    /// What the code's row in the documentation promises; absent when it promises nothing.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// Characters of a name given by a peer that an error repeats.
pub(crate) const MAX_NAME: usize = 80;
/// Characters of a reason, which can repeat what a peer gave.
const MAX_REASON: usize = 400;

/// What a message repeats of a text that came from a peer: no more than a line holds.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .take(most)
        .collect()
}

impl ApiError {
    /// An error with the given details.
    pub fn new(code: ErrorCode, message: impl Into<String>, details: Value) -> Self {
        Self {
            code,
            message: message.into(),
            details,
        }
    }

    /// An error whose details are the reason alone.
    pub fn with_reason(
        code: ErrorCode,
        message: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self::new(code, message, json!({ "reason": reason.into() }))
    }

    /// The envelope is wrong for this reason.
    pub fn invalid_request(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::with_reason(
            ErrorCode::InvalidRequest,
            format!("invalid request: {reason}"),
            reason,
        )
    }

    /// A parameter is wrong for this reason.
    pub fn invalid_params(field: &str, reason: impl Into<String>) -> Self {
        // Names and values of the peer can be part of both.
        let field = one_line(field, MAX_NAME);
        let reason = one_line(&reason.into(), MAX_REASON);
        Self::new(
            ErrorCode::InvalidParams,
            format!("{field} {reason}"),
            json!({ "field": field, "reason": reason }),
        )
    }

    /// No method has this name.
    pub fn method_not_found(method: &str) -> Self {
        let shown = one_line(method, MAX_NAME);
        Self::new(
            ErrorCode::MethodNotFound,
            format!("no method {shown}"),
            json!({ "method": shown }),
        )
    }

    /// The target does not exist; `details` are the ids given.
    pub fn target_not_found(message: impl Into<String>, details: Value) -> Self {
        Self::new(ErrorCode::TargetNotFound, message, details)
    }

    /// No pane has this id.
    pub fn no_pane(pane_id: u64) -> Self {
        Self::target_not_found(format!("no pane {pane_id}"), json!({ "pane_id": pane_id }))
    }

    /// The request does not fit the state of its target.
    pub fn invalid_state(message: impl Into<String>, reason: &str) -> Self {
        Self::with_reason(ErrorCode::InvalidState, message, reason)
    }

    /// Nobody can carry out the request.
    pub fn unavailable(message: impl Into<String>, reason: &str) -> Self {
        Self::with_reason(ErrorCode::RuntimeUnavailable, message, reason)
    }

    /// The root process of the pane has ended.
    pub fn pane_exited(pane: PaneRef) -> Self {
        Self::new(
            ErrorCode::PaneExited,
            format!("the process of pane {} has ended", pane.pane_id),
            json!({ "window_id": pane.window_id, "pane_id": pane.pane_id }),
        )
    }

    /// The result could not be written as JSON.
    pub fn serialization_failed() -> Self {
        Self::new(
            ErrorCode::SerializationFailed,
            "the result could not be encoded",
            Value::Null,
        )
    }

    /// The same error with one more member in its details.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        if !self.details.is_object() {
            self.details = json!({});
        }
        if let Some(details) = self.details.as_object_mut() {
            details.insert(name.to_owned(), value.into());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_str_agrees_with_serde() {
        let text = serde_json::to_string(&ErrorCode::ProtocolVersionMismatch).unwrap();
        assert_eq!(text, "\"protocol_version_mismatch\"");
        let schema = schemars::schema_for!(ErrorCode);
        let names: Vec<String> = schema.as_value()["oneOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["const"].as_str().unwrap().to_owned())
            .collect();
        for name in names {
            let code: ErrorCode = serde_json::from_value(Value::String(name.clone())).unwrap();
            assert_eq!(code.as_str(), name);
        }
    }

    #[test]
    fn details_are_absent_when_there_are_none() {
        let text = serde_json::to_string(&ApiError::serialization_failed()).unwrap();
        assert!(!text.contains("details"), "{text}");
    }

    #[test]
    fn a_hostile_method_name_is_cut() {
        let error = ApiError::method_not_found(&"x\n".repeat(10_000));
        assert_eq!(error.details["method"].as_str().unwrap(), "x".repeat(80));
    }
}
