//! Wait sets: the states that end a wait.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::limits;
use crate::snapshot::TaskState;

/// An entry of a wait set: a task state, or `settled` for every state except `running`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitState {
    /// [`TaskState::Idle`].
    Idle,
    /// [`TaskState::Running`].
    Running,
    /// [`TaskState::WaitingInput`].
    WaitingInput,
    /// [`TaskState::Attention`].
    Attention,
    /// [`TaskState::Finished`].
    Finished,
    /// [`TaskState::Failed`].
    Failed,
    /// Every state except `running`.
    Settled,
}

impl WaitState {
    /// Every entry, `settled` last.
    pub const ALL: [Self; 7] = [
        Self::Idle,
        Self::Running,
        Self::WaitingInput,
        Self::Attention,
        Self::Finished,
        Self::Failed,
        Self::Settled,
    ];

    /// The entry as it is written on the wire.
    pub fn as_str(self) -> &'static str {
        self.literal().map_or("settled", TaskState::as_str)
    }

    /// The one state that the entry names; none for `settled`.
    pub fn literal(self) -> Option<TaskState> {
        match self {
            Self::Idle => Some(TaskState::Idle),
            Self::Running => Some(TaskState::Running),
            Self::WaitingInput => Some(TaskState::WaitingInput),
            Self::Attention => Some(TaskState::Attention),
            Self::Finished => Some(TaskState::Finished),
            Self::Failed => Some(TaskState::Failed),
            Self::Settled => None,
        }
    }
}

/// A non-empty set of distinct entries, at most [`limits::WAIT_STATES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSet(Vec<WaitState>);

impl StateSet {
    /// The set that is meant when a request names none.
    pub fn settled() -> Self {
        Self(vec![WaitState::Settled])
    }

    /// The set of a request with the members `state` and `states`.
    ///
    /// # Errors
    /// `invalid_params` when both are given, or when `states` is empty, too long or repeats itself. `prefix` stands before the member in the error, such as
    /// `wait.`.
    pub fn from_params(
        prefix: &str,
        state: Option<WaitState>,
        states: Option<&[WaitState]>,
    ) -> Result<Self, ApiError> {
        let field = format!("{prefix}states");
        match (state, states) {
            (Some(_), Some(_)) => Err(ApiError::invalid_params(
                &field,
                "and state exclude each other",
            )),
            (Some(state), None) => Ok(Self(vec![state])),
            (None, None) => Ok(Self::settled()),
            (None, Some(states)) => {
                let distinct = states
                    .iter()
                    .enumerate()
                    .all(|(at, state)| states.iter().skip(at + 1).all(|other| other != state));
                if states.is_empty() || states.len() > limits::WAIT_STATES || !distinct {
                    let reason = format!("must hold 1 to {} distinct entries", limits::WAIT_STATES);
                    return Err(ApiError::invalid_params(&field, reason));
                }
                Ok(Self(states.to_vec()))
            }
        }
    }

    /// Whether the state ends the wait.
    pub fn contains(&self, state: TaskState) -> bool {
        self.names(state) || (state != TaskState::Running && self.0.contains(&WaitState::Settled))
    }

    /// Whether the set names the state itself, not through `settled`.
    pub fn names(&self, state: TaskState) -> bool {
        self.0.iter().any(|entry| entry.literal() == Some(state))
    }

    /// The entries in the order of the request.
    pub fn entries(&self) -> &[WaitState] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settled_is_everything_but_running() {
        let set = StateSet::settled();
        for state in TaskState::ALL {
            assert_eq!(
                set.contains(state),
                state != TaskState::Running,
                "{state:?}"
            );
            assert!(!set.names(state));
        }
    }

    #[test]
    fn literal_entries_are_named() {
        let states = [WaitState::Failed, WaitState::Settled];
        let set = StateSet::from_params("", None, Some(&states)).unwrap();
        assert!(set.names(TaskState::Failed));
        assert!(!set.names(TaskState::Idle));
        assert!(set.contains(TaskState::Idle));
    }

    #[test]
    fn bad_sets_are_refused() {
        let twice = [WaitState::Idle, WaitState::Idle];
        for states in [&[][..], &twice[..], &WaitState::ALL[..]] {
            let error = StateSet::from_params("wait.", None, Some(states)).unwrap_err();
            assert_eq!(error.details["field"], "wait.states");
        }
        let both = StateSet::from_params("", Some(WaitState::Idle), Some(&[WaitState::Idle]));
        assert!(both.is_err());
    }

    #[test]
    fn as_str_agrees_with_serde() {
        for state in WaitState::ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
        for state in TaskState::ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
    }
}
