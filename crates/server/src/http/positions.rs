//! The analysis board: loads a position or replays actions, and lists what may be played.

use axum::extract::{DefaultBodyLimit, State};
use axum::routing::post;
use axum::{Json, Router};
use kingscross_engine::notation::{fen4, pgn4, view as notation};
use kingscross_engine::{Action, BadPosition, Game, Rejection, Variant};
use kingscross_protocol::{
    BoardChange, BoardView, Choice, Ending, ErrorBody, ErrorCode, PositionRequest, PositionStep,
    PositionView, SeatLetter, UnjudgedGame, UnjudgedMove, ViewRequest,
};
use kingscross_table::Rejection as Refused;

use super::{ApiError, Body};
use crate::app::App;
use crate::error::sentence;

/// The largest body, in bytes: enough for the PGN4 of a long game.
const BODY_LIMIT: usize = 256 * 1024;
/// The longest list of actions.
const LONGEST: usize = 2_000;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/positions", post(look))
        .route("/positions/view", post(show))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
}

/// Looks at a position: the start of a variant, a JSON position, a FEN4 or PGN4, and actions from there.
#[utoipa::path(post, path = "/api/v1/positions", tag = "analysis", request_body = PositionRequest, responses(
    (status = 200, description = "the position", body = PositionView), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 422, description = "the position or an action contradicts the rules", body = ErrorBody),
    (status = 503, body = ErrorBody)))]
pub(crate) async fn look(
    State(app): State<App>,
    Body(request): Body<PositionRequest>,
) -> Result<Json<PositionView>, ApiError> {
    if request.actions.len() > LONGEST {
        return Err(ApiError::new(ErrorCode::BadRequest, "At most 2,000 actions are replayed."));
    }
    let permit = app.analyses.acquire().await;
    let _until_done =
        permit.map_err(|_| ApiError::new(ErrorCode::ShuttingDown, "The server is stopping."))?;
    let looked = tokio::task::spawn_blocking(move || view(&request)).await;
    looked.map_err(|error| ApiError::internal(&error))?.map(Json)
}

/// Looks at a game or position of other four-player rules: moves on a board, without judging them.
#[utoipa::path(post, path = "/api/v1/positions/view", tag = "analysis", request_body = ViewRequest, responses(
    (status = 200, description = "the game as moves on a board", body = UnjudgedGame), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 413, body = ErrorBody),
    (status = 422, description = "the text contradicts itself", body = ErrorBody),
    (status = 503, body = ErrorBody)))]
pub(crate) async fn show(
    State(app): State<App>,
    Body(request): Body<ViewRequest>,
) -> Result<Json<UnjudgedGame>, ApiError> {
    let permit = app.analyses.acquire().await;
    let _until_done =
        permit.map_err(|_| ApiError::new(ErrorCode::ShuttingDown, "The server is stopping."))?;
    let shown = tokio::task::spawn_blocking(move || unjudged(&request)).await;
    shown.map_err(|error| ApiError::internal(&error))?.map(Json)
}

fn unjudged(request: &ViewRequest) -> Result<UnjudgedGame, ApiError> {
    let refused = |error: &dyn std::error::Error| ApiError::new(ErrorCode::BadPosition, sentence(error));
    let view = match (&request.fen4, &request.pgn4, request.game) {
        (Some(text), None, None) => notation::fen4(text).map_err(|error| refused(&error))?,
        (None, Some(text), None) => notation::pgn4(text).map_err(|error| refused(&error))?,
        (None, Some(text), Some(number)) => {
            let games = pgn4::games(text).map_err(|error| refused(&error))?;
            let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
            let game = at.and_then(|at| games.get(at)).ok_or_else(|| {
                let why = format!("There is no game {number}; the text holds {}.", games.len());
                ApiError::new(ErrorCode::BadRequest, why)
            })?;
            notation::pgn4(game).map_err(|error| refused(&error))?
        }
        _ => {
            let why = "Give one of `fen4` and `pgn4`; `game` chooses one of a PGN4.";
            return Err(ApiError::new(ErrorCode::BadRequest, why));
        }
    };
    let moves = view.moves.into_iter().map(|shown| UnjudgedMove {
        text: shown.text,
        army: SeatLetter(shown.army),
        moved: shown.moved,
        pieces: shown.pieces,
    });
    Ok(UnjudgedGame {
        judged: false,
        tags: view.tags.into_iter().collect(),
        start: view.start,
        moves: moves.collect(),
        notes: view.notes,
    })
}

fn view(request: &PositionRequest) -> Result<PositionView, ApiError> {
    let (mut game, played, dropped) = start(request)?;
    let variant = game.variant();
    let board = BoardView::of(&game);
    let mut steps = Vec::new();
    for (index, text) in played.iter().chain(&request.actions).enumerate() {
        let refuse = |why: Rejection| {
            let mut body = ErrorBody::from(Refused::from(why));
            body.message = format!("Action {}, {text}: {}", index + 1, body.message);
            ApiError::from(body)
        };
        let action = Action::parse(variant, text).map_err(refuse)?;
        let before = BoardChange::before(&game);
        let applied = game.act(&action).map_err(refuse)?;
        steps.push(PositionStep {
            action: action.text(variant),
            change: BoardChange::of(&before, &game, &applied),
            hash: game.hash().to_string(),
        });
    }
    Ok(PositionView {
        variant,
        position: game.document(),
        hash: game.hash().to_string(),
        start: board,
        steps,
        board: BoardView::of(&game),
        legal: Choice::list(&game),
        ending: ending(&game),
        dropped,
    })
}

/// At most so many notes are put into a refusal.
const NOTES: usize = 8;

/// A refusal with the notes of the reader, which may explain it.
fn refused_with(error: &dyn std::error::Error, notes: &[String]) -> ApiError {
    let mut why = sentence(error);
    for note in notes.iter().take(NOTES) {
        why.push_str(&format!(" Left out: {note}."));
    }
    ApiError::new(ErrorCode::BadPosition, why)
}

type Started = (Game, Vec<String>, Vec<String>);

fn start(request: &PositionRequest) -> Result<Started, ApiError> {
    let bad_position = |error: BadPosition| ApiError::new(ErrorCode::BadPosition, sentence(&error));
    let variant =
        || request.variant.ok_or_else(|| ApiError::new(ErrorCode::BadRequest, "`variant` is missing."));
    match (&request.position, &request.fen4, &request.pgn4) {
        (None, None, None) => Ok((Game::new(variant()?), Vec::new(), Vec::new())),
        (Some(document), None, None) => {
            let game = Game::load(document).map_err(bad_position)?;
            if request.variant.is_some_and(|variant| variant != game.variant()) {
                return Err(ApiError::new(ErrorCode::BadRequest, "`variant` contradicts the position."));
            }
            Ok((game, Vec::new(), Vec::new()))
        }
        (None, Some(text), None) => {
            let mut notes = Vec::new();
            let read = fen4::read_noting(text, board_of(variant()?)?, &mut notes);
            let imported = read.map_err(|error| refused_with(&error, &notes))?;
            let game = Game::load(&imported.document).map_err(|error| refused_with(&error, &notes))?;
            Ok((game, Vec::new(), notes))
        }
        (None, None, Some(text)) => {
            let mut notes = Vec::new();
            let read = pgn4::read_noting(text, board_of(variant()?)?, &mut notes);
            let script = read.map_err(|error| refused_with(&error, &notes))?;
            Ok((script.start_game().map_err(bad_position)?, script.actions, notes))
        }
        _ => Err(ApiError::new(ErrorCode::BadRequest, "Give one of `position`, `fen4` and `pgn4`.")),
    }
}

/// Both formats describe the 14×14 board only.
fn board_of(variant: Variant) -> Result<Variant, ApiError> {
    let rules = variant.rules();
    if (rules.width(), rules.height()) == (14, 14) {
        return Ok(variant);
    }
    Err(ApiError::new(ErrorCode::Conflict, "This format describes games on the 14×14 board only."))
}

fn ending(game: &Game) -> Option<Ending> {
    let (outcome, rules) = (game.outcome()?, game.rules());
    let letters = |seats: &[kingscross_engine::Seat]| -> Vec<SeatLetter> {
        seats.iter().map(|&seat| SeatLetter(rules.letter(seat))).collect()
    };
    let points = game
        .armies()
        .iter()
        .map(|army| Some((SeatLetter(rules.letter(army.seat)), army.result_points?)))
        .collect();
    Some(Ending {
        reason: outcome.reason.word().to_owned(),
        winners: letters(&outcome.winners),
        placements: outcome.placements.iter().map(|group| letters(group)).collect(),
        points,
    })
}
