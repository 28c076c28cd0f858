//! Whether the server lives, and whether it can serve.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{any, get};
use axum::{Json, Router};
use kingscross_protocol::ErrorCode;
use serde::Serialize;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::{ApiError, wrong_method};
use crate::app::App;

/// Health, outside of `/api/v1`.
pub fn health() -> Router<App> {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        // Where Prometheus looks first; a page for people would puzzle it.
        .route("/metrics", any(metrics_elsewhere))
        .method_not_allowed_fallback(wrong_method)
}

async fn metrics_elsewhere() -> ApiError {
    let text = "Metrics are served at an address of their own, which the option metrics.listen names.";
    ApiError::new(ErrorCode::NotFound, text)
}

/// The answers of a server that waits for its database.
pub(crate) fn waiting(why: watch::Receiver<String>) -> Router {
    let unready = async |State(why): State<watch::Receiver<String>>| {
        let database = why.borrow().clone();
        let readiness = Readiness { ready: false, database, server: "starting" };
        (StatusCode::SERVICE_UNAVAILABLE, Json(readiness))
    };
    let all_else = async || {
        let text = "The server waits for its database; try again in a moment.";
        ApiError { retry_after: Some(1), ..ApiError::new(ErrorCode::Unavailable, text) }
    };
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(unready))
        .method_not_allowed_fallback(wrong_method)
        .fallback(all_else)
        .with_state(why)
}

/// Whether the server is ready, part by part.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Readiness {
    /// Whether everything is.
    ready: bool,
    /// `ok`, or why the database cannot be used.
    database: String,
    /// `ok`, `starting` while it waits for the database, or `stopping`.
    server: &'static str,
}

/// The process answers.
#[utoipa::path(get, path = "/healthz", tag = "operation", responses((status = 200, description = "it answers", body = String, content_type = "text/plain")))]
pub(crate) async fn alive() -> &'static str {
    "ok"
}

/// The server can take requests; if not, this tells why.
#[utoipa::path(get, path = "/readyz", tag = "operation", responses(
    (status = 200, description = "ready", body = Readiness), (status = 503, description = "not ready", body = Readiness)))]
pub(crate) async fn ready(State(app): State<App>) -> (StatusCode, Json<Readiness>) {
    let database = match app.store.ping().await {
        // Whoever can read may not be able to write: the disk is full, the file is gone, the server is a standby.
        Ok(()) => app.store.try_writing().await.err().unwrap_or_else(|| "ok".to_owned()),
        Err(fault) => fault.to_string(),
    };
    let server = if app.stop.is_cancelled() { "stopping" } else { "ok" };
    let ready = database == "ok" && server == "ok";
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, database, server }))
}
