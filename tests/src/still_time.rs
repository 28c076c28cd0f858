//! Time that only the test moves: minutes of a game in milliseconds, exact to one.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use kingscross_protocol::Request;

use crate::TestPlayer;

/// A test that takes so long by the real clock hangs: time runs again, and its patience ends.
const LIMIT: Duration = Duration::from_secs(60);

/// The longest step: nobody takes a client for silent that had no chance to speak.
const STEP: u64 = 4_000;

/// While it is held, time stands still although everyone waits. On a runtime of one thread.
pub struct StillTime {
    _held: Sender<()>,
}

impl StillTime {
    /// Stops the time.
    pub fn hold() -> Self {
        let (held, end) = channel::<()>();
        // Paused time jumps to the next timer when nothing is to be done, which is whenever the network or the
        // database works; a blocking task keeps it from that.
        tokio::task::spawn_blocking(move || end.recv_timeout(LIMIT));
        tokio::time::pause();
        Self { _held: held }
    }

    /// Lets it run again, for what ends by its own time limits.
    pub fn end(self) {
        tokio::time::resume();
    }

    /// Lets so many milliseconds pass, in which these people show that they are there.
    pub async fn pass(&self, mut millis: u64, present: &[&TestPlayer]) {
        while millis > 0 {
            let step = millis.min(STEP);
            tokio::time::advance(Duration::from_millis(step)).await;
            millis -= step;
            for player in present {
                // What was due has been done and told when a question behind it is answered.
                player.connection.request(Request::Ping).await.expect("the server answers");
            }
        }
    }
}
