//! One's own sessions.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Json, Router};
use kingscross_protocol::{ErrorBody, Scope, SessionView};
use kingscross_storage::Session;

use super::{ApiError, Segments};
use crate::app::App;
use crate::auth::{CurrentUser, SessionKey};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/me/sessions", get(list_sessions).delete(end_other_sessions))
        .route("/me/sessions/{session}", delete(end_session))
}

/// One's sessions, the last used first.
#[utoipa::path(get, path = "/api/v1/me/sessions", tag = "account", responses(
    (status = 200, description = "the sessions", body = Vec<SessionView>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn list_sessions(
    State(app): State<App>,
    user: CurrentUser,
) -> Result<Json<Vec<SessionView>>, ApiError> {
    user.require(Scope::Manage)?;
    let sessions = app.store.list_sessions(user.id, app.clock.now()).await?;
    Ok(Json(sessions.iter().map(|session| session_view(session, &user)).collect()))
}

/// Ends every other session; their sockets close at once.
#[utoipa::path(delete, path = "/api/v1/me/sessions", tag = "account", responses(
    (status = 204, description = "ended"), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn end_other_sessions(
    State(app): State<App>,
    user: CurrentUser,
) -> Result<StatusCode, ApiError> {
    user.require(Scope::Manage)?;
    let ended = app.store.revoke_other_sessions(user.id, Some(&user.session.0)).await?;
    end_sockets(&app, &ended);
    Ok(StatusCode::NO_CONTENT)
}

/// Ends one session; its sockets close at once.
#[utoipa::path(delete, path = "/api/v1/me/sessions/{session}", tag = "account",
    params(("session" = String, Path, description = "The session's id, from the list")), responses(
    (status = 204, description = "ended"), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub(crate) async fn end_session(
    State(app): State<App>,
    user: CurrentUser,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    user.require(Scope::Manage)?;
    let sessions = app.store.list_sessions(user.id, app.clock.now()).await?;
    let mut keys = sessions.iter().filter_map(|session| SessionKey::of_hash(&session.token_hash));
    let key = keys.find(|key| key.public_id() == id).ok_or_else(|| ApiError::not_found("session"))?;
    app.store.revoke_session(user.id, &key.0).await?;
    app.hub.close_session(key);
    Ok(StatusCode::NO_CONTENT)
}

/// Closes the sockets of ended sessions.
pub(crate) fn end_sockets(app: &App, hashes: &[Vec<u8>]) {
    hashes.iter().filter_map(|hash| SessionKey::of_hash(hash)).for_each(|key| app.hub.close_session(key));
}

/// A session as its owner sees it.
pub(crate) fn session_view(session: &Session, asker: &CurrentUser) -> SessionView {
    let key = SessionKey::of_hash(&session.token_hash);
    SessionView {
        id: key.map(|key| key.public_id()).unwrap_or_default(),
        label: session.label.clone(),
        created: session.created_at,
        last_seen: session.last_seen_at,
        current: key == Some(asker.session),
    }
}
