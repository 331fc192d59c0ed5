//! A stream of events on a connection of its own.

use std::io;
#[cfg(unix)]
use std::os::fd::BorrowedFd;
use std::time::Duration;

use super::{ClientError, Lines, Reply};

/// Events after an acknowledged `events.subscribe`. Iterating blocks until the next line and
/// ends when the server closes the stream.
#[derive(Debug)]
pub struct Subscription {
    lines: Lines,
}

/// What [`Subscription::next_while_open`] found.
#[derive(Debug)]
pub enum Next {
    /// An event line, or a final error line, as received.
    Line(String),
    /// The server closed the stream.
    End,
    /// The reader of the caller's output is gone.
    OutputClosed,
}

impl Subscription {
    pub(super) fn new(lines: Lines) -> Self {
        Self { lines }
    }

    /// The next line, waiting at most `limit` (`None`: for ever); `None` at the end of the stream.
    ///
    /// # Errors
    /// The connection failed, or the limit passed.
    pub fn next_within(&mut self, limit: Option<Duration>) -> Result<Option<String>, ClientError> {
        match self.lines.next(limit) {
            Ok(line) => Ok(Some(line)),
            Err(ClientError::Closed) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The next line, or the news that whoever reads `output` (a pipe) has gone. Without this an
    /// idle `subscribe | head -n 1` would end only at the next event.
    ///
    /// # Errors
    /// The connection failed.
    #[cfg(unix)]
    pub fn next_while_open(&mut self, output: BorrowedFd<'_>) -> Result<Next, ClientError> {
        use rustix::event::{PollFd, PollFlags, poll};

        loop {
            if let Some(line) = self.lines.buffered() {
                return line.map(Next::Line);
            }
            let mut ready = [
                PollFd::from_borrowed_fd(self.lines.socket(), PollFlags::IN),
                // Without requested events only errors are reported: the broken pipe.
                PollFd::from_borrowed_fd(output, PollFlags::empty()),
            ];
            match poll(&mut ready, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(ClientError::Receive(error.into())),
            }
            let [stream, output] = ready;
            if output
                .revents()
                .intersects(PollFlags::ERR | PollFlags::NVAL)
            {
                return Ok(Next::OutputClosed);
            }
            if !stream.revents().is_empty() {
                match self.lines.fill(None) {
                    Ok(0) => return Ok(Next::End),
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                        return Ok(Next::End);
                    }
                    Err(error) => return Err(ClientError::Receive(error)),
                }
            }
        }
    }

    /// Reads a line of the stream as a response: the final error line.
    ///
    /// # Errors
    /// The line is an event or malformed.
    pub fn final_reply(line: &str) -> Result<Reply, ClientError> {
        Reply::parse(line.to_owned(), None)
    }
}

impl Iterator for Subscription {
    type Item = Result<String, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_within(None).transpose()
    }
}
