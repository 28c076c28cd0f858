//! Accepting connections. What `axum::serve` leaves open is decided here: how long a request's head may take, so that
//! nobody holds a connection by writing slowly, and that small frames leave at once.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::{Service as _, ServiceExt as _};

use crate::line::Line;
use crate::stalls::{Stalls, Timer};

/// Waits this long when the system has no socket left, instead of asking for one in a circle.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(200);

/// Serves every connection until `stop`; then takes no new ones and lets each finish the request it is at.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    head_limit: Duration,
    stalls: Arc<Stalls>,
    tracker: TaskTracker,
    stop: CancellationToken,
) {
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                let timer = Timer(stalls.clone());
                tracker.spawn(connection(stream, address, router.clone(), head_limit, timer, stop.clone()));
            }
            Err(error) if is_of_the_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(OUT_OF_SOCKETS) => {}
                }
            }
        }
    }
}

async fn connection(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    head_limit: Duration,
    timer: Timer,
    stop: CancellationToken,
) {
    // Frames are small and complete: waiting to fill a packet would only delay them. A socket that has gone says so
    // when it is used.
    let _ = stream.set_nodelay(true);
    let mut make = router.into_make_service_with_connect_info::<SocketAddr>();
    let Ok(service) = make.call(address).await;
    let line = Line::new(stream);
    let below = line.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(below.clone());
        service.clone().oneshot(request)
    });
    let serving = http1::Builder::new()
        .timer(timer)
        .header_read_timeout(head_limit)
        .serve_connection(TokioIo::new(line), service)
        .with_upgrades();
    tokio::pin!(serving);
    tokio::select! {
        // A connection that breaks is the other side's business.
        _ = serving.as_mut() => return,
        () = stop.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    let _ = serving.await;
}

/// Errors of one connection that was gone before it was taken.
fn is_of_the_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}
