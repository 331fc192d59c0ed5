//! From a host's configuration to an authenticated connection.
//!
//! A stream to the server (TCP, a proxy, a command, or a channel of a jump host), the key exchange
//! with the host key judged, and the authentication. Everything can be dropped at any point: a
//! dropped attempt cuts its stream, which ends the library's task.

mod callbacks;
mod dial;
mod error;
mod host_key;
mod plan;
mod proxy;
mod proxy_command;
mod stream;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use russh::client::{self, Handle, Msg};
use russh::{Channel, ChannelOpenFailure, Disconnect};

use crate::algorithms;
use crate::auth::{AuthError, Authenticator};
use crate::client::Context;
use crate::config::HostConfig;
use crate::forward::Forwards;
use crate::known_hosts::KnownHosts;
use crate::limits;
use crate::log::ConnectionLog;
use crate::pool::Lease;
use crate::progress::{Phase, ProgressSender};
use crate::prompt::{Asker, Prompter};
pub(crate) use callbacks::{Client, Shared};
pub use error::ConnectError;
pub use plan::HostOverrides;
pub(crate) use plan::{Plan, Via, plan};
pub use proxy::{Proxy, ProxyChoice, ProxyKind, ProxyRules};
pub(crate) use stream::Lifeline;

/// Who asks for a connection, and who is told how it goes.
#[derive(Clone)]
pub(crate) struct Requester {
    pub prompter: Arc<dyn Prompter>,
    pub log: ConnectionLog,
    pub progress: ProgressSender,
}

/// An authenticated connection. Dropping it ends it.
pub(crate) struct Connection {
    handle: Handle<Client>,
    pub shared: Arc<Shared>,
    pub config: Arc<HostConfig>,
    pub forwards: Forwards,
    /// Session channels that are open or being opened.
    sessions: AtomicUsize,
    /// Session channels that the server opened.
    opened: AtomicUsize,
    /// Session channels that the server allows, once it refused one.
    session_limit: AtomicUsize,
    /// Cuts the stream when dropped.
    lifeline: Lifeline,
    /// The jump host's connection lives as long as this one.
    _via: Option<Lease>,
}

impl Connection {
    /// Nothing can be done with it any more.
    pub(crate) fn is_dead(&self) -> bool {
        self.handle.is_closed() || self.shared.lost_reason().is_some()
    }

    /// Another session channel is likely to be allowed.
    pub(crate) fn has_room(&self) -> bool {
        self.sessions.load(Ordering::Relaxed) < self.session_limit.load(Ordering::Relaxed)
    }

    /// Opens a session channel.
    ///
    /// # Errors
    /// The connection is gone, or the server allows no more of them.
    pub(crate) async fn open_session(
        self: &Arc<Self>,
    ) -> Result<(Channel<Msg>, SessionSlot), OpenError> {
        self.sessions.fetch_add(1, Ordering::Relaxed);
        let mut slot = SessionSlot {
            connection: Arc::clone(self),
            opened: false,
        };
        match self.handle.channel_open_session().await {
            Ok(channel) => {
                self.opened.fetch_add(1, Ordering::Relaxed);
                slot.opened = true;
                Ok((channel, slot))
            }
            Err(russh::Error::ChannelOpenFailure(failure)) => {
                // The server answers in order, so what it opened before is what it allows.
                let opened = self.opened.load(Ordering::Relaxed);
                if opened > 0 {
                    self.session_limit.store(opened, Ordering::Relaxed);
                }
                Err(OpenError::Refused {
                    failure,
                    others: opened,
                })
            }
            Err(_) => Err(OpenError::Lost(self.shared.loss().await)),
        }
    }

    /// Opens a channel to a host and port as seen from the server.
    ///
    /// # Errors
    /// The server refuses it, or the connection is gone.
    pub(crate) async fn open_tcp(
        &self,
        host: &str,
        port: u16,
    ) -> Result<Channel<Msg>, russh::Error> {
        self.handle
            .channel_open_direct_tcpip(host, u32::from(port), "127.0.0.1", 0)
            .await
    }

    /// Opens a channel to a Unix socket of the server.
    ///
    /// # Errors
    /// The server refuses it, or the connection is gone.
    pub(crate) async fn open_socket(&self, path: &str) -> Result<Channel<Msg>, russh::Error> {
        self.handle.channel_open_direct_streamlocal(path).await
    }

    pub(crate) fn handle(&self) -> &Handle<Client> {
        &self.handle
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.forwards.close_all();
        self.lifeline.cut();
    }
}

/// Counts an open session channel.
pub(crate) struct SessionSlot {
    connection: Arc<Connection>,
    opened: bool,
}

impl Drop for SessionSlot {
    fn drop(&mut self) {
        self.connection.sessions.fetch_sub(1, Ordering::Relaxed);
        if self.opened {
            self.connection.opened.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Why no channel was opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// With how many others the server has open on this connection.
    #[error("the server opened no channel: {failure:?}")]
    Refused {
        failure: ChannelOpenFailure,
        others: usize,
    },
    #[error("{0}")]
    Lost(String),
}

/// Makes a connection along a plan. Boxed because a jump host is reached the same way.
///
/// # Errors
/// See [`ConnectError`].
pub(crate) async fn establish(
    context: &Arc<Context>,
    plan: &Plan,
    requester: &Requester,
) -> Result<Connection, ConnectError> {
    let asker = Asker {
        prompter: Arc::clone(&requester.prompter),
        destination: plan.label(),
        progress: requester.progress.clone(),
    };
    let mut auth = Authenticator::new(
        Arc::clone(&plan.config),
        asker.clone(),
        context.options.secrets.clone(),
        requester.log.clone(),
        context.options.agent_socket.clone(),
    );
    loop {
        let mut transport = exchange_keys(context, plan, requester, &asker).await?;
        requester.progress.enter(Phase::Authenticating);
        match auth.run(&mut transport.handle).await {
            Ok(()) => {
                requester
                    .log
                    .push(format!("{} is authenticated", plan.label()));
                return Ok(transport.finish(plan));
            }
            Err(AuthError::MoreKeys) => {
                transport.leave().await;
                drop(transport);
            }
            Err(AuthError::Closed(_)) => {
                let reason = transport.shared.loss().await;
                return Err(ConnectError::Lost(reason));
            }
            Err(error) => {
                transport.leave().await;
                return Err(ConnectError::Auth(error));
            }
        }
    }
}

/// A connection before the authentication.
struct Transport {
    handle: Handle<Client>,
    shared: Arc<Shared>,
    lifeline: Lifeline,
    via: Option<Lease>,
}

impl Transport {
    /// Says goodbye, so that the server's log has a reason.
    async fn leave(&self) {
        let goodbye = self.handle.disconnect(Disconnect::ByApplication, "", "en");
        if goodbye.await.is_err() {
            tracing::trace!("the connection was gone before the goodbye");
        }
    }

    fn finish(self, plan: &Plan) -> Connection {
        Connection {
            handle: self.handle,
            forwards: Forwards::new(Arc::clone(&self.shared)),
            shared: self.shared,
            config: Arc::clone(&plan.config),
            sessions: AtomicUsize::new(0),
            opened: AtomicUsize::new(0),
            session_limit: AtomicUsize::new(limits::CHANNELS),
            lifeline: self.lifeline,
            _via: self.via,
        }
    }
}

async fn exchange_keys(
    context: &Arc<Context>,
    plan: &Plan,
    requester: &Requester,
    asker: &Asker,
) -> Result<Transport, ConnectError> {
    let (stream, via) = stream::open(context, plan, requester).await?;
    // A jump host moved the progress on; this hop begins anew.
    requester.progress.enter(Phase::Connecting);
    let config = client_config(context, &plan.config).await?;
    let (lifeline, life) = Lifeline::new();
    let shared = Arc::new(Shared::new(requester.log.clone(), &plan.config, context));
    let client = Client::new(
        Arc::clone(&shared),
        Arc::clone(&plan.config),
        asker.clone(),
        life.clone(),
    );
    let refusal = client.refusal();
    let guarded = stream.guarded(life);
    match client::connect_stream(config, guarded, client).await {
        Ok(handle) => {
            requester
                .log
                .push(format!("keys are exchanged with {}", plan.label()));
            Ok(Transport {
                handle,
                shared,
                lifeline,
                via,
            })
        }
        Err(error) => {
            // A refused host key is the reason behind the library's general one.
            let refused = refusal.lock().take();
            Err(refused.unwrap_or_else(|| ConnectError::from_exchange(error)))
        }
    }
}

/// The library's settings for a host.
async fn client_config(
    context: &Context,
    config: &Arc<HostConfig>,
) -> Result<Arc<client::Config>, ConnectError> {
    let host = Arc::clone(config);
    let known = tokio::task::spawn_blocking(move || KnownHosts::load(&host_key::files(&host)))
        .await
        .unwrap_or_default();
    let name = config.known_hosts_name();
    let preferred = algorithms::preferred(
        &config.algorithms,
        config.compression,
        &known.key_types(&name),
        known.has_authority(&name),
    )
    .map_err(|error| ConnectError::KeyExchange(error.to_string()))?;
    let (interval, count) = match config.server_alive_interval {
        Some(interval) => (interval, config.server_alive_count_max),
        None => (limits::KEEPALIVE_INTERVAL, limits::KEEPALIVE_COUNT),
    };
    let rekey = &context.options.rekey;
    // The library asserts this limit.
    let bytes = rekey.bytes.clamp(64 * 1024, 1 << 30);
    Ok(Arc::new(client::Config {
        client_id: russh::SshId::Standard(
            concat!("SSH-2.0-Nebula_", env!("CARGO_PKG_VERSION")).into(),
        ),
        limits: russh::Limits::new(bytes, bytes, rekey.time),
        window_size: limits::CHANNEL_WINDOW,
        maximum_packet_size: limits::CHANNEL_PACKET,
        channel_buffer_size: limits::CHANNEL_PACKETS,
        preferred,
        inactivity_timeout: None,
        keepalive_interval: Some(interval),
        keepalive_max: usize::try_from(count).unwrap_or(usize::MAX),
        nodelay: true,
        ..client::Config::default()
    }))
}
