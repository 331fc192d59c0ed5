//! The client side of the control API: blocking, without threads or an executor, so that a
//! command-line call starts and ends quickly.
//!
//! A [`Client`] is one kept connection that carries one request after another. A failed request
//! says whether anything may have been carried out ([`ClientError::outcome_unknown`]); whoever
//! sends actions must not repeat such a request blindly.

mod endpoint;
mod lines;
mod reply;
mod subscription;

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process;
use std::time::Duration;

use protocol::{ApiError, Method, NoParams};
use serde::Serialize;
use serde_json::value::RawValue;

use lines::Lines;

pub use endpoint::{ENDPOINT_VARIABLE, Endpoint, EndpointError, EndpointSource};
pub use reply::Reply;
pub use subscription::{Next, Subscription};

/// Time limit of connecting to the loopback server.
pub const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// Time limit of writing one request.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit of the answer to `PING`; a server answers it without its workspace.
const PING_TIMEOUT: Duration = Duration::from_millis(500);

/// Time limit of the answer to `ATTACH`: the server's own dispatch limit plus a second.
const ATTACH_TIMEOUT: Duration = Duration::from_secs(31);

/// Time limit of the question whether a workspace that was silent to `ATTACH` is there at all.
const DOUBT_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a request has no usable answer. The text is complete: there is no
/// source that would be printed after it once more.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens at the endpoint.
    #[error("no nebula answers at 127.0.0.1:{port}: {reason}")]
    Connect {
        /// The port that was tried.
        port: u16,
        /// What the operating system said.
        reason: io::Error,
    },
    /// The request could not be encoded; nothing was sent.
    #[error("the request could not be encoded: {0}")]
    Encode(serde_json::Error),
    /// The request could not be written completely.
    #[error("the request could not be sent: {0}")]
    Send(io::Error),
    /// The connection failed while the answer was awaited.
    #[error("the connection failed before an answer arrived: {0}")]
    Receive(io::Error),
    /// The server closed the connection without an answer, as it does for a bad token.
    #[error(
        "the server closed the connection without an answer; the token may have been renewed \
         or the server is full"
    )]
    Closed,
    /// No answer arrived in time.
    #[error("no answer within {} ms", .0.as_millis())]
    NoAnswer(Duration),
    /// The answer is not a response of this protocol to this request.
    #[error("the answer is not a valid response: {0}")]
    Invalid(String),
    /// The server is there and cannot do it now.
    #[error("{0}")]
    Refused(ApiError),
}

impl ClientError {
    /// Whether the server may have received, and carried out, the request.
    #[must_use]
    pub fn outcome_unknown(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::Encode(_) | Self::Refused(_) => false,
            // Even an incomplete write may have delivered the whole line but its last byte, and
            // the end of input ends a request.
            Self::Send(_)
            | Self::Receive(_)
            | Self::Closed
            | Self::NoAnswer(_)
            | Self::Invalid(_) => true,
        }
    }
}

/// One kept connection to a server.
#[derive(Debug)]
pub struct Client {
    lines: Lines,
    endpoint: Endpoint,
    sent: u64,
    output: Vec<u8>,
}

#[derive(Serialize)]
struct Envelope<'a, P> {
    protocol: &'a str,
    version: u64,
    id: &'a str,
    token: &'a str,
    method: &'a str,
    params: &'a P,
}

impl Client {
    /// Connects within [`CONNECT_TIMEOUT`].
    ///
    /// # Errors
    /// Nobody listens at the endpoint.
    pub fn connect(endpoint: &Endpoint) -> Result<Self, ClientError> {
        Ok(Self {
            lines: Lines::new(connect(endpoint)?),
            endpoint: endpoint.clone(),
            sent: 0,
            output: Vec::new(),
        })
    }

    /// Sends one request and waits at most `limit` for its response, which may be an error
    /// response: that is an `Ok` here. Request ids are `<pid>-<n>`.
    ///
    /// After an error the connection is in an unknown state and should be dropped.
    ///
    /// # Errors
    /// There is no response; see [`ClientError::outcome_unknown`].
    pub fn request<P: Serialize>(
        &mut self,
        method: Method,
        params: &P,
        limit: Duration,
    ) -> Result<Reply, ClientError> {
        self.sent += 1;
        let id = format!("{}-{}", process::id(), self.sent);
        self.output.clear();
        serde_json::to_writer(
            &mut self.output,
            &Envelope {
                protocol: protocol::PROTOCOL,
                version: protocol::VERSION,
                id: &id,
                token: self.endpoint.address.token.reveal(),
                method: method.as_str(),
                params,
            },
        )
        .map_err(ClientError::Encode)?;
        self.output.push(b'\n');
        self.lines.write(&self.output).map_err(ClientError::Send)?;
        let line = self.lines.next(Some(limit))?;
        Reply::parse(line, Some(&id))
    }

    /// Sends `events.subscribe` and turns the connection into a stream. The reply is the
    /// acknowledgement, or an error response without a stream.
    ///
    /// # Errors
    /// There is no response.
    pub fn subscribe<P: Serialize>(
        mut self,
        params: &P,
        limit: Duration,
    ) -> Result<(Reply, Option<Subscription>), ClientError> {
        let reply = self.request(Method::EventsSubscribe, params, limit)?;
        let stream = reply.is_ok().then(|| Subscription::new(self.lines));
        Ok((reply, stream))
    }

    /// The endpoint of this connection.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

/// One request on a connection of its own.
///
/// # Errors
/// As [`Client::connect`] and [`Client::request`].
pub fn call<P: Serialize>(
    endpoint: &Endpoint,
    method: Method,
    params: &P,
    limit: Duration,
) -> Result<Reply, ClientError> {
    Client::connect(endpoint)?.request(method, params, limit)
}

/// Whether a server with this token is alive; `false` when nobody listens at its port. Takes at
/// most a second.
///
/// # Errors
/// It cannot be told: [`ClientError::Closed`] from a server that is full or has another token,
/// [`ClientError::NoAnswer`] from one that hangs, [`ClientError::Invalid`] from something else.
pub fn ping(endpoint: &Endpoint) -> Result<bool, ClientError> {
    match verb(endpoint, "PING", PING_TIMEOUT) {
        Ok(()) => Ok(true),
        Err(ClientError::Connect { reason, .. })
            if reason.kind() == io::ErrorKind::ConnectionRefused =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Asks the server to reveal and raise its window; `false` when its workspace has none.
///
/// # Errors
/// No server answers, it is full or has another token, or its workspace does not answer in time.
pub fn attach(endpoint: &Endpoint) -> Result<bool, ClientError> {
    match verb(endpoint, "ATTACH", ATTACH_TIMEOUT) {
        Ok(()) => return Ok(true),
        // Silence is how everything is refused on this protocol. A workspace that answers a
        // question now has no window; if it does not, the reason is told here.
        Err(ClientError::Closed) => {}
        Err(error) => return Err(error),
    }
    let asked = call(
        endpoint,
        Method::RuntimeSnapshot,
        &NoParams {},
        DOUBT_TIMEOUT,
    )?;
    match asked.error() {
        None => Ok(false),
        Some(error) => Err(ClientError::Refused(error)),
    }
}

/// Sends a verb of the older text protocol and waits for its `OK`.
fn verb(endpoint: &Endpoint, verb: &str, limit: Duration) -> Result<(), ClientError> {
    let mut stream = connect(endpoint)?;
    let line = format!("{verb} {}\n", endpoint.address.token.reveal());
    let answer = stream
        .write_all(line.as_bytes())
        .map_err(ClientError::Send)
        .and_then(|()| Lines::new(stream).next(Some(limit)));
    match answer {
        Ok(answer) if answer == "OK" => Ok(()),
        Ok(_) => Err(ClientError::Invalid("it is not `OK`".to_owned())),
        // A server that is full closes without having read, which the system reports as a reset.
        Err(ClientError::Send(error) | ClientError::Receive(error)) if is_reset(&error) => {
            Err(ClientError::Closed)
        }
        Err(error) => Err(error),
    }
}

fn is_reset(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(
        error.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset
    )
}

fn connect(endpoint: &Endpoint) -> Result<TcpStream, ClientError> {
    let port = endpoint.port();
    let failed = |reason| ClientError::Connect { port, reason };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let stream = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    stream
        .set_write_timeout(Some(WRITE_TIMEOUT))
        .map_err(failed)?;
    Ok(stream)
}

/// A raw member of a reply, not parsed further.
pub type Raw = RawValue;
