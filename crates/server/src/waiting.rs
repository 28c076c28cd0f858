//! What a server answers while its database is not there yet: that it lives, and why it cannot serve.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::config;
use crate::connections::{self, IdleListener, Listener};
use crate::http;
use crate::stalls::Stalls;

/// No stall while the server waits is booked: nobody plays.
const STALL: Duration = Duration::MAX;

/// A server that waits.
pub struct Waiting {
    // The same socket, for the server itself.
    listener: IdleListener,
    why: watch::Sender<String>,
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Waiting {
    /// Answers on a listener.
    pub fn start(listener: Listener, why: String, config: config::Server) -> io::Result<Self> {
        let listener = listener.idle()?;
        let own = listener.try_clone()?.listening()?;
        let (why, reason) = watch::channel(why);
        let (tracker, stop) = (TaskTracker::new(), CancellationToken::new());
        let router = http::waiting(reason);
        let stalls = Arc::new(Stalls::new(Clock::system(), STALL));
        tracker.spawn(connections::accept(own, router, config, stalls, tracker.clone(), stop.clone()));
        tracker.close();
        Ok(Self { listener, why, tracker, stop })
    }

    /// Says from now on that this is why.
    pub fn tell(&self, why: String) {
        self.why.send_replace(why);
    }

    /// Ends the answers and gives the listener back. Who connected meanwhile is served by whoever listens next.
    pub async fn end(self) -> io::Result<Listener> {
        self.stop.cancel();
        self.tracker.wait().await;
        self.listener.listening()
    }
}
