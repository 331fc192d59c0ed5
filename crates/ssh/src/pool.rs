//! One connection for all that goes to one host.
//!
//! Whoever wants a connection to the same identity (user, host, port, way, keys, rules) gets the one
//! that stands. Those who come while it is being made wait for it and see its progress; when the one
//! who makes it gives up, the next one takes over. A dead connection is never given out, one whose
//! server allows no more sessions is joined by another, and one that nobody uses is closed after a
//! while.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::client::Context;
use crate::connect::{ConnectError, Connection, Plan, Requester, establish};
use crate::progress::Progress;

/// The connections of one thread.
#[derive(Default)]
pub(crate) struct Pool {
    /// Held for a look or a change only.
    hosts: Mutex<HashMap<String, Host>>,
}

/// The connections of one identity.
#[derive(Default)]
struct Host {
    ready: Vec<Arc<Pooled>>,
    /// The one being made.
    coming: Option<Coming>,
}

#[derive(Clone)]
struct Coming {
    progress: watch::Receiver<Progress>,
    /// `None` until it is made or has failed; closed when its maker gave up.
    done: watch::Receiver<Option<Result<(), ConnectError>>>,
}

struct Pooled {
    connection: Arc<Connection>,
    users: AtomicUsize,
    /// Grows whenever somebody begins to use it.
    uses: AtomicU64,
}

/// The right to use a connection. It stays open at least as long.
pub(crate) struct Lease {
    pooled: Arc<Pooled>,
    key: Arc<str>,
    context: Arc<Context>,
    /// It was there before, so it may have died without anybody noticing.
    pub reused: bool,
}

impl Lease {
    fn new(context: &Arc<Context>, key: &Arc<str>, pooled: Arc<Pooled>, reused: bool) -> Self {
        pooled.users.fetch_add(1, Ordering::AcqRel);
        pooled.uses.fetch_add(1, Ordering::AcqRel);
        Self {
            pooled,
            key: Arc::clone(key),
            context: Arc::clone(context),
            reused,
        }
    }

    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.pooled.connection
    }

    /// Nobody else gets this connection any more.
    pub(crate) fn evict(&self) {
        self.context.pool.remove(&self.key, &self.pooled);
    }
}

impl Clone for Lease {
    fn clone(&self) -> Self {
        Self::new(
            &self.context,
            &self.key,
            Arc::clone(&self.pooled),
            self.reused,
        )
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.pooled.users.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        if self.pooled.connection.is_dead() {
            self.context.pool.remove(&self.key, &self.pooled);
            return;
        }
        let (context, key) = (Arc::clone(&self.context), Arc::clone(&self.key));
        let pooled = Arc::clone(&self.pooled);
        let uses = pooled.uses.load(Ordering::Acquire);
        let idle = context.options.idle;
        // Ends by itself; whoever comes meanwhile is seen by the count.
        self.context.runtime.spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(idle) => {}
                _ = pooled.connection.shared.until_lost() => {}
            }
            let unused = pooled.users.load(Ordering::Acquire) == 0
                && pooled.uses.load(Ordering::Acquire) == uses;
            if unused || pooled.connection.is_dead() {
                context.pool.remove(&key, &pooled);
            }
        });
    }
}

impl Pool {
    fn remove(&self, key: &str, pooled: &Arc<Pooled>) {
        let mut removed = Vec::new();
        let mut hosts = self.hosts.lock();
        if let Some(host) = hosts.get_mut(key) {
            removed.extend(
                host.ready
                    .extract_if(.., |other| Arc::ptr_eq(other, pooled)),
            );
            if host.ready.is_empty() && host.coming.is_none() {
                hosts.remove(key);
            }
        }
        // What is dropped with a connection does not belong under the lock.
        drop(hosts);
        drop(removed);
    }

    /// Connections that stand.
    pub(crate) fn len(&self) -> usize {
        self.hosts
            .lock()
            .values()
            .map(|host| host.ready.len())
            .sum()
    }
}

/// What there is to do for somebody who wants a connection.
enum Role {
    Use(Arc<Pooled>),
    Wait(Coming),
    Make(watch::Sender<Option<Result<(), ConnectError>>>),
}

/// A connection along a plan: the one that stands, the one that is coming, or a new one.
///
/// # Errors
/// See [`ConnectError`]. All who waited for the same attempt get the same error.
pub(crate) async fn acquire(
    context: &Arc<Context>,
    plan: &Plan,
    requester: &Requester,
) -> Result<Lease, ConnectError> {
    let key: Arc<str> = plan.identity().into();
    let mut made = false;
    loop {
        match role(context, &key, requester) {
            Role::Use(pooled) => {
                if !made {
                    requester
                        .log
                        .push(format!("the connection to {} is shared", plan.label()));
                }
                return Ok(Lease::new(context, &key, pooled, !made));
            }
            Role::Wait(coming) => {
                requester.log.push(format!(
                    "a connection to {} is being made already",
                    plan.label()
                ));
                if let Some(result) = follow(coming, requester).await {
                    result?;
                }
            }
            Role::Make(done) => {
                let making = Making {
                    context: Arc::clone(context),
                    key: Arc::clone(&key),
                };
                let result = establish(context, plan, requester).await;
                drop(making);
                match result {
                    Ok(connection) => {
                        made = true;
                        keep(context, &key, connection);
                        done.send_replace(Some(Ok(())));
                    }
                    Err(error) => {
                        done.send_replace(Some(Err(error.clone())));
                        return Err(error);
                    }
                }
            }
        }
    }
}

fn role(context: &Context, key: &Arc<str>, requester: &Requester) -> Role {
    let mut hosts = context.pool.hosts.lock();
    let host = hosts.entry(key.to_string()).or_default();
    let usable =
        |pooled: &&Arc<Pooled>| !pooled.connection.is_dead() && pooled.connection.has_room();
    if let Some(pooled) = host.ready.iter().find(usable) {
        return Role::Use(Arc::clone(pooled));
    }
    if let Some(coming) = host.coming.clone() {
        return Role::Wait(coming);
    }
    let (sender, done) = watch::channel(None);
    host.coming = Some(Coming {
        progress: requester.progress.subscribe(),
        done,
    });
    Role::Make(sender)
}

fn keep(context: &Arc<Context>, key: &Arc<str>, connection: Connection) {
    let pooled = Arc::new(Pooled {
        connection: Arc::new(connection),
        users: AtomicUsize::new(0),
        uses: AtomicU64::new(0),
    });
    let mut hosts = context.pool.hosts.lock();
    let host = hosts.entry(key.to_string()).or_default();
    host.ready.insert(0, Arc::clone(&pooled));
    drop(hosts);
    pooled
        .connection
        .forwards
        .start_configured(context, &pooled.connection);
}

/// Waits for the attempt of somebody else; `None` when that one gave up.
async fn follow(mut coming: Coming, requester: &Requester) -> Option<Result<(), ConnectError>> {
    loop {
        requester
            .progress
            .copy(*coming.progress.borrow_and_update());
        tokio::select! {
            moved = coming.progress.changed() => if moved.is_err() {
                // The maker is gone; the outcome says how.
                return coming.done.borrow().clone();
            },
            done = coming.done.changed() => {
                let outcome = coming.done.borrow().clone();
                if done.is_err() || outcome.is_some() {
                    return outcome;
                }
            }
        }
    }
}

/// While it lives, a connection is being made; dropping it lets the next one try.
struct Making {
    context: Arc<Context>,
    key: Arc<str>,
}

impl Drop for Making {
    fn drop(&mut self) {
        let mut hosts = self.context.pool.hosts.lock();
        if let Some(host) = hosts.get_mut(self.key.as_ref()) {
            host.coming = None;
            if host.ready.is_empty() {
                hosts.remove(self.key.as_ref());
            }
        }
    }
}
