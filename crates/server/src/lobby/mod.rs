//! Arranging games: lobbies with a host, seats and bots; the live list of lobbies and running games.

mod core;
mod list;
mod store;
mod task;

pub use core::{Lobby, Person, Place, Taken};
pub use list::LiveList;
pub use task::{Inbox, Lobbies, Op, start};
