//! Decoding one request line, in the order of checks that the contract prescribes.
//!
//! Threat model: a peer without a token learns nothing about methods, parameters or targets. So
//! the token is checked as soon as the line is known to be JSON, and before anything else of it is
//! looked at.

use protocol::{
    ApiError, Call, ErrorCode, Method, MethodClass, Refusal, Request, Scope, parse_line, token_of,
};
use runtime::Origin;
use serde_json::{Value, json};

use crate::token::TokenTable;

/// What a line came to.
#[derive(Debug)]
pub(crate) enum Decoded {
    /// A verb of the older text protocol with a live token; the connection ends after it.
    Verb(Verb),
    /// The connection ends without a byte.
    Silence,
    /// Not JSON: answered, then closed.
    Garbage(Refusal),
    /// An authenticated request that failed a later check.
    Refused(Origin, Refusal),
    /// An authenticated request to carry out.
    Accepted(Accepted),
}

/// A verb of the older text protocol.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Is an instance alive?
    Ping(Origin),
    /// Reveal and raise the window.
    Attach(Origin),
}

/// A request that passed every check of its text.
#[derive(Debug)]
pub(crate) struct Accepted {
    /// Whose token it carries.
    pub origin: Origin,
    /// What that token allows now.
    pub scope: Scope,
    /// The id to answer under.
    pub id: String,
    /// What to do.
    pub call: Call,
}

/// Decodes a line without its line ending.
pub(crate) fn decode(line: &[u8], tokens: &TokenTable, control: &dyn Fn() -> Scope) -> Decoded {
    let line = line.trim_ascii();
    if line.first() != Some(&b'{') {
        return verb(line, tokens, control);
    }
    let value = match parse_line(line) {
        Ok(value) => value,
        Err(refusal) => return Decoded::Garbage(refusal),
    };
    let Some(origin) = token_of(&value).and_then(|token| tokens.verify(token)) else {
        return Decoded::Silence;
    };
    match accept(value, origin, control) {
        Ok(accepted) => Decoded::Accepted(accepted),
        Err(refusal) => Decoded::Refused(origin, refusal),
    }
}

fn verb(line: &[u8], tokens: &TokenTable, control: &dyn Fn() -> Scope) -> Decoded {
    let parts = std::str::from_utf8(line)
        .ok()
        .and_then(|line| line.split_once(' '));
    let Some((verb, token)) = parts else {
        return Decoded::Silence;
    };
    let Some(origin) = tokens.verify(token) else {
        return Decoded::Silence;
    };
    match verb {
        "PING" => Decoded::Verb(Verb::Ping(origin)),
        "ATTACH" if scope_of(origin, control) == Scope::Full => Decoded::Verb(Verb::Attach(origin)),
        _ => Decoded::Silence,
    }
}

fn accept(value: Value, origin: Origin, control: &dyn Fn() -> Scope) -> Result<Accepted, Refusal> {
    let Request {
        id, method, params, ..
    } = Request::from_value(value)?;
    let decode = || {
        let method: Method = method.parse()?;
        let scope = scope_of(origin, control);
        if !allows(scope, method) {
            return Err(denied(scope, method));
        }
        Ok((scope, Call::decode(method, params)?))
    };
    match decode() {
        Ok((scope, call)) => Ok(Accepted {
            origin,
            scope,
            id,
            call,
        }),
        Err(error) => Err(Refusal { id, error }),
    }
}

/// The owner is never restricted; the setting is read once per request of a pane.
fn scope_of(origin: Origin, control: &dyn Fn() -> Scope) -> Scope {
    match origin {
        Origin::Owner => Scope::Full,
        Origin::Pane(_) => control(),
    }
}

fn allows(scope: Scope, method: Method) -> bool {
    match scope {
        Scope::Full => true,
        Scope::Read => method.class() == MethodClass::Query,
        Scope::None => matches!(method, Method::RuntimeDescribe | Method::RuntimeIdentify),
    }
}

fn denied(scope: Scope, method: Method) -> ApiError {
    ApiError::new(
        ErrorCode::PermissionDenied,
        format!(
            "the setting panes.control = \"{}\" does not let programs in panes call {}",
            scope.as_str(),
            method.as_str()
        ),
        json!({"scope": scope, "method": method.as_str()}),
    )
}
