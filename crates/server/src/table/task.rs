//! The task of one table, the only writer of its game: persist, then apply, then tell.

use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;

use kingscross_engine::Seat;
use kingscross_protocol::{
    ChatLine, CommandId, ErrorBody, ErrorCode, Event, GameId, OutageCause, Saying, Seq, ServerMessage,
    Timestamp, UserId,
};
use kingscross_storage::{Append, AppendError, Commanded, NewEvent};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::core::{Core, Stage};
use super::decide::{Command, Decision, Moment, Step, Who};
use super::handle::{Done, Follow, Message, Reply, TableHandle};
use super::log::{Entry, Known, Log};
use super::record::{self, Logged};
use super::recovery::Frozen;
use super::views;
use super::watchers::Watchers;
use crate::app::App;
use crate::socket::encode;
use crate::{bots, phrases};

/// One table.
pub(super) struct Task {
    pub(super) app: App,
    pub(super) handle: TableHandle,
    pub(super) core: Core,
    pub(super) log: Log,
    pub(super) watchers: Watchers,
    pub(super) frozen: Option<Frozen>,
    inbox: mpsc::Receiver<Box<Message>>,
    chat: VecDeque<ChatLine>,
    /// What was last told of each seat's presence.
    shown: [bool; 4],
    spectators: u32,
    /// The bot's search that goes on.
    thinking: Option<CancellationToken>,
    /// Since when nobody watches; since when each participant of a finished game is gone.
    unwatched_since: Timestamp,
    gone_since: [Option<Timestamp>; 4],
    ended_at: Option<Timestamp>,
}

/// Whether the task goes on.
pub(super) enum Flow {
    Continue,
    Stop,
}

/// Why a decision was not carried out.
pub(super) enum Failure {
    /// Storage does not answer; the table is frozen.
    Frozen,
    /// The table must stop: someone else writes this game, or its log does not fit.
    Stop,
}

impl Task {
    pub(super) fn new(
        app: App,
        handle: TableHandle,
        inbox: mpsc::Receiver<Box<Message>>,
        core: Core,
        log: Log,
        chat: VecDeque<ChatLine>,
    ) -> Self {
        let now = app.clock.now();
        Self {
            app,
            handle,
            core,
            log,
            inbox,
            chat,
            watchers: Watchers::default(),
            frozen: None,
            shown: [true; 4],
            spectators: 0,
            thinking: None,
            unwatched_since: now,
            gone_since: [None; 4],
            ended_at: None,
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
        let since = self.core.last_at;
        match self.write_outage(since, cause).await {
            Ok(()) => {}
            Err(Failure::Frozen) => self.frozen_since(since),
            Err(Failure::Stop) => return self.app.tables.forget(&self.handle),
        }
        // Nobody could be here while the server was not.
        let now = self.now();
        self.core.absent_since(now);
        self.run().await;
    }

    pub(super) async fn run(mut self) {
        self.wake_bots();
        loop {
            self.keep_up();
            if self.may_leave_memory() {
                break;
            }
            let wake = self.next_wake();
            let flow = tokio::select! {
                biased;
                () = self.app.stop.cancelled() => Flow::Stop,
                message = self.inbox.recv() => match message {
                    Some(message) => self.receive(*message).await,
                    None => Flow::Stop,
                },
                loaded = Frozen::loaded(&mut self.frozen) => self.recover(loaded).await,
                () = wait(wake) => self.on_time().await,
            };
            if matches!(flow, Flow::Stop) {
                break;
            }
        }
        if let Some(search) = self.thinking.take() {
            search.cancel();
        }
        self.app.tables.forget(&self.handle);
    }

    async fn receive(&mut self, message: Message) -> Flow {
        match message {
            Message::Command { user, seat, id, command, arrived, reply } => {
                self.command(user, seat, id, command, arrived, reply).await
            }
            Message::Watch { socket, follow, reply } => {
                let seat = self.core.seat_of(socket.user);
                let flow = match seat.filter(|&seat| self.core.attendance.has_departed(seat)) {
                    Some(seat) if self.frozen.is_none() => {
                        let now = self.now();
                        self.carry_out(Who::Player(seat), &Command::Return, now, None).await.1
                    }
                    _ => Flow::Continue,
                };
                self.watchers.add(socket.clone(), seat);
                reply.done(Done { game: Some(self.game()), ..Done::default() });
                self.bring_up_to_date(&socket, seat, follow);
                flow
            }
            Message::Unwatch { socket } => {
                self.watchers.remove(socket);
                Flow::Continue
            }
            // `keep_up` looks at the hub.
            Message::Presence => Flow::Continue,
            Message::Say { socket, name, what, reply } => {
                self.say(socket.user, name, what, reply);
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
        match self.log.known(seat, id, &command) {
            Known::Done(seq) => {
                reply.done(Done { seq: Some(seq), game: None, lobby: None });
                return Flow::Continue;
            }
            Known::Refused(error) => {
                reply.refuse(error);
                return Flow::Continue;
            }
            Known::Other => {
                let message = "This id was used before for another command.";
                reply.refuse(ErrorBody::new(ErrorCode::IdReused, message));
                return Flow::Continue;
            }
            Known::New => {}
        }
        let (result, flow) =
            self.carry_out(Who::Player(seat), &command, arrived, Some((user, seat, id))).await;
        if let Err(error) = &result
            && !error.retryable
        {
            self.log.refused(seat, id, command, error.clone());
        }
        reply.give(result);
        flow
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
            let decision = match self.core.draft(moment, who, command) {
                Ok(decision) => decision,
                Err(error) => return (Err(error), Flow::Continue),
            };
            let is_carried_out = decision.is_carried_out;
            let commanded = commanded.filter(|_| is_carried_out);
            match self.commit(decision, arrived, commanded).await {
                Ok(seq) if is_carried_out => return (Ok(Done { seq, ..Done::default() }), Flow::Continue),
                Ok(_) => {}
                Err(Failure::Frozen) => return (Err(unavailable()), Flow::Continue),
                Err(Failure::Stop) => return (Err(unavailable()), Flow::Stop),
            }
        }
    }

    /// Stores what was decided, then applies it, then tells everyone. Gives the first event's place.
    async fn commit(
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
        let at = after.last_at;
        let bodies: Vec<String> = steps.iter().map(|step| encode_event(&step.event)).collect();
        let events = steps
            .iter()
            .zip(&bodies)
            .enumerate()
            .map(|(index, (step, body))| NewEvent {
                seq: Seq(first.0 + u32::try_from(index).expect("few events at once")),
                commanded: commanded
                    .filter(|_| index == 0)
                    .map(|(user, _, command)| Commanded { user, command }),
                at,
                hash: step.hash,
                body: body.clone(),
            })
            .collect();
        let finish = super::finish::finish(&after, &steps, at);
        let append = Append { game: self.game(), events, finish };
        let slow = Duration::from_millis(self.app.config.clocks.slow_commit_ms);
        let writer = self.app.store.writer();
        let mut storing = pin!(writer.append(append));
        let mut was_slow = false;
        let stored = tokio::select! {
            biased;
            stored = &mut storing => stored,
            () = tokio::time::sleep(slow) => {
                was_slow = true;
                self.tell_frozen(Some(OutageCause::Storage));
                storing.await
            }
        };
        match stored {
            Ok(_) => {}
            Err(AppendError::Unavailable) => {
                self.freeze(arrived);
                return Err(Failure::Frozen);
            }
            Err(AppendError::Conflict) => {
                tracing::error!(game = %self.game(), "another writer was first; this table stops");
                return Err(Failure::Stop);
            }
            Err(AppendError::Invalid(reason)) => {
                tracing::error!(game = %self.game(), reason, "an event could not be stored; this table stops");
                return Err(Failure::Stop);
            }
        }
        self.core = after;
        let commanded = commanded.map(|(_, seat, id)| (seat, id));
        let last = steps.len() - 1;
        for (index, (step, body)) in steps.into_iter().zip(bodies).enumerate() {
            let seq = Seq(first.0 + u32::try_from(index).expect("few events at once"));
            let entry = Entry { at, hash: step.hash, body: body.into_boxed_str() };
            self.log.push(entry, commanded.filter(|_| index == 0));
            self.tell(seq, at, &step, index == last);
        }
        self.after_events(at).await;
        if was_slow {
            self.tell_frozen(None);
            self.write_outage(arrived, OutageCause::Storage).await?;
        }
        Ok(Some(first))
    }

    /// Writes that nobody could play since `since`.
    pub(super) async fn write_outage(&mut self, since: Timestamp, cause: OutageCause) -> Result<(), Failure> {
        let now = self.now();
        let millis = u64::try_from(now.since(since.max(self.core.last_at))).unwrap_or(0);
        if !self.core.is_running() || millis == 0 {
            return Ok(());
        }
        let command = Command::Outage { millis, cause };
        let moment = Moment { now, lag: 0 };
        let decision =
            self.core.draft(moment, Who::Server, &command).expect("a running game takes an outage");
        Box::pin(self.commit(decision, now, None)).await.map(|_| ())
    }

    /// Tells one event to everyone; with the last of several the player on turn gets the legal list.
    pub(super) fn tell(&mut self, seq: Seq, at: Timestamp, step: &Step, is_last: bool) {
        let head = views::event_head(self.game(), seq, at, step.hash, &step.event, step.change.as_ref());
        let clocks = self.core.clocks_view(self.app.clock.now());
        let common = views::event_message(&head, &clocks, None);
        let turn = self.core.game().turn().filter(|&turn| {
            is_last
                && self.core.is_running()
                && self.core.bot_level(turn).is_none()
                && self.watchers.has_player(turn)
        });
        let special = turn.and_then(|turn| {
            let legal = self.core.legal_for(Some(turn))?;
            Some((turn, views::event_message(&head, &clocks, Some(&legal))))
        });
        self.watchers.tell_apart(&common, special.as_ref());
        if matches!(step.event, Event::Played(_)) {
            // The receiver of this event is the one whose lag will matter.
            self.core.rules().turn_order.iter().for_each(|&seat| {
                if Some(seat) == turn {
                    self.watchers.ping(seat);
                }
            });
        }
        self.log.told(seq, head);
        if matches!(step.event, Event::Departed { .. } | Event::Returned { .. }) {
            self.tell_presence();
        }
    }

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
                self.app.tables.ended(&self.app, &self.handle);
            }
            Stage::Finished(_) | Stage::Aborted(_) => {}
        }
        if self.core.rematch_agreed && self.core.rematch.is_none() {
            self.start_rematch().await;
        }
        self.wake_bots();
    }

    async fn start_rematch(&mut self) {
        self.core.rematch_agreed = false;
        match self.app.tables.start_rematch(&self.app, self.game(), self.core.setup()).await {
            Ok(game) => {
                let now = self.now();
                let moment = Moment { now, lag: 0 };
                let command = Command::Rematch(game);
                if let Ok(decision) = self.core.draft(moment, Who::Server, &command) {
                    // The new game exists; that its name is missing here would be seen in its own setup.
                    let _ = Box::pin(self.commit(decision, now, None)).await;
                }
            }
            Err(error) => tracing::warn!(game = %self.game(), %error, "the rematch could not be started"),
        }
    }

    /// Brings a socket that begins to watch to the present.
    fn bring_up_to_date(
        &mut self,
        socket: &std::sync::Arc<crate::socket::Socket>,
        seat: Option<Seat>,
        follow: Follow,
    ) {
        let now = self.now();
        let after = match follow {
            Follow::After(after) => after,
            Follow::Stream => None,
        };
        if let (Follow::Stream, Some(seat)) = (follow, seat) {
            socket.send(&ServerMessage::GameStart { game: self.game(), seat: self.core.letter(seat) });
        }
        let tail: Option<Vec<&str>> = after.and_then(|after| self.log.tail(after)).map(Iterator::collect);
        if let Some(heads) = tail {
            let clocks = self.core.clocks_view(now);
            let legal = self.core.legal_for(seat);
            let last = heads.len().saturating_sub(1);
            for (index, head) in heads.into_iter().enumerate() {
                let legal = legal.as_deref().filter(|_| index == last);
                socket.push(views::event_message(head, &clocks, legal));
            }
            let (game, frozen) = (self.game(), self.frozen.as_ref().map(|_| OutageCause::Storage));
            socket.send(&ServerMessage::Presence { game, seats: self.core.presence_view(now) });
            if frozen.is_some() {
                socket.send(&ServerMessage::Table { game, frozen });
            }
        } else if let Some(mut snapshot) = self.snapshot(seat, now) {
            snapshot.chat.retain(|line| !socket.has_muted(line.user));
            socket.push_snapshot(encode(&ServerMessage::Snapshot(Box::new(snapshot))));
        } else {
            socket.close(kingscross_protocol::close::RESTART);
            return;
        }
        let spectators = self.watchers.spectators();
        if spectators == self.spectators {
            socket.send(&ServerMessage::Spectators { game: self.game(), count: spectators });
        }
        if let (Follow::Stream, Some(seat)) = (follow, seat)
            && self.core.is_running()
            && self.core.game().turn() == Some(seat)
        {
            socket.send(&self.your_turn(seat));
        }
    }

    fn snapshot(&self, seat: Option<Seat>, now: Timestamp) -> Option<kingscross_protocol::Snapshot> {
        let logged = self.log.entries().iter().map(|entry| Logged {
            at: entry.at,
            hash: entry.hash,
            body: &entry.body,
        });
        match record::history(self.core.terms.clone(), self.core.seed, logged) {
            Ok((_, history)) => {
                let mut snapshot = self.core.snapshot(self.game(), seat, history, now);
                snapshot.spectators = self.watchers.spectators();
                snapshot.chat = self.chat.iter().cloned().collect();
                snapshot.frozen = self.frozen.as_ref().map(|_| OutageCause::Storage);
                Some(snapshot)
            }
            Err(error) => {
                tracing::error!(game = %self.game(), %error, "the table's own log does not replay");
                None
            }
        }
    }

    fn say(&mut self, user: UserId, name: String, what: Saying, reply: Reply) {
        if let Err(error) = phrases::check(&what, self.core.setup()) {
            return reply.refuse(error);
        }
        let seat = self.core.seat_of(user).map(|seat| self.core.letter(seat));
        let line = ChatLine { game: self.game(), user, name, seat, at: self.now(), what };
        if self.chat.len() >= self.app.config.tables.chat_lines {
            self.chat.pop_front();
        }
        self.watchers.say(&line);
        self.chat.push_back(line.clone());
        self.app.tables.keep_chat(&self.app, line);
        reply.ok();
    }

    /// Looks at what changes without a command: who is there, who watches.
    fn keep_up(&mut self) {
        let now = self.now();
        self.watchers.sweep();
        let game_seats = self.core.rules().turn_order;
        for &seat in game_seats {
            if let Some(user) = self.user_of(seat) {
                self.core.attendance.connected(seat, self.app.hub.is_connected(user), now);
            }
        }
        let shown = Seat::ALL.map(|seat| self.core.attendance.is_shown_present(seat, now));
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

    /// The next moment at which something is due by time.
    fn next_wake(&self) -> Option<tokio::time::Instant> {
        if let Some(frozen) = &self.frozen {
            return frozen.retry_at();
        }
        let shown = Seat::ALL
            .into_iter()
            .filter(|seat| self.shown[seat.index()] && self.core.is_running())
            .filter_map(|seat| self.core.attendance.shown_at(seat));
        let lapses = self.rematch_lapses_at().filter(|_| !self.core.is_running());
        let end = self.leaves_memory_at().into_iter().chain(lapses);
        let due = self.core.deadline(self.lag_on_turn()).into_iter().chain(shown).chain(end).min()?;
        Some(self.app.clock.instant(due))
    }

    /// When an open question for a rematch lapses because a participant has gone.
    fn rematch_lapses_at(&self) -> Option<Timestamp> {
        self.core.proposals.open()?;
        let gone = self.gone_since.iter().flatten().min()?;
        Some(gone.plus(i64::from(self.app.config.proposals.rematch_ms)))
    }

    async fn on_time(&mut self) -> Flow {
        let now = self.now();
        if self.frozen.is_some() {
            self.retry();
            return Flow::Continue;
        }
        let command = match self.rematch_lapses_at() {
            Some(at) if !self.core.is_running() && at <= now => Command::Lapse,
            _ => Command::Tick,
        };
        self.carry_out(Who::Server, &command, now, None).await.1
    }

    /// Whether a finished game can be served from its record from now on.
    fn may_leave_memory(&self) -> bool {
        self.frozen.is_none() && self.leaves_memory_at().is_some_and(|at| at <= self.now())
    }

    /// When a finished game leaves memory: soon after nobody looks at it any more or no rematch can come of it, and
    /// at last however many look.
    fn leaves_memory_at(&self) -> Option<Timestamp> {
        let ended = self.ended_at?;
        let config = &self.app.config;
        let linger = i64::from(config.tables.linger_ms);
        let unwatched = self.watchers.is_empty().then(|| self.unwatched_since.max(ended).plus(linger));
        let gone = self.gone_since.iter().flatten().min();
        let no_rematch =
            gone.map(|gone| gone.plus(i64::from(config.proposals.rematch_ms)).max(ended.plus(linger)));
        let at_last = ended.plus(i64::from(config.tables.keep_ms));
        unwatched.into_iter().chain(no_rematch).chain([at_last]).min()
    }

    pub(super) fn tell_frozen(&self, frozen: Option<OutageCause>) {
        self.watchers.tell(&ServerMessage::Table { game: self.game(), frozen });
    }

    fn tell_presence(&self) {
        let seats = self.core.presence_view(self.now());
        self.watchers.tell(&ServerMessage::Presence { game: self.game(), seats });
    }

    fn your_turn(&self, seat: Seat) -> ServerMessage {
        ServerMessage::YourTurn {
            game: self.game(),
            seat: self.core.letter(seat),
            ply: self.core.game().ply(),
            legal: self.core.legal_for(Some(seat)).unwrap_or_default(),
        }
    }

    /// The person at a seat.
    fn user_of(&self, seat: Seat) -> Option<UserId> {
        let letter = self.core.letter(seat);
        let player = self.core.setup().players.iter().find(|player| player.seat == letter)?;
        player.bot.is_none().then_some(player.user)
    }

    fn lag_on_turn(&self) -> u32 {
        self.core.game().turn().map_or(0, |turn| self.watchers.lag(turn))
    }

    /// Lets the bots at this table do what is theirs to do now.
    pub(super) fn wake_bots(&mut self) {
        if let Some(search) = self.thinking.take() {
            search.cancel();
        }
        if self.frozen.is_none() {
            self.thinking = bots::wake(&self.app, &self.handle, &self.core);
        }
    }
}

async fn wait(until: Option<tokio::time::Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

pub(super) fn encode_event(event: &Event) -> String {
    serde_json::to_string(event).expect("events are plain data")
}

pub(super) fn unavailable() -> ErrorBody {
    ErrorBody::new(ErrorCode::Unavailable, "The database does not answer; the clocks stand still. Try again.")
}
