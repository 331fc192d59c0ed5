//! The JSON Schema (draft 2020-12) of the control API, derived from the types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::call::{Method, MethodClass};
use crate::{
    AgentsResult, DescribeResult, Event, IdentifyResult, MutationResult, PROTOCOL, PaneRead,
    ProcsResult, Request, Response, Snapshot, SubscribeAck, VERSION,
};

/// The schema as one document.
///
/// The document itself accepts any line of the protocol. `$defs` holds every shape; `x-methods` names, for each method, its class and the definitions of its
/// parameters and of its result.
pub fn schema() -> Value {
    let mut schemas = SchemaSettings::draft2020_12().into_generator();
    let mut methods = Map::new();
    let mut rules = Vec::new();
    for method in Method::ROUTED {
        let params = method.params_schema(&mut schemas);
        rules.push(json!({
            "if": { "properties": { "method": { "const": method.as_str() } } },
            "then": { "properties": { "params": params } },
        }));
        let class = match method.class() {
            MethodClass::Query => "query",
            MethodClass::Action => "action",
        };
        let result = result_schema(*method, &mut schemas);
        methods.insert(
            method.as_str().to_owned(),
            json!({ "class": class, "params": params, "result": result }),
        );
    }
    let envelopes = [
        reference::<Request>(&mut schemas),
        reference::<Response>(&mut schemas),
        reference::<Event>(&mut schemas),
    ];
    let mut definitions = schemas.take_definitions(true);
    refine(&mut definitions, rules);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{PROTOCOL} version {VERSION}"),
        "description": "Runtime control API of Nebula, one JSON object per line.",
        "oneOf": envelopes,
        "$defs": definitions,
        "x-methods": methods,
    })
}

/// The schema as text: sorted keys, indented by two spaces, one final newline.
pub fn schema_text() -> String {
    // `serde_json::Map` is ordered by key, since nothing turns on `preserve_order`; sorting explicitly keeps that independent of other crates' features.
    let mut text = format!("{:#}", sorted(schema()));
    text.push('\n');
    text
}

fn reference<T: JsonSchema>(schemas: &mut SchemaGenerator) -> Schema {
    schemas.subschema_for::<T>()
}

fn result_schema(method: Method, schemas: &mut SchemaGenerator) -> Schema {
    match method {
        Method::RuntimeDescribe => reference::<DescribeResult>(schemas),
        Method::RuntimeSnapshot | Method::PaneWait => reference::<Snapshot>(schemas),
        Method::RuntimeIdentify => reference::<IdentifyResult>(schemas),
        Method::EventsSubscribe => reference::<SubscribeAck>(schemas),
        Method::AgentsList => reference::<AgentsResult>(schemas),
        Method::PaneRead => reference::<PaneRead>(schemas),
        Method::PaneProcs => reference::<ProcsResult>(schemas),
        Method::WindowCreate
        | Method::WindowFocus
        | Method::WindowClose
        | Method::TabNew
        | Method::TabClose
        | Method::TabRename
        | Method::TabMove
        | Method::PaneSplit
        | Method::PaneClose
        | Method::PaneZoom
        | Method::PaneResize
        | Method::PanePrompt
        | Method::PanePaste
        | Method::PaneSendKey => reference::<MutationResult>(schemas),
    }
}

/// Adds what the types cannot say: constants of the envelopes, the parameters that belong to each method, and that a response has a result or an error.
fn refine(definitions: &mut Map<String, Value>, rules: Vec<Value>) {
    for name in ["Request", "Response", "Event"] {
        let Some(properties) = definitions
            .get_mut(name)
            .and_then(|schema| schema.get_mut("properties"))
        else {
            continue;
        };
        for (member, value) in [("protocol", json!(PROTOCOL)), ("version", json!(VERSION))] {
            if let Some(schema) = properties.get_mut(member).and_then(Value::as_object_mut) {
                schema.insert("const".to_owned(), value);
            }
        }
    }
    if let Some(request) = definitions
        .get_mut("Request")
        .and_then(Value::as_object_mut)
    {
        let names: Vec<&str> = Method::ROUTED
            .iter()
            .map(|method| method.as_str())
            .collect();
        if let Some(method) = request
            .get_mut("properties")
            .and_then(|properties| properties.get_mut("method"))
            .and_then(Value::as_object_mut)
        {
            method.insert("enum".to_owned(), json!(names));
        }
        request.insert("allOf".to_owned(), Value::Array(rules));
    }
    if let Some(response) = definitions
        .get_mut("Response")
        .and_then(Value::as_object_mut)
    {
        response.insert(
            "oneOf".to_owned(),
            json!([
                { "properties": { "ok": { "const": true }, "error": false }, "required": ["result"] },
                { "properties": { "ok": { "const": false }, "result": false }, "required": ["error"] },
            ]),
        );
    }
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by(|(left, _), (right, _)| left.cmp(right));
            Value::Object(
                members
                    .into_iter()
                    .map(|(name, value)| (name, sorted(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn params_are_closed_and_results_open() {
        let schema = schema();
        let definitions = schema["$defs"].as_object().unwrap();
        for (name, definition) in definitions {
            let closed = definition.get("additionalProperties") == Some(&json!(false));
            let input = name.ends_with("Params")
                || ["Request", "WaitCondition", "KeyModifiers"].contains(&name.as_str());
            assert_eq!(closed, input, "{name}");
        }
        assert_eq!(
            definitions["Request"]["properties"]["protocol"]["const"],
            PROTOCOL
        );
        assert_eq!(
            definitions["Request"]["allOf"].as_array().unwrap().len(),
            Method::ROUTED.len()
        );
    }

    #[test]
    fn every_reference_resolves() {
        fn visit(value: &Value, definitions: &Value) {
            match value {
                Value::Object(members) => {
                    if let Some(Value::String(target)) = members.get("$ref") {
                        let name = target.strip_prefix("#/$defs/").expect("local reference");
                        assert!(definitions.get(name).is_some(), "{target}");
                    }
                    members
                        .values()
                        .for_each(|member| visit(member, definitions));
                }
                Value::Array(items) => items.iter().for_each(|item| visit(item, definitions)),
                _ => {}
            }
        }
        let schema = schema();
        visit(&schema, &schema["$defs"]);
    }

    #[test]
    fn the_text_is_stable() {
        let text = schema_text();
        assert_eq!(text, schema_text());
        assert!(text.ends_with("}\n") && !text.ends_with("\n\n"));
    }
}
