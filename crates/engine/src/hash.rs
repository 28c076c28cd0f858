//! The hash of a position: 64 bits, the exclusive or of one key for each fact that counts for repetition (and, in
//! games that have them, for controllers).
//!
//! The keys are the outputs of SplitMix64 from the seed `0x4B69_6E67_7363_726F`: first, for every grid square and
//! every cell code, the pieces; then the sides on turn, the statuses, the controllers, the castling rights and the
//! en passant rights, in the order of [`Keys`]. The start value is the output of SplitMix64 for the game's number
//! plus 256 times the version of the rules. A finished position has no side on turn.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::position::{Phase, Position};
use crate::rules::RULES_VERSION;
use crate::seat::Seat;
use crate::split_mix::SplitMix64;
use crate::square::Square;

const SEED: u64 = 0x4B69_6E67_7363_726F;

pub(crate) struct Keys {
    /// By square and cell.
    pub(crate) pieces: [[u64; 64]; 256],
    pub(crate) turn: [u64; 4],
    /// By seat and status.
    pub(crate) status: [[u64; 6]; 4],
    /// By army and controller.
    pub(crate) controller: [[u64; 4]; 4],
    /// By set of rights.
    pub(crate) castling: [u64; 256],
    /// By army and target square; the last square stands for no right and has no key.
    pub(crate) en_passant: [[u64; 256]; 4],
    pub(crate) ultimatum: u64,
}

#[allow(long_running_const_eval, reason = "the table is computed once, when this crate is compiled")]
pub(crate) static KEYS: Keys = {
    let mut keys = Keys {
        pieces: [[0; 64]; 256],
        turn: [0; 4],
        status: [[0; 6]; 4],
        controller: [[0; 4]; 4],
        castling: [0; 256],
        en_passant: [[0; 256]; 4],
        ultimatum: 0,
    };
    let mut generator = SplitMix64::new(SEED);
    let mut square = 0;
    while square < 256 {
        let mut cell = 0;
        while cell < 64 {
            keys.pieces[square][cell] = generator.next_u64();
            cell += 1;
        }
        // The cells of no piece stand for nothing.
        keys.pieces[square][0] = 0;
        square += 1;
    }
    let mut seat = 0;
    while seat < 4 {
        keys.turn[seat] = generator.next_u64();
        let mut status = 0;
        while status < 6 {
            keys.status[seat][status] = generator.next_u64();
            status += 1;
        }
        let mut other = 0;
        while other < 4 {
            keys.controller[seat][other] = generator.next_u64();
            other += 1;
        }
        let mut target = 0;
        while target < 255 {
            keys.en_passant[seat][target] = generator.next_u64();
            target += 1;
        }
        seat += 1;
    }
    let mut rights = 0;
    while rights < 256 {
        keys.castling[rights] = generator.next_u64();
        rights += 1;
    }
    keys.ultimatum = generator.next_u64();
    keys
};

/// The hash of a position; written as 16 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionHash(pub u64);

impl fmt::Display for PositionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The text is not 16 lower case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a position hash: 16 hex digits are expected")]
pub struct NotAHash;

impl FromStr for PositionHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<PositionHash, NotAHash> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if text.len() != 16 || !digits {
            return Err(NotAHash);
        }
        u64::from_str_radix(text, 16).map(PositionHash).map_err(|_| NotAHash)
    }
}

impl Serialize for PositionHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PositionHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PositionHash, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Position {
    /// The hash computed from nothing but the position; [`Position::hash`] keeps the same number up to date.
    #[must_use]
    pub fn computed_hash(&self) -> PositionHash {
        let start = self.rules.variant as u64 + 256 * u64::from(RULES_VERSION);
        let mut hash = SplitMix64::new(start).next_u64();
        for square in self.rules.squares() {
            hash ^= KEYS.pieces[square.index()][usize::from(self.board[square.index()])];
        }
        for seat in Seat::ALL {
            let i = seat.index();
            hash ^= KEYS.status[i][self.status[i] as usize];
            hash ^= KEYS.controller[i][self.controller[i].index()];
            if self.en_passant[i] != Square::NOWHERE {
                hash ^= KEYS.en_passant[i][self.en_passant[i].index()];
            }
        }
        hash ^= KEYS.castling[usize::from(self.castling)];
        if self.phase == Phase::Ultimatum {
            hash ^= KEYS.ultimatum;
        }
        if self.verdict.is_none() {
            hash ^= KEYS.turn[self.turn.index()];
        }
        PositionHash(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_read_as_they_are_written() {
        for hash in [PositionHash(0), PositionHash(u64::MAX), PositionHash(0x0123_4567_89ab_cdef)] {
            assert_eq!(hash.to_string().parse(), Ok(hash));
        }
        for text in ["", "0", "0123456789ABCDEF", "+123456789abcdef", "0123456789abcdef0"] {
            assert_eq!(text.parse::<PositionHash>(), Err(NotAHash), "{text}");
        }
    }
}
