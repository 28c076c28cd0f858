//! Turns an HTTP request into a socket: who may open one, and with which limits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{ConnectInfo, FromRequestParts, State, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use kingscross_protocol::{ErrorCode, Scope};

use super::connection::{self, Below};
use crate::app::App;
use crate::auth::limits::Network;
use crate::auth::{CurrentUser, check_origin};
use crate::edge::TcpConnection;
use crate::edge::{Peer, client_address};
use crate::error::ApiError;

/// Far more than the snapshot of the longest game; how much may wait is limited by the queue.
const LONGEST_MESSAGE: usize = 32 << 20;

/// `/ws`
pub fn router() -> Router<App> {
    Router::new().route("/ws", any(upgrade))
}

/// Open sockets by network, so that no network can take them all.
#[derive(Debug, Default)]
pub struct Addresses {
    // Counted up and down by handlers and sockets; never held across an await.
    open: Mutex<HashMap<Network, usize>>,
}

/// One counted socket of a network; no longer counted once it is dropped.
#[derive(Debug)]
pub struct Counted {
    addresses: Arc<Addresses>,
    network: Network,
}

impl Addresses {
    /// Counts a socket, unless the network has as many as it may.
    pub fn count(self: &Arc<Self>, network: Network, limit: usize) -> Option<Counted> {
        let mut open = self.open.lock().expect("no panic while held");
        let count = open.entry(network).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(Counted { addresses: self.clone(), network })
    }

    /// How many networks have sockets open.
    pub fn count_all(&self) -> usize {
        self.open.lock().expect("no panic while held").len()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut open = self.addresses.open.lock().expect("no panic while held");
        if let Some(count) = open.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.network);
            }
        }
    }
}

async fn upgrade(
    State(app): State<App>,
    headers: HeaderMap,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: axum::extract::Request,
) -> Result<Response, ApiError> {
    check_origin(&app.config.server, &headers)?;
    let (mut parts, _) = request.into_parts();
    let user = CurrentUser::from_request_parts(&mut parts, &app).await?;
    user.require(Scope::Play)?;
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &app).await.map_err(
        |rejection: WebSocketUpgradeRejection| ApiError::new(ErrorCode::BadRequest, rejection.to_string()),
    )?;
    if app.stop.is_cancelled() {
        return Err(ApiError::new(ErrorCode::ShuttingDown, "The server is stopping."));
    }
    let config = &app.config.websocket;
    // What a proxy's system acknowledges says nothing about the way to the client.
    let is_proxied = peer.is_proxy(&app.config.server.trusted_proxies);
    let line = parts.extensions.get::<TcpConnection>().cloned().map(|line| Below { line, is_proxied });
    let network = Network::of(client_address(&app.config.server.trusted_proxies, &headers, peer));
    let counted = app
        .addresses
        .count(network, config.max_per_address)
        .ok_or_else(|| ApiError::new(ErrorCode::TooMany, "This address has too many sockets open."))?;
    let muted = app.store.list_mutes(user.id).await?;
    let upgrade = upgrade
        // The read buffer is filled with zeroes before each read: a large one costs memory and time at once.
        .read_buffer_size(config.read_buffer_bytes)
        .write_buffer_size(config.write_buffer_bytes)
        // Holds the write buffer and one message; the longest is the snapshot of a game of the greatest length.
        .max_write_buffer_size(LONGEST_MESSAGE)
        .max_message_size(config.max_message_bytes)
        .max_frame_size(config.max_message_bytes);
    let tracker = app.tracker.clone();
    Ok(upgrade
        .on_upgrade(move |ws| async move {
            let run = Box::pin(connection::run(app, ws, line, headers, user, muted));
            tracker.track_future(run).await;
            drop(counted);
        })
        .into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_of_a_network_are_counted_up_and_down() {
        let all = Arc::new(Addresses::default());
        let network = |text: &str| Network::of(text.parse().expect("an address"));
        for [address, neighbour] in [["127.0.0.1", "127.0.0.1"], ["2001:db8::1", "2001:db8::ffff:2"]] {
            let one = all.count(network(address), 1).expect("room");
            assert!(all.count(network(neighbour), 1).is_none());
            drop(one);
            assert!(all.count(network(neighbour), 1).is_some());
        }
        assert!(all.open.lock().expect("no panic").is_empty());
    }
}
