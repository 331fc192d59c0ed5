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
use runtime::{Delivery, RuntimeHub, Subscription};
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
    };
    let streaming = async {
        let replay = params.replay.unwrap_or_default();
        let subscription = shared.hub.subscribe(params.since_revision, replay);
        let followed = writer.follow(&shared.hub, &subscription, shared.stopped());
        if let Err(error) = followed.await {
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
}

impl Writer<'_> {
    async fn follow(
        &mut self,
        hub: &RuntimeHub,
        subscription: &Subscription,
        stopped: impl Future<Output = ()>,
    ) -> io::Result<()> {
        SockRef::from(self.stream.get_ref()).set_send_buffer_size(SEND_BUFFER)?;
        self.acknowledge(subscription).await?;
        let mut stopped = std::pin::pin!(stopped);
        loop {
            match self.next(subscription, stopped.as_mut()).await {
                Some(Delivery::Event(published)) => {
                    let revision = published.revision();
                    self.line(|output| {
                        let data = published.json.as_bytes();
                        wire::event(output, "runtime.snapshot", revision, data);
                    });
                    self.write(subscription).await?;
                }
                // An event that is not written completely ends the stream above, so the last one
                // that the hub handed out is the last one that the client has.
                Some(Delivery::Overflow { last_revision }) => {
                    return self.overflow(last_revision).await;
                }
                Some(Delivery::Closed) => return Ok(()),
                None => self.beat(hub, subscription).await?,
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

    async fn beat(&mut self, hub: &RuntimeHub, subscription: &Subscription) -> io::Result<()> {
        let revision = hub.current().map_or(0, |snapshot| snapshot.revision);
        let data = serde_json::to_vec(&json!({"boot_id": self.boot_id}))?;
        self.line(|output| wire::event(output, "runtime.heartbeat", revision, &data));
        self.write(subscription).await
    }

    async fn overflow(&mut self, last_revision: u64) -> io::Result<()> {
        tracing::debug!(revision = last_revision, "a subscriber was too slow");
        let error = ApiError::new(
            ErrorCode::SlowConsumer,
            "event queue overflow",
            json!({"last_revision": last_revision}),
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io::Read;
    use std::net::{Ipv4Addr, TcpListener};

    use protocol::Snapshot;
    use runtime::Projection;
    use serde_json::Value;

    use super::*;

    fn publish(hub: &RuntimeHub, detached_windows: u32) {
        hub.publish(Projection {
            snapshot: Snapshot {
                revision: 0,
                process_id: 1,
                app_version: String::new(),
                protocol_version: 1,
                detached_windows,
                windows: Vec::new(),
                pane_lifecycles: Vec::new(),
                boot_id: String::new(),
            },
            transitions: HashMap::new(),
            paced: false,
        });
    }

    /// All lines that a subscriber gets whose queue overflows before its first event is written.
    fn overflowing_at_once(since_revision: Option<u64>, replay: bool) -> Vec<Value> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let server = Async::new(listener.accept().unwrap().0).unwrap();

        let hub = RuntimeHub::new("b".repeat(32));
        (0..7).for_each(|count| publish(&hub, count));
        let subscription = hub.subscribe(since_revision, replay);
        (100..120).for_each(|count| publish(&hub, count));
        assert!(subscription.is_overflowed());
        let mut writer = Writer {
            stream: &server,
            output: &mut Vec::new(),
            id: "slow",
            boot_id: hub.boot_id(),
            heartbeat: None,
            limit: limits::WRITE,
        };
        smol::block_on(writer.follow(&hub, &subscription, future::pending())).unwrap();
        drop(server);
        let mut text = String::new();
        client.read_to_string(&mut text).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Resuming from a revision of another boot would miss everything up to it.
    #[test]
    fn the_baseline_of_another_boot_is_not_where_to_resume() {
        for (since, replay, resume) in [
            (Some(5000), false, 0),
            (Some(5000), true, 0),
            (Some(7), false, 7),
            (Some(3), true, 3),
            (None, false, 0),
        ] {
            let lines = overflowing_at_once(since, replay);
            let [ack, end] = lines.as_slice() else {
                panic!("an acknowledgement and an error: {lines:?}");
            };
            assert_eq!(ack["result"]["current_revision"], 7);
            assert_eq!(end["id"], "slow");
            assert_eq!(end["error"]["code"], "slow_consumer");
            let details = json!({"last_revision": resume});
            assert_eq!(end["error"]["details"], details, "since {since:?}");
        }
    }
}
