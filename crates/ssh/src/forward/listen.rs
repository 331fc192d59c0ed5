//! Forwards that listen on this side.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;

use super::{Counters, Forwarding, relay, socks};
use crate::config::{ForwardRule, ForwardTarget, ListenAddress};
use crate::connect::Connection;
use crate::limits;

/// Pause after a client could not be taken, usually for want of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

trait Both: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Both for T {}

/// What is listened on.
enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Socket(tokio::net::UnixListener, std::path::PathBuf),
}

impl Listener {
    async fn bind(at: &ListenAddress) -> io::Result<(Self, String)> {
        match at {
            ListenAddress::Port { host, port } => {
                let host = match host.as_deref() {
                    None | Some("localhost") => "127.0.0.1",
                    Some("" | "*") => "0.0.0.0",
                    Some(host) => host,
                };
                let listener = TcpListener::bind((host, *port)).await?;
                let address = listener.local_addr()?.to_string();
                Ok((Self::Tcp(listener), address))
            }
            #[cfg(unix)]
            ListenAddress::Socket(path) => {
                use std::os::unix::fs::PermissionsExt;
                let listener = tokio::net::UnixListener::bind(path)?;
                let listener = Self::Socket(listener, path.clone());
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
                Ok((listener, path.display().to_string()))
            }
            #[cfg(not(unix))]
            ListenAddress::Socket(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    async fn next(&self) -> io::Result<Box<dyn Both>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            #[cfg(unix)]
            Self::Socket(listener, _) => Ok(Box::new(listener.accept().await?.0)),
        }
    }
}

#[cfg(unix)]
impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Socket(_, path) = self
            && let Err(error) = std::fs::remove_file(path)
        {
            tracing::debug!(%error, "the socket of a forward stays");
        }
    }
}

/// Listens until it is ended or the connection is gone. One task for each client, at most
/// [`limits::FORWARDED`] of a connection.
pub(crate) async fn run(connection: Weak<Connection>, rule: ForwardRule, forwarding: Forwarding) {
    let listener = match Listener::bind(&rule.listen).await {
        Ok((listener, address)) => {
            forwarding.listening(address);
            listener
        }
        Err(error) => return forwarding.failed(error.to_string()),
    };
    while let Ok(permit) = Arc::clone(&forwarding.streams).acquire_owned().await {
        let stream = match listener.next().await {
            Ok(stream) => stream,
            Err(error) => {
                tracing::debug!(%error, "a client of a forward was lost");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Some(connection) = connection.upgrade() else {
            return;
        };
        let (target, counters) = (rule.target.clone(), Arc::clone(&forwarding.counters));
        tokio::spawn(async move {
            let _permit = permit;
            serve(&connection, stream, target, &counters).await;
        });
    }
}

async fn serve(
    connection: &Connection,
    mut stream: Box<dyn Both>,
    target: ForwardTarget,
    counters: &Counters,
) {
    let opened = match target {
        ForwardTarget::Port { host, port } => connection.open_tcp(&host, port).await.ok(),
        ForwardTarget::Socket(path) => connection.open_socket(&path.to_string_lossy()).await.ok(),
        ForwardTarget::Socks => {
            let asking = socks::ask(&mut stream);
            let Ok(Ok(request)) = tokio::time::timeout(limits::FORWARD_CONNECT, asking).await
            else {
                return;
            };
            let opened = connection.open_tcp(&request.host, request.port).await.ok();
            if socks::answer(&mut stream, &request, opened.is_some())
                .await
                .is_err()
            {
                return;
            }
            opened
        }
    };
    match opened {
        Some(channel) => relay::relay(stream, channel.into_stream(), counters).await,
        None => connection
            .shared
            .log
            .push("the server did not open a way for a forward"),
    }
}
