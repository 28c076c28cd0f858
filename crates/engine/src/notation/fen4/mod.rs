//! FEN4: one position of a 14×14 game as one line, as four-player analysis boards and engines read it.
//!
//! The writer is strict and loses nothing: what the format has no field for stands in its extras, under keys of our own.
//! The reader is tolerant: it takes positions of other programs' free-for-all games as analysis positions and says what
//! it had to drop.

mod extras;
mod read;
mod write;

use serde_json::Value;

pub use read::read;
pub use write::write;

use crate::Variant;

/// Files and ranks of the board that FEN4 describes.
const SIDE: usize = 14;
/// Colours in the order of every list in the format.
const COLOURS: [char; 4] = ['R', 'B', 'Y', 'G'];
/// Larger texts are refused unread; a full board needs about 1,000 characters.
const MAX_LENGTH: usize = 16 * 1024;

/// A position read from FEN4.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The position document, to be loaded by `Game::load`.
    pub document: Value,
    /// What the text says and the variant cannot: one sentence each.
    pub dropped: Vec<String>,
}

/// Why a text is no FEN4.
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

fn exists(file: usize, rank: usize) -> bool {
    (3..11).contains(&file) || (3..11).contains(&rank)
}

fn square_name(file: usize, rank: usize) -> String {
    format!("{}{}", char::from(b'a' + file as u8), rank + 1)
}
