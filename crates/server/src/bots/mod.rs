//! Bots of the server: their levels, names and ids, and the threads they think on. What they do at a table is
//! `table::bot_driver`.

mod bot_threads;

use kingscross_bot::Level;
use kingscross_protocol::{GameId, SeatLetter, UserId};
use sha2::{Digest, Sha256};

pub(crate) use bot_threads::{BotThreads, Whose};

/// Whether there are bots of this level.
pub fn is_level(level: &str) -> bool {
    level.parse::<Level>().is_ok()
}

/// The levels that are opponents, from the weakest to the strongest.
pub fn levels() -> Vec<String> {
    Level::opponents().map(|level| level.name().to_owned()).collect()
}

/// The refusal of a level that does not exist: it names the levels that do.
pub(crate) fn unknown_level() -> String {
    format!("There is no such bot level; there are {}.", levels().join(", "))
}

/// The name under which a bot plays.
pub fn name(level: &str) -> String {
    let mut letters = level.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{} (bot)", letters.as_str())
}

/// The id of the bot at a seat of a game. Bots have no account: each is one of its game, and its id follows from game
/// and seat, so that lists, tables and records name the same one.
pub fn user(game: GameId, seat: SeatLetter) -> UserId {
    let digest =
        Sha256::new().chain_update(game.0).chain_update(b"bot").chain_update([seat.0 as u8]).finalize();
    let bytes = digest[..16].try_into().expect("32 bytes");
    UserId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}
