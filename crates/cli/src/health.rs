//! `kingscross health`: whether the server of this configuration is ready; the container's health check.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::listen::Listen;
use crate::output::say;
use crate::sources::Sources;

/// A server that does not answer for so long is not healthy.
const PATIENCE: Duration = Duration::from_secs(3);

/// Asks `/readyz` of the address that the server listens on, and fails with what it says.
pub(crate) fn run(sources: &Sources) -> Result<()> {
    let config = sources.load()?;
    let answer = match Listen::of(&config.server.listen) {
        Listen::Tcp(listen) => {
            let address = listen.to_socket_addrs().ok().and_then(|mut found| found.next());
            let address = reachable(address.with_context(|| format!("{listen} is not an address"))?);
            let stream = TcpStream::connect_timeout(&address, PATIENCE)
                .with_context(|| format!("nothing answers at {address}"))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            ask(stream, &address.to_string())?
        }
        Listen::Unix(path) => {
            let stream = UnixStream::connect(&path)
                .with_context(|| format!("nothing answers at {}", path.display()))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            ask(stream, "localhost")?
        }
    };
    let (head, body) = answer.split_once("\r\n\r\n").context("not an HTTP answer")?;
    if !head.starts_with("HTTP/1.1 200") {
        bail!("not ready: {body}");
    }
    Ok(say!("{body}")?)
}

/// What the server answers.
fn ask(mut stream: impl Read + Write, host: &str) -> Result<String> {
    write!(stream, "GET /readyz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(16 * 1024).read_to_string(&mut answer).context("no answer in time")?;
    Ok(answer)
}

/// A server that listens on every address is asked on the loopback one.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
