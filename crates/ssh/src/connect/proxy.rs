//! HTTP CONNECT and SOCKS5 proxies.

use std::net::IpAddr;

use data_encoding::BASE64;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use zeroize::Zeroizing;

use crate::prompt::Secret;
use crate::{limits, text};

/// How a proxy is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyKind {
    /// HTTP `CONNECT`.
    Http,
    /// SOCKS5; names are resolved by the proxy.
    Socks5,
}

/// A proxy.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// How it is spoken to.
    pub kind: ProxyKind,
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// User and password, when it wants them.
    pub credentials: Option<(String, Secret)>,
}

impl PartialEq for Proxy {
    /// Passwords do not count.
    fn eq(&self, other: &Self) -> bool {
        let user = |proxy: &Self| proxy.credentials.as_ref().map(|(user, _)| user.clone());
        (self.kind, &self.host, self.port, user(self))
            == (other.kind, &other.host, other.port, user(other))
    }
}

impl Eq for Proxy {}

/// The proxy of one host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProxyChoice {
    /// That of the settings.
    #[default]
    Inherit,
    /// None.
    None,
    /// This one.
    Use(Proxy),
}

/// The proxy of the settings.
#[derive(Clone, Debug, Default)]
pub struct ProxyRules {
    /// For every host that is not excepted.
    pub proxy: Option<Proxy>,
    /// Hosts reached without it: names (with everything below them), addresses, networks such as
    /// `10.0.0.0/8`, or `*`.
    pub no_proxy: Vec<String>,
}

impl ProxyRules {
    /// The proxy for a host.
    pub(crate) fn choose<'a>(&'a self, choice: &'a ProxyChoice, host: &str) -> Option<&'a Proxy> {
        match choice {
            ProxyChoice::None => None,
            ProxyChoice::Use(proxy) => Some(proxy),
            ProxyChoice::Inherit => self.proxy.as_ref().filter(|_| !self.excepted(host)),
        }
    }

    fn excepted(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let address: Option<IpAddr> = host.parse().ok();
        self.no_proxy.iter().any(|rule| {
            let rule = rule.trim().to_ascii_lowercase();
            let name = rule.trim_start_matches("*.").trim_start_matches('.');
            rule == "*"
                || (!name.is_empty() && (host == name || host.ends_with(&format!(".{name}"))))
                || address.is_some_and(|address| in_network(address, &rule))
        })
    }
}

fn in_network(address: IpAddr, rule: &str) -> bool {
    let Some((network, bits)) = rule.split_once('/') else {
        return false;
    };
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    match (address, network) {
        (IpAddr::V4(a), IpAddr::V4(n)) if bits <= 32 => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            a.to_bits() & mask == n.to_bits() & mask
        }
        (IpAddr::V6(a), IpAddr::V6(n)) if bits <= 128 => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            a.to_bits() & mask == n.to_bits() & mask
        }
        _ => false,
    }
}

/// Asks the proxy at the other end of `stream` for a way to `host:port`.
///
/// # Errors
/// What the proxy said, in words.
pub(crate) async fn handshake<S>(
    stream: &mut S,
    proxy: &Proxy,
    host: &str,
    port: u16,
) -> Result<(), String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match proxy.kind {
        ProxyKind::Http => http_connect(stream, proxy, host, port).await,
        ProxyKind::Socks5 => socks5(stream, proxy, host, port).await,
    }
}

async fn http_connect<S>(stream: &mut S, proxy: &Proxy, host: &str, port: u16) -> Result<(), String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let target = match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    };
    let mut request = Zeroizing::new(format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"));
    if let Some((user, password)) = &proxy.credentials {
        let pair = Zeroizing::new(format!("{user}:{}", password.expose()));
        let encoded = Zeroizing::new(BASE64.encode(pair.as_bytes()));
        request.push_str("Proxy-Authorization: Basic ");
        request.push_str(&encoded);
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    stream.write_all(request.as_bytes()).await.map_err(words)?;
    stream.flush().await.map_err(words)?;
    // Byte by byte: what follows the header belongs to the server.
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") && !answer.ends_with(b"\n\n") {
        if answer.len() >= limits::PROXY_ANSWER_BYTES {
            return Err("its answer has no end".to_owned());
        }
        answer.push(stream.read_u8().await.map_err(words)?);
    }
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.lines().next().unwrap_or_default();
    let mut fields = status.splitn(3, ' ');
    let is_http = fields
        .next()
        .is_some_and(|version| version.starts_with("HTTP/1."));
    match fields.next() {
        Some(code) if is_http && code.len() == 3 && code.starts_with('2') => Ok(()),
        _ => Err(text::plain(status, limits::LOG_LINE_BYTES / 4)),
    }
}

async fn socks5<S>(stream: &mut S, proxy: &Proxy, host: &str, port: u16) -> Result<(), String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let methods: &[u8] = match proxy.credentials {
        Some(_) => &[5, 2, 0, 2],
        None => &[5, 1, 0],
    };
    stream.write_all(methods).await.map_err(words)?;
    let mut chosen = [0; 2];
    stream.read_exact(&mut chosen).await.map_err(words)?;
    match (chosen, &proxy.credentials) {
        ([5, 0], _) => {}
        ([5, 2], Some((user, password))) => log_in(stream, user, password).await?,
        ([5, 0xff], _) => return Err("it accepts no method of authentication".to_owned()),
        _ => return Err("it does not speak SOCKS5".to_owned()),
    }
    let mut request = vec![5, 1, 0];
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => {
            request.push(1);
            request.extend(address.octets());
        }
        Ok(IpAddr::V6(address)) => {
            request.push(4);
            request.extend(address.octets());
        }
        Err(_) => {
            request.push(3);
            request.push(length(host)?);
            request.extend(host.as_bytes());
        }
    }
    request.extend(port.to_be_bytes());
    stream.write_all(&request).await.map_err(words)?;
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.map_err(words)?;
    let [version, reply, _, kind] = head;
    if version != 5 {
        return Err("it does not speak SOCKS5".to_owned());
    }
    if reply != 0 {
        return Err(socks_reply(reply).to_owned());
    }
    let rest = match kind {
        1 => 4,
        4 => 16,
        3 => usize::from(stream.read_u8().await.map_err(words)?),
        _ => return Err("its answer means nothing".to_owned()),
    };
    // The address it uses itself, and a port; of no interest.
    let mut bound = vec![0; rest + 2];
    stream.read_exact(&mut bound).await.map_err(words)?;
    Ok(())
}

/// RFC 1929.
async fn log_in<S>(stream: &mut S, user: &str, password: &Secret) -> Result<(), String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut request = Zeroizing::new(vec![1, length(user)?]);
    request.extend(user.as_bytes());
    request.push(length(password.expose())?);
    request.extend(password.expose().as_bytes());
    stream.write_all(&request).await.map_err(words)?;
    let mut answer = [0; 2];
    stream.read_exact(&mut answer).await.map_err(words)?;
    match answer {
        [_, 0] => Ok(()),
        _ => Err("it refused the user or the password".to_owned()),
    }
}

fn length(text: &str) -> Result<u8, String> {
    u8::try_from(text.len()).map_err(|_| "a name is longer than SOCKS5 allows".to_owned())
}

fn socks_reply(code: u8) -> &'static str {
    match code {
        1 => "it failed",
        2 => "its rules forbid the connection",
        3 => "the network cannot be reached",
        4 => "the host cannot be reached",
        5 => "the connection was refused",
        6 => "the time to live ran out",
        7 => "it does not know the command",
        8 => "it does not know the kind of address",
        _ => "it gave an unknown answer",
    }
}

fn words(error: std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "it ended the connection".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(kind: ProxyKind, credentials: bool) -> Proxy {
        Proxy {
            kind,
            host: "p".into(),
            port: 1,
            credentials: credentials.then(|| ("me".to_owned(), Secret::new("hush".into()))),
        }
    }

    #[test]
    fn exceptions() {
        let list = ["lan", ".corp.example", "10.0.0.0/8", "2001:db8::/32", "::1"];
        let rules = ProxyRules {
            proxy: Some(proxy(ProxyKind::Http, false)),
            no_proxy: list.map(str::to_owned).to_vec(),
        };
        for (host, proxied) in [
            ("a.lan", false),
            ("plan", true),
            ("CORP.example", false),
            ("x.corp.example", false),
            ("10.1.2.3", false),
            ("11.1.2.3", true),
            ("2001:db8::1", false),
            ("::1", false),
            ("::2", true),
        ] {
            assert_eq!(
                rules.choose(&ProxyChoice::Inherit, host).is_some(),
                proxied,
                "{host}"
            );
        }
        assert!(rules.choose(&ProxyChoice::None, "plan").is_none());
        let own = ProxyChoice::Use(proxy(ProxyKind::Socks5, true));
        assert!(rules.choose(&own, "a.lan").is_some());
        assert!(!format!("{own:?}").contains("hush"));
    }

    async fn talk(proxy: Proxy, answers: &[&[u8]], sent: usize) -> (Result<(), String>, Vec<u8>) {
        let (mut near, mut far) = tokio::io::duplex(1024);
        far.write_all(&answers.concat()).await.unwrap();
        let result = handshake(&mut near, &proxy, "host", 22).await;
        let mut got = vec![0; sent];
        far.read_exact(&mut got).await.unwrap();
        (result, got)
    }

    #[tokio::test]
    async fn http() {
        let expected = "CONNECT host:22 HTTP/1.1\r\nHost: host:22\r\n\
            Proxy-Authorization: Basic bWU6aHVzaA==\r\n\r\n";
        let answer: &[u8] = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n";
        let (result, sent) = talk(proxy(ProxyKind::Http, true), &[answer], expected.len()).await;
        assert_eq!((result, sent), (Ok(()), expected.as_bytes().to_vec()));
        for bad in [
            "HTTP/1.1 407 Authentication\x1b[2J\r\n\r\n",
            "SSH-2.0-x\r\n\r\n",
            "HTTP/1.1 2\r\n\r\n",
        ] {
            let (result, _) = talk(proxy(ProxyKind::Http, false), &[bad.as_bytes()], 0).await;
            assert!(!result.unwrap_err().contains('\x1b'));
        }
        let (result, _) = talk(
            proxy(ProxyKind::Http, false),
            &[b"HTTP/1.1 200 OK\r\n\r\nSSH"],
            0,
        )
        .await;
        assert_eq!(result, Ok(()));
    }

    #[tokio::test]
    async fn socks() {
        let ok: &[u8] = &[5, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        let (result, sent) = talk(proxy(ProxyKind::Socks5, false), &[&[5, 0], ok], 14).await;
        assert_eq!(result, Ok(()));
        assert_eq!(sent, b"\x05\x01\x00\x05\x01\x00\x03\x04host\x00\x16");
        let (result, _) = talk(proxy(ProxyKind::Socks5, true), &[&[5, 2], &[1, 0], ok], 0).await;
        assert_eq!(result, Ok(()));
        let (result, _) = talk(proxy(ProxyKind::Socks5, true), &[&[5, 2], &[1, 1]], 0).await;
        assert!(result.is_err());
        let (result, _) = talk(
            proxy(ProxyKind::Socks5, false),
            &[&[5, 0], &[5, 5, 0, 1]],
            0,
        )
        .await;
        assert_eq!(result, Err("the connection was refused".to_owned()));
        let (result, _) = talk(proxy(ProxyKind::Socks5, false), &[b"HT"], 0).await;
        assert!(result.is_err());
    }
}
