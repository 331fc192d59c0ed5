//! A server over real sockets whose workspace is a thread of the test.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use control::{Claim, Claimed, Deadlines, Server, ServerHandle, TokenTable, claim};
use parking_lot::{Mutex, MutexGuard};
use protocol::{
    Action, ApiError, Call, CallerPane, DescribeResult, Layout, LifecycleEvent, Method, Pane,
    PaneRef, PaneSplitParams, Scope, Snapshot, Tab, TabKind, TaskState, Window,
};
use runtime::{
    Answered, Command, CommandReceiver, Identity, Origin, Outcome, Projection, QueuedCommand,
    Reply, RuntimeHub, Submission, WaitSpec, closing, command_queue,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::peer::{PATIENCE, Peer, request};

pub fn pane(pane_id: u64) -> PaneRef {
    PaneRef {
        window_id: 1,
        pane_id,
    }
}

/// The workspace of the test.
pub struct Model {
    pub hub: RuntimeHub,
    pub label: String,
    pub panes: Vec<(u64, TaskState)>,
    /// Methods that were executed, in order.
    pub executed: Vec<Method>,
    /// Whether there is a window to reveal.
    pub windowed: bool,
    /// Whether commands are left without an answer.
    pub silent: bool,
    /// The submission of the last prompt.
    pub submission: Submission,
    /// The owner's end of a closing answer.
    pub answered: Option<Answered>,
    held: Vec<Reply>,
}

impl Model {
    pub fn publish(&self) -> Arc<Snapshot> {
        let panes: Vec<Pane> = self
            .panes
            .iter()
            .enumerate()
            .map(|(index, (id, task_state))| Pane {
                id: *id,
                active: index == 0,
                title: String::new(),
                cwd: "/".to_owned(),
                branch: String::new(),
                ssh_destination: None,
                running_program: None,
                task_state: *task_state,
                state_change_seq: 0,
                agent: None,
                active_run: None,
                last_run: None,
                unseen: false,
                occupant_seq: 1,
            })
            .collect();
        let focused = panes.first().map(|pane| pane.id);
        let tab = Tab {
            index: 0,
            active: true,
            label: self.label.clone(),
            kind: TabKind::Shell,
            bell: false,
            focused_pane_id: focused,
            layout: focused.map(|pane_id| Layout::Pane { pane_id }),
            panes,
            zoomed_pane_id: None,
        };
        let window = Window {
            id: 1,
            focused: true,
            session_exempt: false,
            active_tab: 0,
            focused_pane_id: focused,
            tabs: vec![tab],
        };
        self.hub.publish(Projection {
            snapshot: Snapshot {
                revision: 0,
                process_id: std::process::id(),
                app_version: "0.0.0".to_owned(),
                protocol_version: 1,
                detached_windows: 1,
                windows: vec![window],
                pane_lifecycles: Vec::new(),
                boot_id: String::new(),
            },
            transitions: HashMap::new(),
            paced: false,
        })
    }

    pub fn rename(&mut self, label: impl Into<String>) -> Arc<Snapshot> {
        self.label = label.into();
        self.publish()
    }

    pub fn set_state(&mut self, pane_id: u64, state: TaskState) -> Arc<Snapshot> {
        for (id, task_state) in &mut self.panes {
            if *id == pane_id {
                *task_state = state;
            }
        }
        self.publish()
    }

    pub fn close(&mut self, pane_id: u64) {
        self.panes.retain(|(id, _)| *id != pane_id);
        self.hub
            .record_lifecycle(pane(pane_id), LifecycleEvent::Closed, None, None);
        self.publish();
    }

    fn execute(&mut self, queued: QueuedCommand) {
        let QueuedCommand { command, reply } = queued;
        let answer = match command {
            Command::Attach if self.windowed => Ok(Outcome::Attached),
            Command::Attach => Err(ApiError::unavailable("no window", "headless")),
            Command::Call { call, origin } => {
                self.executed.push(call.method());
                if self.silent {
                    self.held.push(reply);
                    return;
                }
                self.call(call, origin)
            }
        };
        reply.send(answer);
    }

    fn call(&mut self, call: Call, origin: Origin) -> Result<Outcome, ApiError> {
        let place = |pane_id| CallerPane {
            window_id: 1,
            tab_index: 0,
            pane_id,
        };
        match call {
            Call::RuntimeSnapshot(_) => Ok(Outcome::Snapshot(self.publish())),
            Call::RuntimeIdentify(_) => Ok(Outcome::Identity(Identity {
                caller: match origin {
                    Origin::Owner => None,
                    Origin::Pane(pane) => Some(place(pane.pane_id)),
                },
                focused: self.panes.first().map(|(id, _)| place(*id)),
            })),
            Call::AgentsList(_) => {
                let revision = self.publish().revision;
                Ok(Outcome::Agents {
                    revision,
                    agents: Vec::new(),
                })
            }
            Call::TabRename(params) => {
                let snapshot = self.rename(params.name.clone());
                let action = Action::TabName {
                    window_id: 1,
                    tab_index: 0,
                    name: params.name.clone(),
                };
                Ok(Outcome::Mutation { action, snapshot })
            }
            Call::PaneSplit(PaneSplitParams { .. }) => {
                let id = self.panes.iter().map(|(id, _)| *id).max().unwrap_or(0) + 1;
                self.panes.push((id, TaskState::Idle));
                let action = Action::Pane {
                    window_id: 1,
                    pane_id: Some(id),
                };
                Ok(Outcome::Mutation {
                    action,
                    snapshot: self.publish(),
                })
            }
            Call::PanePrompt(params) => {
                let snapshot = self.set_state(params.pane_id, TaskState::Running);
                let target = pane(params.pane_id);
                let after_seq = snapshot.pane(target).map(|pane| pane.state_change_seq);
                self.submission = Submission::new();
                let wait = match &params.wait {
                    Some(wait) => Some(self.hub.wait(WaitSpec {
                        target,
                        states: wait.state_set()?,
                        after_seq,
                        pin: None,
                    })),
                    None => None,
                };
                let action = Action::Text {
                    window_id: 1,
                    pane_id: params.pane_id,
                    submitted: params.submit(),
                };
                let submission = self.submission.clone();
                Ok(Outcome::Prompted {
                    action,
                    snapshot,
                    wait,
                    submission,
                })
            }
            Call::PaneWait(params) => Ok(Outcome::Waiting(self.hub.wait(WaitSpec {
                target: pane(params.pane_id),
                states: params.state_set()?,
                after_seq: params.baseline(),
                pin: params.occupant_seq,
            }))),
            Call::PaneRead(params) => Ok(Outcome::Job(Box::new(move || {
                Ok(json!({"pane_id": params.pane_id, "text": "read"}))
            }))),
            Call::PaneProcs(_) => Ok(Outcome::Job(Box::new(|| {
                Err(ApiError::unavailable("no processes here", "test"))
            }))),
            Call::WindowClose(_) => {
                let (closing, answered) = closing();
                self.answered = Some(answered);
                let action = Action::Window { window_id: 1 };
                Ok(Outcome::Closing {
                    action,
                    snapshot: self.publish(),
                    closing,
                })
            }
            other => Err(ApiError::unavailable(
                other.method().as_str(),
                "not_in_this_test",
            )),
        }
    }
}

/// A running server with its workspace.
pub struct World {
    pub directory: TempDir,
    pub port: u16,
    pub token: String,
    pub tokens: TokenTable,
    model: Arc<Mutex<Model>>,
    scope: Arc<Mutex<Scope>>,
    server: Option<ServerHandle>,
    owner: Option<JoinHandle<()>>,
}

impl World {
    pub fn new() -> Self {
        Self::with(Deadlines::default())
    }

    pub fn with(deadlines: Deadlines) -> Self {
        let directory = tempfile::tempdir().unwrap();
        match claim(directory.path()).unwrap() {
            Claim::Server(claimed) => Self::serve(directory, claimed, deadlines),
            other => panic!("a fresh directory must be free: {other:?}"),
        }
    }

    fn serve(directory: TempDir, claimed: Claimed, deadlines: Deadlines) -> Self {
        let hub = RuntimeHub::new("b".repeat(32));
        let (commands, receiver) = command_queue(128);
        let model = Arc::new(Mutex::new(Model {
            hub: hub.clone(),
            label: "shell".to_owned(),
            panes: vec![(1, TaskState::Idle)],
            executed: Vec::new(),
            windowed: false,
            silent: false,
            submission: Submission::new(),
            answered: None,
            held: Vec::new(),
        }));
        model.lock().publish();
        let owner = thread::spawn({
            let model = Arc::clone(&model);
            move || own(&receiver, &model)
        });
        let scope = Arc::new(Mutex::new(Scope::Full));
        let source = Arc::clone(&scope);
        let describe = DescribeResult::new("0.0.0");
        let read_scope = Arc::new(move || *source.lock());
        let server =
            Server::start_with(claimed, hub, commands, &describe, read_scope, deadlines).unwrap();
        Self {
            directory,
            port: server.tokens().port(),
            token: server.tokens().owner().reveal().to_owned(),
            tokens: server.tokens(),
            model,
            scope,
            server: Some(server),
            owner: Some(owner),
        }
    }

    pub fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock()
    }

    pub fn set_scope(&self, scope: Scope) {
        *self.scope.lock() = scope;
    }

    pub fn endpoint(&self) -> control::client::Endpoint {
        self.server.as_ref().unwrap().endpoint()
    }

    pub fn peer(&self) -> Peer {
        Peer::connect(self.port)
    }

    /// A connection that has shown the owner token.
    pub fn known_peer(&self) -> Peer {
        let mut peer = self.peer();
        let answer = peer.ask(&self.request("runtime.describe", json!({})));
        assert_eq!(answer["ok"], true);
        peer
    }

    pub fn request(&self, method: &str, params: Value) -> Value {
        request(&self.token, method, params)
    }

    /// One request with the owner token on a connection of its own.
    pub fn ask(&self, method: &str, params: Value) -> Value {
        self.peer().ask(&self.request(method, params))
    }

    /// Whether the server takes `count` connections more.
    pub fn has_room_for(&self, count: usize) -> bool {
        let mut held = Vec::new();
        while held.len() < count {
            let mut peer = self.peer();
            peer.try_write(format!("{}\n", self.request("runtime.describe", json!({}))));
            if peer.line().is_none() {
                return false;
            }
            held.push(peer);
        }
        true
    }

    pub fn pane_token(&self, pane_id: u64) -> String {
        let value = self.tokens.issue(pane(pane_id)).unwrap();
        value.split_once(' ').unwrap().1.to_owned()
    }

    /// Waits until a method was executed `count` times in all.
    pub fn executed(&self, method: Method, count: usize) {
        until(|| {
            self.model()
                .executed
                .iter()
                .filter(|executed| **executed == method)
                .count()
                >= count
        });
    }

    pub fn shut_down(&mut self) {
        self.model().hub.shut_down();
        self.server.take().unwrap().shutdown();
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Without a server there is no sender, so the owner ends.
        drop(self.server.take());
        if let Some(owner) = self.owner.take() {
            owner.join().unwrap();
        }
    }
}

fn own(receiver: &CommandReceiver, model: &Mutex<Model>) {
    while let Some(queued) = smol::block_on(receiver.recv()) {
        model.lock().execute(queued);
    }
}

/// Waits for a condition for which the other side offers no event.
#[track_caller]
pub fn until(condition: impl Fn() -> bool) {
    let give_up = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < give_up, "the condition did not come true");
        thread::sleep(Duration::from_millis(2));
    }
}
