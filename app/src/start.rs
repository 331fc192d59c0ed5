//! The start of the program: who serves the data directory, and what a workspace is wired from.
//!
//! Window and headless server begin here with the same parts. A start that finds another process in charge of its data directory never makes a second
//! workspace, since two of them would overwrite each other's files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use async_signal::Signals;
use control::client::{self, Endpoint};
use control::{Claim, Claimed, Server, ServerHandle, TokenTable};
use protocol::{DescribeResult, Method, PaneRef, Scope, TabNewParams};
use runtime::{CommandReceiver, RuntimeHub};
use settings::{PaneControl, Paths, SettingsStore};
use workspace::{FirstTab, Inbox, PaneEndpoints, Workspace, WorkspaceOptions};

use crate::cli::StartArgs;
use crate::headless::ENDING;

/// Commands that wait for the owner at most; more are refused at once.
const QUEUED_COMMANDS: usize = 256;

/// How long the process in charge may take to open a tab.
const TAB_LIMIT: Duration = Duration::from_secs(30);

/// A workspace with everything that belongs to it, ready for its owner's loop.
pub struct Started {
    /// The model, its first tab under way.
    pub workspace: Workspace,
    /// What happens to it.
    pub inbox: Inbox,
    /// What it is told to do.
    pub commands: CommandReceiver,
    /// The server; shut it down after the owner's loop.
    pub server: ServerHandle,
    /// Signals that end the program in order, received since before anybody could find it.
    pub signals: Signals,
}

/// Outcome of a start.
pub enum Start {
    /// This process owns the workspace.
    Owner(Box<Started>),
    /// Another process does, and answers here.
    Elsewhere(Endpoint),
}

/// Takes charge of the data directory, or finds out who has.
///
/// # Errors
/// The directories cannot be told, no socket can be opened, or the process in charge does not answer.
pub fn start(args: &StartArgs, headless: bool) -> anyhow::Result<Start> {
    let signals = Signals::new(ENDING).context("signals cannot be received")?;
    let paths = Paths::from_env()?;
    let claimed = match control::claim(&paths.data_dir)? {
        Claim::Server(claimed) | Claim::Unpublished { claimed, .. } => claimed,
        Claim::ClientOnly(endpoint) => return Ok(Start::Elsewhere(endpoint)),
    };
    let (settings, problems) = SettingsStore::load(&paths);
    for problem in problems {
        tracing::warn!(%problem, "settings");
    }
    own(args, headless, paths, settings, claimed, signals)
        .map(|started| Start::Owner(Box::new(started)))
}

fn own(
    args: &StartArgs,
    headless: bool,
    paths: Paths,
    settings: SettingsStore,
    claimed: Claimed,
    signals: Signals,
) -> anyhow::Result<Started> {
    let hub = RuntimeHub::new(boot_id()?);
    let (sender, commands) = runtime::command_queue(QUEUED_COMMANDS);
    let tokens = claimed.tokens();
    let (mut workspace, inbox) = Workspace::new(WorkspaceOptions {
        settings: settings.clone(),
        hub: hub.clone(),
        endpoint: Arc::new(PaneTokens(tokens)),
        paths,
        cli_path: std::env::current_exe().context("the path of this program is not known")?,
        headless,
    });
    let scope = move || scope_of(settings.current().panes.control);
    let describe = DescribeResult::new(env!("CARGO_PKG_VERSION"));
    let server = Server::start(claimed, hub, sender, &describe, Arc::new(scope))
        .context("the control server cannot start")?;
    workspace.start(FirstTab {
        cwd: directory(args),
        shell: args.shell.clone(),
    });
    Ok(Started {
        workspace,
        inbox,
        commands,
        server,
        signals,
    })
}

/// 128 random bits in hexadecimal digits, new on every start.
fn boot_id() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the operating system gave no random bytes")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Hands a second start to the process in charge: its window comes to the front and opens a tab.
///
/// # Errors
/// There is no window to reveal, or the tab could not be opened.
pub fn hand_over(args: &StartArgs, endpoint: &Endpoint) -> anyhow::Result<()> {
    if !client::attach(endpoint).context("the window of the running nebula cannot be shown")? {
        bail!("a workspace without a window runs here; use `nebula ctl`, or end it first");
    }
    let directory = directory(args);
    let params = TabNewParams {
        window_id: None,
        cwd: directory.map(|path| path.to_string_lossy().into_owned()),
        shell: args.shell.clone(),
    };
    let reply = client::call(endpoint, Method::TabNew, &params, TAB_LIMIT)?;
    match reply.error() {
        None => Ok(()),
        Some(error) => bail!("no tab was opened: {error}"),
    }
}

/// Where the first tab of this start belongs: the named directory, else the current one.
fn directory(args: &StartArgs) -> Option<PathBuf> {
    args.directory
        .clone()
        .or_else(|| std::env::current_dir().ok())
}

fn scope_of(control: PaneControl) -> Scope {
    match control {
        PaneControl::Full => Scope::Full,
        PaneControl::Read => Scope::Read,
        PaneControl::None => Scope::None,
    }
}

/// Lets the workspace mint tokens without knowing the server.
struct PaneTokens(TokenTable);

impl PaneEndpoints for PaneTokens {
    fn issue(&self, pane: PaneRef) -> Option<String> {
        self.0.issue(pane)
    }

    fn revoke(&self, pane: PaneRef) {
        self.0.revoke(pane);
    }
}
