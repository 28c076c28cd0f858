//! API tokens, for programs that act for an account.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Json, Router};
use kingscross_protocol::{ErrorBody, ErrorCode, NewToken, Scope, TokenMade, TokenView};
use kingscross_storage::Token;
use uuid::Uuid;

use super::{ApiError, Body, Segments};
use crate::app::App;
use crate::auth::{CurrentUser, Secret, SessionKey, TOKEN_PREFIX, scope};
use crate::text::{self, Lines};

/// The longest name of a token, in characters.
const LONGEST_NAME: usize = 40;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/me/tokens", get(list_tokens).post(create_token))
        .route("/me/tokens/{token}", delete(revoke_token))
}

/// One's valid API tokens, newest first.
#[utoipa::path(get, path = "/api/v1/me/tokens", tag = "account", responses(
    (status = 200, description = "the tokens", body = Vec<TokenView>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn list_tokens(
    State(app): State<App>,
    user: CurrentUser,
) -> Result<Json<Vec<TokenView>>, ApiError> {
    user.require(Scope::Manage)?;
    Ok(Json(valid_tokens(&app, &user).await?.iter().map(token_view).collect()))
}

/// Makes an API token. Its secret is shown only in this answer.
#[utoipa::path(post, path = "/api/v1/me/tokens", tag = "account", request_body = NewToken, responses(
    (status = 201, description = "made; the answer has the secret", body = TokenMade), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn create_token(
    State(app): State<App>,
    user: CurrentUser,
    Body(wanted): Body<NewToken>,
) -> Result<(StatusCode, Json<TokenMade>), ApiError> {
    user.require(Scope::Manage)?;
    user.require_account()?;
    let name = text::filled("A token's name", &wanted.name, LONGEST_NAME, Lines::One)?;
    let mut scopes: Vec<Scope> = wanted.scopes.into_iter().map(Scope::from).collect();
    scopes.sort();
    scopes.dedup();
    if scopes.is_empty() {
        return Err(ApiError::new(ErrorCode::BadRequest, "Give a token the scope `read`, `play` or both."));
    }
    if valid_tokens(&app, &user).await?.len() >= app.config.accounts.tokens_per_user {
        return Err(ApiError::new(
            ErrorCode::Conflict,
            "You have as many tokens as one may; revoke one first.",
        ));
    }
    let secret = Secret::fresh()?;
    let token = Token {
        id: Uuid::now_v7(),
        token_hash: secret.key().0.to_vec(),
        user: user.id,
        name: name.to_owned(),
        scopes: scopes.iter().map(|&scope| word(scope).to_owned()).collect(),
        created_at: app.clock.now(),
        last_used_at: None,
        revoked_at: None,
    };
    app.store.create_token(&token).await?;
    let secret = format!("{TOKEN_PREFIX}{}", secret.reveal());
    Ok((StatusCode::CREATED, Json(TokenMade { token: token_view(&token), secret })))
}

/// Revokes an API token; its sockets close at once.
#[utoipa::path(delete, path = "/api/v1/me/tokens/{token}", tag = "account",
    params(("token" = String, Path, description = "The token's id", format = "uuid")), responses(
    (status = 204, description = "revoked"), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub(crate) async fn revoke_token(
    State(app): State<App>,
    user: CurrentUser,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    user.require(Scope::Manage)?;
    let unknown = || ApiError::not_found("token");
    let id: Uuid = id.parse().map_err(|_| unknown())?;
    let tokens = valid_tokens(&app, &user).await?;
    let token = tokens.iter().find(|token| token.id == id).ok_or_else(unknown)?;
    app.store.revoke_token(user.id, id, app.clock.now()).await?;
    if let Some(key) = SessionKey::of_hash(&token.token_hash) {
        app.hub.close_session(key);
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn valid_tokens(app: &App, user: &CurrentUser) -> Result<Vec<Token>, ApiError> {
    let mut tokens = app.store.list_tokens(user.id).await?;
    tokens.retain(|token| token.revoked_at.is_none());
    Ok(tokens)
}

/// A token as its owner sees it.
pub(crate) fn token_view(token: &Token) -> TokenView {
    TokenView {
        id: token.id,
        name: token.name.clone(),
        scopes: token.scopes.iter().filter_map(|word| scope(word)).collect(),
        created: token.created_at,
        last_used: token.last_used_at,
    }
}

fn word(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "read",
        Scope::Play => "play",
        Scope::Manage => "manage",
    }
}
