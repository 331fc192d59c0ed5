//! One connection to the control API, written from the text of the protocol.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, SocketAddrV4, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::poll::PATIENCE;
use crate::schema;

/// Port and token of a running server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// TCP port on 127.0.0.1.
    pub port: u16,
    /// Owner token or pane token.
    pub token: String,
}

impl Endpoint {
    /// Reads `<port> <token>`, with anything behind it ignored.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split_whitespace();
        let port = fields.next()?.parse().ok()?;
        let token = fields.next()?.to_owned();
        Some(Self { port, token })
    }

    /// The same server with another token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            port: self.port,
            token: token.to_owned(),
        }
    }
}

/// What the next look at a connection brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// One line without its newline.
    Line(String),
    /// The server closed, and this many bytes without a newline came before.
    Closed(usize),
    /// Nothing complete arrived in the given time.
    Quiet,
}

/// One connection.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    token: String,
    sent: u64,
    pending: Vec<u8>,
}

impl Client {
    /// Connects.
    ///
    /// # Panics
    /// When nobody listens.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let address = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, endpoint.port));
        let stream = TcpStream::connect_timeout(&address, PATIENCE)
            .unwrap_or_else(|error| panic!("cannot connect to {address}: {error}"));
        Self::over(stream, &endpoint.token)
    }

    /// Connects with a small receive buffer, so that unread lines soon weigh on the server.
    #[must_use]
    pub fn connect_narrow(endpoint: &Endpoint, receive_buffer: usize) -> Self {
        use rustix::net::{AddressFamily, SocketType, connect, socket, sockopt};
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a TCP socket");
        sockopt::set_socket_recv_buffer_size(&socket, receive_buffer).expect("a receive buffer");
        connect(
            &socket,
            &SocketAddrV4::new(Ipv4Addr::LOCALHOST, endpoint.port),
        )
        .unwrap_or_else(|error| panic!("cannot connect to port {}: {error}", endpoint.port));
        Self::over(TcpStream::from(socket), &endpoint.token)
    }

    fn over(stream: TcpStream, token: &str) -> Self {
        stream.set_nodelay(true).expect("TCP_NODELAY");
        stream
            .set_write_timeout(Some(PATIENCE))
            .expect("a write timeout");
        Self {
            stream,
            token: token.to_owned(),
            sent: 0,
            pending: Vec::new(),
        }
    }

    /// A request envelope with this connection's token and the next id.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        json!({
            "protocol": "nebula.runtime", "version": 1, "id": format!("t-{}", self.sent),
            "token": self.token, "method": method, "params": params,
        })
    }

    /// Sends a request and returns its id without waiting for the answer.
    pub fn send(&mut self, method: &str, params: Value) -> String {
        let request = self.request(method, params);
        self.send_value(&request);
        request["id"].as_str().expect("ids are strings").to_owned()
    }

    /// Sends any JSON value as one line.
    pub fn send_value(&mut self, value: &Value) {
        self.send_bytes(format!("{value}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.try_send_bytes(bytes)
            .expect("the server takes what is sent");
    }

    /// Sends bytes to a server that may already have closed.
    ///
    /// # Errors
    /// When the server has closed the connection.
    pub fn try_send_bytes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Ends the sending direction.
    pub fn finish_writing(&mut self) {
        self.stream
            .shutdown(Shutdown::Write)
            .expect("the write side can be shut down");
    }

    /// The next line, the end of the stream, or nothing within `bound`.
    pub fn receive(&mut self, bound: Duration) -> Received {
        let end = Instant::now() + bound;
        loop {
            if let Some(length) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=length).collect();
                let line = String::from_utf8(line[..length].to_vec()).expect("lines are UTF-8");
                return Received::Line(line);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Received::Quiet;
            }
            self.stream
                .set_read_timeout(Some(left))
                .expect("a read timeout");
            let mut buffer = [0; 65536];
            match self.stream.read(&mut buffer) {
                Ok(0) => return Received::Closed(self.pending.len()),
                Ok(count) => self.pending.extend_from_slice(&buffer[..count]),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => return Received::Quiet,
                    ErrorKind::Interrupted => {}
                    // A server that closes with unread input makes the kernel send a reset.
                    ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
                        return Received::Closed(self.pending.len());
                    }
                    _ => panic!("reading failed: {error}"),
                },
            }
        }
    }

    /// The next line as JSON.
    ///
    /// # Panics
    /// When the connection ends or stays quiet for [`PATIENCE`].
    pub fn value(&mut self) -> Value {
        self.value_within(PATIENCE)
    }

    /// The next line as JSON, with a bound of its own.
    pub fn value_within(&mut self, bound: Duration) -> Value {
        match self.receive(bound) {
            Received::Line(line) => {
                let value: Value = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("not JSON ({error}): {line}"));
                if value.get("event").is_some() {
                    schema::check_event(&value);
                }
                value
            }
            other => panic!("expected a line within {bound:?}, got {other:?}"),
        }
    }

    /// Asserts that the server closes without having sent a byte.
    pub fn expect_silent_close(&mut self) {
        self.expect_silent_close_within(PATIENCE);
    }

    /// Asserts that the server closes within the bound without having sent a byte.
    pub fn expect_silent_close_within(&mut self, bound: Duration) {
        assert_eq!(
            self.receive(bound),
            Received::Closed(0),
            "expected a close without a byte"
        );
    }

    /// Asserts that nothing arrives and the connection stays open for the given time.
    pub fn expect_quiet(&mut self, time: Duration) {
        assert_eq!(self.receive(time), Received::Quiet, "expected silence");
    }

    /// Sends a request and returns the whole response, checked against the schema.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.call_within(method, params, PATIENCE)
    }

    /// As [`Client::call`], for requests that may take long.
    pub fn call_within(&mut self, method: &str, params: Value, bound: Duration) -> Value {
        let request = self.request(method, params);
        self.send_value(&request);
        let response = self.value_within(bound);
        check_response(&request, &response);
        response
    }

    /// Calls a method that must succeed and returns its result.
    pub fn ok(&mut self, method: &str, params: Value) -> Value {
        self.ok_within(method, params, PATIENCE)
    }

    /// As [`Client::ok`], for requests that may take long.
    pub fn ok_within(&mut self, method: &str, params: Value, bound: Duration) -> Value {
        let shown = shorten(&params);
        let mut response = self.call_within(method, params, bound);
        assert_eq!(response["ok"], true, "{method} {shown} failed: {response}");
        response["result"].take()
    }

    /// Calls a method that must fail with `code` and returns the error.
    pub fn error(&mut self, method: &str, params: Value, code: &str) -> Value {
        let shown = shorten(&params);
        let mut response = self.call(method, params);
        assert_eq!(
            response["ok"], false,
            "{method} {shown} should fail with {code}: {response}"
        );
        assert_eq!(
            response["error"]["code"], code,
            "{method} {shown}: {response}"
        );
        response["error"].take()
    }

    /// Calls a method whose parameter `field` must be refused, with a reason for humans.
    pub fn refused(&mut self, method: &str, params: Value, field: &str) -> Value {
        let shown = shorten(&params);
        let error = self.error(method, params, "invalid_params");
        assert_eq!(
            error["details"]["field"], field,
            "{method} {shown}: {error}"
        );
        let reason = error["details"]["reason"].as_str().unwrap_or_default();
        assert!(!reason.is_empty(), "{method} {shown}: no reason in {error}");
        error
    }
}

/// A request as text, short enough for a message.
fn shorten(params: &Value) -> String {
    let text = params.to_string();
    if text.len() <= 200 {
        text
    } else {
        text.chars().take(200).collect::<String>() + "..."
    }
}

/// Asserts what holds for every response to a request that could be read.
fn check_response(request: &Value, response: &Value) {
    assert_eq!(
        response["id"], request["id"],
        "the id comes back: {response}"
    );
    check_envelope(response);
    let method = request["method"].as_str().unwrap_or_default();
    schema::check_exchange(method, request, response);
}

/// Asserts what holds for every response envelope (checks 5.1 and 18).
pub fn check_envelope(response: &Value) {
    assert_eq!(response["protocol"], "nebula.runtime", "{response}");
    assert_eq!(response["version"], 1, "{response}");
    let members = response.as_object().expect("a response is an object");
    match response["ok"].as_bool() {
        Some(true) => {
            assert!(
                members.contains_key("result"),
                "a success has a result: {response}"
            );
            assert!(
                !members.contains_key("error"),
                "a success has no error: {response}"
            );
        }
        Some(false) => {
            assert!(
                !members.contains_key("result"),
                "a failure has no result: {response}"
            );
            let message = response["error"]["message"]
                .as_str()
                .expect("errors have a message");
            assert!(
                !message.is_empty() && !message.contains('\n'),
                "one line: {message:?}"
            );
        }
        None => panic!("no ok member: {response}"),
    }
}
