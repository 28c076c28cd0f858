//! What a client says on its WebSocket.

use kingscross_engine::Variant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandId, GameId, LobbyId, ProposalId, ProposalKind, SeatLetter, Seq, TimeControl, UserId};

/// One message of a client: an id, answered exactly once, and what is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientMessage {
    /// A UUID of the client's making, unique per user. Sending a command again under its id gives the first answer
    /// again: always for commands in a game, for a minute for all others.
    pub id: CommandId,
    /// What is wanted.
    #[serde(flatten)]
    pub request: Request,
}

/// What a client may ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "snake_case")]
pub enum Request {
    /// The client's first message: which protocol it speaks.
    Hello {
        /// The protocol version.
        version: u32,
        /// Name and version of the program, for the server's log.
        #[serde(default)]
        client: String,
    },
    /// A sign of life, every 5 s; the answer carries the server's time.
    Ping,

    /// Follow a game as its player or as a spectator. Answered by `ok`, then by the missing tail of events, or a snapshot.
    Watch {
        /// The game.
        game: GameId,
        /// The last event that the client has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<Seq>,
    },
    /// Stop following a game. A player stays seated.
    Unwatch {
        /// The game.
        game: GameId,
    },
    /// Follow all one's own games: each running one is announced with its full state, then `game_start`, `your_turn`, `game_end`.
    Stream,

    /// Play a move (or the pass) on one's turn.
    Move {
        /// The game.
        game: GameId,
        /// The ply that the move was chosen at.
        ply: u32,
        /// The action text: `e2-e4`, `pass`.
        mv: String,
    },
    /// Leave the game for good, by the rules of resignation.
    Resign {
        /// The game.
        game: GameId,
    },
    /// Put a question to the other active players.
    Propose {
        /// The game.
        game: GameId,
        /// What is asked.
        what: ProposalKind,
    },
    /// Answer the open proposal.
    Vote {
        /// The game.
        game: GameId,
        /// The proposal.
        proposal: ProposalId,
        /// Yes or no.
        accept: bool,
    },
    /// Give another player time, in a casual game.
    GiveTime {
        /// The game.
        game: GameId,
        /// The receiver.
        to: SeatLetter,
    },
    /// Leave the table on purpose; the short grace counts until one watches again.
    Depart {
        /// The game.
        game: GameId,
    },
    /// Say something at the table.
    Say {
        /// The game.
        game: GameId,
        /// One of the preset phrases, by its key; or free text where the game allows it.
        #[serde(flatten)]
        what: Saying,
    },

    /// Follow the list of open lobbies and running games.
    WatchLobbies,
    /// Stop following the list.
    UnwatchLobbies,
    /// Open a lobby; the creator takes a seat and is its host.
    CreateLobby(LobbyOptions),
    /// Enter a lobby and take a seat.
    JoinLobby {
        /// The lobby.
        lobby: LobbyId,
        /// The key of the link, for a lobby that is not public.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// The seat wanted; the first free one when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seat: Option<SeatLetter>,
    },
    /// Change to a free seat.
    TakeSeat {
        /// The lobby.
        lobby: LobbyId,
        /// The seat wanted.
        seat: SeatLetter,
    },
    /// The host seats a bot, or removes it.
    SeatBot {
        /// The lobby.
        lobby: LobbyId,
        /// The seat.
        seat: SeatLetter,
        /// The level; none empties the seat.
        level: Option<String>,
    },
    /// The host sends a player away.
    Unseat {
        /// The lobby.
        lobby: LobbyId,
        /// The seat.
        seat: SeatLetter,
    },
    /// The host starts the game; every seat must be filled.
    StartLobby {
        /// The lobby.
        lobby: LobbyId,
    },
    /// Leave a lobby.
    LeaveLobby {
        /// The lobby.
        lobby: LobbyId,
    },
    /// Start a game against bots at once.
    PlayNow {
        /// The rules.
        #[schemars(with = "String")]
        variant: Variant,
        /// The time control; the server's usual one when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<TimeControl>,
        /// The level of the bots; near the player's strength when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<String>,
    },

    /// Look for opponents.
    JoinQueue {
        /// The pools that suit, the preferred ones first; the game is of one of them. Each is a variant id or
        /// `cross-match`, and a time control of the server's list: `crossfire/10+5`. Asking again with other pools
        /// keeps the place.
        pools: Vec<String>,
        /// Whether bots may fill the empty seats after a while; such a game is casual.
        #[serde(default)]
        bots: bool,
    },
    /// Stop looking. Always wins over a match that is not yet a game.
    LeaveQueue,
    /// Confirm a ready check.
    Confirm {
        /// The match, as announced.
        r#match: String,
    },

    /// Hide what a player says, or show it again.
    Mute {
        /// The player.
        user: UserId,
        /// Hide or show.
        muted: bool,
    },
}

/// What is said at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Saying {
    /// A preset phrase by its key (`good_luck`, `well_played` …), which clients translate.
    Phrase(String),
    /// Free text, at most 200 characters, in casual games that allow it.
    Text(String),
}

/// What a lobby is opened with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LobbyOptions {
    /// The rules.
    #[schemars(with = "String")]
    pub variant: Variant,
    /// The time control.
    pub time: TimeControl,
    /// Whether the result is to move ratings; as long as a guest or bot sits in it, the lobby says that it is casual.
    #[serde(default)]
    pub rated: bool,
    /// Listed for everyone, or entered by its link only.
    #[serde(default)]
    pub public: bool,
    /// The creator's seat; the first one when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatLetter>,
    /// Bots to seat at once, by seat and level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bots: Vec<(SeatLetter, String)>,
    /// Cross chess: play a match, one game on each board with colours swapped.
    #[serde(default, alias = "twin")]
    pub both_boards: bool,
    /// Of a match: the second game begins when the first has ended, not at once beside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_turn: bool,
    /// Whether players may write free text, if the game is casual.
    #[serde(default)]
    pub free_chat: bool,
    /// How much later than players spectators see the game, in milliseconds, 0 for at once; as the server does it
    /// when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spectator_delay: Option<u32>,
}
