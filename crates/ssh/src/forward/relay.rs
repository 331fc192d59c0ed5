//! Bytes both ways between a channel and something local.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use russh::client::{ChannelOpenHandle, Msg};
use russh::{Channel, ChannelOpenFailure};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::Counters;
use crate::limits;
use crate::log::ConnectionLog;

/// Bytes moved at once.
const PIECE: usize = 32 * 1024;

/// Copies until both sides have ended, or one has failed.
pub(crate) async fn relay<A, B>(local: A, channel: B, counters: &Counters)
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let (local_read, local_write) = tokio::io::split(local);
    let (channel_read, channel_write) = tokio::io::split(channel);
    counters.open.fetch_add(1, Ordering::Relaxed);
    let out = copy(local_read, channel_write, &counters.sent, false);
    let back = copy(channel_read, local_write, &counters.received, true);
    // A failure of one way ends the other, too.
    if let Err(error) = tokio::try_join!(out, back) {
        tracing::debug!(%error, "a forwarded stream ended");
    }
    counters.open.fetch_sub(1, Ordering::Relaxed);
}

/// One way. `hurry`: a writer that takes nothing for too long is a failure.
async fn copy<R, W>(mut from: R, mut to: W, count: &AtomicU64, hurry: bool) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut buffer = vec![0; PIECE];
    loop {
        let read = from.read(&mut buffer).await?;
        let Some(piece) = buffer.get(..read).filter(|piece| !piece.is_empty()) else {
            return to.shutdown().await;
        };
        if hurry {
            match tokio::time::timeout(limits::FORWARD_STALLED, to.write_all(piece)).await {
                Ok(written) => written?,
                Err(_) => return Err(io::ErrorKind::TimedOut.into()),
            }
        } else {
            to.write_all(piece).await?;
        }
        count.fetch_add(u64::try_from(read).unwrap_or(0), Ordering::Relaxed);
    }
}

/// Lets a host talk to the user's agent.
#[cfg(unix)]
pub(crate) async fn relay_agent(
    agent: PathBuf,
    channel: Channel<Msg>,
    reply: ChannelOpenHandle,
    log: ConnectionLog,
) {
    let connecting = tokio::net::UnixStream::connect(&agent);
    match tokio::time::timeout(limits::FORWARD_CONNECT, connecting).await {
        Ok(Ok(stream)) => {
            log.push("the host talks to the agent");
            reply.accept().await;
            relay(
                stream,
                channel.into_stream(),
                &Arc::new(Counters::default()),
            )
            .await;
        }
        _ => reply.reject(ChannelOpenFailure::ConnectFailed).await,
    }
}

/// Lets a host talk to the user's agent.
#[cfg(not(unix))]
pub(crate) async fn relay_agent(
    _: PathBuf,
    _: Channel<Msg>,
    reply: ChannelOpenHandle,
    _: ConnectionLog,
) {
    reply
        .reject(ChannelOpenFailure::AdministrativelyProhibited)
        .await;
}
