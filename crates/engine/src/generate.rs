//! The move generator.

use crate::attack::CheckInfo;
use crate::games;
use crate::geometry::OFFSETS;
use crate::moves::{Move, MoveKind, MoveList};
use crate::piece::{EMPTY, Piece, army_cells, army_of};
use crate::position::Position;
use crate::rules::Promotion;
use crate::seat::{Seat, Seats};
use crate::sink::{Enough, Sink};
use crate::square::{Square, SquareSet};
use crate::status::Status;
use crate::step_table::StepTable;

/// What a search may take for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checks {
    /// The kings that the position does not note as perhaps checked are safe, as after every action.
    Noted,
    /// Nothing is known of any king, as in the midst of judging an action.
    Unknown,
}

impl Position {
    /// Fills the list with what the player on turn can do: its legal moves, or the pass if it must pass, or, for a
    /// surrendered army, the moves that can be drawn. The list is empty once the game has ended.
    pub fn generate(&self, list: &mut MoveList) {
        list.clear();
        if self.is_over() {
            return;
        }
        match self.status(self.turn) {
            Status::Abandoned => {}
            Status::Surrendered => {
                self.search_pseudo(self.turn, list);
            }
            _ => self.generate_moves(list),
        }
        if list.is_empty() {
            list.push(Move::PASS);
        }
    }

    /// The legal moves of an active player on turn.
    pub(crate) fn generate_moves(&self, list: &mut MoveList) {
        self.search(self.turn, self.turn, Checks::Noted, list);
        if games::judges_moves(self.rules.variant) {
            let mut trial = self.clone();
            list.retain(|mv| games::refusal(&mut trial, mv).is_none());
        }
    }

    /// Has the player on turn, active, a legal move?
    pub(crate) fn has_move(&self) -> bool {
        if !games::judges_moves(self.rules.variant) {
            return self.search(self.turn, self.turn, Checks::Noted, &mut |_: Move| true);
        }
        let mut trial = self.clone();
        self.search(self.turn, self.turn, Checks::Noted, &mut |mv: Move| {
            games::refusal(&mut trial, mv).is_none()
        })
    }

    /// Would the controller have a move that leaves its kings safe, if it were on turn? Turns go on with `first`.
    pub(crate) fn could_move(&self, controller: Seat, first: Seat) -> bool {
        self.search(controller, first, Checks::Unknown, &mut |_: Move| true)
    }

    /// Finds the moves that leave the mover's kings safe, until `sink` has seen enough; tells whether it had.
    ///
    /// `first` is the player who is, or comes next, on turn: an en passant right serves only players who come before
    /// its owner.
    #[inline]
    pub(crate) fn search<S: Sink>(&self, mover: Seat, first: Seat, checks: Checks, sink: &mut S) -> Enough {
        let seat = mover.index();
        match self.only_king(mover) {
            Some(army) if self.prey[seat] & self.catchable == 0 => {
                let is_safe = checks == Checks::Noted && !self.perhaps_checked.has(army);
                self.search_guarded(mover, first, army, is_safe, sink)
            }
            _ => self.search_trying(mover, first, sink),
        }
    }

    /// The army of the player's king, if it has just one.
    #[inline(always)]
    fn only_king(&self, mover: Seat) -> Option<Seat> {
        let has_king = |army: &Seat| self.kings[army.index()] != Square::NOWHERE;
        let controlled = self.controlled[mover.index()];
        match controlled.only() {
            Some(army) => Some(army).filter(has_king),
            None => controlled.iter().filter(has_king).collect::<Seats>().only(),
        }
    }

    /// The search for a player with one king: checks and pins are found once.
    fn search_guarded<S: Sink>(
        &self,
        mover: Seat,
        first: Seat,
        king_army: Seat,
        is_safe: bool,
        sink: &mut S,
    ) -> Enough {
        let seat = mover.index();
        let (own, hostile, prey) = (self.own[seat], self.hostile[seat], self.prey[seat]);
        let king = self.kings[king_army.index()];
        debug_assert!(!is_safe || !self.attacked::<false>(king, hostile, Square::NOWHERE));
        let mut info = CheckInfo::of(king);
        self.find_checks_and_pins(&mut info, own, hostile, is_safe);
        if self.step_king(king, hostile, prey, sink) {
            return true;
        }
        if info.is_beyond_help() {
            return false;
        }
        if info.checkers == 0 && self.castling != 0 && self.search_castles(mover, sink) {
            return true;
        }
        if self.search_en_passant(mover, first, sink) {
            return true;
        }
        if !info.is_idle() {
            return self.search_restricted(mover, prey, &info, sink);
        }
        self.controlled[seat].iter().any(|army| {
            let pieces = self.armies[army.index()].without(&SquareSet::of(king));
            pieces.any(|from| self.walk(from, prey, sink))
        })
    }

    /// The moves of a king, which only steps.
    #[inline(always)]
    fn step_king<S: Sink>(&self, king: Square, hostile: u64, prey: u64, sink: &mut S) -> Enough {
        let steps = self.rules.tables.steps(self.board[king.index()], king);
        let cells = prey | 1 << EMPTY;
        (0..steps.len()).any(|step| {
            let mv = steps.get(step);
            cells >> self.board[mv.to.index()] & 1 != 0
                && !self.attacked::<true>(mv.to, hostile, king)
                && sink.take(mv)
        })
    }

    /// The moves of the pieces beside a king that is checked, or of which some are pinned.
    #[inline(never)]
    fn search_restricted<S: Sink>(&self, mover: Seat, prey: u64, info: &CheckInfo, sink: &mut S) -> Enough {
        let bound = if info.checkers == 0 { info.pinned } else { *self.rules.geometry.squares() };
        self.controlled[mover.index()].iter().any(|army| {
            let pieces = self.armies[army.index()].without(&SquareSet::of(info.king));
            pieces.without(&bound).any(|from| self.walk(from, prey, sink))
                || pieces.and(&bound).any(|from| self.walk_restricted(from, prey, info, sink))
        })
    }

    /// The moves of a piece that is pinned, or whose king is checked once.
    #[inline(never)]
    fn walk_restricted<S: Sink>(&self, from: Square, prey: u64, info: &CheckInfo, sink: &mut S) -> Enough {
        let pinned = info.pinned.has(from);
        self.walk(from, prey, &mut |mv: Move| {
            (info.checkers == 0 || info.stops.has(mv.to))
                && (!pinned || info.allows(from, mv.to))
                && sink.take(mv)
        })
    }

    /// The search that tries every move: for players with several kings or none, and while capturing a king would
    /// silence its army.
    #[inline(never)]
    fn search_trying<S: Sink>(&self, mover: Seat, first: Seat, sink: &mut S) -> Enough {
        let mut trial = self.clone();
        let enough =
            self.search_pseudo(mover, &mut |mv: Move| trial.leaves_kings_safe(mv, mover) && sink.take(mv));
        enough
            || (self.castling != 0 && !self.is_in_check(mover) && self.search_castles(mover, sink))
            || self.search_en_passant(mover, first, sink)
    }

    /// Tries a move on this position, which is left as it was.
    fn leaves_kings_safe(&mut self, mv: Move, mover: Seat) -> bool {
        let undo = self.make(mv);
        let mut hostile = self.hostile[mover.index()];
        if let Some(taken) = Piece::of_cell(undo.taken).filter(|taken| taken.is_king()) {
            hostile &= !army_cells(taken.army().index());
        }
        let safe = !self.kings_attacked(mover, hostile);
        self.unmake(mv, &undo);
        safe
    }

    /// Finds the moves of the pieces alone: no castling, no en passant, no thought of kings.
    #[inline]
    pub(crate) fn search_pseudo<S: Sink>(&self, mover: Seat, sink: &mut S) -> Enough {
        let prey = self.prey[mover.index()];
        self.controlled[mover.index()].iter().any(|army| {
            let army = &self.armies[army.index()];
            army.iter().any(|from| self.walk(from, prey, sink))
        })
    }

    #[inline(never)]
    fn search_castles<S: Sink>(&self, mover: Seat, sink: &mut S) -> Enough {
        let hostile = self.hostile[mover.index()];
        let castles = self.rules.castles.iter().filter(|castle| {
            self.castling & castle.right != 0 && castle.right >> (2 * mover.index()) & 3 != 0
        });
        for castle in castles {
            let free = castle.between.iter().all(|square| self.board[square.index()] == EMPTY)
                && !self.attacked::<false>(castle.rook_to, hostile, Square::NOWHERE)
                && !self.attacked::<false>(castle.king_to, hostile, Square::NOWHERE);
            let place = self.board[castle.king_from.index()];
            let (from, to) = (castle.king_from, castle.king_to);
            if free && sink.take(Move { from, to, place, kind: MoveKind::Castle }) {
                return true;
            }
        }
        false
    }

    /// En passant takes two pieces off the lines at once, so every such capture is tried.
    #[inline(always)]
    fn search_en_passant<S: Sink>(&self, mover: Seat, first: Seat, sink: &mut S) -> Enough {
        self.en_passant != [Square::NOWHERE; 4] && self.search_en_passant_rights(mover, first, sink)
    }

    #[inline(never)]
    fn search_en_passant_rights<S: Sink>(&self, mover: Seat, first: Seat, sink: &mut S) -> Enough {
        let rules = self.rules;
        let own_pawns = self.own[mover.index()] & rules.tables.pawns;
        for &owner in rules.turn_order {
            let target = self.en_passant[owner.index()];
            let usable = target != Square::NOWHERE
                && self.board[target.index()] == EMPTY
                && rules.turns_after(first, mover) < rules.turns_after(first, owner);
            if !usable {
                continue;
            }
            for (way, offset) in OFFSETS.into_iter().enumerate() {
                let from = Square(target.0.wrapping_sub(offset));
                let cell = self.board[from.index()];
                if own_pawns >> cell & 1 == 0 || rules.tables.strikes[usize::from(cell)] >> way & 1 == 0 {
                    continue;
                }
                let capture = Move { from, to: target, place: cell, kind: MoveKind::EnPassant };
                if self.clone().leaves_kings_safe(capture, mover) && self.settle_pawn(capture, cell, sink) {
                    return true;
                }
            }
        }
        false
    }

    /// The moves of one piece: its patterns, and what it may capture; nothing is known of kings here.
    #[inline(always)]
    pub(crate) fn walk<S: Sink>(&self, from: Square, prey: u64, sink: &mut S) -> Enough {
        let cell = self.board[from.index()] & 63;
        let steps = self.rules.tables.steps(cell, from);
        let met = |step| self.board[steps.get(step).to.index()];
        let cells = prey | 1 << EMPTY;
        if steps.are_plain() {
            return sink.take_open(steps, |step| cells >> met(step) & 1 != 0);
        }
        if steps.are_lame() {
            let passes = |step| self.board[steps.leg(step).index()] == EMPTY;
            return sink.take_open(steps, |step| (cells >> met(step) & 1 != 0) & passes(step));
        }
        if steps.has_slides() {
            if self.slide(steps, from, cell, prey, sink) {
                return true;
            }
            if steps.len() == 0 {
                return false;
            }
        }
        if steps.are_near_goal() {
            return self.step_near_goal(steps, cell, prey, sink);
        }
        let targets = [0, 1 << EMPTY, prey, cells];
        sink.take_open(steps, |step| targets[steps.uses(step)] >> met(step) & 1 != 0)
            || (steps.may_double() && self.step_double(from, cell, sink))
    }

    #[inline(always)]
    fn slide<S: Sink>(&self, steps: &StepTable, from: Square, cell: u8, prey: u64, sink: &mut S) -> Enough {
        if self.rules.tables.confined >> cell & 1 != 0 {
            return self.slide_confined(steps, from, cell, prey, sink);
        }
        for way in steps.slides() {
            let offset = OFFSETS[usize::from(way) & 7];
            let mut to = from.offset(offset);
            let mut met = self.board[to.index()];
            while met == EMPTY {
                if sink.take(Move::plain(from, to, cell)) {
                    return true;
                }
                to = to.offset(offset);
                met = self.board[to.index()];
            }
            if prey >> met & 1 != 0 && sink.take(Move::plain(from, to, cell)) {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn step_double<S: Sink>(&self, from: Square, cell: u8, sink: &mut S) -> Enough {
        let forward = self.rules.tables.forward[army_of(cell)];
        let passed = from.offset(forward);
        let to = passed.offset(forward);
        let open = self.board[passed.index()] == EMPTY && self.board[to.index()] == EMPTY;
        open && sink.take(Move { from, to, place: cell, kind: MoveKind::Double })
    }

    /// The moves of a slider that cannot leave its palace.
    #[inline(never)]
    fn slide_confined<S: Sink>(
        &self,
        steps: &StepTable,
        from: Square,
        cell: u8,
        prey: u64,
        sink: &mut S,
    ) -> Enough {
        let tables = &self.rules.tables;
        let palace = tables.palace[from.index()];
        for way in steps.slides() {
            let mut to = from;
            loop {
                to = to.offset(OFFSETS[usize::from(way) & 7]);
                let met = self.board[to.index()];
                let open = tables.palace[to.index()] == palace && (met == EMPTY || prey >> met & 1 != 0);
                if open && sink.take(Move::plain(from, to, cell)) {
                    return true;
                }
                if !open || met != EMPTY {
                    break;
                }
            }
        }
        false
    }

    #[inline(never)]
    fn step_near_goal<S: Sink>(&self, steps: &StepTable, cell: u8, prey: u64, sink: &mut S) -> Enough {
        let targets = [0, 1 << EMPTY, prey, prey | 1 << EMPTY];
        (0..steps.len()).any(|step| {
            let mv = steps.get(step);
            targets[steps.uses(step)] >> self.board[mv.to.index()] & 1 != 0
                && self.settle_pawn(mv, cell, sink)
        })
    }

    /// A pawn's move as it is, or, at the pawn's goal, once for every promotion.
    #[inline(always)]
    fn settle_pawn<S: Sink>(&self, mv: Move, cell: u8, sink: &mut S) -> Enough {
        if !self.rules.tables.goals[usize::from(cell)].has(mv.to) {
            return sink.take(mv);
        }
        let army = cell & 0x30;
        let promoted = |role: u8| Move { place: army | role, ..mv };
        match self.rules.promotion {
            Promotion::Always(role) => sink.take(promoted(role)),
            Promotion::Chosen(roles) => roles.iter().any(|&role| {
                let ground = &self.rules.tables.grounds[usize::from(army | role)];
                ground.has(mv.to) && sink.take(promoted(role))
            }),
        }
    }

    /// Is a move of this position a promotion?
    pub(crate) fn is_promotion(&self, mv: Move) -> bool {
        let pawns = self.rules.tables.pawns;
        !mv.is_pass() && pawns >> self.board[mv.from.index()] & 1 != 0 && pawns >> mv.place & 1 == 0
    }
}
