//! Counting sequences of plies, to prove and to measure the generator.

use crate::game::Game;
use crate::moves::MoveList;
use crate::position::Position;

/// The number of sequences of `depth` plies, draws by repetition, quiet plies and length left out. Every leaf is made.
#[must_use]
pub fn perft(game: &Game, depth: u32) -> u64 {
    let mut position = game.position().clone();
    count(&mut position, depth)
}

fn count(position: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut list = MoveList::new();
    position.generate(&mut list);
    if depth == 1 {
        let mut leaves = 0;
        for &mv in list.iter() {
            let undo = position.make(mv);
            position.pass_turn();
            leaves += u64::from(std::hint::black_box(&*position).ply() > 0);
            position.unmake(mv, &undo);
        }
        return leaves;
    }
    list.iter()
        .map(|&mv| {
            let mut next = position.clone();
            next.play(mv);
            count(&mut next, depth - 1)
        })
        .sum()
}
