//! How a match of two games stands: the sum of both.

use kingscross_protocol::{GameId, GameStatus, MatchPoints, MatchScore, SeatLetter, UserId};
use kingscross_storage as storage;

use super::super::ApiError;
use super::super::viewer::Viewer;
use super::view::status;
use crate::App;

/// The match of a game and its twin; none when the other game never began.
pub(super) async fn of(
    app: &App,
    viewer: &Viewer,
    game: GameId,
    twin: GameId,
) -> Result<Option<MatchScore>, ApiError> {
    let sight = viewer.sight(app).await;
    let (Some(mut mine), Some(mut other)) =
        (app.store.find_game(game).await?, app.store.find_game(twin).await?)
    else {
        return Ok(None);
    };
    sight.veil(&mut mine.summary);
    sight.veil(&mut other.summary);
    let both = [&mine.summary, &other.summary];
    let sum = |user: Option<UserId>| -> f64 {
        let rows = both.iter().flat_map(|summary| &summary.players).filter(|row| row.user == user);
        rows.map(|row| row.result.map_or(0.0, worth)).sum()
    };
    // A bot has no account and so no way to be told from another: it is the one who is not the person.
    let person = mine.summary.players.iter().find_map(|row| row.user);
    let bots = |user: Option<UserId>| if user.is_none() { taken(&both) - sum(person) } else { sum(user) };
    let points = mine.summary.players.iter().map(|row| MatchPoints {
        user: row.user.unwrap_or_else(|| crate::bots::user(game, seat_of(row))),
        name: row.name.clone(),
        points: bots(row.user),
    });
    Ok(Some(MatchScore {
        other: twin,
        status: status(other.summary.status),
        over: both.iter().all(|summary| status(summary.status) != GameStatus::Running),
        points: points.collect(),
    }))
}

fn seat_of(row: &storage::GamePlayer) -> SeatLetter {
    SeatLetter(row.seat.chars().next().unwrap_or('?'))
}

/// The points that both games have given.
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
