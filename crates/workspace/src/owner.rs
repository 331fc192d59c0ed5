//! The headless owner: serves the inbox and the command queue until the program ends.
//!
//! A window does the same with its own event loop; there is no second implementation of anything
//! that matters, only of waiting.

use std::time::{Duration, Instant};

use runtime::{CommandReceiver, QueuedCommand};
use smol::Timer;
use smol::future::{self, FutureExt};

use crate::inbox::{Inbox, WorkspaceEvent};
use crate::workspace::{TICK, Workspace};

/// Events that are applied before commands get their turn, so that a pane that floods the inbox
/// cannot keep clients waiting.
const EVENTS_AT_ONCE: usize = 256;
/// Commands that are executed before events get their turn.
const COMMANDS_AT_ONCE: usize = 64;
/// How long the answer to the request that ended the program may take to be written.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// How long processes may take to end; terminals kill for good after two seconds.
const END_MAX: Duration = Duration::from_secs(5);

/// What woke the owner.
enum Wake {
    Event(Option<WorkspaceEvent>),
    Command(Option<QueuedCommand>),
    Tick,
}

/// Owns a workspace until it quits, and ends what runs in it then. Call [`Workspace::start`]
/// before. Programs that want to end it send `window.close`, or call [`Workspace::quit`] first.
///
/// `closed` runs when no request is answered any more, while the processes of the panes are still
/// ending: it stops the server, so that nobody is sent to a workspace that is on its way out.
pub async fn drive(
    mut workspace: Workspace,
    inbox: Inbox,
    commands: CommandReceiver,
    closed: impl Future<Output = ()>,
) {
    serve(&mut workspace, &inbox, &commands).await;
    commands.close();
    if let Some(answered) = workspace.take_answered() {
        let limit = async {
            Timer::after(ANSWER_MAX).await;
        };
        answered.wait().or(limit).await;
    }
    workspace.shutdown();
    closed.await;
    let deadline = Instant::now() + END_MAX;
    while !workspace.is_ended() && Instant::now() < deadline {
        let pause = workspace.next_wake(Instant::now()).min(TICK);
        if let Wake::Event(Some(event)) = next(&inbox, None, pause).await {
            workspace.handle_event(event);
        }
    }
}

/// Serves events and commands until the workspace quits. Dropping the future loses nothing, so a
/// caller may serve for a while, look, and go on.
pub async fn serve(workspace: &mut Workspace, inbox: &Inbox, commands: &CommandReceiver) {
    let mut open = true;
    while !workspace.is_quitting() {
        let pause = workspace.next_wake(Instant::now());
        match next(inbox, open.then_some(commands), pause).await {
            Wake::Event(Some(event)) => workspace.handle_event(event),
            Wake::Command(Some(command)) => workspace.execute(command),
            Wake::Command(None) => open = false,
            // The workspace itself holds a sender, so the inbox outlives it.
            Wake::Event(None) | Wake::Tick => {}
        }
        catch_up(workspace, inbox, commands);
    }
}

/// Applies what has queued up, as much of it as is fair, and pumps. The loop of a window calls it
/// after every wake.
pub fn catch_up(workspace: &mut Workspace, inbox: &Inbox, commands: &CommandReceiver) {
    for event in std::iter::from_fn(|| inbox.try_next()).take(EVENTS_AT_ONCE) {
        workspace.handle_event(event);
    }
    for command in std::iter::from_fn(|| commands.try_recv()).take(COMMANDS_AT_ONCE) {
        workspace.execute(command);
    }
    workspace.pump(Instant::now());
}

async fn next(inbox: &Inbox, commands: Option<&CommandReceiver>, pause: Duration) -> Wake {
    let event = async { Wake::Event(inbox.next().await) };
    let command = async {
        match commands {
            Some(commands) => Wake::Command(commands.recv().await),
            None => future::pending().await,
        }
    };
    let tick = async {
        Timer::after(pause).await;
        Wake::Tick
    };
    event.or(command).or(tick).await
}
