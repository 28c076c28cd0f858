//! The server: live tables, lobbies and accounts over WebSocket and REST, with the browser client inside.

pub mod admin;
pub mod aggression;
pub mod app;
pub mod arena;
pub mod assets;
pub mod auth;
mod barred;
pub mod bots;
pub mod clock;
pub mod config;
mod connections;
mod delays;
pub mod generate;
pub mod http;
pub mod hub;
mod line;
pub mod lobby;
pub mod matchmaking;
pub mod metrics;
mod misfit;
mod notices;
pub mod phrases;
pub mod proxies;
pub mod ratings;
pub mod records;
pub mod searches;
pub mod serve;
pub mod socket;
pub mod stalls;
pub mod table;
mod text;
pub mod upkeep;
pub mod verify;
pub mod ws;

pub use app::App;
pub use serve::{Running, ServeError, serve, start};
