//! Stored games as records, and the arithmetic that the ledger keeps with each change.

use std::sync::Arc;

use kingscross_protocol::{
    GameId, GameRecord, HistoryEntry, PairView, RECORD_VERSION, RatingChangeView, RatingNumbers, RatingStep,
    SeatLetter, Setup, UserId,
};
use kingscross_storage as storage;
use serde::{Deserialize, Serialize};

use crate::bots;
use crate::http::summary;
use crate::ratings::Pair;
use crate::table::{self, BadRecord, Core, Logged, Seed, Terms};

/// Why a stored game makes no record.
#[derive(Debug, thiserror::Error)]
pub enum BadGame {
    /// Its events do not replay.
    #[error(transparent)]
    Record(#[from] BadRecord),
    /// Its row cannot be read.
    #[error("its row is damaged: {0}")]
    Row(String),
    /// The arithmetic of a rating change cannot be read.
    #[error("the pairs of a rating change: {0}")]
    Pairs(#[from] serde_json::Error),
}

/// The record of a stored game, with what each event did to the board. Players who have deleted their account since
/// are named as their rows name them.
pub fn write(
    terms: Arc<Terms>,
    game: &storage::Game,
    events: &[storage::StoredEvent],
    ratings: &[storage::LedgerEntry],
) -> Result<(GameRecord, Core), BadGame> {
    let logged = events.iter().map(|event| Logged { at: event.at, hash: event.hash, body: &event.body });
    // The seed draws random moves while a game is played; in the log they are drawn already.
    let (core, mut events) = table::history(terms, Seed([0; 32]), logged)?;
    let mut summary = summary(&game.summary).map_err(|error| BadGame::Row(error.body.message))?;
    let mut setup = (**core.setup()).clone();
    name_as_rows(game.summary.id, &mut setup, &game.summary.players);
    if let Some(HistoryEntry { event: kingscross_protocol::Event::Created(created), .. }) = events.first_mut()
    {
        name_as_rows(game.summary.id, created, &game.summary.players);
    }
    // The first event knows what the rows do not: whose rating was provisional.
    summary.players.clone_from(&setup.players);
    let hundredths = |number: f64| (number * 100.0).round() as i32;
    let seat_of =
        |user: UserId| setup.players.iter().find(|player| player.user == user).map(|player| player.seat);
    let steps = ratings.iter().filter_map(|entry| {
        let change = &entry.change;
        Some(RatingStep {
            seat: seat_of(change.user)?,
            user: change.user,
            before: hundredths(change.before.rating),
            after: hundredths(change.after.rating),
            deviation_before: hundredths(change.before.deviation),
            deviation_after: hundredths(change.after.deviation),
        })
    });
    let ratings = steps.collect();
    Ok((GameRecord { record: RECORD_VERSION, summary, setup, events, ratings }, core))
}

/// Names the players of a setup as their rows do, and its bots by the ids that lists give them.
pub fn name_as_rows(game: GameId, setup: &mut Setup, rows: &[storage::GamePlayer]) {
    for player in &mut setup.players {
        if player.bot.is_some() {
            player.user = bots::user(game, player.seat);
        }
        let row = rows.iter().find(|row| row.seat.chars().next().map(SeatLetter) == Some(player.seat));
        if let Some(row) = row {
            player.name.clone_from(&row.name);
        }
    }
}

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
pub fn rating_change(entry: &storage::LedgerEntry) -> Result<RatingChangeView, BadGame> {
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
