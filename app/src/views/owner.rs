//! The owner of the workspace while there is a window: serves its inbox and the command queue on GPUI's main thread.
//!
//! One turn takes what has arrived, up to a bound, then pumps; nothing in it blocks. Between turns the loop sleeps
//! until an event, a command or the next pump. Whatever the workspace wants of the window is told as
//! [`OwnerEvent`]s; the owner outlives the window, which may be closed while its panes live on.

use std::time::{Duration, Instant};

use control::ServerHandle;
use gpui::{AsyncApp, Context, EventEmitter, WeakEntity};
use runtime::CommandReceiver;
use workspace::{Inbox, PaneId, UiEvent, Workspace, end_owned, serve_owned};

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

/// Lends the workspace of the entity, and passes on what it wants of the window.
struct Lender {
    owner: WeakEntity<Owner>,
    cx: AsyncApp,
}

impl workspace::Owner for Lender {
    fn lend<R>(&mut self, step: impl FnOnce(&mut Workspace) -> R) -> Option<R> {
        self.owner
            .update(&mut self.cx, |owner, cx| {
                let result = step(&mut owner.workspace);
                owner.pass_on(cx);
                result
            })
            // It is gone when the application is.
            .ok()
    }
}

async fn serve(
    owner: WeakEntity<Owner>,
    inbox: Inbox,
    commands: CommandReceiver,
    server: ServerHandle,
    cx: &mut AsyncApp,
) {
    let background = cx.background_executor().clone();
    let timer = |length| background.timer(length);
    let mut lender = Lender {
        owner,
        cx: cx.clone(),
    };
    serve_owned(&mut lender, &inbox, &commands, timer).await;
    let closed = background.spawn(async move { server.shutdown() });
    end_owned(&mut lender, &inbox, &commands, closed, timer).await;
    cx.update(|cx| cx.quit());
}
