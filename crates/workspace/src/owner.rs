//! Owning a workspace: serving its inbox and the command queue until it quits, then ending what
//! runs in it.
//!
//! The window and the headless server do this with the same code. They differ in where the
//! workspace lives and in who measures time, so both are handed in: an [`Owner`] lends the
//! workspace for one step at a time, and a timer function makes the pauses. A window implements
//! [`Owner`] on the handle of its entity and passes the timer of its executor; [`drive`] is the
//! headless one, which owns the workspace itself.
//!
//! ```text
//! serve_owned   until the workspace quits, or its owner is gone
//! end_owned     commands refused, the last answer written, processes ended
//! ```

use std::time::{Duration, Instant};

use runtime::{CommandReceiver, QueuedCommand};
use smol::Timer;
use smol::future::{self, FutureExt};

use crate::inbox::{Inbox, WorkspaceEvent};
use crate::workspace::Workspace;

/// Events that are applied before commands get their turn, so that a pane that floods the inbox
/// cannot keep clients waiting.
const EVENTS_AT_ONCE: usize = 256;
/// Commands that are executed before events get their turn.
const COMMANDS_AT_ONCE: usize = 64;
/// How long the answer to the request that ended the program may take to be written.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// How long processes may take to end; terminals kill for good after two seconds.
const END_MAX: Duration = Duration::from_secs(5);

/// Whoever has a workspace.
pub trait Owner {
    /// Lends the workspace for one step, and does afterwards what an owner does after every step:
    /// a window collects [`Workspace::take_ui_events`] here. `None` when the workspace is gone
    /// without an end in order, because its owner was dropped; nothing more can be done then.
    fn lend<R>(&mut self, step: impl FnOnce(&mut Workspace) -> R) -> Option<R>;
}

impl Owner for Workspace {
    fn lend<R>(&mut self, step: impl FnOnce(&mut Workspace) -> R) -> Option<R> {
        Some(step(self))
    }
}

/// What woke the owner.
enum Wake {
    Event(Option<WorkspaceEvent>),
    Command(Option<QueuedCommand>),
    Tick,
}

/// Owns a workspace until it quits, and ends what runs in it then. Call [`Workspace::start`]
/// before. Programs that want to end it send `window.close`, or call [`Workspace::quit`] first.
///
/// `closed` is what [`end_owned`] says.
pub async fn drive(
    mut workspace: Workspace,
    inbox: Inbox,
    commands: CommandReceiver,
    closed: impl Future<Output = ()>,
) {
    serve(&mut workspace, &inbox, &commands).await;
    end_owned(&mut workspace, &inbox, &commands, closed, pause).await;
}

/// Serves events and commands until the workspace quits. Dropping the future loses nothing, so a
/// caller may serve for a while, look, and go on.
pub async fn serve(workspace: &mut Workspace, inbox: &Inbox, commands: &CommandReceiver) {
    serve_owned(workspace, inbox, commands, pause).await;
}

async fn pause(length: Duration) {
    Timer::after(length).await;
}

/// Serves events and commands until the workspace quits or its owner is gone. `timer` makes a
/// future that is ready after a time. One step takes what has arrived, a bounded number of each,
/// and never blocks. Dropping the future loses nothing.
pub async fn serve_owned<T: Future<Output = ()>>(
    owner: &mut impl Owner,
    inbox: &Inbox,
    commands: &CommandReceiver,
    timer: impl Fn(Duration) -> T,
) {
    let state = |workspace: &mut Workspace| {
        (!workspace.is_quitting()).then(|| workspace.next_wake(Instant::now()))
    };
    let mut open = true;
    let mut next_wake = owner.lend(state).flatten();
    while let Some(longest) = next_wake {
        let wake = next(inbox, open.then_some(commands), timer(longest)).await;
        open &= !matches!(wake, Wake::Command(None));
        let step = |workspace: &mut Workspace| {
            match wake {
                Wake::Event(Some(event)) => workspace.handle_event(event),
                Wake::Command(Some(command)) => workspace.execute(command),
                // The workspace itself holds a sender, so the inbox outlives it.
                Wake::Event(None) | Wake::Command(None) | Wake::Tick => {}
            }
            catch_up(workspace, inbox, commands);
            state(workspace)
        };
        next_wake = owner.lend(step).flatten();
    }
}

/// Ends a workspace that is quitting, in this order: no command is accepted any more; the answer
/// to the request that ended it is written, for which there are 5 s; the processes of all panes
/// are killed, for which there are 5 s too, while `closed` runs; and this returns when both are
/// done. Every end is announced by an event, so nothing is polled.
///
/// `closed` stops whoever sends people to this workspace, that is the server. `timer` is what
/// [`serve_owned`] says.
pub async fn end_owned<T: Future<Output = ()>>(
    owner: &mut impl Owner,
    inbox: &Inbox,
    commands: &CommandReceiver,
    closed: impl Future<Output = ()>,
    timer: impl Fn(Duration) -> T,
) {
    commands.close();
    // Those that were accepted are refused by a workspace that is quitting.
    while let Some(command) = commands.try_recv() {
        owner.lend(|workspace| workspace.execute(command));
    }
    if let Some(answered) = owner.lend(Workspace::take_answered).flatten() {
        answered.wait().or(timer(ANSWER_MAX)).await;
    }
    owner.lend(Workspace::shutdown);
    let ended = async {
        while owner.lend(|workspace| workspace.is_ended()) == Some(false) {
            let Some(event) = inbox.next().await else {
                break;
            };
            owner.lend(|workspace| {
                workspace.handle_event(event);
                for event in std::iter::from_fn(|| inbox.try_next()).take(EVENTS_AT_ONCE) {
                    workspace.handle_event(event);
                }
            });
        }
    };
    future::zip(closed, ended.or(timer(END_MAX))).await;
}

/// Applies what has queued up, as much of it as is fair, and pumps.
fn catch_up(workspace: &mut Workspace, inbox: &Inbox, commands: &CommandReceiver) {
    for event in std::iter::from_fn(|| inbox.try_next()).take(EVENTS_AT_ONCE) {
        workspace.handle_event(event);
    }
    for command in std::iter::from_fn(|| commands.try_recv()).take(COMMANDS_AT_ONCE) {
        workspace.execute(command);
    }
    workspace.pump(Instant::now());
}

async fn next(
    inbox: &Inbox,
    commands: Option<&CommandReceiver>,
    time: impl Future<Output = ()>,
) -> Wake {
    let event = async { Wake::Event(inbox.next().await) };
    let command = async {
        match commands {
            Some(commands) => Wake::Command(commands.recv().await),
            None => future::pending().await,
        }
    };
    let tick = async {
        time.await;
        Wake::Tick
    };
    event.or(command).or(tick).await
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;
    use std::sync::Arc;

    use runtime::{RuntimeHub, command_queue};
    use settings::{Paths, SettingsStore};

    use super::*;
    use crate::{NoEndpoints, WorkspaceOptions};

    fn workspace() -> (Workspace, Inbox) {
        let paths = Paths::new("/nonexistent/data", "/nonexistent/config");
        let (settings, _) = SettingsStore::load(&paths);
        Workspace::new(WorkspaceOptions {
            settings,
            hub: RuntimeHub::new("0123456789abcdef0123456789abcdef".to_owned()),
            endpoint: Arc::new(NoEndpoints),
            paths,
            cli_path: "/opt/nebula/bin/nebula".into(),
            headless: false,
        })
    }

    /// As a window has it: clicks reach it between two steps.
    #[derive(Clone)]
    struct Shared(Rc<RefCell<Option<Workspace>>>);

    impl Owner for Shared {
        fn lend<R>(&mut self, step: impl FnOnce(&mut Workspace) -> R) -> Option<R> {
            self.0.borrow_mut().as_mut().map(step)
        }
    }

    fn never(_: Duration) -> impl Future<Output = ()> {
        future::pending()
    }

    #[test]
    fn a_person_who_ends_the_program_wakes_its_owner() {
        let (workspace, inbox) = workspace();
        let (_sender, commands) = command_queue(1);
        let mut owner = Shared(Rc::new(RefCell::new(Some(workspace))));
        let mut person = owner.clone();
        smol::block_on(async {
            let serving = serve_owned(&mut owner, &inbox, &commands, never);
            let click = async { person.lend(Workspace::quit) };
            future::zip(serving, click).await;
            end_owned(&mut owner, &inbox, &commands, async {}, never).await;
        });
        assert_eq!(owner.lend(|workspace| workspace.is_ended()), Some(true));
    }

    #[test]
    fn without_a_workspace_there_is_nothing_to_serve_or_end() {
        let (workspace, inbox) = workspace();
        let (_sender, commands) = command_queue(1);
        let mut owner = Shared(Rc::default());
        smol::block_on(async {
            serve_owned(&mut owner, &inbox, &commands, never).await;
            end_owned(&mut owner, &inbox, &commands, async {}, never).await;
        });
        drop(workspace);
    }
}
