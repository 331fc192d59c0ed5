//! The library's callbacks for one connection.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use russh::client::{ChannelOpenHandle, DisconnectReason, Handler, Msg, Session};
use russh::keys::PublicKeyOrCertificate;
use russh::{Channel, ChannelOpenFailure};
use tokio::sync::watch;

use super::stream::Life;
use super::{ConnectError, host_key};
use crate::client::Context;
use crate::config::{ForwardAgent, HostConfig};
use crate::forward::{RemoteTable, relay_agent};
use crate::log::ConnectionLog;
use crate::prompt::Asker;
use crate::{auth, limits, text};

/// How long a lost connection's reason may come after the loss itself.
const REASON: Duration = Duration::from_millis(250);

/// What the callbacks and the owner of a connection share.
pub(crate) struct Shared {
    pub log: ConnectionLog,
    /// Why the connection was lost.
    lost: watch::Sender<Option<String>>,
    /// Banners of the server, made harmless. Held for a look or a change only.
    banner: Mutex<String>,
    /// Listeners on the server's side.
    pub remote: RemoteTable,
    /// The agent that the host may use.
    agent: Option<PathBuf>,
}

impl Shared {
    pub(super) fn new(log: ConnectionLog, config: &HostConfig, context: &Context) -> Self {
        let environment = context.options.agent_socket.as_deref();
        let agent = match &config.forward_agent {
            ForwardAgent::No => None,
            ForwardAgent::Yes => auth::socket_path(&config.identity_agent, environment),
            ForwardAgent::Path(path) => Some(path.clone()),
        };
        Self {
            log,
            lost: watch::Sender::new(None),
            banner: Mutex::default(),
            remote: RemoteTable::default(),
            agent,
        }
    }

    /// Why the connection was lost, once it was.
    pub(crate) fn lost_reason(&self) -> Option<String> {
        self.lost.borrow().clone()
    }

    /// Why the connection was lost, waiting a moment for the reason.
    pub(crate) async fn loss(&self) -> String {
        let mut lost = self.lost.subscribe();
        let waiting = lost.wait_for(Option::is_some);
        match tokio::time::timeout(REASON, waiting).await {
            Ok(Ok(reason)) => reason.clone().unwrap_or_default(),
            _ => "the connection was lost".to_owned(),
        }
    }

    /// Resolves when the connection is lost.
    pub(crate) async fn until_lost(&self) -> String {
        let mut lost = self.lost.subscribe();
        match lost.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            Err(_) => "the connection was lost".to_owned(),
        }
    }

    /// What the server said before the authentication.
    pub(crate) fn banner(&self) -> String {
        self.banner.lock().clone()
    }

    /// The host may use the user's agent.
    pub(crate) fn forwards_agent(&self) -> bool {
        self.agent.is_some()
    }
}

/// The callbacks.
pub(crate) struct Client {
    shared: Arc<Shared>,
    config: Arc<HostConfig>,
    asker: Asker,
    life: Life,
    /// Why the host key was refused.
    refusal: Arc<Mutex<Option<ConnectError>>>,
}

impl Client {
    pub(super) fn new(
        shared: Arc<Shared>,
        config: Arc<HostConfig>,
        asker: Asker,
        life: Life,
    ) -> Self {
        Self {
            shared,
            config,
            asker,
            life,
            refusal: Arc::default(),
        }
    }

    pub(super) fn refusal(&self) -> Arc<Mutex<Option<ConnectError>>> {
        Arc::clone(&self.refusal)
    }
}

impl Handler for Client {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        shown: &PublicKeyOrCertificate,
    ) -> Result<bool, russh::Error> {
        let judging = host_key::judge(&self.config, shown, &self.asker, &self.shared.log);
        // The user may cancel while the question stands.
        let judged = tokio::select! {
            judged = judging => judged,
            () = self.life.clone().ended() => Err(ConnectError::HostDeclined),
        };
        match judged {
            Ok(()) => Ok(true),
            Err(error) => {
                self.shared.log.push(error.to_string());
                *self.refusal.lock() = Some(error);
                Ok(false)
            }
        }
    }

    async fn auth_banner(&mut self, banner: &str, _: &mut Session) -> Result<(), russh::Error> {
        let mut kept = self.shared.banner.lock();
        let rest = limits::BANNER_BYTES.saturating_sub(kept.len());
        kept.push_str(&text::plain_lines(banner, rest));
        Ok(())
    }

    async fn server_channel_open_forwarded_tcpip(
        &mut self,
        channel: Channel<Msg>,
        address: &str,
        port: u32,
        _: &str,
        _: u32,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        self.shared
            .remote
            .accept_tcp(address, port, channel, reply)
            .await;
        Ok(())
    }

    async fn server_channel_open_forwarded_streamlocal(
        &mut self,
        channel: Channel<Msg>,
        path: &str,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        self.shared.remote.accept_socket(path, channel, reply).await;
        Ok(())
    }

    async fn server_channel_open_agent_forward(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        match &self.shared.agent {
            Some(agent) => {
                tokio::spawn(relay_agent(
                    agent.clone(),
                    channel,
                    reply,
                    self.shared.log.clone(),
                ));
            }
            // Never asked for, so a server that opens one is up to no good.
            None => {
                reply
                    .reject(ChannelOpenFailure::AdministrativelyProhibited)
                    .await
            }
        }
        Ok(())
    }

    async fn server_channel_open_x11(
        &mut self,
        _: Channel<Msg>,
        _: &str,
        _: u32,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        refuse(reply).await
    }

    async fn server_channel_open_session(
        &mut self,
        _: Channel<Msg>,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        refuse(reply).await
    }

    async fn server_channel_open_direct_tcpip(
        &mut self,
        _: Channel<Msg>,
        _: &str,
        _: u32,
        _: &str,
        _: u32,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        refuse(reply).await
    }

    async fn server_channel_open_direct_streamlocal(
        &mut self,
        _: Channel<Msg>,
        _: &str,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        refuse(reply).await
    }

    async fn disconnected(
        &mut self,
        reason: DisconnectReason<russh::Error>,
    ) -> Result<(), russh::Error> {
        let (words, result) = match reason {
            DisconnectReason::ReceivedDisconnect(info) => {
                let said = text::plain(&info.message, limits::LOG_LINE_BYTES / 4);
                (format!("the server ended the connection: {said}"), Ok(()))
            }
            DisconnectReason::Error(error) => (lost_words(&error), Err(error)),
        };
        self.shared.log.push(&words);
        self.shared.lost.send_replace(Some(words));
        result
    }
}

fn lost_words(error: &russh::Error) -> String {
    match error {
        russh::Error::KeepaliveTimeout => "the server does not answer any more".to_owned(),
        russh::Error::HUP | russh::Error::Disconnect => {
            "the server ended the connection".to_owned()
        }
        russh::Error::IO(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            "the server ended the connection".to_owned()
        }
        other => other.to_string(),
    }
}

/// What a server may not open on its own.
async fn refuse(reply: ChannelOpenHandle) -> Result<(), russh::Error> {
    reply
        .reject(ChannelOpenFailure::AdministrativelyProhibited)
        .await;
    Ok(())
}
