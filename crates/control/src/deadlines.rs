//! The time limits of a server, as one value so that tests can shorten them.

use std::time::Duration;

use protocol::limits;

/// Time limits of connections and requests. [`Deadlines::default`] is the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// From accepting a connection to the end of its first line.
    pub first_line: Duration,
    /// From the first byte of a later line to its end.
    pub line: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// To write one line.
    pub write: Duration,
    /// For the owner of the workspace to answer a command, and for a slow job after it.
    pub dispatch: Duration,
    /// Between two looks at whether the client of a wait is still there. A wait reads nothing, and
    /// the end of input alone does not say that the client is gone, so there is no event to await:
    /// the keep-alive probes leave their verdict on the socket.
    pub peer_check: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            first_line: limits::FIRST_LINE,
            line: limits::LINE_COMPLETION,
            idle: limits::IDLE,
            write: limits::WRITE,
            dispatch: limits::DISPATCH,
            peer_check: Duration::from_secs(5),
        }
    }
}
