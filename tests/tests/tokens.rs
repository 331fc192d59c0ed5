//! Who may do what: owner token, pane tokens, scopes.

use nebula_tests::pane::{await_prompt, run};
use nebula_tests::{Client, Ctl, Endpoint, Instance, Received, home, poll};
use serde_json::{Value, json};

/// The endpoint that a pane was given.
fn endpoint_of(instance: &Instance, client: &mut Client, pane: u64) -> Endpoint {
    run(
        client,
        pane,
        "printf %s \"$NEBULA_RUNTIME_ENDPOINT\" > endpoint",
    );
    let text = instance.home().read_user("endpoint").unwrap();
    let endpoint = Endpoint::parse(&text).unwrap_or_else(|| panic!("an endpoint: {text:?}"));
    assert_eq!(
        text,
        format!("{} {}", endpoint.port, endpoint.token),
        "exactly port and token"
    );
    endpoint
}

/// Check 58.
#[test]
fn a_pane_knows_itself() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let second = client.ok("tab.new", json!({}))["action"]["pane_id"]
        .as_u64()
        .unwrap();
    run(
        &mut client,
        first,
        "\"$NEBULA_CLI\" ctl identify > identity",
    );
    let text = instance.home().read_user("identity").unwrap();
    let envelope: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let identity = &envelope["result"];
    assert_eq!(identity["token"], "pane", "{text}");
    assert_eq!(identity["scope"], "full");
    assert_eq!(
        identity["caller"],
        json!({"window_id": 1, "tab_index": 0, "pane_id": first})
    );
    assert_eq!(
        identity["focused"],
        json!({"window_id": 1, "tab_index": 1, "pane_id": second})
    );
    assert_eq!(identity["process_id"], instance.pid());

    let owner = client.ok("runtime.identify", json!({}));
    assert_eq!(
        (&owner["token"], &owner["scope"]),
        (&json!("owner"), &json!("full"))
    );
    assert_eq!(owner["caller"], json!(null));
    assert_eq!(owner["boot_id"], identity["boot_id"]);

    // A tab that moves takes its caller along.
    client.ok("tab.move", json!({"tab_index": 0, "to_index": 1}));
    let mut inside = Client::connect(&endpoint_of(&instance, &mut client, first));
    assert_eq!(
        inside.ok("runtime.identify", json!({}))["caller"]["tab_index"],
        1
    );
}

/// The environment of a pane.
#[test]
fn a_pane_has_its_environment() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    run(&mut client, pane, "env -0 > environment");
    let text = instance.home().read_user("environment").unwrap();
    let variable = |name: &str| {
        text.split('\0')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
            .map(str::to_owned)
    };
    assert_eq!(variable("NEBULA_PANE_ID"), Some(pane.to_string()));
    assert_eq!(variable("TERM").as_deref(), Some("xterm-256color"));
    assert_eq!(variable("COLORTERM").as_deref(), Some("truecolor"));
    assert_eq!(variable("TERM_PROGRAM").as_deref(), Some("nebula"));
    let version = client.ok("runtime.describe", json!({}))["app_version"].clone();
    assert_eq!(
        variable("TERM_PROGRAM_VERSION").as_deref(),
        version.as_str()
    );
    let cli = variable("NEBULA_CLI").expect("NEBULA_CLI");
    let real = |path: &std::path::Path| path.canonicalize().unwrap();
    assert_eq!(real(cli.as_ref()), real(&nebula_tests::binary::nebula()));
    let endpoint = Endpoint::parse(&variable("NEBULA_RUNTIME_ENDPOINT").unwrap()).unwrap();
    assert_eq!(endpoint.port, instance.endpoint().port);
    assert_ne!(
        endpoint.token,
        instance.endpoint().token,
        "not the owner token"
    );
    assert_eq!(endpoint.token.len(), 32);
}

/// Check 59.
#[test]
fn the_scope_of_panes_is_a_setting_that_applies_at_once() {
    let instance = Instance::start();
    let (mut owner, pane) = instance.ready();
    let endpoint = endpoint_of(&instance, &mut owner, pane);
    let mut inside = Client::connect(&endpoint);
    inside.ok("tab.rename", json!({"tab_index": 0, "name": "by a pane"}));

    let scope = |client: &mut Client, wanted: &str| {
        let settings = format!("{}\n[panes]\ncontrol = \"{wanted}\"\n", home::SETTINGS);
        instance.home().write_settings(&settings);
        // The same connection: the setting is read for every request.
        poll::until_ok("the setting to apply", poll::PATIENCE, || {
            let scope = client.ok("runtime.identify", json!({}))["scope"].clone();
            if scope == wanted { Ok(()) } else { Err(scope) }
        });
    };
    let denied = |client: &mut Client, scope: &str, method: &str, params: Value| {
        let error = client.error(method, params, "permission_denied");
        assert_eq!(error["details"], json!({"scope": scope, "method": method}));
    };
    let prompt = json!({"pane_id": pane, "text": "true"});

    scope(&mut inside, "read");
    inside.ok("runtime.snapshot", json!({}));
    inside.ok("runtime.describe", json!({}));
    inside.ok("agents.list", json!({}));
    inside.ok("pane.read", json!({"pane_id": pane}));
    inside.ok("pane.procs", json!({"pane_id": pane}));
    inside.ok("pane.wait", json!({"pane_id": pane}));
    denied(&mut inside, "read", "pane.prompt", prompt.clone());
    // The scope comes before parameters and targets (rule 2.9).
    for method in [
        "window.create",
        "window.focus",
        "window.close",
        "tab.new",
        "tab.close",
        "tab.rename",
        "tab.move",
        "pane.split",
        "pane.prompt",
        "pane.close",
        "pane.zoom",
        "pane.resize",
        "pane.paste",
        "pane.send_key",
    ] {
        denied(&mut inside, "read", method, json!({"surprise": 1}));
    }
    owner.ok("pane.prompt", prompt.clone());

    scope(&mut inside, "none");
    inside.ok("runtime.describe", json!({}));
    for method in [
        "runtime.snapshot",
        "events.subscribe",
        "agents.list",
        "pane.read",
        "pane.wait",
    ] {
        denied(&mut inside, "none", method, json!({}));
    }
    denied(&mut inside, "none", "pane.prompt", prompt.clone());
    owner.ok("runtime.snapshot", json!({}));
    owner.ok("pane.prompt", prompt.clone());

    // Rule 4.4: the variable is set all the same, so that the answer is clear.
    let second = owner.ok("tab.new", json!({}))["action"]["pane_id"]
        .as_u64()
        .unwrap();
    await_prompt(&mut owner, second);
    run(
        &mut owner,
        second,
        "\"$NEBULA_CLI\" ctl snapshot > answer; echo $? >> answer",
    );
    let answer = instance.home().read_user("answer").unwrap();
    assert!(
        answer.contains("\"permission_denied\"") && answer.ends_with("\n1\n"),
        "{answer}"
    );

    scope(&mut inside, "full");
    inside.ok("pane.prompt", prompt);
}

/// Check 60.
#[test]
fn the_token_of_a_closed_pane_is_dead() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let split = json!({"direction": "left_right"});
    let pane = client.ok("pane.split", split.clone())["action"]["pane_id"]
        .as_u64()
        .unwrap();
    await_prompt(&mut client, pane);
    let endpoint = endpoint_of(&instance, &mut client, pane);
    let mut kept = Client::connect(&endpoint);
    kept.ok("runtime.snapshot", json!({}));
    client.ok("pane.close", json!({"pane_id": pane, "force": true}));
    // A connection that was good before, and a new one.
    kept.send("runtime.snapshot", json!({}));
    kept.expect_silent_close();
    let mut new = Client::connect(&endpoint);
    new.send("runtime.snapshot", json!({}));
    new.expect_silent_close();
    let mut ping = Client::connect(&endpoint);
    ping.send_bytes(format!("PING {}\n", endpoint.token).as_bytes());
    ping.expect_silent_close();

    // Every pane has its own.
    let next = client.ok("pane.split", split)["action"]["pane_id"]
        .as_u64()
        .unwrap();
    await_prompt(&mut client, next);
    let other = endpoint_of(&instance, &mut client, next);
    assert_ne!(other.token, endpoint.token);
    let mut ping = Client::connect(&other);
    ping.send_bytes(format!("PING {}\n", other.token).as_bytes());
    assert_eq!(
        ping.receive(poll::PATIENCE),
        Received::Line("OK".to_owned())
    );
}

/// Rule 4.1: also when the root process of a held pane ends.
#[test]
fn the_token_of_an_exited_shell_is_dead() {
    let instance = Instance::start_with(home::HELD);
    let (mut client, pane) = instance.ready();
    let endpoint = endpoint_of(&instance, &mut client, pane);
    client.ok("pane.prompt", json!({"pane_id": pane, "text": "exit 0"}));
    client.ok("pane.wait", json!({"pane_id": pane, "state": "finished"}));
    let mut late = Client::connect(&endpoint);
    late.send("runtime.describe", json!({}));
    late.expect_silent_close();
}

/// Check 60: an endpoint that is set and useless is an error, not a reason to look elsewhere.
#[test]
fn a_dead_endpoint_is_not_replaced_by_another() {
    let instance = Instance::start();
    assert_eq!(
        instance.ctl(&["snapshot"]).status,
        0,
        "runtime.port is good"
    );
    let token = "0123456789abcdef0123456789abcdef";
    let port = instance.endpoint().port;
    for value in [
        "1 zz".to_owned(),
        String::new(),
        "garbage".to_owned(),
        format!("0 {token}"),
        format!("70000 {token}"),
        format!("{port} {}", token.to_uppercase()),
        format!("{port} {token}"),
        format!("1 {token}"),
        "@/does/not/exist".to_owned(),
        "@relative".to_owned(),
    ] {
        let mut command = instance.home().nebula();
        command
            .args(["ctl", "snapshot"])
            .env("NEBULA_RUNTIME_ENDPOINT", &value);
        let run = Ctl::run(command);
        assert_eq!(run.status, 1, "{value:?}: {run:?}");
        let envelope = run.envelope();
        assert_eq!(
            (&envelope["ok"], &envelope["id"]),
            (&json!(false), &json!("cli")),
            "{value:?}"
        );
        assert!(
            !format!("{run:?}").contains(token),
            "tokens are never printed: {run:?}"
        );
    }
}

/// Rule 2.8: connections per pane token.
#[test]
fn a_pane_has_at_most_sixteen_connections() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let endpoint = endpoint_of(&instance, &mut client, pane);
    let mut inside = Vec::new();
    for _ in 0..16 {
        let mut connection = Client::connect(&endpoint);
        connection.ok("runtime.describe", json!({}));
        inside.push(connection);
    }
    let mut extra = Client::connect(&endpoint);
    extra.send("runtime.describe", json!({}));
    extra.expect_silent_close();
    client.ok("runtime.describe", json!({}));
    instance.client().ok("runtime.describe", json!({}));
    inside.pop();
    poll::until_ok("a place to become free", poll::PATIENCE, || {
        let mut connection = Client::connect(&endpoint);
        connection.send("runtime.describe", json!({}));
        match connection.receive(poll::PATIENCE) {
            Received::Line(_) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
}
