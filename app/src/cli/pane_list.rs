//! `nebula ctl pane list`: the panes of a snapshot as rows.

use std::process::ExitCode;
use std::time::Duration;

use control::client::{self, Endpoint};
use protocol::{Call, ErrorCode, Method, NoParams};
use serde_json::{Map, Value, json};

use super::output::{self, Failure};

/// Asks for a snapshot and prints its panes in window, tab and pane order.
pub(super) fn run(
    endpoint: &Endpoint,
    window: Option<u64>,
    limit: Duration,
    pretty: bool,
) -> ExitCode {
    let call = Call::RuntimeSnapshot(NoParams {});
    let reply = match client::call(endpoint, call.method(), &call, limit) {
        Ok(reply) if reply.is_ok() => reply,
        Ok(reply) => return output::reply(&reply, pretty),
        Err(error) => {
            return output::failure(Failure::of_request(Method::RuntimeSnapshot, &error), pretty);
        }
    };
    let rows = reply
        .result::<Value>()
        .ok()
        .and_then(|snapshot| rows(&snapshot, window));
    match rows {
        Some(rows) => output::success(&reply.id(), &rows.to_string(), pretty),
        None => {
            let message = "the answer is not a snapshot";
            let failure = Failure::new(ErrorCode::InvalidRuntimeResponse, message, json!({}));
            output::failure(failure, pretty)
        }
    }
}

/// `{revision, panes}`. Members of a pane are passed on as they are, also those this build does not
/// know.
fn rows(snapshot: &Value, window: Option<u64>) -> Option<Value> {
    let mut rows = Vec::new();
    for listed in snapshot.get("windows")?.as_array()? {
        let window_id = listed.get("id")?.as_u64()?;
        if window.is_some_and(|wanted| wanted != window_id) {
            continue;
        }
        for tab in listed.get("tabs")?.as_array()? {
            for pane in tab.get("panes")?.as_array()? {
                let mut row = Map::new();
                row.insert("window_id".to_owned(), window_id.into());
                row.insert("tab_index".to_owned(), tab.get("index")?.clone());
                row.extend(pane.as_object()?.clone());
                rows.push(row);
            }
        }
    }
    Some(json!({"revision": snapshot.get("revision")?, "panes": rows}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_say_where_the_pane_stands() {
        let snapshot = json!({
            "revision": 7,
            "windows": [{"id": 1, "tabs": [
                {"index": 0, "panes": []},
                {"index": 1, "panes": [{"id": 4, "title": "t"}]},
            ]}],
        });
        let expected = json!({
            "revision": 7,
            "panes": [{"window_id": 1, "tab_index": 1, "id": 4, "title": "t"}],
        });
        assert_eq!(rows(&snapshot, None), Some(expected));
        assert_eq!(rows(&snapshot, Some(2)).unwrap()["panes"], json!([]));
        assert_eq!(rows(&json!({}), None), None);
    }
}
