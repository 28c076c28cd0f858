//! How pieces move, as patterns written once for South; [`crate::movement`] makes tables of them.

/// The manner of one pattern of movement. Directions are a set of the eight, as South sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pattern {
    /// Any number of empty squares.
    Slide(u8),
    /// One square, to move or to capture.
    Step(u8),
    /// One square, to move or to capture, for a piece beyond the river.
    StepBeyond(u8),
    /// One square, only onto an empty square.
    Push(u8),
    /// One square, only to capture.
    Strike(u8),
    /// The knight's leap.
    Knight,
    /// The knight's leap, stopped by a piece on the orthogonal square next to the origin.
    Horse,
    /// Two squares diagonally, stopped by a piece between.
    Elephant,
}

/// Where a piece of some role may stand, and so where it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Everywhere.
    Anywhere,
    /// In any palace; it never leaves the one that it is in.
    Palace,
    /// In the palace of its own army.
    OwnPalace,
}

/// Where a pawn promotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// On every square from which some way of travel leads off the board.
    Edge,
    /// On a line counted from its own edge.
    Line(u8),
}

/// What makes a role a pawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pawn {
    pub(crate) goal: Goal,
    /// First and last line from its own edge on which it can stand, its goal aside.
    pub(crate) lines: (u8, u8),
    /// The role it takes when it travels in a direction, where that is another.
    pub(crate) becomes: &'static [(u8, u8)],
}

/// What is written after the letter of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    None,
    Sign(char),
    /// The arrow of the way of travel, given as South's.
    Arrow(u8),
}

/// One role of a game's pieces, as South's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Role {
    pub(crate) letter: char,
    pub(crate) suffix: Suffix,
    pub(crate) patterns: &'static [Pattern],
    pub(crate) zone: Zone,
    pub(crate) pawn: Option<Pawn>,
    /// What its capture from an active army is worth, in games that count points.
    pub(crate) points: u32,
}

impl Role {
    pub(crate) const fn new(letter: char, patterns: &'static [Pattern]) -> Role {
        Role { letter, suffix: Suffix::None, patterns, zone: Zone::Anywhere, pawn: None, points: 0 }
    }

    pub(crate) const fn suffix(self, suffix: Suffix) -> Role {
        Role { suffix, ..self }
    }

    pub(crate) const fn zone(self, zone: Zone) -> Role {
        Role { zone, ..self }
    }

    pub(crate) const fn pawn(self, pawn: Pawn) -> Role {
        Role { pawn: Some(pawn), ..self }
    }

    pub(crate) const fn points(self, points: u32) -> Role {
        Role { points, ..self }
    }
}
