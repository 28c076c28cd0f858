//! Ratings as people see them.

use kingscross_protocol::{RatingView, Timestamp};
use kingscross_storage::{Settled, StoredRating};

use super::glicko::PARAMETERS;
use super::rater::from_stored;

/// A stored rating as it stands today.
pub fn view(pool: &str, stored: &StoredRating, now: Timestamp) -> RatingView {
    let today = from_stored(Some(stored)).aged(now);
    RatingView {
        pool: pool.to_owned(),
        rating: today.shown(),
        deviation: today.deviation.round() as i32,
        provisional: today.is_provisional(),
        games: today.games,
        at: today.at,
    }
}

/// Whose rating is firm enough for a leaderboard today.
pub fn settled(now: Timestamp) -> Settled {
    let (_, parameters) = PARAMETERS;
    Settled {
        games: parameters.settled_games,
        deviation: parameters.settled_deviation,
        idle_variance_per_day: parameters.idle_variance_per_day,
        now,
    }
}
