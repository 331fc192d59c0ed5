//! `nebula ctl env`: what a program inside this pane knows, and whether a server answers.
//! Succeeds without a server and never shows the token.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use control::client::{self, Endpoint, EndpointError};
use serde::Serialize;

use super::output;

/// The variable that names the pane a program runs in.
pub(super) const PANE_VARIABLE: &str = "NEBULA_PANE_ID";

#[derive(Serialize)]
struct Environment {
    pane_id: Option<u64>,
    remote: bool,
    cli: Option<String>,
    hook_socket: bool,
    endpoint: Option<EndpointRow>,
    runtime: &'static str,
}

#[derive(Serialize)]
struct EndpointRow {
    source: &'static str,
    port: u16,
}

/// The pane this process runs in, if it says so.
pub(super) fn pane() -> Option<u64> {
    env::var(PANE_VARIABLE).ok()?.parse().ok()
}

/// Prints the environment as one JSON object.
pub(super) fn print(endpoint: Result<Endpoint, EndpointError>, pretty: bool) -> ExitCode {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let runtime = match &endpoint {
        Ok(endpoint) if matches!(client::ping(endpoint), Ok(true)) => "reachable",
        Err(error) if error.is_absent() => "absent",
        Ok(_) | Err(_) => "unreachable",
    };
    let environment = Environment {
        pane_id: pane(),
        remote: is_set("NEBULA_PANE_REMOTE"),
        cli: env::var("NEBULA_CLI").ok(),
        hook_socket: is_set("NEBULA_HOOK_SOCKET"),
        endpoint: endpoint.ok().map(|endpoint| EndpointRow {
            source: endpoint.source().as_str(),
            port: endpoint.port(),
        }),
        runtime,
    };
    output::object(&environment, pretty)
}

/// Resolves the endpoint of this call.
pub(super) fn endpoint(port_file: Option<&Path>) -> Result<Endpoint, EndpointError> {
    let data_dir = settings::Paths::from_env().map(|paths| paths.data_dir);
    // Without any directory the variable or the named file may still lead to a server.
    Endpoint::resolve(port_file, &data_dir.unwrap_or_default())
}
