//! Browsers that have signed in before: others who guess at the account's password do not lock them out.

use axum::http::{HeaderMap, HeaderValue};
use kingscross_protocol::UserId;
use kingscross_storage::Device;

use super::current_user::cookie_secret;
use super::limits::{Network, Standing};
use super::session::cookie;
use super::{Secret, SessionKey};
use crate::app::App;
use crate::error::ApiError;

/// The name of the cookie.
const COOKIE: &str = "kx_device";
/// How long a browser that does not sign in is remembered; browsers keep no cookie longer.
const DAYS: i64 = 400;

/// How the account of `user` knows the sender of these headers.
pub async fn standing(
    app: &App,
    user: Option<UserId>,
    headers: &HeaderMap,
    network: Network,
) -> Result<Standing, ApiError> {
    let Some(user) = user else { return Ok(Standing::Stranger) };
    let devices = app.store.list_devices(user).await?;
    let presented = cookie_secret(headers, COOKIE).map(|secret| secret.key());
    let known = presented.filter(|key| devices.iter().any(|device| device.token_hash == key.0));
    if let Some(key) = known {
        return Ok(Standing::Device(key));
    }
    let here = network.hash_for(user);
    let is_known = devices.iter().any(|device| device.network_hash == here);
    Ok(if is_known { Standing::Network } else { Standing::Stranger })
}

/// Remembers a browser that has signed in, and returns its cookie. A browser that the account knows keeps its secret; any
/// other gets a fresh one, which nobody can have planted.
pub async fn remember_device(
    app: &App,
    user: UserId,
    headers: &HeaderMap,
    network: Network,
) -> Result<HeaderValue, ApiError> {
    let now = app.clock.now();
    let known = app.store.list_devices(user).await?;
    let is_known = |key: SessionKey| known.iter().any(|device| device.token_hash == key.0);
    let secret = match cookie_secret(headers, COOKIE).filter(|secret| is_known(secret.key())) {
        Some(secret) => secret,
        None => Secret::fresh()?,
    };
    app.store
        .save_device(&Device {
            user,
            token_hash: secret.key().0.to_vec(),
            network_hash: network.hash_for(user).to_vec(),
            created_at: now,
            last_seen_at: now,
        })
        .await?;
    Ok(cookie(app, COOKIE, secret.reveal(), DAYS.unsigned_abs() * 86_400))
}

/// Forgets browsers whose cookies have expired.
pub async fn sweep_devices(app: &App) -> Result<(), kingscross_storage::Fault> {
    let since = app.clock.now().plus(-DAYS * 86_400_000);
    app.store.sweep_devices(since).await.map(|_| ())
}
