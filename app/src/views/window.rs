//! The window's side of the program: opens the GPUI application around a workspace and stays until that ends.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use async_signal::Signals;
use control::ServerHandle;
use gpui::{
    AnyWindowHandle, App, AppContext as _, Application, Bounds, Context, Entity, QuitMode,
    Styled as _, Subscription, WindowBounds, WindowOptions, px, size,
};
use gpui_component::{Root, TitleBar};
use runtime::CommandReceiver;
use settings::{Keymap, Settings, SettingsStore};
use smol::stream::StreamExt as _;
use workspace::{Inbox, Workspace};

use crate::headless::settings_are_not_watched;
use crate::start::Started;
use crate::views::fonts::{self, FontChoice};
use crate::views::grid_font::GridFont;
use crate::views::owner::{Owner, OwnerEvent};
use crate::views::theme::{self, Appearance};
use crate::views::workspace_view::WorkspaceView;
use crate::views::{commands, display, language};

/// Size of a new window, in logical pixels.
const SIZE: (f32, f32) = (1120.0, 720.0);

/// Opens the window and serves the workspace until it ends, then ends the server too. Call it on the main thread.
///
/// # Errors
/// There is no display, the platform has no window to give, or the bundled fonts cannot be loaded.
pub fn run(started: Started) -> anyhow::Result<()> {
    display::check()?;
    let Started {
        workspace,
        inbox,
        commands,
        server,
        signals,
    } = started;
    let failure = Rc::new(RefCell::new(None));
    let failed = failure.clone();
    application().run(move |cx| {
        if let Err(error) = start(workspace, inbox, commands, server, signals, cx) {
            failed.replace(Some(error));
            cx.quit();
        }
    });
    match failure.take() {
        None => Ok(()),
        Some(error) => {
            Err(error
                .context("no window could be opened; without a display, use `nebula --headless`"))
        }
    }
}

fn application() -> Application {
    gpui_platform::application()
        .with_assets(gpui_kit_assets::Assets)
        // The panes of a closed window live on; the owner ends the program.
        .with_quit_mode(QuitMode::Explicit)
}

fn start(
    workspace: Workspace,
    inbox: Inbox,
    commands: CommandReceiver,
    server: ServerHandle,
    mut signals: Signals,
    cx: &mut App,
) -> anyhow::Result<()> {
    let store = workspace.settings().clone();
    gpui_component::init(cx);
    // No view of this program moves by itself (a moving mark costs a core and says less than a word).
    cx.set_reduce_motion(true);
    fonts::load(cx)?;
    let keymap = store.keymap();
    commands::bind(&keymap, None, cx);
    let system = Appearance::from(cx.window_appearance());
    apply(&store.current(), system, cx);

    let owner = cx.new(|cx| Owner::new(workspace, inbox, commands, server, cx));
    let ending = owner.clone();
    cx.spawn(async move |cx| {
        if signals.next().await.is_some() {
            ending.update(cx, |owner, cx| owner.act(cx, Workspace::quit));
        }
    })
    .detach();
    let desk = cx.new(|cx| Desk::new(owner, store, keymap, cx));
    desk.update(cx, |desk, cx| desk.open(cx))?;
    // It lives as long as the program: without it nobody would open the window again.
    cx.set_global(KeptDesk { _desk: desk });
    Ok(())
}

/// Puts settings into force that are not about one window.
fn apply(settings: &Settings, system: Appearance, cx: &mut App) {
    language::activate(settings.ui.language);
    theme::activate(&settings.ui.theme, system, cx);
    let choice = FontChoice {
        family: fonts::family(&settings.ui.font_family, cx),
        size: settings.ui.font_size,
        line_height: settings.ui.line_height,
    };
    GridFont::set(choice, cx);
}

struct KeptDesk {
    _desk: Entity<Desk>,
}

impl gpui::Global for KeptDesk {}

/// Opens, hides and reveals the window, and follows the settings.
struct Desk {
    owner: Entity<Owner>,
    store: SettingsStore,
    keymap: Arc<Keymap>,
    window: Option<(AnyWindowHandle, Entity<WorkspaceView>)>,
    _watch: Option<settings::SettingsWatch>,
    _subscription: Subscription,
}

impl Desk {
    fn new(
        owner: Entity<Owner>,
        store: SettingsStore,
        keymap: Arc<Keymap>,
        cx: &mut Context<Self>,
    ) -> Self {
        let subscription = cx.subscribe(&owner, |desk, _, event, cx| match event {
            OwnerEvent::Reveal => desk.reveal(cx),
            OwnerEvent::Hide => desk.hide(cx),
            OwnerEvent::Changed
            | OwnerEvent::Redraw(_)
            | OwnerEvent::Clipboard(_)
            | OwnerEvent::Tick => {}
        });
        let watch = watch(&store, cx);
        Self {
            owner,
            store,
            keymap,
            window: None,
            _watch: watch,
            _subscription: subscription,
        }
    }

    fn open(&mut self, cx: &mut Context<Self>) -> anyhow::Result<()> {
        let bounds = Bounds::centered(None, size(px(SIZE.0), px(SIZE.1)), cx);
        let options = WindowOptions {
            window_bounds: Some(WindowBounds::Windowed(bounds)),
            app_id: Some("nebula".to_owned()),
            ..TitleBar::window_options()
        };
        let owner = self.owner.clone();
        let mut view = None;
        let desk = cx.weak_entity();
        let handle = cx.open_window(options, |window, cx| {
            let workspace = cx.new(|cx| WorkspaceView::new(owner, window, cx));
            view = Some(workspace.clone());
            let closing = workspace.downgrade();
            window.on_window_should_close(cx, move |window, cx| {
                if let Some(view) = closing.upgrade() {
                    view.update(cx, |view, cx| view.close_window(window, cx));
                }
                // The workspace decides; it tells to hide or ends the program.
                false
            });
            window
                .observe_window_appearance(move |window, cx| {
                    let system = Appearance::from(window.appearance());
                    let desk = desk.clone();
                    // The window is busy telling this, so it can be drawn anew only after that.
                    cx.defer(move |cx| {
                        if let Some(desk) = desk.upgrade() {
                            desk.update(cx, |desk, cx| desk.settings_changed(Some(system), cx));
                        }
                    });
                })
                .detach();
            // Each part of the window paints its own ground: where pixels are drawn in software, a layer of the size of
            // the window takes a third of a frame.
            cx.new(|cx| Root::new(workspace, window, cx).bg(gpui::transparent_black()))
        })?;
        self.window = view.map(|view| (handle.into(), view));
        cx.activate(true);
        Ok(())
    }

    fn reveal(&mut self, cx: &mut Context<Self>) {
        let raised = self
            .window
            .as_ref()
            .map(|(handle, _)| handle.update(cx, |_, window, _| window.activate_window()));
        match raised {
            Some(Ok(())) => cx.activate(true),
            Some(Err(_)) | None => {
                if let Err(error) = self.open(cx) {
                    tracing::error!(%error, "the window could not be opened again");
                }
            }
        }
    }

    fn hide(&mut self, cx: &mut Context<Self>) {
        if let Some((handle, _)) = self.window.take()
            && let Err(error) = handle.update(cx, |_, window, _| window.remove_window())
        {
            tracing::debug!(%error, "the window is gone already");
        }
    }

    fn settings_changed(&mut self, system: Option<Appearance>, cx: &mut Context<Self>) {
        let system = system.unwrap_or_else(|| Appearance::from(cx.window_appearance()));
        let current = self.store.snapshot();
        if self.keymap != current.keymap {
            commands::bind(&current.keymap, Some(&self.keymap), cx);
            self.keymap = current.keymap.clone();
        }
        apply(&current.settings, system, cx);
        if let Some((handle, view)) = &self.window {
            let view = view.clone();
            let told = handle.update(cx, |_, window, cx: &mut App| {
                view.update(cx, |view, cx| view.settings_changed(window, cx));
            });
            if let Err(error) = told {
                tracing::debug!(%error, "the window closed while the settings changed");
            }
        }
    }
}

/// Follows the files of the settings. Without the watch they are read at the next start.
fn watch(store: &SettingsStore, cx: &mut Context<Desk>) -> Option<settings::SettingsWatch> {
    let (sender, receiver) = async_channel::bounded(1);
    cx.spawn(async move |desk, cx| {
        while receiver.recv().await.is_ok() {
            if desk
                .update(cx, |desk, cx| desk.settings_changed(None, cx))
                .is_err()
            {
                return;
            }
        }
    })
    .detach();
    // A full channel means that a change is already announced; the newest state is read then.
    let watch = store.watch(move |_| match sender.try_send(()) {
        Ok(())
        | Err(async_channel::TrySendError::Full(()) | async_channel::TrySendError::Closed(())) => {}
    });
    match watch {
        Ok(watch) => Some(watch),
        Err(error) => {
            settings_are_not_watched(&error);
            None
        }
    }
}
