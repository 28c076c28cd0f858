//! What happens in a game: stored, replayed, broadcast and compared in tests as one type.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{GameId, ProposalId, SeatLetter, TimeControl, UserId};

/// The version of the stored form of [`Event`].
pub const EVENT_VERSION: u32 = 1;

/// One event of a game. What follows from it (the position, whose turn it is) is found by replaying.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The first event: who plays what.
    Created(Setup),
    /// An action of the rules was played: a move, a pass, a random move, a resignation, time loss or absence.
    Played(Played),
    /// A question was put to the other active players.
    Proposed {
        /// Its id; votes name it.
        proposal: ProposalId,
        /// What is asked.
        what: ProposalKind,
        /// Who asks.
        by: SeatLetter,
        /// Who must answer.
        electorate: Vec<SeatLetter>,
    },
    /// An answer to the open proposal. A refusal closes it; the last acceptance carries it out.
    Voted {
        /// The proposal answered.
        proposal: ProposalId,
        /// Who answers.
        by: SeatLetter,
        /// Yes or no.
        accept: bool,
    },
    /// The open proposal lapsed: a move was made, or a participant left.
    Lapsed {
        /// The proposal that has closed.
        proposal: ProposalId,
    },
    /// A player gave another time.
    Gift {
        /// The giver.
        by: SeatLetter,
        /// The receiver.
        to: SeatLetter,
        /// How much, in milliseconds.
        millis: u32,
        /// The receiver's remaining time with it, in milliseconds.
        clock: u32,
    },
    /// The server could not serve this game for a while; nobody's clock ran.
    Outage {
        /// How long, in milliseconds.
        millis: u64,
        /// What failed.
        cause: OutageCause,
    },
    /// A player left the table on purpose; the short grace counts.
    Departed {
        /// Who.
        seat: SeatLetter,
    },
    /// A player who had left the table came back.
    Returned {
        /// Who.
        seat: SeatLetter,
    },
    /// The game ended without a result; nobody is rated.
    Aborted {
        /// Why.
        cause: AbortCause,
    },
    /// The game ended by its rules; always directly after the action that ended it.
    Finished(Ending),
    /// After the end: everybody wants to play again, and this is the new game.
    Rematch {
        /// The new game.
        game: GameId,
    },
    /// After the end of a match's first game: there is no second one.
    MatchEnded {
        /// Who is not here any more to play it: deleted or banned. None where the first game was aborted.
        gone: Vec<SeatLetter>,
    },
}

/// What a game starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Setup {
    /// Which rules, by id (`crossfire`, …).
    #[schemars(with = "String")]
    #[schema(value_type = String, example = "crossfire")]
    pub variant: kingscross_engine::Variant,
    /// The version of the rules that positions and hashes belong to.
    pub rules: u32,
    /// Initial time and increment or delay.
    pub time: TimeControl,
    /// Whether the result moves ratings.
    pub rated: bool,
    /// Everyone at the table, in turn order.
    pub players: Vec<Player>,
    /// Free text chat, or preset phrases only.
    #[serde(default)]
    pub free_chat: bool,
    /// How much later than players spectators see the game, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spectator_delay: u32,
    /// The game that this one repeats with seats rotated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
    /// The other game of a cross chess match.
    #[serde(default, alias = "twin", skip_serializing_if = "Option::is_none")]
    pub other_game: Option<GameId>,
    /// Whether that game begins when this one has ended.
    #[serde(default, alias = "twin_follows", skip_serializing_if = "std::ops::Not::not")]
    pub other_game_follows: bool,
}

/// A player of a game, as they were called when it began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Player {
    /// The seat.
    pub seat: SeatLetter,
    /// Who sits there.
    pub user: UserId,
    /// The name shown.
    pub name: String,
    /// The level, when a bot of the server plays this seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    /// Rating before the game, rounded, when the player has one in this pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
    /// Whether that rating is still forming (shown with a question mark).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
}

/// An action of the rules with what it cost on the clock. All times in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Played {
    /// The player whose action it is.
    pub seat: SeatLetter,
    /// The action text of the rule book's notation: `e2-e4`, `pass`, `resign:w`.
    pub action: String,
    /// The ply before the action.
    pub ply: u32,
    /// Whether the server played it by itself (forced pass, random move, flag, absence).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_server: bool,
    /// Time from the turn's event to the arrival of the move, lag included.
    #[serde(default)]
    pub spent: u32,
    /// How much of it was given back for measured lag.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refund: u32,
    /// The player's remaining time after the action, increment included.
    pub clock: u32,
}

pub(crate) fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// What a proposal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProposalKind {
    /// To end the game as a draw.
    Draw,
    /// To end the game without a result.
    Abort,
    /// To play again, after the end.
    Rematch,
}

/// What made an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutageCause {
    /// The server was not running.
    Restart,
    /// The database did not answer.
    Storage,
    /// The server stood still: stopped, suspended or starved of processor time.
    Stall,
}

/// Why a game ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbortCause {
    /// A player did not make its first move in time.
    FirstMove,
    /// All active players agreed.
    Agreement,
    /// An administrator ended it.
    Admin,
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Ending {
    /// The reason, one of the variant's outcome reasons (`throne`, `agreement`, …).
    pub reason: String,
    /// The winner, or all who share a draw.
    pub winners: Vec<SeatLetter>,
    /// All players by rank; those of one group tie.
    pub placements: Vec<Vec<SeatLetter>>,
    /// Points by seat, in games that count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<(SeatLetter, u32)>>,
}
