//! The loopback server: accepts connections and runs all of them on one thread.
//!
//! Nothing here blocks: requests go to the workspace over the command queue, slow work to a
//! blocking pool. There is no thread per connection or request.

use std::cell::Cell;
use std::convert::Infallible;
use std::io;
use std::net::TcpStream;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use async_channel::{Receiver, Sender};
use futures_lite::{AsyncReadExt, future};
use protocol::{DescribeResult, Scope};
use runtime::{CommandSender, RuntimeHub};
use smol::{Async, LocalExecutor, Timer};
use socket2::{SockRef, TcpKeepalive};

use crate::admission::{Admission, Slots};
use crate::claim::{Claimed, Presence};
use crate::client::Endpoint;
use crate::connection;
use crate::deadlines::Deadlines;
use crate::lines;
use crate::token::TokenTable;

/// How long a stopping server waits for answers that are being written.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// Pause after a failed accept, such as "too many open files", which would fail again at once.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A closed connection is drained this long, so that the answer is not lost with a reset.
const LINGER: Duration = Duration::from_secs(1);

/// Bytes that are drained at most from a closed connection.
const LINGER_BYTES: usize = 1 << 20;

/// Connections that may linger at once; beyond that they are dropped without courtesy.
const LINGERING: usize = 64;

/// Reads the setting `panes.control`; asked once per request of a pane.
pub type ScopeSource = Arc<dyn Fn() -> Scope + Send + Sync>;

/// Starts servers.
#[derive(Debug)]
pub struct Server;

/// A running server. Dropping it, or [`ServerHandle::shutdown`], ends it in order.
#[derive(Debug)]
pub struct ServerHandle {
    endpoint: Endpoint,
    tokens: TokenTable,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    presence: Presence,
    stop: Sender<Infallible>,
    thread: JoinHandle<()>,
}

/// What all connections of one server share. Lives on the server thread.
pub(crate) struct Shared {
    pub hub: RuntimeHub,
    pub commands: CommandSender,
    pub tokens: TokenTable,
    pub scope: ScopeSource,
    /// The encoded result of `runtime.describe`.
    pub describe: Vec<u8>,
    pub deadlines: Deadlines,
    /// Closes when the server stops.
    stop: Receiver<Infallible>,
    lingering: Cell<usize>,
}

impl Shared {
    /// Completes when the server stops.
    pub async fn stopped(&self) {
        // No value exists that could be received; the channel only ever closes.
        if let Ok(never) = self.stop.recv().await {
            match never {}
        }
    }
}

impl Server {
    /// Serves on a claimed listener. Requests are executed by whoever owns the other end of
    /// `commands`; snapshots and waits come from `hub`. `describe` is what `runtime.describe`
    /// answers, [`DescribeResult::new`] with what only the program knows.
    ///
    /// # Errors
    /// The thread, or the registration of the listener with it, failed.
    pub fn start(
        claimed: Claimed,
        hub: RuntimeHub,
        commands: CommandSender,
        describe: &DescribeResult,
        scope: ScopeSource,
    ) -> io::Result<ServerHandle> {
        Self::start_with(
            claimed,
            hub,
            commands,
            describe,
            scope,
            Deadlines::default(),
        )
    }

    /// [`Server::start`] with other time limits than those of the contract, for tests.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_with(
        claimed: Claimed,
        hub: RuntimeHub,
        commands: CommandSender,
        describe: &DescribeResult,
        scope: ScopeSource,
        deadlines: Deadlines,
    ) -> io::Result<ServerHandle> {
        let Claimed {
            listener,
            tokens,
            presence,
        } = claimed;
        let endpoint = Endpoint::new(tokens.port(), tokens.owner().clone());
        let listener = Async::new(listener)?;
        let describe = serde_json::to_vec(describe)?;
        let (stop, stopped) = async_channel::bounded(1);
        let thread = thread::Builder::new().name("control".to_owned()).spawn({
            let tokens = tokens.clone();
            move || {
                let shared = Shared {
                    hub,
                    commands,
                    tokens,
                    scope,
                    describe,
                    deadlines,
                    stop: stopped,
                    lingering: Cell::new(0),
                };
                let executor = LocalExecutor::new();
                smol::block_on(executor.run(serve(&executor, listener, Rc::new(shared))));
            }
        })?;
        let running = Some(Running {
            presence,
            stop,
            thread,
        });
        Ok(ServerHandle {
            endpoint,
            tokens,
            running,
        })
    }
}

impl ServerHandle {
    /// The address of the server with the owner token.
    #[must_use]
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint.clone()
    }

    /// The token table of the server.
    #[must_use]
    pub fn tokens(&self) -> TokenTable {
        self.tokens.clone()
    }

    /// Withdraws the discovery file, closes streams after their last event, lets answers that are
    /// being written end (at most a second), and releases the lock. Blocks meanwhile.
    pub fn shutdown(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let Some(Running {
            mut presence,
            stop,
            thread,
        }) = self.running.take()
        else {
            return;
        };
        presence.withdraw();
        drop(stop);
        if thread.join().is_err() {
            tracing::error!("the control server ended by a panic");
        }
    }
}

impl Drop for ServerHandle {
    fn drop(&mut self) {
        self.end();
    }
}

async fn serve(
    executor: &LocalExecutor<'_>,
    listener: Async<std::net::TcpListener>,
    shared: Rc<Shared>,
) {
    let slots = Slots::default();
    let accepting = async {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    accept(executor, stream, &slots, &shared);
                    // In a burst of clients each gets to show its token before the next one is
                    // let in, and is not taken for a silent one.
                    future::yield_now().await;
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    Timer::after(ACCEPT_PAUSE).await;
                }
            }
        }
    };
    future::or(accepting, shared.stopped()).await;
    drop(listener);
    lines::within(Instant::now() + SHUTDOWN_GRACE, slots.emptied()).await;
}

fn accept(
    executor: &LocalExecutor<'_>,
    stream: Async<TcpStream>,
    slots: &Slots,
    shared: &Rc<Shared>,
) {
    if let Err(error) = prepare(&stream) {
        tracing::debug!(%error, "a connection was gone before it could be prepared");
        return;
    }
    let shared = Rc::clone(shared);
    let task = match slots.admit() {
        Some(admission) => executor.spawn(occupy(stream, admission, shared)),
        None => {
            tracing::debug!("all connection slots are taken; a connection is refused");
            executor.spawn(async move { linger(&stream, &shared).await })
        }
    };
    task.detach();
}

/// Options of every connection.
fn prepare(stream: &Async<TcpStream>) -> io::Result<()> {
    let socket = SockRef::from(stream.get_ref());
    socket.set_tcp_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(30))
        .with_interval(Duration::from_secs(10))
        .with_retries(3);
    socket.set_tcp_keepalive(&keepalive)
}

async fn occupy(stream: Async<TcpStream>, admission: Admission, shared: Rc<Shared>) {
    future::or(
        connection::run(&stream, &admission, &shared),
        admission.evicted(),
    )
    .await;
    drop(admission);
    linger(&stream, &shared).await;
}

/// Ends the connection politely: the peer sees the end of the stream, and what it still sends is
/// read for a moment, because closing a socket with unread bytes resets it and can destroy an
/// answer that is still on its way.
async fn linger(mut stream: &Async<TcpStream>, shared: &Shared) {
    if stream
        .get_ref()
        .shutdown(std::net::Shutdown::Write)
        .is_err()
        || shared.lingering.get() >= LINGERING
    {
        return;
    }
    shared.lingering.set(shared.lingering.get() + 1);
    let drain = async {
        let mut scratch = [0_u8; 4096];
        let mut left = LINGER_BYTES;
        while let Ok(count @ 1..) = stream.read(&mut scratch).await {
            left = left.saturating_sub(count);
            if left == 0 {
                return;
            }
        }
    };
    future::or(lines::within(Instant::now() + LINGER, drain), async {
        shared.stopped().await;
        None
    })
    .await;
    shared
        .lingering
        .set(shared.lingering.get().saturating_sub(1));
}
