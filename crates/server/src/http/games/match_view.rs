//! The score of a match of two games.

use kingscross_protocol::{
    Event, GameId, GameStatus, HistoryEntry, MatchPoints, MatchScore, SeatLetter, UserId,
};
use kingscross_storage as storage;

use super::super::ApiError;
use super::super::viewer::Viewer;
use crate::app::App;
use crate::archive::status;

/// The score of a game, as the viewer may see it, and of the other one of its match; none before the other game has
/// begun. If it never begins, since the match has ended, its point goes to the player who is still here.
pub(super) async fn of(
    app: &App,
    viewer: &Viewer,
    mine: &storage::GameSummary,
    other_id: GameId,
    events: &[HistoryEntry],
) -> Result<Option<MatchScore>, ApiError> {
    let sight = viewer.sight(app).await;
    let mut other = app.store.find_game(other_id).await?.filter(|other| !sight.is_unseen(other.summary.id));
    let gone = events.iter().find_map(|entry| match &entry.event {
        Event::MatchEnded { gone } => Some(gone.as_slice()),
        _ => None,
    });
    if other.is_none() && gone.is_none() {
        return Ok(None);
    }
    if let Some(other) = &mut other {
        sight.redact(&mut other.summary);
    }
    let both: Vec<_> = [Some(mine), other.as_ref().map(|game| &game.summary)].into_iter().flatten().collect();
    let unplayed = |seat: SeatLetter| match gone {
        Some(gone) if !gone.is_empty() && !gone.contains(&seat) => 1.0,
        _ => 0.0,
    };
    let sum = |user: Option<UserId>| -> f64 {
        let rows = both.iter().flat_map(|summary| &summary.players).filter(|row| row.user == user);
        rows.map(|row| row.result.map_or(0.0, worth)).sum()
    };
    // A bot has no account: it gets the points that the person did not get.
    let person = mine.players.iter().find_map(|row| row.user);
    let bots = |user: Option<UserId>| if user.is_none() { taken(&both) - sum(person) } else { sum(user) };
    let points = mine.players.iter().map(|row| MatchPoints {
        user: row.user.unwrap_or_else(|| crate::bots::user(mine.id, seat_of(row))),
        name: row.name.clone(),
        points: bots(row.user) + unplayed(seat_of(row)),
    });
    Ok(Some(MatchScore {
        other: other_id,
        status: other.as_ref().map_or(GameStatus::Aborted, |other| status(other.summary.status)),
        over: both.iter().all(|summary| status(summary.status) != GameStatus::Running),
        points: points.collect(),
    }))
}

fn seat_of(row: &storage::GamePlayer) -> SeatLetter {
    SeatLetter(row.seat.chars().next().unwrap_or('?'))
}

/// The points given in both games.
fn taken(both: &[&storage::GameSummary]) -> f64 {
    both.iter().flat_map(|summary| &summary.players).filter_map(|row| row.result).map(worth).sum()
}

fn worth(result: storage::PlayerResult) -> f64 {
    match result {
        storage::PlayerResult::Win => 1.0,
        storage::PlayerResult::Draw => 0.5,
        storage::PlayerResult::Loss => 0.0,
    }
}
