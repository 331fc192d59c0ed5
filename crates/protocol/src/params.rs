//! Parameters of the methods. Every optional member may be absent or null; unknown members are refused.

pub(crate) mod layout;
pub(crate) mod pane;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check;
use crate::error::ApiError;
use crate::limits;

/// Checks what the type alone cannot express.
pub(crate) trait Check {
    /// # Errors
    /// `invalid_params` with the member and the reason.
    fn check(&self) -> Result<(), ApiError>;
}

/// Parameters of a method that takes none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

impl Check for NoParams {
    fn check(&self) -> Result<(), ApiError> {
        Ok(())
    }
}

/// Parameters of `events.subscribe`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubscribeParams {
    /// Last revision that the client knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_revision: Option<u64>,
    /// Whether to send every kept revision after `since_revision`. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<bool>,
    /// Send a heartbeat after this many milliseconds without a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1000, max = 60000))]
    pub heartbeat_ms: Option<u32>,
}

impl Check for SubscribeParams {
    fn check(&self) -> Result<(), ApiError> {
        if let Some(revision) = self.since_revision {
            check::below_end("since_revision", revision)?;
        }
        match self.heartbeat_ms {
            Some(ms) => check::range(
                "heartbeat_ms",
                ms,
                limits::HEARTBEAT_MS_MIN,
                limits::HEARTBEAT_MS_MAX,
            ),
            None => Ok(()),
        }
    }
}

/// Parameters of `agents.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentsListParams {
    /// Only the agents of this window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
}

impl Check for AgentsListParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)
    }
}
