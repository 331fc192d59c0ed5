//! Forwards that listen on the server.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use russh::client::{ChannelOpenHandle, Msg};
use russh::{Channel, ChannelOpenFailure};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::{Counters, Forwarding, relay, socks};
use crate::config::{ForwardRule, ForwardTarget, ListenAddress};
use crate::connect::Connection;
use crate::limits;

/// Listeners on the server.
#[derive(Default)]
pub(crate) struct RemoteTable {
    /// Held for a look or a change only.
    listeners: Mutex<Vec<Listener>>,
}

#[derive(Clone)]
struct Listener {
    /// The port the server listens on, or the socket.
    at: ListenAddress,
    target: ForwardTarget,
    forwarding: Forwarding,
}

impl RemoteTable {
    pub(crate) fn clear(&self) {
        self.listeners.lock().clear();
    }

    fn add(&self, listener: Listener) {
        self.listeners.lock().push(listener);
    }

    fn remove(&self, at: &ListenAddress) {
        self.listeners.lock().retain(|listener| listener.at != *at);
    }

    fn find(&self, wanted: impl Fn(&ListenAddress) -> bool) -> Option<Listener> {
        self.listeners
            .lock()
            .iter()
            .find(|listener| wanted(&listener.at))
            .cloned()
    }

    /// The server has a client on a port.
    pub(crate) async fn accept_tcp(
        &self,
        _: &str,
        port: u32,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
    ) {
        let wanted = |at: &ListenAddress| matches!(at, ListenAddress::Port { port: known, .. } if u32::from(*known) == port);
        accept(self.find(wanted), channel, reply).await;
    }

    /// The server has a client on a socket.
    pub(crate) async fn accept_socket(
        &self,
        path: &str,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
    ) {
        let wanted = |at: &ListenAddress| matches!(at, ListenAddress::Socket(known) if known.to_string_lossy() == path);
        accept(self.find(wanted), channel, reply).await;
    }
}

/// Connects on a task of its own, so that the connection goes on meanwhile.
async fn accept(listener: Option<Listener>, channel: Channel<Msg>, reply: ChannelOpenHandle) {
    let Some(listener) = listener else {
        return reply
            .reject(ChannelOpenFailure::AdministrativelyProhibited)
            .await;
    };
    let Ok(permit) = Arc::clone(&listener.forwarding.streams).try_acquire_owned() else {
        return reply.reject(ChannelOpenFailure::ResourceShortage).await;
    };
    tokio::spawn(async move {
        let _permit = permit;
        let counters = Arc::clone(&listener.forwarding.counters);
        match &listener.target {
            ForwardTarget::Port { host, port } => {
                let connecting = TcpStream::connect((host.as_str(), *port));
                match tokio::time::timeout(limits::FORWARD_CONNECT, connecting).await {
                    Ok(Ok(stream)) => joined(stream, channel, reply, &counters).await,
                    _ => reply.reject(ChannelOpenFailure::ConnectFailed).await,
                }
            }
            ForwardTarget::Socket(path) => socket(path, channel, reply, &counters).await,
            ForwardTarget::Socks => {
                reply.accept().await;
                serve_socks(channel, &counters).await;
            }
        }
    });
}

async fn joined(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    channel: Channel<Msg>,
    reply: ChannelOpenHandle,
    counters: &Counters,
) {
    reply.accept().await;
    relay::relay(stream, channel.into_stream(), counters).await;
}

#[cfg(unix)]
async fn socket(
    path: &std::path::Path,
    channel: Channel<Msg>,
    reply: ChannelOpenHandle,
    counters: &Counters,
) {
    match tokio::net::UnixStream::connect(path).await {
        Ok(stream) => joined(stream, channel, reply, counters).await,
        Err(_) => reply.reject(ChannelOpenFailure::ConnectFailed).await,
    }
}

#[cfg(not(unix))]
async fn socket(_: &std::path::Path, _: Channel<Msg>, reply: ChannelOpenHandle, _: &Counters) {
    reply.reject(ChannelOpenFailure::ConnectFailed).await;
}

/// A client on the server's side asks for an address of this side.
async fn serve_socks(channel: Channel<Msg>, counters: &Counters) {
    let mut far = channel.into_stream();
    let Ok(Ok(request)) = tokio::time::timeout(limits::FORWARD_CONNECT, socks::ask(&mut far)).await
    else {
        return;
    };
    let connecting = TcpStream::connect((request.host.as_str(), request.port));
    let near = tokio::time::timeout(limits::FORWARD_CONNECT, connecting).await;
    let near = near.ok().and_then(Result::ok);
    if socks::answer(&mut far, &request, near.is_some())
        .await
        .is_err()
    {
        return;
    }
    if let Some(near) = near {
        relay::relay(near, far, counters).await;
    }
}

/// Asks the server to listen. The listener stays until it is cancelled or the connection ends.
pub(crate) async fn run(connection: Weak<Connection>, rule: ForwardRule, forwarding: Forwarding) {
    let Some(connection) = connection.upgrade() else {
        return;
    };
    let add = |at: ListenAddress| {
        connection.shared.remote.add(Listener {
            at,
            target: rule.target.clone(),
            forwarding: forwarding.clone(),
        });
    };
    match &rule.listen {
        ListenAddress::Port { host, port } => {
            match connection
                .handle()
                .tcpip_forward(wire_host(host.as_deref()), u32::from(*port))
                .await
            {
                Ok(chosen) => {
                    let chosen = u16::try_from(chosen)
                        .ok()
                        .filter(|chosen| *chosen != 0)
                        .unwrap_or(*port);
                    add(ListenAddress::Port {
                        host: host.clone(),
                        port: chosen,
                    });
                    forwarding.listening(format!(
                        "{}:{chosen}",
                        host.as_deref().unwrap_or("localhost")
                    ));
                }
                Err(error) => forwarding.failed(format!("the server does not listen: {error}")),
            }
        }
        ListenAddress::Socket(path) => {
            let name = path.to_string_lossy().into_owned();
            match connection.handle().streamlocal_forward(name.clone()).await {
                Ok(()) => {
                    add(rule.listen.clone());
                    forwarding.listening(name);
                }
                Err(error) => forwarding.failed(format!("the server does not listen: {error}")),
            }
        }
    }
}

/// Ends a listener on the server.
pub(crate) async fn cancel(connection: Arc<Connection>, rule: ForwardRule) {
    let table = &connection.shared.remote;
    let same = |at: &ListenAddress| match (at, &rule.listen) {
        (
            ListenAddress::Port { host, port },
            ListenAddress::Port {
                host: wanted,
                port: asked,
            },
        ) => host == wanted && (port == asked || *asked == 0),
        (at, wanted) => at == wanted,
    };
    let Some(listener) = table.find(same) else {
        return;
    };
    table.remove(&listener.at);
    let cancelled = match &listener.at {
        ListenAddress::Port { host, port } => {
            connection
                .handle()
                .cancel_tcpip_forward(wire_host(host.as_deref()), u32::from(*port))
                .await
        }
        ListenAddress::Socket(path) => {
            connection
                .handle()
                .cancel_streamlocal_forward(path.to_string_lossy().into_owned())
                .await
        }
    };
    if let Err(error) = cancelled {
        tracing::debug!(%error, "a listener on the server was not cancelled");
    }
}

/// RFC 4254, 7.1: an empty name stands for every interface.
fn wire_host(host: Option<&str>) -> &str {
    match host {
        None => "localhost",
        Some("*") => "",
        Some(host) => host,
    }
}
