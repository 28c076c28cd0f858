//! Mutes, blocks and reports.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use kingscross_protocol::{ErrorBody, ErrorCode, NewReport, Scope, UserId, UserView};
use uuid::Uuid;

use super::users::{find, user_view};
use super::{ApiError, Body, Segments};
use crate::app::App;
use crate::auth::CurrentUser;
use crate::text::{self, Lines};

/// The longest note of a report, in characters.
const NOTE: usize = 500;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/me/mutes", get(list_mutes))
        .route("/me/mutes/{user}", put(mute).delete(unmute))
        .route("/me/blocks", get(list_blocks))
        .route("/me/blocks/{user}", put(block).delete(unblock))
        .route("/reports", post(report))
}

/// The players whom one has muted.
#[utoipa::path(get, path = "/api/v1/me/mutes", tag = "conduct", responses(
    (status = 200, description = "the muted players", body = Vec<UserView>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn list_mutes(
    State(app): State<App>,
    user: CurrentUser,
) -> Result<Json<Vec<UserView>>, ApiError> {
    user.require(Scope::Read)?;
    named(&app, app.store.list_mutes(user.id).await?).await.map(Json)
}

/// Hides what a player says. Muting twice changes nothing.
#[utoipa::path(put, path = "/api/v1/me/mutes/{user}", tag = "conduct",
    params(("user" = String, Path, description = "The player's id", format = "uuid")), responses(
    (status = 204, description = "muted"), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn mute(
    State(app): State<App>,
    user: CurrentUser,
    Segments(path): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let other = other(&app, &user, &path).await?;
    app.store.mute(user.id, other, app.clock.now()).await?;
    app.hub.of(user.id).iter().for_each(|socket| socket.mute(other, true));
    Ok(StatusCode::NO_CONTENT)
}

/// Shows what a player says again.
#[utoipa::path(delete, path = "/api/v1/me/mutes/{user}", tag = "conduct",
    params(("user" = String, Path, description = "The player's id", format = "uuid")), responses(
    (status = 204, description = "heard again"), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn unmute(
    State(app): State<App>,
    user: CurrentUser,
    Segments(path): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let other = other(&app, &user, &path).await?;
    app.store.unmute(user.id, other).await?;
    app.hub.of(user.id).iter().for_each(|socket| socket.mute(other, false));
    Ok(StatusCode::NO_CONTENT)
}

/// The players whom one has blocked.
#[utoipa::path(get, path = "/api/v1/me/blocks", tag = "conduct", responses(
    (status = 200, description = "the blocked players", body = Vec<UserView>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn list_blocks(
    State(app): State<App>,
    user: CurrentUser,
) -> Result<Json<Vec<UserView>>, ApiError> {
    user.require(Scope::Read)?;
    named(&app, app.store.list_blocks(user.id).await?).await.map(Json)
}

/// Blocks a player: matchmaking puts the two of you together only if there is nobody else.
#[utoipa::path(put, path = "/api/v1/me/blocks/{user}", tag = "conduct",
    params(("user" = String, Path, description = "The player's id", format = "uuid")), responses(
    (status = 204, description = "blocked"), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn block(
    State(app): State<App>,
    user: CurrentUser,
    Segments(path): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let other = other(&app, &user, &path).await?;
    app.store.block(user.id, other, app.clock.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lifts a block.
#[utoipa::path(delete, path = "/api/v1/me/blocks/{user}", tag = "conduct",
    params(("user" = String, Path, description = "The player's id", format = "uuid")), responses(
    (status = 204, description = "lifted"), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn unblock(
    State(app): State<App>,
    user: CurrentUser,
    Segments(path): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let other = other(&app, &user, &path).await?;
    app.store.unblock(user.id, other).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reports a player to the moderators.
#[utoipa::path(post, path = "/api/v1/reports", tag = "conduct", request_body = NewReport, responses(
    (status = 202, description = "filed"), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 429, body = ErrorBody)))]
pub(crate) async fn report(
    State(app): State<App>,
    user: CurrentUser,
    Body(report): Body<NewReport>,
) -> Result<StatusCode, ApiError> {
    let reported = other(&app, &user, &report.user.to_string()).await?;
    let note = text::clean("A note", &report.note, NOTE, Lines::Several)?.to_owned();
    if let Some(game) = report.game
        && app.store.find_game(game).await?.is_none()
    {
        return Err(ApiError::new(ErrorCode::UnknownGame, "There is no such game."));
    }
    app.auth.limits.reports.check(&user.id)?;
    let reason: &str = report.reason.into();
    let filed = kingscross_storage::NewReport {
        id: Uuid::now_v7(),
        reporter: user.id,
        reported,
        game: report.game,
        reason: reason.to_owned(),
        note,
        created_at: app.clock.now(),
    };
    app.store.create_report(&filed).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Another player than oneself.
async fn other(app: &App, user: &CurrentUser, text: &str) -> Result<UserId, ApiError> {
    user.require(Scope::Play)?;
    let other = find(app, text).await?.id;
    if other == user.id {
        return Err(ApiError::new(ErrorCode::Conflict, "That is you."));
    }
    Ok(other)
}

async fn named(app: &App, ids: Vec<UserId>) -> Result<Vec<UserView>, ApiError> {
    let mut views = Vec::with_capacity(ids.len());
    for id in ids {
        views.extend(app.store.find_user(id).await?.as_ref().map(user_view));
    }
    Ok(views)
}
