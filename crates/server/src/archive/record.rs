//! Stored games as records.

use std::sync::Arc;

use kingscross_protocol::{
    GameId, GameRecord, HistoryEntry, RECORD_VERSION, RatingStep, SeatLetter, Setup, UserId,
};
use kingscross_storage as storage;
use kingscross_table::{BadRecord, Core, Logged, Seed, Terms, history};

use super::summary;
use crate::bots;

/// Why a stored game makes no record.
#[derive(Debug, thiserror::Error)]
pub enum BadGame {
    /// Its events do not replay.
    #[error(transparent)]
    Record(#[from] BadRecord),
    /// Its row cannot be read.
    #[error("its row is damaged: {0}")]
    Row(String),
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
    let (core, mut events) = history(terms, Seed([0; 32]), logged)?;
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
