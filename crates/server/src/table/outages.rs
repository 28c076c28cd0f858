//! The time that no clock pays: slow commits, and stalls of the server.

use kingscross_protocol::{OutageCause, Timestamp};
use kingscross_table::{Command, Moment, Who};

use super::task::{Failure, Task};

/// A stall of at least so many milliseconds is written down as soon as it ends.
const WRITTEN_AT_ONCE: i64 = 1_000;

/// A commit was slow, from the last event on.
#[derive(Clone, Copy)]
pub(super) struct Owed {
    pub(super) until: Timestamp,
    /// It was the commit of an outage that was slow: written with the next events, or there would be no end.
    pub(super) with_the_next: bool,
}

impl Task {
    /// The time since the last event in which nobody could play, until a moment; and why.
    fn lost(&self, until: Timestamp) -> (i64, OutageCause) {
        let last = self.core.last_at();
        let stored = self.owed.map_or(last, |owed| owed.until.min(until).max(last));
        let stalled = self.app.stalls.missed(stored, until);
        let cause = if stored > last { OutageCause::Storage } else { OutageCause::Stall };
        (stored.since(last) + stalled, cause)
    }

    /// The outage that comes before whatever happens at a moment.
    pub(super) fn outage(&self, at: Timestamp) -> Option<Command> {
        let (millis, cause) = self.lost(at);
        let millis = u64::try_from(millis).ok().filter(|&millis| millis > 0 && self.core.is_running())?;
        Some(Command::Outage { millis, cause })
    }

    /// How much later than the clocks say something is due.
    pub(super) fn lost_millis(&self) -> i64 {
        self.lost(self.now()).0
    }

    /// Right after a stall the move of the player on turn may still lie in its socket: what others do is judged as of
    /// the stall's end, so that nobody's flag falls by it.
    pub(super) fn judged_at(&self, now: Timestamp, who: Who) -> Timestamp {
        let is_on_turn = matches!(who, Who::Player(seat) if self.core.game().turn() == Some(seat));
        match self.app.stalls.catching_up(now) {
            Some((end, _)) if !is_on_turn && self.core.is_running() => end.min(now),
            _ => now,
        }
    }

    /// Whether an outage is to be written although nothing else happens: of a slow commit, unless that was the commit
    /// of an outage; of a stall that everyone sees. Shorter ones go with the next events: a server that cannot keep up
    /// is not given more to do.
    pub(super) fn must_settle(&self) -> bool {
        if self.frozen.is_some() || !self.core.is_running() {
            return false;
        }
        match self.owed {
            Some(owed) => !owed.with_the_next,
            None => self.lost_millis() >= WRITTEN_AT_ONCE && self.app.stalls.last_end() != self.settled,
        }
    }

    pub(super) async fn settle_outage(&mut self) {
        if let Some(owed) = &mut self.owed {
            owed.with_the_next = true;
        }
        let now = self.now();
        self.settled = self.app.stalls.last_end();
        let at = match self.settled {
            // A move that waited in its socket meanwhile counts from here.
            Some(end) if self.owed.is_none() => end.min(now),
            _ => now,
        };
        let Some(outage) = self.outage(at) else { return };
        let moment = Moment { now: at, lag: 0 };
        let decision =
            self.core.decide(moment, Who::Server, &outage).expect("a running game takes an outage");
        // Not stored, it goes with the next events.
        let _ = self.commit(decision, at, None).await;
    }

    /// Writes that nobody could play since `since`; after a restart also when the clock shows no time that has passed.
    pub(super) async fn write_outage(&mut self, since: Timestamp, cause: OutageCause) -> Result<(), Failure> {
        let now = self.now().max(self.core.last_at());
        let since = since.clamp(self.core.last_at(), now);
        let millis = u64::try_from(self.lost(since).0 + now.since(since)).unwrap_or(0);
        if !self.core.is_running() || (millis == 0 && cause != OutageCause::Restart) {
            return Ok(());
        }
        let command = Command::Outage { millis, cause };
        let moment = Moment { now, lag: 0 };
        let decision =
            self.core.decide(moment, Who::Server, &command).expect("a running game takes an outage");
        Box::pin(self.commit(decision, now, None)).await.map(|_| ())
    }
}
