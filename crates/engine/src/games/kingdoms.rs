//! kingdoms: chess for four, played for points (docs/rules/kingdoms.md).

use super::{Decision, Variant};
use crate::adjudicate::Act;
use crate::effect::{Cause, Effect, Log, Why};
use crate::geometry::{DIAGONAL, Geometry, STRAIGHT, UP, UP_LEFT, UP_RIGHT};
use crate::outcome::Reason;
use crate::piece::Piece;
use crate::position::Position;
use crate::role::{Goal, Pattern, Pawn, Role, Suffix};
use crate::rules::{EnPassant, Leaving, NoMoves, Promotion, Ranking, Rules, Spec};
use crate::seat::{Seat, Seats};
use crate::status::Status;

/// What a king is worth, however it is won, and what a stalemate pays.
const KING_POINTS: u32 = 20;

const PAWN: Pawn = Pawn { goal: Goal::Line(8), lines: (2, 7), becomes: &[] };

const ROLES: &[Role] = &[
    Role::new('K', &[Pattern::Step(STRAIGHT | DIAGONAL)]),
    Role::new('Q', &[Pattern::Slide(STRAIGHT | DIAGONAL)]).points(9),
    Role::new('R', &[Pattern::Slide(STRAIGHT)]).points(5),
    Role::new('B', &[Pattern::Slide(DIAGONAL)]).points(5),
    Role::new('N', &[Pattern::Knight]).points(3),
    Role::new('P', &[Pattern::Push(UP), Pattern::Strike(UP_LEFT | UP_RIGHT)]).pawn(PAWN).points(1),
    Role::new('Q', &[Pattern::Slide(STRAIGHT | DIAGONAL)]).suffix(Suffix::Sign('+')).points(1),
];
const PROMOTED_QUEEN: u8 = 7;

const SETUP: &[(&str, &str)] = &[
    ("rR", "d1 k1"),
    ("rN", "e1 j1"),
    ("rB", "f1 i1"),
    ("rQ", "g1"),
    ("rK", "h1"),
    ("rP", "d2 e2 f2 g2 h2 i2 j2 k2"),
    ("bR", "n4 n11"),
    ("bN", "n5 n10"),
    ("bB", "n6 n9"),
    ("bQ", "n7"),
    ("bK", "n8"),
    ("bP", "m4 m5 m6 m7 m8 m9 m10 m11"),
    ("yR", "d14 k14"),
    ("yN", "e14 j14"),
    ("yB", "f14 i14"),
    ("yK", "g14"),
    ("yQ", "h14"),
    ("yP", "d13 e13 f13 g13 h13 i13 j13 k13"),
    ("gR", "a4 a11"),
    ("gN", "a5 a10"),
    ("gB", "a6 a9"),
    ("gK", "a7"),
    ("gQ", "a8"),
    ("gP", "b4 b5 b6 b7 b8 b9 b10 b11"),
];

pub(super) fn rules() -> Rules {
    Rules::new(Spec {
        variant: Variant::Kingdoms,
        name: "Four Kingdoms",
        family: "kingdoms",
        other_board: None,
        turn_order: &[Seat::South, Seat::East, Seat::North, Seat::West],
        armies: &[('r', "Red"), ('b', "Blue"), ('y', "Yellow"), ('g', "Green")],
        geometry: Geometry::new(14, 14, 3),
        roles: ROLES,
        setup: SETUP,
        palaces: &[],
        doubles: "d2 e2 f2 g2 h2 i2 j2 k2",
        river: None,
        castles: true,
        en_passant: EnPassant::Unknown,
        promotion: Promotion::Always(PROMOTED_QUEEN),
        no_moves: NoMoves::FallsPaid(KING_POINTS),
        leaving: Leaving::Becomes(Status::Surrendered),
        statuses: &[Status::Active, Status::Surrendered, Status::Fallen],
        ranking: Ranking::Points,
        reasons: &[
            Reason::LastActive,
            Reason::Agreement,
            Reason::Repetition,
            Reason::Quiet,
            Reason::BareKings,
            Reason::Length,
        ],
    })
}

/// Pays for a captured piece; a captured king of a surrendered army fells it at once.
pub(super) fn captured<L: Log>(position: &mut Position, act: &Act, taken: Piece, log: &mut L) -> u32 {
    let army = taken.army();
    let points = match position.status(army) {
        Status::Active => position.rules.role_of(taken).points,
        Status::Surrendered if taken.is_king() => KING_POINTS,
        _ => 0,
    };
    position.award(act.actor, points);
    if taken.is_king() && position.status(army) == Status::Surrendered {
        position.depart(army, Status::Fallen, act.group);
        log.note(|| Effect::Fell {
            army,
            cause: Cause::Captured,
            credited: Some(act.actor),
            checkers: Vec::new(),
            points: 0,
        });
    }
    points
}

/// Pays for mated kings, but nobody for one that its own army's random move has mated.
pub(super) fn mated<L: Log>(position: &mut Position, act: &Act, armies: Seats, log: &mut L) {
    for army in position.rules.ordered(armies) {
        let credited = Some(act.actor).filter(|&actor| actor != army);
        let points = if credited.is_some() { KING_POINTS } else { 0 };
        position.note_mate(army, credited, points, log);
        position.award(act.actor, points);
    }
    for army in armies.iter() {
        position.depart(army, Status::Fallen, act.group);
    }
    position.quiet = 0;
}

/// The game ends when at most one player is active; that one is paid for the surrendered kings that still stand.
pub(super) fn decision<L: Log>(position: &mut Position, log: &mut L) -> Option<Decision> {
    let active = position.active();
    if active.len() > 1 {
        return None;
    }
    if let Some(last) = active.only() {
        let standing = |seat: &&Seat| position.status(**seat) == Status::Surrendered;
        let kings = position.rules.turn_order.iter().filter(standing).count() as u32;
        if kings > 0 {
            let amount = KING_POINTS * kings;
            position.award(last, amount);
            log.note(|| Effect::Points { seat: last, amount, why: Why::KingsStanding });
        }
    }
    Some(Decision { reason: Reason::LastActive, winners: active })
}
