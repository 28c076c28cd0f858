//! What follows from an action: captures, mates, the next turn, endings.

use std::ops::ControlFlow;

use crate::draws::Draws;
use crate::effect::{Cause, Effect, How, Log, NullLog, Why};
use crate::games::{self, Decision};
use crate::make_move::Undo;
use crate::moves::{Move, MoveKind, MoveList};
use crate::outcome::{Outcome, Reason, Verdict};
use crate::piece::Piece;
use crate::position::{Phase, Position};
use crate::rules::{EnPassant, Leaving, NoMoves};
use crate::seat::{Seat, Seats};
use crate::square::Square;
use crate::status::Status;

/// The circumstances of one action.
pub(crate) struct Act {
    pub(crate) actor: Seat,
    /// The group of those who leave play by this action.
    pub(crate) group: u8,
    /// The phase before the action.
    pub(crate) phase: Phase,
    /// The armies that were mated.
    pub(crate) mated: Seats,
}

impl Act {
    pub(crate) fn new(position: &Position, actor: Seat) -> Act {
        let everyone_plays = position.active == position.rules.seats;
        let group = if everyone_plays { 1 } else { position.left.into_iter().max().unwrap_or(0) + 1 };
        Act { actor, group, phase: position.phase, mated: Seats::NONE }
    }
}

impl Position {
    /// Plays a move that [`Position::generate`] has found here, with all its consequences but the endings by
    /// repetition, quiet plies and length.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        self.play_noting(mv, &mut NullLog, Draws::Ignored, &mut Position::has_move);
    }

    /// [`Position::play`], and [`Position::generate`] after it, for less than both.
    #[inline]
    pub fn play_and_generate(&mut self, mv: Move, list: &mut MoveList) {
        self.play_noting_and_generate(mv, list, &mut NullLog);
    }

    /// [`Position::play_and_generate`]; the log hears of all that goes beyond [`Position::take_back`].
    #[inline(always)]
    pub(crate) fn play_noting_and_generate<L: Log>(
        &mut self,
        mv: Move,
        list: &mut MoveList,
        log: &mut L,
    ) -> Undo {
        let mut is_listed = false;
        let undo = self.play_noting(mv, log, Draws::Ignored, &mut |position| {
            list.clear();
            position.generate_moves(list);
            is_listed = !list.is_empty();
            is_listed
        });
        if !is_listed || self.is_over() {
            self.generate(list);
        }
        undo
    }

    /// Takes back a move that has been played on this position, had no consequences of which a log would hear, and led
    /// here from `before`.
    #[inline]
    pub(crate) fn take_back(&mut self, mv: Move, undo: &Undo, before: &Position) {
        self.unmake(mv, undo);
        self.passes = before.passes;
        self.perhaps_checked = before.perhaps_checked;
    }

    /// Plays a move; `has_move` tells whether the player on turn, active, has a move.
    #[inline(always)]
    pub(crate) fn play_noting<L: Log>(
        &mut self,
        mv: Move,
        log: &mut L,
        draws: Draws<'_>,
        has_move: &mut impl FnMut(&Position) -> bool,
    ) -> Undo {
        let actor = self.turn;
        let mut act = Act::new(self, actor);
        let active = self.status(actor) == Status::Active;
        let undo = self.make(mv);
        if mv.is_pass() {
            if active && self.rules.counts_passes() {
                self.passes += 1;
            }
            log.note(|| Effect::Passed { seat: actor, standoff: active });
        } else {
            self.passes = 0;
            self.note_move(mv, &undo, log);
            if let Some(taken) = Piece::of_cell(undo.taken) {
                games::captured(self, &act, taken, undo.taken_at, log);
            }
            self.perhaps_checked = self.checked_after(mv, active);
            self.judge_mates(&mut act, log);
        }
        self.conclude(&act, true, log, draws, has_move);
        undo
    }

    /// The armies whose king in play is in check after a move that was just made, while its mover is still on turn. An
    /// active mover's own kings are safe, or it were not legal; of the others only what the move has opened is looked at.
    #[inline(always)]
    pub(crate) fn checked_after(&self, mv: Move, mover_is_safe: bool) -> Seats {
        let is_plain = matches!(mv.kind, MoveKind::Plain | MoveKind::Double);
        let safe = if mover_is_safe { self.controlled[self.turn.index()] } else { Seats::NONE };
        let mut checked = Seats::NONE;
        for army in self.in_play.without(safe).iter() {
            let surroundings = &self.rules.tables.surroundings[self.kings[army.index()].index()];
            let is_near = surroundings.has(mv.from) | surroundings.has(mv.to);
            let was_safe = is_plain & !self.perhaps_checked.has(army);
            if (is_near | !was_safe) && self.is_checked_after(army, mv, was_safe) {
                checked.insert(army);
            }
        }
        checked
    }

    /// Is an army's king in check after a move? Of one that was safe before a plain move less has to be looked at.
    #[inline(never)]
    fn is_checked_after(&self, army: Seat, mv: Move, was_safe: bool) -> bool {
        let (king, hostile) = (self.kings[army.index()], self.hostile[self.controller(army).index()]);
        if king == Square::NOWHERE {
            return false;
        }
        if was_safe && king != mv.to {
            self.newly_attacked(king, hostile, mv)
        } else {
            self.attacked::<false>(king, hostile, Square::NOWHERE)
        }
    }

    /// A player leaves, on turn or not.
    pub(crate) fn leave<L: Log>(&mut self, seat: Seat, how: How, log: &mut L, draws: Draws<'_>) {
        let act = Act::new(self, seat);
        match self.rules.leaving {
            Leaving::Becomes(status) => {
                if self.has_just_passed(seat) {
                    self.passes -= 1;
                }
                self.depart(seat, status, act.group);
                log.note(|| Effect::Left { seat, how, status });
                let turn_moves_on = seat == self.turn && !status.takes_turns();
                self.conclude(&act, turn_moves_on, log, draws, &mut Position::has_move);
            }
            Leaving::Loses => {
                let status = self.status(seat);
                log.note(|| Effect::Left { seat, how, status });
                let reason = if how == How::TimedOut { Reason::Time } else { Reason::Resignation };
                let winners = self.rules.seats.without(Seats::of(seat));
                self.finish(Decision { reason, winners }, log);
            }
        }
    }

    /// Ends the game by agreement.
    pub(crate) fn agree<L: Log>(&mut self, log: &mut L) {
        let winners = self.active();
        self.finish(Decision { reason: Reason::Agreement, winners }, log);
    }

    /// Gives a player another status; a player who was active leaves with the group.
    pub(crate) fn depart(&mut self, seat: Seat, status: Status, group: u8) {
        if self.rules.counts_passes() && self.left[seat.index()] == 0 {
            self.left[seat.index()] = group;
        }
        self.set_status(seat, status);
    }

    /// Is the player among those whose passes are being counted?
    fn has_just_passed(&self, seat: Seat) -> bool {
        let n = self.rules.turn_order.len();
        let at = self.rules.place_in_order(self.turn);
        (1..n)
            .map(|back| self.rules.turn_order[(at + n - back) % n])
            .filter(|&other| self.status(other) == Status::Active)
            .take(usize::from(self.passes))
            .any(|other| other == seat)
    }

    /// Pays points; those of a player who has left do not count for its result.
    pub(crate) fn award(&mut self, seat: Seat, points: u32) {
        self.points[seat.index()] += points;
        if self.status(seat) == Status::Active {
            self.result_points[seat.index()] = self.points[seat.index()];
        }
    }

    /// Judges all kings in play in snapshots until none is mated (rules/common, Mate is judged at once). Those that are
    /// in check are known.
    #[inline]
    fn judge_mates<L: Log>(&mut self, act: &mut Act, log: &mut L) {
        let first = self.rules.next[act.actor.index()];
        while !self.perhaps_checked.is_empty() {
            let mated = self.mated_armies(first, self.perhaps_checked);
            act.mated = act.mated.or(mated);
            if mated.is_empty() || !games::mated(self, act, mated, log) {
                return;
            }
            self.perhaps_checked = self.checked_armies(self.rules.seats);
        }
    }

    /// Those of the armies whose king in play is in check.
    #[inline]
    pub(crate) fn checked_armies(&self, armies: Seats) -> Seats {
        let is_checked = |army: &Seat| {
            let (king, controller) = (self.kings[army.index()], self.controller(*army));
            king != Square::NOWHERE
                && self.attacked::<false>(king, self.hostile[controller.index()], Square::NOWHERE)
        };
        armies.and(self.in_play).iter().filter(is_checked).collect()
    }

    /// Those of the armies, all in check, that are mated. Turns go on with `first`.
    pub(crate) fn mated_armies(&self, first: Seat, checked: Seats) -> Seats {
        checked.iter().filter(|&army| !self.could_move(self.controller(army), first)).collect()
    }

    /// Ends the game if it is decided; else gives the turn on, and looks for the other endings.
    #[inline(always)]
    pub(crate) fn conclude<L: Log>(
        &mut self,
        act: &Act,
        turn_moves_on: bool,
        log: &mut L,
        draws: Draws<'_>,
        has_move: &mut impl FnMut(&Position) -> bool,
    ) {
        if let Some(decision) = games::decision(self, act, log) {
            if turn_moves_on {
                self.end_brief_rights();
            }
            return self.finish(decision, log);
        }
        if turn_moves_on {
            self.pass_turn();
        }
        let stuck = self.arrive(act, log, has_move);
        if self.is_over() {
            return;
        }
        if let Some(decision) = self.first_ending(stuck, draws) {
            self.finish(decision, log);
        }
    }

    /// Sees to a player on turn who has no move; the answer is the ending that follows from it.
    #[inline(always)]
    fn arrive<L: Log>(
        &mut self,
        act: &Act,
        log: &mut L,
        has_move: &mut impl FnMut(&Position) -> bool,
    ) -> Option<Decision> {
        loop {
            if self.status(self.turn) != Status::Active || has_move(self) {
                return None;
            }
            if let ControlFlow::Break(ending) = self.arrive_stuck(act, log) {
                return ending;
            }
        }
    }

    /// One player on turn who has no move: the ending that follows, or a fall, after which the turn has moved on.
    #[inline(never)]
    fn arrive_stuck<L: Log>(&mut self, act: &Act, log: &mut L) -> ControlFlow<Option<Decision>> {
        let seat = self.turn;
        let active = self.active();
        let checked = self.is_in_check(seat);
        match self.rules.no_moves {
            NoMoves::PassesOrDraws => {
                let reason = match checked {
                    true => Reason::Unresolved,
                    false => Reason::Stalemate,
                };
                let ends = checked || active.len() == 2;
                ControlFlow::Break(ends.then_some(Decision { reason, winners: active }))
            }
            NoMoves::Loses => {
                let winners = active.without(Seats::of(seat));
                ControlFlow::Break(Some(Decision { reason: Reason::Stalemate, winners }))
            }
            NoMoves::FallsPaid(amount) => {
                if checked {
                    return ControlFlow::Break(None);
                }
                self.award(seat, amount);
                self.quiet = 0;
                self.depart(seat, Status::Fallen, act.group);
                log.note(|| Effect::Points { seat, amount, why: Why::Stalemated });
                log.note(|| Effect::Fell {
                    army: seat,
                    cause: Cause::Stalemated,
                    credited: None,
                    checkers: Vec::new(),
                    points: 0,
                });
                if let Some(decision) = games::decision(self, act, log) {
                    self.finish(decision, log);
                    return ControlFlow::Break(None);
                }
                self.pass_turn();
                ControlFlow::Continue(())
            }
        }
    }

    /// Ends the en passant rights that last for one turn, when no player comes on turn any more who would end them.
    fn end_brief_rights(&mut self) {
        if self.rules.en_passant == EnPassant::Beside {
            let owner = self.followers[self.turn.index()];
            self.set_en_passant(owner.index(), Square::NOWHERE);
        }
    }

    fn finish<L: Log>(&mut self, decision: Decision, log: &mut L) {
        let Decision { reason, winners } = decision;
        let (winners, ranks) = self.ranking(winners);
        let verdict = Verdict { reason, winners, ranks };
        self.close(verdict);
        log.note(|| Effect::Ended { outcome: Outcome::of(&verdict, self.rules) });
    }

    /// Makes the position one of a finished game: nobody is on turn.
    pub(crate) fn close(&mut self, verdict: Verdict) {
        self.hash ^= crate::hash::KEYS.turn[self.turn.index()];
        self.turn = self.rules.turn_order[0];
        self.verdict = Some(verdict);
    }

    /// Takes note of a mated army whose king is still on the board, with the pieces that check it.
    pub(crate) fn note_mate<L: Log>(&self, army: Seat, credited: Option<Seat>, points: u32, log: &mut L) {
        let hostile = self.hostile[self.controller(army).index()];
        let checkers = || self.attackers(self.kings[army.index()], hostile);
        log.note(|| Effect::Fell { army, cause: Cause::Mated, credited, checkers: checkers(), points });
    }

    fn note_move<L: Log>(&self, mv: Move, undo: &Undo, log: &mut L) {
        if !L::HEARS_MOVES {
            return;
        }
        let Some(piece) = Piece::of_cell(mv.place) else { return };
        match mv.kind {
            MoveKind::Castle => {
                let rook = self.rules.castles.iter().find(|castle| {
                    castle.king_to == mv.to && castle.right >> (2 * piece.army().index()) & 3 != 0
                });
                if let Some(castle) = rook {
                    log.note(|| Effect::Castled { army: piece.army(), king: mv.to, rook: castle.rook_to });
                }
            }
            MoveKind::EnPassant => {
                log.note(|| Effect::EnPassant { by: self.turn, captured: undo.taken_at });
            }
            MoveKind::Plain | MoveKind::Double | MoveKind::Pass => {}
        }
        let pawns = self.rules.tables.pawns;
        if pawns >> undo.moved & 1 != 0 && pawns >> mv.place & 1 == 0 {
            let letter = self.rules.letter_of(piece);
            log.note(|| Effect::Promoted { army: piece.army(), piece: letter, square: mv.to });
        }
    }
}
