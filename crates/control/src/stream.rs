//! Streaming the publications of the hub to one subscriber.
//!
//! The hub never waits for a subscriber. What the subscriber has not taken waits in its bounded
//! queue and in a send buffer of at most 256 KiB; when the queue overflows, the line that is being
//! written is finished, one error line tells the client where to resume, and the stream ends.

use std::future::Future;
use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use futures_lite::{AsyncReadExt, AsyncWriteExt, future};
use protocol::{ApiError, ErrorCode, SubscribeParams, limits};
use runtime::{Delivery, Subscription};
use serde_json::json;
use smol::{Async, Timer};
use socket2::SockRef;

use crate::lines;
use crate::server::Shared;
use crate::wire;

/// Linux accounts twice the requested size; half of the contract's bound keeps within it.
const SEND_BUFFER: usize = limits::STREAM_BUFFER_BYTES / 2;

/// Runs a subscription until its end. The connection is closed afterwards.
pub(crate) async fn run(
    stream: &Async<TcpStream>,
    shared: &Shared,
    id: &str,
    params: &SubscribeParams,
    output: &mut Vec<u8>,
) {
    let mut writer = Writer {
        stream,
        output,
        id,
        boot_id: shared.hub.boot_id(),
        heartbeat: params
            .heartbeat_ms
            .map(|ms| Duration::from_millis(ms.into())),
        limit: shared.deadlines.write,
        last_revision: params.since_revision.unwrap_or_default(),
    };
    let streaming = async {
        if let Err(error) = writer.run(shared, params).await {
            tracing::debug!(%error, "a subscriber is gone");
        }
    };
    future::or(streaming, discard(stream)).await;
}

/// Reads and discards what the client still sends. Its end of input does not end the stream, a
/// failed connection does, which is how an idle stream learns that its client is gone.
async fn discard(mut stream: &Async<TcpStream>) {
    let mut scratch = [0_u8; 1024];
    loop {
        match stream.read(&mut scratch).await {
            Ok(0) => future::pending().await,
            // A client that floods the stream must not keep the thread from the others.
            Ok(_) => future::yield_now().await,
            Err(_) => return,
        }
    }
}

struct Writer<'a> {
    stream: &'a Async<TcpStream>,
    output: &'a mut Vec<u8>,
    id: &'a str,
    boot_id: &'a str,
    heartbeat: Option<Duration>,
    /// For lines that may not take as long as they want.
    limit: Duration,
    /// Revision of the last event that was written completely.
    last_revision: u64,
}

impl Writer<'_> {
    async fn run(&mut self, shared: &Shared, params: &SubscribeParams) -> io::Result<()> {
        SockRef::from(self.stream.get_ref()).set_send_buffer_size(SEND_BUFFER)?;
        let replay = params.replay.unwrap_or_default();
        let subscription = shared.hub.subscribe(params.since_revision, replay);
        self.acknowledge(&subscription).await?;
        let mut stopped = std::pin::pin!(shared.stopped());
        loop {
            match self.next(&subscription, stopped.as_mut()).await {
                Some(Delivery::Event(published)) => {
                    let revision = published.revision();
                    self.line(|output| {
                        let data = published.json.as_bytes();
                        wire::event(output, "runtime.snapshot", revision, data);
                    });
                    self.write(&subscription).await?;
                    self.last_revision = revision;
                }
                Some(Delivery::Overflow { .. }) => return self.overflow().await,
                Some(Delivery::Closed) => return Ok(()),
                None => self.beat(shared, &subscription).await?,
            }
        }
    }

    /// What to send next; `None` is a heartbeat. A stopping server still delivers what is queued.
    async fn next(
        &self,
        subscription: &Subscription,
        stopped: std::pin::Pin<&mut impl Future<Output = ()>>,
    ) -> Option<Delivery> {
        if let Some(delivery) = subscription.try_next() {
            return Some(delivery);
        }
        let stopped = async {
            stopped.await;
            Some(subscription.try_next().unwrap_or(Delivery::Closed))
        };
        let heartbeat = async {
            match self.heartbeat {
                Some(period) => {
                    Timer::after(period).await;
                    None
                }
                None => future::pending().await,
            }
        };
        let delivery = async { Some(subscription.next().await) };
        future::or(delivery, future::or(stopped, heartbeat)).await
    }

    async fn acknowledge(&mut self, subscription: &Subscription) -> io::Result<()> {
        let result = serde_json::to_vec(subscription.ack())?;
        let id = self.id;
        self.line(|output| wire::success(output, id, &result));
        lines::write(self.stream, self.output, self.limit).await
    }

    async fn beat(&mut self, shared: &Shared, subscription: &Subscription) -> io::Result<()> {
        let revision = shared.hub.current().map_or(0, |snapshot| snapshot.revision);
        let data = serde_json::to_vec(&json!({"boot_id": self.boot_id}))?;
        self.line(|output| wire::event(output, "runtime.heartbeat", revision, &data));
        self.write(subscription).await
    }

    async fn overflow(&mut self) -> io::Result<()> {
        tracing::debug!(revision = self.last_revision, "a subscriber was too slow");
        let error = ApiError::new(
            ErrorCode::SlowConsumer,
            "event queue overflow",
            json!({"last_revision": self.last_revision}),
        );
        let id = self.id;
        self.line(|output| wire::failure(output, id, &error));
        lines::write(self.stream, self.output, self.limit).await
    }

    fn line(&mut self, encode: impl FnOnce(&mut Vec<u8>)) {
        lines::recycle(self.output);
        encode(self.output);
    }

    /// Writes the line for as long as it takes, but at most the write limit from the moment the
    /// queue overflows.
    async fn write(&mut self, subscription: &Subscription) -> io::Result<()> {
        let mut stream = self.stream;
        let writing = stream.write_all(self.output);
        let giving_up = async {
            subscription.overflowed().await;
            Timer::at(Instant::now() + self.limit).await;
            Err(io::ErrorKind::TimedOut.into())
        };
        future::or(writing, giving_up).await
    }
}
