//! The stream that carries a connection, and the line that cuts it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use tokio::io::{AsyncRead, AsyncWrite, BufReader, ReadBuf};
use tokio::sync::watch;

use super::{ConnectError, Plan, Requester, Via, dial, proxy, proxy_command};
use crate::client::Context;
use crate::pool::{self, Lease};

/// Bytes read from the network at once.
const BUFFER: usize = 128 * 1024;

trait Both: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Both for T {}

/// A way to a server.
pub(crate) struct Stream(Box<dyn Both>);

impl Stream {
    fn new(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        Self(Box::new(stream))
    }

    /// The same stream, which ends when the lifeline is cut.
    pub(crate) fn guarded(self, life: Life) -> Guarded {
        Guarded {
            stream: BufReader::with_capacity(BUFFER, self.0),
            cut: Box::pin(async move { life.ended().await }),
            is_cut: false,
        }
    }
}

/// Opens the stream of a plan, with the connection to the jump host it goes through.
///
/// # Errors
/// The way does not open.
pub(crate) async fn open(
    context: &Arc<Context>,
    plan: &Plan,
    requester: &Requester,
) -> Result<(Stream, Option<Lease>), ConnectError> {
    let config = &plan.config;
    let (host, port) = (config.host_name.as_str(), config.port);
    let log = &requester.log;
    match &plan.via {
        Via::Direct => {
            log.push(format!("connecting to {host} port {port}"));
            let stream =
                dial::tcp(host, port, config.address_family, config.tcp_keep_alive).await?;
            Ok((Stream::new(stream), None))
        }
        Via::Proxy(proxy) => {
            let name = format!("{}:{}", proxy.host, proxy.port);
            log.push(format!(
                "connecting to {host} port {port} through the proxy {name}"
            ));
            let mut stream = dial::tcp(
                &proxy.host,
                proxy.port,
                config.address_family,
                config.tcp_keep_alive,
            )
            .await?;
            proxy::handshake(&mut stream, proxy, host, port)
                .await
                .map_err(|reason| ConnectError::Proxy {
                    proxy: name,
                    reason,
                })?;
            Ok((Stream::new(stream), None))
        }
        Via::Command(command) => {
            // The command itself is not logged: people put secrets into such lines.
            log.push(format!(
                "connecting to {host} port {port} through a proxy command"
            ));
            Ok((Stream::new(proxy_command::start(command, log)?), None))
        }
        Via::Jump(hop) => {
            let label = hop.label();
            log.push(format!("connecting to {host} port {port} through {label}"));
            let jump_error = |error| ConnectError::Jump {
                host: label.clone(),
                error: Box::new(error),
            };
            let lease = Box::pin(pool::acquire(context, hop, requester))
                .await
                .map_err(jump_error)?;
            let channel = lease
                .connection()
                .open_tcp(host, port)
                .await
                .map_err(|error| {
                    jump_error(ConnectError::Unreachable {
                        address: format!("{host}:{port}"),
                        reason: error.to_string(),
                    })
                })?;
            Ok((Stream::new(channel.into_stream()), Some(lease)))
        }
    }
}

/// Held by the owner of a connection; whoever holds a [`Life`] of it notices when it is cut.
pub(crate) struct Lifeline(Option<watch::Sender<()>>);

/// The other end of a [`Lifeline`].
#[derive(Clone)]
pub(crate) struct Life(watch::Receiver<()>);

impl Lifeline {
    pub(crate) fn new() -> (Self, Life) {
        let (sender, receiver) = watch::channel(());
        (Self(Some(sender)), Life(receiver))
    }

    /// Cuts it; dropping it does the same.
    pub(crate) fn cut(&mut self) {
        self.0.take();
    }
}

impl Life {
    /// Returns when the lifeline was cut.
    pub(crate) async fn ended(mut self) {
        while self.0.changed().await.is_ok() {}
    }
}

/// A stream that fails once its lifeline is cut, so that the library's task ends wherever it waits.
pub(crate) struct Guarded {
    stream: BufReader<Box<dyn Both>>,
    cut: Pin<Box<dyn Future<Output = ()> + Send>>,
    is_cut: bool,
}

impl Guarded {
    fn check(&mut self, cx: &mut TaskContext<'_>) -> io::Result<()> {
        if self.is_cut || self.cut.as_mut().poll(cx).is_ready() {
            self.is_cut = true;
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }
}

impl AsyncRead for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut TaskContext<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut TaskContext<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        // The reading side holds the waker of the cut; a writer that waits is woken by the same
        // task.
        if self.is_cut {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        if self.is_cut {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
