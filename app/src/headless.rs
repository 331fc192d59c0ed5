//! `nebula --headless`: the workspace without a window, until it is closed or told to end by a signal.

use async_signal::Signal;
use settings::{Current, WatchError};
use smol::future;
use smol::stream::StreamExt as _;

use crate::start::Started;

/// Signals that end the program in order.
pub const ENDING: [Signal; 3] = [Signal::Int, Signal::Term, Signal::Hup];

/// Serves the workspace until it ends; its processes are ended with it.
pub fn run(started: Started) {
    let Started {
        mut workspace,
        inbox,
        commands,
        server,
        mut signals,
    } = started;
    let watch = match workspace.settings().watch(report) {
        Ok(watch) => Some(watch),
        Err(error) => {
            settings_are_not_watched(&error);
            None
        }
    };
    smol::block_on(async {
        let signal = async {
            signals.next().await;
        };
        future::or(workspace::serve(&mut workspace, &inbox, &commands), signal).await;
        workspace.quit();
        let closed = async move { smol::unblock(move || server.shutdown()).await };
        workspace::drive(workspace, inbox, commands, closed).await;
    });
    drop(watch);
}

/// Warns that a change of the settings needs a restart. That is no reason not to serve.
pub fn settings_are_not_watched(error: &WatchError) {
    tracing::warn!(%error, "changes of the settings are seen at the next start only");
}

/// Nobody looks at a headless workspace, so what is wrong with the settings goes to the log.
fn report(current: Current) {
    for problem in current.problems.iter() {
        tracing::warn!(%problem, "settings");
    }
}
