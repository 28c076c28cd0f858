//! What a table says to those who follow it.

use std::sync::Arc;

use kingscross_engine::Seat;
use kingscross_protocol::{
    ChatLine, Clocks, Event, OutageCause, Saying, Seq, ServerMessage, Snapshot, Timestamp, UserId, close,
};
use kingscross_table::{BadRecord, Logged, Step, event_head, event_message, history, replay};

use super::handle::{Follow, Reply};
use super::task::Task;
use crate::sockets::{Socket, encode};
use crate::text::phrases;

impl Task {
    /// Tells one event to everyone; with the last of several the player on turn gets the legal list.
    pub(super) fn tell(&mut self, seq: Seq, at: Timestamp, step: &Step, is_last: bool) {
        let head = event_head(self.game(), seq, at, step.hash, &step.event, step.change.as_ref());
        let clocks = self.core.clocks_view(self.app.clock.now());
        let common = event_message(&head, &clocks, None).into();
        let turn = self.core.game().turn().filter(|&turn| {
            is_last
                && self.core.is_running()
                && self.core.bot_level(turn).is_none()
                && self.watchers.has_player(turn)
        });
        let special = turn.and_then(|turn| {
            let legal = self.core.legal_list_for(Some(turn))?;
            Some((turn, event_message(&head, &clocks, Some(legal)).into()))
        });
        self.watchers.tell_apart(at, &common, special.as_ref());
        if matches!(step.event, Event::Played(_)) {
            // The receiver of this event is the one whose lag will matter.
            self.core.rules().turn_order.iter().for_each(|&seat| {
                if Some(seat) == turn {
                    self.watchers.ping(seat);
                }
            });
        }
        if matches!(step.event, Event::Departed { .. } | Event::Returned { .. }) {
            self.tell_presence();
        }
    }

    /// Brings a socket that begins to watch to the present.
    pub(super) fn bring_up_to_date(&mut self, socket: &Arc<Socket>, seat: Option<Seat>, follow: Follow) {
        let now = self.now();
        let after = match follow {
            Follow::After(after) => after,
            Follow::Stream => None,
        };
        if let (Follow::Stream, Some(seat)) = (follow, seat) {
            socket.send(&ServerMessage::GameStart { game: self.game(), seat: self.core.letter(seat) });
        }
        let horizon = self.horizon(seat, now);
        let tail = after.and_then(|after| self.tail(after, horizon, now));
        crate::metrics::resynced(tail.is_some());
        if let Some((heads, clocks)) = tail {
            let legal = self.core.legal_list_for(seat);
            let last = heads.len().saturating_sub(1);
            for (index, head) in heads.iter().enumerate() {
                let legal = legal.filter(|_| index == last);
                socket.push(event_message(head, &clocks, legal).into());
            }
            let (game, frozen) = (self.game(), self.frozen.as_ref().map(|_| OutageCause::Storage));
            socket.send(&ServerMessage::Presence { game, seats: self.core.presence_view(now) });
            if frozen.is_some() {
                socket.send(&ServerMessage::Table { game, frozen });
            }
        } else if !self.send_snapshot(socket, seat, now) {
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

    /// The events after a seq as they were told, when they are few enough; they are made again from the log, since
    /// keeping them for those who may come back would take more memory than the game itself.
    fn tail(
        &self,
        after: Seq,
        horizon: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<(Vec<Box<str>>, Clocks)> {
        let known = match horizon {
            Some(_) => u32::try_from(self.logged(horizon).count()).unwrap_or(u32::MAX),
            None => self.core.seq().0,
        };
        let missing = known.checked_sub(after.0)?;
        if missing as usize > self.app.config.tables.tail_events {
            return None;
        }
        if missing == 0 {
            return Some((Vec::new(), self.core.clocks_view(now)));
        }
        let mut heads = Vec::with_capacity(missing as usize);
        let past = replay(
            self.core.terms().clone(),
            self.core.seed(),
            self.logged(horizon),
            |seq, logged, mut event, change| {
                if seq > after {
                    self.name_as_now(&mut event);
                    let (at, hash) = (logged.at, logged.hash);
                    heads.push(event_head(self.game(), seq, at, hash, &event, change.as_ref()));
                }
            },
        )
        .inspect_err(|error| self.log_is_damaged(error))
        .ok()?;
        let clocks = horizon.map_or_else(|| self.core.clocks_view(now), |until| past.clocks_view(until));
        Some((heads, clocks))
    }

    /// Up to which moment somebody may see the game, if not up to now: spectators may lag behind the players.
    fn horizon(&self, seat: Option<Seat>, now: Timestamp) -> Option<Timestamp> {
        let delay = self.watchers.delay;
        (seat.is_none() && delay > 0).then(|| now.plus(-delay))
    }

    /// After a restart: keeps for spectators what they have not got yet.
    pub(super) fn keep_late_again(&mut self) {
        let Some(until) = self.horizon(None, self.now()) else { return };
        let clocks = self.core.clocks_view(self.now());
        let mut late = Vec::new();
        let replayed = replay(
            self.core.terms().clone(),
            self.core.seed(),
            self.logged(None),
            |seq, logged, mut event, change| {
                if logged.at > until {
                    self.name_as_now(&mut event);
                    let (at, hash) = (logged.at, logged.hash);
                    let head = event_head(self.game(), seq, at, hash, &event, change.as_ref());
                    late.push((at, event_message(&head, &clocks, None).into()));
                }
            },
        );
        if let Err(error) = replayed {
            self.log_is_damaged(&error);
        }
        late.into_iter().for_each(|(at, text)| self.watchers.keep_late(at, text));
    }

    /// A player is deleted: from here on the table shows the other name, and nothing that the player said.
    pub(super) fn name_deleted(&mut self, user: UserId) {
        let has_seat = self.core.seat_of(user).is_some();
        let lines = self.chat.len();
        self.chat.retain(|line| line.user != user);
        self.watchers.forget_lines(user);
        if has_seat {
            self.handle.note_deleted(user);
            self.core.rename(self.handle.setup.clone());
        }
        if has_seat || self.chat.len() < lines {
            let now = self.now();
            for (socket, seat) in self.watchers.sockets() {
                self.send_snapshot(&socket, seat, now);
            }
        }
    }

    fn send_snapshot(&self, socket: &Socket, seat: Option<Seat>, now: Timestamp) -> bool {
        let Some(mut snapshot) = self.snapshot(seat, now) else {
            socket.close(close::RESTART);
            return false;
        };
        snapshot.chat.retain(|line| !socket.has_muted(line.user));
        socket.push_snapshot(encode(&ServerMessage::Snapshot(Box::new(snapshot))));
        true
    }

    pub(super) fn snapshot(&self, seat: Option<Seat>, now: Timestamp) -> Option<Snapshot> {
        let horizon = self.horizon(seat, now);
        let (past, mut history) = history(self.core.terms().clone(), self.core.seed(), self.logged(horizon))
            .inspect_err(|error| self.log_is_damaged(error))
            .ok()?;
        history.iter_mut().take(1).for_each(|first| self.name_as_now(&mut first.event));
        let mut snapshot = match horizon {
            Some(until) => {
                let mut snapshot = past.snapshot(self.game(), seat, history, until);
                snapshot.setup.clone_from(self.core.setup());
                // Presence is not part of the game.
                snapshot.presence = self.core.presence_view(now);
                snapshot
            }
            None => self.core.snapshot(self.game(), seat, history, now),
        };
        let is_heard = |line: &&ChatLine| line.seat.is_none() || horizon.is_none_or(|until| line.at <= until);
        snapshot.chat = self.chat.iter().filter(is_heard).cloned().collect();
        snapshot.spectators = self.watchers.spectators();
        snapshot.frozen = self.frozen.as_ref().map(|_| OutageCause::Storage);
        Some(snapshot)
    }

    /// The log keeps the names that the game began with.
    fn name_as_now(&self, event: &mut Event) {
        if let Event::Created(setup) = event {
            setup.clone_from(self.core.setup());
        }
    }

    /// The events up to a moment, or all of them; a game is always seen to begin.
    fn logged(&self, until: Option<Timestamp>) -> impl Iterator<Item = Logged<'_>> {
        let seen = move |at: Timestamp| until.is_none_or(|until| at <= until);
        let entries = self.log.entries().enumerate();
        entries.take_while(move |(place, entry)| *place == 0 || seen(entry.at)).map(|(_, entry)| Logged {
            at: entry.at,
            hash: entry.hash,
            body: &entry.body,
        })
    }

    fn log_is_damaged(&self, error: &BadRecord) {
        tracing::error!(game = %self.game(), %error, "the table's own log does not replay");
    }

    pub(super) fn say(&mut self, user: UserId, name: String, what: Saying, reply: Reply) {
        let what = match phrases::clean(what, self.core.setup()) {
            Ok(what) => what,
            Err(error) => return reply.refuse(error),
        };
        let seat = self.core.seat_of(user).map(|seat| self.core.letter(seat));
        let line = ChatLine { game: self.game(), user, name, seat, at: self.now(), what };
        if self.chat.len() >= self.app.config.tables.chat_lines {
            self.chat.pop_front();
        }
        self.watchers.say(&line);
        self.chat.push_back(line.clone());
        self.app.chat.keep(line);
        reply.ok();
    }

    pub(super) fn tell_frozen(&self, frozen: Option<OutageCause>) {
        self.watchers.tell(&ServerMessage::Table { game: self.game(), frozen });
    }

    pub(super) fn tell_presence(&self) {
        let seats = self.core.presence_view(self.now());
        self.watchers.tell(&ServerMessage::Presence { game: self.game(), seats });
    }

    pub(super) fn your_turn(&self, seat: Seat) -> ServerMessage {
        ServerMessage::YourTurn {
            game: self.game(),
            seat: self.core.letter(seat),
            ply: self.core.game().ply(),
            legal: self.core.legal_for(Some(seat)).unwrap_or_default(),
        }
    }

    /// The person at a seat.
    pub(super) fn user_of(&self, seat: Seat) -> Option<UserId> {
        let letter = self.core.letter(seat);
        let player = self.core.setup().players.iter().find(|player| player.seat == letter)?;
        player.bot.is_none().then_some(player.user)
    }

    pub(super) fn lag_on_turn(&self) -> u32 {
        self.core.game().turn().map_or(0, |turn| self.watchers.lag(turn))
    }
}
