//! Snapshot v1 of QuaterniTS: quaternity games as its library saves and loads them.
//!
//! Both sides replay: what is read is believed only when our own replay of its actions gives the same log and state.

mod read;
mod write;

pub use read::{BadSnapshot, read};
pub use write::{left_out, write};

/// The tag of a script that names the squares of its start whose pawns were advanced ones and have committed. The rules
/// know them as pawns with a direction, as ordinary ones are; only a snapshot writes the two in different ways.
const COMMITTED: &str = "Committed";

/// Armies in turn order: our letter, their name, their pawns' two directions.
const ARMIES: [(char, &str, char, char); 4] =
    [('w', "white", '^', '>'), ('r', "red", 'v', '>'), ('b', "black", 'v', '<'), ('g', "green", '^', '<')];
const PIECES: [(char, &str); 5] =
    [('K', "king"), ('Q', "queen"), ('R', "rook"), ('B', "bishop"), ('N', "knight")];
const DIRECTIONS: [(char, &str); 4] = [('^', "up"), ('v', "down"), ('<', "left"), ('>', "right")];
