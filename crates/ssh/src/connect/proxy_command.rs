//! A proxy command: its input and output are the stream.

use std::io;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, BufReader, ReadBuf};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;

use super::ConnectError;
use crate::limits;
use crate::log::ConnectionLog;

/// How long a command may take to end, and to say why, after its streams were closed.
const GRACE: Duration = Duration::from_millis(500);

/// A running command; it is ended when dropped.
pub(crate) struct ProxyCommand {
    input: ChildStdin,
    output: ChildStdout,
    child: Option<Child>,
}

impl Drop for ProxyCommand {
    fn drop(&mut self) {
        // What is left of a child after the grace is killed when it is dropped.
        if let (Some(mut child), Ok(runtime)) = (self.child.take(), Handle::try_current()) {
            runtime.spawn(async move {
                if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
                    tracing::debug!("a proxy command is killed");
                }
            });
        }
    }
}

/// Starts a command in a shell. What it writes to its error output goes to the connection log.
///
/// # Errors
/// It cannot be started.
pub(crate) fn start(command: &str, log: &ConnectionLog) -> Result<ProxyCommand, ConnectError> {
    let failed = |reason: &str| ConnectError::ProxyCommand(reason.to_owned());
    let mut child = shell(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| ConnectError::ProxyCommand(error.to_string()))?;
    let input = child
        .stdin
        .take()
        .ok_or_else(|| failed("it has no input"))?;
    let output = child
        .stdout
        .take()
        .ok_or_else(|| failed("it has no output"))?;
    if let Some(errors) = child.stderr.take() {
        let log = log.clone();
        // Ends with the command.
        tokio::spawn(async move {
            let mut reader = BufReader::new(errors.take(limits::PROXY_ERROR_BYTES));
            let mut line = Vec::new();
            while reader
                .read_until(b'\n', &mut line)
                .await
                .is_ok_and(|read| read > 0)
            {
                let text = String::from_utf8_lossy(&line);
                log.push(format!("proxy command: {}", text.trim_end()));
                line.clear();
            }
        });
    }
    Ok(ProxyCommand {
        input,
        output,
        child: Some(child),
    })
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    let program = std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into());
    let mut shell = Command::new(program);
    shell.arg("-c").arg(format!("exec {command}"));
    shell
}

#[cfg(windows)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.arg("/C").arg(command);
    shell
}

impl AsyncRead for ProxyCommand {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.output).poll_read(cx, buf)
    }
}

impl AsyncWrite for ProxyCommand {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.input).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.input).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.input).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_it_complains_about_is_logged() {
        let log = ConnectionLog::default();
        let mut command = start("echo oh no >&2; echo not reached", &log).unwrap();
        let mut text = String::new();
        command.read_to_string(&mut text).await.unwrap();
        drop(command);
        for _ in 0..500 {
            if !log.lines().is_empty() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        assert_eq!(log.lines(), ["proxy command: oh no"]);
    }
}
