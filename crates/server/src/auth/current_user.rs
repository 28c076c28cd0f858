//! The proof of being signed in: an extractor for handlers and the WebSocket.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use kingscross_protocol::{ErrorCode, Me, Role, Scope, Timestamp, UserId, UserKind, UserView};
use kingscross_storage::User;

use super::{Secret, SessionKey, check_origin, is_foreign};
use crate::app::App;
use crate::error::ApiError;

/// The name of the session's cookie.
pub(super) const COOKIE: &str = "kingscross";
/// The prefix of API tokens, by which scanners find leaked ones.
pub const TOKEN_PREFIX: &str = "kgx_";

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
const MINUTE: i64 = 60_000;

/// The user of a session or an API token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentUser {
    /// The id.
    pub id: UserId,
    /// The name shown.
    pub name: String,
    /// Guest, account or bot.
    pub kind: UserKind,
    /// The session or token.
    pub session: SessionKey,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// `player`, `moderator` or `admin`.
    pub role: Role,
    /// When the user was first seen.
    pub created: Timestamp,
}

impl CurrentUser {
    /// Refuses if the session or token does not have a scope.
    pub fn require(&self, scope: Scope) -> Result<(), ApiError> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        let message = match scope {
            Scope::Manage => "An API token cannot change the account; sign in.",
            Scope::Play | Scope::Read => "The API token has not the scope for this.",
        };
        Err(ApiError::new(ErrorCode::Forbidden, message))
    }

    /// Refuses guests.
    pub fn require_account(&self) -> Result<(), ApiError> {
        if self.kind == UserKind::Guest {
            return Err(ApiError::new(
                ErrorCode::NeedsAccount,
                "Guests cannot do this; make an account first.",
            ));
        }
        Ok(())
    }

    /// The user as everybody may see it.
    pub fn view(&self) -> UserView {
        UserView { id: self.id, name: self.name.clone(), kind: self.kind }
    }

    /// The user as it sees itself.
    pub fn me(&self) -> Me {
        Me {
            id: self.id,
            name: self.name.clone(),
            kind: self.kind,
            role: self.role,
            created: self.created,
            scopes: self.scopes.clone(),
        }
    }

    fn new(user: User, session: SessionKey, scopes: Vec<Scope>) -> Result<Self, ApiError> {
        if user.banned_at.is_some() {
            return Err(ApiError::new(ErrorCode::Forbidden, "This account has been banned."));
        }
        Ok(Self {
            id: user.id,
            name: user.name,
            kind: kind(user.kind),
            session,
            scopes,
            role: user.role,
            created: user.created_at,
        })
    }
}

/// The kind of a stored user in the protocol.
pub fn kind(stored: kingscross_storage::UserKind) -> UserKind {
    match stored {
        kingscross_storage::UserKind::Guest => UserKind::Guest,
        kingscross_storage::UserKind::Account => UserKind::Account,
        kingscross_storage::UserKind::Bot => UserKind::Bot,
    }
}

impl FromRequestParts<App> for CurrentUser {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        identify(app, &parts.headers).await?.ok_or_else(|| {
            ApiError::new(
                ErrorCode::Unauthorized,
                "There is no session, or it has ended; begin one with POST /api/v1/guest.",
            )
        })
    }
}

impl axum::extract::OptionalFromRequestParts<App> for CurrentUser {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Option<Self>, ApiError> {
        identify(app, &parts.headers).await
    }
}

/// The user who sends these headers; none if they have no valid session or token.
pub async fn identify(app: &App, headers: &HeaderMap) -> Result<Option<CurrentUser>, ApiError> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let secret = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer ")).map(str::trim);
        return by_token(app, secret.unwrap_or_default()).await.map(Some);
    }
    match session_secret(headers).filter(|_| !is_foreign(&app.config.server, headers)) {
        Some(secret) => by_session(app, &secret).await,
        None => Ok(None),
    }
}

/// The session's secret in the cookies, if there is one.
pub fn session_secret(headers: &HeaderMap) -> Option<Secret> {
    cookie_secret(headers, COOKIE)
}

/// The secret in a cookie, if there is one.
pub(super) fn cookie_secret(headers: &HeaderMap, wanted: &str) -> Option<Secret> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(name, _)| *name == wanted)
        .find_map(|(_, value)| Secret::read(value))
}

async fn by_session(app: &App, secret: &Secret) -> Result<Option<CurrentUser>, ApiError> {
    let (key, now) = (secret.key(), app.clock.now());
    let Some((session, user)) = app.store.find_session(&key.0, now).await? else { return Ok(None) };
    // Written once an hour, not at every request.
    if now.since(session.last_seen_at) > HOUR {
        app.store.touch_session(&key.0, now, expiry(app, now)).await?;
    }
    CurrentUser::new(user, key, vec![Scope::Read, Scope::Play, Scope::Manage]).map(Some)
}

async fn by_token(app: &App, text: &str) -> Result<CurrentUser, ApiError> {
    let unknown = || ApiError::new(ErrorCode::Unauthorized, "The API token is unknown or was revoked.");
    let secret = text.strip_prefix(TOKEN_PREFIX).and_then(Secret::read).ok_or_else(unknown)?;
    let (key, now) = (secret.key(), app.clock.now());
    let (token, user) = app.store.find_token(&key.0).await?.ok_or_else(unknown)?;
    if token.last_used_at.is_none_or(|last| now.since(last) > MINUTE) {
        app.store.touch_token(token.id, now).await?;
    }
    CurrentUser::new(user, key, token.scopes.iter().filter_map(|word| scope(word)).collect())
}

/// The scope of a stored word; none for a word of a later version.
pub fn scope(word: &str) -> Option<Scope> {
    match word {
        "read" => Some(Scope::Read),
        "play" => Some(Scope::Play),
        _ => None,
    }
}

/// When a session that is used now expires.
pub(super) fn expiry(app: &App, now: Timestamp) -> Timestamp {
    now.plus(i64::from(app.config.accounts.session_days) * DAY)
}

/// Refuses requests that change something and come from a page of another site.
pub async fn guard_origin(
    axum::extract::State(app): axum::extract::State<App>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Result<axum::response::Response, ApiError> {
    if !request.method().is_safe() {
        check_origin(&app.config.server, request.headers())?;
    }
    Ok(next.run(request).await)
}
