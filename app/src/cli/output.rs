//! Standard output of `nebula ctl`: exactly one line per one-shot command, whatever happens.

use std::io::{self, Write};
use std::process::ExitCode;

use control::client::{ClientError, EndpointError, Reply};
use protocol::{ApiError, ErrorCode, Method, MethodClass, Response};
use serde::Serialize;
use serde_json::{Value, json};

use super::indent::indent;

/// Status of a failed response.
const FAILED: u8 = 1;

/// Status of a usage error.
const USAGE: u8 = 2;

/// The id of responses that no server sent.
const CLI_ID: &str = "cli";

/// A failure that has no response of a server: it is printed as one, with the id `cli`.
#[derive(Debug)]
pub(super) struct Failure(ApiError);

impl Failure {
    pub fn new(code: ErrorCode, message: impl Into<String>, details: Value) -> Self {
        Self(ApiError::new(code, message, details))
    }

    /// The same failure with one more detail.
    pub fn with(self, name: &str, value: impl Into<Value>) -> Self {
        Self(self.0.with_detail(name, value))
    }

    /// A request of this method got no usable answer. After an action nobody can know whether it
    /// was carried out, and the code says so.
    pub fn of_request(method: Method, error: &ClientError) -> Self {
        let code = match error {
            ClientError::Connect { .. } => ErrorCode::RuntimeUnavailable,
            ClientError::Closed | ClientError::NoAnswer(_) => ErrorCode::RuntimeNoResponse,
            ClientError::Invalid(_) => ErrorCode::InvalidRuntimeResponse,
            ClientError::Refused(error) => error.code,
            ClientError::Encode(_) | ClientError::Send(_) | ClientError::Receive(_) => {
                ErrorCode::CliTransportError
            }
        };
        if method.class() == MethodClass::Action && error.outcome_unknown() {
            return Self::new(
                ErrorCode::SubmissionOutcomeUnknown,
                format!(
                    "{error}; the action may have been carried out, so look before repeating it"
                ),
                json!({"method": method.as_str(), "cause": code}),
            );
        }
        Self::new(code, error.to_string(), json!({"method": method.as_str()}))
    }
}

impl From<EndpointError> for Failure {
    fn from(error: EndpointError) -> Self {
        Self::new(
            ErrorCode::RuntimeUnavailable,
            error.to_string(),
            json!({"reason": "no_endpoint"}),
        )
    }
}

/// A usage error that the argument parser cannot see.
pub(super) fn usage(message: &str) -> ExitCode {
    complain(&format!("ctl: {message}"), USAGE)
}

/// One line on standard error, and the status that goes with it.
fn complain(message: &str, status: u8) -> ExitCode {
    match writeln!(io::stderr().lock(), "nebula: {message}") {
        // Where standard error is gone, the status alone says it.
        Ok(()) | Err(_) => ExitCode::from(status),
    }
}

/// Prints the response of a server as it was received.
pub(super) fn reply(reply: &Reply, pretty: bool) -> ExitCode {
    envelope(reply.line(), reply.is_ok(), pretty)
}

/// Prints a failure that no server answered.
pub(super) fn failure(failure: Failure, pretty: bool) -> ExitCode {
    let response = Response::failure(CLI_ID, failure.0);
    match serde_json::to_string(&response) {
        Ok(line) => envelope(&line, false, pretty),
        Err(error) => complain(&error.to_string(), FAILED),
    }
}

/// Prints a success whose result was put together here from the answer with this id.
pub(super) fn success(id: &str, result: &str, pretty: bool) -> ExitCode {
    // The result is encoded already, and possibly large.
    let id = Value::from(id);
    let (protocol, version) = (protocol::PROTOCOL, protocol::VERSION);
    let line = format!(
        r#"{{"protocol":"{protocol}","version":{version},"id":{id},"ok":true,"result":{result}}}"#
    );
    envelope(&line, true, pretty)
}

/// Prints a response envelope on one line, or indented. The status follows the response.
pub(super) fn envelope(line: &str, ok: bool, pretty: bool) -> ExitCode {
    let printed = if pretty {
        text(&indent(line))
    } else {
        text(line)
    };
    match printed {
        // Whoever closed the pipe has seen enough; the response itself is what counts.
        Ok(Output::Written | Output::Closed) if ok => ExitCode::SUCCESS,
        Ok(Output::Written | Output::Closed) => ExitCode::from(FAILED),
        Err(error) => unwritable(&error),
    }
}

/// Reports that standard output failed for another reason than a closed pipe.
pub(super) fn unwritable(error: &io::Error) -> ExitCode {
    complain(
        &format!("standard output cannot be written: {error}"),
        FAILED,
    )
}

/// Prints a JSON object that is not a response, such as the environment.
pub(super) fn object<T: Serialize>(object: &T, pretty: bool) -> ExitCode {
    match serde_json::to_string(object) {
        Ok(line) => envelope(&line, true, pretty),
        Err(error) => complain(&error.to_string(), FAILED),
    }
}

/// Prints a text that ends with its own newline.
pub(super) fn verbatim(text: &str) -> ExitCode {
    match written(text.as_bytes(), b"") {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => unwritable(&error),
    }
}

/// Whether the reader of standard output is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// The text was written and flushed.
    Written,
    /// The reader has closed the pipe.
    Closed,
}

/// Writes one line and flushes it.
pub(super) fn text(line: &str) -> io::Result<Output> {
    written(line.as_bytes(), b"\n")
}

fn written(text: &[u8], end: &[u8]) -> io::Result<Output> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text)
        .and_then(|()| stdout.write_all(end))
        .and_then(|()| stdout.flush());
    match written {
        Ok(()) => Ok(Output::Written),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Output::Closed),
        Err(error) => Err(error),
    }
}
