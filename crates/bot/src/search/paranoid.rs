//! The search in which all others play against the bot. With two players it is alpha-beta.

use kingscross_engine::{Move, Position, Status};

use super::ordering::bring_best;
use super::table::Bound;
use super::{PLIES, Search, chooses, is_checked};

impl Search<'_> {
    /// The value of a position to the bot; exact only between alpha and beta.
    pub(super) fn paranoid(
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
        if !chooses(position, turn) {
            let next = self.after(position, Move::PASS);
            return self.paranoid(&next, depth, alpha, beta, ply + 1);
        }
        let key = position.hash().0;
        if self.duel && self.line[..ply].contains(&key) {
            return 0;
        }
        self.line[ply] = key;
        let depth = if mine { depth + self.extension(position, ply) } else { depth };
        if depth <= 0 {
            return self.quiesce(position, alpha, beta, ply, i32::from(self.character.exchanges));
        }
        let mut known = Move::PASS;
        if let Some(entry) = self.table.find(key) {
            known = entry.best;
            let enough = i32::from(entry.depth) >= depth;
            let settles = match entry.bound {
                Bound::Exact => true,
                Bound::AtLeast => entry.value >= beta,
                Bound::AtMost => entry.value <= alpha,
            };
            if enough && settles {
                return entry.value;
            }
        }
        let checked = is_checked(position, turn);
        if let Some(value) = self.sits_out(position, depth, alpha, beta, ply, checked) {
            return value;
        }
        self.look_through(position, depth, (alpha, beta), ply, known, checked)
    }

    /// With two players: if even another move of the opponent's would not help it, this line is cut off.
    fn sits_out(
        &mut self,
        position: &Position,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
        checked: bool,
    ) -> Option<i32> {
        let turn = position.turn()?;
        if !self.duel || depth < 3 || checked || beta - alpha > 1 || position.army(turn).len() < 4 {
            return None;
        }
        let mut next = position.clone();
        next.suppose_turn(turn.opposite());
        let mine = turn == self.root;
        let stand = self.evaluation.view(position, self.root);
        if mine && stand >= beta {
            let value = self.paranoid(&next, depth - 3, beta - 1, beta, ply + 1);
            return (value >= beta && !self.stopped).then_some(beta);
        }
        if !mine && stand <= alpha {
            let value = self.paranoid(&next, depth - 3, alpha, alpha + 1, ply + 1);
            return (value <= alpha && !self.stopped).then_some(alpha);
        }
        None
    }

    fn look_through(
        &mut self,
        position: &Position,
        depth: i32,
        window: (i32, i32),
        ply: usize,
        known: Move,
        checked: bool,
    ) -> i32 {
        let mine = position.turn() == Some(self.root);
        let (mut alpha, mut beta) = window;
        let mut moves = self.list(position, known, ply);
        let mut best = if mine { i32::MIN } else { i32::MAX };
        let mut best_move = Move::PASS;
        for at in 0..moves.len() {
            let mv = bring_best(&mut moves, at);
            let quiet = moves[at].0 < 1_000_000;
            let next = self.after(position, mv);
            let value = if at == 0 {
                self.paranoid(&next, depth - 1, alpha, beta, ply + 1)
            } else {
                let reduced = match at {
                    0..4 => 0,
                    _ if !quiet || depth < 3 || checked => 0,
                    4..14 => 1,
                    _ => 2,
                };
                self.look_at_later(&next, depth - 1, reduced, (alpha, beta), mine, ply + 1)
            };
            if self.stopped && at > 0 {
                break;
            }
            if if mine { value > best } else { value < best } {
                best = value;
                best_move = mv;
            }
            if mine {
                alpha = alpha.max(best);
            } else {
                beta = beta.min(best);
            }
            if alpha >= beta {
                if quiet {
                    self.memory.reward(mv, ply, depth);
                }
                break;
            }
        }
        self.buffers[ply] = moves;
        if !self.stopped {
            let bound = match best {
                _ if best <= window.0 => Bound::AtMost,
                _ if best >= window.1 => Bound::AtLeast,
                _ => Bound::Exact,
            };
            self.table.store(position.hash().0, best, depth, bound, best_move);
        }
        best
    }

    /// The value of a move that is not the first: asked only whether it beats the best one, and in full if it does. A
    /// late one is looked at less deep by `reduced` at first.
    #[inline]
    fn look_at_later(
        &mut self,
        next: &Position,
        depth: i32,
        reduced: i32,
        (alpha, beta): (i32, i32),
        mine: bool,
        ply: usize,
    ) -> i32 {
        let (low, high) = if mine { (alpha, alpha + 1) } else { (beta - 1, beta) };
        let beats = |value: i32| if mine { value > alpha } else { value < beta };
        let mut value = self.paranoid(next, depth - reduced, low, high, ply);
        if reduced > 0 && beats(value) && !self.stopped {
            value = self.paranoid(next, depth, low, high, ply);
        }
        if beats(value) && beta - alpha > 1 && !self.stopped {
            value = self.paranoid(next, depth, alpha, beta, ply);
        }
        value
    }
}
