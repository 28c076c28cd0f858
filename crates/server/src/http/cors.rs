//! Pages of other sites that may use the API: those of `server.origins`, announced to browsers by CORS headers. For
//! other pages there are no such headers, so that browsers keep answers from them.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::request::REQUEST_ID;
use crate::app::App;

/// The methods that pages may use, and the headers they may send. Credentials are not allowed: a page of another site
/// sends an API token, and cookies are for the server's own pages.
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, DELETE");
const HEADERS: HeaderValue = HeaderValue::from_static("authorization, content-type");
/// How long a browser remembers that, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("3600");

/// Answers preflight requests of listed origins, and lets their pages read answers.
pub(super) async fn share(State(app): State<App>, request: Request, next: Next) -> Response {
    let origins = &app.config.server.origins;
    if origins.is_empty() {
        return next.run(request).await;
    }
    let origin = request.headers().get(header::ORIGIN).cloned();
    let origin = origin.filter(|origin| origins.iter().any(|listed| listed.as_str().as_bytes() == origin));
    let asks = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let is_preflight = origin.is_some() && asks && request.method() == Method::OPTIONS;
    let mut response =
        if is_preflight { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    let headers = response.headers_mut();
    if let Some(origin) = origin {
        allow(headers, origin, is_preflight);
    }
    // A cache must not give this answer to a page of another origin.
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    response
}

fn allow(headers: &mut HeaderMap, origin: HeaderValue, is_preflight: bool) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    if is_preflight {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    } else {
        let exposed = format!("{REQUEST_ID}, {}, {}", header::RETRY_AFTER, header::CONTENT_DISPOSITION);
        let exposed = HeaderValue::from_str(&exposed).expect("names of headers");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    }
}
