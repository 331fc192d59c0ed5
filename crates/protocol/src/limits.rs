//! The limits of the control API. Their values are part of the contract with clients.

use std::time::Duration;

/// Concurrent connections; one more is accepted and closed without a byte.
pub const CONNECTIONS: usize = 64;
/// Connections that have not shown a live token yet; one more closes the oldest of them.
pub const UNAUTHENTICATED: usize = 32;
/// Connections that use the same pane token.
pub const CONNECTIONS_PER_PANE: usize = 16;
/// Time for the first complete request line after accept.
pub const FIRST_LINE: Duration = Duration::from_secs(5);
/// Time for the rest of a line from its first byte.
pub const LINE_COMPLETION: Duration = Duration::from_secs(5);
/// Time without a request on an authenticated connection.
pub const IDLE: Duration = Duration::from_secs(60);
/// Time to write one line.
pub const WRITE: Duration = Duration::from_secs(5);
/// Bytes of a request line without its newline.
pub const REQUEST_BYTES: usize = 131_072;
/// Bytes of a request id; the least is 1.
pub const ID_BYTES: usize = 256;
/// Time in which the workspace must answer a command.
pub const DISPATCH: Duration = Duration::from_secs(30);
/// Bytes of a prompt, paste or command text.
pub const TEXT_BYTES: usize = 32_768;
/// Terminal rows that a read may ask for; the least is 1.
pub const READ_LINES: u32 = 2000;
/// Terminal rows of a read that does not say.
pub const READ_LINES_DEFAULT: u32 = 120;
/// Bytes of text in the answer of a read.
pub const READ_BYTES: usize = 1_048_576;
/// Columns of a screen in an answer; what stands to the right of them is left out.
pub const SCREEN_COLUMNS: usize = 400;
/// Rows of a screen in an answer; what stands above them is left out.
pub const SCREEN_ROWS: usize = 200;
/// Longest wait in milliseconds; the least is 1.
pub const WAIT_MS: u64 = 86_400_000;
/// Wait of a request that does not say, in milliseconds.
pub const WAIT_MS_DEFAULT: u64 = 600_000;
/// Bytes of a tab name.
pub const TAB_NAME_BYTES: usize = 256;
/// Repetitions of a key; the least is 1.
pub const KEY_REPEAT: u32 = 64;
/// Least share of a pane in its split.
pub const RATIO_MIN: f64 = 0.05;
/// Greatest share of a pane in its split.
pub const RATIO_MAX: f64 = 0.95;
/// Closed or exited panes that are remembered.
pub const LIFECYCLES: usize = 256;
/// Events that wait for a subscriber that does not read.
pub const SUBSCRIBER_EVENTS: usize = 16;
/// Bytes of the send buffer of a stream.
pub const STREAM_BUFFER_BYTES: usize = 262_144;
/// Revisions kept for replay.
pub const REPLAY_REVISIONS: usize = 1024;
/// Bytes kept for replay.
pub const REPLAY_BYTES: usize = 33_554_432;
/// Shortest heartbeat of a subscription in milliseconds.
pub const HEARTBEAT_MS_MIN: u32 = 1000;
/// Longest heartbeat of a subscription in milliseconds.
pub const HEARTBEAT_MS_MAX: u32 = 60_000;
/// Distinct entries of a wait set.
pub const WAIT_STATES: usize = 6;
/// Bytes of a path or a shell id.
pub const PATH_BYTES: usize = 4096;
/// Integers on the wire stay below this value (2^53), which every JSON reader represents exactly.
pub const INTEGER_END: u64 = 1 << 53;
