//! Whether the server is alive, and whether it can take requests.

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
        // Prometheus looks here first; the web client would confuse it.
        .route("/metrics", any(metrics_elsewhere))
        .method_not_allowed_fallback(wrong_method)
}

async fn metrics_elsewhere() -> ApiError {
    let text = "Metrics are served at another address, set by the option metrics.listen.";
    ApiError::new(ErrorCode::NotFound, text)
}

/// Answers while the server waits for its database.
pub(crate) fn waiting(why: watch::Receiver<String>) -> Router {
    let unready = async |State(why): State<watch::Receiver<String>>| {
        let database = why.borrow().clone();
        let readiness = Readiness { ready: false, database, server: "starting" };
        (StatusCode::SERVICE_UNAVAILABLE, Json(readiness))
    };
    let all_else = async || {
        let text = "The server is waiting for its database; try again in a moment.";
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
    /// Whether all parts are ready.
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

/// Whether the server can take requests, and if not, why.
#[utoipa::path(get, path = "/readyz", tag = "operation", responses(
    (status = 200, description = "ready", body = Readiness), (status = 503, description = "not ready", body = Readiness)))]
pub(crate) async fn ready(State(app): State<App>) -> (StatusCode, Json<Readiness>) {
    let database = match app.store.ping().await {
        // Reading may work where writing does not: the disk is full, the file is gone, the server is a standby.
        Ok(()) => app.store.try_writing().await.err().unwrap_or_else(|| "ok".to_owned()),
        Err(fault) => fault.to_string(),
    };
    let server = if app.stop.is_cancelled() { "stopping" } else { "ok" };
    let ready = database == "ok" && server == "ok";
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, database, server }))
}
