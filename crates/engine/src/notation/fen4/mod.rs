//! FEN4: one position of a 14×14 game as one line, as four-player analysis boards and engines read it.
//!
//! The writer is strict and loses nothing: what the format has no field for goes into its extras, under keys of our own.
//! The reader is tolerant: it takes positions of other programs' free-for-all games as analysis positions, keeps the extras
//! that it does not know, and says what it had to drop. `'ruleset'` is our mark of the rules that a position is of.

mod board;
mod extras;
mod read;
mod write;

use serde_json::Value;

pub(super) use read::placed;
pub use read::{read, read_noting};
pub(super) use write::write_with;
pub use write::{export, write};

use crate::{RULES_VERSION, Variant};

/// Files and ranks of the board that FEN4 describes.
const SIDE: usize = 14;
/// Colours in the order of every list in the format.
const COLOURS: [char; 4] = ['R', 'B', 'Y', 'G'];
/// Larger texts are refused unread; a full board needs about 1,000 characters.
const MAX_LENGTH: usize = 16 * 1024;

/// The tag of a script that keeps what FEN4's extras say to other programs only.
pub const EXTRAS_TAG: &str = "Fen4Extras";

/// A position read from FEN4.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The game that it is a position of.
    pub variant: Variant,
    /// The position document, to be loaded by `Game::load`.
    pub document: Value,
    /// The extras that mean nothing here, as they are written; for the tag [`EXTRAS_TAG`].
    pub extras: String,
    /// What the text says and the variant cannot: one sentence each.
    pub dropped: Vec<String>,
}

/// Why a text is not FEN4.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadFen4(pub String);

fn bad<T>(why: impl Into<String>) -> Result<T, BadFen4> {
    Err(BadFen4(why.into()))
}

/// The army letters of a variant in the order Red, Blue, Yellow, Green.
pub(super) fn letters(variant: Variant) -> Option<[char; 4]> {
    let rules = variant.rules();
    if usize::from(rules.width()) != SIDE || usize::from(rules.height()) != SIDE {
        return None;
    }
    let mut letters = [' '; 4];
    for (slot, &seat) in letters.iter_mut().zip(rules.turn_order) {
        *slot = rules.letter(seat);
    }
    Some(letters)
}

/// The game that our own mark names: `kingdoms/1` is kingdoms by version 1 of its rules.
pub(super) fn named_rules(mark: &str) -> Result<Variant, String> {
    let shown: String = mark.chars().take(40).collect::<String>().escape_debug().to_string();
    let (name, version) =
        mark.split_once('/').ok_or_else(|| format!("the ruleset `{shown}` has no version behind a /"))?;
    let variant: Variant = name.parse().map_err(|_| format!("no game has the ruleset `{shown}`"))?;
    if letters(variant).is_none() {
        return Err(format!("the ruleset `{shown}` is of no game on the 14×14 board"));
    }
    if version != RULES_VERSION.to_string() {
        return Err(format!("the ruleset `{shown}` is of another version than {RULES_VERSION}"));
    }
    Ok(variant)
}

pub(super) fn exists(file: usize, rank: usize) -> bool {
    (3..11).contains(&file) || (3..11).contains(&rank)
}

/// Is it the name of a square of the 14×14 board?
pub(super) fn is_square(name: &str) -> bool {
    (0..SIDE).any(|file| (0..SIDE).any(|rank| exists(file, rank) && square_name(file, rank) == name))
}

pub(super) fn square_name(file: usize, rank: usize) -> String {
    format!("{}{}", char::from(b'a' + file as u8), rank + 1)
}
