//! The sockets that follow a table, and telling them things.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use kingscross_engine::Seat;
use kingscross_protocol::{ChatLine, ServerMessage, Timestamp, UserId, close};

use crate::sockets::{Socket, encode};

/// Everyone who follows one game.
pub(super) struct Watchers {
    all: Vec<Watcher>,
    /// How much later than players spectators are told, in milliseconds.
    pub(super) delay: i64,
    /// What they are still to be told, in order, and when.
    late: VecDeque<(Timestamp, Late)>,
}

/// What spectators get late.
enum Late {
    Event(Utf8Bytes),
    Line(UserId, Utf8Bytes),
}

pub(super) struct Watcher {
    pub(super) socket: Arc<Socket>,
    pub(super) seat: Option<Seat>,
}

impl Watchers {
    /// Nobody yet.
    pub(super) fn new(delay: i64) -> Self {
        Self { all: Vec::new(), delay, late: VecDeque::new() }
    }

    /// Tells spectators what is old enough now.
    pub(super) fn tell_late(&mut self, now: Timestamp) {
        while let Some((_, late)) = self.late.pop_front_if(|(due, _)| *due <= now) {
            for watcher in self.all.iter().filter(|watcher| watcher.seat.is_none()) {
                match &late {
                    Late::Event(text) => watcher.socket.push(text.clone()),
                    Late::Line(user, text) if !watcher.socket.has_muted(*user) => {
                        watcher.socket.push(text.clone());
                    }
                    Late::Line(..) => {}
                }
            }
        }
    }

    /// When something is due for spectators.
    pub(super) fn next_late(&self) -> Option<Timestamp> {
        self.late.front().map(|(due, _)| *due)
    }

    /// Keeps an event of this moment for spectators.
    pub(super) fn keep_late(&mut self, at: Timestamp, text: Utf8Bytes) {
        self.late.push_back((at.plus(self.delay), Late::Event(text)));
    }

    /// Never tells what a user said.
    pub(super) fn forget_lines(&mut self, user: UserId) {
        self.late.retain(|(_, late)| !matches!(late, Late::Line(by, _) if *by == user));
    }

    /// Adds a socket, once.
    pub(super) fn add(&mut self, socket: Arc<Socket>, seat: Option<Seat>) {
        self.remove(socket.id);
        self.all.push(Watcher { socket, seat });
    }

    pub(super) fn remove(&mut self, socket: u64) {
        self.all.retain(|watcher| watcher.socket.id != socket);
    }

    /// Forgets sockets that are being closed.
    pub(super) fn sweep(&mut self) {
        self.all.retain(|watcher| !watcher.socket.is_closing());
    }

    /// Sends everyone back to where the game is now.
    pub(super) fn close(&self) {
        self.all.iter().for_each(|watcher| watcher.socket.close(close::RESTART));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn has_player(&self, seat: Seat) -> bool {
        self.all.iter().any(|watcher| watcher.seat == Some(seat))
    }

    /// Persons who watch without a seat, however many sockets each has.
    pub(super) fn spectators(&self) -> u32 {
        let mut users: Vec<UserId> = self
            .all
            .iter()
            .filter(|watcher| watcher.seat.is_none())
            .map(|watcher| watcher.socket.user)
            .collect();
        users.sort_unstable();
        users.dedup();
        u32::try_from(users.len()).unwrap_or(u32::MAX)
    }

    /// The lag of a player: of several sockets the slowest, since any of them may send the move.
    pub(super) fn lag(&self, seat: Seat) -> u32 {
        let sockets = self.all.iter().filter(|watcher| watcher.seat == Some(seat));
        sockets.map(|watcher| watcher.socket.lag()).max().unwrap_or(0)
    }

    /// Measures the lag of a player soon.
    pub(super) fn ping(&self, seat: Seat) {
        let sockets = self.all.iter().filter(|watcher| watcher.seat == Some(seat));
        sockets.for_each(|watcher| watcher.socket.ask_ping());
    }

    /// Every socket with its seat.
    pub(super) fn sockets(&self) -> Vec<(Arc<Socket>, Option<Seat>)> {
        self.all.iter().map(|watcher| (watcher.socket.clone(), watcher.seat)).collect()
    }

    pub(super) fn tell(&self, message: &ServerMessage) {
        if !self.all.is_empty() {
            let text = encode(message);
            self.all.iter().for_each(|watcher| watcher.socket.push(text.clone()));
        }
    }

    /// Tells everyone the same, and the player of one seat something else; spectators later, where they are to be.
    pub(super) fn tell_apart(
        &mut self,
        at: Timestamp,
        common: &Utf8Bytes,
        special: Option<&(Seat, Utf8Bytes)>,
    ) {
        for watcher in self.all.iter().filter(|watcher| self.delay == 0 || watcher.seat.is_some()) {
            match special {
                Some((seat, text)) if watcher.seat == Some(*seat) => watcher.socket.push(text.clone()),
                _ => watcher.socket.push(common.clone()),
            }
        }
        if self.delay > 0 {
            self.keep_late(at, common.clone());
        }
    }

    /// Tells everyone who has not muted the speaker; spectators hear players as late as they see them.
    pub(super) fn say(&mut self, line: &ChatLine) {
        let text = encode(&ServerMessage::Chat(line.clone()));
        let is_late = self.delay > 0 && line.seat.is_some();
        for watcher in self.all.iter().filter(|watcher| !watcher.socket.has_muted(line.user)) {
            if !is_late || watcher.seat.is_some() {
                watcher.socket.push(text.clone());
            }
        }
        if is_late {
            self.late.push_back((line.at.plus(self.delay), Late::Line(line.user, text)));
        }
    }
}
