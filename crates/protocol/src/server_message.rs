//! What the server says on a WebSocket.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    BoardChange, BoardView, BootId, Choice, CommandId, Ending, ErrorBody, Event, GameId, GameSummary,
    LobbyId, LobbySummary, LobbyView, OutageCause, ProposalId, ProposalKind, Saying, SeatLetter, Seq, Setup,
    Timestamp, UserId, UserView,
};

/// The protocol version spoken here.
pub const PROTOCOL_VERSION: u32 = 1;

/// One message of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The greeting, before anything else.
    Hello {
        /// The protocol version.
        version: u32,
        /// Version of the server.
        build: String,
        /// Changes with every start of the server.
        boot: BootId,
        /// The server's time.
        now: Timestamp,
        /// Who you are.
        user: UserView,
    },
    /// The request was carried out (and, where it changes something, stored).
    Ok {
        /// The request's id.
        id: CommandId,
        /// The event that a command in a game produced.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<Seq>,
        /// The game that was started or is meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<GameId>,
        /// The lobby that was opened or entered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lobby: Option<LobbyId>,
        /// The server's time (answer to `ping`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        now: Option<Timestamp>,
    },
    /// The request was refused and nothing was done. Without an id when the message could not be read far enough.
    Error {
        /// The request's id.
        id: Option<CommandId>,
        /// Why.
        #[serde(flatten)]
        error: ErrorBody,
        /// The last event of the game, when a table refused one of its players.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<Seq>,
        /// The hash of the position after that event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hash: Option<String>,
    },

    /// Everything about a game at one moment.
    Snapshot(Box<Snapshot>),
    /// Something happened in a game that is followed.
    Event(Box<EventMessage>),
    /// Who is at the table; not stored.
    Presence {
        /// The game.
        game: GameId,
        /// Every human seat.
        seats: Vec<Presence>,
    },
    /// How many people watch.
    Spectators {
        /// The game.
        game: GameId,
        /// Persons, not sockets.
        count: u32,
    },
    /// The table cannot go on, or goes on again.
    Table {
        /// The game.
        game: GameId,
        /// Why play is suspended; absent when it goes on.
        frozen: Option<OutageCause>,
    },
    /// Someone said something.
    Chat(ChatLine),

    /// The list of open lobbies and running games, once after `watch_lobbies`.
    Lobbies {
        /// Public lobbies that wait for players.
        lobbies: Vec<LobbySummary>,
        /// Running games that can be watched.
        games: Vec<GameSummary>,
    },
    /// A lobby of the list is new or has changed.
    LobbyListed(LobbySummary),
    /// A lobby has left the list.
    LobbyUnlisted {
        /// The lobby.
        lobby: LobbyId,
    },
    /// A running game is new.
    GameListed(Box<GameSummary>),
    /// A running game has ended.
    GameUnlisted {
        /// The game.
        game: GameId,
    },
    /// The lobby that one is in, whenever it changes.
    Lobby(LobbyView),
    /// The lobby that one was in is over.
    LobbyClosed {
        /// The lobby.
        lobby: LobbyId,
        /// Why.
        why: LobbyEnd,
        /// The game, when it started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<GameId>,
        /// The second game of a cross chess match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other_game: Option<GameId>,
    },

    /// The player's place in the queue; also sent after connecting, to a player who has a ticket.
    Queue(QueueView),
    /// One is not (or no longer) queued.
    Unqueued {
        /// Why.
        why: QueueEnd,
    },
    /// Enough players were found: confirm in time.
    Match(MatchView),

    /// A game of yours began (or runs, when the stream begins).
    GameStart {
        /// The game.
        game: GameId,
        /// Your seat.
        seat: SeatLetter,
    },
    /// You are on turn.
    YourTurn {
        /// The game.
        game: GameId,
        /// Your seat.
        seat: SeatLetter,
        /// The ply to name in the move.
        ply: u32,
        /// What you may play.
        legal: Vec<Choice>,
    },
    /// A game of yours ended.
    GameEnd {
        /// The game.
        game: GameId,
        /// The result; none when it was aborted.
        ending: Option<Ending>,
    },
    /// The server stops; sockets close with 1012 and running games go on after the restart.
    Stopping,
}

/// Everything about a game at one moment, for one receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// The game.
    pub game: GameId,
    /// The last event it contains.
    pub seq: Seq,
    /// Hash of the position, 16 hex digits.
    pub hash: String,
    /// Variant, time control and players.
    pub setup: Setup,
    /// The board.
    pub board: BoardView,
    /// The clocks.
    pub clocks: Clocks,
    /// Your seat, if you have one.
    pub you: Option<SeatLetter>,
    /// What you may play, if you are on turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<Choice>>,
    /// Everything that was played so far, with its effects: for move list, ledger and the last moves.
    pub history: Vec<HistoryEntry>,
    /// The open proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalView>,
    /// Who is at the table.
    pub presence: Vec<Presence>,
    /// How many people watch.
    pub spectators: u32,
    /// The last chat lines.
    pub chat: Vec<ChatLine>,
    /// Why play is suspended, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen: Option<OutageCause>,
    /// The result, after the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Whether the game ended without a result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aborted: bool,
    /// The game that all agreed to play next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch: Option<GameId>,
}

/// One past event with what it did to the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct HistoryEntry {
    /// Its place.
    pub seq: Seq,
    /// When, by the server's clock.
    pub at: Timestamp,
    /// Hash of the position after it.
    pub hash: String,
    /// What happened.
    pub event: Event,
    /// How the board changed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<BoardChange>,
}

/// One event as it is told, for one receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventMessage {
    /// The game.
    pub game: GameId,
    /// Its place.
    pub seq: Seq,
    /// When, by the server's clock.
    pub at: Timestamp,
    /// Hash of the position after it.
    pub hash: String,
    /// What happened.
    pub event: Event,
    /// How the board changed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<BoardChange>,
    /// The clocks now.
    pub clocks: Clocks,
    /// What you may play, if you are on turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<Choice>>,
}

/// The clocks at the moment of sending. Durations only: no client needs a right clock of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clocks {
    /// Remaining milliseconds by seat, in turn order.
    pub remaining: Vec<(SeatLetter, u32)>,
    /// The seat whose clock runs now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<SeatLetter>,
    /// Milliseconds of free delay left before it runs.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub delay: u32,
    /// Milliseconds left for the first move of the player on turn; the game is aborted after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_move: Option<u32>,
}

/// Whether a player is at the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Presence {
    /// The seat.
    pub seat: SeatLetter,
    /// At the table, or away for less than the time after which it shows.
    pub present: bool,
    /// Milliseconds until absence is judged by the rules, while away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_in: Option<u32>,
}

/// An open proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalView {
    /// Names it in votes.
    pub proposal: ProposalId,
    /// What is asked.
    pub what: ProposalKind,
    /// Who asks.
    pub by: SeatLetter,
    /// The seq it was made at.
    pub seq: Seq,
    /// Who must answer.
    pub electorate: Vec<SeatLetter>,
    /// Who has accepted.
    pub accepted: Vec<SeatLetter>,
}

/// Something said at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChatLine {
    /// The game.
    pub game: GameId,
    /// Who.
    pub user: UserId,
    /// The name shown.
    pub name: String,
    /// Their seat; spectators have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatLetter>,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub what: Saying,
}

/// Why a lobby is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LobbyEnd {
    /// Its game began.
    Started,
    /// Everybody left.
    Empty,
    /// You left, or the host sent you away.
    Left,
    /// The host sent you away.
    Removed,
}

/// One's ticket in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueView {
    /// The pools that one accepts, the preferred ones first.
    pub pools: Vec<PoolWait>,
    /// How long one has waited, in milliseconds.
    pub waited: u64,
    /// Whether bots may fill the seats.
    pub bots: bool,
    /// The ready check that waits for an answer; null when there is none, or no longer one.
    pub r#match: Option<MatchView>,
}

/// The state of one of the accepted pools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PoolWait {
    /// The pool.
    pub pool: String,
    /// Players waiting for it, oneself included.
    pub players: u32,
    /// How many make a game.
    pub needed: u32,
    /// How long it will take, estimated from the last matches, in milliseconds; none when there is nothing to go by.
    pub estimate: Option<u64>,
}

/// A ready check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchView {
    /// Names the match in `confirm`.
    pub r#match: String,
    /// The pool.
    pub pool: String,
    /// Time left to confirm, in milliseconds.
    pub millis: u32,
    /// How many players, bots not counted.
    pub players: u32,
    /// How many have confirmed.
    pub confirmed: u32,
    /// Whether you have.
    pub you_confirmed: bool,
}

/// Why a player has left the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueEnd {
    /// One left.
    Left,
    /// The game began.
    Matched,
    /// One did not confirm in time.
    Unconfirmed,
    /// One was away too long.
    Vanished,
    /// Another game of one's own began.
    Playing,
}
