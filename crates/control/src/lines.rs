//! Reading request lines and writing answers on one connection, with their time limits.
//!
//! A line has no length of its own on the wire, so the reader bounds it: never more than the
//! contract's request size is buffered, and a line that was started must end in time.

use std::future::Future;
use std::io;
use std::net::TcpStream;
use std::ops::Range;
use std::time::{Duration, Instant};

use futures_lite::{AsyncReadExt, AsyncWriteExt, future};
use protocol::limits;
use smol::{Async, Timer};

use crate::deadlines::Deadlines;

/// Capacity a buffer may keep between lines; larger ones were needed for one large line only.
const KEPT_CAPACITY: usize = 64 << 10;

/// Bytes asked from the socket at once.
const CHUNK: usize = 16 << 10;

/// What reading a line came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// A line stands in [`LineReader::line`].
    Line,
    /// The line is longer than the limit.
    TooLong,
    /// No more lines: end of input, a failed read, or a time limit.
    End,
}

/// Splits the input of one connection into lines.
#[derive(Debug, Default)]
pub(crate) struct LineReader {
    buffer: Vec<u8>,
    /// Received bytes end here; what follows is spare room.
    filled: usize,
    /// The line handed out last, without its line ending.
    line: Range<usize>,
    /// Where the next line starts.
    next: usize,
    /// Up to here no newline was found.
    scanned: usize,
    /// The client has shut down its write side.
    ended: bool,
}

impl LineReader {
    /// The line found by the last [`Read::Line`].
    pub fn line(&self) -> &[u8] {
        self.buffer.get(self.line.clone()).unwrap_or_default()
    }

    /// Finds or reads the next line. With `first`, the whole line must arrive by then; otherwise
    /// the idle limit holds until its first byte and the completion limit from there on.
    pub async fn read(
        &mut self,
        stream: &Async<TcpStream>,
        first: Option<Instant>,
        deadlines: &Deadlines,
    ) -> Read {
        let mut started = first.is_some();
        let mut deadline = first;
        loop {
            if let Some(read) = self.split() {
                return read;
            }
            if self.ended {
                return self.rest();
            }
            let now = Instant::now();
            if !started && self.filled > self.next {
                started = true;
                deadline = Some(now + deadlines.line);
            }
            let until = *deadline.get_or_insert(now + deadlines.idle);
            match within(until, self.fill(stream)).await {
                Some(Ok(0)) => self.ended = true,
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Read::End,
            }
        }
    }

    /// The next complete line among the received bytes, or the news that it is too long.
    fn split(&mut self) -> Option<Read> {
        let unseen = self
            .buffer
            .get(self.scanned..self.filled)
            .unwrap_or_default();
        if let Some(offset) = memchr::memchr(b'\n', unseen) {
            let end = self.scanned + offset;
            return Some(self.hand_out(end, end + 1));
        }
        self.scanned = self.filled;
        // One byte more may still be the carriage return of the line ending.
        let open = self.buffer.get(self.next..self.filled).unwrap_or_default();
        let may_end = open.len() == limits::REQUEST_BYTES + 1 && open.last() == Some(&b'\r');
        (open.len() > limits::REQUEST_BYTES && !may_end).then_some(Read::TooLong)
    }

    /// End of input ends a line, too.
    fn rest(&mut self) -> Read {
        if self.next == self.filled {
            return Read::End;
        }
        self.hand_out(self.filled, self.filled)
    }

    fn hand_out(&mut self, end: usize, next: usize) -> Read {
        let start = self.next;
        let carriage_return = end > start && self.buffer.get(end.saturating_sub(1)) == Some(&b'\r');
        self.line = start..end - usize::from(carriage_return);
        self.next = next;
        self.scanned = next;
        if self.line.len() > limits::REQUEST_BYTES {
            Read::TooLong
        } else {
            Read::Line
        }
    }

    /// Moves unread bytes to the front and gives back room that only one large line needed.
    fn compact(&mut self) {
        if self.next > 0 {
            self.buffer.copy_within(self.next..self.filled, 0);
            self.filled -= self.next;
            self.scanned -= self.next;
            self.next = 0;
            self.line = 0..0;
        }
        if self.buffer.len() > KEPT_CAPACITY && self.filled < KEPT_CAPACITY {
            self.buffer.truncate(KEPT_CAPACITY);
            self.buffer.shrink_to(KEPT_CAPACITY);
        }
    }

    async fn fill(&mut self, mut stream: &Async<TcpStream>) -> io::Result<usize> {
        self.compact();
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.filled + CHUNK, 0);
        }
        let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
        let count = stream.read(room).await?;
        self.filled += count;
        Ok(count)
    }
}

/// Writes a whole line within a time limit.
pub(crate) async fn write(
    mut stream: &Async<TcpStream>,
    line: &[u8],
    limit: Duration,
) -> io::Result<()> {
    let deadline = Instant::now() + limit;
    match within(deadline, stream.write_all(line)).await {
        Some(result) => result,
        None => Err(io::ErrorKind::TimedOut.into()),
    }
}

/// Runs a future until a deadline. The timer is made only when the future has to wait.
pub(crate) async fn within<F: Future>(deadline: Instant, future: F) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    if let Some(output) = future::poll_once(future.as_mut()).await {
        return Some(output);
    }
    future::or(async { Some(future.await) }, async {
        Timer::at(deadline).await;
        None
    })
    .await
}

/// Empties a reused buffer and gives back room that only one large line needed.
pub(crate) fn recycle(buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.shrink_to(KEPT_CAPACITY);
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{Shutdown, TcpListener};

    use super::*;

    fn pair() -> (TcpStream, Async<TcpStream>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        (client, Async::new(server).unwrap())
    }

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_secs(20))
    }

    #[test]
    fn lines_written_together_come_one_by_one() {
        smol::block_on(async {
            let (mut client, server) = pair();
            client.write_all(b"one\r\ntwo\n\nlast").unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            let mut reader = LineReader::default();
            for expected in ["one", "two", "", "last"] {
                assert_eq!(
                    reader.read(&server, soon(), &Deadlines::default()).await,
                    Read::Line
                );
                assert_eq!(reader.line(), expected.as_bytes());
            }
            assert_eq!(
                reader.read(&server, soon(), &Deadlines::default()).await,
                Read::End
            );
        });
    }

    #[test]
    fn the_limit_counts_bytes_without_the_line_ending() {
        for (length, ending, expected) in [
            (limits::REQUEST_BYTES, "\n", Read::Line),
            (limits::REQUEST_BYTES, "\r\n", Read::Line),
            (limits::REQUEST_BYTES, "", Read::Line),
            (limits::REQUEST_BYTES + 1, "\n", Read::TooLong),
            (limits::REQUEST_BYTES + 1, "", Read::TooLong),
            (3 * limits::REQUEST_BYTES, "", Read::TooLong),
        ] {
            smol::block_on(async {
                let (mut client, server) = pair();
                let writer = std::thread::spawn(move || {
                    let mut bytes = vec![b'x'; length];
                    bytes.extend_from_slice(ending.as_bytes());
                    // The reader may stop early when the line is too long.
                    drop(client.write_all(&bytes));
                    drop(client.shutdown(Shutdown::Write));
                });
                let mut reader = LineReader::default();
                assert_eq!(
                    reader.read(&server, soon(), &Deadlines::default()).await,
                    expected,
                    "{length} {ending:?}"
                );
                drop(server);
                writer.join().unwrap();
            });
        }
    }

    #[test]
    fn a_line_that_does_not_end_in_time_ends_the_input() {
        smol::block_on(async {
            let (mut client, server) = pair();
            client.write_all(b"half").unwrap();
            let mut reader = LineReader::default();
            let deadline = Some(Instant::now() + Duration::from_millis(30));
            assert_eq!(
                reader.read(&server, deadline, &Deadlines::default()).await,
                Read::End
            );
        });
    }

    #[test]
    fn a_buffer_grown_for_one_line_shrinks_again() {
        let mut reader = LineReader {
            buffer: vec![0; 200_000],
            filled: 150_000,
            next: 150_000,
            scanned: 150_000,
            ..LineReader::default()
        };
        reader.compact();
        assert!(reader.buffer.capacity() < 100_000);
        assert_eq!((reader.filled, reader.next, reader.scanned), (0, 0, 0));
    }
}
