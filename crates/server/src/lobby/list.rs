//! Who follows the list of open lobbies and running games.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use kingscross_protocol::{GameId, GameSummary, LobbyId, LobbySummary, ServerMessage};

use crate::sockets::{Socket, encode};
use crate::table::TableHandle;

/// The sockets that follow the list.
#[derive(Default)]
pub struct LiveList {
    // Tables and the lobby task both send; held while the first list is made, so that no change is sent before it.
    // Never held across an await.
    sockets: Mutex<BTreeMap<u64, Arc<Socket>>>,
}

impl LiveList {
    /// Follows the list; the whole list is sent first.
    pub fn follow(&self, socket: Arc<Socket>, all: impl FnOnce() -> (Vec<LobbySummary>, Vec<GameSummary>)) {
        let mut sockets = self.sockets.lock().expect("no panic while held");
        let (lobbies, games) = all();
        socket.send(&ServerMessage::Lobbies { lobbies, games });
        sockets.insert(socket.id, socket);
    }

    /// Stops following.
    pub fn unfollow(&self, socket: u64) {
        self.sockets.lock().expect("no panic while held").remove(&socket);
    }

    /// A lobby is new or has changed.
    pub fn lobby_listed(&self, lobby: LobbySummary) {
        self.tell(&ServerMessage::LobbyListed(lobby));
    }

    /// A lobby is no longer public, or is gone.
    pub fn lobby_unlisted(&self, lobby: LobbyId) {
        self.tell(&ServerMessage::LobbyUnlisted { lobby });
    }

    /// A game began.
    pub fn game_listed(&self, game: GameSummary) {
        self.tell(&ServerMessage::GameListed(Box::new(game)));
    }

    /// What the list shows of a running game has changed. A game that has ended or was left to bots stays off the list.
    pub fn game_changed(&self, table: &TableHandle) {
        let mut sockets = self.sockets.lock().expect("no panic while held");
        if !table.is_end_public() && !table.is_deserted() {
            Self::tell_all(&mut sockets, &ServerMessage::GameListed(Box::new(table.summary_at_start())));
        }
    }

    /// A game ended.
    pub fn game_unlisted(&self, game: GameId) {
        self.tell(&ServerMessage::GameUnlisted { game });
    }

    fn tell(&self, message: &ServerMessage) {
        Self::tell_all(&mut self.sockets.lock().expect("no panic while held"), message);
    }

    fn tell_all(sockets: &mut BTreeMap<u64, Arc<Socket>>, message: &ServerMessage) {
        sockets.retain(|_, socket| !socket.is_closing());
        if !sockets.is_empty() {
            let text = encode(message);
            sockets.values().for_each(|socket| socket.push(text.clone()));
        }
    }
}
