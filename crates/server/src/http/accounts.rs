//! Accounts: creation, signing in and out, changes, export, deletion.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use kingscross_protocol::{
    Credentials, Deletion, ErrorBody, ErrorCode, GameId, GameSummary, Me, PasswordChange, RatingChangeView,
    RatingView, ReportView, Scope, SessionView, Timestamp, TokenView, UserId, UserKind, UserView,
};
use kingscross_storage::{Device, Direction, GameFilter, NameError, NewUser, PlayerFilter, User};
use serde::Serialize;
use utoipa::ToSchema;

use super::admin::report_view;
use super::sessions::{end_sockets, session_view};
use super::tokens::token_view;
use super::viewer::Sight;
use super::{ApiError, Body, Client, games};
use crate::app::App;
use crate::archive::summary;
use crate::auth::limits::Caller;
use crate::auth::{
    CurrentUser, Name, NameKey, SessionCookie, begin_session, kind, password, remember_device,
    session_secret, standing,
};
use crate::excluded::{DELETED, Exclusion};
use crate::expel::expel;
use crate::ratings::rating_change;
use crate::ratings::view;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/accounts", post(create_account))
        .route("/session", post(sign_in).delete(sign_out))
        .route("/me", get(me).delete(delete_me))
        .route("/me/password", post(change_password))
        .route("/me/export", get(export_me))
        .route("/me/bot", put(become_bot))
}

/// Who this session or token belongs to, and what it may do.
#[utoipa::path(get, path = "/api/v1/me", tag = "account", responses(
    (status = 200, description = "who asks", body = Me), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn me(user: CurrentUser) -> Result<Json<Me>, ApiError> {
    user.require(Scope::Read)?;
    Ok(Json(user.me()))
}

/// Makes an account. A guest's user becomes the account and keeps its games; the session gets a new secret.
#[utoipa::path(post, path = "/api/v1/accounts", tag = "account", request_body = Credentials, responses(
    (status = 201, description = "made; the cookie is set", body = UserView), (status = 400, body = ErrorBody),
    (status = 401, description = "the API token is not valid", body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub(crate) async fn create_account(
    State(app): State<App>,
    user: Option<CurrentUser>,
    client: Client,
    headers: HeaderMap,
    Body(wanted): Body<Credentials>,
) -> Result<Response, ApiError> {
    if let Some(user) = &user {
        user.require(Scope::Manage)?;
        if user.kind != UserKind::Guest {
            return Err(ApiError::new(ErrorCode::Conflict, "You have an account; sign out first."));
        }
    }
    let name = Name::new(&wanted.name)?;
    password::check(&wanted.password, name.as_str())?;
    app.auth.limits.registrations.check(&client.network())?;
    // Checked before the costly hash; the database has the last word below.
    if app.store.find_user_by_name(name.key().as_str()).await?.is_some() {
        return Err(name_taken());
    }
    let hash = app.auth.hasher.hash(&wanted.password).await?;
    let (key, text) = (name.key().as_str(), name.as_str());
    let id = match &user {
        Some(guest) => {
            app.store.upgrade_guest(guest.id, key, text, &hash).await.map_err(refuse_name)?;
            guest.id
        }
        None => {
            let id = UserId::fresh();
            let new = NewUser {
                id,
                name_key: Some(key.to_owned()),
                name: text.to_owned(),
                kind: kingscross_storage::UserKind::Account,
                password_hash: Some(hash),
                created_at: app.clock.now(),
            };
            app.store.create_user(&new).await.map_err(refuse_name)?;
            id
        }
    };
    let (_, cookie) = begin_session(&app, id, &headers).await?;
    end_presented_session(&app, &headers).await?;
    let device = remember_device(&app, id, &headers, client.network()).await?;
    let view = UserView { id, name: text.to_owned(), kind: UserKind::Account };
    let device = AppendHeaders([(header::SET_COOKIE, device)]);
    Ok((StatusCode::CREATED, cookie, device, Json(view)).into_response())
}

/// Signs in. A refusal does not say whether the name or the password was wrong.
#[utoipa::path(post, path = "/api/v1/session", tag = "account", request_body = Credentials, responses(
    (status = 200, description = "signed in; the cookie is set", body = UserView), (status = 400, body = ErrorBody),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub(crate) async fn sign_in(
    State(app): State<App>,
    client: Client,
    headers: HeaderMap,
    Body(given): Body<Credentials>,
) -> Result<Response, ApiError> {
    let (name, network) = (NameKey::of(&given.name), client.network());
    let user = app.store.find_user_by_name(name.as_str()).await?;
    let standing = standing(&app, user.as_ref().map(|user| user.id), &headers, network).await?;
    let caller = Caller { name, network, standing };
    app.auth.limits.sign_ins.begin(&caller)?;
    let stored = user.as_ref().and_then(|user| user.password_hash.as_deref());
    let is_right = app.auth.hasher.verify(&given.password, stored).await?;
    let user = user.filter(|_| is_right).ok_or_else(bad_credentials)?;
    app.auth.limits.sign_ins.forgive(&caller);
    if user.banned_at.is_some() {
        return Err(ApiError::new(ErrorCode::Forbidden, "This account has been banned."));
    }
    let (_, cookie) = begin_session(&app, user.id, &headers).await?;
    end_presented_session(&app, &headers).await?;
    let device = remember_device(&app, user.id, &headers, network).await?;
    let view = UserView { id: user.id, name: user.name, kind: kind(user.kind) };
    Ok((cookie, AppendHeaders([(header::SET_COOKIE, device)]), Json(view)).into_response())
}

/// Signs out: the session ends and its sockets close.
#[utoipa::path(delete, path = "/api/v1/session", tag = "account", responses(
    (status = 204, description = "the session has ended"), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn sign_out(State(app): State<App>, user: CurrentUser) -> Result<Response, ApiError> {
    user.require(Scope::Manage)?;
    app.store.revoke_session(user.id, &user.session.0).await?;
    app.hub.close_session(user.session);
    Ok((StatusCode::NO_CONTENT, SessionCookie::cleared(&app), ()).into_response())
}

/// Changes the password. Every other session ends at once.
#[utoipa::path(post, path = "/api/v1/me/password", tag = "account", request_body = PasswordChange, responses(
    (status = 204, description = "changed"), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub(crate) async fn change_password(
    State(app): State<App>,
    user: CurrentUser,
    Body(change): Body<PasswordChange>,
) -> Result<StatusCode, ApiError> {
    user.require(Scope::Manage)?;
    user.require_account()?;
    password::check(&change.new, &user.name)?;
    verify(&app, &user, &change.current).await?;
    let hash = app.auth.hasher.hash(&change.new).await?;
    let ended = app.store.change_password(user.id, &hash, Some(&user.session.0)).await?;
    end_sockets(&app, &ended);
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes the account: games stay under the name "deleted player", everything personal is deleted. When
/// the answer comes, lobby seats and the place in the queue are free, and running games show that name.
#[utoipa::path(delete, path = "/api/v1/me", tag = "account", request_body = Deletion, responses(
    (status = 204, description = "deleted"), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub(crate) async fn delete_me(
    State(app): State<App>,
    user: CurrentUser,
    Body(wish): Body<Deletion>,
) -> Result<Response, ApiError> {
    user.require(Scope::Manage)?;
    if user.kind != UserKind::Guest {
        verify(&app, &user, wish.password.as_deref().unwrap_or_default()).await?;
    }
    app.store.delete_user(user.id, DELETED, app.clock.now()).await?;
    expel(&app, user.id, Exclusion::Deleted).await;
    Ok((StatusCode::NO_CONTENT, SessionCookie::cleared(&app), ()).into_response())
}

/// Declares that a program plays under this account. It is shown as a bot and its games are casual from then on, for
/// good. Refused to accounts that have rated games or are playing one. Its sockets close and may connect again.
#[utoipa::path(put, path = "/api/v1/me/bot", tag = "account", responses(
    (status = 204, description = "a bot from now on"), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn become_bot(State(app): State<App>, user: CurrentUser) -> Result<StatusCode, ApiError> {
    user.require(Scope::Manage)?;
    user.require_account()?;
    if user.kind != UserKind::Bot {
        if !app.store.mark_bot(user.id).await? {
            let why = "This account has rated games or is playing one; make another account for the program.";
            return Err(ApiError::new(ErrorCode::Conflict, why));
        }
        app.hub.close_user(user.id);
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Everything that the server stores about one player.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Export {
    user: Me,
    /// The settings that this player's clients keep on the server, as they wrote them.
    settings: String,
    sessions: Vec<SessionView>,
    /// Browsers that have signed in.
    devices: Vec<DeviceView>,
    tokens: Vec<TokenView>,
    ratings: Vec<RatingView>,
    rating_changes: Vec<RatingChangeView>,
    muted: Vec<UserId>,
    blocked: Vec<UserId>,
    reports: Vec<ReportView>,
    chat: Vec<Said>,
    games: Vec<GameSummary>,
}

/// A browser that has signed in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeviceView {
    created: Timestamp,
    last_seen: Timestamp,
}

/// A line that was said at a table.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Said {
    game: GameId,
    at: Timestamp,
    /// The line as it was sent.
    #[schema(value_type = Object)]
    line: serde_json::Value,
}

/// Everything that the server stores about oneself, as one document.
#[utoipa::path(get, path = "/api/v1/me/export", tag = "account", responses(
    (status = 200, description = "all of it", body = Export), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn export_me(State(app): State<App>, user: CurrentUser) -> Result<Response, ApiError> {
    user.require(Scope::Manage)?;
    let (store, now) = (&app.store, app.clock.now());
    let stored = stored_user(&app, &user).await?;
    // The ratings of opponents reveal games of theirs, too.
    let sight = Sight::of(&app, user.id);
    let (mut ratings, mut rating_changes) = (Vec::new(), Vec::new());
    for (pool, stored) in store.list_ratings(user.id).await? {
        let first_hidden = sight.ratings().first_hidden(user.id, &pool).await?;
        let before = first_hidden.map_or(i64::MAX, |row| row.id);
        for row in store.rating_history(user.id, &pool, before, u32::MAX - 1).await? {
            rating_changes.push(rating_change(&row).map_err(|error| ApiError::internal(&error))?);
        }
        let told = sight.ratings().rating(user.id, &pool, stored).await?;
        ratings.extend(told.map(|told| view(&pool, &told, now)));
    }
    let filter = GameFilter { player: Some(PlayerFilter::of(user.id)), ..GameFilter::default() };
    let (mut played, mut cursor) = (Vec::new(), None);
    loop {
        let mut page =
            store.list_games(&filter, Direction::Oldest, cursor, games::query::GREATEST_LIMIT).await?;
        for game in &mut page.games {
            let _ = sight.redact(game);
        }
        played.extend(page.games.iter().map(summary).collect::<Result<Vec<_>, _>>()?);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let mut reports = Vec::new();
    for report in store.list_reports_by(user.id).await? {
        reports.push(report_view(&app, report).await?);
    }
    let said = store.list_chat_by(user.id).await?.into_iter().map(|(game, line)| Said {
        game,
        at: line.at,
        line: serde_json::from_str(&line.body).unwrap_or_default(),
    });
    let export = Export {
        reports,
        chat: said.collect(),
        settings: stored.settings,
        sessions: store.list_sessions(user.id, now).await?.iter().map(|it| session_view(it, &user)).collect(),
        devices: store.list_devices(user.id).await?.iter().map(device_view).collect(),
        tokens: store.list_tokens(user.id).await?.iter().map(token_view).collect(),
        ratings,
        rating_changes,
        muted: store.list_mutes(user.id).await?,
        blocked: store.list_blocks(user.id).await?,
        games: played,
        user: user.me(),
    };
    let name = "attachment; filename=\"kingscross-export.json\"";
    Ok(([(header::CONTENT_DISPOSITION, name)], Json(export)).into_response())
}

fn device_view(device: &Device) -> DeviceView {
    DeviceView { created: device.created_at, last_seen: device.last_seen_at }
}

async fn stored_user(app: &App, user: &CurrentUser) -> Result<User, ApiError> {
    let stored = app.store.find_user(user.id).await?;
    stored.ok_or_else(|| ApiError::internal(&"a session without its user"))
}

/// Checks one's own password; tries are limited.
async fn verify(app: &App, user: &CurrentUser, password: &str) -> Result<(), ApiError> {
    app.auth.limits.passwords.begin(&user.id)?;
    let stored = stored_user(app, user).await?;
    if !app.auth.hasher.verify(password, stored.password_hash.as_deref()).await? {
        return Err(bad_credentials());
    }
    app.auth.limits.passwords.forgive(&user.id);
    Ok(())
}

/// Ends the session that the request came with: others may know its secret.
async fn end_presented_session(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(key) = session_secret(headers).map(|secret| secret.key()) else { return Ok(()) };
    if let Some((session, _)) = app.store.find_session(&key.0, app.clock.now()).await? {
        app.store.revoke_session(session.user, &key.0).await?;
        app.hub.close_session(key);
    }
    Ok(())
}

fn refuse_name(error: NameError) -> ApiError {
    match error {
        NameError::Taken => name_taken(),
        NameError::NoSuchUser => ApiError::new(ErrorCode::Conflict, "You have an account already."),
        NameError::Fault(fault) => fault.into(),
    }
}

fn name_taken() -> ApiError {
    ApiError::new(ErrorCode::NameTaken, "This name, or one that looks like it, is taken.")
}

fn bad_credentials() -> ApiError {
    ApiError::new(ErrorCode::BadCredentials, "Name or password is wrong.")
}
