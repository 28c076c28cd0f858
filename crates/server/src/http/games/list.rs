//! The list of games.

use axum::Json;
use axum::body::{Body as HttpBody, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use kingscross_protocol::{ErrorBody, ErrorCode, GameSummary, Page};
use kingscross_storage::{GameCursor, GamePage, GameStatus};

use super::super::viewer::Viewer;
use super::super::{ApiError, Params};
use super::query::{GREATEST_LIMIT, GameQuery, USUAL_LIMIT, Wanted};
use crate::app::App;
use crate::archive::summary;

/// The media type of a stream of JSON lines.
pub(crate) const LINES: &str = "application/x-ndjson";

/// Games, newest first, page by page: each game is on exactly one page, whatever is played meanwhile. With
/// `Accept: application/x-ndjson` all of them are sent as a stream, one line per game.
#[utoipa::path(get, path = "/api/v1/games", tag = "games", params(GameQuery), responses(
    (status = 200, description = "a page of games, or all of them as lines", content((Page<GameSummary> = "application/json"), (String = "application/x-ndjson"))),
    (status = 400, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub(crate) async fn list_games(
    State(app): State<App>,
    headers: HeaderMap,
    viewer: Viewer,
    Params(query): Params<GameQuery>,
) -> Result<Response, ApiError> {
    let wanted = query.read()?;
    if wants_lines(&headers) {
        let first = page(&app, &viewer, &wanted, wanted.limit.unwrap_or(GREATEST_LIMIT)).await?;
        let body = HttpBody::from_stream(lines(app, viewer, wanted, first));
        return Ok(([(header::CONTENT_TYPE, LINES)], body).into_response());
    }
    let (items, next) = page(&app, &viewer, &wanted, wanted.limit.unwrap_or(USUAL_LIMIT)).await?;
    Ok(Json(Page { items, next: next.map(|cursor| cursor.to_string()) }).into_response())
}

/// Whether the client wants lines, not a page.
pub(crate) fn wants_lines(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','))
        .any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == LINES))
}

type Found = (Vec<GameSummary>, Option<kingscross_storage::GameCursor>);

async fn page(app: &App, viewer: &Viewer, wanted: &Wanted, limit: u32) -> Result<Found, ApiError> {
    let page = find_page(app, viewer, wanted, limit).await?;
    let games = page.games.iter().map(summary).collect::<Result<Vec<_>, _>>()?;
    Ok((games, page.next))
}

/// A page as this viewer may see it. A game whose end is still hidden from the viewer is shown as running, and matches
/// what a running game matches; a game that was left to bots is not among the running ones. A page is full unless it is
/// the last one, and its cursor names a game on it: neither reveals a game that is left out.
pub(crate) async fn find_page(
    app: &App,
    viewer: &Viewer,
    wanted: &Wanted,
    limit: u32,
) -> Result<GamePage, ApiError> {
    let sight = viewer.sight(app).await;
    let mut filter = wanted.filter.clone();
    if filter.status == Some(GameStatus::Running) {
        filter.or_these = sight.hidden();
    }
    let asks_for_the_end = wanted.asks_for_the_end();
    // As in the list over the WebSocket.
    let is_left_to_bots = |game| {
        let table = app.tables.find(game).filter(|_| filter.status == Some(GameStatus::Running));
        table.is_some_and(|table| table.is_deserted())
    };
    let is_shown = |game: &mut kingscross_storage::GameSummary| {
        !(sight.is_unseen(game.id) || sight.redact(game) && asks_for_the_end || is_left_to_bots(game.id))
    };
    if sight.sees_all() && filter.status != Some(GameStatus::Running) {
        return Ok(app.store.list_games(&filter, wanted.direction, wanted.cursor, limit).await?);
    }
    let (mut games, mut cursor) = (Vec::new(), wanted.cursor);
    let full = limit as usize;
    loop {
        // Storage says whether there are more games, but not whether this viewer may see any of them: one more does.
        let page = app.store.list_games(&filter, wanted.direction, cursor, limit + 1).await?;
        games.extend(page.games.into_iter().filter_map(|mut game| is_shown(&mut game).then_some(game)));
        if games.len() > full {
            games.truncate(full);
            return Ok(GamePage { next: games.last().map(GameCursor::at), games });
        }
        match page.next {
            Some(next) => cursor = Some(next),
            None => return Ok(GamePage { games, next: None }),
        }
    }
}

/// Everything that was asked for, page after page; a failure between two pages breaks off the stream.
fn lines(
    app: App,
    viewer: Viewer,
    wanted: Wanted,
    first: Found,
) -> impl Stream<Item = Result<Bytes, std::io::Error>> {
    let is_bounded = wanted.limit.is_some();
    stream::unfold(Some((app, viewer, wanted, Some(first))), move |state| async move {
        let (app, viewer, mut wanted, ready) = state?;
        let found = match ready {
            _ if app.stop.is_cancelled() => {
                Err(ApiError::new(ErrorCode::ShuttingDown, "The server is stopping."))
            }
            Some(found) => Ok(found),
            None => page(&app, &viewer, &wanted, GREATEST_LIMIT).await,
        };
        let (games, next) = match found {
            Ok(found) => found,
            Err(error) => return Some((Err(std::io::Error::other(error.body.message)), None)),
        };
        let mut text = Vec::new();
        for game in &games {
            serde_json::to_writer(&mut text, game).expect("plain data");
            text.push(b'\n');
        }
        let rest = next.filter(|_| !is_bounded).map(|cursor| {
            wanted.cursor = Some(cursor);
            (app, viewer, wanted, None)
        });
        Some((Ok(Bytes::from(text)), rest))
    })
}
