//! One response line, checked and kept as it was received.

use protocol::{ApiError, ErrorCode, UNKNOWN_ID};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::ClientError;

/// A response of the server. The line is kept byte for byte; its members are decoded on request,
/// because most callers only pass a snapshot on.
#[derive(Clone, Debug)]
pub struct Reply {
    line: String,
    ok: bool,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    protocol: &'a str,
    version: u64,
    id: Option<String>,
    ok: Option<bool>,
    event: Option<String>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Reply {
    /// Checks that a line is a response of this protocol, and to the request with this id. An
    /// error response may carry the id `unknown`.
    pub(super) fn parse(line: String, id: Option<&str>) -> Result<Self, ClientError> {
        let invalid = |reason: &str| ClientError::Invalid(reason.to_owned());
        let envelope = Self::envelope(&line)?;
        let ok = envelope.ok.ok_or_else(|| invalid("it has no `ok`"))?;
        if envelope.event.is_some()
            || envelope.result.is_some() != ok
            || envelope.error.is_some() == ok
        {
            return Err(invalid("it must have either `result` or `error`"));
        }
        let answered = envelope
            .id
            .as_deref()
            .ok_or_else(|| invalid("it has no `id`"))?;
        if id.is_some_and(|id| id != answered && (ok || answered != UNKNOWN_ID)) {
            return Err(invalid("it answers another request"));
        }
        if let Some(error) = envelope.error {
            serde_json::from_str::<ApiError>(error.get())
                .map_err(|error| ClientError::Invalid(error.to_string()))?;
        }
        Ok(Self { line, ok })
    }

    fn envelope(line: &str) -> Result<Envelope<'_>, ClientError> {
        let envelope: Envelope<'_> =
            serde_json::from_str(line).map_err(|error| ClientError::Invalid(error.to_string()))?;
        if envelope.protocol != protocol::PROTOCOL || envelope.version != protocol::VERSION {
            return Err(ClientError::Invalid(
                "it has another protocol or version".to_owned(),
            ));
        }
        Ok(envelope)
    }

    /// The response line without its newline, exactly as received.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Whether the response is a success.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.ok
    }

    /// The id of the response.
    #[must_use]
    pub fn id(&self) -> String {
        Self::envelope(&self.line)
            .ok()
            .and_then(|envelope| envelope.id)
            .unwrap_or_default()
    }

    /// The result of a success, not decoded.
    #[must_use]
    pub fn raw_result(&self) -> Option<&RawValue> {
        Self::envelope(&self.line).ok()?.result
    }

    /// The decoded result of a success.
    ///
    /// # Errors
    /// It is an error response, or the result has another shape.
    pub fn result<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        let raw = self
            .raw_result()
            .ok_or_else(|| ClientError::Invalid("it is an error response".to_owned()))?;
        serde_json::from_str(raw.get()).map_err(|error| ClientError::Invalid(error.to_string()))
    }

    /// The error of a failure.
    #[must_use]
    pub fn error(&self) -> Option<ApiError> {
        let raw = Self::envelope(&self.line).ok()?.error?;
        serde_json::from_str(raw.get()).ok()
    }

    /// The error code of a failure.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        self.error().map(|error| error.code)
    }
}
