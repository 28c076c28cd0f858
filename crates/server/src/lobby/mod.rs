//! Arranging games: lobbies with a host, seats and bots; the live list of lobbies and running games.

mod core;
#[cfg(test)]
mod core_tests;
mod handle;
mod list;
mod rejection;
mod store;
mod task;

pub use core::LobbyUser;
pub use handle::{Lobbies, Op};
pub use rejection::Rejection;
pub use task::start;
