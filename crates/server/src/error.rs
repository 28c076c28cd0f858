//! Refusals and faults as HTTP answers: one form of body, one status for each code.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use kingscross_protocol::{ErrorBody, ErrorCode};
use kingscross_storage::Fault;

/// A refusal or fault as the client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// What the client reads; boxed so that results stay small.
    pub body: Box<ErrorBody>,
    /// Seconds after which to try again.
    pub retry_after: Option<u64>,
}

impl ApiError {
    /// A refusal with its code and one sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { body: Box::new(ErrorBody::new(code, message)), retry_after: None }
    }

    /// There is no such thing, or none that the user may see.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("There is no such {what}."))
    }

    /// A fault of the server. The cause is logged here and not sent.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        Self::new(ErrorCode::Internal, "The server failed; the fault has been logged.")
    }

    /// The database does not answer. The cause is logged here and not sent.
    pub fn unavailable(cause: &dyn std::fmt::Display) -> Self {
        tracing::warn!(%cause, "storage is unavailable");
        let mut error = Self::new(ErrorCode::Unavailable, "The database does not answer; nothing was done.");
        error.retry_after = Some(1);
        error
    }

    /// The database failed: an outage, after which the client may try again, or else a fault of the server.
    pub fn not_done(fault: &Fault) -> Self {
        if fault.is_outage() { Self::unavailable(fault) } else { Self::internal(fault) }
    }

    /// The HTTP status of this refusal.
    pub fn status(&self) -> StatusCode {
        status(self.body.code)
    }
}

/// The HTTP status of a code.
pub fn status(code: ErrorCode) -> StatusCode {
    use ErrorCode as Code;
    match code {
        Code::BadRequest
        | Code::BadVersion
        | Code::UnknownParameter
        | Code::BadParameter
        | Code::BadCursor
        | Code::BadName
        | Code::BadPassword
        | Code::BadTimeControl
        | Code::BadPhrase
        | Code::BadText
        | Code::UnknownLevel
        | Code::UnknownPool
        | Code::UnknownSeat
        | Code::UnknownVariant => StatusCode::BAD_REQUEST,
        Code::Unauthorized | Code::BadCredentials => StatusCode::UNAUTHORIZED,
        Code::Forbidden
        | Code::BadOrigin
        | Code::NotAPlayer
        | Code::NotHost
        | Code::Muted
        | Code::NeedsAccount => StatusCode::FORBIDDEN,
        Code::NotFound | Code::UnknownGame | Code::UnknownLobby => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::Conflict
        | Code::IdReused
        | Code::NameTaken
        | Code::Stale
        | Code::GameOver
        | Code::GameRunning
        | Code::NoOffer
        | Code::OfferNotNow
        | Code::TooLateToAbort
        | Code::LobbyFull
        | Code::SeatTaken
        | Code::NotInLobby
        | Code::NotReady
        | Code::PlayerAway
        | Code::TooManyOpen
        | Code::NotQueued
        | Code::NoMatch => StatusCode::CONFLICT,
        Code::NotYourTurn | Code::BadAction | Code::IllegalMove | Code::Unresolved | Code::BadPosition => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Code::TooMany | Code::Dodged => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable | Code::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status(), Json(&self.body)).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<ErrorBody> for ApiError {
    fn from(body: ErrorBody) -> Self {
        Self { body: Box::new(body), retry_after: None }
    }
}

impl From<ApiError> for ErrorBody {
    fn from(error: ApiError) -> Self {
        *error.body
    }
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> Self {
        Self::not_done(&fault)
    }
}

/// An error's text as a sentence: capital first, full stop last.
pub(crate) fn sentence(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase).into_iter().flatten();
    let mut sentence: String = first.chain(characters).collect();
    if !sentence.ends_with('.') {
        sentence.push('.');
    }
    sentence
}
