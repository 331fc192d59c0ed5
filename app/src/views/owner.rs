//! The owner of the workspace while there is a window: serves its inbox and the command queue on GPUI's main thread.
//!
//! One turn takes what has arrived, up to a bound, then pumps; nothing in it blocks. Between turns the loop sleeps
//! until an event, a command or the next pump. Whatever the workspace wants of the window is told as
//! [`OwnerEvent`]s; the owner outlives the window, which may be closed while its panes live on.

use std::time::{Duration, Instant};

use control::ServerHandle;
use gpui::{AsyncApp, Context, EventEmitter, WeakEntity};
use runtime::{CommandReceiver, QueuedCommand};
use smol::future::{FutureExt as _, or};
use workspace::{Inbox, PaneId, UiEvent, Workspace, WorkspaceEvent};

/// Events and commands taken in one turn, so that a flood cannot keep the window from drawing.
const TURN: usize = 256;

/// How long the end waits for the last answer to be written.
const ANSWER: Duration = Duration::from_secs(2);

/// How long the end waits for the processes of the panes; the terminal kills for good after two seconds.
const ENDING: Duration = Duration::from_secs(4);

/// What the window is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerEvent {
    /// Tabs, layout, titles or states changed.
    Changed,
    /// A pane has a new picture.
    Redraw(PaneId),
    /// A text for the clipboard.
    Clipboard(String),
    /// Show the window and raise it.
    Reveal,
    /// Close the window; the panes live on.
    Hide,
    /// A minute may have passed: texts that tell the time are looked at again.
    Tick,
}

/// See the module.
pub struct Owner {
    workspace: Workspace,
    last_tick: Instant,
}

impl EventEmitter<OwnerEvent> for Owner {}

enum Arrival {
    Event(WorkspaceEvent),
    Command(QueuedCommand),
    Time,
    /// Nobody can send commands any more, or no event can come.
    Silence,
}

impl Owner {
    /// Takes over a workspace and begins to serve it.
    pub fn new(
        workspace: Workspace,
        inbox: Inbox,
        commands: CommandReceiver,
        server: ServerHandle,
        cx: &mut Context<Self>,
    ) -> Self {
        // Served until the program ends, also while there is no window.
        cx.spawn(async move |owner, cx| serve(owner, inbox, commands, server, cx).await)
            .detach();
        Self {
            workspace,
            last_tick: Instant::now(),
        }
    }

    /// The model, for reading.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Does something to the workspace, and passes on what it wants of the window.
    pub fn act<R>(&mut self, cx: &mut Context<Self>, act: impl FnOnce(&mut Workspace) -> R) -> R {
        let result = act(&mut self.workspace);
        self.workspace.pump(Instant::now());
        self.pass_on(cx);
        result
    }

    fn turn(&mut self, first: Arrival, inbox: &Inbox, commands: &CommandReceiver) {
        match first {
            Arrival::Event(event) => self.workspace.handle_event(event),
            Arrival::Command(command) => self.workspace.execute(command),
            Arrival::Time | Arrival::Silence => {}
        }
        for _ in 0..TURN {
            let event = inbox.try_next();
            let command = commands.try_recv();
            if event.is_none() && command.is_none() {
                break;
            }
            if let Some(event) = event {
                self.workspace.handle_event(event);
            }
            if let Some(command) = command {
                self.workspace.execute(command);
            }
        }
        self.workspace.pump(Instant::now());
    }

    fn pass_on(&mut self, cx: &mut Context<Self>) {
        for event in self.workspace.take_ui_events() {
            let event = match event {
                UiEvent::Reveal => OwnerEvent::Reveal,
                UiEvent::Hide => OwnerEvent::Hide,
                UiEvent::Changed | UiEvent::Bell(_) => OwnerEvent::Changed,
                UiEvent::Redraw(pane) => OwnerEvent::Redraw(pane),
                UiEvent::Clipboard(text) => OwnerEvent::Clipboard(text),
                // Seen by the loop, which ends in order.
                UiEvent::Quit => continue,
            };
            cx.emit(event);
        }
        if self.last_tick.elapsed() >= Duration::from_secs(15) {
            self.last_tick = Instant::now();
            cx.emit(OwnerEvent::Tick);
        }
    }
}

async fn serve(
    owner: WeakEntity<Owner>,
    inbox: Inbox,
    commands: CommandReceiver,
    server: ServerHandle,
    cx: &mut AsyncApp,
) {
    let mut listening = true;
    loop {
        let Ok(wait) = owner.read_with(cx, |owner, _| owner.workspace.next_wake(Instant::now()))
        else {
            return;
        };
        let event = async { inbox.next().await.map_or(Arrival::Silence, Arrival::Event) };
        let command = async {
            if listening {
                commands
                    .recv()
                    .await
                    .map_or(Arrival::Silence, Arrival::Command)
            } else {
                std::future::pending().await
            }
        };
        let timer = cx.background_executor().timer(wait);
        let time = async {
            timer.await;
            Arrival::Time
        };
        let first = or(event, or(command, time)).await;
        listening &= !matches!(first, Arrival::Silence);
        let ending = owner.update(cx, |owner, cx| {
            owner.turn(first, &inbox, &commands);
            owner.pass_on(cx);
            owner.workspace.is_quitting()
        });
        match ending {
            Ok(false) => {}
            Ok(true) => break,
            Err(_) => return,
        }
    }
    end(&owner, &inbox, server, cx).await;
    cx.update(|cx| cx.quit());
}

/// Answers whoever asked for the end, stops the server so that nobody is sent to a workspace on its way out, then waits
/// until no process is left; each for a limited time.
async fn end(owner: &WeakEntity<Owner>, inbox: &Inbox, server: ServerHandle, cx: &mut AsyncApp) {
    let Ok(answered) = owner.update(cx, |owner, _| owner.workspace.take_answered()) else {
        return;
    };
    if let Some(answered) = answered {
        let timer = cx.background_executor().timer(ANSWER);
        answered.wait().or(timer).await;
    }
    if owner
        .update(cx, |owner, _| owner.workspace.shutdown())
        .is_err()
    {
        return;
    }
    cx.background_executor()
        .spawn(async move { server.shutdown() })
        .await;
    let deadline = Instant::now() + ENDING;
    while Instant::now() < deadline {
        let ended = owner.update(cx, |owner, _| {
            while let Some(event) = inbox.try_next() {
                owner.workspace.handle_event(event);
            }
            owner.workspace.pump(Instant::now());
            owner.workspace.is_ended()
        });
        if !matches!(ended, Ok(false)) {
            return;
        }
        cx.background_executor()
            .timer(Duration::from_millis(20))
            .await;
    }
}
