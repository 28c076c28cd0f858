//! quaternity: mate and assimilation (docs/rules/quaternity.md).

use super::{Decision, Refusal, Variant};
use crate::adjudicate::Act;
use crate::effect::{Effect, Log, NullLog};
use crate::generate::Checks;
use crate::geometry::{DIAGONAL, DOWN_RIGHT, Geometry, RIGHT, STRAIGHT, UP, UP_LEFT, UP_RIGHT};
use crate::moves::Move;
use crate::outcome::Reason;
use crate::position::Position;
use crate::role::{Goal, Pattern, Pawn, Role, Suffix};
use crate::rules::{EnPassant, Leaving, NoMoves, Promotion, Ranking, Rules, Spec};
use crate::seat::{Seat, Seats};
use crate::status::Status;

const PAWN: Pawn = Pawn { goal: Goal::Edge, lines: (1, 12), becomes: &[] };
const UPWARD: u8 = 6;
const RIGHTWARD: u8 = 7;

const ROLES: &[Role] = &[
    Role::new('K', &[Pattern::Step(STRAIGHT | DIAGONAL)]),
    Role::new('Q', &[Pattern::Slide(STRAIGHT | DIAGONAL)]),
    Role::new('R', &[Pattern::Slide(STRAIGHT)]),
    Role::new('B', &[Pattern::Slide(DIAGONAL)]),
    Role::new('N', &[Pattern::Knight]),
    Role::new('P', &[Pattern::Push(UP), Pattern::Strike(UP_LEFT | UP_RIGHT)])
        .suffix(Suffix::Arrow(UP))
        .pawn(PAWN),
    Role::new('P', &[Pattern::Push(RIGHT), Pattern::Strike(UP_RIGHT | DOWN_RIGHT)])
        .suffix(Suffix::Arrow(RIGHT))
        .pawn(PAWN),
    // The advanced pawn: every move commits it, but the capture towards the centre.
    Role::new('P', &[Pattern::Push(UP | RIGHT), Pattern::Strike(UP_LEFT | UP_RIGHT | DOWN_RIGHT)])
        .suffix(Suffix::Sign('*'))
        .pawn(Pawn { becomes: &[(UP | UP_LEFT, UPWARD), (RIGHT | DOWN_RIGHT, RIGHTWARD)], ..PAWN }),
];
const PROMOTIONS: &[u8] = &[2, 3, 4, 5];

const SETUP: &[(&str, &str)] = &[
    ("wK", "a1"),
    ("wQ", "b2"),
    ("wR", "a4 d1"),
    ("wN", "b4 c4"),
    ("wB", "d2 d3"),
    ("wP^", "a5 b5 c5"),
    ("wP>", "e1 e2 e3"),
    ("wP*", "d4 e5"),
    ("rK", "a12"),
    ("rQ", "b11"),
    ("rR", "a9 d12"),
    ("rN", "d10 d11"),
    ("rB", "b9 c9"),
    ("rPv", "a8 b8 c8"),
    ("rP>", "e10 e11 e12"),
    ("rP*", "d9 e8"),
    ("bK", "l12"),
    ("bQ", "k11"),
    ("bR", "i12 l9"),
    ("bN", "j9 k9"),
    ("bB", "i10 i11"),
    ("bPv", "j8 k8 l8"),
    ("bP<", "h10 h11 h12"),
    ("bP*", "i9 h8"),
    ("gK", "l1"),
    ("gQ", "k2"),
    ("gR", "i1 l4"),
    ("gN", "i2 i3"),
    ("gB", "j4 k4"),
    ("gP^", "j5 k5 l5"),
    ("gP<", "h1 h2 h3"),
    ("gP*", "h5 i4"),
];

pub(super) fn rules() -> Rules {
    Rules::new(Spec {
        variant: Variant::Quaternity,
        name: "Quaternity",
        family: "quaternity",
        other_board: None,
        turn_order: &[Seat::South, Seat::West, Seat::North, Seat::East],
        armies: &[('w', "White"), ('r', "Red"), ('b', "Black"), ('g', "Green")],
        geometry: Geometry::new(12, 12, 0),
        roles: ROLES,
        setup: SETUP,
        palaces: &[],
        doubles: "",
        river: None,
        castles: false,
        en_passant: EnPassant::Unknown,
        promotion: Promotion::Chosen(PROMOTIONS),
        no_moves: NoMoves::PassesOrDraws,
        leaving: Leaving::Becomes(Status::Frozen),
        statuses: &[Status::Active, Status::Frozen, Status::Eliminated],
        ranking: Ranking::Standing,
        reasons: &[
            Reason::LastActive,
            Reason::Stalemate,
            Reason::Agreement,
            Reason::Deadlock,
            Reason::Unresolved,
            Reason::Length,
        ],
    })
}

/// Removes mated kings and gives their armies to the actor (Mate batch, 2).
pub(super) fn mated<L: Log>(position: &mut Position, act: &Act, armies: Seats, log: &mut L) {
    let controllers: Seats = armies.iter().map(|army| position.controller(army)).collect();
    let keeps_king = |seat: Seat| {
        position.armies_with_king_in_play().any(|army| !armies.has(army) && position.controller(army) == seat)
    };
    let beaten: Seats = controllers.iter().filter(|&seat| !keeps_king(seat)).collect();
    let moving: Seats = (position.rules.turn_order.iter().copied())
        .filter(|&army| armies.has(army) || beaten.has(position.controller(army)))
        .collect();
    for army in position.rules.ordered(armies) {
        position.note_mate(army, Some(act.actor), 0, log);
    }
    for army in armies.iter() {
        position.take(position.kings[army.index()]);
    }
    for army in position.rules.ordered(moving) {
        let from = position.controller(army);
        position.set_controller(army, act.actor);
        log.note(|| Effect::Transferred { army, from, to: act.actor });
    }
    for seat in position.rules.ordered(beaten) {
        position.depart(seat, Status::Eliminated, act.group);
        log.note(|| Effect::Eliminated { seat });
    }
}

pub(super) fn decision(position: &Position) -> Option<Decision> {
    let active = position.active();
    (active.len() <= 1).then_some(Decision { reason: Reason::LastActive, winners: active })
}

/// Steps 3 to 5 of the mate batch, for a move that leaves the mover's kings safe before it.
pub(super) fn refusal(position: &mut Position, mv: Move) -> Option<Refusal> {
    let first = position.rules.next[position.turn.index()];
    let successor = position.followers[position.turn.index()];
    let undo = position.make(mv);
    let checked = position.checked_after(mv, true);
    // Most moves mate nobody and leave the next player unchecked: then there is no batch, and nothing to resolve.
    let is_plain = checked.is_empty()
        || (!checked.iter().any(|army| position.controller(army) == successor)
            && position.mated_armies(first, checked).is_empty());
    position.unmake(mv, &undo);
    if is_plain { None } else { judge(position, mv) }
}

/// [`refusal`], step by step.
fn judge(position: &Position, mv: Move) -> Option<Refusal> {
    let mut next = position.clone();
    let actor = next.turn;
    if !commit(&mut next, actor, mv) {
        return Some(Refusal::Unsafe);
    }
    if next.active().len() == 1 {
        return None;
    }
    next.pass_turn();
    let successor = next.turn;
    let resolved = !next.is_in_check(successor)
        || next.search(successor, successor, Checks::Unknown, &mut |defence: Move| {
            commit(&mut next.clone(), successor, defence)
        });
    if resolved { None } else { Some(Refusal::Unresolved) }
}

/// Plays a move and its mate batches; tells whether all kings of the mover survive it, unchecked (steps 1 to 4).
fn commit(position: &mut Position, actor: Seat, mv: Move) -> bool {
    let act = Act::new(position, actor);
    let first = position.rules.next[actor.index()];
    position.make(mv);
    position.perhaps_checked = position.checked_after(mv, true);
    let mut mated = position.mated_armies(first, position.perhaps_checked);
    if mated.is_empty() {
        return true;
    }
    while !mated.is_empty() {
        if mated.iter().any(|army| position.controller(army) == actor) {
            return false;
        }
        self::mated(position, &act, mated, &mut NullLog);
        position.perhaps_checked = position.checked_armies(position.rules.seats);
        mated = position.mated_armies(first, position.perhaps_checked);
    }
    !position.is_in_check(actor)
}
