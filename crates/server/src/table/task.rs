//! The task of one table, the only writer of its game: persist, then apply, then tell.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use kingscross_engine::Seat;
use kingscross_protocol::{
    ChatLine, CommandId, ErrorBody, ErrorCode, Event, GameId, OutageCause, Seq, Timestamp, UserId,
};
use kingscross_storage::{Append, AppendError, Commanded, Finish, NewEvent};
use kingscross_table::{Command, Core, Decision, Entry, Known, Log, Moment, Step, Who};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::handle::{Done, Message, Reply, Standing, TableHandle};
use super::inbox::Inbox;
use super::recovery::Frozen;
use super::watchers::Watchers;
use crate::app::App;
use crate::archive::finish;

/// One table.
pub(super) struct Task {
    pub(super) app: App,
    pub(super) handle: TableHandle,
    pub(super) core: Core,
    pub(super) log: Log,
    pub(super) watchers: Watchers,
    pub(super) frozen: Option<Frozen>,
    inbox: Inbox,
    /// A slow commit, whose time nobody's clock pays and no event says yet.
    pub(super) owed: Option<Owed>,
    /// The end of the last stall that was to be written at once.
    settled: Option<Timestamp>,
    pub(super) chat: VecDeque<ChatLine>,
    /// What was last told of each seat's presence.
    pub(super) shown: [bool; 4],
    pub(super) spectators: u32,
    /// The bot's search that goes on.
    pub(super) thinking: Option<CancellationToken>,
    /// Since when nobody watches; since when each participant of a finished game is gone.
    pub(super) unwatched_since: Timestamp,
    pub(super) gone_since: [Option<Timestamp>; 4],
    pub(super) ended_at: Option<Timestamp>,
    /// The id of the rematch that was agreed on, and when its start is tried again.
    pub(super) rematch: Option<GameId>,
    pub(super) rematch_retry: Option<Timestamp>,
    /// Since when it waits for a participant who is not connected.
    pub(super) rematch_waits: Option<Timestamp>,
    /// That rematch has begun, and is only to be noted.
    pub(super) has_rematch_begun: bool,
    /// When everybody is told that there is this game, where that was not at once.
    pub(super) seen_at: Option<Timestamp>,
    /// When the second game of the match is tried again.
    pub(super) other_game_retry: Option<Timestamp>,
}

/// A commit was slow, from the last event on.
#[derive(Clone, Copy)]
pub(super) struct Owed {
    until: Timestamp,
    /// It was the commit of an outage that was slow: written with the next events, or there would be no end.
    with_the_next: bool,
}

/// Whether the task goes on.
pub(super) enum Flow {
    Continue,
    /// The game is over and has left memory, or the server stops.
    Stop,
    /// What this task knows of the game is of no use: another one takes it up from storage.
    Fail,
}

/// Why a decision was not carried out.
pub(super) enum Failure {
    /// Storage does not answer; the table is frozen.
    Frozen,
    /// The table must stop: what it wants to store does not fit what is stored.
    Stop,
}

impl Task {
    pub(super) fn new(
        app: App,
        handle: TableHandle,
        inbox: Inbox,
        core: Core,
        log: Log,
        chat: VecDeque<ChatLine>,
    ) -> Self {
        let now = app.clock.now();
        let delay = i64::from(core.setup().spectator_delay);
        let seen_at = app.tables.delays.seen_at(handle.game).filter(|&at| at > now);
        Self {
            seen_at,
            app,
            handle,
            core,
            log,
            inbox,
            owed: None,
            settled: None,
            chat,
            watchers: Watchers::new(delay),
            frozen: None,
            shown: [true; 4],
            spectators: 0,
            thinking: None,
            unwatched_since: now,
            gone_since: [None; 4],
            ended_at: None,
            rematch: None,
            rematch_retry: None,
            rematch_waits: None,
            has_rematch_begun: false,
            other_game_retry: None,
        }
    }

    pub(super) fn game(&self) -> GameId {
        self.handle.game
    }

    pub(super) fn now(&self) -> Timestamp {
        self.app.clock.now()
    }

    /// Goes on after a time in which the server was not running.
    pub(super) async fn run_after(mut self, cause: OutageCause) {
        let since = self.core.last_at();
        self.keep_late_again();
        match self.write_outage(since, cause).await {
            Ok(()) => {}
            Err(Failure::Frozen) => self.frozen_since(since),
            Err(Failure::Stop) => return Box::pin(self.fail()).await,
        }
        // Nobody could be here while the server was not.
        let now = self.now();
        self.core.absent_since(now);
        self.run().await;
    }

    /// Sees to what follows a game that ended before the server did: the other game of its match, its rematch.
    pub(super) async fn run_after_end(mut self, at: Timestamp, rematch: Option<GameId>) {
        self.ended_at = Some(at);
        self.keep_late_again();
        let since = self.core.last_at();
        for &seat in self.core.rules().turn_order {
            if self.core.bot_level(seat).is_none() {
                self.gone_since[seat.index()] = Some(since);
            }
        }
        self.start_other_game().await;
        (self.rematch, self.has_rematch_begun) = (rematch, rematch.is_some());
        let now = self.now();
        let is_agreed = self.core.is_rematch_agreed();
        if is_agreed && now < since.plus(i64::from(self.app.config.proposals.rematch_ms)) {
            // All were here a moment ago, and come back to the new game as to any other.
            self.rematch.get_or_insert_with(GameId::fresh);
        }
        if self.core.rematch().is_none() && (is_agreed || self.has_rematch_begun) {
            self.start_rematch().await;
        } else if self.rematch_lapses_at().into_iter().chain(self.leaves_memory_at()).any(|at| at <= now) {
            // Not stored, the next start of the server sees to it.
            let _ = self.carry_out(Who::Server, &Command::Lapse, now, None).await;
        }
        self.run().await;
    }

    pub(super) async fn run(mut self) {
        self.wake_bots();
        let end = loop {
            if self.must_settle() {
                Box::pin(self.settle_outage()).await;
            }
            self.keep_up();
            if self.may_leave_memory() {
                break Flow::Stop;
            }
            let wake = self.next_wake();
            let is_due = wake.is_some_and(|at| at <= Instant::now());
            let flow = tokio::select! {
                biased;
                () = self.app.stop.cancelled() => Flow::Stop,
                loaded = Frozen::loaded(&mut self.frozen) => Box::pin(self.recover(loaded)).await,
                () = std::future::ready(()), if is_due => Box::pin(self.on_due()).await,
                message = self.inbox.next() => match message {
                    // Boxed, as all that happens now and then: the task itself stays small while it waits.
                    Some(message) => Box::pin(self.receive(*message)).await,
                    None => Flow::Stop,
                },
                () = wait(wake) => Box::pin(self.on_time()).await,
            };
            if !matches!(flow, Flow::Continue) {
                break flow;
            }
        };
        if let Some(search) = self.thinking.take() {
            search.cancel();
        }
        match end {
            Flow::Fail => Box::pin(self.fail()).await,
            Flow::Continue | Flow::Stop => self.app.tables.forget(&self.handle),
        }
    }

    /// Gives the game up to a new task, which begins with what is stored; those who watch come back to it.
    async fn fail(self) {
        self.tell_frozen(Some(OutageCause::Storage));
        self.app.tables.forget(&self.handle);
        if self.handle.has_ended() && !self.handle.is_end_public() {
            // No table will say so any more.
            self.app.tables.end_made_public(&self.app, &self.handle);
        }
        let (app, handle, watchers) = (self.app.clone(), self.handle.clone(), self.watchers);
        // Whoever still asks this one is told at once.
        drop(self.inbox);
        app.tables.reopen(&app, handle.game).await;
        watchers.close();
    }

    /// Something is due by time. Commands that are here already come first, since they may have arrived in time;
    /// all else waits, since looking and talking must not hold up a clock.
    async fn on_due(&mut self) -> Flow {
        while let Some(message) = self.inbox.command() {
            let flow = self.receive(*message).await;
            if !matches!(flow, Flow::Continue) {
                return flow;
            }
        }
        self.on_time().await
    }

    async fn receive(&mut self, message: Message) -> Flow {
        match message {
            Message::Command { user, seat, id, command, arrived, reply } => {
                self.command(user, seat, id, command, arrived, reply).await
            }
            Message::Watch { look, follow, reply } => {
                let socket = &look.socket;
                let seat = self.core.seat_of(socket.user);
                let flow = match seat.filter(|&seat| self.core.attendance().has_departed(seat)) {
                    Some(seat) if self.frozen.is_none() => {
                        let now = self.now();
                        self.carry_out(Who::Player(seat), &Command::Return, now, None).await.1
                    }
                    _ => Flow::Continue,
                };
                self.watchers.add(socket.clone(), seat);
                reply.done(Done { game: Some(self.game()), ..Done::default() });
                self.bring_up_to_date(socket, seat, follow);
                flow
            }
            Message::Unwatch { socket } => {
                self.watchers.remove(socket);
                Flow::Continue
            }
            // `keep_up` looks at the hub.
            Message::Presence => Flow::Continue,
            Message::Freeze => {
                if self.frozen.is_none() && self.core.is_running() {
                    self.freeze(self.now());
                }
                Flow::Continue
            }
            Message::Say { socket, name, what, reply } => {
                let standing = self.core.seat_of(socket.user).map(|_| self.standing());
                self.say(socket.user, name, what, reply.at(standing));
                Flow::Continue
            }
            Message::NameDeleted { user, done } => {
                self.name_deleted(user);
                // Whoever waited for it may have gone.
                let _ = done.send(());
                Flow::Continue
            }
            Message::Abort { reply } => {
                let command = Command::Abort(kingscross_protocol::AbortCause::Admin);
                let now = self.now();
                let (result, flow) = self.carry_out(Who::Server, &command, now, None).await;
                reply.give(result);
                flow
            }
        }
    }

    async fn command(
        &mut self,
        user: UserId,
        seat: Seat,
        id: CommandId,
        command: Command,
        arrived: Timestamp,
        reply: Reply,
    ) -> Flow {
        let (result, flow) = match self.log.known(seat, id, &command) {
            Known::Done(seq) => (Ok(Done { seq: Some(seq), ..Done::default() }), Flow::Continue),
            Known::Refused(error) => (Err(error), Flow::Continue),
            Known::Other => {
                let message = "This id was used before for another command.";
                (Err(ErrorBody::new(ErrorCode::IdReused, message)), Flow::Continue)
            }
            Known::New => {
                let (result, flow) =
                    self.carry_out(Who::Player(seat), &command, arrived, Some((user, seat, id))).await;
                if let Err(error) = &result
                    && !error.retryable
                {
                    self.log.refused(seat, id, command, error.clone());
                }
                (result, flow)
            }
        };
        reply.at(Some(self.standing())).give(result);
        flow
    }

    /// How far the game is.
    fn standing(&self) -> Standing {
        Standing { seq: self.core.seq(), hash: self.core.hash() }
    }

    /// Decides a command and stores, applies and tells what follows; first, where the clock demands it, what is due.
    pub(super) async fn carry_out(
        &mut self,
        who: Who,
        command: &Command,
        arrived: Timestamp,
        commanded: Option<(UserId, Seat, CommandId)>,
    ) -> (Result<Done, ErrorBody>, Flow) {
        loop {
            if self.frozen.is_some() {
                return (Err(unavailable()), Flow::Continue);
            }
            let moment = Moment { now: arrived, lag: self.lag_on_turn() };
            let decision = match self.decide(moment, who, command) {
                Ok(decision) => decision,
                Err(error) => return (Err(error), Flow::Continue),
            };
            let is_carried_out = decision.is_carried_out;
            let commanded = commanded.filter(|_| is_carried_out);
            match self.commit(decision, arrived, commanded).await {
                Ok(seq) if is_carried_out => return (Ok(Done { seq, ..Done::default() }), Flow::Continue),
                Ok(_) => {}
                Err(Failure::Frozen) => return (Err(unavailable()), Flow::Continue),
                Err(Failure::Stop) => return (Err(failed()), Flow::Fail),
            }
        }
    }

    /// What follows from a command, behind the outage that no event says yet.
    fn decide(&self, moment: Moment, who: Who, command: &Command) -> Result<Decision, ErrorBody> {
        let moment = Moment { now: self.judged_at(moment.now, who), ..moment };
        let Some(outage) = self.outage(moment.now) else { return self.core.decide(moment, who, command) };
        let mut owed = self.core.decide(moment, Who::Server, &outage)?;
        let mut decision = owed.after.decide(moment, who, command)?;
        if !decision.steps.is_empty() {
            owed.steps.append(&mut decision.steps);
            decision.steps = owed.steps;
        }
        Ok(decision)
    }

    /// Stores what was decided, then applies it, then tells everyone. Gives the first event's place.
    pub(super) async fn commit(
        &mut self,
        decision: Decision,
        arrived: Timestamp,
        commanded: Option<(UserId, Seat, CommandId)>,
    ) -> Result<Option<Seq>, Failure> {
        let Decision { steps, after, .. } = decision;
        if steps.is_empty() {
            return Ok(None);
        }
        let first = self.core.seq().next();
        let at = after.last_at();
        // An outage before it is not what was commanded.
        let is_outage = |step: &Step| matches!(step.event, Event::Outage { .. });
        let own = steps.iter().position(|step| !is_outage(step)).unwrap_or(0);
        let place = |index: usize| Seq(first.0 + u32::try_from(index).expect("few events at once"));
        let bodies: Vec<String> = steps.iter().map(|step| encode_event(&step.event)).collect();
        let event = |(index, (step, body)): (usize, (&Step, &String))| {
            let commanded = commanded.filter(|_| index == own);
            let commanded = commanded.map(|(user, _, command)| Commanded { user, command });
            NewEvent { seq: place(index), commanded, at, hash: step.hash, body: body.clone() }
        };
        let events = steps.iter().zip(&bodies).enumerate().map(event).collect();
        let forget = self.app.config.matchmaking.dodge_forget_ms;
        let mut finish = finish(&after, &steps, at, forget);
        if let Some(finish) = &mut finish {
            finish.statistics = super::statistics::statistics(&self.core, &self.log, &steps);
            self.keep_back(finish);
        }
        let ended = finish.as_ref().map(|finish| finish.reason.clone());
        let follow_up_pending =
            Some(after.awaits_follow_up()).filter(|&is| is != self.core.awaits_follow_up());
        let append = Append { game: self.game(), events, finish, follow_up_pending };
        let was_slow = self.store(append, arrived).await?;
        let stored_at = self.now();
        steps.iter().for_each(|step| crate::metrics::stored(&step.event, arrived, stored_at));
        self.core = after;
        if let Some(reason) = ended {
            tracing::info!(game = %self.game(), reason, plies = self.core.game().ply(), "a game ended");
        }
        // What was owed before is in these events, or of a turn that is over.
        let with_the_next = steps.iter().all(is_outage);
        self.owed = (was_slow && stored_at > at).then_some(Owed { until: stored_at, with_the_next });
        let commanded = commanded.map(|(_, seat, id)| (seat, id));
        let last = steps.len() - 1;
        for (index, (step, body)) in steps.into_iter().zip(bodies).enumerate() {
            let seq = place(index);
            let entry = Entry { at, hash: step.hash, body: body.into_boxed_str() };
            self.log.push(entry, commanded.filter(|_| index == own));
            self.tell(seq, at, &step, index == last);
        }
        crate::metrics::told(arrived, self.now());
        self.after_events(at).await;
        if was_slow {
            self.tell_frozen(None);
        }
        Ok(Some(place(own)))
    }

    /// Stores what was decided. Whoever looks on is told when that takes long; whether it did is returned.
    async fn store(&mut self, append: Append, arrived: Timestamp) -> Result<bool, Failure> {
        let slow = Duration::from_millis(self.app.config.clocks.slow_commit_ms);
        let writer = self.app.store.writer();
        let mut storing = pin!(writer.append(append));
        let mut was_slow = false;
        let stored = tokio::select! {
            biased;
            stored = &mut storing => stored,
            () = tokio::time::sleep(slow) => {
                was_slow = true;
                crate::metrics::stalled();
                self.tell_frozen(Some(OutageCause::Storage));
                storing.await
            }
        };
        match stored {
            Ok(_) => Ok(was_slow),
            Err(AppendError::Unavailable) => {
                self.freeze(arrived);
                Err(Failure::Frozen)
            }
            Err(AppendError::Conflict) => {
                // A commit that was given up as unanswered came after all, or the command line ended the game: the
                // log says what has happened.
                tracing::warn!(game = %self.game(), "another writer was first; the log is read again");
                self.freeze_in_conflict(arrived);
                Err(Failure::Frozen)
            }
            Err(AppendError::Invalid(reason)) => {
                tracing::error!(game = %self.game(), reason, "an event could not be stored; this table stops");
                Err(Failure::Stop)
            }
        }
    }

    /// Lets nobody find an end in storage before it is told, nor what it does to ratings.
    fn keep_back(&self, finish: &mut Finish) {
        self.app.tables.delays.add(self.game(), self.core.setup(), Some(finish.at));
        if let Some(task) = &mut finish.rating {
            let (app, game) = (self.app.clone(), self.game());
            let (pool, users, rate) = (task.pool.clone(), task.users.clone(), task.rate.clone());
            // Within the transaction, so in the order of the ledger.
            task.rate = Arc::new(move |current| {
                app.tables.delays.note_rated(game, &pool, &users);
                rate(current)
            });
        }
    }

    /// The time since the last event in which nobody could play, until a moment; and why.
    fn lost(&self, until: Timestamp) -> (i64, OutageCause) {
        let last = self.core.last_at();
        let stored = self.owed.map_or(last, |owed| owed.until.min(until).max(last));
        let stalled = self.app.stalls.missed(stored, until);
        let cause = if stored > last { OutageCause::Storage } else { OutageCause::Stall };
        (stored.since(last) + stalled, cause)
    }

    /// The outage that comes before whatever happens at a moment.
    fn outage(&self, at: Timestamp) -> Option<Command> {
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
    fn judged_at(&self, now: Timestamp, who: Who) -> Timestamp {
        let is_on_turn = matches!(who, Who::Player(seat) if self.core.game().turn() == Some(seat));
        match self.app.stalls.catching_up(now) {
            Some((end, _)) if !is_on_turn && self.core.is_running() => end.min(now),
            _ => now,
        }
    }

    /// Whether an outage is to be written although nothing else happens: of a slow commit, unless that was the commit
    /// of an outage; of a stall that everyone sees. Shorter ones go with the next events: a server that cannot keep up
    /// is not given more to do.
    fn must_settle(&self) -> bool {
        if self.frozen.is_some() || !self.core.is_running() {
            return false;
        }
        match self.owed {
            Some(owed) => !owed.with_the_next,
            None => self.lost_millis() >= TOLD_AT_ONCE && self.app.stalls.last_end() != self.settled,
        }
    }

    async fn settle_outage(&mut self) {
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

/// A stall of so many milliseconds is told as soon as it ends.
const TOLD_AT_ONCE: i64 = 1_000;

async fn wait(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

pub(super) fn encode_event(event: &Event) -> String {
    serde_json::to_string(event).expect("events are plain data")
}

fn failed() -> ErrorBody {
    ErrorBody::new(ErrorCode::Internal, "The server cannot store this; the fault has been logged.")
}

pub(super) fn unavailable() -> ErrorBody {
    ErrorBody::new(ErrorCode::Unavailable, "The database does not answer; the clocks stand still. Try again.")
}
