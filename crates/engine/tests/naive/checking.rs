//! Which documents contradict the rules.

use super::board::{Piece, Square, Variant, army_directions, palace, pawn_directions};
use super::paper::has_passes;
use super::situation::{EnPassant, Outcome, Situation};

/// Whether the parts of a document contradict each other or the rules, running or ended.
pub(crate) fn is_against_the_rules(now: &Situation) -> bool {
    has_wrong_pieces(now)
        || has_wrong_armies(now)
        || has_wrong_rights(now)
        || has_wrong_order_of_leaving(now)
        || has_wrong_turn_or_outcome(now)
}

fn has_wrong_pieces(now: &Situation) -> bool {
    now.board.iter().any(|(&place, &piece)| {
        let is_second_king =
            piece.kind == 'K' && now.board.iter().any(|(&other, &rival)| other != place && rival == piece);
        is_misplaced(now.variant, place, piece) || is_second_king
    })
}

/// Whether a piece, named as in a document, may stand on a square by the rules on where pieces stand.
pub(crate) fn may_stand(variant: Variant, square: &str, piece: &str) -> bool {
    variant
        .square(square)
        .zip(variant.piece(piece))
        .is_some_and(|(place, piece)| !is_misplaced(variant, place, piece))
}

fn is_misplaced(variant: Variant, place: Square, piece: Piece) -> bool {
    match piece.kind {
        'P' => !may_hold_pawn(variant, place, piece),
        'K' | 'Q' if variant == Variant::CrossB => match palace(place) {
            None => true,
            // A king never leaves its own palace; a queen may live in either.
            Some(side) => piece.kind == 'K' && side != if piece.army == 'w' { 1 } else { 2 },
        },
        _ => false,
    }
}

fn may_hold_pawn(variant: Variant, place: Square, pawn: Piece) -> bool {
    let ahead_exists = |way: (i32, i32)| variant.exists((place.0 + way.0, place.1 + way.1));
    match variant {
        Variant::Crossfire => variant.line(pawn.army, place) > 1 && ahead_exists(variant.forward(pawn.army)),
        Variant::Kingdoms | Variant::CrossA => (2..=7).contains(&variant.line(pawn.army, place)),
        Variant::CrossB => {
            let line = variant.line(pawn.army, place);
            (4..=9).contains(&line) || (line == 3 && [2, 8].contains(&place.0))
        }
        Variant::Quaternity => {
            let is_own_direction =
                pawn.mark == Some('*') || army_directions(pawn.army).contains(&pawn.mark.unwrap_or(' '));
            is_own_direction && pawn_directions(pawn).into_iter().all(ahead_exists)
        }
    }
}

fn has_wrong_armies(now: &Situation) -> bool {
    now.armies.iter().any(|army| {
        let own_kings =
            now.board.values().filter(|piece| piece.kind == 'K' && piece.army == army.letter).count();
        let lacks_king = match now.variant {
            Variant::Quaternity => army.status != "eliminated" && now.kings_of(army.letter).is_empty(),
            _ => army.status != "fallen" && own_kings == 0,
        };
        let is_controlled_by_nobody = now.status(army.controller) == "eliminated";
        let has_wrong_points = match army.status {
            "active" => army.points != army.result_points,
            _ => army.points < army.result_points,
        };
        lacks_king || is_controlled_by_nobody || has_wrong_points
    })
}

fn has_wrong_rights(now: &Situation) -> bool {
    let stands = |place: Square, army: char, kind: char| {
        now.board.get(&place).is_some_and(|piece| piece.army == army && piece.kind == kind)
    };
    let castling = now.armies.iter().any(|army| {
        now.variant.castling_homes(army.letter).is_some_and(|(king, near, far)| {
            let has_king = stands(king, army.letter, 'K');
            (army.castles_k && !(has_king && stands(near, army.letter, 'R')))
                || (army.castles_q && !(has_king && stands(far, army.letter, 'R')))
        })
    });
    let mut owners: Vec<char> = Vec::new();
    let en_passant = now.en_passant.iter().any(|right| {
        let is_second = owners.contains(&right.army);
        owners.push(right.army);
        let way = now.variant.forward(right.army);
        let start = (right.target.0 - way.0, right.target.1 - way.1);
        let is_double_step = (right.target.0 + way.0, right.target.1 + way.1) == right.pawn
            && match now.variant {
                Variant::CrossB => now.variant.line(right.army, start) == 3 && [2, 8].contains(&start.0),
                _ => now.variant.line(right.army, start) == 2,
            };
        let comers: Vec<char> = [start, right.target]
            .iter()
            .filter_map(|place| now.board.get(place))
            .map(|piece| piece.army)
            .collect();
        let has_wrong_comers = now.variant == Variant::CrossB && !comers.is_empty()
            || comers.iter().any(|&army| !may_have_moved_since(now, right.army, army))
            || (comers.len() == 2 && comers[0] == comers[1]);
        is_second
            || !is_double_step
            || !stands(right.pawn, right.army, 'P')
            || now.status(right.army) == "fallen"
            || now.turn == Some(right.army)
            || has_wrong_comers
            || (now.variant == Variant::CrossB && !now.has_enemy_pawn_beside(right.pawn, right.army))
    });
    castling || en_passant
}

/// Whether an army can have moved after the last turn of another: it stands between that one and the turn, and if it has
/// fallen, somebody between it and the turn has felled it since.
fn may_have_moved_since(now: &Situation, last: char, army: char) -> bool {
    let Some(turn) = now.turn else {
        return army != last;
    };
    let round = now.round_after(last);
    let since: Vec<char> = round.into_iter().take_while(|&letter| letter != turn).collect();
    let from_it_on = since.iter().skip_while(|&&letter| letter != army);
    from_it_on.copied().any(|letter| now.takes_turns(letter))
}

fn has_wrong_order_of_leaving(now: &Situation) -> bool {
    if !has_passes(now.variant) {
        return false;
    }
    let gone: usize = now.armies.iter().filter(|army| army.status != "active").count();
    !is_partition(&now.left, gone) || now.left.iter().flatten().any(|&letter| now.is_active(letter))
}

/// Whether groups hold that many different players and none of them is empty.
fn is_partition(groups: &[Vec<char>], size: usize) -> bool {
    let mut all: Vec<char> = groups.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all.len() == size
        && groups.iter().map(Vec::len).sum::<usize>() == size
        && groups.iter().all(|group| !group.is_empty())
}

fn has_wrong_turn_or_outcome(now: &Situation) -> bool {
    if let Some(outcome) = &now.outcome {
        return now.turn.is_some()
            || now.offer.is_some()
            || !now.variant.reasons().contains(&outcome.reason.as_str())
            || !is_partition(&outcome.placements, now.armies.len())
            || outcome.winners != outcome.placements[0]
            || has_wrong_winners(now, outcome)
            || !could_have_ended(now, outcome)
            || now.passes > now.active().len() as u64
            || now.ply > 6000
            || now.quiet > 6000;
    }
    let Some(turn) = now.turn else {
        return true;
    };
    let active = now.active();
    let has_wrong_offer = now.offer.as_ref().is_some_and(|(by, accepted)| {
        *by != turn
            || !now.is_active(turn)
            || accepted.contains(by)
            || (!accepted.is_empty() && !is_partition(std::slice::from_ref(accepted), accepted.len()))
            || !accepted.iter().all(|letter| active.contains(letter))
            || accepted.len() + 1 >= active.len()
    });
    !now.takes_turns(turn) || active.len() < 2 || has_wrong_offer
}

/// Whether others have won than statuses, points and the order of leaving say. One group of several, or none given, says
/// nothing of an order.
fn has_wrong_winners(now: &Situation, outcome: &Outcome) -> bool {
    let active = now.active();
    let winners = &outcome.winners;
    if now.variant == Variant::Kingdoms {
        return outcome.placements != now.placements(winners);
    }
    let are_wrong = if winners.len() == 1 { !active.contains(&winners[0]) } else { *winners != active };
    let expected = now.placements(winners);
    let gone = now.variant.letters().len() - active.len();
    let is_order_known = gone < 2 || now.left.len() > 1;
    let known = if is_order_known { expected.len() } else { expected.len() - 1 };
    are_wrong || outcome.placements.get(..known) != expected.get(..known)
}

/// Whether an abandoned army, which passed when it was last on turn, could have saved its king then: a pass completes no mate,
/// so that such a king stands until somebody moves. What could have saved it may have been a capture en passant of
/// which the right has ended since, when the owner came on turn.
fn passed_over_its_defence(now: &Situation, army: char, king: Square) -> bool {
    let turn = now.turn.expect("a running position");
    let round = now.round_after(army);
    let before = round[round.len() - 2];
    let is_safe = |then: &Situation| !then.mated_kings(before).contains(&king);
    let turns = |player: char| round.iter().position(|&letter| letter == player);
    let mut lapsed = now
        .board
        .iter()
        .filter(|(_, piece)| piece.kind == 'P' && piece.army != army && turns(piece.army) <= turns(turn));
    is_safe(now)
        || lapsed.any(|(&pawn, piece)| {
            let way = now.variant.forward(piece.army);
            let target = (pawn.0 - way.0, pawn.1 - way.1);
            let start = (target.0 - way.0, target.1 - way.1);
            let is_double_step = now.variant.line(piece.army, start) == 2
                && !now.board.contains_key(&target)
                && now.board.get(&start).is_none_or(|comer| comer.army != piece.army);
            let mut then = now.clone();
            then.en_passant.push(EnPassant { army: piece.army, target, pawn });
            is_double_step && is_safe(&then)
        })
}

/// Whether the statuses and counters, which stay as they stood, and the kings allow that the game ended so.
fn could_have_ended(now: &Situation, outcome: &Outcome) -> bool {
    let active = now.active();
    let is_cross_chess = now.variant.is_cross_chess();
    let reason = outcome.reason.as_str();
    let counts_points = now.variant == Variant::Kingdoms;
    let is_won = counts_points || outcome.winners.len() == 1;
    let is_drawn = active.len() >= 2 && (counts_points || outcome.winners == active);
    let losers_are_stuck = |in_check: bool| {
        let mut losers = active.iter().filter(|letter| !outcome.winners.contains(letter));
        losers.all(|&letter| now.is_in_check(letter) == in_check && now.safe_moves(letter).is_empty())
    };
    let fits = match reason {
        "throne" => is_won && !now.ultimatum && now.status(now.target(outcome.winners[0])) == "fallen",
        "last_king" => active.len() == 1 && now.ultimatum,
        "last_standing" | "last_active" => active.len() < 2,
        "checkmate" => is_won && losers_are_stuck(true),
        "stalemate" if is_cross_chess => is_won && losers_are_stuck(false),
        "stalemate" => is_drawn && active.len() == 2,
        "resignation" | "time" => is_won && now.ply < 6000,
        "agreement" => is_drawn && now.ply < 6000,
        "quiet" => is_drawn && now.quiet >= 50 * active.len() as u64,
        "bare_kings" => {
            let mut theirs = now.board.values().filter(|piece| active.contains(&piece.army));
            is_drawn && active.len() == 2 && theirs.all(|piece| piece.kind == 'K')
        }
        "deadlock" => is_drawn && now.passes >= active.len() as u64,
        "length" => is_drawn && now.ply >= 6000,
        _ => is_drawn,
    };
    let is_ultimatum = now.variant == Variant::Crossfire && now.nobody_can_complete_a_kill();
    let fits_phase = active.len() < 2 || reason == "throne" || now.ultimatum == is_ultimatum;
    let has_mated_king = now.board.iter().any(|(&place, &piece)| {
        let player = now.controller(piece);
        // An abandoned army may have passed over its defence, and no pass completes a mate.
        let is_in_play =
            piece.kind == 'K' && !matches!(now.status(player), "fallen" | "eliminated" | "abandoned");
        is_in_play && now.is_attacked(place, player) && now.safe_moves(player).is_empty()
    });
    fits && fits_phase && (reason == "checkmate" || !has_mated_king)
}

/// Whether a running position is one that the rules would have ended or moved on from.
pub(crate) fn is_past_its_end(now: &Situation) -> bool {
    let turn = now.turn.expect("a running position");
    let mut ended = now.clone();
    ended.end_by_counters(1, true);
    let order = now.round_after(turn);
    // The player before the turn stands for the one who moved last: the player on turn comes first after him.
    let before = |player: char| now.round_after(player)[order.len() - 2];
    let has_mated_king = now.mated_kings(before(turn)).into_iter().any(|king| {
        let army = now.board[&king].army;
        now.status(army) != "abandoned" || !passed_over_its_defence(now, army, king)
    });
    let is_stuck = now.is_active(turn) && now.is_stuck(turn);
    ended.outcome.is_some()
        || now.ultimatum != (now.variant == Variant::Crossfire && now.nobody_can_complete_a_kill())
        || match now.variant {
            Variant::CrossA | Variant::CrossB => is_stuck || now.is_in_check(order[0]),
            Variant::Kingdoms => is_stuck || has_mated_king,
            Variant::Crossfire => (is_stuck && now.active().len() == 2) || has_mated_king,
            Variant::Quaternity => {
                (is_stuck && (now.active().len() == 2 || now.is_in_check(turn))) || has_mated_king
            }
        }
}
