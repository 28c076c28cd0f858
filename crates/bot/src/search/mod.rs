//! The searches: one that deepens step by step at the root, and three ways to look further.

mod best_reply;
mod max_n;
mod ordering;
mod paranoid;
mod quiescence;
mod root;
mod table;

pub(crate) use ordering::Material;
pub(crate) use root::think;

use kingscross_engine::{Move, MoveList, Position, Seat, Status};

use crate::attention::Attention;
use crate::budget::Budget;
use crate::character::Character;
use crate::evaluation::Evaluation;
use ordering::Memory;
use table::Table;

/// The deepest ply of any line.
const PLIES: usize = 64;

/// How often, in nodes, the caller is asked whether to stop.
const ASKING: u64 = 256;

/// The state of one choice.
pub(crate) struct Search<'a> {
    /// The bot whose choice it is. All values are its own.
    root: Seat,
    duel: bool,
    character: Character,
    budget: Budget<'a>,
    attention: Attention,
    evaluation: Evaluation,
    material: Material,
    nodes: u64,
    stopped: bool,
    table: Table,
    memory: Memory,
    /// By ply: the moves being looked at; kept, so that searching does not allocate.
    buffers: Vec<Vec<(i32, Move)>>,
    /// By ply: the hashes of the line being looked at.
    line: [u64; PLIES + 1],
}

impl<'a> Search<'a> {
    fn new(
        position: &Position,
        root: Seat,
        character: Character,
        seed: u64,
        budget: Budget<'a>,
    ) -> Search<'a> {
        let variant = position.rules().variant;
        Search {
            root,
            duel: position.rules().turn_order.len() == 2,
            attention: Attention::new(character.attention, character.blur, seed, position),
            evaluation: Evaluation::of(variant),
            material: Material::of(variant),
            nodes: 0,
            stopped: false,
            table: Table::for_nodes(budget.nodes()),
            memory: Memory::new(PLIES + 1),
            buffers: (0..=PLIES).map(|_| Vec::with_capacity(128)).collect(),
            line: [0; PLIES + 1],
            character,
            budget,
        }
    }

    /// Plays a move on a copy and counts it.
    #[inline]
    fn after(&mut self, position: &Position, mv: Move) -> Position {
        self.nodes += 1;
        if self.nodes >= self.budget.nodes() || (self.nodes.is_multiple_of(ASKING) && self.budget.stops()) {
            self.stopped = true;
        }
        let mut next = position.clone();
        next.play(mv);
        next
    }

    /// The value of a finished game; what comes sooner counts more.
    fn outcome(&self, position: &Position, ply: usize) -> i32 {
        let value = Evaluation::of_outcome(position, self.root);
        value - value.signum() * ply as i32
    }

    /// Fills the buffer of a ply with the moves of the player on turn that the bot sees, ranked.
    ///
    /// At least one move is always seen.
    fn list(&mut self, position: &Position, known: Move, ply: usize) -> Vec<(i32, Move)> {
        let mut found = MoveList::new();
        position.generate(&mut found);
        let mut moves = std::mem::take(&mut self.buffers[ply]);
        moves.clear();
        for &mv in found.iter() {
            if !self.attention.overlooks(mv) {
                moves.push((self.memory.rank(self.material, position, mv, known, ply), mv));
            }
        }
        if moves.is_empty() {
            moves.extend(found.first().map(|&mv| (0, mv)));
        }
        moves
    }
}

/// Does the player on turn choose its move? Those who have left do not; their turns are passed over, and what an army
/// of kingdoms does at random is not foreseen.
fn chooses(position: &Position, seat: Seat) -> bool {
    position.status(seat) == Status::Active
}

/// Is some king that the seat controls attacked?
fn is_checked(position: &Position, seat: Seat) -> bool {
    Seat::ALL.into_iter().any(|army| {
        position.controller(army) == seat
            && position.king(army).is_some_and(|king| position.is_attacked(king, seat))
    })
}
