//! The server's side of SOCKS 4, 4a and 5, as much as a dynamic forward needs: CONNECT without
//! authentication.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Bytes of a name.
const NAME: usize = 255;

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    version: u8,
    pub host: String,
    pub port: u16,
}

/// Reads what a client wants.
///
/// # Errors
/// It does not speak SOCKS, or wants something else than a connection.
pub(crate) async fn ask<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) -> io::Result<Request> {
    match stream.read_u8().await? {
        4 => version_4(stream).await,
        5 => version_5(stream).await,
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Tells the client whether the way is open.
///
/// # Errors
/// The client is gone.
pub(crate) async fn answer<S: AsyncWrite + Unpin>(
    stream: &mut S,
    request: &Request,
    open: bool,
) -> io::Result<()> {
    match (request.version, open) {
        (4, true) => stream.write_all(&[0, 90, 0, 0, 0, 0, 0, 0]).await,
        (4, false) => stream.write_all(&[0, 91, 0, 0, 0, 0, 0, 0]).await,
        (_, true) => stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await,
        (_, false) => stream.write_all(&[5, 5, 0, 1, 0, 0, 0, 0, 0, 0]).await,
    }
}

async fn version_4<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<Request> {
    let command = stream.read_u8().await?;
    let port = stream.read_u16().await?;
    let address = stream.read_u32().await?;
    // The user's name, of no interest.
    text(stream).await?;
    // 4a: an address 0.0.0.x stands for a name that follows.
    let host = match address {
        1..=255 => text(stream).await?,
        _ => Ipv4Addr::from_bits(address).to_string(),
    };
    connect_only(command, 4, host, port)
}

async fn version_5<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) -> io::Result<Request> {
    let methods = usize::from(stream.read_u8().await?);
    let mut offered = vec![0; methods];
    stream.read_exact(&mut offered).await?;
    if !offered.contains(&0) {
        stream.write_all(&[5, 0xff]).await?;
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    stream.write_all(&[5, 0]).await?;
    let mut head = [0; 4];
    stream.read_exact(&mut head).await?;
    let [_, command, _, kind] = head;
    let host = match kind {
        1 => Ipv4Addr::from_bits(stream.read_u32().await?).to_string(),
        4 => Ipv6Addr::from_bits(stream.read_u128().await?).to_string(),
        3 => {
            let mut name = vec![0; usize::from(stream.read_u8().await?)];
            stream.read_exact(&mut name).await?;
            String::from_utf8(name).map_err(|_| io::ErrorKind::InvalidData)?
        }
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    let port = stream.read_u16().await?;
    connect_only(command, 5, host, port)
}

fn connect_only(command: u8, version: u8, host: String, port: u16) -> io::Result<Request> {
    match command {
        1 => Ok(Request {
            version,
            host,
            port,
        }),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// A text that ends with a zero byte.
async fn text<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        match stream.read_u8().await? {
            0 => return String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into()),
            byte if bytes.len() < NAME => bytes.push(byte),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(bytes: &[u8]) -> io::Result<(u8, String, u16)> {
        let (mut near, mut far) = tokio::io::duplex(1024);
        far.write_all(bytes).await.unwrap();
        drop(far);
        ask(&mut near)
            .await
            .map(|request| (request.version, request.host, request.port))
    }

    #[tokio::test]
    async fn every_version() {
        let v4 = asked(b"\x04\x01\x00\x50\x7f\x00\x00\x01me\x00")
            .await
            .unwrap();
        assert_eq!(v4, (4, "127.0.0.1".into(), 80));
        let v4a = asked(b"\x04\x01\x00\x50\x00\x00\x00\x01\x00a.lan\x00")
            .await
            .unwrap();
        assert_eq!(v4a, (4, "a.lan".into(), 80));
        let mut v5 = b"\x05\x01\x00\x05\x01\x00\x03\x05a.lan\x00\x16".to_vec();
        // The answer to the greeting has nowhere to go in this test, so the far end stays.
        let (mut near, mut far) = tokio::io::duplex(1024);
        far.write_all(&v5).await.unwrap();
        assert_eq!(ask(&mut near).await.unwrap().host, "a.lan");
        v5[1] = 0;
        for bad in [
            &v5[..],
            b"GET / HTTP",
            b"\x04\x02\x00\x50\x7f\x00\x00\x01\x00",
            b"\x05",
        ] {
            assert!(asked(bad).await.is_err());
        }
    }
}
