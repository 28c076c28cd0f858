//! Client of a Kingscross server: REST and WebSocket, with resume. Knows the protocol and no rules.

mod address;
mod client;
mod connection;
mod driver;
mod game_view;
mod http;
mod inconsistent;
mod socket;

pub use address::{Address, BadAddress};
pub use client::{Client, ConnectError, Credentials};
pub use connection::{Connection, Done, Incoming, Options, Refusal, Requester, Unanswered};
pub use game_view::{Applied, GameView};
pub use http::CallError;
pub use inconsistent::Inconsistent;
pub use socket::{Greeting, Lost, Socket};
