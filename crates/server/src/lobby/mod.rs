//! Arranging games: lobbies with a host, seats and bots; the live list of lobbies and running games.

mod core;
#[cfg(test)]
mod core_tests;
mod handle;
mod list;
mod rejection;
mod store;
mod task;

pub use core::{Lobby, Person, Place, Taken};
pub use handle::{Inbox, Lobbies, Op};
pub use list::LiveList;
pub use rejection::Rejection;
pub use task::start;
