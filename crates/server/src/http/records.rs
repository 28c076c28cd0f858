//! The records of many games, one per line, for other servers and statistics.

use axum::Router;
use axum::body::{Body as HttpBody, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream::{self, Stream};
use kingscross_protocol::{ErrorBody, ErrorCode, GameId};

use super::games::query::{GameQuery, Wanted};
use super::games::{LINES, find_page, plain_record};
use super::viewer::Viewer;
use super::{ApiError, Params};
use crate::app::App;

/// How many games' rows are read at once; each game is replayed when its turn comes.
const PAGE: u32 = 50;

pub(super) fn router() -> Router<App> {
    Router::new().route("/records", get(list_records))
}

/// The records of all matching games, of one player or of the whole site: one line of JSON each, as `/record` gives
/// them. `limit` is the maximum number of lines; without it all are sent.
#[utoipa::path(get, path = "/api/v1/records", tag = "games", params(GameQuery), responses(
    (status = 200, description = "a line for each game", body = String, content_type = "application/x-ndjson"),
    (status = 400, body = ErrorBody)))]
pub(crate) async fn list_records(
    State(app): State<App>,
    viewer: Viewer,
    Params(query): Params<GameQuery>,
) -> Result<Response, ApiError> {
    let wanted = query.read()?;
    let left = wanted.limit.unwrap_or(u32::MAX);
    let mut run = Run { app, viewer, wanted, left, ready: Vec::new(), is_done: false };
    // Read before the answer begins, so that an outage of the database can still be answered with its status.
    run.read_on().await?;
    let headers = [
        (header::CONTENT_TYPE, LINES),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"kingscross.ndjson\""),
    ];
    Ok((headers, HttpBody::from_stream(lines(run))).into_response())
}

/// The state of a stream.
struct Run {
    app: App,
    viewer: Viewer,
    wanted: Wanted,
    left: u32,
    /// The next games, in reverse order.
    ready: Vec<GameId>,
    is_done: bool,
}

impl Run {
    async fn read_on(&mut self) -> Result<(), ApiError> {
        let page = find_page(&self.app, &self.viewer, &self.wanted, PAGE.min(self.left)).await?;
        self.left -= u32::try_from(page.games.len()).unwrap_or(self.left).min(self.left);
        self.ready = page.games.iter().rev().map(|game| game.id).collect();
        self.is_done = page.next.is_none() || self.left == 0;
        self.wanted.cursor = page.next;
        Ok(())
    }

    async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        while self.ready.is_empty() && !self.is_done {
            self.read_on().await?;
        }
        let Some(game) = self.ready.pop() else { return Ok(None) };
        let mut line =
            serde_json::to_vec(&plain_record(&self.app, &self.viewer, game).await?).expect("plain data");
        line.push(b'\n');
        Ok(Some(Bytes::from(line)))
    }
}

/// A failure breaks off the stream, so that a part is not taken for the whole; so does the server's stop.
fn lines(run: Run) -> impl Stream<Item = Result<Bytes, std::io::Error>> {
    stream::unfold(Some(run), |run| async move {
        let mut run = run?;
        let stop = run.app.stop.clone();
        let next = tokio::select! {
            biased;
            () = stop.cancelled() => Err(ApiError::new(ErrorCode::ShuttingDown, "The server is stopping.")),
            next = run.next() => next,
        };
        match next {
            Ok(line) => line.map(|line| (Ok(line), Some(run))),
            Err(error) => Some((Err(std::io::Error::other(error.body.message)), None)),
        }
    })
}
