//! An id for every request, in its log lines and in its answer, so that the report of a fault can name it.

use axum::extract::{OriginalUri, Request};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;
use uuid::Uuid;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Carries out a request under an id made by the server: one from outside could forge log lines.
pub(super) async fn name(request: Request, next: Next) -> Response {
    let id = Uuid::now_v7().to_string();
    // The whole path: routers see only their part of it. The query is left out: it may be long, and contain anything.
    // A path is percent-encoded.
    let original = request.extensions().get::<OriginalUri>();
    let path = original.map_or(request.uri(), |original| &original.0).path();
    let span = tracing::info_span!("request", id, method = %request.method(), path);
    let answering = async {
        let response = next.run(request).await;
        tracing::debug!(status = response.status().as_u16(), "answered");
        response
    };
    let mut response = answering.instrument(span).await;
    let value = HeaderValue::try_from(id).expect("hexadecimal digits and hyphens");
    response.headers_mut().insert(REQUEST_ID, value);
    // Browsers must not guess the type of an answer.
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
