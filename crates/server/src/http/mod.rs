//! The REST API.

use axum::Router;

use crate::App;

/// Everything under `/api/v1` but the WebSocket.
pub fn router() -> Router<App> {
    Router::new()
}
