//! What a table does by itself: seeing who is there, waking for what is due, ending.

use kingscross_engine::Seat;
use kingscross_protocol::{GameId, ServerMessage, Timestamp};
use kingscross_storage::Append;
use kingscross_table::{Command, Moment, Stage, Who};
use tokio::time::Instant;

use super::bot_driver;
use super::new_game::StartError;
use super::task::{Flow, Task};

impl Task {
    /// What is to be done after events beside telling them.
    pub(super) async fn after_events(&mut self, at: Timestamp) {
        match self.core.stage().clone() {
            Stage::Running => {
                if let Some(turn) = self.core.game().turn()
                    && let Some(user) = self.user_of(turn)
                {
                    self.app.hub.send_streaming(user, || self.your_turn(turn));
                }
            }
            stage if self.ended_at.is_none() => {
                self.ended_at = Some(at);
                let ending = match stage {
                    Stage::Finished(ending) => Some((*ending).clone()),
                    Stage::Running | Stage::Aborted(_) => None,
                };
                for player in self.core.setup().players.iter().filter(|player| player.bot.is_none()) {
                    let message = || ServerMessage::GameEnd { game: self.game(), ending: ending.clone() };
                    self.app.hub.send_streaming(player.user, message);
                }
                self.app.tables.ended(&self.app, &self.handle, at);
                self.start_other_game().await;
            }
            Stage::Finished(_) | Stage::Aborted(_) => {}
        }
        if self.core.is_rematch_due() {
            self.start_rematch().await;
        }
        self.wake_bots();
    }

    /// Starts the second game of a match, or notes that there is none.
    pub(super) async fn start_other_game(&mut self) {
        self.other_game_retry = None;
        if !self.core.is_other_game_due() {
            return;
        }
        let is_aborted = matches!(self.core.stage(), Stage::Aborted(_));
        let next = self.app.tables.next_of_match(&self.app, self.game(), self.core.setup(), is_aborted).await;
        let is_done = match next {
            Ok(None) => {
                self.core.other_game_began();
                let append = Append {
                    game: self.game(),
                    events: Vec::new(),
                    finish: None,
                    follow_up_pending: Some(self.core.awaits_follow_up()),
                };
                // Not stored, the next start of the server looks once more.
                let _ = self.app.store.writer().append(append).await;
                true
            }
            Ok(Some(gone)) => {
                let now = self.now();
                let decision =
                    self.core.decide(Moment { now, lag: 0 }, Who::Server, &Command::EndMatch(gone));
                match decision {
                    Ok(decision) => Box::pin(self.commit(decision, now, None)).await.is_ok(),
                    Err(_) => true,
                }
            }
            Err(error) => {
                tracing::warn!(game = %self.game(), %error, "the second game of the match could not be started");
                false
            }
        };
        if !is_done {
            // When this table has gone, the next start of the server tries again.
            let pause = i64::try_from(self.app.config.tables.retry_longest_ms).unwrap_or(i64::MAX);
            self.other_game_retry = Some(self.now().plus(pause));
        }
    }

    /// Starts the game that all have agreed on, once all are here, and notes it here, each as often as storage needs.
    pub(super) async fn start_rematch(&mut self) {
        self.rematch_retry = None;
        if self.rematch.is_none() && !self.all_are_here() {
            let now = self.now();
            self.rematch_waits.get_or_insert(now);
            return;
        }
        self.rematch_waits = None;
        // The same id at every try: it is one game, even if a start that was not confirmed came about.
        let id = *self.rematch.get_or_insert_with(GameId::fresh);
        if !self.has_rematch_begun
            && self.app.tables.find(id).is_none()
            && let Err(error) =
                self.app.tables.start_rematch(&self.app, id, self.game(), self.core.setup()).await
        {
            tracing::warn!(game = %self.game(), %error, "the rematch could not be started");
            match error {
                StartError::Unavailable => {
                    let pause = i64::try_from(self.app.config.tables.retry_longest_ms).unwrap_or(i64::MAX);
                    self.rematch_retry = Some(self.now().plus(pause));
                }
                // The next start carries it out.
                StartError::ShuttingDown => {}
                StartError::Failed
                | StartError::TooManyOpen(_)
                | StartError::PlayerGone
                | StartError::WrongPlayers => self.note(&Command::Lapse).await,
            }
            return;
        }
        self.note(&Command::Rematch(id)).await;
    }

    /// Whether every participant has a socket.
    fn all_are_here(&self) -> bool {
        let mut people = self.core.setup().players.iter().filter(|player| player.bot.is_none());
        people.all(|player| self.app.hub.is_connected(player.user))
    }

    /// Writes down what became of a rematch.
    async fn note(&mut self, command: &Command) {
        let now = self.now();
        let moment = Moment { now, lag: 0 };
        if let Ok(decision) = self.core.decide(moment, Who::Server, command) {
            // Not stored, it is tried again when storage answers.
            let _ = Box::pin(self.commit(decision, now, None)).await;
        }
    }

    /// Looks at what changes without a command: who is there, who watches.
    pub(super) fn keep_up(&mut self) {
        let now = self.now();
        self.watchers.sweep();
        self.watchers.tell_late(now);
        if let Some(ended) = self.ended_at
            && !self.handle.is_end_public()
            && ended.plus(self.watchers.delay) <= now
        {
            self.app.tables.end_made_public(&self.app, &self.handle);
        }
        if self.deserted_at().is_some_and(|at| at <= now) {
            self.handle.mark_deserted();
            self.app.lobbies.game_unlisted(self.game());
        }
        if self.seen_at.is_some_and(|at| at <= now) {
            self.seen_at = None;
            if self.app.tables.is_listed(&self.handle, now) {
                self.app.lobbies.game_listed(self.handle.summary_at_start());
            }
        }
        if !self.core.is_rematch_agreed() {
            self.rematch_waits = None;
        }
        if self.rematch_waits.is_some() && self.all_are_here() {
            self.rematch_retry = Some(now);
        }
        let game_seats = self.core.rules().turn_order;
        for &seat in game_seats {
            if let Some(user) = self.user_of(seat) {
                self.core.connected(seat, self.app.hub.is_connected(user), now);
            }
        }
        let shown = Seat::ALL.map(|seat| self.core.attendance().is_shown_present(seat, now));
        if shown != self.shown {
            self.shown = shown;
            self.tell_presence();
        }
        let spectators = self.watchers.spectators();
        if spectators != self.spectators {
            self.spectators = spectators;
            self.watchers.tell(&ServerMessage::Spectators { game: self.game(), count: spectators });
        }
        if !self.watchers.is_empty() {
            self.unwatched_since = now;
        }
        if !self.core.is_running() {
            for &seat in game_seats {
                let is_there = self.core.bot_level(seat).is_some() || self.watchers.has_player(seat);
                let gone = &mut self.gone_since[seat.index()];
                *gone = if is_there { None } else { gone.or(Some(now)) };
            }
        }
    }

    /// When everybody may know that only bots play any more, where that has not been told.
    fn deserted_at(&self) -> Option<Timestamp> {
        let (_, at) = self.core.deserted().filter(|_| !self.handle.is_deserted())?;
        Some(at.plus(self.watchers.delay))
    }

    /// The next moment at which something is due by time.
    pub(super) fn next_wake(&self) -> Option<Instant> {
        let late = self.watchers.next_late();
        if let Some(frozen) = &self.frozen {
            return frozen.retry_at().into_iter().chain(late.map(|at| self.app.clock.instant(at))).min();
        }
        let shown = Seat::ALL
            .into_iter()
            .filter(|seat| self.shown[seat.index()] && self.core.is_running())
            .filter_map(|seat| self.core.attendance().shown_at(seat));
        let lapses = self.rematch_lapses_at().filter(|_| !self.core.is_running());
        let end = self.leaves_memory_at().into_iter().chain(lapses);
        let deadline = self.core.deadline(self.lag_on_turn()).map(|at| {
            let at = at.plus(self.lost_millis());
            // Sockets are read before flags fall.
            self.app.stalls.catching_up(self.now()).map_or(at, |(_, until)| at.max(until))
        });
        let due = deadline
            .into_iter()
            .chain(shown)
            .chain(end)
            .chain(self.rematch_retry)
            .chain(self.other_game_retry)
            .chain(self.deserted_at())
            .chain(self.seen_at)
            .chain(late)
            .min()?;
        Some(self.app.clock.instant(due))
    }

    /// When an open question for a rematch lapses, or one that was agreed on, because a participant has gone.
    pub(super) fn rematch_lapses_at(&self) -> Option<Timestamp> {
        let open = self.core.proposal().and_then(|_| self.gone_since.iter().flatten().min());
        let gone = self.rematch_waits.as_ref().or(open)?;
        Some(gone.plus(i64::from(self.app.config.proposals.rematch_ms)))
    }

    pub(super) async fn on_time(&mut self) -> Flow {
        let now = self.now();
        if let Some(frozen) = &self.frozen {
            if frozen.retry_at().is_some_and(|at| at <= Instant::now()) {
                self.retry();
            }
            return Flow::Continue;
        }
        if self.rematch_retry.is_some_and(|at| at <= now) {
            self.start_rematch().await;
            return Flow::Continue;
        }
        if self.other_game_retry.is_some_and(|at| at <= now) {
            self.start_other_game().await;
            return Flow::Continue;
        }
        if self.core.is_running() && self.app.stalls.catching_up(now).is_some() {
            return Flow::Continue;
        }
        let command = match self.rematch_lapses_at() {
            Some(at) if !self.core.is_running() && at <= now => Command::Lapse,
            _ => Command::Tick,
        };
        self.carry_out(Who::Server, &command, now, None).await.1
    }

    /// Whether a finished game can be served from its record from now on.
    pub(super) fn may_leave_memory(&self) -> bool {
        self.frozen.is_none() && self.leaves_memory_at().is_some_and(|at| at <= self.now())
    }

    /// When a finished game leaves memory: soon after nobody looks at it any more or no rematch can come of it, and
    /// at last however many look.
    pub(super) fn leaves_memory_at(&self) -> Option<Timestamp> {
        let ended = self.ended_at?;
        let config = &self.app.config;
        let linger = i64::from(config.tables.linger_ms);
        let unwatched = self.watchers.is_empty().then(|| self.unwatched_since.max(ended).plus(linger));
        let gone = self.gone_since.iter().flatten().min();
        let no_rematch =
            gone.map(|gone| gone.plus(i64::from(config.proposals.rematch_ms)).max(ended.plus(linger)));
        let at_last = ended.plus(i64::from(config.tables.keep_ms));
        // Spectators see the end, too.
        let told = ended.plus(self.watchers.delay);
        let leaves = unwatched.into_iter().chain(no_rematch).chain([at_last]).min().map(|at| at.max(told));
        // An agreement is carried out or lapses first.
        let lapsed = self.rematch_waits.and_then(|_| self.rematch_lapses_at()).map(|at| at.plus(1));
        leaves.max(lapsed)
    }

    /// Lets the bots at this table do what is theirs to do now.
    pub(super) fn wake_bots(&mut self) {
        if let Some(search) = self.thinking.take() {
            search.cancel();
        }
        if self.frozen.is_none() {
            self.thinking = bot_driver::wake(&self.app, &self.handle, &self.core, !self.watchers.is_empty());
        }
    }
}
