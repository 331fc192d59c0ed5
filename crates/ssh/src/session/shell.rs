//! Channel, PTY and shell, and the bytes through them.

use std::sync::Arc;

use russh::client::Msg;
use russh::{Channel, ChannelMsg, ChannelReadHalf, ChannelWriteHalf, Pty};
use tokio::sync::watch;

use super::{Shared, TerminalSize};
use crate::config::{HostConfig, RequestTty, wildcard};
use crate::connect::{ConnectError, OpenError, SessionSlot};
use crate::pool::Lease;
use crate::stage::Exit;

/// What is asked of the host.
pub(crate) struct ShellRequest {
    pub term: String,
    pub size: TerminalSize,
    pub env: Vec<(String, String)>,
    /// `None` for the login shell.
    pub command: Option<String>,
}

/// A running shell; its channel is closed when it is dropped.
pub(crate) struct Shell {
    read: ChannelReadHalf,
    write: Arc<ChannelWriteHalf<Msg>>,
    lease: Lease,
    slot: Option<SessionSlot>,
}

/// How a shell came to its end.
pub(crate) enum Ended {
    Exited(Exit),
    Lost(String),
}

/// Opens a channel and starts the shell in it.
///
/// # Errors
/// The server refuses something, or the connection is gone.
pub(crate) async fn open(lease: Lease, request: &ShellRequest) -> Result<Shell, OpenFailure> {
    let connection = Arc::clone(lease.connection());
    let (channel, slot) = connection
        .open_session()
        .await
        .map_err(OpenFailure::Channel)?;
    let (read, write) = channel.split();
    let mut shell = Shell {
        read,
        write: Arc::new(write),
        lease,
        slot: Some(slot),
    };
    match shell
        .start(
            &connection.config,
            connection.shared.forwards_agent(),
            request,
        )
        .await
    {
        Ok(true) => Ok(shell),
        Ok(false) => Err(OpenFailure::Shell(ConnectError::Shell(
            "the server started no shell".to_owned(),
        ))),
        Err(_) => Err(OpenFailure::Shell(ConnectError::Lost(
            connection.shared.loss().await,
        ))),
    }
}

/// Why no shell was opened.
pub(crate) enum OpenFailure {
    /// No channel: another connection may help.
    Channel(OpenError),
    /// The channel was open.
    Shell(ConnectError),
}

impl Shell {
    /// All requests go out at once; only the answer to the last one has to be yes.
    async fn start(
        &mut self,
        config: &HostConfig,
        agent: bool,
        request: &ShellRequest,
    ) -> Result<bool, russh::Error> {
        let write = &self.write;
        if agent {
            write.agent_forward(false).await?;
        }
        let mut env: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| {
                config
                    .send_env
                    .iter()
                    .any(|pattern| wildcard(pattern, name))
            })
            .collect();
        env.extend(request.env.iter().chain(&config.set_env).cloned());
        for (name, value) in env {
            write.set_env(false, name, value).await?;
        }
        if config.request_tty != RequestTty::No {
            let TerminalSize {
                columns,
                lines,
                width,
                height,
            } = request.size;
            write
                .request_pty(
                    false,
                    &request.term,
                    u32::from(columns.max(1)),
                    u32::from(lines.max(1)),
                    u32::from(width),
                    u32::from(height),
                    &[
                        (Pty::TTY_OP_ISPEED, 38_400),
                        (Pty::TTY_OP_OSPEED, 38_400),
                        (Pty::IUTF8, 1),
                    ],
                )
                .await?;
        }
        match &request.command {
            Some(command) => write.exec(true, command.as_bytes()).await?,
            None => write.request_shell(true).await?,
        }
        loop {
            match self.read.wait().await {
                Some(ChannelMsg::Success) => return Ok(true),
                Some(ChannelMsg::Failure | ChannelMsg::Close | ChannelMsg::Eof) => {
                    return Ok(false);
                }
                Some(_) => {}
                None => return Err(russh::Error::Disconnect),
            }
        }
    }

    /// Moves bytes until the shell has ended. Output waits for its reader and input for the host;
    /// neither waits for the other.
    pub(crate) async fn run(
        mut self,
        shared: &Shared,
        mut size: watch::Receiver<TerminalSize>,
    ) -> Ended {
        let write = Arc::clone(&self.write);
        let sending = async {
            loop {
                let bytes = shared.input.next().await;
                if write.data_bytes(bytes).await.is_err() {
                    // The reading side learns why.
                    std::future::pending::<()>().await;
                }
            }
        };
        let sizing = async {
            while size.changed().await.is_ok() {
                let now = *size.borrow_and_update();
                let TerminalSize {
                    columns,
                    lines,
                    width,
                    height,
                } = now;
                let told = self.write.window_change(
                    u32::from(columns.max(1)),
                    u32::from(lines.max(1)),
                    u32::from(width),
                    u32::from(height),
                );
                if told.await.is_err() {
                    break;
                }
            }
            std::future::pending::<()>().await;
        };
        let exit = tokio::select! {
            exit = receive(&mut self.read, shared) => exit,
            () = sending => None,
            () = sizing => None,
        };
        match exit {
            Some(exit) => {
                self.slot.take();
                Ended::Exited(exit)
            }
            None => Ended::Lost(self.lease.connection().shared.loss().await),
        }
    }
}

/// Takes output until the channel is closed in order; `None` when the connection was lost.
async fn receive(read: &mut ChannelReadHalf, shared: &Shared) -> Option<Exit> {
    let mut exit = Exit::default();
    loop {
        match read.wait().await? {
            ChannelMsg::Data { data } | ChannelMsg::ExtendedData { data, .. } => {
                shared.output.push(data).await;
            }
            ChannelMsg::ExitStatus { exit_status } => exit.code = Some(exit_status),
            ChannelMsg::ExitSignal { signal_name, .. } => {
                exit.signal = Some(signal(&signal_name));
            }
            ChannelMsg::Close => return Some(exit),
            _ => {}
        }
    }
}

fn signal(signal: &russh::Sig) -> String {
    match signal {
        russh::Sig::Custom(name) => crate::text::plain(name, 32),
        known => format!("{known:?}"),
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // The server ends what runs in a channel that is closed.
        let (write, lease, slot) = (
            Arc::clone(&self.write),
            self.lease.clone(),
            self.slot.take(),
        );
        tokio::spawn(async move {
            if write.close().await.is_err() {
                tracing::trace!("a channel was gone before it was closed");
            }
            drop((lease, slot));
        });
    }
}

/// Runs a command without a terminal and forgets it, for at most a moment.
pub(crate) async fn run_once(channel: Channel<Msg>, command: &str) {
    let (mut read, write) = channel.split();
    if write.exec(true, command.as_bytes()).await.is_err() {
        return;
    }
    while let Some(message) = read.wait().await {
        if matches!(message, ChannelMsg::Close | ChannelMsg::Failure) {
            break;
        }
    }
    if write.close().await.is_err() {
        tracing::trace!("a channel was gone before it was closed");
    }
}
