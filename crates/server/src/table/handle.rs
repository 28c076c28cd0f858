//! How the rest of the server speaks to a table. Where the table runs, callers do not know.

use std::sync::Arc;

use kingscross_engine::Seat;
use kingscross_protocol::{
    CommandId, ErrorBody, ErrorCode, GameId, GameStatus, GameSummary, LobbyId, Saying, Seq, ServerMessage,
    Setup, Timestamp, UserId,
};
use kingscross_table::{Command, hash_text};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::answers::Answers;
use crate::excluded::DELETED;
use crate::sockets::{Look, Sight, Socket};

/// A way to a running table. Cheap to clone.
#[derive(Clone)]
pub struct TableHandle {
    /// The game.
    pub game: GameId,
    /// What it was started from.
    pub setup: Arc<Setup>,
    /// When it was created.
    pub created: Timestamp,
    inbox: mpsc::Sender<Box<Message>>,
    end: CancellationToken,
    end_broadcast: CancellationToken,
    deserted: CancellationToken,
}

/// What a table is asked.
pub(super) enum Message {
    Command { user: UserId, seat: Seat, id: CommandId, command: Command, arrived: Timestamp, reply: Reply },
    Watch { look: Look, follow: Follow, reply: Reply },
    Unwatch { socket: u64 },
    Presence,
    Say { socket: Arc<Socket>, name: String, what: Saying, reply: Reply },
    Abort { reply: Reply },
    Freeze,
    NameDeleted { user: UserId, done: oneshot::Sender<()> },
}

/// What somebody who begins to watch wants first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// The events after this one, or a snapshot.
    After(Option<Seq>),
    /// A snapshot, then `game_start` and `your_turn`: for programs that follow all games of their user.
    Stream,
}

impl TableHandle {
    pub(super) fn new(
        game: GameId,
        setup: Arc<Setup>,
        created: Timestamp,
        inbox: mpsc::Sender<Box<Message>>,
    ) -> Self {
        let token = CancellationToken::new;
        Self { game, setup, created, inbox, end: token(), end_broadcast: token(), deserted: token() }
    }

    /// Names a deleted player so, in this handle and its later copies.
    pub(super) fn note_deleted(&mut self, user: UserId) {
        let setup = Arc::make_mut(&mut self.setup);
        for player in setup.players.iter_mut().filter(|player| player.user == user) {
            DELETED.clone_into(&mut player.name);
        }
    }

    /// What lists show of the game while it runs.
    pub fn summary_at_start(&self) -> GameSummary {
        GameSummary {
            game: self.game,
            variant: self.setup.variant,
            status: GameStatus::Running,
            time: self.setup.time,
            rated: self.setup.rated,
            players: self.setup.players.clone(),
            created: self.created,
            ended: None,
            plies: None,
            ending: None,
        }
    }

    /// Whether the game is over, while its table may still be here.
    pub fn has_ended(&self) -> bool {
        self.end.is_cancelled()
    }

    /// Waits until the game is over.
    pub async fn ended(&self) {
        self.end.cancelled().await;
    }

    /// Whether everybody knows that the game is over.
    pub fn is_end_public(&self) -> bool {
        self.end_broadcast.is_cancelled()
    }

    /// Whether everybody may know that only bots play here any more.
    pub fn is_deserted(&self) -> bool {
        self.deserted.is_cancelled()
    }

    pub(super) fn mark_deserted(&self) {
        self.deserted.cancel();
    }

    pub(super) fn mark_end_public(&self) {
        self.end_broadcast.cancel();
    }

    pub(super) fn mark_ended(&self) {
        self.end.cancel();
    }

    /// The person's seat; bots of the server are no persons.
    pub fn seat_of(&self, user: UserId) -> Option<Seat> {
        let player = self.setup.players.iter().find(|player| player.user == user && player.bot.is_none())?;
        self.setup.variant.rules().seat(player.seat.0)
    }

    /// A command of a player, stamped with the arrival of its frame. It is answered through `reply` in any case.
    pub fn command(
        &self,
        user: UserId,
        seat: Seat,
        id: CommandId,
        command: Command,
        arrived: Timestamp,
        reply: Reply,
    ) {
        self.put(Message::Command { user, seat, id, command, arrived, reply });
    }

    /// Follows the game with a socket. Who asks again before the answer is refused.
    pub fn watch(&self, socket: &Arc<Socket>, follow: Follow, reply: Reply) {
        let sight = match follow {
            Follow::After(_) => Sight::Game(self.game),
            Follow::Stream => Sight::Stream(self.game),
        };
        match socket.look(sight) {
            Some(look) => self.put(Message::Watch { look, follow, reply }),
            None => {
                reply
                    .refuse(ErrorBody::new(ErrorCode::TooMany, "The game is just being shown; wait for it."));
            }
        }
    }

    /// Stops following.
    pub fn unwatch(&self, socket: u64) {
        // A table too busy to hear it drops the socket when it next looks for closed ones.
        self.put(Message::Unwatch { socket });
    }

    /// A player came or went; the table looks for itself.
    pub fn presence_changed(&self) {
        self.put(Message::Presence);
    }

    /// Nothing can be stored for now.
    pub fn freeze(&self) {
        self.put(Message::Freeze);
    }

    /// Says something at the table.
    pub fn say(&self, socket: Arc<Socket>, name: String, what: Saying, reply: Reply) {
        self.put(Message::Say { socket, name, what, reply });
    }

    /// Ends the game without a result, as an administrator.
    pub async fn abort(&self) -> Result<(), ErrorBody> {
        let (reply, answer) = Reply::channel();
        self.put(Message::Abort { reply });
        answer.await.map_or_else(|_| Err(busy()), |result| result.map(|_| ()))
    }

    /// A user is deleted: the table names it so, and what it said is gone. Returns when everyone has got that.
    pub(super) async fn name_deleted(&self, user: UserId) {
        let (done, named) = oneshot::channel();
        // Waited for, since it must not be lost; a table that is gone shows nothing any more.
        if self.inbox.send(Box::new(Message::NameDeleted { user, done })).await.is_ok() {
            let _ = named.await;
        }
    }

    /// How many messages wait for the table.
    pub fn waiting(&self) -> usize {
        self.inbox.max_capacity() - self.inbox.capacity()
    }

    /// Whether the table has ended.
    pub fn is_gone(&self) -> bool {
        self.inbox.is_closed()
    }

    /// A full or closed inbox answers by dropping the message's reply.
    fn put(&self, message: Message) {
        // Dropping the message answers its sender.
        let _ = self.inbox.try_send(Box::new(message));
    }
}

/// The one answer that a request gets. Dropped unanswered, it says that the request was not carried out.
pub struct Reply {
    to: Option<To>,
    standing: Option<Standing>,
}

enum To {
    Socket(Arc<Socket>, CommandId),
    Channel(oneshot::Sender<Result<Done, ErrorBody>>),
    /// Whoever has sent the command, and whoever will.
    Answers(Arc<Answers>, UserId, CommandId),
}

/// How far a game is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its last event.
    pub seq: Seq,
    /// The hash of the position after it.
    pub hash: u64,
}

/// What a request led to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The event it produced.
    pub seq: Option<Seq>,
    /// The game that was started or is meant.
    pub game: Option<GameId>,
    /// The lobby that was opened or entered.
    pub lobby: Option<LobbyId>,
}

impl Reply {
    /// Answers a message of a socket.
    pub fn to_socket(socket: Arc<Socket>, id: CommandId) -> Self {
        Self::to(To::Socket(socket, id))
    }

    /// Answers a command whose answer is remembered.
    pub fn to_answers(answers: Arc<Answers>, user: UserId, id: CommandId) -> Self {
        Self::to(To::Answers(answers, user, id))
    }

    fn to(to: To) -> Self {
        Self { to: Some(to), standing: None }
    }

    /// Answers a caller inside the server.
    pub fn channel() -> (Self, oneshot::Receiver<Result<Done, ErrorBody>>) {
        let (sender, receiver) = oneshot::channel();
        (Self::to(To::Channel(sender)), receiver)
    }

    /// A refusal is to say how far the game is. Only for players: spectators may see the game later.
    #[must_use]
    pub fn at(mut self, standing: Option<Standing>) -> Self {
        self.standing = standing;
        self
    }

    /// The caller has answered by itself.
    pub fn answered(mut self) {
        self.to = None;
    }

    /// Done, with nothing to add.
    pub fn ok(self) {
        self.done(Done::default());
    }

    /// Done.
    pub fn done(self, done: Done) {
        self.give(Ok(done));
    }

    /// Refused.
    pub fn refuse(self, error: ErrorBody) {
        self.give(Err(error));
    }

    /// Answers either way.
    pub fn give(mut self, result: Result<Done, ErrorBody>) {
        if let Some(to) = self.to.take() {
            answer(to, result, self.standing.take());
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(to) = self.to.take() {
            answer(to, Err(busy()), None);
        }
    }
}

fn answer(to: To, result: Result<Done, ErrorBody>, standing: Option<Standing>) {
    match to {
        To::Socket(socket, id) => socket.send(&answer_message(id, result, standing)),
        // Whoever asked has gone and wants no answer.
        To::Channel(sender) => drop(sender.send(result)),
        To::Answers(answers, user, id) => answers.settle(user, id, result, standing),
    }
}

/// An answer as the client reads it.
pub fn answer_message(
    id: CommandId,
    result: Result<Done, ErrorBody>,
    standing: Option<Standing>,
) -> ServerMessage {
    match result {
        Ok(Done { seq, game, lobby }) => ServerMessage::Ok { id, seq, game, lobby, now: None },
        Err(error) => {
            let seq = standing.as_ref().map(|standing| standing.seq);
            let hash = standing.map(|standing| hash_text(standing.hash));
            ServerMessage::Error { id: Some(id), error, seq, hash }
        }
    }
}

fn busy() -> ErrorBody {
    ErrorBody::new(ErrorCode::Unavailable, "The server is busy or stopping and did nothing; try again.")
}

#[cfg(test)]
mod tests {
    use kingscross_engine::{RULES_VERSION, Variant};
    use kingscross_protocol::TimeControl;

    use super::*;
    use crate::auth::SessionKey;

    #[tokio::test]
    async fn a_socket_is_shown_a_game_once_at_a_time() {
        let setup = Setup {
            variant: Variant::Crossfire,
            rules: RULES_VERSION,
            time: TimeControl::increment(60_000, 0),
            rated: false,
            players: Vec::new(),
            free_chat: false,
            spectator_delay: 0,
            rematch_of: None,
            other_game: None,
            other_game_follows: false,
        };
        let (sender, mut inbox) = mpsc::channel(8);
        let table = TableHandle::new(GameId::fresh(), Arc::new(setup), Timestamp(0), sender);
        let config = crate::config::Config::defaults().websocket;
        let socket = |id| Arc::new(Socket::new(id, UserId::fresh(), SessionKey([0; 32]), &config));
        let (one, other) = (socket(1), socket(2));
        let ask = |socket: &Arc<Socket>, follow| {
            let (reply, answer) = Reply::channel();
            table.watch(socket, follow, reply);
            answer
        };
        let mut first = ask(&one, Follow::After(None));
        assert!(first.try_recv().is_err(), "it waits for the table");
        let again = ask(&one, Follow::After(Some(Seq(3)))).await.expect("answered").expect_err("refused");
        assert_eq!((again.code, again.retryable), (ErrorCode::TooMany, true));
        for mut answer in [ask(&other, Follow::After(None)), ask(&one, Follow::Stream)] {
            assert!(answer.try_recv().is_err(), "another socket, another sight");
        }
        // The table has shown it.
        drop(inbox.recv().await);
        assert!(ask(&one, Follow::After(None)).try_recv().is_err());
    }
}
