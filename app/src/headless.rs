//! `nebula --headless`: the workspace without a window, until it is closed or told to end by a signal.

use anyhow::Context as _;
use async_signal::Signal;
use settings::Current;
use smol::future;
use smol::stream::StreamExt as _;

use crate::start::Started;

/// Signals that end the program in order.
pub const ENDING: [Signal; 3] = [Signal::Int, Signal::Term, Signal::Hup];

/// Serves the workspace until it ends; its processes are ended with it.
///
/// # Errors
/// Signals cannot be received.
pub fn run(started: Started) -> anyhow::Result<()> {
    let Started {
        mut workspace,
        inbox,
        commands,
        server,
        mut signals,
    } = started;
    // Without a watch a change of the settings would need a restart.
    let watch = workspace
        .settings()
        .watch(report)
        .context("settings are not watched")?;
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
    Ok(())
}

/// Nobody looks at a headless workspace, so what is wrong with the settings goes to the log.
fn report(current: Current) {
    for problem in current.problems.iter() {
        tracing::warn!(%problem, "settings");
    }
}
