//! The games: one file each, with its table and what is true of it alone. Nothing outside this folder matches on
//! [`Variant`].

mod cross;
mod crossfire;
mod kingdoms;
mod quaternity;
mod variant;

use std::sync::LazyLock;

pub use variant::{UnknownVariant, Variant};

use crate::adjudicate::Act;
use crate::effect::{Effect, Log};
use crate::moves::Move;
use crate::outcome::Reason;
use crate::piece::Piece;
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::{Seat, Seats};
use crate::square::Square;

/// The endings that an action decides at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) reason: Reason,
    pub(crate) winners: Seats,
}

/// Why a move that leaves its mover's kings safe is refused all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The mates that it causes would cost the mover a king or leave one in check.
    Unsafe,
    /// It leaves the next player in a check that the rules cannot judge.
    Unresolved,
}

static CROSSFIRE: LazyLock<Rules> = LazyLock::new(crossfire::rules);
static KINGDOMS: LazyLock<Rules> = LazyLock::new(kingdoms::rules);
static QUATERNITY: LazyLock<Rules> = LazyLock::new(quaternity::rules);
static CROSS_A: LazyLock<Rules> = LazyLock::new(cross::rules_a);
static CROSS_B: LazyLock<Rules> = LazyLock::new(cross::rules_b);

impl Variant {
    /// The table of the game.
    #[must_use]
    pub fn rules(self) -> &'static Rules {
        match self {
            Variant::Crossfire => &CROSSFIRE,
            Variant::Kingdoms => &KINGDOMS,
            Variant::Quaternity => &QUATERNITY,
            Variant::CrossA => &CROSS_A,
            Variant::CrossB => &CROSS_B,
        }
    }
}

/// Does the game refuse some moves that leave the mover's kings safe?
#[inline]
pub(crate) fn judges_moves(variant: Variant) -> bool {
    match variant {
        Variant::Quaternity => true,
        Variant::Crossfire | Variant::Kingdoms | Variant::CrossA | Variant::CrossB => false,
    }
}

/// Why the player on turn may not make a move that leaves its kings safe. The position is left as it was.
pub(crate) fn refusal(position: &mut Position, mv: Move) -> Option<Refusal> {
    match position.rules.variant {
        Variant::Quaternity => quaternity::refusal(position, mv),
        Variant::Crossfire | Variant::Kingdoms | Variant::CrossA | Variant::CrossB => None,
    }
}

/// What the capture of a piece brings about; it is off the board already.
pub(crate) fn captured<L: Log>(position: &mut Position, act: &Act, taken: Piece, at: Square, log: &mut L) {
    let points = match position.rules.variant {
        Variant::Kingdoms => kingdoms::captured(position, act, taken, log),
        Variant::Crossfire | Variant::Quaternity | Variant::CrossA | Variant::CrossB => 0,
    };
    let (by, army, piece) = (act.actor, taken.army(), position.rules.letter_of(taken));
    log.note(|| Effect::Captured { by, army, piece, square: at, points });
}

/// What befalls armies whose kings are mated in one snapshot; tells whether the position is to be judged again.
pub(crate) fn mated<L: Log>(position: &mut Position, act: &Act, armies: Seats, log: &mut L) -> bool {
    match position.rules.variant {
        Variant::Crossfire => crossfire::mated(position, act, armies, log),
        Variant::Kingdoms => kingdoms::mated(position, act, armies, log),
        Variant::Quaternity => quaternity::mated(position, act, armies, log),
        Variant::CrossA | Variant::CrossB => return false,
    }
    true
}

/// The ending that an action decides before the turn moves on.
#[inline]
pub(crate) fn decision<L: Log>(position: &mut Position, act: &Act, log: &mut L) -> Option<Decision> {
    match position.rules.variant {
        Variant::Crossfire => crossfire::decision(position, act, log),
        Variant::Kingdoms => kingdoms::decision(position, log),
        Variant::Quaternity => quaternity::decision(position),
        Variant::CrossA | Variant::CrossB => cross::decision(act),
    }
}

/// The king that a player hunts, while that hunt can win it the game.
pub(crate) fn target(position: &Position, seat: Seat) -> Option<Seat> {
    match position.rules.variant {
        Variant::Crossfire => crossfire::open_target(position, seat),
        Variant::Kingdoms | Variant::Quaternity | Variant::CrossA | Variant::CrossB => None,
    }
}

impl Position {
    /// Does the state of the armies call for the ultimatum?
    pub(crate) fn is_ultimatum(&self) -> bool {
        match self.rules.variant {
            Variant::Crossfire => crossfire::is_ultimatum(self),
            Variant::Kingdoms | Variant::Quaternity | Variant::CrossA | Variant::CrossB => false,
        }
    }
}
