//! crossfire: the four-army throne war (docs/rules/crossfire.md).

use super::{Decision, Variant};
use crate::adjudicate::Act;
use crate::effect::{Effect, Log};
use crate::geometry::{DIAGONAL, Geometry, STRAIGHT, UP, UP_LEFT, UP_RIGHT};
use crate::outcome::Reason;
use crate::position::{Phase, Position};
use crate::role::{Goal, Pattern, Pawn, Role};
use crate::rules::{EnPassant, Leaving, NoMoves, Promotion, Ranking, Rules, Spec};
use crate::seat::{Seat, Seats};
use crate::square::Square;
use crate::status::Status;

const PAWN: Pawn = Pawn { goal: Goal::Edge, lines: (2, 14), becomes: &[] };

const ROLES: &[Role] = &[
    Role::new('K', &[Pattern::Step(STRAIGHT | DIAGONAL)]),
    Role::new('Q', &[Pattern::Slide(STRAIGHT | DIAGONAL)]),
    Role::new('R', &[Pattern::Slide(STRAIGHT)]),
    Role::new('B', &[Pattern::Slide(DIAGONAL)]),
    Role::new('N', &[Pattern::Knight]),
    Role::new('P', &[Pattern::Push(UP), Pattern::Strike(UP_LEFT | UP_RIGHT)]).pawn(PAWN),
];
const PROMOTIONS: &[u8] = &[2, 3, 4, 5];

const SETUP: &[(&str, &str)] = &[
    ("sR", "d1 k1"),
    ("sN", "e1 j1"),
    ("sB", "f1 i1"),
    ("sQ", "g1"),
    ("sK", "h1"),
    ("sP", "d2 e2 f2 g2 h2 i2 j2 k2"),
    ("wR", "a4 a11"),
    ("wN", "a5 a10"),
    ("wB", "a6 a9"),
    ("wK", "a7"),
    ("wQ", "a8"),
    ("wP", "b4 b5 b6 b7 b8 b9 b10 b11"),
    ("nR", "d14 k14"),
    ("nN", "e14 j14"),
    ("nB", "f14 i14"),
    ("nQ", "g14"),
    ("nK", "h14"),
    ("nP", "d13 e13 f13 g13 h13 i13 j13 k13"),
    ("eR", "n4 n11"),
    ("eN", "n5 n10"),
    ("eB", "n6 n9"),
    ("eK", "n7"),
    ("eQ", "n8"),
    ("eP", "m4 m5 m6 m7 m8 m9 m10 m11"),
];

pub(super) fn rules() -> Rules {
    Rules::new(Spec {
        variant: Variant::Crossfire,
        name: "Crossfire",
        family: "crossfire",
        other_board: None,
        turn_order: &[Seat::South, Seat::West, Seat::North, Seat::East],
        armies: &[('s', "South"), ('w', "West"), ('n', "North"), ('e', "East")],
        geometry: Geometry::new(14, 14, 3),
        roles: ROLES,
        setup: SETUP,
        palaces: &[],
        doubles: "d2 e2 f2 g2 h2 i2 j2 k2",
        river: None,
        castles: true,
        en_passant: EnPassant::AllRound,
        promotion: Promotion::Chosen(PROMOTIONS),
        no_moves: NoMoves::PassesOrDraws,
        leaving: Leaving::Becomes(Status::Abandoned),
        statuses: &[Status::Active, Status::Abandoned, Status::Fallen],
        ranking: Ranking::Standing,
        reasons: &[
            Reason::Throne,
            Reason::LastKing,
            Reason::LastStanding,
            Reason::Stalemate,
            Reason::Agreement,
            Reason::Repetition,
            Reason::Quiet,
            Reason::BareKings,
            Reason::Deadlock,
            Reason::Length,
        ],
    })
}

/// The king that a player hunts.
fn target(seat: Seat) -> Seat {
    seat.opposite()
}

/// The king that a player hunts, while it is active, its target has a king in play, and the war goes on.
pub(super) fn open_target(position: &Position, seat: Seat) -> Option<Seat> {
    let hunts = position.status(seat) == Status::Active && position.phase == Phase::War;
    Some(target(seat)).filter(|&target| hunts && position.status(target).has_king_in_play())
}

/// Can nobody complete a kill any more? (Winning, 3)
pub(super) fn is_ultimatum(position: &Position) -> bool {
    let active = position.active();
    active.len() >= 2 && active.iter().all(|seat| !position.status(target(seat)).has_king_in_play())
}

/// Mated armies freeze where they stand; their en passant rights lapse.
pub(super) fn mated<L: Log>(position: &mut Position, act: &Act, armies: Seats, log: &mut L) {
    for army in position.rules.ordered(armies) {
        position.note_mate(army, Some(act.actor), 0, log);
    }
    for army in armies.iter() {
        position.depart(army, Status::Fallen, act.group);
        position.set_en_passant(army.index(), Square::NOWHERE);
    }
    position.quiet = 0;
}

pub(super) fn decision<L: Log>(position: &mut Position, act: &Act, log: &mut L) -> Option<Decision> {
    if act.phase == Phase::War && act.mated.has(target(act.actor)) {
        return Some(Decision { reason: Reason::Throne, winners: Seats::of(act.actor) });
    }
    let active = position.active();
    if active.only().is_some() {
        let by_fall = act.phase == Phase::Ultimatum && !act.mated.is_empty();
        let reason = if by_fall { Reason::LastKing } else { Reason::LastStanding };
        return Some(Decision { reason, winners: active });
    }
    if position.phase == Phase::War && is_ultimatum(position) {
        position.enter_ultimatum();
        log.note(|| Effect::Ultimatum);
    }
    None
}
