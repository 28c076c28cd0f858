//! The bot that all others are measured by: a mate if there is one, else the best capture, else any move.

use kingscross_engine::{Game, Move, Seat, SplitMix64};

use crate::evaluation::Evaluation;
use crate::search::Material;

/// A move that wins, or fells, or takes the most; the dice choose among equals.
pub(crate) fn pick(game: &Game, seat: Seat, moves: &[Move], dice: &mut SplitMix64) -> Move {
    let position = game.position();
    let material = Material::of(position.rules().variant);
    let mut best: Vec<Move> = Vec::new();
    let mut most = i32::MIN;
    for &mv in moves {
        let mut next = position.clone();
        next.play(mv);
        let fallen = position.active().without(next.active()).len() as i32;
        let gain = if next.is_over() {
            Evaluation::of_outcome(&next, seat)
        } else if fallen > 0 {
            // A king is worth more than any piece.
            5_000 * fallen
        } else {
            material.gain(position, mv)
        };
        if gain > most {
            most = gain;
            best.clear();
        }
        if gain == most {
            best.push(mv);
        }
    }
    best[dice.below(best.len())]
}
