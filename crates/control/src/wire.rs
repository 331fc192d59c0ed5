//! Encoding of answers and events.
//!
//! The envelope is written by hand around parts that are encoded already, so that a snapshot is
//! not encoded again for every receiver. A test holds the result against the types of `protocol`.

use protocol::{ApiError, PROTOCOL, VERSION};
use serde::Serialize;

/// Appends a success with an encoded result.
pub(crate) fn success(out: &mut Vec<u8>, id: &str, result: &[u8]) {
    open(out, id);
    out.extend_from_slice(b",\"ok\":true,\"result\":");
    out.extend_from_slice(result);
    out.extend_from_slice(b"}\n");
}

/// Appends a failure.
pub(crate) fn failure(out: &mut Vec<u8>, id: &str, error: &ApiError) {
    open(out, id);
    out.extend_from_slice(b",\"ok\":false,\"error\":");
    value(out, error);
    out.extend_from_slice(b"}\n");
}

/// Appends an event with encoded data.
pub(crate) fn event(out: &mut Vec<u8>, name: &str, revision: u64, data: &[u8]) {
    head(out);
    out.extend_from_slice(b",\"event\":");
    value(out, name);
    out.extend_from_slice(b",\"revision\":");
    value(out, &revision);
    out.extend_from_slice(b",\"data\":");
    out.extend_from_slice(data);
    out.extend_from_slice(b"}\n");
}

/// Appends a value. Text, numbers, and JSON values always encode; `null` stands in for what does
/// not, so that the line stays valid in every case.
fn value<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let length = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(length);
        out.extend_from_slice(b"null");
    }
}

fn head(out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"protocol\":");
    value(out, PROTOCOL);
    out.extend_from_slice(b",\"version\":");
    value(out, &VERSION);
}

fn open(out: &mut Vec<u8>, id: &str) {
    head(out);
    out.extend_from_slice(b",\"id\":");
    value(out, id);
}

#[cfg(test)]
mod tests {
    use protocol::{Event, Response};
    use serde_json::json;

    use super::*;

    fn line(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.find('\n'), Some(text.len() - 1));
        text
    }

    #[test]
    fn lines_are_what_the_protocol_types_say() {
        let id = "quote \" and \n newline";
        let success = line(|out| super::success(out, id, b"{\"revision\":12}"));
        assert_eq!(
            serde_json::from_str::<Response>(&success).unwrap(),
            Response::success(id, json!({"revision": 12}))
        );
        let error = ApiError::invalid_params("lines", "must be 1 to 2000");
        let failure = line(|out| super::failure(out, id, &error));
        assert_eq!(
            serde_json::from_str::<Response>(&failure).unwrap(),
            Response::failure(id, error)
        );
        let event = line(|out| super::event(out, "runtime.snapshot", 13, b"{}"));
        let event: Event = serde_json::from_str(&event).unwrap();
        assert_eq!(
            (event.event.as_str(), event.revision),
            ("runtime.snapshot", 13)
        );
        assert_eq!(
            (event.protocol.as_str(), event.version),
            (PROTOCOL, VERSION)
        );
    }
}
