//! Parameters of the methods that type into, read and watch a pane.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Check;
use crate::check;
use crate::error::ApiError;
use crate::key::{Key, KeyModifiers};
use crate::limits;
use crate::read::{ReadFormat, ReadSource};
use crate::wait::{StateSet, WaitState};

/// The wait part of `pane.prompt`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitCondition {
    /// One state that ends the wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<WaitState>,
    /// States that end the wait; excludes `state`. Default `settled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 6))]
    pub states: Option<Vec<WaitState>>,
    /// Deadline in milliseconds. Default 600000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400_000))]
    pub timeout_ms: Option<u64>,
}

impl WaitCondition {
    /// The states that end the wait.
    ///
    /// # Errors
    /// `invalid_params`, see [`StateSet::from_params`].
    pub fn state_set(&self) -> Result<StateSet, ApiError> {
        StateSet::from_params("wait.", self.state, self.states.as_deref())
    }

    /// Deadline in milliseconds.
    pub fn timeout_ms(&self) -> u64 {
        self.timeout_ms.unwrap_or(limits::WAIT_MS_DEFAULT)
    }

    fn check(&self) -> Result<(), ApiError> {
        self.state_set()?;
        check::range("wait.timeout_ms", self.timeout_ms(), 1, limits::WAIT_MS)
    }
}

/// Parameters of `pane.prompt`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PanePromptParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane.
    #[schemars(range(min = 1))]
    pub pane_id: u64,
    /// 1 to 32768 bytes without any control character.
    #[schemars(length(min = 1, max = 32768))]
    pub text: String,
    /// Whether Enter follows. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submit: Option<bool>,
    /// Answer only when the pane reached one of these states after the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitCondition>,
}

impl Check for PanePromptParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::pane_id(self.pane_id)?;
        check::text(&self.text, &[])?;
        self.check_wait()
    }
}

impl PanePromptParams {
    /// Whether Enter follows the text.
    pub fn submit(&self) -> bool {
        self.submit.unwrap_or(true)
    }

    fn check_wait(&self) -> Result<(), ApiError> {
        match &self.wait {
            Some(_) if !self.submit() => {
                Err(ApiError::invalid_params("wait", "needs submit to be true"))
            }
            Some(wait) => wait.check(),
            None => Ok(()),
        }
    }
}

/// Parameters of `pane.paste`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PanePasteParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane.
    #[schemars(range(min = 1))]
    pub pane_id: u64,
    /// 1 to 32768 bytes; of the control characters only newline, carriage return and tab.
    #[schemars(length(min = 1, max = 32768))]
    pub text: String,
    /// Whether Enter follows. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submit: Option<bool>,
}

impl Check for PanePasteParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::pane_id(self.pane_id)?;
        check::text(&self.text, &['\n', '\r', '\t'])
    }
}

impl PanePasteParams {
    /// Whether Enter follows the text.
    pub fn submit(&self) -> bool {
        self.submit.unwrap_or(true)
    }
}

/// Parameters of `pane.send_key`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneSendKeyParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane.
    #[schemars(range(min = 1))]
    pub pane_id: u64,
    /// The key; letters need `modifiers.control`.
    pub key: Key,
    /// Modifiers held with it. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modifiers: Option<KeyModifiers>,
    /// How often. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub repeat: Option<u32>,
}

impl Check for PaneSendKeyParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::pane_id(self.pane_id)?;
        check::range("repeat", self.repeat(), 1, limits::KEY_REPEAT)?;
        self.check_letter()
    }
}

impl PaneSendKeyParams {
    /// Modifiers held with the key.
    pub fn modifiers(&self) -> KeyModifiers {
        self.modifiers.unwrap_or_default()
    }

    /// How often the key is sent.
    pub fn repeat(&self) -> u32 {
        self.repeat.unwrap_or(1)
    }

    fn check_letter(&self) -> Result<(), ApiError> {
        if matches!(self.key, Key::Letter(_)) && !self.modifiers().control() {
            return Err(ApiError::invalid_params(
                "key",
                "needs modifiers.control for a letter",
            ));
        }
        Ok(())
    }
}

/// Parameters of `pane.procs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneProcsParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane.
    #[schemars(range(min = 1))]
    pub pane_id: u64,
}

impl Check for PaneProcsParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::pane_id(self.pane_id)
    }
}

/// Parameters of `pane.read`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneReadParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane.
    #[schemars(range(min = 1))]
    pub pane_id: u64,
    /// Terminal rows from the bottom. Default 120.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2000))]
    pub lines: Option<u32>,
    /// Whether to add the visible cells. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<bool>,
    /// What to read. Default `recent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ReadSource>,
    /// How to write it. Default `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ReadFormat>,
}

impl Check for PaneReadParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::pane_id(self.pane_id)?;
        check::range("lines", self.lines(), 1, limits::READ_LINES)
    }
}

impl PaneReadParams {
    /// Terminal rows from the bottom.
    pub fn lines(&self) -> u32 {
        self.lines.unwrap_or(limits::READ_LINES_DEFAULT)
    }

    /// Whether the visible cells are wanted.
    pub fn screen(&self) -> bool {
        self.screen.unwrap_or(false)
    }

    /// What to read.
    pub fn source(&self) -> ReadSource {
        self.source.unwrap_or_default()
    }

    /// How to write it.
    pub fn format(&self) -> ReadFormat {
        self.format.unwrap_or_default()
    }
}

/// Parameters of `pane.wait`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneWaitParams {
    /// Window; the only one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<u64>,
    /// The pane.
    #[schemars(range(min = 1))]
    pub pane_id: u64,
    /// One state that ends the wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<WaitState>,
    /// States that end the wait; excludes `state`. Default `settled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 6))]
    pub states: Option<Vec<WaitState>>,
    /// Deadline in milliseconds. Default 600000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400_000))]
    pub timeout_ms: Option<u64>,
    /// Accept only states with a later sequence; 0 is no baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<u64>,
    /// End with an error when the occupant of the pane is or becomes another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub occupant_seq: Option<u64>,
}

impl Check for PaneWaitParams {
    fn check(&self) -> Result<(), ApiError> {
        check::window_id(self.window_id)?;
        check::pane_id(self.pane_id)?;
        self.state_set()?;
        self.check_baselines()?;
        check::range("timeout_ms", self.timeout_ms(), 1, limits::WAIT_MS)
    }
}

impl PaneWaitParams {
    /// The states that end the wait.
    ///
    /// # Errors
    /// `invalid_params`, see [`StateSet::from_params`].
    pub fn state_set(&self) -> Result<StateSet, ApiError> {
        StateSet::from_params("", self.state, self.states.as_deref())
    }

    /// Deadline in milliseconds.
    pub fn timeout_ms(&self) -> u64 {
        self.timeout_ms.unwrap_or(limits::WAIT_MS_DEFAULT)
    }

    /// The sequence that a state must exceed; none when absent, null or 0.
    pub fn baseline(&self) -> Option<u64> {
        self.after_seq.filter(|seq| *seq > 0)
    }

    fn check_baselines(&self) -> Result<(), ApiError> {
        if let Some(seq) = self.after_seq {
            check::below_end("after_seq", seq)?;
        }
        match self.occupant_seq {
            Some(0) => Err(ApiError::invalid_params(
                "occupant_seq",
                "must be at least 1",
            )),
            Some(seq) => check::below_end("occupant_seq", seq),
            None => Ok(()),
        }
    }
}
