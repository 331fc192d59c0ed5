//! Received lines of one blocking connection.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::ClientError;

/// First size of the receive buffer; a snapshot of a few panes fits.
const FIRST_BUFFER: usize = 16 << 10;

/// Longest response line a client accepts, in bytes.
const RESPONSE_LIMIT: usize = 256 << 20;

/// Received lines of one connection, with one deadline per line.
#[derive(Debug)]
pub(super) struct Lines {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// End of the received bytes in `buffer`; what follows is spare room.
    filled: usize,
    /// Start of the first line that was not handed out yet.
    start: usize,
    /// Up to here no newline was found.
    scanned: usize,
    /// The read limit the socket has now, to save a system call per line.
    limit: Option<Duration>,
}

impl Lines {
    pub fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            filled: 0,
            start: 0,
            scanned: 0,
            limit: None,
        }
    }

    /// Sends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The socket, to wait for it together with something else.
    #[cfg(unix)]
    pub fn socket(&self) -> std::os::fd::BorrowedFd<'_> {
        std::os::fd::AsFd::as_fd(&self.stream)
    }

    /// A complete line that was received already.
    pub fn buffered(&mut self) -> Option<Result<String, ClientError>> {
        let found = memchr::memchr(b'\n', self.buffer.get(self.scanned..self.filled)?);
        let Some(offset) = found else {
            self.scanned = self.filled;
            return None;
        };
        let end = self.scanned + offset;
        let line = self
            .buffer
            .get(self.start..end)
            .unwrap_or_default()
            .to_vec();
        self.start = end + 1;
        self.scanned = self.start;
        if self.start == self.filled {
            (self.start, self.scanned, self.filled) = (0, 0, 0);
        }
        Some(String::from_utf8(line).map_err(|_| ClientError::Invalid("it is not UTF-8".into())))
    }

    /// The next line, waiting at most `limit` for its end; `None` waits for ever.
    pub fn next(&mut self, limit: Option<Duration>) -> Result<String, ClientError> {
        let started = Instant::now();
        let mut remaining = limit;
        loop {
            if let Some(line) = self.buffered() {
                return line;
            }
            match self.fill(remaining) {
                Ok(0) => return Err(ClientError::Closed),
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {
                    return Err(ClientError::NoAnswer(limit.unwrap_or_default()));
                }
                Err(error) => return Err(ClientError::Receive(error)),
            }
            if let Some(limit) = limit {
                // Zero would mean "no limit" to the socket.
                let left = limit.saturating_sub(started.elapsed());
                remaining = Some(left.max(Duration::from_millis(1)));
            }
        }
    }

    /// One read from the socket into spare room, which is made first.
    pub fn fill(&mut self, limit: Option<Duration>) -> io::Result<usize> {
        if self.limit != limit {
            self.stream.set_read_timeout(limit)?;
            self.limit = limit;
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.filled == self.buffer.len() {
            if self.filled >= RESPONSE_LIMIT {
                return Err(io::Error::other(
                    "the line is longer than any valid response",
                ));
            }
            self.buffer.resize((self.filled * 2).max(FIRST_BUFFER), 0);
        }
        let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
        loop {
            match self.stream.read(room) {
                Ok(count) => {
                    self.filled += count;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}
