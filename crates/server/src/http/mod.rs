//! The REST API: one file for each resource.

mod accounts;
mod admin;
mod conduct;
mod cors;
mod extract;
mod games;
mod guest;
mod health;
mod openapi;
mod pools;
mod positions;
mod records;
mod request;
mod sessions;
mod tokens;
mod users;
mod variants;
mod viewer;

pub(crate) use crate::error::ApiError;
pub use extract::{Body, Client, NoParams, Params, Segments};
pub use health::health;
pub(crate) use health::waiting;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use kingscross_protocol::ErrorCode;

use crate::app::App;
use crate::auth::guard_origin;

/// The largest body, in bytes; positions may be larger.
const BODY_LIMIT: usize = 16 * 1024;

/// Everything under `/api/v1` but the WebSocket.
pub fn router(app: &App) -> Router<App> {
    Router::new()
        .merge(guest::router())
        .merge(accounts::router())
        .merge(sessions::router())
        .merge(tokens::router())
        .merge(users::router())
        .merge(conduct::router())
        .merge(admin::router())
        .merge(games::router())
        .merge(records::router())
        .merge(pools::router())
        .merge(positions::router())
        .merge(openapi::router())
        .merge(variants::router())
        .fallback(no_such_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(app.clone(), guard_origin))
        .layer(from_fn_with_state(app.clone(), limit_requests))
        .layer(from_fn(crate::metrics::count_requests))
        .layer(from_fn(request::name))
        .layer(from_fn_with_state(app.clone(), cors::share))
}

async fn limit_requests(
    State(app): State<App>,
    client: Client,
    request: axum::extract::Request,
    next: Next,
) -> Result<Response, ApiError> {
    app.auth.limits.requests.check(&client.network())?;
    Ok(next.run(request).await)
}

pub(crate) async fn no_such_path() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "There is nothing at this path.")
}

pub(crate) async fn wrong_method() -> ApiError {
    ApiError::new(ErrorCode::MethodNotAllowed, "This path does not support this method.")
}
