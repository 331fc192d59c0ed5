//! The wire types of the runtime control API, version 1 (`nebula.runtime`).
//!
//! Server, command line and tests speak through these definitions and no others; the JSON Schema in `docs/` is derived from the same types. The crate promises
//!
//! * that a request with an unknown member, a wrong type or a value out of range is refused with the name of the member and the reason ([`Call::decode`]);
//! * that what it accepts lies within the limits of [`limits`];
//! * that it knows nothing about sockets, threads or who executes a call.

mod action;
mod agent;
mod call;
mod check;
mod describe;
mod envelope;
mod error;
mod key;
pub mod limits;
mod params;
mod read;
mod results;
mod schema;
mod snapshot;
mod token;
mod wait;

pub use action::{Action, MutationResult};
pub use agent::{Agent, AgentPane, AgentsResult, StateSource, Worktree};
pub use call::{Call, Method, MethodClass};
pub use describe::{Commands, DescribeResult, FEATURES, LimitsReport, PaneEnvironment};
pub use envelope::{Event, Refusal, Request, Response, UNKNOWN_ID, parse_line, token_of};
pub use error::{ApiError, ErrorCode};
pub use key::{Key, KeyModifiers};
pub use params::layout::{
    PaneCloseParams, PaneResizeParams, PaneSplitParams, PaneZoomParams, TabCloseParams,
    TabMoveParams, TabNewParams, TabRenameParams, WindowCloseParams, WindowCreateParams,
    WindowFocusParams,
};
pub use params::pane::{
    PanePasteParams, PaneProcsParams, PanePromptParams, PaneReadParams, PaneSendKeyParams,
    PaneWaitParams, WaitCondition,
};
pub use params::{AgentsListParams, NoParams, SubscribeParams};
pub use read::{CellRow, PaneRead, ReadFormat, ReadSource, Screen, ScreenCell, ScreenCursor};
pub use results::{
    CallerPane, IdentifyResult, PaneProcess, ProcsResult, Scope, Submission, SubscribeAck,
    TokenKind, WaitReport,
};
pub use schema::{schema, schema_text};
pub use snapshot::{
    ActiveRun, ExitCodeCapability, Layout, Lifecycle, LifecycleEvent, Pane, PaneRef, Run, RunPhase,
    RunState, Snapshot, SplitDirection, Tab, TabKind, TaskState, Window,
};
pub use token::{InvalidToken, Token};
pub use wait::{StateSet, WaitState};

/// Name of the protocol, the `protocol` member of every envelope.
pub const PROTOCOL: &str = "nebula.runtime";

/// Major version of the protocol, the `version` member of every envelope.
pub const VERSION: u64 = 1;

/// Where the schema stands in the repository; `runtime.describe` returns this path.
pub const SCHEMA_PATH: &str = "docs/runtime-api-v1.schema.json";
