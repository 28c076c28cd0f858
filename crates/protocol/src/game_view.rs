//! A game as the REST API shows it: its record, and what is known beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{GameId, GameRecord, GameStatus, RatingChangeView, SeatLetter, Timestamp, UserId};

/// A game with everything that happened in it and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct GameView {
    /// The record.
    #[serde(flatten)]
    pub record: GameRecord,
    /// What it did to ratings, pair by pair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rating_changes: Vec<RatingChangeView>,
    /// Who captured and attacked whom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aggression: Vec<Aggression>,
    /// The score of the match that it is half of.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub of_match: Option<MatchScore>,
    /// When an administrator annulled it: it counts for no rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annulled: Option<Timestamp>,
}

/// A match in cross chess: one game on each board with colours swapped, and the sum of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct MatchScore {
    /// The other game.
    pub other: GameId,
    /// How far that is; `aborted` also where it is never played, since a player is gone.
    pub status: GameStatus,
    /// Whether both games are over: then the points are the result.
    pub over: bool,
    /// Both players with their points so far.
    pub points: Vec<MatchPoints>,
}

/// What a player has of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct MatchPoints {
    /// Who.
    pub user: UserId,
    /// The name shown.
    pub name: String,
    /// 1 for each game won, ½ for each drawn; 1 for a second game that the other player is not here for.
    pub points: f64,
}

/// How often one player turned against another in a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Aggression {
    /// Who.
    pub by: SeatLetter,
    /// Against which army.
    pub on: SeatLetter,
    /// Pieces taken.
    pub captures: u32,
    /// Moves after which that army's king stood newly in check.
    pub checks: u32,
    /// Whether its fall is credited to this player.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub felled: bool,
}
