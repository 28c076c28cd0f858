//! Lobbies as clients see them.

use kingscross_engine::Variant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{LobbyId, SeatLetter, TimeControl, UserId};

/// A lobby as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LobbySummary {
    /// The lobby.
    pub lobby: LobbyId,
    /// The rules.
    #[schemars(with = "String")]
    #[schema(value_type = String, example = "crossfire")]
    pub variant: Variant,
    /// The time control.
    pub time: TimeControl,
    /// Whether the result will move ratings, as far as those who sit in it now say.
    pub rated: bool,
    /// Whether it is a cross chess match of two games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_boards: bool,
    /// The host's name.
    pub host: String,
    /// Seats taken, bots included.
    pub taken: u32,
    /// All seats.
    pub seats: u32,
}

/// A lobby as those in it see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LobbyView {
    /// The lobby.
    pub lobby: LobbyId,
    /// The rules.
    #[schemars(with = "String")]
    #[schema(value_type = String, example = "crossfire")]
    pub variant: Variant,
    /// The time control.
    pub time: TimeControl,
    /// Whether the result will move ratings, as far as those who sit in it now say.
    pub rated: bool,
    /// Who makes it casual that was opened as rated: it is rated again when they leave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub casual: Option<Unrated>,
    /// Whether everyone sees it in the list.
    pub public: bool,
    /// Whether it is a cross chess match of two games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_boards: bool,
    /// Whether its second game begins when the first has ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_turn: bool,
    /// Whether players may write free text in the game: that was wanted, and it will be casual.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free_chat: bool,
    /// How much later than players spectators will see the game, in milliseconds.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub spectator_delay: u32,
    /// The key of its link: `/lobby/{lobby}?key={key}`.
    pub key: String,
    /// Who may start it and seat bots.
    pub host: UserId,
    /// The seats in turn order.
    pub seats: Vec<LobbySeat>,
}

/// Who plays only casual games, and makes casual the games of those who play with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unrated {
    /// A guest.
    Guest,
    /// A program: a bot of the server, or an account that is marked as one.
    Bot,
}

/// One seat of a lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LobbySeat {
    /// The seat.
    pub seat: SeatLetter,
    /// Who sits there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserId>,
    /// The name shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The level, when a bot sits there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    /// Whether that player is connected.
    #[serde(default)]
    pub present: bool,
}

/// A pool of the queue, with its present crowd.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PoolView {
    /// Names it in `join_queue`: `crossfire/5+3`.
    pub pool: String,
    /// What is played: a variant's id, or `cross-match`.
    pub kind: String,
    /// The time control.
    pub time: TimeControl,
    /// How many players make a game.
    pub needed: u32,
    /// How many wait.
    pub players: u32,
    /// How long it will take, estimated from the last matches, in milliseconds; none when there is nothing to go by.
    pub estimate: Option<u64>,
}
