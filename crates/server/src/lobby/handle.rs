//! How the rest of the server speaks to the lobbies.

use std::sync::Arc;

use kingscross_protocol::{GameId, GameSummary, LobbyId, LobbyOptions, SeatLetter, UserId};
use tokio::sync::{mpsc, oneshot};

use super::core::LobbyUser;
use super::list::LiveList;
use crate::sockets::Notices;
use crate::sockets::Socket;
use crate::table::{Reply, TableHandle};

/// A handle to the task of all lobbies.
pub struct Lobbies {
    inbox: mpsc::Sender<Message>,
    pub(super) notices: Arc<Notices>,
    pub(super) list: Arc<LiveList>,
}

/// What the task reads; made together with the handle.
pub struct Inbox(pub(super) mpsc::Receiver<Message>);

pub(super) enum Message {
    Ask { person: LobbyUser, op: Box<Op>, reply: Reply },
    Follow { socket: Arc<Socket> },
    Expel { user: UserId, done: oneshot::Sender<()> },
}

/// A request of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Open a lobby.
    Create(LobbyOptions),
    /// Enter a lobby, with its key if it is not public.
    Join(LobbyId, Option<String>, Option<SeatLetter>),
    /// Change to a free seat.
    TakeSeat(LobbyId, SeatLetter),
    /// Seat or remove a bot.
    SeatBot(LobbyId, SeatLetter, Option<String>),
    /// Remove a person or a bot.
    Unseat(LobbyId, SeatLetter),
    /// Start the game.
    Start(LobbyId),
    /// Leave.
    Leave(LobbyId),
}

/// Requests that may wait for the task; more are refused as `unavailable`.
const QUEUE: usize = 1024;

impl Lobbies {
    /// The handle, and what [`start`](super::start) needs.
    pub fn new() -> (Self, Inbox) {
        let (inbox, messages) = mpsc::channel(QUEUE);
        (Self { inbox, notices: Arc::default(), list: Arc::default() }, Inbox(messages))
    }

    /// Makes a request. It is answered through `reply` in any case.
    pub fn ask(&self, person: LobbyUser, op: Op, reply: Reply) {
        // A full inbox answers by dropping the reply.
        let _ = self.inbox.try_send(Message::Ask { person, op: Box::new(op), reply });
    }

    /// Follows the list; the whole list is sent first.
    pub fn follow(&self, socket: Arc<Socket>, reply: Reply) {
        match self.inbox.try_send(Message::Follow { socket }) {
            Ok(()) => reply.ok(),
            // A dropped reply answers that the server is busy.
            Err(_) => drop(reply),
        }
    }

    /// Stops following the list.
    pub fn unfollow(&self, socket: u64) {
        self.list.unfollow(socket);
    }

    /// A person came or went.
    pub fn presence_changed(&self, user: UserId) {
        self.notices.note(user);
    }

    /// Frees every seat of a user who was banned or deleted; returns when they are free.
    pub async fn expel(&self, user: UserId) {
        let (done, freed) = oneshot::channel();
        // When the task has ended, the server stops.
        if self.inbox.send(Message::Expel { user, done }).await.is_ok() {
            let _ = freed.await;
        }
    }

    /// A game began.
    pub fn game_listed(&self, game: GameSummary) {
        self.list.game_listed(game);
    }

    /// What the list shows of a running game has changed.
    pub fn game_changed(&self, table: &TableHandle) {
        self.list.game_changed(table);
    }

    /// A game ended.
    pub fn game_unlisted(&self, game: GameId) {
        self.list.game_unlisted(game);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_that_goes_at_once_takes_no_place_from_questions() {
        let (lobbies, mut inbox) = Lobbies::new();
        let (one, crowd) = (UserId::fresh(), 5 * QUEUE);
        for _ in 0..crowd {
            lobbies.presence_changed(UserId::fresh());
            lobbies.presence_changed(one);
        }
        let person = LobbyUser { user: one, name: "a".into(), has_account: true, is_program: false };
        let (reply, mut answer) = Reply::channel();
        lobbies.ask(person, Op::Leave(LobbyId::fresh()), reply);
        answer.try_recv().expect_err("the question waits for the task");
        assert!(matches!(inbox.0.try_recv(), Ok(Message::Ask { .. })), "it is the first to be answered");
        assert_eq!(lobbies.notices.take().len(), crowd + 1, "nobody is forgotten, and nobody noted twice");
        assert!(lobbies.notices.take().is_empty());
    }
}
