//! The sockets that follow a table, and telling them things.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use kingscross_engine::Seat;
use kingscross_protocol::{ChatLine, ServerMessage, UserId, close};

use crate::socket::{Socket, encode};

/// Everyone who follows one game.
#[derive(Default)]
pub(super) struct Watchers {
    all: Vec<Watcher>,
}

pub(super) struct Watcher {
    pub(super) socket: Arc<Socket>,
    pub(super) seat: Option<Seat>,
}

impl Watchers {
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

    /// Tells everyone the same, and the player of one seat something else.
    pub(super) fn tell_apart(&self, common: &Utf8Bytes, special: Option<&(Seat, Utf8Bytes)>) {
        for watcher in &self.all {
            match special {
                Some((seat, text)) if watcher.seat == Some(*seat) => watcher.socket.push(text.clone()),
                _ => watcher.socket.push(common.clone()),
            }
        }
    }

    /// Tells everyone who has not muted the speaker.
    pub(super) fn say(&self, line: &ChatLine) {
        let text = encode(&ServerMessage::Chat(line.clone()));
        for watcher in self.all.iter().filter(|watcher| !watcher.socket.has_muted(line.user)) {
            watcher.socket.push(text.clone());
        }
    }
}
