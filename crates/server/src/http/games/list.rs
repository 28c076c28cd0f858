//! The list of games.

use axum::Json;
use axum::body::{Body as HttpBody, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use kingscross_protocol::{ErrorBody, GameSummary, Page};

use super::super::{ApiError, Params};
use super::query::{GREATEST_LIMIT, GameQuery, USUAL_LIMIT, Wanted};
use super::summary;
use crate::App;

/// The type of a stream of lines, each of them JSON.
pub(crate) const LINES: &str = "application/x-ndjson";

/// Games, newest first, page by page: each game stands in exactly one page, whatever is played meanwhile. With
/// `Accept: application/x-ndjson` all of them come as a stream, one line a game.
#[utoipa::path(get, path = "/api/v1/games", tag = "games", params(GameQuery), responses(
    (status = 200, content((Page<GameSummary> = "application/json"), (String = "application/x-ndjson"))),
    (status = 400, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub(crate) async fn list_games(
    State(app): State<App>,
    headers: HeaderMap,
    Params(query): Params<GameQuery>,
) -> Result<Response, ApiError> {
    let wanted = query.read()?;
    if wants_lines(&headers) {
        let first = page(&app, &wanted, wanted.limit.unwrap_or(GREATEST_LIMIT)).await?;
        let body = HttpBody::from_stream(lines(app, wanted, first));
        return Ok(([(header::CONTENT_TYPE, LINES)], body).into_response());
    }
    let (items, next) = page(&app, &wanted, wanted.limit.unwrap_or(USUAL_LIMIT)).await?;
    Ok(Json(Page { items, next: next.map(|cursor| cursor.to_string()) }).into_response())
}

/// Whether the client asks for lines rather than for a page.
pub(crate) fn wants_lines(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','))
        .any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == LINES))
}

type Found = (Vec<GameSummary>, Option<kingscross_storage::GameCursor>);

async fn page(app: &App, wanted: &Wanted, limit: u32) -> Result<Found, ApiError> {
    let page = app.store.list_games(&wanted.filter, wanted.direction, wanted.cursor, limit).await?;
    let games = page.games.iter().map(summary).collect::<Result<Vec<_>, _>>()?;
    Ok((games, page.next))
}

/// Everything that was asked for, page after page; a failure between two pages breaks the stream off.
fn lines(app: App, wanted: Wanted, first: Found) -> impl Stream<Item = Result<Bytes, std::io::Error>> {
    let is_bounded = wanted.limit.is_some();
    stream::unfold(Some((app, wanted, Some(first))), move |state| async move {
        let (app, mut wanted, ready) = state?;
        let found = match ready {
            Some(found) => Ok(found),
            None => page(&app, &wanted, GREATEST_LIMIT).await,
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
            (app, wanted, None)
        });
        Some((Ok(Bytes::from(text)), rest))
    })
}
