//! Who one is oneself.

use axum::routing::get;
use axum::{Json, Router};
use kingscross_protocol::{ErrorBody, Me};

use crate::App;
use crate::auth::CurrentUser;

pub(super) fn router() -> Router<App> {
    Router::new().route("/me", get(me))
}

/// Who this session or token belongs to, and what it may do.
#[utoipa::path(get, path = "/api/v1/me", tag = "account", responses(
    (status = 200, body = Me), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn me(user: CurrentUser) -> Json<Me> {
    Json(user.me())
}
