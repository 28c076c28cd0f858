//! What an action did, in words that a client can show.

use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use crate::seat::Seat;
use crate::square::Square;
use crate::status::Status;

/// Why an army fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Its king was mated.
    Mated,
    /// Its king was captured.
    Captured,
    /// It was stalemated.
    Stalemated,
}

/// How a player left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// By choice.
    Resigned,
    /// By the clock.
    TimedOut,
    /// By absence.
    Absent,
}

/// What points were paid for beside captures and mates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// For being stalemated.
    Stalemated,
    /// For the surrendered kings that stand when one active player is left.
    KingsStanding,
}

/// One consequence of an action, in the order in which they came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Effect {
    /// A piece was captured.
    Captured {
        /// Controller of the capturing piece.
        by: Seat,
        /// Army of the captured piece.
        army: Seat,
        /// Letter of the captured piece.
        piece: char,
        /// Where it stood.
        square: Square,
        /// Points that the capture is worth.
        points: u32,
    },
    /// A king castled.
    Castled {
        /// The army.
        army: Seat,
        /// Where its king is now.
        king: Square,
        /// Where its rook is now.
        rook: Square,
    },
    /// A capture was made in passing.
    EnPassant {
        /// Controller of the capturing pawn.
        by: Seat,
        /// The square of the captured pawn.
        captured: Square,
    },
    /// A pawn was promoted.
    Promoted {
        /// The army.
        army: Seat,
        /// Letter of the new piece.
        piece: char,
        /// Its square.
        square: Square,
    },
    /// An army lost its king.
    Fell {
        /// The army.
        army: Seat,
        /// Why.
        cause: Cause,
        /// The player who is credited.
        credited: Option<Seat>,
        /// The pieces that gave check.
        checkers: Vec<Square>,
        /// Points that the fall is worth to the credited player.
        points: u32,
    },
    /// A player left.
    Left {
        /// The player.
        seat: Seat,
        /// How.
        how: How,
        /// What it is from then on.
        status: Status,
    },
    /// An army came under another controller.
    Transferred {
        /// The army.
        army: Seat,
        /// Its controller before.
        from: Seat,
        /// Its controller now.
        to: Seat,
    },
    /// A player lost its last king and everything with it.
    Eliminated {
        /// The player.
        seat: Seat,
    },
    /// Targets no longer count.
    Ultimatum,
    /// A player passed.
    Passed {
        /// The player.
        seat: Seat,
        /// Did it pass for want of moves, not because its player has left?
        standoff: bool,
    },
    /// Points were paid for something other than a capture or a mate.
    Points {
        /// The player.
        seat: Seat,
        /// How many.
        amount: u32,
        /// What for.
        why: Why,
    },
    /// A draw was offered.
    Offered {
        /// By whom.
        by: Seat,
    },
    /// The offer was accepted by one voter.
    Accepted {
        /// By whom.
        by: Seat,
    },
    /// The offer was declined and is gone.
    Declined {
        /// By whom.
        by: Seat,
    },
    /// The game ended.
    Ended {
        /// How.
        outcome: Outcome,
    },
}

/// Takes note of effects, or does not care for them.
pub(crate) trait Log {
    /// Does it care how a move is made, castling and the like?
    const HEARS_MOVES: bool;

    fn note(&mut self, effect: impl FnOnce() -> Effect);
}

/// A log that does not care.
pub(crate) struct NullLog;

impl Log for NullLog {
    const HEARS_MOVES: bool = false;

    #[inline(always)]
    fn note(&mut self, _effect: impl FnOnce() -> Effect) {}
}

impl Log for Vec<Effect> {
    const HEARS_MOVES: bool = true;

    fn note(&mut self, effect: impl FnOnce() -> Effect) {
        self.push(effect());
    }
}
