//! Ratings as people see them.

use kingscross_protocol::{RatingView, Timestamp};
use kingscross_storage::{Settled, StoredRating};

use super::glicko::PARAMETERS;
use super::rater::from_stored;

/// A stored rating with today's deviation.
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

/// Whether a rating is settled, as leaderboards demand.
pub fn is_settled(settled: &Settled, rating: &StoredRating) -> bool {
    let idle = rating.last_played_at.map_or(0, |at| settled.now.since(at)) as f64 / 86_400_000.0;
    let variance = rating.deviation.powi(2) + settled.idle_variance_per_day * idle;
    rating.games >= settled.games && variance <= settled.deviation.powi(2)
}

/// The conditions for a settled rating today.
pub fn settled(now: Timestamp) -> Settled {
    let (_, parameters) = PARAMETERS;
    Settled {
        games: parameters.settled_games,
        deviation: parameters.settled_deviation,
        idle_variance_per_day: parameters.idle_variance_per_day,
        now,
    }
}
