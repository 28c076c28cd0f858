//! Proves stored games: each is replayed, and its hashes, clocks, result and ratings must be what is stored.

use std::sync::Arc;

use kingscross_engine::RULES_VERSION;
use kingscross_protocol::{ClockProof, Ending, Event, Setup};
use kingscross_storage::{
    self as storage, Direction, Fault, FinishedPlayer, GameFilter, GameStatus, LoadedGame, Store,
};
use kingscross_table::{Core, Logged, Seed, Stage, Terms, replay};

use super::seats_of;
use crate::config::Config;
use crate::ratings::{self, Pool, RebuildError};

/// Games that are listed at once.
const PAGE: u32 = 200;

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// Games that were replayed.
    pub games: usize,
    /// Events in them.
    pub events: usize,
    /// Rated games that were computed anew.
    pub rated: usize,
    /// Everything that is not as it must be, one sentence each.
    pub faults: Vec<String>,
}

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
    /// Ratings could not be computed.
    #[error(transparent)]
    Ratings(#[from] RebuildError),
}

/// Replays every stored game and computes every rating anew. `each` hears how many games are done.
pub async fn verify(
    store: &Store,
    config: &Config,
    mut each: impl FnMut(usize),
) -> Result<Report, VerifyError> {
    let mut report = Report::default();
    let terms = Arc::new(config.terms());
    let mut cursor = None;
    loop {
        let page = store.list_games(&GameFilter::default(), Direction::Oldest, cursor, PAGE).await?;
        for summary in &page.games {
            // As one read: the game may go on and end meanwhile.
            let Some(LoadedGame { game, events, .. }) = store.load_game(summary.id).await? else { continue };
            report.games += 1;
            report.events += events.len();
            let mut faults = faults_of(&terms, &game.summary, &events);
            faults.extend(fault_of_the_result(&game, &events));
            for fault in faults {
                report.faults.push(format!("game {}: {fault}", summary.id));
            }
        }
        each(report.games);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    for pool in Pool::all() {
        match ratings::rebuild(store, pool).await {
            Ok(rebuilt) => {
                report.rated += rebuilt.games;
                report.faults.extend(rebuilt.differences);
            }
            Err(RebuildError::NoResult(game)) => report.faults.push(RebuildError::NoResult(game).to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(report)
}

/// What is wrong with one stored game.
pub fn faults_of(
    terms: &Arc<Terms>,
    summary: &storage::GameSummary,
    events: &[storage::StoredEvent],
) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, event) in events.iter().enumerate() {
        if event.seq.0 as usize != index + 1 {
            faults.push(format!("event {} is where event {} should be", event.seq.0, index + 1));
            return faults;
        }
    }
    let logged = events.iter().map(|event| Logged { at: event.at, hash: event.hash, body: &event.body });
    let mut clocks = ClockProof::default();
    let mut last_at = None;
    let mut has_ended = false;
    let replayed = replay(terms.clone(), Seed([0; 32]), logged, |seq, logged, event, _| {
        if last_at.is_some_and(|last| logged.at < last) {
            faults.push(format!("event {} lies before the one before it", seq.0));
        }
        last_at = Some(logged.at);
        let ends = matches!(event, Event::Finished(_) | Event::Aborted { .. });
        if ends && has_ended {
            faults.push(format!("event {} ends a game that has ended already", seq.0));
        }
        has_ended |= ends;
        if let Err(fault) = clocks.follow(&event) {
            faults.push(format!("event {}: {fault}", seq.0));
        }
    });
    match replayed {
        Ok(core) => {
            faults.extend(faults_of_the_setup(core.setup(), summary));
            faults.extend(faults_of_the_end(&core, summary));
            faults.extend(fault_of_the_times(events, summary));
        }
        Err(error) => faults.push(error.to_string()),
    }
    faults
}

/// What lists say of the game that its first event does not.
fn faults_of_the_setup(setup: &Setup, summary: &storage::GameSummary) -> Vec<String> {
    let mut faults = Vec::new();
    if setup.rules != RULES_VERSION {
        faults.push(format!("it was played by version {} of the rules", setup.rules));
    }
    let time = setup.time.to_string();
    for (what, listed, real) in [
        ("variant", summary.variant.as_str(), setup.variant.id()),
        ("time control", summary.time_control.as_str(), time.as_str()),
        ("rating", rated(summary.is_rated), rated(setup.rated)),
    ] {
        if listed != real {
            faults.push(format!("it is listed with the {what} {listed}, and began with {real}"));
        }
    }
    for player in &setup.players {
        let row = summary.players.iter().find(|row| row.seat == player.seat.to_string());
        match row {
            None => faults.push(format!("seat {} has no row", player.seat)),
            // A bot of the host has no account, and a deleted account none any more.
            Some(row) if row.user.is_some_and(|user| user != player.user) => {
                faults.push(format!("seat {} is listed as another user's", player.seat));
            }
            Some(_) => {}
        }
    }
    if summary.players.len() > setup.players.len() {
        faults.push(format!("{} players are listed of {}", summary.players.len(), setup.players.len()));
    }
    faults
}

fn rated(is_rated: bool) -> &'static str {
    if is_rated { "rated" } else { "casual" }
}

/// Whether the game is listed with the times of its first and its ending event.
fn fault_of_the_times(events: &[storage::StoredEvent], summary: &storage::GameSummary) -> Option<String> {
    let ends = |event: &&storage::StoredEvent| {
        matches!(serde_json::from_str(&event.body), Ok(Event::Finished(_) | Event::Aborted { .. }))
    };
    let (began, ended) =
        (events.first().map(|event| event.at), events.iter().find(ends).map(|event| event.at));
    let fits = began == Some(summary.created_at) && ended == summary.ended_at;
    (!fits).then(|| {
        format!(
            "it is listed from {:?} to {:?}, and its events go from {began:?} to {ended:?}",
            summary.created_at, summary.ended_at
        )
    })
}

fn faults_of_the_end(core: &Core, summary: &storage::GameSummary) -> Vec<String> {
    let mut faults = Vec::new();
    let stage = match core.stage() {
        Stage::Running => GameStatus::Running,
        Stage::Finished(_) => GameStatus::Finished,
        Stage::Aborted(_) => GameStatus::Aborted,
    };
    if stage != summary.status {
        faults.push(format!("it is listed as {} and ends {stage}", summary.status));
    }
    if matches!(core.stage(), Stage::Running) && core.game().outcome().is_some() {
        faults.push("it goes on, and by the rules it has ended".to_owned());
    }
    let ply = core.game().ply();
    if summary.status != GameStatus::Running && summary.ply_count != ply {
        faults.push(format!("it is listed with {} plies and has {ply}", summary.ply_count));
    }
    if let Stage::Finished(ending) = core.stage() {
        match core.outcome_as_ending() {
            Some(outcome) if outcome == **ending => {}
            Some(outcome) => faults.push(format!("its result is {ending:?}, and by the rules {outcome:?}")),
            None => faults.push("it has a result, and by the rules it goes on".to_owned()),
        }
        if summary.reason.as_deref() != Some(ending.reason.as_str()) {
            faults.push(format!("it is listed with the reason {:?}, not {}", summary.reason, ending.reason));
        }
    }
    let seats = match core.stage() {
        Stage::Finished(ending) => seats_of(core.setup(), ending),
        Stage::Running | Stage::Aborted(_) => Vec::new(),
    };
    faults.extend(faults_of_the_rows(&seats, &summary.players));
    faults
}

/// What is wrong with the rows of the players, of whom a game without a result says nothing.
fn faults_of_the_rows(seats: &[FinishedPlayer], rows: &[storage::GamePlayer]) -> Vec<String> {
    let mut faults = Vec::new();
    for row in rows {
        let seat = seats.iter().find(|seat| seat.seat == row.seat);
        let place = seat.and_then(|seat| seat.placement);
        if row.placement != place {
            faults.push(format!("seat {} is listed at place {:?}, not {place:?}", row.seat, row.placement));
        }
        let result = seat.and_then(|seat| seat.result);
        if row.result != result {
            faults.push(format!("seat {} is listed with {:?}, not {result:?}", row.seat, row.result));
        }
        let points = seat.and_then(|seat| seat.points);
        if row.points != points {
            faults.push(format!("seat {} is listed with {:?} points, not {points:?}", row.seat, row.points));
        }
    }
    faults
}

/// Whether the result beside the game is the one of its last events; ratings are computed anew from it.
fn fault_of_the_result(row: &storage::Game, events: &[storage::StoredEvent]) -> Option<String> {
    let told = events.iter().rev().find_map(|event| match serde_json::from_str(&event.body) {
        Ok(Event::Finished(ending)) => Some(ending),
        _ => None,
    });
    let text = row.result.as_deref().filter(|_| row.summary.status != GameStatus::Running);
    let kept = text.map(serde_json::from_str::<Option<Ending>>);
    match kept {
        None => None,
        Some(Ok(kept)) if kept == told => None,
        Some(Ok(kept)) => Some(format!("the result beside it is {kept:?}, and its events end {told:?}")),
        Some(Err(error)) => Some(format!("the result beside it cannot be read: {error}")),
    }
}
