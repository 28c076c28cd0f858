//! cross-a and cross-b: Cross Chess 2019 (docs/rules/cross-chess.md).

use super::{Decision, Variant};
use crate::adjudicate::Act;
use crate::geometry::{DIAGONAL, Geometry, LEFT, RIGHT, STRAIGHT, UP, UP_LEFT, UP_RIGHT};
use crate::outcome::Reason;
use crate::role::{Goal, Pattern, Pawn, Role, Zone};
use crate::rules::{EnPassant, Leaving, NoMoves, Promotion, Ranking, Rules, Spec};
use crate::seat::{Seat, Seats};
use crate::status::Status;

const TURN_ORDER: &[Seat] = &[Seat::South, Seat::North];
const ARMIES: &[(char, &str)] = &[('w', "White"), ('b', "Black")];
const REASONS: &[Reason] = &[
    Reason::Checkmate,
    Reason::Stalemate,
    Reason::Resignation,
    Reason::Time,
    Reason::Agreement,
    Reason::Repetition,
    Reason::Quiet,
    Reason::BareKings,
    Reason::Length,
];

const ROLES_A: &[Role] = &[
    Role::new('K', &[Pattern::Step(STRAIGHT)]),
    Role::new('A', &[Pattern::Step(DIAGONAL)]),
    Role::new('E', &[Pattern::Elephant]),
    Role::new('H', &[Pattern::Horse]),
    Role::new('R', &[Pattern::Slide(STRAIGHT)]),
    Role::new('P', &[Pattern::Step(UP), Pattern::StepBeyond(LEFT | RIGHT)]).pawn(Pawn {
        goal: Goal::Edge,
        lines: (2, 7),
        becomes: &[],
    }),
];

const SETUP_A: &[(&str, &str)] = &[
    ("wR", "a1 h1"),
    ("wH", "b1 g1"),
    ("wE", "c1 f1"),
    ("wA", "d1"),
    ("wK", "e1"),
    ("wP", "a2 b2 c2 d2 e2 f2 g2 h2"),
    ("bR", "a8 h8"),
    ("bH", "b8 g8"),
    ("bE", "c8 f8"),
    ("bA", "d8"),
    ("bK", "e8"),
    ("bP", "a7 b7 c7 d7 e7 f7 g7 h7"),
];

const ROLES_B: &[Role] = &[
    Role::new('K', &[Pattern::Step(STRAIGHT | DIAGONAL)]).zone(Zone::OwnPalace),
    Role::new('Q', &[Pattern::Slide(STRAIGHT | DIAGONAL)]).zone(Zone::Palace),
    Role::new('R', &[Pattern::Slide(STRAIGHT)]),
    Role::new('B', &[Pattern::Slide(DIAGONAL)]),
    Role::new('N', &[Pattern::Knight]),
    Role::new('P', &[Pattern::Push(UP), Pattern::Strike(UP_LEFT | UP_RIGHT)]).pawn(Pawn {
        goal: Goal::Edge,
        lines: (4, 9),
        becomes: &[],
    }),
];

const SETUP_B: &[(&str, &str)] = &[
    ("wR", "a1 i1"),
    ("wN", "b1 h1"),
    ("wB", "c1 g1"),
    ("wQ", "d1 f1"),
    ("wK", "e1"),
    ("wP", "b3 h3 a4 c4 e4 g4 i4"),
    ("bR", "a10 i10"),
    ("bN", "b10 h10"),
    ("bB", "c10 g10"),
    ("bQ", "d10 f10"),
    ("bK", "e10"),
    ("bP", "b8 h8 a7 c7 e7 g7 i7"),
];

pub(super) fn rules_a() -> Rules {
    Rules::new(Spec {
        variant: Variant::CrossA,
        name: "Cross Chess A",
        family: "cross",
        other_board: Some(Variant::CrossB),
        turn_order: TURN_ORDER,
        armies: ARMIES,
        geometry: Geometry::new(8, 8, 0),
        roles: ROLES_A,
        setup: SETUP_A,
        palaces: &[],
        doubles: "",
        river: Some(5),
        castles: false,
        en_passant: EnPassant::Unknown,
        promotion: Promotion::Chosen(&[2, 3, 4, 5]),
        no_moves: NoMoves::Loses,
        leaving: Leaving::Loses,
        statuses: &[Status::Active],
        ranking: Ranking::Standing,
        reasons: REASONS,
    })
}

pub(super) fn rules_b() -> Rules {
    Rules::new(Spec {
        variant: Variant::CrossB,
        name: "Cross Chess B",
        family: "cross",
        other_board: Some(Variant::CrossA),
        turn_order: TURN_ORDER,
        armies: ARMIES,
        geometry: Geometry::new(9, 10, 0),
        roles: ROLES_B,
        setup: SETUP_B,
        palaces: &[("d1", "f3"), ("d8", "f10")],
        doubles: "b3 h3",
        river: None,
        castles: false,
        en_passant: EnPassant::Beside,
        promotion: Promotion::Chosen(&[2, 3, 4, 5]),
        no_moves: NoMoves::Loses,
        leaving: Leaving::Loses,
        statuses: &[Status::Active],
        ranking: Ranking::Standing,
        reasons: REASONS,
    })
}

/// Mating the opponent wins.
#[inline]
pub(super) fn decision(act: &Act) -> Option<Decision> {
    let mated = !act.mated.is_empty();
    mated.then_some(Decision { reason: Reason::Checkmate, winners: Seats::of(act.actor) })
}
