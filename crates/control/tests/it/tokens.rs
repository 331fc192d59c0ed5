//! Tokens of panes and the setting `panes.control`.

use protocol::Scope;
use serde_json::{Value, json};

use crate::peer::{Peer, code, request, result};
use crate::world::{World, pane};

const QUERIES: [(&str, &str); 3] = [
    ("runtime.snapshot", "{}"),
    ("agents.list", "{}"),
    ("pane.read", "{\"pane_id\":1}"),
];

fn ask(peer: &mut Peer, token: &str, method: &str, params: &str) -> Value {
    peer.ask(&request(
        token,
        method,
        serde_json::from_str(params).unwrap(),
    ))
}

#[test]
fn identify_names_the_caller_and_the_focus() {
    let world = World::new();
    let mut peer = world.peer();
    let owner = peer.ask(&world.request("runtime.identify", json!({})));
    let expected = json!({
        "token": "owner",
        "scope": "full",
        "caller": null,
        "focused": {"window_id": 1, "tab_index": 0, "pane_id": 1},
        "process_id": std::process::id(),
        "boot_id": "b".repeat(32),
    });
    assert_eq!(result(&owner), &expected);

    let token = world.pane_token(7);
    let caller = ask(&mut peer, &token, "runtime.identify", "{}");
    let caller = result(&caller);
    assert_eq!(caller["token"], "pane");
    assert_eq!(
        caller["caller"],
        json!({"window_id": 1, "tab_index": 0, "pane_id": 7})
    );
    assert_eq!(caller["focused"]["pane_id"], 1);
}

#[test]
fn the_setting_is_read_for_each_request() {
    let world = World::new();
    let token = world.pane_token(1);
    let mut peer = world.peer();
    let split = ("pane.split", "{\"direction\":\"left_right\"}");

    result(&ask(&mut peer, &token, split.0, split.1));
    world.set_scope(Scope::Read);
    for (method, params) in QUERIES {
        result(&ask(&mut peer, &token, method, params));
    }
    let denied = ask(&mut peer, &token, split.0, split.1);
    assert_eq!(code(&denied), "permission_denied");
    assert_eq!(
        denied["error"]["details"],
        json!({"scope": "read", "method": "pane.split"})
    );

    world.set_scope(Scope::None);
    for (method, params) in QUERIES {
        assert_eq!(
            code(&ask(&mut peer, &token, method, params)),
            "permission_denied"
        );
    }
    result(&ask(&mut peer, &token, "runtime.describe", "{}"));
    let identity = ask(&mut peer, &token, "runtime.identify", "{}");
    assert_eq!(result(&identity)["scope"], "none");
    // The owner is never restricted, not even on the same connection.
    result(&ask(&mut peer, &world.token, split.0, split.1));

    world.set_scope(Scope::Full);
    result(&ask(&mut peer, &token, split.0, split.1));
}

#[test]
fn a_revoked_token_is_a_bad_token() {
    let world = World::new();
    let token = world.pane_token(1);
    let mut open = world.peer();
    result(&ask(&mut open, &token, "runtime.describe", "{}"));
    world.tokens.revoke(pane(1));
    open.send(&request(&token, "runtime.describe", json!({})));
    open.assert_silence();
    let mut fresh = world.peer();
    fresh.write(format!("PING {token}\n"));
    fresh.assert_silence();
}
