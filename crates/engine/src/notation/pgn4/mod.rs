//! PGN4: a whole 14×14 game as text, as four-player analysis boards read it.
//!
//! Our own games come back exactly: the tag `Ruleset` names the rules, and what PGN4 has no word for goes into comments
//! `[%act …]` (in place of the word before it) and `[%also …]` (beside it). Games of other programs are replayed by the
//! rules of one of our variants as far as they are legal there; the first ply that is not is named.

mod read;
mod text;
mod write;

pub(super) use read::parts;
pub use read::{read, read_noting};
pub use text::games;
pub(super) use text::{MoveWord, Tags, Word};
pub use write::write;

use super::Script;

/// Larger texts are refused unread.
const MAX_LENGTH: usize = 1024 * 1024;
/// Colour names in the order of the format's lists.
const COLOURS: [&str; 4] = ["Red", "Blue", "Yellow", "Green"];

/// A game read from PGN4.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The game.
    pub script: Script,
    /// What the text says and the script cannot: one sentence each.
    pub dropped: Vec<String>,
}

/// Why a text is not a game that can be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPgn4 {
    /// The text is too long, or brackets do not close.
    #[error("{0}")]
    Shape(String),
    /// The text holds more games than one.
    #[error("the text holds {count} games, of which one is read: {}", .list.join("; "))]
    Several {
        /// How many.
        count: usize,
        /// One line each; not all of very many.
        list: Vec<String>,
    },
    /// The start position is not one of the variant.
    #[error("start position: {0}")]
    Start(String),
    /// A word of the movetext is not legal in its place.
    #[error("ply {ply}: {text}: {why}")]
    Ply {
        /// Counted from 1.
        ply: usize,
        /// The word as written.
        text: String,
        /// What is wrong with it.
        why: String,
    },
}

/// The name of a square in two parts.
fn file_and_rank(name: &str) -> Option<(u8, u8)> {
    let file = *name.as_bytes().first()?;
    Some((file, name.get(1..)?.parse().ok()?))
}

/// Is it a name that a tag can have? Any other would be read as something else than it was written as.
fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
