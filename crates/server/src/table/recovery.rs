//! What a table does while storage does not answer: it suspends play, asks again, and goes on by itself.

use std::time::Duration;

use kingscross_protocol::{BoardChange, Event, OutageCause, Timestamp};
use kingscross_storage::StoredEvent;
use kingscross_table::{Entry, Step};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::task::{Failure, Flow, Task};

/// A table that waits for storage.
pub(super) struct Frozen {
    /// From here on nobody's clock runs.
    since: Timestamp,
    pause: Duration,
    state: State,
    /// The log was ahead of this table: it must have more, or the two do not fit.
    in_conflict: bool,
}

enum State {
    Waiting(Instant),
    Loading(JoinHandle<Loaded>),
}

/// What asking for the log led to.
pub(super) type Loaded = Result<Vec<StoredEvent>, ()>;

impl Frozen {
    /// When storage is asked next.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        match &self.state {
            State::Waiting(at) => Some(*at),
            State::Loading(_) => None,
        }
    }

    /// Waits for the log that was asked for; for ever when none was.
    pub(super) async fn loaded(frozen: &mut Option<Self>) -> Loaded {
        match frozen {
            Some(Self { state: State::Loading(task), .. }) => match task.await {
                Ok(loaded) => loaded,
                Err(_) => Err(()),
            },
            _ => std::future::pending().await,
        }
    }
}

impl Task {
    /// Stops all clocks until storage answers again; `arrived` is the moment that could not be served.
    pub(super) fn freeze(&mut self, arrived: Timestamp) {
        let pause = Duration::from_millis(self.app.config.tables.retry_first_ms);
        let state = State::Waiting(Instant::now() + pause);
        self.frozen = Some(Frozen { since: arrived, pause, state, in_conflict: false });
        self.wake_bots();
        self.tell_frozen(Some(OutageCause::Storage));
    }

    /// The same over an append that lost against another one.
    pub(super) fn freeze_in_conflict(&mut self, arrived: Timestamp) {
        self.freeze(arrived);
        if let Some(frozen) = &mut self.frozen {
            frozen.in_conflict = true;
        }
    }

    /// Lets the outage count from another moment.
    pub(super) fn frozen_since(&mut self, since: Timestamp) {
        if let Some(frozen) = &mut self.frozen {
            frozen.since = since;
        }
    }

    /// Asks storage for what it has of this game beyond what is known here.
    pub(super) fn retry(&mut self) {
        let (store, game, after) = (self.app.store.clone(), self.game(), self.core.seq());
        if let Some(frozen) = &mut self.frozen {
            let load = async move { store.load_events(game, after).await.map_err(drop) };
            frozen.state = State::Loading(self.app.tracker.spawn(load));
        }
    }

    /// Goes on from the log, if storage gave it.
    pub(super) async fn recover(&mut self, loaded: Loaded) -> Flow {
        let Some(mut frozen) = self.frozen.take() else { return Flow::Continue };
        let Ok(events) = loaded else {
            self.wait_longer(frozen);
            return Flow::Continue;
        };
        if frozen.in_conflict && events.is_empty() {
            tracing::error!(game = %self.game(), "what is to be stored conflicts with the log; the table begins anew");
            return Flow::Fail;
        }
        // A commit that was not confirmed may have happened all the same.
        for stored in events {
            if let Err(why) = self.take_stored(stored) {
                tracing::error!(game = %self.game(), why, "the stored log does not continue this game; the table begins anew");
                return Flow::Fail;
            }
        }
        match self.write_outage(frozen.since, OutageCause::Storage).await {
            Ok(()) => {
                tracing::info!(game = %self.game(), "storage answers again");
                self.frozen = None;
                self.tell_frozen(None);
                let now = self.now();
                self.after_events(now).await;
                Flow::Continue
            }
            Err(Failure::Frozen) => {
                // `commit` froze the table anew; the outage still counts from its beginning.
                frozen.in_conflict = self.frozen.take().is_some_and(|anew| anew.in_conflict);
                frozen.since = frozen.since.max(self.core.last_at());
                self.wait_longer(frozen);
                Flow::Continue
            }
            Err(Failure::Stop) => Flow::Fail,
        }
    }

    fn wait_longer(&mut self, mut frozen: Frozen) {
        let longest = Duration::from_millis(self.app.config.tables.retry_longest_ms);
        frozen.pause = (frozen.pause * 2).min(longest);
        frozen.state = State::Waiting(Instant::now() + frozen.pause);
        self.frozen = Some(frozen);
    }

    fn take_stored(&mut self, stored: StoredEvent) -> Result<(), String> {
        let seq = self.core.seq().next();
        if stored.seq != seq {
            return Err(format!("event {} follows {}", stored.seq.0, self.core.seq().0));
        }
        let event: Event = serde_json::from_str(&stored.body).map_err(|error| error.to_string())?;
        let before = BoardChange::before(self.core.game());
        let applied = self.core.apply(stored.at, &event).map_err(|error| error.to_string())?;
        if self.core.hash() != stored.hash {
            return Err("the position differs".to_owned());
        }
        if matches!(event, Event::Outage { .. }) {
            self.owed = None;
        }
        let change = applied.map(|applied| BoardChange::of(&before, self.core.game(), &applied));
        let commanded = stored
            .commanded
            .and_then(|commanded| Some((self.core.seat_of(commanded.user)?, commanded.command)));
        let entry = Entry { at: stored.at, hash: stored.hash, body: stored.body.into_boxed_str() };
        self.log.push(entry, commanded);
        self.tell(seq, stored.at, &Step { event, hash: stored.hash, change }, true);
        Ok(())
    }
}
