//! The WebSocket: upgrade, one task per socket, limits, dispatch to tables and lobbies.

mod connection;
mod credits;
mod dispatch;
mod upgrade;

pub use upgrade::{Addresses, router};
