//! Sessions and the cookie that carries them.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponseParts, ResponseParts};
use kingscross_protocol::UserId;
use kingscross_storage::Session;

use super::current_user::{COOKIE, expiry};
use super::{Secret, SessionKey};
use crate::app::App;
use crate::error::ApiError;

/// The longest label of a session, in characters.
const LABEL: usize = 120;

/// A `Set-Cookie` that sets or removes the session in a browser.
pub struct SessionCookie(HeaderValue);

impl SessionCookie {
    /// Sets the secret, for as long as the session lasts without use.
    fn carrying(app: &App, secret: &Secret) -> Self {
        let seconds = u64::from(app.config.accounts.session_days) * 86_400;
        Self::new(app, secret.reveal(), seconds)
    }

    /// Removes the cookie.
    pub fn cleared(app: &App) -> Self {
        Self::new(app, "", 0)
    }

    fn new(app: &App, value: &str, seconds: u64) -> Self {
        Self(cookie(app, COOKIE, value, seconds))
    }
}

/// A `Set-Cookie` that pages cannot read and other sites do not send, for the path under which the server is.
pub(super) fn cookie(app: &App, name: &str, value: &str, seconds: u64) -> HeaderValue {
    let url = &app.config.server.public_url;
    let secure = if url.is_secure() { "; Secure" } else { "" };
    let path = if url.path().is_empty() { "/" } else { url.path() };
    let text = format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).expect("hex digits, plain paths and fixed words")
}

impl IntoResponseParts for SessionCookie {
    type Error = std::convert::Infallible;

    fn into_response_parts(self, mut response: ResponseParts) -> Result<ResponseParts, Self::Error> {
        response.headers_mut().append(header::SET_COOKIE, self.0);
        Ok(response)
    }
}

/// Begins a session with a fresh secret, which nobody can have planted before.
pub async fn begin_session(
    app: &App,
    user: UserId,
    headers: &HeaderMap,
) -> Result<(SessionKey, SessionCookie), ApiError> {
    let (secret, now) = (Secret::fresh()?, app.clock.now());
    let session = Session {
        token_hash: secret.key().0.to_vec(),
        user,
        label: label(headers),
        created_at: now,
        last_seen_at: now,
        expires_at: expiry(app, now),
    };
    app.store.create_session(&session).await?;
    Ok((secret.key(), SessionCookie::carrying(app, &secret)))
}

/// The label by which the owner recognises a session: the browser's `User-Agent`.
fn label(headers: &HeaderMap) -> String {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or("unknown");
    agent.chars().filter(|c| !c.is_control()).take(LABEL).collect()
}
