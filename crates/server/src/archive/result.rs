//! The result that is stored with the last event of a game.

use kingscross_protocol::{AbortCause, Ending, Event, Setup, Timestamp};
use kingscross_storage::{Dodge, Finish, FinishedPlayer, GameStatus, PlayerResult};

use kingscross_table::{Core, Step};

use crate::ratings::rater;

/// The end of the game, when one of the steps ends it. `forget` is how long a dodge counts, in milliseconds.
pub(crate) fn finish(after: &Core, steps: &[Step], at: Timestamp, forget: i64) -> Option<Finish> {
    steps.iter().find_map(|step| match &step.event {
        Event::Finished(ending) => Some(finished(after, ending, at)),
        Event::Aborted { cause } => Some(aborted(after, *cause, at, forget)),
        _ => None,
    })
}

/// Until when an end at `at` is hidden from spectators; `None` if it never is.
pub(crate) fn hidden_until(setup: &Setup, at: Timestamp) -> Option<Timestamp> {
    (setup.spectator_delay > 0).then(|| at.plus(i64::from(setup.spectator_delay)))
}

/// What a result says of each seat.
pub(crate) fn seats_of(setup: &Setup, ending: &Ending) -> Vec<FinishedPlayer> {
    setup
        .players
        .iter()
        .map(|player| {
            let place = ending.placements.iter().position(|group| group.contains(&player.seat));
            let is_winner = ending.winners.contains(&player.seat);
            let points = ending.points.iter().flatten().find(|(seat, _)| *seat == player.seat);
            FinishedPlayer {
                seat: player.seat.to_string(),
                // Ties share the better place: 1, 1, 3, 4.
                placement: place
                    .map(|place| 1 + ending.placements[..place].iter().map(Vec::len).sum::<usize>())
                    .and_then(|place| u32::try_from(place).ok()),
                points: points.map(|(_, points)| f64::from(*points)),
                result: Some(match (is_winner, ending.winners.len()) {
                    (true, 1) => PlayerResult::Win,
                    (true, _) => PlayerResult::Draw,
                    (false, _) => PlayerResult::Loss,
                }),
            }
        })
        .collect()
}

fn finished(after: &Core, ending: &Ending, at: Timestamp) -> Finish {
    Finish {
        status: GameStatus::Finished,
        at,
        hidden_until: hidden_until(after.setup(), at),
        reason: ending.reason.clone(),
        result: serde_json::to_string(ending).expect("plain data"),
        ply_count: after.game().ply(),
        statistics: None,
        players: seats_of(after.setup(), ending),
        rating: rater(after.setup(), ending, at),
        dodge: None,
    }
}

fn aborted(after: &Core, cause: AbortCause, at: Timestamp, forget: i64) -> Finish {
    let word = match cause {
        AbortCause::FirstMove => "first_move",
        AbortCause::Agreement => "agreement",
        AbortCause::Admin => "admin",
    };
    Finish {
        status: GameStatus::Aborted,
        at,
        hidden_until: hidden_until(after.setup(), at),
        reason: word.to_owned(),
        result: "null".to_owned(),
        ply_count: after.game().ply(),
        statistics: None,
        players: Vec::new(),
        rating: None,
        dodge: dodge(after, cause, at, forget),
    }
}

/// Whoever did not make the first move of a rated game has broken it for the others.
fn dodge(after: &Core, cause: AbortCause, at: Timestamp, forget: i64) -> Option<Dodge> {
    if cause != AbortCause::FirstMove || !after.setup().rated {
        return None;
    }
    let letter = after.letter(after.game().turn()?);
    let player = after.setup().players.iter().find(|player| player.seat == letter && player.bot.is_none())?;
    Some(Dodge { user: player.user, at, forget })
}
