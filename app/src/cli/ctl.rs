//! `nebula ctl`: plan, ask, print.

use std::process::ExitCode;
use std::time::Duration;

use control::client::{self, Endpoint};
use protocol::Call;

use super::args::CtlArgs;
use super::environment;
use super::output::{self, Failure};
use super::request::{self, Plan, Surroundings, Task};
use super::{pane_list, prompt, subscribe};

/// What the client grants a waiting command beyond the server's own limit.
const GRACE: Duration = Duration::from_secs(1);

/// Carries out `nebula ctl` and returns its exit status: 0 for a success, 1 for an error response
/// (also a synthetic one), 2 for a usage error.
#[must_use]
pub fn run_ctl(args: CtlArgs) -> ExitCode {
    let CtlArgs {
        pretty,
        timeout_ms,
        port_file,
        command,
    } = args;
    let port_file = port_file.as_deref();
    let here = Surroundings::of_process(port_file, timeout_ms);
    let Plan { task, limit_ms } = match request::plan(command, &here) {
        Ok(plan) => plan,
        Err(refusal) => return refusal.report(pretty),
    };
    let limit = Duration::from_millis(limit_ms);
    let endpoint = environment::endpoint(port_file);
    match (task, endpoint) {
        (Task::Schema, _) => output::verbatim(&protocol::schema_text()),
        (Task::Env, endpoint) => environment::print(endpoint, pretty),
        (_, Err(error)) => output::failure(Failure::from(error), pretty),
        (Task::Call(call), Ok(endpoint)) => one_shot(&endpoint, &call, limit, pretty),
        (Task::PromptAndWait(params), Ok(endpoint)) => {
            prompt::run(&endpoint, params, limit, pretty)
        }
        (Task::PaneList { window }, Ok(endpoint)) => {
            pane_list::run(&endpoint, window, limit, pretty)
        }
        (Task::Subscribe(params), Ok(endpoint)) => subscribe::run(&endpoint, &params, limit),
    }
}

fn one_shot(endpoint: &Endpoint, call: &Call, limit: Duration, pretty: bool) -> ExitCode {
    let method = call.method();
    let limit = match call {
        Call::PaneWait(_) => limit + GRACE,
        _ => limit,
    };
    match client::call(endpoint, method, call, limit) {
        Ok(reply) => output::reply(&reply, pretty),
        Err(error) => output::failure(Failure::of_request(method, &error), pretty),
    }
}
