//! What `runtime.describe` answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Method;
use crate::{PROTOCOL, SCHEMA_PATH, VERSION, limits};

/// The features that work completely. A client checks these strings, not the version number.
pub const FEATURES: &[&str] = &[
    "auth.pane_tokens",
    "cli.schema",
    "env.pane_identity",
    "events.heartbeat",
    "events.pane_lifecycle",
    "events.replay",
    "events.slow_consumer",
    "layout.force_close",
    "layout.typed_mutations",
    "pane.prompt.wait",
    "pane.read.format",
    "pane.read.source",
    "pane.wait.after_seq",
    "pane.wait.lifecycle",
    "pane.wait.occupant",
    "pane.wait.states",
    "runtime.boot_id",
    "runtime.identify",
    "transport.keep_alive",
];

/// Names of the environment variables that a pane gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneEnvironment {
    /// Value of `TERM_PROGRAM`.
    pub term_program: String,
    /// Variable with the pane's id.
    pub pane: String,
    /// Variable with the path of the command line.
    pub cli: String,
    /// Variable that marks a pane on another host.
    pub remote_marker: String,
    /// Directory of the command line, when it is put on the path.
    pub bin_dir: Option<String>,
    /// Whether that directory is on the path.
    pub bin_dir_on_path: bool,
    /// Variable with the endpoint of the control API.
    pub endpoint: String,
    /// Variable with the path of the hook socket.
    pub hook_socket: String,
}

/// Resource verbs of the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commands {
    /// Verbs of `nebula ctl env`.
    pub env: Vec<String>,
    /// Verbs of `nebula ctl window`.
    pub window: Vec<String>,
    /// Verbs of `nebula ctl tab`.
    pub tab: Vec<String>,
    /// Verbs of `nebula ctl pane`.
    pub pane: Vec<String>,
    /// Verbs of `nebula ctl agent`.
    pub agent: Vec<String>,
}

/// Limits that a client may want to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LimitsReport {
    /// Bytes of a request line.
    pub request_bytes: usize,
    /// Bytes of a prompt or paste.
    pub text_bytes: usize,
    /// Rows of a read.
    pub read_lines: u32,
    /// Bytes of a read.
    pub read_bytes: usize,
    /// Connections at once.
    pub connections: usize,
    /// Revisions kept for replay.
    pub replay_revisions: usize,
}

/// Result of `runtime.describe`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DescribeResult {
    /// Version of the program.
    pub app_version: String,
    /// Name of the protocol.
    pub protocol: String,
    /// Version of the protocol.
    pub protocol_version: u64,
    /// Versions that the server speaks.
    pub supported_versions: Vec<u64>,
    /// Path of the schema in the repository.
    pub schema: String,
    /// Names of the methods that the server carries out.
    pub capabilities: Vec<String>,
    /// Features that work completely.
    pub features: Vec<String>,
    /// Environment of panes.
    pub env: PaneEnvironment,
    /// Resource verbs of the command line.
    pub commands: Commands,
    /// Limits.
    pub limits: LimitsReport,
}

impl DescribeResult {
    /// The description of this build.
    pub fn new(app_version: &str) -> Self {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            app_version: app_version.to_owned(),
            protocol: PROTOCOL.to_owned(),
            protocol_version: VERSION,
            supported_versions: vec![VERSION],
            schema: SCHEMA_PATH.to_owned(),
            capabilities: Method::ROUTED
                .iter()
                .map(|m| m.as_str().to_owned())
                .collect(),
            features: own(FEATURES),
            env: PaneEnvironment {
                term_program: "nebula".to_owned(),
                pane: "NEBULA_PANE_ID".to_owned(),
                cli: "NEBULA_CLI".to_owned(),
                remote_marker: "NEBULA_PANE_REMOTE".to_owned(),
                bin_dir: None,
                bin_dir_on_path: false,
                endpoint: "NEBULA_RUNTIME_ENDPOINT".to_owned(),
                hook_socket: "NEBULA_HOOK_SOCKET".to_owned(),
            },
            commands: Commands {
                env: own(&["env"]),
                window: own(&["close"]),
                tab: own(&["close", "rename", "move"]),
                pane: own(&[
                    "list", "read", "send", "paste", "wait", "close", "zoom", "resize",
                ]),
                agent: own(&["list"]),
            },
            limits: LimitsReport {
                request_bytes: limits::REQUEST_BYTES,
                text_bytes: limits::TEXT_BYTES,
                read_lines: limits::READ_LINES,
                read_bytes: limits::READ_BYTES,
                connections: limits::CONNECTIONS,
                replay_revisions: limits::REPLAY_REVISIONS,
            },
        }
    }
}
