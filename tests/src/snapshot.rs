//! Finding one's way in the JSON of a snapshot.

use serde_json::{Value, json};

use crate::client::Client;
use crate::poll::{self, PATIENCE};

/// The workspace as it is now.
#[must_use]
pub fn now(client: &mut Client) -> Value {
    client.ok("runtime.snapshot", json!({}))
}

/// Waits until the workspace is as wanted.
pub fn until(client: &mut Client, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    poll::until_ok(what, PATIENCE, || {
        let now = now(client);
        if wanted(&now) { Ok(now) } else { Err(now) }
    })
}

/// The tabs of the workspace window.
#[must_use]
pub fn tabs(snapshot: &Value) -> &[Value] {
    snapshot["windows"][0]["tabs"]
        .as_array()
        .map_or(&[], Vec::as_slice)
}

/// All panes of all tabs.
pub fn panes(snapshot: &Value) -> impl Iterator<Item = &Value> {
    tabs(snapshot)
        .iter()
        .flat_map(|tab| tab["panes"].as_array().into_iter().flatten())
}

/// The ids of all panes.
#[must_use]
pub fn pane_ids(snapshot: &Value) -> Vec<u64> {
    panes(snapshot)
        .filter_map(|pane| pane["id"].as_u64())
        .collect()
}

/// One pane.
///
/// # Panics
/// When it is not there.
#[must_use]
pub fn pane(snapshot: &Value, id: u64) -> &Value {
    panes(snapshot)
        .find(|pane| pane["id"] == id)
        .unwrap_or_else(|| panic!("no pane {id} in {snapshot}"))
}

/// The state of a pane.
#[must_use]
pub fn state(snapshot: &Value, id: u64) -> &str {
    pane(snapshot, id)["task_state"]
        .as_str()
        .expect("a state is a string")
}

/// The transition count of a pane.
#[must_use]
pub fn sequence(snapshot: &Value, id: u64) -> u64 {
    pane(snapshot, id)["state_change_seq"]
        .as_u64()
        .expect("a sequence is an integer")
}

/// The transition counts of all panes.
#[must_use]
pub fn sequences(snapshot: &Value) -> Vec<(u64, u64)> {
    pane_ids(snapshot)
        .into_iter()
        .map(|id| (id, sequence(snapshot, id)))
        .collect()
}

/// The revision.
#[must_use]
pub fn revision(snapshot: &Value) -> u64 {
    snapshot["revision"]
        .as_u64()
        .expect("a revision is an integer")
}

/// The labels of the tabs, in order.
#[must_use]
pub fn labels(snapshot: &Value) -> Vec<&str> {
    tabs(snapshot)
        .iter()
        .map(|tab| tab["label"].as_str().expect("a label is a string"))
        .collect()
}

/// The lifecycle record of a pane that is gone, when it is kept.
#[must_use]
pub fn lifecycle(snapshot: &Value, id: u64) -> Option<&Value> {
    snapshot["pane_lifecycles"]
        .as_array()?
        .iter()
        .find(|record| record["pane_id"] == id)
}
