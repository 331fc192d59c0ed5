//! Holding the traffic of the tests against the schema that is part of the repository.
//!
//! The file is read as any other program would read it: `$defs` holds the shapes, `x-methods` names
//! the result of each method. While the file does not exist nothing is checked here; a test of its
//! own says that it must exist.

use std::collections::HashMap;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::binary;

/// Path of the schema in the repository, as `runtime.describe` names it.
pub const PATH: &str = "docs/runtime-api-v1.schema.json";

/// Errors of a request that was not as the schema says; every other answer needs a valid request.
const INVALID: [&str; 5] = [
    "invalid_request",
    "invalid_params",
    "method_not_found",
    "protocol_version_mismatch",
    // The scope of a token is checked before the parameters are looked at.
    "permission_denied",
];

struct Schema {
    request: Validator,
    response: Validator,
    event: Validator,
    results: HashMap<String, Validator>,
}

fn schema() -> Option<&'static Schema> {
    static SCHEMA: OnceLock<Option<Schema>> = OnceLock::new();
    SCHEMA
        .get_or_init(|| {
            let text = std::fs::read_to_string(binary::repository().join(PATH)).ok()?;
            let document: Value = serde_json::from_str(&text).expect("the schema is JSON");
            let definition = |reference: &Value| {
                let shape = json!({
                    "$schema": document["$schema"], "$defs": document["$defs"], "allOf": [reference],
                });
                jsonschema::validator_for(&shape)
                    .unwrap_or_else(|error| panic!("{PATH}, {reference}: {error}"))
            };
            let named = |name: &str| definition(&json!({"$ref": format!("#/$defs/{name}")}));
            let methods = document["x-methods"].as_object().expect("x-methods");
            Some(Schema {
                request: named("Request"),
                response: named("Response"),
                event: named("Event"),
                results: methods
                    .iter()
                    .map(|(name, method)| (name.clone(), definition(&method["result"])))
                    .collect(),
            })
        })
        .as_ref()
}

/// Checks a request and its response.
pub fn check_exchange(method: &str, request: &Value, response: &Value) {
    let Some(schema) = schema() else { return };
    expect_valid(&schema.response, "the response", response);
    if response["ok"] == true {
        let result = schema.results.get(method);
        let result = result.unwrap_or_else(|| panic!("{PATH} knows no method {method}"));
        expect_valid(
            result,
            &format!("the result of {method}"),
            &response["result"],
        );
    }
    let code = response["error"]["code"].as_str().unwrap_or_default();
    if !INVALID.contains(&code) {
        expect_valid(&schema.request, "a request that was accepted", request);
    }
}

/// Checks an event.
pub fn check_event(event: &Value) {
    if let Some(schema) = schema() {
        expect_valid(&schema.event, "an event", event);
    }
}

fn expect_valid(validator: &Validator, what: &str, value: &Value) {
    let faults: Vec<String> = validator
        .iter_errors(value)
        .map(|fault| format!("at {:?}: {fault}", fault.instance_path().as_str()))
        .collect();
    assert!(
        faults.is_empty(),
        "{what} does not match {PATH}: {faults:?}\n{value}"
    );
}
