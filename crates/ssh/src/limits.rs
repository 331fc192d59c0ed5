//! Every limit of the crate, by name. Nothing a server, a proxy, an agent or a file can fill is
//! unbounded, and no stage lasts longer than its limit.

use std::time::Duration;

/// Expanding the configuration and nothing else.
pub const RESOLVE: Duration = Duration::from_secs(10);
/// Reaching the server and exchanging keys, for each hop. `ConnectTimeout` replaces it.
pub const CONNECT: Duration = Duration::from_secs(20);
/// Authentication without the time spent in prompts, for each hop.
pub const AUTHENTICATE: Duration = Duration::from_secs(30);
/// One prompt.
pub const PROMPT: Duration = Duration::from_secs(300);
/// Channel, PTY and shell.
pub const OPEN_SHELL: Duration = Duration::from_secs(20);

/// First pause before a lost connection is tried again; it doubles.
pub const RETRY_FIRST: Duration = Duration::from_secs(1);
/// Longest pause between two tries.
pub const RETRY_LONGEST: Duration = Duration::from_secs(30);
/// A connection that nobody uses is closed after this time.
pub const IDLE: Duration = Duration::from_secs(60);
/// Keepalive when the configuration says nothing.
pub const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// Unanswered keepalives after which a connection counts as lost, when the configuration says
/// nothing.
pub const KEEPALIVE_COUNT: u32 = 8;

/// Hops before the target.
pub const JUMPS: usize = 8;
/// Nested `Include` in the own configuration reader.
pub const INCLUDE_DEPTH: usize = 16;
/// Bytes of one configuration or known-hosts file.
pub const FILE_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes of a private key or certificate file.
pub const KEY_FILE_BYTES: u64 = 1024 * 1024;
/// Bytes taken from `ssh -G`.
pub const EXPANSION_BYTES: u64 = 1024 * 1024;

/// Lines of a connection log.
pub const LOG_LINES: usize = 500;
/// Bytes of one line of a connection log, and of any text of the server shown to the user.
pub const LOG_LINE_BYTES: usize = 1024;
/// Bytes of banners kept.
pub const BANNER_BYTES: usize = 64 * 1024;

/// Keys offered on one connection while the server's limit is not known. OpenSSH's server allows
/// six tries; the last one is left for a password.
pub const KEY_TRIES: usize = 5;
/// Further connections made to go on with the keys after the server ended one for too many tries.
pub const KEY_ROUNDS: usize = 3;
/// Passwords asked for (OpenSSH's `NumberOfPasswordPrompts`).
pub const PASSWORD_TRIES: usize = 3;
/// Passphrases asked for, per key.
pub const PASSPHRASE_TRIES: usize = 3;
/// Keyboard-interactive conversations.
pub const INTERACTIVE_TRIES: usize = 3;
/// Questions of one keyboard-interactive conversation.
pub const INTERACTIVE_ROUNDS: usize = 16;
/// Steps of one authentication (partial successes).
pub const AUTH_STEPS: usize = 8;
/// Keys taken from an agent.
pub const AGENT_KEYS: usize = 64;
/// One request to an agent. An agent may ask its user, so this is as long as a prompt.
pub const AGENT: Duration = PROMPT;

/// Receive window of a channel in bytes; what a flooding remote can have under way.
pub const CHANNEL_WINDOW: u32 = 2 * 1024 * 1024;
/// Largest data packet asked of the server.
pub const CHANNEL_PACKET: u32 = 32 * 1024;
/// Packets of one channel waiting inside the library.
pub const CHANNEL_PACKETS: usize = 64;
/// Bytes of output waiting for the terminal's reader.
pub const OUTPUT_WAITING: usize = 1024 * 1024;
/// Bytes of small writes (keys, replies) waiting to be sent.
pub const INPUT_WAITING: usize = 1024 * 1024;
/// Bytes of a large write (a paste) waiting to be sent.
pub const INPUT_BULK: usize = 64 * 1024 * 1024;
/// Channels on one connection; OpenSSH's `MaxSessions` is asked separately by the server.
pub const CHANNELS: usize = 256;
/// Connections on which one session is tried, where a server allows few sessions on each.
pub const SESSION_TRIES: usize = 16;

/// Connections forwarded at a time over one connection.
pub const FORWARDED: usize = 256;
/// Forwards of one connection.
pub const FORWARDS: usize = 64;
/// Connecting to the target of a forward, or a handshake with a proxy or a SOCKS client.
pub const FORWARD_CONNECT: Duration = Duration::from_secs(10);
/// A forwarded stream whose other side takes nothing for this long is closed: its data stands in
/// the way of everything else on the connection.
pub const FORWARD_STALLED: Duration = Duration::from_secs(20);
/// Bytes of a proxy's answer.
pub const PROXY_ANSWER_BYTES: usize = 16 * 1024;

/// Bytes of a proxy command's complaints.
pub const PROXY_ERROR_BYTES: u64 = 1024 * 1024;

/// SFTP requests under way in one transfer.
pub const SFTP_REQUESTS: usize = 64;
/// Bytes of one SFTP request.
pub const SFTP_PIECE: usize = 32 * 1024;
/// One answer of an SFTP server.
pub const SFTP_ANSWER: Duration = Duration::from_secs(30);
/// Entries of one directory.
pub const SFTP_ENTRIES: usize = 200_000;
/// Files of one transfer.
pub const SFTP_FILES: usize = 1_000_000;
/// Nested folders of one transfer.
pub const SFTP_DEPTH: usize = 64;
