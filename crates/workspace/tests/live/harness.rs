//! A workspace that a test owns, with a client of its command queue beside it.

use std::future::Future;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use protocol::{ApiError, Call, LifecycleEvent, Pane, PaneRef, Snapshot, TaskState};
use runtime::{
    Command, CommandReceiver, CommandSender, Delivery, Origin, Outcome, RuntimeHub, WaitTicket,
    command_queue,
};
use serde_json::{Value, json};
use settings::{Paths, SettingsStore};
use smol::Timer;
use smol::future::FutureExt;
use tempfile::TempDir;
use workspace::{FirstTab, Inbox, PaneEndpoints, Workspace, WorkspaceOptions, serve};

/// No step of a test takes this long unless something is broken.
const LIMIT: Duration = Duration::from_secs(60);

const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Remembers which panes got a token and which lost it.
#[derive(Default)]
pub struct Tokens {
    pub issued: Mutex<Vec<u64>>,
    pub revoked: Mutex<Vec<u64>>,
}

impl PaneEndpoints for Tokens {
    fn issue(&self, pane: PaneRef) -> Option<String> {
        self.issued.lock().push(pane.pane_id);
        Some(format!("4711 {:032x}", pane.pane_id))
    }

    fn revoke(&self, pane: PaneRef) {
        self.revoked.lock().push(pane.pane_id);
    }
}

pub struct Live {
    pub workspace: Workspace,
    pub hub: RuntimeHub,
    pub tokens: Arc<Tokens>,
    inbox: Inbox,
    commands: CommandReceiver,
    sender: CommandSender,
    place: TempDir,
}

impl Live {
    /// A headless workspace with one tab of bash.
    pub fn start() -> Self {
        Self::start_with("", FirstTab::default())
    }

    /// The same with more settings, in the format of `settings.toml`.
    pub fn with_settings(more: &str) -> Self {
        Self::start_with(more, FirstTab::default())
    }

    pub fn start_with(more: &str, first: FirstTab) -> Self {
        Self::build(more, first, true)
    }

    /// A workspace that belongs to a window; the test plays the window.
    pub fn windowed(more: &str) -> Self {
        Self::build(more, FirstTab::default(), false)
    }

    fn build(more: &str, first: FirstTab, headless: bool) -> Self {
        plain_shells();
        let place = tempfile::tempdir().expect("a directory");
        let config = place.path().join("config");
        std::fs::create_dir(&config).expect("created");
        let text = format!("terminal.shell = \"bash\"\n{more}");
        std::fs::write(config.join("settings.toml"), text).expect("written");
        let paths = Paths::new(place.path().join("data"), config);
        let (settings, problems) = SettingsStore::load(&paths);
        assert!(problems.is_empty(), "{problems:?}");
        let hub = RuntimeHub::new("0123456789abcdef0123456789abcdef".to_owned());
        let tokens = Arc::new(Tokens::default());
        let (mut workspace, inbox) = Workspace::new(WorkspaceOptions {
            settings,
            hub: hub.clone(),
            endpoint: Arc::clone(&tokens) as Arc<dyn PaneEndpoints>,
            paths,
            cli_path: "/opt/nebula/bin/nebula".into(),
            headless,
        });
        let (sender, commands) = command_queue(64);
        workspace.start(first);
        let mut live = Self {
            workspace,
            hub,
            tokens,
            inbox,
            commands,
            sender,
            place,
        };
        live.until("the first tab", |snapshot| {
            snapshot.panes().next().is_some()
        });
        live
    }

    /// Hands the workspace to its owner, until everything has ended.
    pub fn drive(self) {
        let Self {
            workspace,
            inbox,
            commands,
            ..
        } = self;
        smol::block_on(workspace::drive(workspace, inbox, commands, async {}));
    }

    /// Ends a workspace that quits, as an owner does that measures time by `timer`.
    pub fn end<T: Future<Output = ()>>(
        mut self,
        closed: impl Future<Output = ()>,
        timer: impl Fn(Duration) -> T,
    ) {
        let Self {
            workspace,
            inbox,
            commands,
            ..
        } = &mut self;
        smol::block_on(workspace::end_owned(
            workspace, inbox, commands, closed, timer,
        ));
    }

    pub fn place(&self) -> &Path {
        self.place.path()
    }

    /// Serves the workspace until a future is done.
    pub fn run<T>(&mut self, what: &str, future: impl Future<Output = T>) -> T {
        let Self {
            workspace,
            inbox,
            commands,
            ..
        } = self;
        let serving = async {
            serve(workspace, inbox, commands).await;
            // It quits; the future may still have something to read.
            std::future::pending().await
        };
        let limit = async {
            Timer::after(LIMIT).await;
            panic!("{what} did not happen");
        };
        smol::block_on(future.or(serving).or(limit))
    }

    /// Sends a command to the queue and serves until it is answered.
    pub fn dispatch(&mut self, method: &str, params: Value) -> Result<Outcome, ApiError> {
        let call = Call::decode(method.parse()?, params)?;
        let origin = Origin::Owner;
        self.send(method, Command::Call { call, origin })
    }

    pub fn attach(&mut self) -> Result<Outcome, ApiError> {
        self.send("attach", Command::Attach)
    }

    /// A client of the command queue that outlives the owner.
    pub fn sender(&self) -> CommandSender {
        self.sender.clone()
    }

    fn send(&mut self, what: &str, command: Command) -> Result<Outcome, ApiError> {
        let sender = self.sender.clone();
        self.run(what, async move { sender.dispatch(command).await })
    }

    /// Calls a method and renders its result, waits included, as the server does.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, ApiError> {
        let value = |value: &Snapshot| serde_json::to_value(value).expect("a snapshot");
        Ok(match self.dispatch(method, params)? {
            Outcome::Snapshot(snapshot) => value(&snapshot),
            Outcome::Mutation { action, snapshot }
            | Outcome::Closing {
                action, snapshot, ..
            } => {
                json!({"action": action, "snapshot": value(&snapshot)})
            }
            Outcome::Prompted {
                action,
                snapshot,
                wait: None,
                ..
            } => {
                json!({"action": action, "snapshot": value(&snapshot)})
            }
            Outcome::Prompted {
                action,
                snapshot,
                wait: Some(ticket),
                submission,
            } => {
                let after_seq = ticket.spec().after_seq;
                let matched = self.wait(ticket)?;
                json!({
                    "action": action,
                    "edge": value(&snapshot),
                    "snapshot": value(&matched.snapshot),
                    "wait": {
                        "state": matched.state,
                        "state_change_seq": matched.state_change_seq,
                        "after_seq": after_seq,
                        "submission": submission.report(),
                    },
                })
            }
            Outcome::Waiting(ticket) => {
                let matched = self.wait(ticket)?;
                value(&matched.snapshot)
            }
            Outcome::Agents { revision, agents } => json!({"revision": revision, "agents": agents}),
            Outcome::Identity(identity) => {
                json!({"caller": identity.caller, "focused": identity.focused})
            }
            Outcome::Job(job) => job()?,
            Outcome::Attached => Value::Null,
        })
    }

    /// The error of a call that must fail.
    pub fn refused(&mut self, method: &str, params: Value) -> ApiError {
        match self.call(method, params.clone()) {
            Ok(value) => panic!("{method} {params} went through: {value}"),
            Err(error) => error,
        }
    }

    pub fn wait(&mut self, ticket: WaitTicket) -> Result<runtime::WaitMatch, ApiError> {
        self.run("a wait", async move { ticket.outcome().await })
    }

    /// Serves until a published snapshot satisfies a condition.
    pub fn until(
        &mut self,
        what: &str,
        mut condition: impl FnMut(&Snapshot) -> bool,
    ) -> Arc<Snapshot> {
        let subscription = self.hub.subscribe(None, false);
        self.run(what, async move {
            loop {
                match subscription.next().await {
                    Delivery::Event(published) if condition(&published.snapshot) => {
                        return Arc::clone(&published.snapshot);
                    }
                    Delivery::Event(_) => {}
                    other => panic!("the subscription ended: {other:?}"),
                }
            }
        })
    }

    /// Submits a command line and waits until it settled.
    pub fn command(&mut self, pane: u64, line: &str) -> Value {
        let params = json!({"pane_id": pane, "text": line, "wait": {"state": "settled"}});
        self.call("pane.prompt", params)
            .expect("the command settles")
    }

    pub fn snapshot(&mut self) -> Snapshot {
        let value = self
            .call("runtime.snapshot", json!({}))
            .expect("a snapshot");
        serde_json::from_value(value).expect("a snapshot")
    }

    /// The id of the first pane.
    pub fn first(&mut self) -> u64 {
        self.snapshot().panes().next().expect("a pane").0.pane_id
    }

    pub fn pane(&mut self, pane: u64) -> Pane {
        let snapshot = self.snapshot();
        snapshot
            .pane(reference(pane))
            .expect("the pane is there")
            .clone()
    }

    pub fn text(&mut self, pane: u64) -> String {
        let read = self
            .call("pane.read", json!({"pane_id": pane}))
            .expect("readable");
        read["text"].as_str().expect("a text").to_owned()
    }

    /// Serves until the text of a pane satisfies a condition.
    pub fn until_text(&mut self, pane: u64, condition: impl Fn(&str) -> bool) -> String {
        self.look_until("the text", |live| {
            Some(live.text(pane)).filter(|text| condition(text))
        })
    }

    /// Serves until a program runs below the shell of a pane; the answer of `pane.procs`.
    pub fn until_child(&mut self, pane: u64, program: &str) -> Value {
        self.look_until("the program", |live| {
            let found = live
                .call("pane.procs", json!({"pane_id": pane}))
                .expect("listed");
            let below = found["processes"]
                .as_array()
                .expect("a list")
                .iter()
                .skip(1);
            let runs = below
                .into_iter()
                .any(|process| process["display_name"] == program);
            runs.then_some(found)
        })
    }

    /// Serves and looks again and again at something that nobody announces.
    fn look_until<T>(&mut self, what: &str, look: impl Fn(&mut Self) -> Option<T>) -> T {
        let begun = Instant::now();
        while begun.elapsed() < LIMIT {
            if let Some(found) = look(self) {
                return found;
            }
            self.run("a look", async {
                Timer::after(BETWEEN_LOOKS).await;
            });
        }
        let focused = self.workspace.focused_pane().map(|pane| pane.id().0);
        panic!(
            "{what} did not come: {:?}",
            focused.map(|pane| self.text(pane))
        );
    }

    /// Splits a pane and returns the id of the new one.
    pub fn split(&mut self, pane: u64, direction: &str) -> u64 {
        let params = json!({"pane_id": pane, "direction": direction});
        let result = self.call("pane.split", params).expect("split");
        result["action"]["pane_id"].as_u64().expect("an id")
    }
}

/// Keeps the startup files of whoever runs the tests out of them: an empty home directory for
/// every shell that is started.
fn plain_shells() {
    static HOME: OnceLock<TempDir> = OnceLock::new();
    HOME.get_or_init(|| {
        let home = tempfile::tempdir().expect("a directory");
        // SAFETY: the environment is only read through the standard library here, which takes a
        // lock for it, and no test gets past this before it is done.
        unsafe {
            std::env::set_var("HOME", home.path());
            for variable in ["BASH_ENV", "ENV", "PROMPT_COMMAND", "PS1"] {
                std::env::remove_var(variable);
            }
        }
        home
    });
}

pub fn reference(pane: u64) -> PaneRef {
    PaneRef {
        window_id: 1,
        pane_id: pane,
    }
}

/// The newest record about a pane.
pub fn record(snapshot: &Snapshot, pane: u64) -> Option<(LifecycleEvent, Option<i32>)> {
    let found = snapshot
        .pane_lifecycles
        .iter()
        .rev()
        .find(|record| record.pane_id == pane)?;
    Some((found.event, found.exit_code))
}

pub fn state(snapshot: &Value, pane: u64) -> (TaskState, u64) {
    let snapshot: Snapshot = serde_json::from_value(snapshot.clone()).expect("a snapshot");
    let pane = snapshot.pane(reference(pane)).expect("the pane is there");
    (pane.task_state, pane.state_change_seq)
}
