//! The task of one table, the only writer of its game: what it waits for, and what it does with each message.

use std::collections::VecDeque;

use kingscross_engine::Seat;
use kingscross_protocol::{
    ChatLine, CommandId, ErrorBody, ErrorCode, GameId, OutageCause, Timestamp, UserId,
};
use kingscross_table::{Command, Core, Decision, Known, Log, Moment, Rejection, Who};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::handle::{Done, Message, Reply, Standing, TableHandle};
use super::inbox::Inbox;
use super::outages::Owed;
use super::recovery::Frozen;
use super::watchers::Watchers;
use crate::app::App;

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
    pub(super) settled: Option<Timestamp>,
    pub(super) chat: VecDeque<ChatLine>,
    /// Each seat's presence as last broadcast.
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
    /// When this game becomes visible to everybody, if that was not at once.
    pub(super) seen_at: Option<Timestamp>,
    /// When the second game of the match is tried again.
    pub(super) other_game_retry: Option<Timestamp>,
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
        // Whoever still asks this task gets an answer at once.
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
                Err(rejection) => return (Err(rejection.into()), Flow::Continue),
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
    fn decide(&self, moment: Moment, who: Who, command: &Command) -> Result<Decision, Rejection> {
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
}

async fn wait(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

fn failed() -> ErrorBody {
    ErrorBody::new(ErrorCode::Internal, "The server cannot store this; the fault has been logged.")
}

pub(super) fn unavailable() -> ErrorBody {
    ErrorBody::new(ErrorCode::Unavailable, "The database does not answer; the clocks stand still. Try again.")
}
