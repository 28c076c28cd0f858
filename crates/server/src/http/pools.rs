//! The pools of the queue.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use kingscross_protocol::{ErrorBody, ErrorCode, PoolView};

use super::{ApiError, NoParams, Params};
use crate::app::App;

pub(super) fn router() -> Router<App> {
    Router::new().route("/pools", get(pools))
}

/// Every pool of the queue, with the number of players who wait and the usual wait.
#[utoipa::path(get, path = "/api/v1/pools", tag = "games", responses(
    (status = 200, description = "the pools", body = Vec<PoolView>), (status = 400, body = ErrorBody), (status = 503, body = ErrorBody)))]
pub(crate) async fn pools(
    State(app): State<App>,
    _: Params<NoParams>,
) -> Result<Json<Vec<PoolView>>, ApiError> {
    let pools = app.queue.pools().await;
    pools.map(Json).ok_or_else(|| ApiError::new(ErrorCode::Unavailable, "The queue is busy or stopping."))
}
