//! The content of a square: a piece, or nothing.
//!
//! A cell is one byte below 64: `army * 16 + role`. Role numbers count from 1 in the order of the game's list of
//! roles, so that role 0 is left for the cells without a piece. Sets of cells are therefore bits of one `u64`.

use crate::seat::Seat;

/// The cell of an empty square.
pub(crate) const EMPTY: u8 = 0;
/// The cell of a grid square that the board lacks.
pub(crate) const WALL: u8 = 16;
/// Every game lists its king first.
pub(crate) const KING: u8 = 1;

/// The army of a piece's cell.
#[inline(always)]
pub(crate) const fn army_of(cell: u8) -> usize {
    (cell >> 4) as usize & 3
}

/// All cells of one army, as bits.
pub(crate) const fn army_cells(army: usize) -> u64 {
    0xFFFE << (16 * army)
}

/// The cell of an army's king, as a bit.
pub(crate) const fn king_cell(army: usize) -> u64 {
    1 << (16 * army + KING as usize)
}

/// A piece: an army and a role of the game's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece(pub(crate) u8);

impl Piece {
    pub(crate) const fn new(army: Seat, role: u8) -> Piece {
        Piece((army as u8) << 4 | role)
    }

    /// The piece of a cell, if there is one.
    pub(crate) const fn of_cell(cell: u8) -> Option<Piece> {
        if cell & 15 == 0 { None } else { Some(Piece(cell)) }
    }

    /// The army that the piece was created with; it never changes.
    #[inline]
    #[must_use]
    pub const fn army(self) -> Seat {
        Seat::from_index((self.0 >> 4) as usize)
    }

    /// Number of the role in the game's list, from 1.
    #[inline]
    #[must_use]
    pub const fn role(self) -> u8 {
        self.0 & 15
    }

    /// Is it a king (in cross-a, a general)?
    #[inline]
    #[must_use]
    pub const fn is_king(self) -> bool {
        self.role() == KING
    }

    /// A number below 64 of its own for every piece of a game, for tables.
    #[inline]
    #[must_use]
    pub const fn code(self) -> usize {
        self.0 as usize
    }
}
