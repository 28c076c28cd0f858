//! Games as lists show them, from stored rows.

use kingscross_protocol::{Ending, GameStatus, GameSummary, Player, SeatLetter};
use kingscross_storage as storage;

use crate::bots;
use crate::error::ApiError;

/// A game as lists show it. Seats are in turn order, whatever the order of the rows.
pub(crate) fn summary(game: &storage::GameSummary) -> Result<GameSummary, ApiError> {
    let damaged = |what: &str| ApiError::internal(&format!("game {} has a damaged {what}", game.id));
    let variant: kingscross_engine::Variant = game.variant.parse().map_err(|_| damaged("variant"))?;
    let rules = variant.rules();
    let order = |seat: SeatLetter| {
        rules.turn_order.iter().position(|&side| rules.letter(side) == seat.0).unwrap_or(usize::MAX)
    };
    let mut rows: Vec<(SeatLetter, &storage::GamePlayer)> = game
        .players
        .iter()
        .map(|row| Ok((SeatLetter(row.seat.chars().next().ok_or_else(|| damaged("seat"))?), row)))
        .collect::<Result<_, ApiError>>()?;
    rows.sort_by_key(|(seat, _)| order(*seat));
    let players = rows
        .iter()
        .map(|(seat, row)| Player {
            seat: *seat,
            user: row.user.unwrap_or_else(|| bots::user(game.id, *seat)),
            name: row.name.clone(),
            bot: row.bot_level.clone(),
            rating: row.rating_before.map(|rating| rating.round() as i32),
            provisional: false,
        })
        .collect();
    Ok(GameSummary {
        game: game.id,
        variant,
        status: status(game.status),
        time: game.time_control.parse().map_err(|_| damaged("time control"))?,
        rated: game.is_rated,
        players,
        created: game.created_at,
        ended: game.ended_at,
        plies: game.ended_at.map(|_| game.ply_count),
        ending: (game.status == storage::GameStatus::Finished).then(|| ending(game, &rows)),
    })
}

fn ending(game: &storage::GameSummary, rows: &[(SeatLetter, &storage::GamePlayer)]) -> Ending {
    let place = |row: &storage::GamePlayer| row.placement.unwrap_or(u32::MAX);
    let mut places: Vec<u32> = rows.iter().map(|(_, row)| place(row)).collect();
    places.sort_unstable();
    places.dedup();
    let at =
        |wanted: u32| rows.iter().filter(|(_, row)| place(row) == wanted).map(|(seat, _)| *seat).collect();
    let has_points = rows.iter().all(|(_, row)| row.points.is_some());
    Ending {
        reason: game.reason.clone().unwrap_or_default(),
        winners: rows
            .iter()
            .filter(|(_, row)| row.result.is_some_and(|result| result != storage::PlayerResult::Loss))
            .map(|(seat, _)| *seat)
            .collect(),
        placements: places.into_iter().map(at).collect(),
        points: has_points
            .then(|| rows.iter().map(|(seat, row)| (*seat, row.points.unwrap_or_default() as u32)).collect()),
    }
}

pub(crate) fn status(stored: storage::GameStatus) -> GameStatus {
    match stored {
        storage::GameStatus::Running => GameStatus::Running,
        storage::GameStatus::Finished => GameStatus::Finished,
        storage::GameStatus::Aborted => GameStatus::Aborted,
    }
}
