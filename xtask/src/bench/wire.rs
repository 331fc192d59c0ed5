//! The control API as a program without any library of Nebula speaks it: one JSON object per line.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

/// Where a server listens and what it wants to hear.
#[derive(Debug, Clone)]
pub struct Endpoint {
    port: u16,
    token: String,
}

impl Endpoint {
    /// Reads a discovery file; `None` when there is none.
    pub fn read(data_dir: &Path) -> Result<Option<Self>> {
        let Ok(text) = fs::read_to_string(data_dir.join("runtime.port")) else {
            return Ok(None);
        };
        let mut words = text.split_whitespace();
        let (Some(port), Some(token)) = (words.next(), words.next()) else {
            bail!("the discovery file has another form");
        };
        Ok(Some(Self {
            port: port.parse()?,
            token: token.to_owned(),
        }))
    }

    /// Opens a connection.
    pub fn connect(&self) -> Result<Connection> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Connection {
            reader: BufReader::new(stream),
            token: self.token.clone(),
            calls: 0,
        })
    }
}

/// One connection, for any number of calls after one another.
pub struct Connection {
    reader: BufReader<TcpStream>,
    token: String,
    calls: u64,
}

impl Connection {
    /// Calls a method; an error of the server is an error here.
    pub fn call(&mut self, method: &str, params: &Value) -> Result<Value> {
        let request = self.request(method, params);
        let line = self.round_trip(&request)?;
        let mut answer: Value = serde_json::from_str(&line).context("no JSON came back")?;
        if answer.get("ok") != Some(&Value::Bool(true)) {
            bail!("{method}: {}", answer.get("error").unwrap_or(&Value::Null));
        }
        answer
            .get_mut("result")
            .map(Value::take)
            .ok_or_else(|| anyhow!("{method}: no result"))
    }

    /// The line of a request, with its end.
    pub fn request(&mut self, method: &str, params: &Value) -> String {
        self.calls += 1;
        let request = json!({
            "protocol": "nebula.runtime", "version": 1, "id": format!("bench-{}", self.calls),
            "token": self.token, "method": method, "params": params,
        });
        format!("{request}\n")
    }

    /// Sends a line and reads the one that answers: what is measured.
    pub fn round_trip(&mut self, request: &str) -> Result<String> {
        self.reader.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            bail!("the server closed the connection");
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn calls_are_lines_and_errors_are_errors() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let dir = tempfile::tempdir().unwrap();
        assert!(Endpoint::read(dir.path()).unwrap().is_none());
        let port = listener.local_addr().unwrap().port();
        fs::write(dir.path().join("runtime.port"), format!("{port} abc 1\n")).unwrap();
        let server = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            for answer in [
                "{\"ok\":true,\"result\":{\"revision\":3}}",
                "{\"ok\":false,\"error\":{\"code\":\"x\"}}",
            ] {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let request: Value = serde_json::from_str(&line).unwrap();
                assert_eq!(request["token"], "abc");
                reader
                    .get_mut()
                    .write_all(format!("{answer}\n").as_bytes())
                    .unwrap();
            }
        });
        let mut connection = Endpoint::read(dir.path())
            .unwrap()
            .unwrap()
            .connect()
            .unwrap();
        let result = connection.call("runtime.snapshot", &json!({})).unwrap();
        assert_eq!(result["revision"], 3);
        let error = connection
            .call("runtime.snapshot", &json!({}))
            .unwrap_err()
            .to_string();
        assert_eq!(error, "runtime.snapshot: {\"code\":\"x\"}");
        server.join().unwrap();
    }
}
