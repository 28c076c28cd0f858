//! The TCP connection under a request or a socket, and what the operating system knows of it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::net::RecvFlags;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A TCP connection. Its copies are the same connection.
#[derive(Clone, Debug)]
pub(crate) struct TcpConnection(
    // Read and written by one task, asked by others; never held across an await.
    Arc<Mutex<TcpStream>>,
);

impl TcpConnection {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self(Arc::new(Mutex::new(stream)))
    }

    /// Whether bytes lie at the operating system that have not been read. Asked of the system itself: right after a
    /// stall the runtime does not know it yet.
    pub(crate) fn has_unread(&self) -> bool {
        let stream = self.0.lock().expect("no panic while held");
        let peek = rustix::net::recv(&*stream, &mut [0_u8; 1], RecvFlags::PEEK | RecvFlags::DONTWAIT);
        matches!(peek, Ok((_, 1..)))
    }

    /// The round trip that TCP itself measures: an acknowledgement comes from the peer's system, whatever its program
    /// holds back. None where the system does not tell.
    pub(crate) fn round_trip(&self) -> Option<Duration> {
        round_trip(&self.0.lock().expect("no panic while held"))
    }
}

/// What Linux calls TCP_INFO. With musl the structure is longer than what older kernels fill.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn round_trip(stream: &TcpStream) -> Option<Duration> {
    let info = nix::sys::socket::getsockopt(stream, tcp_info::TcpInfo).ok()?;
    Some(Duration::from_micros(u64::from(info.tcpi_rtt)))
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn round_trip(_: &TcpStream) -> Option<Duration> {
    None
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod tcp_info {
    use nix::{getsockopt_impl, libc, sockopt_impl};

    sockopt_impl!(
        /// What the system knows of a TCP connection.
        TcpInfo,
        GetOnly,
        libc::IPPROTO_TCP,
        libc::TCP_INFO,
        libc::tcp_info
    );
}

impl AsyncRead for TcpConnection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.lock().expect("no panic while held")).poll_read(context, buffer)
    }
}

impl AsyncWrite for TcpConnection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0.lock().expect("no panic while held")).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0.lock().expect("no panic while held")).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.lock().expect("no panic while held").is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.lock().expect("no panic while held")).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.lock().expect("no panic while held")).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_line_tells_what_lies_unread_and_how_long_it_is() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let mut peer = TcpStream::connect(listener.local_addr().expect("bound")).await.expect("connected");
        let mut line = TcpConnection::new(listener.accept().await.expect("accepted").0);
        assert!(!line.has_unread());
        peer.write_all(b"e2-e4").await.expect("written");
        // On loopback what is written is there.
        assert!(line.clone().has_unread());
        let mut read = [0; 5];
        line.read_exact(&mut read).await.expect("read");
        assert!(!line.has_unread());
        if cfg!(all(target_os = "linux", target_env = "gnu")) {
            assert!(line.round_trip().is_some_and(|time| time < Duration::from_secs(1)));
        }
        drop(peer);
        assert!(!line.has_unread(), "an end is nothing to read");
    }
}
