//! Moves as the generator finds them.

use std::ops::Deref;

use crate::sink::{Enough, Sink};
use crate::square::Square;
use crate::step_table::StepTable;

/// What a move does beside taking a piece from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MoveKind {
    /// Nothing.
    Plain,
    /// It is a pawn's step of two squares.
    Double,
    /// It captures the pawn that passed its square.
    EnPassant,
    /// It takes the rook along.
    Castle,
    /// Not a move: the turn passes.
    Pass,
}

/// A move that the generator has found in some position; it has a meaning only there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(4))]
pub struct Move {
    pub(crate) from: Square,
    pub(crate) to: Square,
    /// The cell on `to` afterwards.
    pub(crate) place: u8,
    pub(crate) kind: MoveKind,
}

impl Move {
    /// The pass of a player who has no move.
    pub const PASS: Move =
        Move { from: Square::NOWHERE, to: Square::NOWHERE, place: 0, kind: MoveKind::Pass };

    #[inline(always)]
    pub(crate) const fn plain(from: Square, to: Square, place: u8) -> Move {
        Move { from, to, place, kind: MoveKind::Plain }
    }

    /// Is it the pass?
    #[must_use]
    pub fn is_pass(self) -> bool {
        self.kind == MoveKind::Pass
    }

    /// Where the piece comes from; meaningless for a pass.
    #[must_use]
    pub const fn from(self) -> Square {
        self.from
    }

    /// Where the piece goes; meaningless for a pass.
    #[must_use]
    pub const fn to(self) -> Square {
        self.to
    }

    /// What the move does beside.
    #[must_use]
    pub const fn kind(self) -> MoveKind {
        self.kind
    }
}

/// Room for the moves of one position, without allocation.
///
/// On 160 squares no placement of pieces has 1,400 moves: a slider is the first in its direction for every square it
/// reaches, so that the queens of one side reach each square at most eight times, and each queen at most 46 squares. The
/// steps of a piece, at most eight, are written before it is known which of them stay.
#[derive(Clone, Debug)]
pub struct MoveList {
    moves: [Move; 1408],
    len: usize,
}

impl Default for MoveList {
    #[inline]
    fn default() -> MoveList {
        MoveList { moves: [Move::PASS; 1408], len: 0 }
    }
}

impl MoveList {
    /// An empty list.
    #[must_use]
    pub fn new() -> MoveList {
        MoveList::default()
    }

    /// Are there no moves?
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, mv: Move) {
        self.moves[self.len] = mv;
        self.len += 1;
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(Move) -> bool) {
        let found = std::mem::take(&mut self.len);
        for at in 0..found {
            let mv = self.moves[at];
            if keep(mv) {
                self.push(mv);
            }
        }
    }
}

impl Sink for MoveList {
    #[inline(always)]
    fn take(&mut self, mv: Move) -> Enough {
        self.push(mv);
        false
    }

    /// Writes every step behind the others, and lets the next one write over it unless it is open. Where there is no step, the
    /// first leads nowhere and is never open.
    #[inline(always)]
    fn take_open(&mut self, steps: &StepTable, is_open: impl Fn(usize) -> bool) -> Enough {
        let room = self.moves.get_mut(self.len..self.len + 8).expect("no position has so many moves");
        let mut len = 0;
        for step in 0..8 {
            room[len & 7] = steps.get(step);
            len += usize::from(is_open(step));
            if step + 1 >= steps.len() {
                break;
            }
        }
        self.len += len;
        false
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}
