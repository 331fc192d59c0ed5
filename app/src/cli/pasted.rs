//! The text of `nebula ctl pane paste`.

use std::fs::File;
use std::io::{self, Read};

use protocol::{ErrorCode, limits};
use serde_json::json;

use super::output::Failure;
use super::resources::PasteSource;

/// The text of a paste: words, standard input or a file. Reads no more than may be pasted.
pub(super) fn pasted(source: PasteSource) -> Result<String, Failure> {
    let (read, name) = if source.stdin {
        (bounded(io::stdin().lock()), "standard input".to_owned())
    } else if let Some(path) = source.from_file {
        (
            File::open(&path).and_then(bounded),
            path.display().to_string(),
        )
    } else {
        return Ok(source.words.join(" "));
    };
    let text = read.map_err(|error| unusable_text(&format!("{name} cannot be read: {error}")))?;
    if text.len() > limits::TEXT_BYTES {
        let most = limits::TEXT_BYTES;
        return Err(unusable_text(&format!(
            "{name} holds more than {most} bytes"
        )));
    }
    Ok(text)
}

fn bounded(source: impl io::Read) -> io::Result<String> {
    let mut text = String::new();
    let most = u64::try_from(limits::TEXT_BYTES).unwrap_or(u64::MAX);
    // A few bytes more than allowed: enough to see that it is too long, and a character that the
    // limit would cut stays whole.
    source
        .take(most.saturating_add(4))
        .read_to_string(&mut text)?;
    Ok(text)
}

fn unusable_text(reason: &str) -> Failure {
    let details = json!({"field": "text", "reason": reason});
    Failure::new(ErrorCode::InvalidParams, reason, details)
}
