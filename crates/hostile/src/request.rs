//! Request lines of the control API, up to the call that is carried out.

use std::str::FromStr;

use protocol::{
    ApiError, Call, ErrorCode, Method, Request, Token, UNKNOWN_ID, parse_line, token_of,
};

/// Longest message of an error.
const MAX_MESSAGE: usize = 1024;

/// Any line gives a call or an error that names what is wrong, in one line that does not repeat the
/// token; and a call that is written again is read as the same one.
pub fn request(line: &[u8]) {
    let value = match parse_line(line) {
        Ok(value) => value,
        Err(refusal) => {
            assert_eq!(refusal.id, UNKNOWN_ID);
            return check_error(&refusal.error, None);
        }
    };
    let Some(token) = token_of(&value).map(str::to_owned) else {
        // The connection is closed without a word.
        return;
    };
    // A real one, and one that no message repeats because it also stands somewhere else.
    let is_secret = Token::from_str(&token).is_ok() && times(line, token.as_bytes()) == 1;
    let secret = is_secret.then_some(&*token);
    let request = match Request::from_value(value) {
        Ok(request) => request,
        Err(refusal) => return check_error(&refusal.error, secret),
    };
    assert!(
        (1..=protocol::limits::ID_BYTES).contains(&request.id.len()),
        "length of an id"
    );
    let shown = format!("{request:?}");
    assert!(
        !secret.is_some_and(|token| shown.contains(token)),
        "a token in a log"
    );
    let method = match Method::from_str(&request.method) {
        Ok(method) => method,
        Err(error) => return check_error(&error, secret),
    };
    assert_eq!(method.as_str(), request.method);
    match Call::decode(method, request.params) {
        Ok(call) => {
            assert_eq!(call.method(), method);
            let again = serde_json::to_value(&call).map(|written| Call::decode(method, written));
            let same = again.is_ok_and(|again| again.is_ok_and(|again| again == call));
            assert!(same, "written and read again: {call:?}");
        }
        Err(error) => {
            assert_eq!(error.code, ErrorCode::InvalidParams);
            for member in ["field", "reason"] {
                let found = error.details.get(member).is_some_and(|at| at.is_string());
                assert!(found, "{member} in {error:?}");
            }
            check_error(&error, secret);
        }
    }
}

fn check_error(error: &ApiError, token: Option<&str>) {
    let message = &error.message;
    assert!(
        (1..=MAX_MESSAGE).contains(&message.len()),
        "length of {message:?}"
    );
    assert!(!message.contains(char::is_control), "{message:?}");
    if let Some(token) = token {
        assert!(!message.contains(token), "a token in {message:?}");
    }
}

fn times(text: &[u8], part: &[u8]) -> usize {
    let windows = text.windows(part.len().max(1));
    windows.filter(|window| *window == part).count()
}
