//! The stages of an SSH session as a pure function: `(State, Event) -> (State, Effects)`.
//!
//! `Resolve -> Connect -> Authenticate -> OpenShell -> Ready`, or `Failed` from any of them. Nothing
//! here reads a clock, a socket or a file: the driver of a session feeds events in and carries the
//! effects out, so every path can be tested without a server. Only `Ready` carries bytes.

use std::fmt;
use std::time::Duration;

use crate::limits;

#[cfg(test)]
mod tests;

/// The stages that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StageName {
    /// The configuration is expanded.
    Resolve,
    /// TCP, jump hosts or proxy, key exchange, host key.
    Connect,
    /// The user proves who they are.
    Authenticate,
    /// Channel, PTY and shell.
    OpenShell,
    /// The shell runs.
    Ready,
}

impl StageName {
    /// The name used by the control API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::Connect => "connect",
            Self::Authenticate => "authenticate",
            Self::OpenShell => "open_shell",
            Self::Ready => "ready",
        }
    }
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a remote program ended; both are `None` when the server did not say or the session was
/// closed from this side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// Exit code, 0..=255 by convention.
    pub code: Option<u32>,
    /// Name of the signal that ended it, without `SIG`.
    pub signal: Option<String>,
}

/// Where a session stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The configuration is expanded.
    Resolve,
    /// TCP, jump hosts or proxy, key exchange, host key.
    Connect,
    /// The user proves who they are.
    Authenticate,
    /// Channel, PTY and shell.
    OpenShell,
    /// The shell runs; the only stage that carries bytes.
    Ready,
    /// The connection was lost and is tried again.
    Reconnecting {
        /// Number of the coming try, from 1.
        attempt: u32,
        /// Pause before it.
        next_in: Duration,
    },
    /// A stage failed; the session can be tried again by the user.
    Failed {
        /// The stage that failed.
        stage: StageName,
        /// Why, for the user.
        reason: String,
    },
    /// The session ended in order.
    Closed {
        /// How the remote program ended.
        exit: Exit,
    },
}

impl Stage {
    /// Name of the stage for the control API.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Resolve => StageName::Resolve.as_str(),
            Self::Connect => StageName::Connect.as_str(),
            Self::Authenticate => StageName::Authenticate.as_str(),
            Self::OpenShell => StageName::OpenShell.as_str(),
            Self::Ready => StageName::Ready.as_str(),
            Self::Reconnecting { .. } => "reconnecting",
            Self::Failed { .. } => "failed",
            Self::Closed { .. } => "closed",
        }
    }

    /// Why bytes cannot pass, for `ssh_not_ready`; empty when they can.
    pub fn reason(&self) -> String {
        match self {
            Self::Resolve => "the configuration is being read".to_owned(),
            Self::Connect => "the connection is being made".to_owned(),
            Self::Authenticate => "the user is not authenticated yet".to_owned(),
            Self::OpenShell => "the shell is being started".to_owned(),
            Self::Ready => String::new(),
            Self::Reconnecting { attempt, .. } => {
                format!("the connection was lost; try {attempt} is coming")
            }
            Self::Failed { reason, .. } => reason.clone(),
            Self::Closed { .. } => "the session has ended".to_owned(),
        }
    }

    fn working(&self) -> Option<StageName> {
        match self {
            Self::Resolve => Some(StageName::Resolve),
            Self::Connect => Some(StageName::Connect),
            Self::Authenticate => Some(StageName::Authenticate),
            Self::OpenShell => Some(StageName::OpenShell),
            Self::Ready | Self::Reconnecting { .. } | Self::Failed { .. } | Self::Closed { .. } => {
                None
            }
        }
    }
}

/// The whole state: the stage that everybody sees and what decides the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// What everybody sees.
    pub stage: Stage,
    /// A question waits for the user; the stage's clock stands still.
    pub prompting: bool,
    /// Try again after a loss.
    pub reconnect: bool,
    /// Limit for reaching the server.
    pub connect_limit: Duration,
    /// Tries made since the connection was lost; 0 while it never was.
    pub attempt: u32,
}

impl State {
    /// A session that is about to begin; carry out [`Effect::Resolve`] with the first timer.
    pub fn new(reconnect: bool) -> (Self, Vec<Effect>) {
        let state = Self {
            stage: Stage::Resolve,
            prompting: false,
            reconnect,
            connect_limit: limits::CONNECT,
            attempt: 0,
        };
        (
            state,
            vec![Effect::StartTimer(limits::RESOLVE), Effect::Resolve],
        )
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The configuration is known; `ConnectTimeout` with it.
    Resolved {
        /// Limit of the configuration for reaching the server.
        connect_timeout: Option<Duration>,
    },
    /// A hop is being reached.
    Connecting,
    /// A hop was reached and its host key accepted; the user is being authenticated there.
    Authenticating,
    /// The connection to the target stands.
    Established,
    /// The shell runs.
    Opened,
    /// A question was put to the user.
    PromptOpened,
    /// The question was answered or given up.
    PromptClosed,
    /// The work of the stage failed.
    Failed {
        /// Why, for the user.
        reason: String,
        /// Another try by itself could succeed: the network, not the user or a key.
        again: bool,
    },
    /// The connection was lost.
    Lost {
        /// Why, for the user.
        reason: String,
    },
    /// The remote program ended and its channel was closed.
    Exited(Exit),
    /// The clock of the stage ran out.
    TimedOut,
    /// The pause before a try is over, or the user does not want to wait.
    RetryDue,
    /// The user wants a failed session tried again.
    Retry,
    /// The user does not want to wait for the stage.
    Cancel,
    /// The pane is closed.
    Close,
}

/// What the driver has to do, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Expand the configuration.
    Resolve,
    /// Take a connection from the pool, or make one.
    Establish,
    /// Open channel, PTY and shell.
    OpenShell,
    /// Start the clock of the stage.
    StartTimer(Duration),
    /// Stop the clock and keep what is left.
    PauseTimer,
    /// Go on with what is left.
    ResumeTimer,
    /// No clock any more.
    StopTimer,
    /// Drop all work under way and the channel.
    Abort,
    /// Show in the pane that the connection was lost, and why.
    ShowLoss(String),
    /// Wait before the next try.
    WaitRetry(Duration),
    /// Nothing follows: tell the reader of the pane.
    End,
}

/// The pause before try number `attempt` (from 1): 1, 2, 4 ... 30 seconds.
pub fn backoff(attempt: u32) -> Duration {
    let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1).min(16));
    limits::RETRY_FIRST
        .saturating_mul(doubled)
        .min(limits::RETRY_LONGEST)
}

/// The next state and what to do. An event that means nothing in a state changes nothing.
pub fn step(mut state: State, event: Event) -> (State, Vec<Effect>) {
    let working = state.stage.working();
    let effects = match (event, working) {
        (Event::Resolved { connect_timeout }, Some(StageName::Resolve)) => {
            state.connect_limit = connect_timeout.unwrap_or(limits::CONNECT);
            state.stage = Stage::Connect;
            vec![Effect::StartTimer(state.connect_limit), Effect::Establish]
        }
        (Event::Connecting, Some(StageName::Connect | StageName::Authenticate)) => {
            state.stage = Stage::Connect;
            restart(&mut state, false)
        }
        (Event::Authenticating, Some(StageName::Connect | StageName::Authenticate)) => {
            state.stage = Stage::Authenticate;
            restart(&mut state, true)
        }
        (Event::Established, Some(StageName::Connect | StageName::Authenticate)) => {
            state.stage = Stage::OpenShell;
            state.prompting = false;
            vec![Effect::StartTimer(limits::OPEN_SHELL), Effect::OpenShell]
        }
        (Event::Opened, Some(StageName::OpenShell)) => {
            state.stage = Stage::Ready;
            state.attempt = 0;
            vec![Effect::StopTimer]
        }
        (Event::PromptOpened, Some(_)) if !state.prompting => {
            state.prompting = true;
            vec![Effect::PauseTimer]
        }
        (Event::PromptClosed, Some(_)) if state.prompting => {
            state.prompting = false;
            vec![Effect::ResumeTimer]
        }
        (Event::Failed { reason, again }, Some(stage)) => failed(&mut state, stage, reason, again),
        (Event::TimedOut, Some(stage)) if !state.prompting => {
            let reason = timed_out(stage, &state);
            failed(&mut state, stage, reason, true)
        }
        (Event::Cancel, Some(stage)) => failed(&mut state, stage, "cancelled".to_owned(), false),
        (Event::Lost { reason }, Some(stage)) => failed(&mut state, stage, reason, true),
        (Event::Lost { reason }, None) if state.stage == Stage::Ready => lost(&mut state, reason),
        (Event::Exited(exit), None) if state.stage == Stage::Ready => closed(&mut state, exit),
        // A command that ends before the shell counted as open ended all the same.
        (Event::Exited(exit), Some(StageName::OpenShell)) => closed(&mut state, exit),
        (Event::RetryDue, None) if matches!(state.stage, Stage::Reconnecting { .. }) => {
            state.stage = Stage::Resolve;
            vec![Effect::StartTimer(limits::RESOLVE), Effect::Resolve]
        }
        (Event::Retry, None) if matches!(state.stage, Stage::Failed { .. }) => {
            state.stage = Stage::Resolve;
            state.attempt = 0;
            vec![Effect::StartTimer(limits::RESOLVE), Effect::Resolve]
        }
        (Event::Cancel, None) if matches!(state.stage, Stage::Reconnecting { .. }) => failed(
            &mut state,
            StageName::Connect,
            "cancelled".to_owned(),
            false,
        ),
        (Event::Close, _) if !matches!(state.stage, Stage::Closed { .. }) => {
            closed(&mut state, Exit::default())
        }
        _ => Vec::new(),
    };
    (state, effects)
}

/// A hop moved on: a clock of its own.
fn restart(state: &mut State, authenticating: bool) -> Vec<Effect> {
    state.prompting = false;
    let limit = if authenticating {
        limits::AUTHENTICATE
    } else {
        state.connect_limit
    };
    vec![Effect::StartTimer(limit)]
}

fn failed(state: &mut State, stage: StageName, reason: String, again: bool) -> Vec<Effect> {
    state.prompting = false;
    if again && state.attempt > 0 && state.reconnect {
        return wait(state, vec![Effect::StopTimer, Effect::Abort]);
    }
    state.stage = Stage::Failed { stage, reason };
    vec![Effect::StopTimer, Effect::Abort]
}

fn lost(state: &mut State, reason: String) -> Vec<Effect> {
    state.prompting = false;
    let mut effects = vec![Effect::Abort, Effect::ShowLoss(reason.clone())];
    if state.reconnect {
        return wait(state, effects);
    }
    state.stage = Stage::Failed {
        stage: StageName::Ready,
        reason,
    };
    effects.push(Effect::StopTimer);
    effects
}

fn wait(state: &mut State, mut effects: Vec<Effect>) -> Vec<Effect> {
    state.attempt = state.attempt.saturating_add(1);
    let next_in = backoff(state.attempt);
    state.stage = Stage::Reconnecting {
        attempt: state.attempt,
        next_in,
    };
    effects.push(Effect::WaitRetry(next_in));
    effects
}

fn closed(state: &mut State, exit: Exit) -> Vec<Effect> {
    state.prompting = false;
    state.stage = Stage::Closed { exit };
    vec![Effect::StopTimer, Effect::Abort, Effect::End]
}

fn timed_out(stage: StageName, state: &State) -> String {
    let (what, limit) = match stage {
        StageName::Resolve => ("reading the configuration took", limits::RESOLVE),
        StageName::Connect => ("the server did not answer within", state.connect_limit),
        StageName::Authenticate => (
            "the server did not finish the authentication within",
            limits::AUTHENTICATE,
        ),
        StageName::OpenShell | StageName::Ready => (
            "the server did not start a shell within",
            limits::OPEN_SHELL,
        ),
    };
    format!("{what} {} s", limit.as_secs_f32())
}
