//! A game as the REST API shows it: its record, and what is known beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{GameRecord, RatingChangeView, SeatLetter, Timestamp};

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
    /// When an administrator annulled it: it counts for no rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annulled: Option<Timestamp>,
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
