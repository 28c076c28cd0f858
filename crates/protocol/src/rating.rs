//! Bodies about ratings and players' records.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{GameId, Timestamp, UserId, UserView};

/// A player's rating in one pool, as of now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RatingView {
    /// The pool: `crossfire`, `kingdoms`, `quaternity` or `cross`.
    pub pool: String,
    /// The rating, rounded.
    pub rating: i32,
    /// How far off it may be, grown by the days without a game.
    pub deviation: i32,
    /// Still forming: shown with a question mark.
    pub provisional: bool,
    /// Rated games so far.
    pub games: u32,
    /// When the last of them ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// A rating with all its digits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RatingNumbers {
    /// The estimate.
    pub rating: f64,
    /// How far off it may be.
    pub deviation: f64,
    /// How much the strength itself moves.
    pub volatility: f64,
}

/// What one game did to one player's rating, with its arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RatingChangeView {
    /// The game.
    pub game: GameId,
    /// The player.
    pub user: UserId,
    /// The pool.
    pub pool: String,
    /// When the game ended.
    pub at: Timestamp,
    /// The player's how-manieth rated game in this pool, from 1.
    pub number: u32,
    /// The rating before, as it was stored.
    pub before: RatingNumbers,
    /// The deviation that the days without a game had made of it: what was computed from.
    pub aged_deviation: f64,
    /// The rating after.
    pub after: RatingNumbers,
    /// What each opponent brought; the points add up to the change.
    pub pairs: Vec<PairView>,
    /// The number of the parameter set.
    pub parameters: String,
    /// Whether an administrator annulled the game: the change no longer counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub annulled: bool,
}

/// One opponent's part in a rating change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PairView {
    /// The opponent.
    pub opponent: UserId,
    /// 1 for placed before, 0 for placed after, a half for sharing a place.
    pub score: f64,
    /// What the ratings promised.
    pub expected: f64,
    /// How much the result counts; less for an opponent of unsure strength.
    pub weight: f64,
    /// Rating points gained or lost.
    pub points: f64,
}

/// A line of a leaderboard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LeaderboardEntry {
    /// The player.
    pub user: UserView,
    /// The rating.
    pub rating: RatingView,
}

/// A player as everybody may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Profile {
    /// Who.
    #[serde(flatten)]
    pub user: UserView,
    /// When first seen.
    pub created: Timestamp,
    /// Whether the account was deleted; its games stay.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// Whether it was banned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub banned: bool,
    /// The ratings it has.
    pub ratings: Vec<RatingView>,
}
