//! The arithmetic that the ledger keeps with each change.

use kingscross_protocol::{PairView, RatingChangeView, RatingNumbers, Setup, UserId};
use kingscross_storage as storage;
use serde::{Deserialize, Serialize};

use super::glicko::Pair;

/// The pairs of a rating change as the ledger keeps them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredPairs {
    /// The deviation that was computed from.
    pub aged_deviation: f64,
    /// The opponents, each with its part.
    pub pairs: Vec<StoredPair>,
}

/// One opponent's part as the ledger keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredPair {
    /// The opponent.
    pub opponent: UserId,
    /// Its part.
    #[serde(flatten)]
    pub pair: Pair,
}

/// A row of the ledger as it is told.
pub fn rating_change(entry: &storage::LedgerEntry) -> Result<RatingChangeView, serde_json::Error> {
    let pairs: StoredPairs = serde_json::from_str(&entry.change.pairs)?;
    let numbers = |rating: &storage::StoredRating| RatingNumbers {
        rating: rating.rating,
        deviation: rating.deviation,
        volatility: rating.volatility,
    };
    Ok(RatingChangeView {
        game: entry.game,
        user: entry.change.user,
        pool: entry.pool.clone(),
        at: entry.at,
        number: entry.change.after.games,
        before: numbers(&entry.change.before),
        aged_deviation: pairs.aged_deviation,
        after: numbers(&entry.change.after),
        pairs: pairs
            .pairs
            .iter()
            .map(|StoredPair { opponent, pair }| PairView {
                opponent: *opponent,
                score: pair.score,
                expected: pair.expected,
                weight: pair.weight,
                points: pair.points,
            })
            .collect(),
        parameters: entry.change.after.parameters.clone(),
        annulled: entry.annulled_at.is_some(),
    })
}

/// Whether a person of this game may be rated: no bots, and everyone once.
pub fn is_rateable(setup: &Setup) -> bool {
    let mut users: Vec<UserId> = setup.players.iter().map(|player| player.user).collect();
    users.sort();
    users.dedup();
    setup.rated
        && users.len() == setup.players.len()
        && setup.players.iter().all(|player| player.bot.is_none())
}
