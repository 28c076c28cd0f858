//! The search in which, between two moves of the bot, only one of the others moves: whoever can hurt it most.

use kingscross_engine::{Move, MoveList, Position, Status};

use super::ordering::bring_best;
use super::table::Bound;
use super::{PLIES, Search, is_checked};

impl Search<'_> {
    /// The value of a position to the bot; exact only between alpha and beta.
    pub(super) fn best_reply(
        &mut self,
        position: &Position,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        let Some(turn) = position.turn() else { return self.outcome(position, ply) };
        if self.stopped || ply >= PLIES {
            return self.evaluation.view(position, self.root);
        }
        if position.status(self.root) != Status::Active {
            return self.evaluation.view(position, self.root) + ply as i32;
        }
        let mine = turn == self.root;
        let key = position.hash().0;
        let depth = if mine { depth + self.extension(position, ply) } else { depth };
        if depth <= 0 {
            return self.quiesce(position, alpha, beta, ply, i32::from(self.character.exchanges));
        }
        let mut known = Move::PASS;
        if let Some(entry) = self.table.find(key) {
            known = entry.best;
            let settles = match entry.bound {
                Bound::Exact => true,
                Bound::AtLeast => entry.value >= beta,
                Bound::AtMost => entry.value <= alpha,
            };
            if i32::from(entry.depth) >= depth && settles {
                return entry.value;
            }
        }
        let (best, best_move) = if mine {
            self.best_own(position, depth, (alpha, beta), ply, known)
        } else {
            self.worst_reply(position, depth, (alpha, beta), ply, known)
        };
        if !self.stopped {
            let bound = if best <= alpha {
                Bound::AtMost
            } else if best >= beta {
                Bound::AtLeast
            } else {
                Bound::Exact
            };
            self.table.store(key, best, depth, bound, best_move);
        }
        best
    }

    fn best_own(
        &mut self,
        position: &Position,
        depth: i32,
        window: (i32, i32),
        ply: usize,
        known: Move,
    ) -> (i32, Move) {
        let (mut alpha, beta) = window;
        let checked = is_checked(position, self.root);
        let mut moves = self.list(position, known, ply);
        let (mut best, mut best_move) = (i32::MIN, Move::PASS);
        for at in 0..moves.len() {
            let mv = bring_best(&mut moves, at);
            let quiet = moves[at].0 < 1_000_000;
            let next = self.after(position, mv);
            let late = quiet && depth >= 3 && at >= 4 && !checked;
            let reduced = if !late {
                0
            } else if at >= 14 {
                2
            } else {
                1
            };
            let mut value = if at == 0 {
                self.best_reply(&next, depth - 1, alpha, beta, ply + 1)
            } else {
                self.best_reply(&next, depth - 1 - reduced, alpha, alpha + 1, ply + 1)
            };
            if at > 0 && value > alpha && (reduced > 0 || value < beta) && !self.stopped {
                value = self.best_reply(&next, depth - 1, alpha, beta, ply + 1);
            }
            if self.stopped && at > 0 {
                break;
            }
            if value > best {
                (best, best_move) = (value, mv);
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                if quiet {
                    self.memory.reward(mv, ply, depth);
                }
                break;
            }
        }
        self.buffers[ply] = moves;
        (best, best_move)
    }

    /// The worst that one of the others can do, or that none of them does anything to the bot.
    fn worst_reply(
        &mut self,
        position: &Position,
        depth: i32,
        window: (i32, i32),
        ply: usize,
        known: Move,
    ) -> (i32, Move) {
        let (alpha, mut beta) = window;
        let mut moves = std::mem::take(&mut self.buffers[ply]);
        moves.clear();
        let mut seats = [None; 4];
        for (at, seat) in self.until_root(position).enumerate() {
            seats[at & 3] = Some(seat);
        }
        // Next to the root everything is looked at; further on, what touches the bot.
        let wide = ply <= 1;
        let mut supposed = position.clone();
        for seat in seats.into_iter().flatten() {
            supposed.suppose_turn(seat);
            self.push_replies(&supposed, wide, known, ply, &mut moves);
        }
        let (mut best, mut best_move) = (i32::MAX, Move::PASS);
        if !wide || moves.is_empty() {
            supposed.suppose_turn(self.root);
            best = self.best_reply(&supposed, depth - 1, alpha, beta, ply + 1);
            beta = beta.min(best);
        }
        for at in 0..moves.len() {
            if alpha >= beta || self.stopped {
                break;
            }
            let mv = bring_best(&mut moves, at);
            let quiet = moves[at].0 < 1_000_000;
            let Some(piece) = position.piece(mv.from()) else { continue };
            supposed.suppose_turn(position.controller(piece.army()));
            let mut next = self.after(&supposed, mv);
            if next.turn().is_some() && next.status(self.root) == Status::Active {
                next.suppose_turn(self.root);
            }
            let reduced = i32::from(quiet && depth >= 2 && at >= 6);
            let mut value = self.best_reply(&next, depth - 1 - reduced, alpha, beta, ply + 1);
            if reduced > 0 && value < beta && !self.stopped {
                value = self.best_reply(&next, depth - 1, alpha, beta, ply + 1);
            }
            if self.stopped && best != i32::MAX {
                break;
            }
            if value < best {
                (best, best_move) = (value, mv);
            }
            beta = beta.min(best);
            if alpha >= beta && quiet {
                self.memory.reward(mv, ply, depth);
            }
        }
        self.buffers[ply] = moves;
        (best, best_move)
    }

    fn push_replies(
        &mut self,
        supposed: &Position,
        wide: bool,
        known: Move,
        ply: usize,
        moves: &mut Vec<(i32, Move)>,
    ) {
        let mut list = MoveList::new();
        if wide {
            supposed.generate(&mut list);
        } else {
            supposed.generate_captures(&mut list);
        }
        for &mv in list.iter().filter(|mv| !mv.is_pass()) {
            let touches =
                supposed.piece(mv.to()).is_some_and(|piece| supposed.controller(piece.army()) == self.root);
            if (wide || touches || mv == known) && !self.attention.overlooks(mv) {
                moves.push((self.memory.rank(self.material, supposed, mv, known, ply), mv));
            }
        }
    }
}
