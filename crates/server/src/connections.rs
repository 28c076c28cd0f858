//! Accepting connections. What `axum::serve` leaves open is decided here: how long a request's head may take and an
//! answer may wait for its reader, so that nobody holds a connection by writing or reading slowly, and that small
//! frames leave at once.

mod places;
mod stalling;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::extract::connect_info::Connected;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::{Service as _, ServiceExt as _};

use crate::config;
use crate::edge::Peer;
use crate::edge::TcpConnection;
use crate::edge::without_path;
use crate::stalls::{Stalls, Timer};
use places::{Place, Places};
use stalling::Stalling;

/// Waits this long when the system has no socket left, instead of asking for one in a circle.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(200);
/// How long after the stop clients may still take what is written to them.
const PARTING: Duration = Duration::from_secs(1);
/// So many connections over the limit are answered with 503 at a time, others are closed unanswered. Each takes a
/// descriptor for up to [`REFUSAL`] from those that the limit leaves free, which the database needs, too.
const REFUSALS: usize = 48;
/// So many bytes of their request are read before that.
const LONGEST_HEAD: usize = 8192;
/// How long they may take to ask and to read the refusal.
const REFUSAL: Duration = Duration::from_secs(1);

/// Where the server listens.
#[derive(Debug)]
pub enum Listener {
    /// On an address of the network.
    Tcp(TcpListener),
    /// On a socket in the file system.
    Unix(UnixListener),
}

impl From<TcpListener> for Listener {
    fn from(listener: TcpListener) -> Self {
        Self::Tcp(listener)
    }
}

impl From<UnixListener> for Listener {
    fn from(listener: UnixListener) -> Self {
        Self::Unix(listener)
    }
}

impl Listener {
    /// Takes no more connections for now; whoever connects waits.
    pub(crate) fn idle(self) -> io::Result<IdleListener> {
        Ok(match self {
            Self::Tcp(listener) => IdleListener::Tcp(listener.into_std()?),
            Self::Unix(listener) => IdleListener::Unix(listener.into_std()?),
        })
    }
}

/// A listener that no runtime looks at.
pub(crate) enum IdleListener {
    Tcp(std::net::TcpListener),
    Unix(std::os::unix::net::UnixListener),
}

impl IdleListener {
    /// The same socket once more.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(listener) => Self::Tcp(listener.try_clone()?),
            Self::Unix(listener) => Self::Unix(listener.try_clone()?),
        })
    }

    /// Takes connections from now on.
    pub(crate) fn listening(self) -> io::Result<Listener> {
        Ok(match self {
            Self::Tcp(listener) => Listener::Tcp(TcpListener::from_std(listener)?),
            Self::Unix(listener) => Listener::Unix(UnixListener::from_std(listener)?),
        })
    }
}

impl Connected<Peer> for Peer {
    fn connect_info(peer: Peer) -> Self {
        peer
    }
}

/// What every connection is given.
struct Front {
    config: config::Server,
    timer: Timer,
    router: Router,
    places: Arc<Places>,
    refusals: Arc<Semaphore>,
    tracker: TaskTracker,
    stop: CancellationToken,
    /// Set a moment after the stop: whoever has not read by then is cut off.
    cut: CancellationToken,
}

/// Serves every connection until `stop`; then takes no new ones and lets each finish the request it is at.
pub(crate) async fn accept(
    listener: Listener,
    router: Router,
    config: config::Server,
    stalls: Arc<Stalls>,
    tracker: TaskTracker,
    stop: CancellationToken,
) {
    let front = Arc::new(Front {
        places: Arc::new(Places::new(config.connections_per_address, raised_open_files())),
        refusals: Arc::new(Semaphore::new(REFUSALS)),
        timer: Timer(stalls),
        config,
        router,
        tracker,
        stop,
        cut: CancellationToken::new(),
    });
    loop {
        let accepted = tokio::select! {
            biased;
            () = front.stop.cancelled() => break,
            accepted = accept_one(&listener, &front) => accepted,
        };
        match accepted {
            Ok(()) => {}
            Err(error) if is_of_the_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                tokio::select! {
                    () = front.stop.cancelled() => break,
                    () = tokio::time::sleep(OUT_OF_SOCKETS) => {}
                }
            }
        }
    }
}

async fn accept_one(listener: &Listener, front: &Arc<Front>) -> io::Result<()> {
    match listener {
        Listener::Tcp(listener) => {
            let (stream, address) = listener.accept().await?;
            // Frames are small and complete: waiting to fill a packet would only delay them. A socket that has gone
            // says so when it is used.
            let _ = stream.set_nodelay(true);
            let line = TcpConnection::new(stream);
            front.take(line.clone(), Some(line), Peer::Address(address.ip()));
        }
        Listener::Unix(listener) => {
            let (stream, _) = listener.accept().await?;
            front.take(stream, None, Peer::Socket);
        }
    }
    Ok(())
}

/// The bytes of a connection.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Stream for S {}

impl Front {
    /// Serves a connection, if there is a place for it.
    fn take(self: &Arc<Self>, stream: impl Stream, line: Option<TcpConnection>, peer: Peer) {
        let owner = (!peer.is_proxy(&self.config.trusted_proxies)).then(|| peer.address());
        match self.places.take(owner) {
            Some(place) => {
                self.tracker.spawn(self.clone().serve(stream, line, peer, place));
            }
            None => {
                if let Ok(permit) = self.refusals.clone().try_acquire_owned() {
                    self.tracker.spawn(async move {
                        // A client that does not read it in time is closed without it.
                        let _ = tokio::time::timeout(REFUSAL, refuse(stream)).await;
                        drop(permit);
                    });
                }
            }
        }
    }

    async fn serve(
        self: Arc<Self>,
        stream: impl Stream,
        line: Option<TcpConnection>,
        peer: Peer,
        mut place: Place,
    ) {
        let stall = Duration::from_millis(self.config.stall_ms);
        // The descriptor is taken as long as the stream lives, as a WebSocket's does.
        let stream = Stalling::new(stream, stall, self.timer.clone(), self.cut.clone(), place.descriptor());
        let mut make = self.router.clone().into_make_service_with_connect_info::<Peer>();
        let Ok(service) = make.call(peer).await;
        let path = self.config.public_url.path();
        let service = service_fn(|mut request: Request<Incoming>| {
            if let Some(line) = &line {
                request.extensions_mut().insert(line.clone());
            }
            *request.uri_mut() = without_path(std::mem::take(request.uri_mut()), path);
            service.clone().oneshot(request)
        });
        let serving = http1::Builder::new()
            .timer(self.timer.clone())
            .header_read_timeout(Duration::from_millis(self.config.head_ms))
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        tokio::pin!(serving);
        tokio::select! {
            // A connection that breaks is the other side's business.
            _ = serving.as_mut() => return,
            () = self.stop.cancelled() => serving.as_mut().graceful_shutdown(),
        }
        tokio::select! {
            _ = serving.as_mut() => return,
            () = tokio::time::sleep(PARTING) => self.cut.cancel(),
        }
        let _ = serving.await;
    }
}

/// Says that there is no place, and waits until that has been read: closing at once could take it back.
async fn refuse(mut stream: impl Stream) -> io::Result<()> {
    const BODY: &str =
        r#"{"code":"too_many","message":"Too many connections are open; try again later.","retryable":true}"#;
    let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: close";
    let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len());
    // A client that has not asked yet takes an answer for a fault of the connection.
    let mut request = Vec::with_capacity(1024);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < LONGEST_HEAD {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// Asks the system for as many open files as it gives, since each connection is one; and says how many those are.
fn raised_open_files() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    let files = getrlimit(Resource::Nofile).current;
    files.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX)
}

/// Errors of one connection that was gone before it was taken.
fn is_of_the_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}
