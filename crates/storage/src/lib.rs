//! All SQL of Kingscross: one [`Store`] over SQLite or PostgreSQL.
//!
//! What happens to a game goes through the group-commit [`Writer`]; everything else is a method of [`Store`].
//! Storage knows no event and no rule: bodies are JSON text that is handed back byte for byte, reasons and
//! variants are words. It has no clock either: every moment is given.

#[macro_use]
mod database;
mod backup;
mod bulk;
mod chat;
mod conduct;
mod devices;
mod dodges;
mod enums;
mod events;
mod explain;
mod export;
mod fault;
mod files;
mod game_list;
mod games;
mod hold;
mod import;
mod ledger;
mod lobbies;
mod open;
mod pool;
mod ratings;
mod sessions;
mod store;
mod tables;
mod tickets;
mod tokens;
mod users;
mod writer;

pub use backup::BackupError;
pub use bulk::PlayedGame;
pub use chat::ChatLine;
pub use conduct::{AuditEntry, NewReport, Report};
pub use devices::Device;
pub use dodges::{Dodge, Dodges};
pub use enums::{GameStatus, PlayerResult, UserKind};
pub use events::StoredEvent;
pub use explain::Listing;
pub use export::ExportError;
pub use fault::Fault;
pub use game_list::{BadCursor, Direction, GameCursor, GameFilter, GamePage, PlayerFilter};
pub use games::{Game, GamePlayer, GameSummary, HiddenGame, LoadedGame};
pub use hold::{ClaimError, Holder, Standing};
pub use import::ImportError;
pub use ledger::{LedgerEntry, Rebuild};
pub use lobbies::{Lobby, LobbySeat};
pub use open::{OpenError, Options, Schema, sqlite_file};
pub use ratings::{LeaderboardCursor, LeaderboardEntry, LeaderboardPage, Settled, StoredRating};
pub use sessions::Session;
pub use store::Store;
pub use tickets::Ticket;
pub use tokens::Token;
pub use users::{NameError, NewUser, User};
pub use writer::{
    Append, AppendError, Appended, Commanded, Finish, FinishedPlayer, NewEvent, NewGame, NewPlayer, Rate,
    RatingChange, RatingTask, Writer,
};
