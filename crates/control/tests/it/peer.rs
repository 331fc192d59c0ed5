//! A raw peer: bytes over a socket, without the client of the crate.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

/// Longest a test waits for anything.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Peer {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Peer {
    pub fn connect(port: u16) -> Self {
        Self::over(TcpStream::connect(("127.0.0.1", port)).unwrap())
    }

    pub fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Self { stream, reader }
    }

    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    /// Writes although the server may have closed already.
    pub fn try_write(&mut self, bytes: impl AsRef<[u8]>) {
        drop(self.stream.write_all(bytes.as_ref()));
    }

    pub fn end_input(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    pub fn send(&mut self, request: &Value) {
        self.write(format!("{request}\n"));
    }

    /// The next line; `None` at the end of the stream.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line).unwrap() {
            0 => None,
            _ => {
                assert_eq!(line.pop(), Some('\n'), "an incomplete line: {line}");
                Some(line)
            }
        }
    }

    pub fn answer(&mut self) -> Value {
        let line = self.line().expect("the server closed the connection");
        serde_json::from_str(&line).unwrap()
    }

    pub fn ask(&mut self, request: &Value) -> Value {
        self.send(request);
        self.answer()
    }

    /// Asserts that the connection ends without another byte.
    pub fn assert_silence(&mut self) {
        let mut rest = Vec::new();
        self.reader.read_to_end(&mut rest).unwrap();
        assert!(
            rest.is_empty(),
            "unexpected: {}",
            String::from_utf8_lossy(&rest)
        );
    }

    /// Asserts that nothing arrives for a while and the connection stays open.
    pub fn assert_quiet(&mut self, span: Duration) {
        self.stream.set_read_timeout(Some(span)).unwrap();
        let mut byte = [0];
        let error = self.reader.read(&mut byte).expect_err("something arrived");
        assert!(
            matches!(
                error.kind(),
                std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
            ),
            "{error}"
        );
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
    }
}

/// A valid request.
pub fn request(token: &str, method: &str, params: Value) -> Value {
    json!({
        "protocol": "nebula.runtime",
        "version": 1,
        "id": "t-1",
        "token": token,
        "method": method,
        "params": params,
    })
}

/// The error code of a failed response, which must be a failure without a result.
#[track_caller]
pub fn code(response: &Value) -> &str {
    assert_eq!(response["ok"], false, "{response}");
    assert!(response.get("result").is_none(), "{response}");
    response["error"]["code"].as_str().unwrap()
}

/// The result of a response, which must be a success without an error.
#[track_caller]
pub fn result(response: &Value) -> &Value {
    assert_eq!(response["ok"], true, "{response}");
    assert!(response.get("error").is_none(), "{response}");
    &response["result"]
}
