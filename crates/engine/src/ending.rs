//! The proof that a finished setup ended as it says.

use crate::draws::{GREATEST_LENGTH, QUIET_PLIES_EACH};
use crate::games;
use crate::outcome::{Outcome, Reason, Verdict};
use crate::position::{Phase, Position};
use crate::rules::NoMoves;
use crate::seat::{Seat, Seats};
use crate::setup::BadPosition;
use crate::status::Status;
use crate::validate::need;

/// What an outcome says of a position, if the position can have ended so.
///
/// # Errors
/// With the first rule that it breaks.
pub(crate) fn verdict_of(outcome: &Outcome, position: &Position) -> Result<Verdict, BadPosition> {
    let rules = position.rules;
    let reason = outcome.reason;
    need(rules.ends_by(reason), || format!("the game does not end by {}", reason.word()))?;
    let mut ranks = [u8::MAX; 4];
    for (rank, group) in outcome.placements.iter().enumerate() {
        need(!group.is_empty(), || "a group of the placements is empty".into())?;
        for &seat in group {
            need(rules.seats.has(seat), || "the placements name an unknown player".into())?;
            need(ranks[seat.index()] == u8::MAX, || "the placements name a player twice".into())?;
            ranks[seat.index()] = rank as u8;
        }
    }
    let all = rules.turn_order.iter().all(|seat| ranks[seat.index()] != u8::MAX);
    need(all, || "the placements do not name every player".into())?;
    let winners: Seats = outcome.winners.iter().copied().collect();
    let first: Seats =
        outcome.placements.iter().flatten().copied().filter(|seat| ranks[seat.index()] == 0).collect();
    let fitting = winners == first && outcome.winners.len() == winners.len();
    need(fitting, || "the winners are not those who are placed first".into())?;
    let verdict = Verdict { reason, winners, ranks };
    need(has_come_about(position, &verdict), || format!("the game cannot have ended by {}", reason.word()))?;
    check_placements(position, verdict)?;
    Ok(verdict)
}

/// Do the statuses and counters of a position, which stay as they stood, allow that it ended so?
fn has_come_about(position: &Position, verdict: &Verdict) -> bool {
    let (rules, active, winners) = (position.rules, position.active(), verdict.winners);
    let n = active.len();
    let is_won = rules.counts_points() || winners.only().is_some();
    let is_drawn = n >= 2 && (rules.counts_points() || winners == active);
    let phase = if position.is_ultimatum() { Phase::Ultimatum } else { Phase::War };
    let fits_phase = n < 2 || verdict.reason == Reason::Throne || position.phase == phase;
    let is_stuck = |seat: Seat| !position.could_move(seat, seat);
    let losers = active.without(winners);
    let was_running = position.ply < GREATEST_LENGTH;
    let holds = match verdict.reason {
        Reason::Throne => {
            let target_fell = |winner| games::target(position, winner).is_none();
            position.phase == Phase::War && winners.only().is_some_and(target_fell)
        }
        Reason::LastKing => n == 1 && position.phase == Phase::Ultimatum,
        Reason::LastStanding | Reason::LastActive => n < 2,
        Reason::Checkmate => is_won && losers.iter().all(|seat| position.is_in_check(seat) && is_stuck(seat)),
        Reason::Stalemate if matches!(rules.no_moves, NoMoves::Loses) => {
            is_won && losers.iter().all(|seat| !position.is_in_check(seat) && is_stuck(seat))
        }
        Reason::Stalemate => is_drawn && n == 2,
        Reason::Resignation | Reason::Time => is_won && was_running,
        Reason::Agreement => is_drawn && was_running,
        Reason::Repetition | Reason::Unresolved => is_drawn,
        Reason::Quiet => is_drawn && position.quiet >= QUIET_PLIES_EACH * n as u32,
        Reason::BareKings => is_drawn && n == 2 && active.iter().all(|seat| position.army(seat).is_one()),
        Reason::Deadlock => is_drawn && usize::from(position.passes) >= n,
        Reason::Length => is_drawn && position.ply >= GREATEST_LENGTH,
    };
    holds && fits_phase && (verdict.reason == Reason::Checkmate || !has_mated_king(position))
}

/// Is some king in play mated, though its army could come on turn before all others? Then it would have fallen, but for that
/// of an abandoned army, which may have passed over its defence.
fn has_mated_king(position: &Position) -> bool {
    let checked = position.checked_armies(position.rules.seats);
    let players = checked.iter().map(|army| position.controller(army));
    players
        .filter(|&player| position.status(player) != Status::Abandoned)
        .any(|player| !position.could_move(player, player))
}

/// An outcome must be one that statuses, points and the order of leaving, where it is given, come to.
fn check_placements(position: &Position, verdict: Verdict) -> Result<(), BadPosition> {
    let rules = position.rules;
    let active = position.active();
    let winners = verdict.winners;
    if !rules.counts_points() {
        let all = winners.len() == 1 || winners == active;
        need(winners.without(active).is_empty() && all, || "those who won are not active".into())?;
    }
    let (first, ranks) = position.ranking(winners);
    let expected = Outcome::of(&Verdict { winners: first, ranks, ..verdict }, rules);
    let given = Outcome::of(&verdict, rules);
    // Of those who left together, or of whom the document does not say how they left, no order is known.
    let gone = rules.seats.without(active).len();
    let is_order_known =
        !rules.counts_passes() || gone < 2 || position.left.into_iter().any(|group| group > 1);
    let known = expected.placements.len() - usize::from(!is_order_known);
    let fitting = given.placements.get(..known) == expected.placements.get(..known);
    need(fitting && given.winners == expected.winners, || "the placements do not fit the position".into())
}
