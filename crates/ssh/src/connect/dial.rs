//! TCP to a name: every address is tried, the next one a moment after the one before it.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::ConnectError;
use crate::config::AddressFamily;

/// Head start of an address before the next one is tried too (RFC 8305).
const HEAD_START: Duration = Duration::from_millis(250);
/// Addresses of one name that are tried.
const ADDRESSES: usize = 16;

/// Connects to `host:port`, without delay of small packets.
///
/// # Errors
/// The name has no address, or none of them answers.
pub(crate) async fn tcp(
    host: &str,
    port: u16,
    family: AddressFamily,
    keep_alive: bool,
) -> Result<TcpStream, ConnectError> {
    let addresses = addresses(host, port, family).await?;
    let mut tries = JoinSet::new();
    let mut failure = None;
    let mut waiting = addresses.into_iter();
    let mut next = waiting.next();
    let stream = loop {
        if let Some(address) = next.take() {
            tries.spawn(async move { (address, TcpStream::connect(address).await) });
        }
        let pause = tokio::time::sleep(HEAD_START);
        tokio::select! {
            done = tries.join_next() => match done {
                Some(Ok((_, Ok(stream)))) => break stream,
                Some(Ok((address, Err(error)))) => {
                    failure = Some((address, error));
                    next = waiting.next();
                }
                Some(Err(_)) => next = waiting.next(),
                None => return Err(unreachable(host, port, failure)),
            },
            () = pause, if waiting.len() > 0 => next = waiting.next(),
        }
    };
    stream
        .set_nodelay(true)
        .map_err(|error| ConnectError::Unreachable {
            address: format!("{host}:{port}"),
            reason: error.to_string(),
        })?;
    if keep_alive && let Err(error) = set_keep_alive(&stream) {
        tracing::debug!(%error, "no keepalive of the kernel");
    }
    Ok(stream)
}

#[cfg(unix)]
fn set_keep_alive(stream: &TcpStream) -> std::io::Result<()> {
    Ok(rustix::net::sockopt::set_socket_keepalive(stream, true)?)
}

#[cfg(not(unix))]
fn set_keep_alive(_: &TcpStream) -> std::io::Result<()> {
    Ok(())
}

async fn addresses(
    host: &str,
    port: u16,
    family: AddressFamily,
) -> Result<Vec<SocketAddr>, ConnectError> {
    let no_name = |reason: String| ConnectError::Name {
        host: host.to_owned(),
        reason,
    };
    let found = tokio::net::lookup_host((host, port))
        .await
        .map_err(|error| no_name(error.to_string()))?;
    let addresses: Vec<SocketAddr> = found
        .filter(|address| match family {
            AddressFamily::Any => true,
            AddressFamily::Inet => address.is_ipv4(),
            AddressFamily::Inet6 => address.is_ipv6(),
        })
        .take(ADDRESSES)
        .collect();
    match addresses.is_empty() {
        true => Err(no_name("it has none of the wanted family".to_owned())),
        false => Ok(addresses),
    }
}

fn unreachable(
    host: &str,
    port: u16,
    failure: Option<(SocketAddr, std::io::Error)>,
) -> ConnectError {
    let (address, reason) = match failure {
        Some((address, error)) => (address.to_string(), error.to_string()),
        None => (
            format!("{host}:{port}"),
            "no address could be tried".to_owned(),
        ),
    };
    ConnectError::Unreachable { address, reason }
}
