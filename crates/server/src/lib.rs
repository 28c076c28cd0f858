//! The server: live tables, lobbies and accounts over WebSocket and REST, with the browser client inside.

#![allow(
    unreachable_pub,
    reason = "`pub` is what a module shows to the crate; what leaves the crate is listed here"
)]

mod admin;
mod app;
mod archive;
mod arena;
mod assets;
mod auth;
mod bots;
mod clock;
pub mod config;
mod connections;
mod delays;
mod edge;
mod error;
mod excluded;
mod expel;
mod generate;
mod http;
mod lobby;
mod matchmaking;
mod metrics;
pub mod ratings;
mod serve;
mod sockets;
mod stalls;
mod table;
mod text;
mod upkeep;
mod waiting;
mod ws;

pub use admin::AdminActions;
pub use archive::{BadGame, VerifyError, verify, write_record};
pub use arena::{Arena, Program};
pub use clock::{Clock, moment};
pub use connections::Listener;
pub use generate::{Generate, generate};
pub use metrics::resident_kib;
pub use serve::{Running, ServeError, holder, serve, start};
pub use table::Seated;
pub use waiting::Waiting;
