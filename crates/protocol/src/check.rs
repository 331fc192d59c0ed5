//! Checks of parameters that a type alone cannot express.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ApiError;
use crate::limits;

/// Reads the parameters of a method.
///
/// # Errors
/// `invalid_params` that names the member: an unknown one, a missing one, or one of the wrong type.
pub(crate) fn decode<T: DeserializeOwned>(params: Value) -> Result<T, ApiError> {
    let params = if params.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        params
    };
    if !params.is_object() {
        return Err(ApiError::invalid_params("params", "must be an object"));
    }
    serde_path_to_error::deserialize(params).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.inner().to_string();
        ApiError::invalid_params(&field_of(&path, &reason), reason)
    })
}

/// The member that an error is about: serde knows the path to a value of the wrong type, but names unknown and missing members only in its message.
fn field_of(path: &str, reason: &str) -> String {
    let names_member =
        reason.starts_with("unknown field `") || reason.starts_with("missing field `");
    let member = names_member.then(|| reason.split('`').nth(1)).flatten();
    match (path, member) {
        ("." | "", Some(member)) => member.to_owned(),
        ("." | "", None) => "params".to_owned(),
        (path, Some(member)) if path != member && !path.ends_with(&format!(".{member}")) => {
            format!("{path}.{member}")
        }
        (path, _) => path.to_owned(),
    }
}

/// An optional window id.
pub(crate) fn window_id(id: Option<u64>) -> Result<(), ApiError> {
    match id {
        Some(id) => below_end("window_id", id),
        None => Ok(()),
    }
}

/// A required pane id.
pub(crate) fn pane_id(id: u64) -> Result<(), ApiError> {
    if id == 0 {
        return Err(ApiError::invalid_params("pane_id", "must be at least 1"));
    }
    below_end("pane_id", id)
}

/// An optional pane id.
pub(crate) fn optional_pane_id(id: Option<u64>) -> Result<(), ApiError> {
    id.map_or(Ok(()), pane_id)
}

/// An integer that every JSON reader represents exactly.
pub(crate) fn below_end(field: &str, value: u64) -> Result<(), ApiError> {
    if value < limits::INTEGER_END {
        Ok(())
    } else {
        Err(ApiError::invalid_params(field, "must be below 2^53"))
    }
}

/// A value within inclusive bounds.
pub(crate) fn range<T: PartialOrd + std::fmt::Display>(
    field: &str,
    value: T,
    least: T,
    greatest: T,
) -> Result<(), ApiError> {
    // A comparison with NaN is false, so NaN is out of every range.
    if value >= least && value <= greatest {
        Ok(())
    } else {
        let reason = format!("must be between {least} and {greatest}");
        Err(ApiError::invalid_params(field, reason))
    }
}

/// A text to be typed: 1 to [`limits::TEXT_BYTES`] bytes without control characters other than those of `allowed`.
pub(crate) fn text(text: &str, allowed: &[char]) -> Result<(), ApiError> {
    if text.is_empty() || text.len() > limits::TEXT_BYTES {
        let reason = format!("must hold 1 to {} bytes", limits::TEXT_BYTES);
        return Err(ApiError::invalid_params("text", reason));
    }
    match text
        .chars()
        .find(|c| c.is_control() && !allowed.contains(c))
    {
        None => Ok(()),
        Some(control) => {
            let reason = format!(
                "must not hold the control character U+{:04X}",
                control as u32
            );
            Err(ApiError::invalid_params("text", reason))
        }
    }
}

/// An optional absolute path. That it exists is checked by whoever executes the call.
pub(crate) fn directory(path: Option<&str>) -> Result<(), ApiError> {
    let Some(path) = path else { return Ok(()) };
    if path.len() > limits::PATH_BYTES || path.contains('\0') {
        let reason = format!("must hold at most {} bytes and no NUL", limits::PATH_BYTES);
        return Err(ApiError::invalid_params("cwd", reason));
    }
    if Path::new(path).is_absolute() {
        Ok(())
    } else {
        Err(ApiError::invalid_params(
            "cwd",
            "must be an absolute path of an existing directory",
        ))
    }
}

/// An optional shell id. That it is known is checked by whoever executes the call.
pub(crate) fn shell(id: Option<&str>) -> Result<(), ApiError> {
    match id {
        Some(id) if id.is_empty() || id.len() > limits::PATH_BYTES || id.contains('\0') => {
            let reason = format!("must hold 1 to {} bytes and no NUL", limits::PATH_BYTES);
            Err(ApiError::invalid_params("shell", reason))
        }
        _ => Ok(()),
    }
}

/// The name of a tab; empty restores the generated one.
pub(crate) fn tab_name(name: &str) -> Result<(), ApiError> {
    if name.len() > limits::TAB_NAME_BYTES || name.chars().any(char::is_control) {
        let reason = format!(
            "must hold at most {} bytes, no control characters",
            limits::TAB_NAME_BYTES
        );
        return Err(ApiError::invalid_params("name", reason));
    }
    Ok(())
}
