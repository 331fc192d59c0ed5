//! Port forwards and the forwarded agent.
//!
//! A forward belongs to a connection and ends with it. Local and dynamic forwards listen here and
//! open a channel for each client; remote forwards listen on the server, which opens channels to us.
//! A server can open nothing that was not asked for: a channel for an unknown listener is refused.
//!
//! The library cannot hold back one channel without the others, so a stream whose local side takes
//! nothing for [`limits::FORWARD_STALLED`] is closed.

mod listen;
mod relay;
mod remote;
mod socks;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use crate::client::Context;
use crate::config::{ForwardRule, ForwardTarget, ListenAddress};
use crate::connect::{Connection, Shared};
use crate::limits;
pub(crate) use relay::relay_agent;
pub(crate) use remote::RemoteTable;

/// Which side listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForwardKind {
    /// This side, for a target of the server's side; with [`ForwardTarget::Socks`] a SOCKS server.
    Local,
    /// The server, for a target of this side.
    Remote,
}

/// A forward as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ForwardSpec {
    /// Which side listens.
    pub kind: ForwardKind,
    /// Where it listens and where it leads.
    pub rule: ForwardRule,
}

impl ForwardSpec {
    /// `LocalForward`: `listen` here, `target` there.
    pub fn local(listen: ListenAddress, target: ForwardTarget) -> Self {
        Self {
            kind: ForwardKind::Local,
            rule: ForwardRule { listen, target },
        }
    }

    /// `RemoteForward`: `listen` there, `target` here.
    pub fn remote(listen: ListenAddress, target: ForwardTarget) -> Self {
        Self {
            kind: ForwardKind::Remote,
            rule: ForwardRule { listen, target },
        }
    }

    /// `DynamicForward`: a SOCKS server here.
    pub fn dynamic(listen: ListenAddress) -> Self {
        Self::local(listen, ForwardTarget::Socks)
    }
}

/// Names a forward of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ForwardId(u64);

/// How a forward is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForwardState {
    /// It is being set up.
    Starting,
    /// It listens.
    Listening {
        /// Where, with the port that was chosen.
        address: String,
    },
    /// It could not be set up.
    Failed {
        /// Why.
        reason: String,
    },
}

/// One forward, for a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardInfo {
    /// Its name.
    pub id: ForwardId,
    /// What was asked for.
    pub spec: ForwardSpec,
    /// How it is doing.
    pub state: ForwardState,
    /// Streams that are open.
    pub open: usize,
    /// Bytes from the server's side.
    pub received: u64,
    /// Bytes to the server's side.
    pub sent: u64,
}

/// Counts of a forward.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub open: AtomicUsize,
    pub received: AtomicU64,
    pub sent: AtomicU64,
}

struct Active {
    id: ForwardId,
    spec: ForwardSpec,
    state: Arc<Mutex<ForwardState>>,
    counters: Arc<Counters>,
    task: AbortHandle,
}

/// The forwards of one connection.
pub(crate) struct Forwards {
    shared: Arc<Shared>,
    /// Held for a look or a change only.
    active: Mutex<Vec<Active>>,
    next: AtomicU64,
    /// Streams that may be open at a time.
    streams: Arc<Semaphore>,
}

/// What the task of a forward needs.
#[derive(Clone)]
pub(crate) struct Forwarding {
    pub state: Arc<Mutex<ForwardState>>,
    pub counters: Arc<Counters>,
    pub streams: Arc<Semaphore>,
}

impl Forwarding {
    pub(crate) fn failed(&self, reason: String) {
        *self.state.lock() = ForwardState::Failed { reason };
    }

    pub(crate) fn listening(&self, address: String) {
        *self.state.lock() = ForwardState::Listening { address };
    }
}

impl Forwards {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            active: Mutex::default(),
            next: AtomicU64::new(1),
            streams: Arc::new(Semaphore::new(limits::FORWARDED)),
        }
    }

    /// Starts what the configuration asks for.
    pub(crate) fn start_configured(&self, context: &Context, connection: &Arc<Connection>) {
        let config = &connection.config;
        let local = config
            .local_forwards
            .iter()
            .cloned()
            .map(|rule| ForwardSpec {
                kind: ForwardKind::Local,
                rule,
            });
        let remote = config
            .remote_forwards
            .iter()
            .cloned()
            .map(|rule| ForwardSpec {
                kind: ForwardKind::Remote,
                rule,
            });
        let dynamic = config
            .dynamic_forwards
            .iter()
            .cloned()
            .map(ForwardSpec::dynamic);
        for spec in local.chain(remote).chain(dynamic) {
            self.add(context, connection, spec);
        }
    }

    /// Adds a forward; one that is there already is not added again. `None` when there are too many.
    pub(crate) fn add(
        &self,
        context: &Context,
        connection: &Arc<Connection>,
        spec: ForwardSpec,
    ) -> Option<ForwardId> {
        let mut active = self.active.lock();
        if let Some(known) = active.iter().find(|known| known.spec == spec) {
            return Some(known.id);
        }
        if active.len() >= limits::FORWARDS {
            return None;
        }
        let id = ForwardId(self.next.fetch_add(1, Ordering::Relaxed));
        let forwarding = Forwarding {
            state: Arc::new(Mutex::new(ForwardState::Starting)),
            counters: Arc::default(),
            streams: Arc::clone(&self.streams),
        };
        let weak = Arc::downgrade(connection);
        let task = match spec.kind {
            ForwardKind::Local => {
                context
                    .runtime
                    .spawn(listen::run(weak, spec.rule.clone(), forwarding.clone()))
            }
            ForwardKind::Remote => {
                context
                    .runtime
                    .spawn(remote::run(weak, spec.rule.clone(), forwarding.clone()))
            }
        };
        active.push(Active {
            id,
            spec,
            state: forwarding.state,
            counters: forwarding.counters,
            task: task.abort_handle(),
        });
        Some(id)
    }

    /// Ends a forward; its open streams go on.
    pub(crate) fn close(
        &self,
        context: &Context,
        connection: &Arc<Connection>,
        id: ForwardId,
    ) -> Option<ForwardSpec> {
        let mut active = self.active.lock();
        let at = active.iter().position(|forward| forward.id == id)?;
        let forward = active.swap_remove(at);
        drop(active);
        forward.task.abort();
        if forward.spec.kind == ForwardKind::Remote {
            context.runtime.spawn(remote::cancel(
                Arc::clone(connection),
                forward.spec.rule.clone(),
            ));
        }
        Some(forward.spec)
    }

    pub(crate) fn close_all(&self) {
        for forward in self.active.lock().drain(..) {
            forward.task.abort();
        }
        self.shared.remote.clear();
    }

    pub(crate) fn list(&self) -> Vec<ForwardInfo> {
        let active = self.active.lock();
        let mut list: Vec<ForwardInfo> = active
            .iter()
            .map(|forward| ForwardInfo {
                id: forward.id,
                spec: forward.spec.clone(),
                state: forward.state.lock().clone(),
                open: forward.counters.open.load(Ordering::Relaxed),
                received: forward.counters.received.load(Ordering::Relaxed),
                sent: forward.counters.sent.load(Ordering::Relaxed),
            })
            .collect();
        list.sort_by_key(|forward| forward.id);
        list
    }
}
