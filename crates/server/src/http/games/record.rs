//! A single game: with its boards, as a record, and in the exchange formats of other programs.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use kingscross_engine::notation::{Script, Unrepresentable, fen4, pgn4};
use kingscross_protocol::{ErrorBody, ErrorCode, Event, GameId, GameRecord, GameView, Seq};
use kingscross_storage as storage;
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::viewer::{Viewer, redact, redact_ratings};
use super::super::{ApiError, NoParams, Params};
use super::query::bad;
use crate::app::App;
use crate::archive::write_record;
use crate::error::sentence;
use crate::ratings::rating_change;

/// The game in a path; a text that is not an id is the id of no game.
pub(crate) struct GamePath(pub(crate) GameId);

impl axum::extract::FromRequestParts<App> for GamePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut axum::http::request::Parts, app: &App) -> Result<Self, ApiError> {
        let path = Path::<String>::from_request_parts(parts, app).await;
        let id = path.ok().and_then(|Path(text)| text.parse().ok());
        id.map(Self).ok_or_else(unknown)
    }
}

fn unknown() -> ApiError {
    ApiError::new(ErrorCode::UnknownGame, "There is no such game.")
}

/// A game with every action, its clock times and its changes to the board.
#[utoipa::path(get, path = "/api/v1/games/{game}", tag = "games",
    params(("game" = String, Path, description = "The game's id", format = "uuid")),
    responses((status = 200, description = "the game", body = GameView), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub(crate) async fn find_game(
    State(app): State<App>,
    GamePath(id): GamePath,
    viewer: Viewer,
    _: Params<NoParams>,
) -> Result<Json<GameView>, ApiError> {
    let loaded = load(&app, &viewer, id).await?;
    let changes = loaded.ratings.iter().map(rating_change).collect::<Result<_, _>>();
    let of_match = match loaded.record.setup.other_game {
        Some(other) => {
            super::match_view::of(&app, &viewer, &loaded.summary, other, &loaded.record.events).await?
        }
        None => None,
    };
    Ok(Json(GameView {
        of_match,
        aggression: crate::archive::count_aggression(&loaded.record.events),
        rating_changes: changes.map_err(|error| damaged(id, &error))?,
        annulled: loaded.summary.annulled_at,
        record: loaded.record,
    }))
}

/// The game's record, which other servers can import.
#[utoipa::path(get, path = "/api/v1/games/{game}/record", tag = "games",
    params(("game" = String, Path, description = "The game's id", format = "uuid")),
    responses((status = 200, description = "the record", body = GameRecord), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub(crate) async fn record_of_game(
    State(app): State<App>,
    GamePath(id): GamePath,
    viewer: Viewer,
    _: Params<NoParams>,
) -> Result<Response, ApiError> {
    let record = plain_record(&app, &viewer, id).await?;
    let name = format!("attachment; filename=\"kingscross-{id}.json\"");
    Ok(([(header::CONTENT_DISPOSITION, name)], Json(record)).into_response())
}

/// A record without boards: readers get them by replaying it.
pub(crate) async fn plain_record(app: &App, viewer: &Viewer, id: GameId) -> Result<GameRecord, ApiError> {
    let mut record = load(app, viewer, id).await?.record;
    record.events.iter_mut().for_each(|entry| entry.change = None);
    Ok(record)
}

/// The game as PGN4, for games on the 14×14 board.
#[utoipa::path(get, path = "/api/v1/games/{game}/pgn4", tag = "games",
    params(("game" = String, Path, description = "The game's id", format = "uuid")),
    responses((status = 200, description = "the PGN4", body = String, content_type = "text/plain"),
        (status = 400, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, description = "the variant cannot be written in this format", body = ErrorBody)))]
pub(crate) async fn pgn4_of_game(
    State(app): State<App>,
    GamePath(id): GamePath,
    viewer: Viewer,
    _: Params<NoParams>,
) -> Result<String, ApiError> {
    pgn4::write(&load(&app, &viewer, id).await?.record.script()).map_err(|error| unrepresentable(&error))
}

/// Which position of a game.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Fen4Query {
    /// The number of plies played; the last position by default.
    ply: Option<u32>,
}

/// A position of the game as FEN4, for games on the 14×14 board.
#[utoipa::path(get, path = "/api/v1/games/{game}/fen4", tag = "games",
    params(("game" = String, Path, description = "The game's id", format = "uuid"), Fen4Query),
    responses((status = 200, description = "the FEN4", body = String, content_type = "text/plain"),
        (status = 400, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, description = "the variant cannot be written in this format", body = ErrorBody)))]
pub(crate) async fn fen4_of_game(
    State(app): State<App>,
    GamePath(id): GamePath,
    viewer: Viewer,
    Params(query): Params<Fen4Query>,
) -> Result<String, ApiError> {
    let script = load(&app, &viewer, id).await?.record.script();
    let position = position_at(&script, query.ply).map_err(|error| damaged(id, &error))?;
    let position = position.ok_or_else(|| bad("the game does not have that many plies"))?;
    fen4::write(script.variant, &position.document()).map_err(|error| unrepresentable(&error))
}

/// The game after so many plies, before any actions that are not plies; none if it ended earlier.
fn position_at(
    script: &Script,
    ply: Option<u32>,
) -> Result<Option<kingscross_engine::Game>, kingscross_engine::notation::BadScript> {
    let Some(ply) = ply else { return script.replay().map(Some) };
    let mut reached = script.start_game().map_err(kingscross_engine::notation::BadScript::Start)?;
    for count in 0..=script.actions.len() {
        if reached.ply() == ply {
            return Ok(Some(reached));
        }
        if count == script.actions.len() || reached.ply() > ply {
            break;
        }
        let action = kingscross_engine::Action::parse(script.variant, &script.actions[count]);
        let acted = action.and_then(|action| reached.act(&action));
        acted.map_err(|why| kingscross_engine::notation::BadScript::Action {
            index: count + 1,
            text: script.actions[count].clone(),
            why,
        })?;
    }
    Ok(None)
}

struct Loaded {
    record: GameRecord,
    ratings: Vec<storage::LedgerEntry>,
    summary: storage::GameSummary,
}

/// A game as this viewer may see it: with the spectator delay, unless it is one of the players.
async fn load(app: &App, viewer: &Viewer, id: GameId) -> Result<Loaded, ApiError> {
    let sight = viewer.sight(app).await;
    if sight.is_unseen(id) {
        return Err(unknown());
    }
    let storage::LoadedGame { mut game, mut events, mut ratings } =
        app.store.load_game(id).await?.ok_or_else(unknown)?;
    let delay = i64::from(spectator_delay(&events));
    let until = app.clock.now().plus(-delay);
    if delay > 0 && events.last().is_some_and(|last| last.at > until) && !is_player(app, viewer, &game).await
    {
        // The beginning is always visible.
        events.retain(|event| event.seq == Seq(1) || event.at <= until);
        if game.summary.ended_at.is_none_or(|ended| ended > until) {
            redact(&mut game.summary);
            ratings.clear();
        }
    }
    if sight.hides_ratings(id) {
        redact_ratings(&mut game.summary);
        ratings.clear();
    }
    let written = write_record(Arc::new(app.config.terms()), &game, &events, &ratings);
    let (record, _) = written.map_err(|error| damaged(id, &error))?;
    Ok(Loaded { record, ratings, summary: game.summary })
}

async fn is_player(app: &App, viewer: &Viewer, game: &storage::Game) -> bool {
    let user = viewer.user(app).await;
    user.is_some() && game.summary.players.iter().any(|player| player.user == user)
}

/// The spectator delay of the game with these events, in milliseconds.
fn spectator_delay(events: &[storage::StoredEvent]) -> u32 {
    match events.first().map(|first| serde_json::from_str(&first.body)) {
        Some(Ok(Event::Created(setup))) => setup.spectator_delay,
        _ => 0,
    }
}

fn damaged(id: GameId, error: &dyn std::fmt::Display) -> ApiError {
    ApiError::internal(&format!("the record of game {id} is damaged: {error}"))
}

fn unrepresentable(error: &Unrepresentable) -> ApiError {
    ApiError::new(ErrorCode::Conflict, sentence(error))
}
