//! Visitors become guests.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use kingscross_protocol::{ErrorBody, UserId, UserKind, UserView};

use super::{ApiError, Client};
use crate::app::App;
use crate::auth::{CurrentUser, begin_session, guest_name, random};

pub(super) fn router() -> Router<App> {
    Router::new().route("/guest", post(become_guest))
}

/// Makes a visitor a guest with a name and a cookie. A user who has a session already keeps it.
#[utoipa::path(post, path = "/api/v1/guest", tag = "account", responses(
    (status = 200, description = "known already", body = UserView),
    (status = 201, description = "a new guest; the cookie is set", body = UserView),
    (status = 401, description = "an API token that is none", body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub(crate) async fn become_guest(
    State(app): State<App>,
    user: Option<CurrentUser>,
    client: Client,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if let Some(user) = user {
        return Ok(Json(user.view()).into_response());
    }
    app.auth.limits.guests.check(&client.network())?;
    let (id, name) = (UserId::fresh(), guest_name(u64::from_le_bytes(random()?)));
    app.store.create_guest(id, &name, app.clock.now()).await?;
    let (_, cookie) = begin_session(&app, id, &headers).await?;
    let view = UserView { id, name, kind: UserKind::Guest };
    Ok((StatusCode::CREATED, cookie, Json(view)).into_response())
}
