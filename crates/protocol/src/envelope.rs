//! Envelopes: one JSON object per line.
//!
//! The order of checks is part of the contract, because a peer without a token must learn nothing. The server therefore calls, in this order, [`parse_line`],
//! [`token_of`] with its own comparison, [`Request::from_value`], [`Method::from_str`](std::str::FromStr) and [`Call::decode`](crate::Call::decode).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{ApiError, ErrorCode, MAX_NAME, one_line};
use crate::{PROTOCOL, VERSION, limits};

/// The id of a response to a request whose id could not be read.
pub const UNKNOWN_ID: &str = "unknown";

/// A request envelope after the checks of its members.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// [`PROTOCOL`].
    pub protocol: String,
    /// [`VERSION`].
    pub version: u64,
    /// Chosen by the client, 1 to 256 bytes; the response repeats it.
    #[schemars(length(min = 1, max = 256))]
    pub id: String,
    /// Token of the server or of the calling pane.
    pub token: String,
    /// Name of the method.
    pub method: String,
    /// Parameters of the method; an empty object when absent.
    #[serde(default)]
    pub params: Value,
}

/// A refused request with the id to answer under.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The id of the request if it had a usable one, else [`UNKNOWN_ID`].
    pub id: String,
    /// Why.
    pub error: ApiError,
}

/// Reads a line as a JSON object.
///
/// # Errors
/// `invalid_request` under the id `unknown` when the line is not UTF-8 or not JSON.
pub fn parse_line(line: &[u8]) -> Result<Value, Refusal> {
    serde_json::from_slice(line).map_err(|error| Refusal {
        id: UNKNOWN_ID.to_owned(),
        // The error's own text can repeat parts of the line; its place is enough.
        error: ApiError::invalid_request(format!(
            "the line is not valid JSON (column {})",
            error.column()
        )),
    })
}

/// The token of a request, if it is a string.
pub fn token_of(request: &Value) -> Option<&str> {
    request.get("token")?.as_str()
}

impl Request {
    /// Checks the members of an envelope, then protocol and version.
    ///
    /// # Errors
    /// `invalid_request` for a wrong, missing or unknown member, `protocol_version_mismatch` for another protocol or version.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        let Value::Object(mut members) = value else {
            let error = ApiError::invalid_request("the request is not an object");
            return Err(Refusal {
                id: UNKNOWN_ID.to_owned(),
                error,
            });
        };
        let id = match members.get("id") {
            Some(Value::String(id)) if !id.is_empty() => id.clone(),
            _ => UNKNOWN_ID.to_owned(),
        };
        Self::from_members(&mut members).map_err(|error| Refusal { id, error })
    }

    fn from_members(members: &mut Map<String, Value>) -> Result<Self, ApiError> {
        let request = Self {
            protocol: string(members, "protocol")?,
            version: members
                .remove("version")
                .as_ref()
                .and_then(Value::as_u64)
                .ok_or_else(|| ApiError::invalid_request("version must be an integer"))?,
            id: string(members, "id")?,
            token: string(members, "token")?,
            method: string(members, "method")?,
            params: match members.remove("params") {
                None | Some(Value::Null) => json!({}),
                Some(params) => params,
            },
        };
        if request.id.is_empty() || request.id.len() > limits::ID_BYTES {
            let reason = format!("id must hold 1 to {} bytes", limits::ID_BYTES);
            return Err(ApiError::invalid_request(reason));
        }
        if let Some(unknown) = members.keys().next() {
            let shown = one_line(unknown, MAX_NAME);
            return Err(ApiError::invalid_request(format!("unknown member {shown}")));
        }
        if request.protocol != PROTOCOL || request.version != VERSION {
            return Err(ApiError::new(
                ErrorCode::ProtocolVersionMismatch,
                format!("this server speaks {PROTOCOL} version {VERSION}"),
                json!({ "supported_versions": [VERSION] }),
            ));
        }
        Ok(request)
    }
}

impl std::fmt::Debug for Request {
    /// Leaves out the token and the parameters, which may hold typed text.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("id", &self.id)
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

fn string(members: &mut Map<String, Value>, name: &str) -> Result<String, ApiError> {
    match members.remove(name) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(ApiError::invalid_request(format!(
            "{name} must be a string"
        ))),
    }
}

/// A response envelope: `result` when `ok`, else `error`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// [`PROTOCOL`].
    pub protocol: String,
    /// [`VERSION`].
    pub version: u64,
    /// Id of the request.
    pub id: String,
    /// Whether the call succeeded.
    pub ok: bool,
    /// What it returned; present only when `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Why it failed; present only when not `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ApiError>,
}

impl Response {
    /// A success.
    pub fn success(id: &str, result: Value) -> Self {
        Self {
            protocol: PROTOCOL.to_owned(),
            version: VERSION,
            id: id.to_owned(),
            ok: true,
            result: Some(result),
            error: None,
        }
    }

    /// A failure.
    pub fn failure(id: &str, error: ApiError) -> Self {
        Self {
            protocol: PROTOCOL.to_owned(),
            version: VERSION,
            id: id.to_owned(),
            ok: false,
            result: None,
            error: Some(error),
        }
    }
}

/// An event of a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// [`PROTOCOL`].
    pub protocol: String,
    /// [`VERSION`].
    pub version: u64,
    /// `runtime.snapshot` or `runtime.heartbeat`.
    pub event: String,
    /// Revision of the snapshot, or the current one of a heartbeat.
    pub revision: u64,
    /// The snapshot, or the boot of a heartbeat.
    pub data: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valid() -> Value {
        json!({"protocol": PROTOCOL, "version": 1, "id": "a", "token": "t", "method": "m"})
    }

    fn with(name: &str, value: Value) -> Value {
        let mut request = valid();
        request[name] = value;
        request
    }

    #[test]
    fn absent_and_null_params_are_an_empty_object() {
        assert_eq!(Request::from_value(valid()).unwrap().params, json!({}));
        assert_eq!(
            Request::from_value(with("params", Value::Null))
                .unwrap()
                .params,
            json!({})
        );
    }

    #[test]
    fn bad_members_are_refused_under_the_id() {
        for (name, value) in [
            ("protocol", json!(1)),
            ("version", json!("1")),
            ("method", json!(null)),
            ("x", json!(1)),
        ] {
            let refusal = Request::from_value(with(name, value)).unwrap_err();
            assert_eq!(refusal.id, "a", "{name}");
            assert_eq!(refusal.error.code, ErrorCode::InvalidRequest, "{name}");
        }
        for id in [json!(""), json!(7), Value::Null] {
            let refusal = Request::from_value(with("id", id)).unwrap_err();
            assert_eq!(refusal.id, UNKNOWN_ID);
            assert_eq!(refusal.error.code, ErrorCode::InvalidRequest);
        }
        let long = Request::from_value(with("id", json!("i".repeat(257)))).unwrap_err();
        assert_eq!(long.error.code, ErrorCode::InvalidRequest);
        assert!(Request::from_value(with("id", json!("i".repeat(256)))).is_ok());
    }

    #[test]
    fn another_version_is_a_mismatch() {
        for request in [with("version", json!(2)), with("protocol", json!("other"))] {
            let error = Request::from_value(request).unwrap_err().error;
            assert_eq!(error.code, ErrorCode::ProtocolVersionMismatch);
            assert_eq!(error.details, json!({"supported_versions": [1]}));
        }
    }

    #[test]
    fn broken_json_says_nothing_of_the_line() {
        let refusal = parse_line(b"{\"token\":\"secret").unwrap_err();
        assert_eq!(refusal.id, UNKNOWN_ID);
        assert!(!refusal.error.message.contains("secret"));
        assert!(parse_line(b"{\"a\":\"\xff\"}").is_err());
    }

    #[test]
    fn a_response_has_a_result_or_an_error() {
        let ok = serde_json::to_string(&Response::success("a", json!({}))).unwrap();
        assert!(ok.contains("result") && !ok.contains("error"));
        let bad = Response::failure("a", ApiError::invalid_request("r"));
        let bad = serde_json::to_string(&bad).unwrap();
        assert!(bad.contains("error") && !bad.contains("result"));
    }
}
