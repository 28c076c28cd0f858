//! Counting sequences of plies, to prove and to measure the generator.

use crate::effect::{Effect, Log};
use crate::game::Game;
use crate::moves::{Move, MoveKind, MoveList};
use crate::position::Position;

/// The deepest count of a running game that is begun for anyone outside: each ply takes its part of the stack, and the
/// deepest that ends is far below.
pub const DEEPEST_PERFT: u32 = 32;

/// The number of sequences of `depth` plies, draws by repetition, quiet plies and length left out. Every leaf is made.
#[must_use]
pub fn perft(game: &Game, depth: u32) -> u64 {
    let mut list = MoveList::new();
    game.position().generate(&mut list);
    count(&mut game.position().clone(), &list, depth, &mut MoveList::new())
}

/// A log that remembers only whether there was anything to hear.
struct Consequences(bool);

impl Log for Consequences {
    const HEARS_MOVES: bool = false;

    #[inline(always)]
    fn note(&mut self, _effect: impl FnOnce() -> Effect) {
        self.0 = true;
    }
}

/// Counts from a position, which is left as it was, and what can be done there. A list takes time to make, so those before
/// the last share one; a copy takes time too, so the last ply but one is taken back where nothing followed from it.
fn count(position: &mut Position, list: &MoveList, depth: u32, spare: &mut MoveList) -> u64 {
    match depth {
        0 => 1,
        1 => count_leaves(position, list),
        2 => {
            let before = position.clone();
            let leaves = |&mv| {
                let mut consequences = Consequences(false);
                let undo = position.play_noting_and_generate(mv, spare, &mut consequences);
                let leaves = count_leaves(position, spare);
                if consequences.0 {
                    position.clone_from(&before);
                } else {
                    position.take_back(mv, &undo, &before);
                    debug_assert!(position.board == before.board && position.armies == before.armies);
                }
                leaves
            };
            list.iter().map(leaves).sum()
        }
        _ => {
            let mut replies = MoveList::new();
            let nodes = |&mv| {
                let mut next = position.clone();
                next.play_and_generate(mv, &mut replies);
                count(&mut next, &replies, depth - 1, spare)
            };
            list.iter().map(nodes).sum()
        }
    }
}

fn count_leaves(position: &mut Position, list: &MoveList) -> u64 {
    list.iter().map(|mv| make_leaf(position, mv)).sum()
}

/// Makes the last ply of a sequence and takes it back. The move is handed on where it lies, so that its parts are read one
/// by one instead of being cut out of a whole.
#[inline(always)]
fn make_leaf(position: &mut Position, mv: &Move) -> u64 {
    if mv.kind() == MoveKind::Plain {
        make_leaf_as::<true>(position, mv)
    } else {
        make_special_leaf(position, mv)
    }
}

#[inline(never)]
fn make_special_leaf(position: &mut Position, mv: &Move) -> u64 {
    make_leaf_as::<false>(position, mv)
}

#[inline(always)]
fn make_leaf_as<const PLAIN: bool>(position: &mut Position, mv: &Move) -> u64 {
    let undo = position.make_as::<PLAIN>(*mv);
    position.pass_turn();
    let made = u64::from(std::hint::black_box(&*position).ply() > 0);
    position.unmake_as::<PLAIN>(*mv, &undo);
    made
}
