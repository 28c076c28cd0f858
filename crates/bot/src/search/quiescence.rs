//! Captures that follow, until the position is quiet enough to be judged.

use kingscross_engine::{Move, MoveList, Position, Seat, Status};

use super::ordering::bring_best;
use super::{PLIES, Search};

/// What a capture may fall short of alpha by, as the places of pieces count too.
const MARGIN: i32 = 200;

impl Search<'_> {
    /// The value to the bot when it may capture on, and the others what is the bot's.
    pub(super) fn quiesce(
        &mut self,
        position: &Position,
        alpha: i32,
        beta: i32,
        ply: usize,
        left: i32,
    ) -> i32 {
        let Some(turn) = position.turn() else { return self.outcome(position, ply) };
        let stand = self.evaluation.view(position, self.root);
        if self.stopped || left <= 0 || ply >= PLIES || position.status(self.root) != Status::Active {
            return stand;
        }
        if turn == self.root {
            self.quiesce_own(position, stand, (alpha, beta), ply, left)
        } else {
            self.quiesce_theirs(position, stand, (alpha, beta), ply, left)
        }
    }

    fn quiesce_own(
        &mut self,
        position: &Position,
        stand: i32,
        window: (i32, i32),
        ply: usize,
        left: i32,
    ) -> i32 {
        let (mut alpha, beta) = window;
        if stand >= beta {
            return stand;
        }
        alpha = alpha.max(stand);
        let mut best = stand;
        let mut moves = std::mem::take(&mut self.buffers[ply]);
        moves.clear();
        self.push_captures(position, self.root, None, &mut moves);
        for at in 0..moves.len() {
            let mv = bring_best(&mut moves, at);
            let gain = self.material.gain(position, mv);
            if stand + gain + MARGIN <= alpha || self.loses(position, mv, gain) {
                continue;
            }
            let next = self.after(position, mv);
            let value = self.quiesce(&next, alpha, beta, ply + 1, left - 1);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta || self.stopped {
                break;
            }
        }
        self.buffers[ply] = moves;
        best
    }

    /// Of all others who are on turn before the bot is, one may capture what is the bot's.
    fn quiesce_theirs(
        &mut self,
        position: &Position,
        stand: i32,
        window: (i32, i32),
        ply: usize,
        left: i32,
    ) -> i32 {
        let (alpha, mut beta) = window;
        if stand <= alpha {
            return stand;
        }
        beta = beta.min(stand);
        let mut best = stand;
        let mut moves = std::mem::take(&mut self.buffers[ply]);
        moves.clear();
        let mut seats = [None; 4];
        for (at, seat) in self.until_root(position).enumerate() {
            seats[at & 3] = Some(seat);
        }
        for seat in seats.into_iter().flatten() {
            self.push_captures(position, seat, Some(self.root), &mut moves);
        }
        let mut supposed = position.clone();
        for at in 0..moves.len() {
            let mv = bring_best(&mut moves, at);
            let gain = self.material.gain(position, mv);
            if stand - gain - MARGIN >= beta {
                continue;
            }
            let Some(seat) = position.piece(mv.from()).map(|piece| position.controller(piece.army())) else {
                continue;
            };
            supposed.suppose_turn(seat);
            if self.loses(&supposed, mv, gain) {
                continue;
            }
            let mut next = self.after(&supposed, mv);
            if next.turn().is_some() && next.status(self.root) == Status::Active {
                next.suppose_turn(self.root);
            }
            let value = self.quiesce(&next, alpha, beta, ply + 1, left - 1);
            best = best.min(value);
            beta = beta.min(value);
            if alpha >= beta || self.stopped {
                break;
            }
        }
        self.buffers[ply] = moves;
        best
    }

    /// The active players from the one on turn to the last before the bot.
    pub(super) fn until_root(&self, position: &Position) -> impl Iterator<Item = Seat> + use<> {
        let (order, root) = (position.rules().turn_order, self.root);
        let active = position.active();
        let first = position.turn().and_then(|turn| order.iter().position(|&seat| seat == turn)).unwrap_or(0);
        (0..order.len())
            .map(move |step| order[(first + step) % order.len()])
            .take_while(move |&seat| seat != root)
            .filter(move |&seat| active.has(seat))
    }

    /// Adds the captures and promotions of a player that the bot sees; only of `victim`'s pieces, if one is named.
    fn push_captures(
        &mut self,
        position: &Position,
        seat: Seat,
        victim: Option<Seat>,
        moves: &mut Vec<(i32, Move)>,
    ) {
        let mut list = MoveList::new();
        if position.turn() == Some(seat) {
            position.generate_captures(&mut list);
        } else {
            let mut supposed = position.clone();
            supposed.suppose_turn(seat);
            supposed.generate_captures(&mut list);
        }
        for &mv in list.iter() {
            let hits = victim.is_none_or(|victim| {
                position.piece(mv.to()).is_some_and(|piece| position.controller(piece.army()) == victim)
            });
            let gain = self.material.gain(position, mv);
            if hits && gain > 0 && !self.attention.overlooks(mv) {
                moves.push((16 * gain - self.material.risked(position, mv), mv));
            }
        }
    }

    /// Does the capture give more than it takes, because the square is defended?
    pub(super) fn loses(&self, position: &Position, mv: Move, gain: i32) -> bool {
        let risked = self.material.risked(position, mv);
        let Some(mover) = position.turn() else { return false };
        gain + 50 < risked && position.is_attacked(mv.to(), mover)
    }
}
