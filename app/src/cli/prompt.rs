//! `nebula ctl prompt --wait`: writes a prompt and prints the snapshot that ended its wait, as
//! `pane.wait` would.
//!
//! A server that lists `pane.prompt.wait` does both in one request, and nothing can happen between
//! the two. For others the sequence number of the prompt's own answer is the baseline of the wait;
//! without one there is no wait, because it could match the state from before the prompt.

use std::process::ExitCode;
use std::time::Duration;

use control::client::{Client, ClientError, Endpoint, Raw, Reply};
use protocol::{Call, ErrorCode, Method, NoParams, PanePromptParams, PaneWaitParams};
use serde::Deserialize;
use serde_json::{Value, json};

use super::output::{self, Failure};

/// What the client grants beyond the server's own limit.
const GRACE: Duration = Duration::from_secs(1);

/// Time limit of the requests around the wait.
const USUAL: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
struct Described {
    features: Vec<String>,
}

#[derive(Deserialize)]
struct Prompted<'a> {
    #[serde(borrow)]
    snapshot: &'a Raw,
}

/// Why the chain of requests ended early.
enum Stop {
    /// With an error response, which is the output.
    Response(Reply),
    /// Without a usable response.
    Failure(Failure),
}

/// Sends the prompt, waits, and prints one envelope.
pub(super) fn run(
    endpoint: &Endpoint,
    params: PanePromptParams,
    limit: Duration,
    pretty: bool,
) -> ExitCode {
    match attempt(endpoint, params, limit, pretty) {
        Ok(status) => status,
        Err(Stop::Response(reply)) => output::reply(&reply, pretty),
        Err(Stop::Failure(failure)) => output::failure(failure, pretty),
    }
}

fn attempt(
    endpoint: &Endpoint,
    mut params: PanePromptParams,
    limit: Duration,
    pretty: bool,
) -> Result<ExitCode, Stop> {
    let mut client = Client::connect(endpoint)
        .map_err(|error| Stop::Failure(Failure::of_request(Method::PanePrompt, &error)))?;
    let describe = Call::RuntimeDescribe(NoParams {});
    let described: Described = decoded(&ask(&mut client, &describe, USUAL)?)?;
    if described
        .features
        .iter()
        .any(|feature| feature == "pane.prompt.wait")
    {
        let reply = ask(&mut client, &Call::PanePrompt(params), limit + GRACE)?;
        let prompted = reply
            .raw_result()
            .map(|result| serde_json::from_str(result.get()));
        let Some(Ok(Prompted { snapshot })) = prompted else {
            return Err(after_submission("the answer to the prompt has no snapshot"));
        };
        return Ok(output::success(&reply.id(), snapshot.get(), pretty));
    }
    let condition = params.wait.take().unwrap_or_default();
    let (window_id, pane_id) = (params.window_id, params.pane_id);
    let reply = ask(&mut client, &Call::PanePrompt(params), USUAL)?;
    let result: Value = decoded(&reply)?;
    let after_seq = sequence(&result, pane_id)
        .ok_or_else(|| after_submission("the answer to the prompt has no sequence number"))?;
    let wait = Call::PaneWait(PaneWaitParams {
        window_id,
        pane_id,
        state: condition.state,
        states: condition.states,
        timeout_ms: condition.timeout_ms,
        after_seq: Some(after_seq),
        occupant_seq: None,
    });
    match ask(&mut client, &wait, limit + GRACE) {
        Ok(reply) => Ok(output::reply(&reply, pretty)),
        Err(Stop::Response(reply)) => Err(Stop::Response(reply)),
        // The text was delivered; whoever reads this must not send it again blindly.
        Err(Stop::Failure(failure)) => Err(Stop::Failure(
            failure.with("submitted", true).with("after_seq", after_seq),
        )),
    }
}

/// One request whose success is needed to go on.
fn ask(client: &mut Client, call: &Call, limit: Duration) -> Result<Reply, Stop> {
    match client.request(call.method(), call, limit) {
        Ok(reply) if reply.is_ok() => Ok(reply),
        Ok(reply) => Err(Stop::Response(reply)),
        Err(error) => Err(Stop::Failure(Failure::of_request(call.method(), &error))),
    }
}

fn decoded<T: serde::de::DeserializeOwned>(reply: &Reply) -> Result<T, Stop> {
    reply.result().map_err(|error: ClientError| {
        let message = error.to_string();
        Stop::Failure(Failure::new(
            ErrorCode::InvalidRuntimeResponse,
            message,
            json!({}),
        ))
    })
}

/// The pane's sequence number in the answer of a prompt. Zero is no baseline.
fn sequence(result: &Value, pane_id: u64) -> Option<u64> {
    let window_id = result.pointer("/action/window_id").and_then(Value::as_u64);
    let windows = result.pointer("/snapshot/windows")?.as_array()?;
    windows
        .iter()
        .filter(|window| {
            window_id.is_none_or(|id| window.get("id").and_then(Value::as_u64) == Some(id))
        })
        .filter_map(|window| window.get("tabs")?.as_array())
        .flatten()
        .filter_map(|tab| tab.get("panes")?.as_array())
        .flatten()
        .find(|pane| pane.get("id").and_then(Value::as_u64) == Some(pane_id))?
        .get("state_change_seq")?
        .as_u64()
        .filter(|sequence| *sequence > 0)
}

fn after_submission(message: &str) -> Stop {
    let details = json!({"submitted": true});
    Stop::Failure(Failure::new(ErrorCode::RuntimeNoResponse, message, details))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_prompted_pane() {
        let window = |id: u64, seq: u64| {
            json!({"id": id, "tabs": [
                {"panes": []},
                {"panes": [{"id": 2, "state_change_seq": 9}, {"id": 3, "state_change_seq": seq}]},
            ]})
        };
        let result = json!({
            "action": {"window_id": 2, "pane_id": 3, "submitted": true},
            "snapshot": {"windows": [window(1, 5), window(2, 6)]},
        });
        assert_eq!(sequence(&result, 3), Some(6));
        assert_eq!(sequence(&result, 4), None);
        let zero = json!({"snapshot": {"windows": [window(1, 0)]}});
        assert_eq!(sequence(&zero, 3), None);
        assert_eq!(sequence(&json!({}), 3), None);
    }
}
