//! What a server answers while its database is not there yet: that it lives, and why it cannot serve.

use std::io;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::{connections, http};

/// A server that waits.
pub struct Waiting {
    // The same socket, for the server itself.
    listener: std::net::TcpListener,
    why: watch::Sender<String>,
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Waiting {
    /// Answers on a listener.
    pub fn start(listener: TcpListener, why: String, head_limit: Duration) -> io::Result<Self> {
        let listener = listener.into_std()?;
        let own = TcpListener::from_std(listener.try_clone()?)?;
        let (why, reason) = watch::channel(why);
        let (tracker, stop) = (TaskTracker::new(), CancellationToken::new());
        let router = http::waiting(reason);
        tracker.spawn(connections::accept(own, router, head_limit, tracker.clone(), stop.clone()));
        tracker.close();
        Ok(Self { listener, why, tracker, stop })
    }

    /// Says from now on that this is why.
    pub fn tell(&self, why: String) {
        self.why.send_replace(why);
    }

    /// Ends the answers and gives the listener back. Who connected meanwhile is served by whoever listens next.
    pub async fn end(self) -> io::Result<TcpListener> {
        self.stop.cancel();
        self.tracker.wait().await;
        TcpListener::from_std(self.listener)
    }
}
