//! The search in which everyone plays for itself.

use kingscross_engine::{Move, Position};

use super::ordering::bring_best;
use super::{PLIES, Search, chooses};
use crate::evaluation::Evaluation;

impl Search<'_> {
    /// The values of a position to all players.
    pub(super) fn max_n(&mut self, position: &Position, depth: i32, ply: usize) -> [i32; 4] {
        let Some(turn) = position.turn() else {
            return kingscross_engine::Seat::ALL.map(|seat| {
                let value = Evaluation::of_outcome(position, seat);
                value - value.signum() * ply as i32
            });
        };
        if self.stopped || ply >= PLIES {
            return self.evaluation.views(position);
        }
        if !chooses(position, turn) {
            let next = self.after(position, Move::PASS);
            return self.max_n(&next, depth, ply + 1);
        }
        if depth <= 0 {
            return self.take_on(position, ply);
        }
        let mut moves = self.list(position, Move::PASS, ply);
        let mut best = [i32::MIN; 4];
        for at in 0..moves.len() {
            let mv = bring_best(&mut moves, at);
            let next = self.after(position, mv);
            let values = self.max_n(&next, depth - 1, ply + 1);
            if self.stopped && at > 0 {
                break;
            }
            if values[turn.index()] > best[turn.index()] {
                best = values;
            }
        }
        self.buffers[ply] = moves;
        best
    }

    /// The values when the player on turn makes its best capture, or none, and the next likewise, each in turn.
    fn take_on(&mut self, position: &Position, ply: usize) -> [i32; 4] {
        let stand = self.evaluation.views(position);
        let Some(turn) = position.turn() else { return stand };
        if self.stopped || ply >= PLIES || self.character.exchanges == 0 {
            return stand;
        }
        let capture = self.best_capture(position);
        let Some(mv) = capture else { return stand };
        let next = self.after(position, mv);
        let taken = if next.is_over() { self.evaluation.views(&next) } else { self.take_on(&next, ply + 1) };
        if taken[turn.index()] > stand[turn.index()] { taken } else { stand }
    }

    /// The capture that wins most for least, if it does not lose.
    fn best_capture(&self, position: &Position) -> Option<Move> {
        let mut list = kingscross_engine::MoveList::new();
        position.generate_captures(&mut list);
        let seen = list.iter().copied().filter(|&mv| {
            let gain = self.material.gain(position, mv);
            gain > 0 && !self.attention.overlooks(mv) && !self.loses(position, mv, gain)
        });
        seen.max_by_key(|&mv| 16 * self.material.gain(position, mv) - self.material.risked(position, mv))
    }
}
