//! `nebula ctl subscribe`: JSON Lines until the server or the reader of the output ends.

use std::io;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::Duration;

use control::client::{Client, Endpoint, Next, Subscription};
use protocol::{Method, SubscribeParams};

use super::output::{self, Failure, Output};

/// Prints the acknowledgement and every event, each flushed.
pub(super) fn run(endpoint: &Endpoint, params: &SubscribeParams, limit: Duration) -> ExitCode {
    let opened = Client::connect(endpoint).and_then(|client| client.subscribe(params, limit));
    let (acknowledgement, mut stream) = match opened {
        Ok((reply, Some(stream))) => (reply, stream),
        Ok((reply, None)) => return output::reply(&reply, false),
        Err(error) => {
            let failure = Failure::of_request(Method::EventsSubscribe, &error);
            return output::failure(failure, false);
        }
    };
    let mut line = acknowledgement.line().to_owned();
    loop {
        match output::text(&line) {
            Ok(Output::Written) => {}
            Ok(Output::Closed) => return ExitCode::SUCCESS,
            Err(error) => return output::unwritable(&error),
        }
        line = match stream.next_while_open(io::stdout().as_fd()) {
            Ok(Next::Line(line)) => line,
            Ok(Next::End | Next::OutputClosed) => return ExitCode::SUCCESS,
            Err(error) => {
                let failure = Failure::of_request(Method::EventsSubscribe, &error);
                return output::failure(failure, false);
            }
        };
        // An error line, such as `slow_consumer`, is the last one.
        if let Ok(last) = Subscription::final_reply(&line) {
            return output::reply(&last, false);
        }
    }
}
