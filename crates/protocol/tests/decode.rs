//! Decoding of parameters: what is accepted, what is refused, and which member the error names.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use proptest::prelude::*;
use protocol::{ApiError, Call, ErrorCode, Method};
use serde_json::{Value, json};

fn decode(method: &str, params: Value) -> Result<Call, ApiError> {
    Call::decode(method.parse().expect("a routed method"), params)
}

/// Asserts that the parameters are refused because of `field`.
fn refused(method: &str, params: Value, field: &str) {
    let error = decode(method, params.clone()).expect_err(&format!("{method} {params}"));
    assert_eq!(error.code, ErrorCode::InvalidParams, "{method} {params}");
    assert_eq!(
        error.details["field"], field,
        "{method} {params}: {}",
        error.message
    );
    assert!(!error.details["reason"].as_str().unwrap().is_empty());
}

#[test]
fn errors_name_the_member() {
    refused("runtime.snapshot", json!({"x": 1}), "x");
    refused("runtime.snapshot", json!([]), "params");
    refused("runtime.snapshot", json!(1), "params");
    refused("pane.read", json!({}), "pane_id");
    refused("pane.read", json!({"pane_id": "1"}), "pane_id");
    refused("pane.read", json!({"pane_id": 0}), "pane_id");
    refused("pane.read", json!({"pane_id": 1.5}), "pane_id");
    refused("pane.read", json!({"pane_id": 1u64 << 53}), "pane_id");
    refused("pane.read", json!({"pane_id": 1, "lines": 0}), "lines");
    refused("pane.read", json!({"pane_id": 1, "lines": 2001}), "lines");
    refused(
        "pane.read",
        json!({"pane_id": 1, "source": "all"}),
        "source",
    );
    refused(
        "pane.wait",
        json!({"pane_id": 1, "timeout_ms": 0}),
        "timeout_ms",
    );
    refused(
        "pane.wait",
        json!({"pane_id": 1, "timeout_ms": 86_400_001}),
        "timeout_ms",
    );
    refused(
        "pane.wait",
        json!({"pane_id": 1, "state": "idle", "states": ["idle"]}),
        "states",
    );
    refused("pane.wait", json!({"pane_id": 1, "states": []}), "states");
    refused(
        "pane.wait",
        json!({"pane_id": 1, "states": ["idle", "idle"]}),
        "states",
    );
    refused(
        "pane.wait",
        json!({"pane_id": 1, "states": ["idle", "bad"]}),
        "states[1]",
    );
    refused(
        "pane.wait",
        json!({"pane_id": 1, "occupant_seq": 0}),
        "occupant_seq",
    );
    refused(
        "pane.prompt",
        json!({"pane_id": 1, "text": "a", "wait": {"x": 1}}),
        "wait.x",
    );
    refused(
        "pane.prompt",
        json!({"pane_id": 1, "text": "a", "submit": false, "wait": {}}),
        "wait",
    );
    refused(
        "pane.prompt",
        json!({"pane_id": 1, "text": "a", "wait": {"timeout_ms": 0}}),
        "wait.timeout_ms",
    );
    refused("pane.resize", json!({"pane_id": 1, "ratio": 0.01}), "ratio");
    refused("pane.resize", json!({"pane_id": 1, "ratio": 0.96}), "ratio");
    refused("pane.send_key", json!({"pane_id": 1, "key": "a"}), "key");
    refused("pane.send_key", json!({"pane_id": 1, "key": "f13"}), "key");
    refused(
        "pane.send_key",
        json!({"pane_id": 1, "key": "tab", "repeat": 65}),
        "repeat",
    );
    refused(
        "pane.send_key",
        json!({"pane_id": 1, "key": "tab", "modifiers": {"meta": true}}),
        "modifiers.meta",
    );
    refused("pane.split", json!({"direction": "up"}), "direction");
    refused("tab.new", json!({"cwd": "relative"}), "cwd");
    refused("tab.new", json!({"shell": ""}), "shell");
    refused(
        "tab.rename",
        json!({"tab_index": 0, "name": "a\u{7}"}),
        "name",
    );
    refused(
        "tab.rename",
        json!({"tab_index": 0, "name": "n".repeat(257)}),
        "name",
    );
    refused(
        "tab.rename",
        json!({"tab_index": -1, "name": "n"}),
        "tab_index",
    );
    refused(
        "events.subscribe",
        json!({"heartbeat_ms": 999}),
        "heartbeat_ms",
    );
    refused(
        "events.subscribe",
        json!({"heartbeat_ms": 60_001}),
        "heartbeat_ms",
    );
}

#[test]
fn text_of_prompts_and_pastes_is_bounded() {
    for text in ["", "a\n", "\u{1b}[A", "a\tb", "\u{7f}", "\u{9b}1A"] {
        refused("pane.prompt", json!({"pane_id": 1, "text": text}), "text");
    }
    refused(
        "pane.prompt",
        json!({"pane_id": 1, "text": "x".repeat(32_769)}),
        "text",
    );
    assert!(
        decode(
            "pane.prompt",
            json!({"pane_id": 1, "text": "x".repeat(32_768)})
        )
        .is_ok()
    );
    assert!(decode("pane.paste", json!({"pane_id": 1, "text": "a\tb\r\nc"})).is_ok());
    refused(
        "pane.paste",
        json!({"pane_id": 1, "text": "\u{1b}[201~"}),
        "text",
    );
}

#[test]
fn null_is_absent_for_every_optional_member() {
    let schema = protocol::schema();
    for method in Method::ROUTED {
        let target = schema["x-methods"][method.as_str()]["params"]["$ref"]
            .as_str()
            .unwrap();
        let definition = &schema["$defs"][target.rsplit('/').next().unwrap()];
        let required: Vec<&str> = definition["required"]
            .as_array()
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut params = json!({});
        for name in &required {
            params[*name] = match *name {
                "pane_id" => json!(1),
                "tab_index" | "to_index" => json!(0),
                "text" | "name" => json!("a"),
                "direction" => json!("left_right"),
                "zoomed" => json!(true),
                "ratio" => json!(0.5),
                "key" => json!("enter"),
                other => panic!("give {other} a sample"),
            };
        }
        let without = Call::decode(*method, params.clone()).unwrap();
        if let Some(properties) = definition["properties"].as_object() {
            for name in properties
                .keys()
                .filter(|name| !required.contains(&name.as_str()))
            {
                params[name] = Value::Null;
            }
        }
        assert_eq!(
            Call::decode(*method, params).unwrap(),
            without,
            "{}",
            method.as_str()
        );
    }
}

#[test]
fn names_of_methods_read_back() {
    for method in Method::ROUTED {
        assert_eq!(method.as_str().parse::<Method>().unwrap(), *method);
    }
    let error = "pane.fly".parse::<Method>().unwrap_err();
    assert_eq!(error.code, ErrorCode::MethodNotFound);
    assert_eq!(error.details["method"], "pane.fly");
}

/// Arbitrary JSON, with the names of real members mixed in.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        Just("pane_id".to_owned()),
        Just("text".to_owned()),
        Just("wait".to_owned()),
        Just("states".to_owned()),
        ".{0,6}",
    ];
    leaf.prop_recursive(3, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Found by fuzzing: names of unknown members were repeated as they came.
#[test]
fn errors_repeat_one_line_of_what_a_peer_sent() {
    let name = format!("a\n\u{7f}{}", "x".repeat(5000));
    for params in [
        json!({"pane_id": 1, name.clone(): 1}),
        json!({"pane_id": 1, "source": name}),
        json!({"pane_id": 1, "lines": name}),
    ] {
        let error = Call::decode(Method::PaneRead, params).unwrap_err();
        for text in [
            error.message.as_str(),
            error.details["field"].as_str().unwrap(),
            error.details["reason"].as_str().unwrap(),
        ] {
            assert!(
                text.len() < 600 && !text.contains(char::is_control),
                "{text}"
            );
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_params_give_a_call_or_a_named_member(
        method in prop::sample::select(Method::ROUTED.to_vec()),
        params in any_json(),
    ) {
        match Call::decode(method, params) {
            Ok(call) => prop_assert_eq!(call.method(), method),
            Err(error) => {
                prop_assert_eq!(error.code, ErrorCode::InvalidParams);
                prop_assert!(error.details["field"].is_string());
                prop_assert!(error.details["reason"].is_string());
            }
        }
    }

    #[test]
    fn what_a_call_writes_reads_back(
        pane_id in 1u64..1 << 53,
        lines in prop::option::of(1u32..=2000),
        window_id in prop::option::of(0u64..1 << 53),
    ) {
        let params = json!({"pane_id": pane_id, "lines": lines, "window_id": window_id});
        let call = Call::decode(Method::PaneRead, params).unwrap();
        let written = serde_json::to_value(&call).unwrap();
        prop_assert_eq!(Call::decode(Method::PaneRead, written).unwrap(), call);
    }
}
