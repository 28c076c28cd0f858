//! From a game's result to the ledger: the closure that storage runs in the transaction that ends the game.

use std::sync::Arc;

use kingscross_protocol::{Ending, Setup, Timestamp, UserId};
use kingscross_storage::{RatingChange, RatingTask, StoredRating};

use super::glicko::{Change, PARAMETERS, Rating, rate};
use super::pairs::{StoredPair, StoredPairs, is_rateable};
use super::pool::Pool;

/// How the end of a game changes ratings; none for casual games, games with bots, and games without places.
/// `at` is the moment of the end as it is stored, so that a rebuild finds the same numbers.
pub fn rater(setup: &Setup, ending: &Ending, at: Timestamp) -> Option<RatingTask> {
    if !is_rateable(setup) {
        return None;
    }
    let ranks = ranks(setup, ending)?;
    let users: Vec<UserId> = setup.players.iter().map(|player| player.user).collect();
    let pool = Pool::of(setup.variant).id().to_owned();
    let rate = move |current: &[(UserId, Option<StoredRating>)]| changes(current, &ranks, at);
    Some(RatingTask { pool, users, rate: Arc::new(rate) })
}

/// The place group of each player, in the order of the setup.
pub fn ranks(setup: &Setup, ending: &Ending) -> Option<Vec<usize>> {
    setup
        .players
        .iter()
        .map(|player| ending.placements.iter().position(|group| group.contains(&player.seat)))
        .collect()
}

/// The rows of the ledger, from the current ratings and the places.
pub fn changes(
    current: &[(UserId, Option<StoredRating>)],
    ranks: &[usize],
    at: Timestamp,
) -> Vec<RatingChange> {
    let before: Vec<Rating> = current.iter().map(|(_, stored)| from_stored(stored.as_ref())).collect();
    let changes = rate(&before, ranks, at);
    let users: Vec<UserId> = current.iter().map(|(user, _)| *user).collect();
    users.iter().zip(&changes).map(|(&user, change)| row(user, change, &users)).collect()
}

fn row(user: UserId, change: &Change, users: &[UserId]) -> RatingChange {
    let pairs = StoredPairs {
        aged_deviation: change.aged.deviation,
        pairs: change.pairs.iter().map(|&pair| StoredPair { opponent: users[pair.opponent], pair }).collect(),
    };
    RatingChange {
        user,
        before: to_stored(&change.before),
        after: to_stored(&change.after),
        pairs: serde_json::to_string(&pairs).expect("plain data"),
    }
}

/// A stored rating to compute with; the starting one if there is none.
pub fn from_stored(stored: Option<&StoredRating>) -> Rating {
    stored.map_or_else(Rating::new, |stored| Rating {
        rating: stored.rating,
        deviation: stored.deviation,
        volatility: stored.volatility,
        games: stored.games,
        at: stored.last_played_at,
    })
}

fn to_stored(rating: &Rating) -> StoredRating {
    let (number, _) = PARAMETERS;
    StoredRating {
        rating: rating.rating,
        deviation: rating.deviation,
        volatility: rating.volatility,
        games: rating.games,
        last_played_at: rating.at,
        parameters: number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pairs_of_the_ledger_are_read_back_with_their_opponents() {
        let users: Vec<_> = (0..4).map(|_| (UserId::fresh(), None)).collect();
        for (index, change) in changes(&users, &[0, 1, 1, 3], Timestamp(5)).iter().enumerate() {
            let stored: StoredPairs = serde_json::from_str(&change.pairs).expect("readable");
            let opponents: Vec<UserId> = stored.pairs.iter().map(|pair| pair.opponent).collect();
            let others: Vec<UserId> =
                users.iter().map(|(user, _)| *user).filter(|user| *user != users[index].0).collect();
            assert_eq!(opponents, others);
            let sum: f64 = stored.pairs.iter().map(|pair| pair.pair.points).sum();
            assert!((sum - (change.after.rating - change.before.rating)).abs() < 1e-9);
            assert_eq!((change.before.games, change.after.games), (0, 1));
        }
    }
}
