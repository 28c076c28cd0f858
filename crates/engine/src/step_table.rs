//! The steps of a piece from a square: what the generator lists without walking.

use crate::moves::Move;
use crate::square::{Bits, Square, SquareSet};

/// All moves of the pieces of a cell from a square, ready to be listed: most of the generator's work is to look at these,
/// so every instruction that is spared there counts.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct StepTable {
    moves: [Move; 8],
    /// The squares that lame leaps pass.
    legs: [Square; 8],
    /// By step: whether it may move and whether it may capture.
    uses: [u8; 8],
    count: u8,
    /// The directions in which the piece slides.
    slides: u8,
    traits: u8,
}

impl StepTable {
    pub(crate) const NONE: StepTable = StepTable {
        moves: [Move::PASS; 8],
        legs: [Square::NOWHERE; 8],
        uses: [0; 8],
        count: 0,
        slides: 0,
        traits: 0,
    };

    /// A step may move.
    pub(crate) const MOVES: u8 = 1;
    /// A step may capture.
    pub(crate) const CAPTURES: u8 = 2;

    /// Some steps only move or only capture.
    const CHOOSY: u8 = 1;
    /// The steps are stopped by a piece on their leg.
    const LAME: u8 = 2;
    /// The pawn can reach its goal in one move.
    const NEAR_GOAL: u8 = 4;
    /// The pawn may step two squares.
    const DOUBLES: u8 = 8;
    /// The piece slides.
    const SLIDES: u8 = 16;

    /// No steps yet; the directions in which the piece slides from here, if it is one that slides.
    pub(crate) fn new(is_slider: bool, slides: u8) -> StepTable {
        StepTable { slides, traits: if is_slider { StepTable::SLIDES } else { 0 }, ..StepTable::NONE }
    }

    /// Are there only steps, all open to moves and to captures, stopped by nothing between, and followed by no choice?
    #[inline(always)]
    pub(crate) fn are_plain(&self) -> bool {
        self.traits == 0
    }

    #[inline(always)]
    pub(crate) fn are_lame(&self) -> bool {
        self.traits & StepTable::LAME != 0
    }

    #[inline(always)]
    pub(crate) fn are_near_goal(&self) -> bool {
        self.traits & StepTable::NEAR_GOAL != 0
    }

    #[inline(always)]
    pub(crate) fn may_double(&self) -> bool {
        self.traits & StepTable::DOUBLES != 0
    }

    /// Are there slides?
    #[inline(always)]
    pub(crate) fn has_slides(&self) -> bool {
        self.traits & StepTable::SLIDES != 0
    }

    /// The directions in which the piece slides.
    #[inline(always)]
    pub(crate) fn slides(&self) -> Bits {
        Bits(u64::from(self.slides))
    }

    /// How many steps there are.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        usize::from(self.count).min(8)
    }

    /// One of the steps.
    #[inline(always)]
    pub(crate) fn get(&self, step: usize) -> Move {
        self.moves[step & 7]
    }

    /// The leg of a lame step.
    #[inline(always)]
    pub(crate) fn leg(&self, step: usize) -> Square {
        self.legs[step & 7]
    }

    /// Which of four sets is that of the cells that may stand on a step's target: none, those to which it may move, those
    /// which it may capture, or both.
    #[inline(always)]
    pub(crate) fn uses(&self, step: usize) -> usize {
        usize::from(self.uses[step & 7] & 3)
    }

    pub(crate) fn push(&mut self, mv: Move, leg: Square, uses: u8) {
        let step = usize::from(self.count);
        (self.moves[step], self.legs[step], self.uses[step]) = (mv, leg, uses);
        self.count += 1;
        if uses != StepTable::MOVES | StepTable::CAPTURES {
            self.traits |= StepTable::CHOOSY;
        }
    }

    pub(crate) fn become_lame(&mut self) {
        self.traits |= StepTable::LAME;
    }

    pub(crate) fn allow_double(&mut self) {
        assert!(!self.are_near_goal(), "no pawn starts before its goal");
        self.traits |= StepTable::DOUBLES;
    }

    /// Makes a pawn's steps of these: what it becomes on its way, and whether some step ends on its goal.
    pub(crate) fn become_pawn(&mut self, place: impl Fn(Square) -> u8, goal: &SquareSet) {
        for mv in self.moves.iter_mut().take(usize::from(self.count)) {
            mv.place = place(mv.to);
            if goal.has(mv.to) {
                self.traits |= StepTable::NEAR_GOAL;
            }
        }
    }
}
