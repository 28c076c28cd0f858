//! The proof that a setup is a position of its game.

use crate::adjudicate::Act;
use crate::draws::{Draws, GREATEST_LENGTH, History};
use crate::effect::NullLog;
use crate::ending::verdict_of;
use crate::piece::Piece;
use crate::position::{Phase, Position};
use crate::rules::EnPassant;
use crate::seat::{Seat, Seats};
use crate::setup::{BadPosition, Setup};
use crate::square::Square;
use crate::status::Status;

/// The greatest number of points that is read.
const GREATEST_POINTS: u32 = 1_000_000;

/// Refuses unless a condition holds.
pub(crate) fn need(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), BadPosition> {
    if holds { Ok(()) } else { Err(BadPosition::Wrong(otherwise())) }
}

impl Setup {
    /// The position, if the setup keeps all rules.
    ///
    /// # Errors
    /// With the first rule that it breaks.
    pub fn position(&self) -> Result<Position, BadPosition> {
        let rules = self.variant.rules();
        let mut position = Position::bare(rules);
        self.lay_pieces(&mut position)?;
        self.lay_armies(&mut position)?;
        position.refresh_sides();
        self.lay_castling(&mut position)?;
        self.lay_counters(&mut position)?;
        self.lay_left(&mut position)?;
        self.lay_en_passant(&mut position)?;
        position.hash = position.computed_hash().0;
        match &self.outcome {
            Some(outcome) => {
                need(self.turn.is_none(), || "nobody is on turn after the end".into())?;
                need(self.offer.is_none(), || "no offer is open after the end".into())?;
                position.close(verdict_of(outcome, &position)?);
            }
            None => {
                let seat =
                    self.turn.ok_or_else(|| BadPosition::wrong("somebody is on turn before the end"))?;
                self.check_offer(&position, seat)?;
                check_running(&position)?;
            }
        }
        Ok(position)
    }

    fn lay_pieces(&self, position: &mut Position) -> Result<(), BadPosition> {
        let rules = position.rules;
        for &(square, piece) in &self.pieces {
            let text = rules.piece_text(piece);
            need(!text.is_empty(), || "a piece is unknown to the game".into())?;
            need(rules.geometry.squares().has(square), || format!("the board has no square {square}"))?;
            need(position.piece(square).is_none(), || format!("two pieces stand on {square}"))?;
            let ground = &rules.tables.grounds[piece.code()];
            need(ground.has(square), || format!("{text} cannot stand on {square}"))?;
            let army = piece.army();
            let another = piece.is_king() && position.king(army).is_some();
            need(!another, || format!("{} has two kings", rules.army_name(army)))?;
            position.put(square, piece);
        }
        Ok(())
    }

    fn lay_armies(&self, position: &mut Position) -> Result<(), BadPosition> {
        let rules = position.rules;
        for &seat in rules.turn_order {
            let at = seat.index();
            let (name, status) = (rules.army_name(seat), self.status[at]);
            need(rules.statuses.contains(&status), || format!("{name} cannot be {}", status.word()))?;
            position.status[at] = status;
            let controller = self.controller[at];
            let eliminated =
                !rules.seats.has(controller) || self.status[controller.index()] == Status::Eliminated;
            need(!eliminated, || format!("the controller of {name} controls nothing"))?;
            let own = rules.has_controllers() || controller == seat;
            need(own, || format!("{name} has no controller but itself"))?;
            position.controller[at] = controller;
            let (points, result) = (self.points[at], self.result_points[at]);
            need(points.max(result) <= GREATEST_POINTS, || format!("{name} has too many points"))?;
            need(rules.counts_points() || points == 0, || "the game counts no points".into())?;
            let fixed = status != Status::Active && result <= points;
            need(fixed || points == result, || format!("points of {name} do not fit its result"))?;
            (position.points[at], position.result_points[at]) = (points, result);
        }
        for &seat in rules.turn_order {
            let has_king = rules
                .turn_order
                .iter()
                .any(|&army| position.controller(army) == seat && position.king(army).is_some());
            let needs_king = position.status(seat).has_king_in_play();
            need(has_king || !needs_king, || format!("{} has no king", rules.army_name(seat)))?;
        }
        Ok(())
    }

    fn lay_castling(&self, position: &mut Position) -> Result<(), BadPosition> {
        let rules = position.rules;
        let mut claimed = 0;
        for (at, (king_side, queen_side)) in self.castling.iter().enumerate() {
            claimed |= (u8::from(*king_side) | u8::from(*queen_side) << 1) << (2 * at);
        }
        for castle in rules.castles.iter().filter(|castle| claimed & castle.right != 0) {
            let stands = |square: Square| position.board[square.index()] == rules.start[square.index()];
            let home = stands(castle.king_from) && stands(castle.rook_from);
            need(home, || format!("a castling right without king and rook on {}", castle.rook_from))?;
            position.castling |= castle.right;
        }
        need(position.castling == claimed, || "the game knows no such castling right".into())
    }

    fn lay_counters(&self, position: &mut Position) -> Result<(), BadPosition> {
        let rules = position.rules;
        need(self.ply <= GREATEST_LENGTH, || "no game is so long".into())?;
        if self.quiet > GREATEST_LENGTH {
            return Err(BadPosition::wrong("no game is so quiet"));
        }
        need(rules.counts_quiet() || self.quiet == 0, || "the game counts no quiet plies".into())?;
        let passers = position.active().len();
        need(self.passes as usize <= passers, || "so many players have not passed".into())?;
        need(rules.counts_passes() || self.passes == 0, || "the game counts no passes".into())?;
        need(rules.has_phases() || self.phase == Phase::War, || "the game has no phases".into())?;
        position.ply = self.ply;
        position.quiet = self.quiet;
        position.passes = self.passes as u8;
        position.phase = self.phase;
        if let Some(seat) = self.turn {
            let takes_turns = rules.seats.has(seat) && position.status(seat).takes_turns();
            need(takes_turns, || "the player on turn takes no turns".into())?;
            position.turn = seat;
        }
        if self.outcome.is_none() {
            need(position.active().len() >= 2, || "fewer than two players are active".into())?;
        }
        Ok(())
    }

    fn lay_left(&self, position: &mut Position) -> Result<(), BadPosition> {
        let rules = position.rules;
        let gone = rules.seats.without(position.active());
        let together = || if gone.is_empty() { Vec::new() } else { vec![gone.iter().collect()] };
        let groups = match &self.left {
            Some(groups) if rules.counts_passes() => groups.clone(),
            _ if rules.counts_passes() => together(),
            _ => return Ok(()),
        };
        let mut seen = Seats::NONE;
        for (group, seats) in groups.iter().enumerate() {
            need(!seats.is_empty(), || "a group of `left` is empty".into())?;
            for &seat in seats {
                need(!seen.has(seat), || "`left` names a player twice".into())?;
                seen.insert(seat);
                position.left[seat.index()] = group as u8 + 1;
            }
        }
        need(seen == gone, || "`left` does not name the players who are not active".into())
    }

    fn lay_en_passant(&self, position: &mut Position) -> Result<(), BadPosition> {
        let rules = position.rules;
        let running = self.outcome.is_none();
        let known = rules.en_passant != EnPassant::Unknown || self.en_passant.is_empty();
        need(known, || "the game knows no en passant".into())?;
        for right in &self.en_passant {
            let at = right.army.index();
            let name = rules.army_name(right.army);
            let wrong = || format!("{name} has no pawn that has just stepped over {}", right.target);
            need(rules.seats.has(right.army), || "an unknown army has an en passant right".into())?;
            need(position.en_passant[at] == Square::NOWHERE, || format!("{name} has two en passant rights"))?;
            let forward = rules.tables.forward[at];
            let start = Square(right.target.0.wrapping_sub(forward));
            let is_pawn = |piece: Piece| rules.is_pawn(piece) && piece.army() == right.army;
            let stepped = rules.tables.doubles[at].has(start)
                && right.target.offset(forward) == right.pawn
                && position.piece(right.pawn).is_some_and(is_pawn)
                && position.status(right.army) != Status::Fallen;
            need(stepped, wrong)?;
            need(right.army != position.turn || !running, wrong)?;
            let comers = [right.target, start].map(|square| position.piece(square).map(Piece::army));
            let came = |&army: &Seat| match running {
                true => may_have_moved_since(position, right.army, army),
                false => army != right.army,
            };
            need(comers.iter().flatten().all(came), wrong)?;
            need(comers[0].is_none() || comers[0] != comers[1], wrong)?;
            // A right that lasts for one turn is not there any more once something has moved, be the game over or not.
            need(rules.en_passant != EnPassant::Beside || comers == [None; 2], wrong)?;
            let beside = rules.en_passant != EnPassant::Beside || position.stands_beside_pawn(at, right.pawn);
            need(beside, || format!("there is no enemy pawn beside {}", right.pawn))?;
            position.en_passant[at] = right.target;
        }
        Ok(())
    }

    fn check_offer(&self, position: &Position, turn: Seat) -> Result<(), BadPosition> {
        let Some(offer) = &self.offer else { return Ok(()) };
        let active = position.active();
        need(offer.by == turn && active.has(turn), || {
            "the offer is not by the active player on turn".into()
        })?;
        let mut accepted = Seats::NONE;
        for &seat in &offer.accepted {
            let votes = active.has(seat) && seat != offer.by && !accepted.has(seat);
            need(votes, || "somebody without a vote has accepted the offer".into())?;
            accepted.insert(seat);
        }
        need(accepted.len() + 1 < active.len(), || "everybody has accepted the offer".into())
    }
}

/// Can an army have moved since another's last turn, of which it is known that it came before the player on turn? Who takes
/// no turns any more was felled since, so that somebody else has moved after it.
fn may_have_moved_since(position: &Position, last: Seat, army: Seat) -> bool {
    let rules = position.rules;
    let since = |seat: Seat| {
        let turns = rules.turns_after(last, seat);
        turns > 0 && turns < rules.turns_after(last, position.turn)
    };
    let moved_later = |&seat: &Seat| {
        since(seat)
            && rules.turns_after(last, seat) >= rules.turns_after(last, army)
            && position.status(seat).takes_turns()
    };
    since(army) && rules.turn_order.iter().any(moved_later)
}

/// Could an abandoned army have ended a check of its king when it was last on turn? It passed over that, and no pass
/// completes a mate: such a king stands until somebody moves, also when what could have saved it was a capture en passant
/// and the right to it has ended meanwhile.
fn could_have_saved_itself(position: &Position, army: Seat) -> bool {
    let rules = position.rules;
    let has_lapsed = |owner: &&Seat| {
        let turns = rules.turns_after(army, **owner);
        turns > 0 && turns <= rules.turns_after(army, position.turn)
    };
    let rights = rules.turn_order.iter().filter(has_lapsed).flat_map(|&owner| {
        let forward = rules.tables.forward[owner.index()];
        rules.tables.doubles[owner.index()].iter().map(move |start| (owner, start, start.offset(forward)))
    });
    let can_have_stood = |&(owner, start, target): &(Seat, Square, Square)| {
        let pawn = position.piece(target.offset(rules.tables.forward[owner.index()]));
        pawn.is_some_and(|pawn| rules.is_pawn(pawn) && pawn.army() == owner)
            && position.piece(target).is_none()
            && position.piece(start).is_none_or(|piece| piece.army() != owner)
    };
    position.could_move(army, army)
        || (rules.en_passant == EnPassant::AllRound
            && rights.filter(can_have_stood).any(|(owner, _, target)| {
                let mut before = position.clone();
                before.set_en_passant(owner.index(), target);
                before.could_move(army, army)
            }))
}

/// A running position must not be one that the rules would already have changed or ended.
fn check_running(position: &Position) -> Result<(), BadPosition> {
    let rules = position.rules;
    let checked = position.checked_armies(rules.seats);
    let is_mated = |army: &Seat| match position.status(*army) {
        Status::Abandoned => !could_have_saved_itself(position, *army),
        _ => position.mated_armies(position.turn, checked).has(*army),
    };
    if let Some(army) = checked.iter().find(is_mated) {
        return Err(BadPosition::Wrong(format!("the king of {} is mated", rules.army_name(army))));
    }
    if let [_, _] = rules.turn_order {
        let other = rules.next[position.turn.index()];
        need(!position.is_in_check(other), || "the player who is not on turn is in check".into())?;
    }
    let mut settled = position.clone();
    let act = Act::new(position, position.turn);
    let draws = Draws::Counted(&mut History::default());
    settled.conclude(&act, false, &mut NullLog, draws, &mut Position::has_move);
    if let Some(verdict) = settled.verdict {
        return Err(BadPosition::Wrong(format!("the game has ended already: {}", verdict.reason.word())));
    }
    need(settled.phase == position.phase, || "the phase does not fit the statuses".into())?;
    need(settled == *position, || "the rules would already have gone on from here".into())?;
    need(position.phase == Phase::War || position.is_ultimatum(), || {
        "the phase does not fit the statuses".into()
    })
}
