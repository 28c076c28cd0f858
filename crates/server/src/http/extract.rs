//! Bodies and queries as handlers want them. What does not fit is refused with an [`ApiError`].

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use kingscross_protocol::ErrorCode;
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::timeout;

use super::ApiError;
use crate::app::App;
use crate::auth::limits::Network;
use crate::edge::{Object, Peer, client_address, explain};

/// A JSON body.
pub struct Body<T>(pub T);

/// A query string.
pub struct Params<T>(pub T);

/// The variable parts of a path. If they cannot be read, nothing is at that path.
pub struct Segments<T>(pub T);

/// The address of the client, as far as it can be trusted.
#[derive(Clone, Copy, Debug)]
pub struct Client(pub IpAddr);

impl Client {
    /// The network that limits apply to.
    pub fn network(self) -> Network {
        Network::of(self.0)
    }
}

impl<T: DeserializeOwned> FromRequest<App> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        // As long as a head may take: a client that writes slowly must not hold a connection for ever.
        let limit = Duration::from_millis(app.config.server.head_ms);
        match timeout(limit, Json::<Object<T>>::from_request(request, app)).await {
            Ok(Ok(Json(Object(body)))) => Ok(Self(body)),
            Ok(Err(rejection)) => Err(refuse_body(&rejection)),
            Err(_) => Err(ApiError::new(ErrorCode::BadRequest, "The body did not come in time.")),
        }
    }
}

fn refuse_body(rejection: &JsonRejection) -> ApiError {
    match rejection {
        _ if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            ApiError::new(ErrorCode::TooLarge, "The body is larger than the server reads.")
        }
        JsonRejection::MissingJsonContentType(_) => {
            ApiError::new(ErrorCode::BadRequest, "The body must be sent as application/json.")
        }
        JsonRejection::JsonDataError(error) => {
            ApiError::new(ErrorCode::BadRequest, format!("The body does not fit: {}.", explain(error)))
        }
        JsonRejection::JsonSyntaxError(error) => {
            ApiError::new(ErrorCode::BadRequest, format!("The body is not valid JSON: {}.", explain(error)))
        }
        _ => ApiError::new(ErrorCode::BadRequest, "The body cannot be read."),
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Segments<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(segments)| Self(segments)).map_err(|_| ApiError::not_found("thing at this path"))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match Query::<T>::try_from_uri(&parts.uri) {
            Ok(Query(params)) => Ok(Self(params)),
            Err(rejection) => Err(refuse_query(&rejection)),
        }
    }
}

fn refuse_query(rejection: &QueryRejection) -> ApiError {
    let text = explain(rejection);
    // Serde names an unknown field in its message and nowhere else.
    let code =
        if text.contains("unknown field") { ErrorCode::UnknownParameter } else { ErrorCode::BadParameter };
    ApiError::new(code, format!("The query does not fit: {text}."))
}

/// Accepts no query parameter at all.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

impl FromRequestParts<App> for Client {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let peer = parts.extensions.get::<ConnectInfo<Peer>>().map(|info| info.0);
        let peer = peer.ok_or_else(|| ApiError::internal(&"a request without an address"))?;
        Ok(Self(client_address(&app.config.server.trusted_proxies, &parts.headers, peer)))
    }
}
