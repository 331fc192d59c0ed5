//! One connection: read a line, answer it, read the next.

use std::net::TcpStream;
use std::time::Instant;

use futures_lite::future;
use protocol::{ApiError, ErrorCode, UNKNOWN_ID, limits};
use runtime::{Command, Outcome};
use serde_json::json;
use smol::Async;

use crate::admission::Admission;
use crate::execute::{self, Ended};
use crate::lines::{self, LineReader, Read};
use crate::request::{self, Decoded, Verb};
use crate::server::Shared;
use crate::stream;
use crate::wire;

/// What becomes of the connection after a line.
enum Next {
    /// Send what stands in the output and read on.
    Answer,
    /// Send what stands in the output and close.
    Last,
    /// Close without another byte.
    Close,
}

/// Serves a connection until it is to be closed.
pub(crate) async fn run(stream: &Async<TcpStream>, admission: &Admission, shared: &Shared) {
    let mut reader = LineReader::default();
    let mut output = Vec::new();
    let mut stopped = std::pin::pin!(shared.stopped());
    let mut first = Some(Instant::now() + shared.deadlines.first_line);
    loop {
        let read = future::or(
            async { Some(reader.read(stream, first, &shared.deadlines).await) },
            async {
                stopped.as_mut().await;
                None
            },
        );
        lines::recycle(&mut output);
        let (next, ended) = match read.await {
            Some(Read::Line) => answer(reader.line(), stream, admission, shared, &mut output).await,
            Some(Read::TooLong) => {
                wire::failure(&mut output, UNKNOWN_ID, &too_large());
                (Next::Last, None)
            }
            Some(Read::End) | None => return,
        };
        match next {
            Next::Close => return,
            Next::Answer | Next::Last => {
                if lines::write(stream, &output, shared.deadlines.write)
                    .await
                    .is_err()
                {
                    return;
                }
            }
        }
        // Only now may an owner that wants to quit do so.
        drop(ended);
        if matches!(next, Next::Last) {
            return;
        }
        first = None;
        // A client that writes far ahead must not keep the thread from the others.
        future::yield_now().await;
    }
}

async fn answer(
    line: &[u8],
    stream: &Async<TcpStream>,
    admission: &Admission,
    shared: &Shared,
    output: &mut Vec<u8>,
) -> (Next, Option<Ended>) {
    match request::decode(line, &shared.tokens, &*shared.scope) {
        Decoded::Silence => (Next::Close, None),
        Decoded::Verb(verb) => (verbatim(&verb, admission, shared, output).await, None),
        Decoded::Garbage(refusal) => {
            wire::failure(output, &refusal.id, &refusal.error);
            (Next::Last, None)
        }
        Decoded::Refused(origin, _) if !admission.authenticate(origin) => (Next::Close, None),
        Decoded::Refused(_, refusal) => {
            wire::failure(output, &refusal.id, &refusal.error);
            (Next::Answer, None)
        }
        Decoded::Accepted(request) if !admission.authenticate(request.origin) => {
            (Next::Close, None)
        }
        Decoded::Accepted(request) => {
            if let protocol::Call::EventsSubscribe(params) = &request.call {
                stream::run(stream, shared, &request.id, params, output).await;
                return (Next::Close, None);
            }
            let id = request.id.clone();
            match execute::run(request, stream, shared, output).await {
                Ok(ended) => (Next::Answer, Some(ended)),
                Err(execute::Failure::Api(error)) => {
                    output.clear();
                    wire::failure(output, &id, &error);
                    (Next::Answer, None)
                }
                Err(execute::Failure::ClientGone) => (Next::Close, None),
            }
        }
    }
}

/// Answers a verb of the older text protocol.
async fn verbatim(
    verb: &Verb,
    admission: &Admission,
    shared: &Shared,
    output: &mut Vec<u8>,
) -> Next {
    let granted = match *verb {
        Verb::Ping(origin) => admission.authenticate(origin),
        Verb::Attach(origin) if admission.authenticate(origin) => {
            let deadline = Instant::now() + shared.deadlines.dispatch;
            let attached = shared.commands.dispatch(Command::Attach);
            // A workspace without a window refuses, which is silence on this protocol.
            matches!(
                lines::within(deadline, attached).await,
                Some(Ok(Outcome::Attached))
            )
        }
        Verb::Attach(_) => false,
    };
    if granted {
        output.extend_from_slice(b"OK\n");
        Next::Last
    } else {
        Next::Close
    }
}

fn too_large() -> ApiError {
    ApiError::new(
        ErrorCode::RequestTooLarge,
        format!("a request line may have {} bytes", limits::REQUEST_BYTES),
        json!({"limit": limits::REQUEST_BYTES}),
    )
}
