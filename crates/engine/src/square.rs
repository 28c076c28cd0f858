//! Squares and sets of squares.
//!
//! Every board is the lower left of one 16×16 grid. A step is an addition that wraps, and because no board is
//! wider or higher than fourteen, two grid columns and rows of wall stand between its opposite edges: a step or a
//! knight's leap off the board always lands on wall.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A square of the 16×16 grid: `rank * 16 + file`, both counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub(crate) u8);

impl Square {
    /// A grid square that belongs to no board.
    pub(crate) const NOWHERE: Square = Square(0xFF);

    /// The grid square of a file and a rank, both counted from 0 and below 16.
    pub(crate) const fn at(file: u8, rank: u8) -> Square {
        Square(rank << 4 | file)
    }

    /// File, counted from 0.
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 15
    }

    /// Rank, counted from 0.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 4
    }

    /// The grid square one offset away; it may be wall.
    #[inline(always)]
    pub(crate) const fn offset(self, by: u8) -> Square {
        Square(self.0.wrapping_add(by))
    }

    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // By hand, since every list of legal moves that is sent consists of these.
        let rank = self.rank() + 1;
        f.write_char((b'a' + self.file()) as char)?;
        if rank >= 10 {
            f.write_char('1')?;
        }
        f.write_char((b'0' + rank % 10) as char)
    }
}

/// The text is not the name of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a square")]
pub struct NotASquare;

impl FromStr for Square {
    type Err = NotASquare;

    /// Reads a grid square; whether a board has it is asked of its geometry.
    fn from_str(text: &str) -> Result<Square, NotASquare> {
        let (file, rank) = match *text.as_bytes() {
            [file, rank @ b'1'..=b'9'] => (file, rank - b'1'),
            [file, b'1', rank @ b'0'..=b'6'] => (file, rank - b'0' + 9),
            _ => return Err(NotASquare),
        };
        if !(b'a'..=b'p').contains(&file) {
            return Err(NotASquare);
        }
        Ok(Square::at(file - b'a', rank))
    }
}

impl Serialize for Square {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Square {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Square, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A set of squares of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SquareSet([u64; 4]);

impl SquareSet {
    /// The empty set.
    pub const EMPTY: SquareSet = SquareSet([0; 4]);

    /// The set of one square. It is not written into a set in memory, since whoever reads the whole of it then waits for
    /// that word.
    #[inline(always)]
    pub(crate) const fn of(square: Square) -> SquareSet {
        let (word, bit) = (square.0 >> 6, 1 << (square.0 & 63));
        SquareSet([
            if word == 0 { bit } else { 0 },
            if word == 1 { bit } else { 0 },
            if word == 2 { bit } else { 0 },
            if word == 3 { bit } else { 0 },
        ])
    }

    /// Is the square a member?
    #[inline(always)]
    #[must_use]
    pub const fn has(&self, square: Square) -> bool {
        self.0[(square.0 >> 6) as usize] >> (square.0 & 63) & 1 != 0
    }

    /// Adds a square.
    #[inline(always)]
    pub fn insert(&mut self, square: Square) {
        self.0[(square.0 >> 6) as usize] |= 1 << (square.0 & 63);
    }

    /// Takes a square out.
    #[inline(always)]
    pub fn remove(&mut self, square: Square) {
        self.0[(square.0 >> 6) as usize] &= !(1 << (square.0 & 63));
    }

    /// Replaces a member by another square, or by itself. The words are read before any is written, since reading one
    /// just after writing it would wait for the write.
    #[inline(always)]
    pub(crate) fn replace(&mut self, from: Square, to: Square) {
        let (left, entered) = (usize::from(from.0 >> 6), usize::from(to.0 >> 6));
        let (out, into) = (1u64 << (from.0 & 63), 1u64 << (to.0 & 63));
        let (before, there) = (self.0[left] & !out, self.0[entered] | into);
        let both = before | into;
        self.0[left] = before;
        self.0[entered] = if left == entered { both } else { there };
    }

    /// Has it no member?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// Number of members.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones() + self.0[3].count_ones()
    }

    /// Has it one member?
    #[inline(always)]
    #[must_use]
    pub(crate) const fn is_one(&self) -> bool {
        // Nearly every set has two members in one word or at two places of its words, and is done with here.
        let all = self.0[0] | self.0[1] | self.0[2] | self.0[3];
        all & all.wrapping_sub(1) == 0 && self.len() == 1
    }

    /// The members of either set.
    #[must_use]
    pub const fn or(&self, other: &SquareSet) -> SquareSet {
        let (a, b) = (&self.0, &other.0);
        SquareSet([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }

    /// The members of this set that the other lacks.
    #[inline(always)]
    #[must_use]
    pub const fn without(&self, other: &SquareSet) -> SquareSet {
        let (a, b) = (&self.0, &other.0);
        SquareSet([a[0] & !b[0], a[1] & !b[1], a[2] & !b[2], a[3] & !b[3]])
    }

    /// The members of both sets.
    #[inline(always)]
    #[must_use]
    pub const fn and(&self, other: &SquareSet) -> SquareSet {
        let (a, b) = (&self.0, &other.0);
        SquareSet([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }

    /// Has it a member in common with another?
    #[inline(always)]
    #[must_use]
    pub const fn meets(&self, other: &SquareSet) -> bool {
        let (a, b) = (&self.0, &other.0);
        a[0] & b[0] | a[1] & b[1] | a[2] & b[2] | a[3] & b[3] != 0
    }

    /// The members, by rank and then by file.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Square> + use<> {
        let words = self.0;
        (0..4u8).flat_map(move |word| Bits(words[word as usize]).map(move |bit| Square(word << 6 | bit)))
    }

    /// Is something true of a member? They are asked in the order of [`SquareSet::iter`], until one says so.
    #[inline(always)]
    pub(crate) fn any(&self, mut is_true: impl FnMut(Square) -> bool) -> bool {
        let mut first = 0;
        for mut members in self.0 {
            while members != 0 {
                let square = first + members.trailing_zeros();
                members &= members - 1;
                if is_true(Square(square as u8)) {
                    return true;
                }
            }
            first += 64;
        }
        false
    }

    /// The word in which a square is a bit.
    #[inline(always)]
    pub(crate) const fn word(&self, square: Square) -> u64 {
        self.0[(square.0 >> 6) as usize]
    }

    /// Puts back the word in which a square is a bit.
    #[inline(always)]
    pub(crate) fn set_word(&mut self, square: Square, word: u64) {
        self.0[(square.0 >> 6) as usize] = word;
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        for square in squares {
            set.insert(square);
        }
        set
    }
}

/// The set bits of a word, lowest first.
pub(crate) struct Bits(pub(crate) u64);

impl Iterator for Bits {
    type Item = u8;

    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for index in 0..=255 {
            let square = Square(index);
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for text in ["", "a", "a0", "a17", "q1", "a01", "a1 ", "A1", "a123", "é1", "1a"] {
            assert_eq!(text.parse::<Square>(), Err(NotASquare), "{text}");
        }
    }

    #[test]
    fn a_set_keeps_what_was_put_in() {
        let mut set: SquareSet = [Square(0), Square(63), Square(64), Square(255)].into_iter().collect();
        assert_eq!(set.iter().map(|s| s.0).collect::<Vec<_>>(), [0, 63, 64, 255]);
        set.remove(Square(63));
        assert!(!set.has(Square(63)) && set.has(Square(64)));
        assert_eq!(set.len(), 3);
    }
}
