//! Which moves are looked at first.

use kingscross_engine::{Move, MoveKind, Piece, Position, Status, Variant};

use crate::evaluation::{Tables, place};

/// What moves win in material at once.
#[derive(Clone, Copy)]
pub(crate) struct Material {
    tables: &'static Tables,
}

impl Material {
    pub(crate) fn of(variant: Variant) -> Material {
        Material { tables: Tables::of(variant) }
    }

    /// What a piece is worth to those who fight it; terrain and frozen pieces are worth nothing.
    pub(crate) fn prize(&self, position: &Position, piece: Piece) -> i32 {
        let status = position.status(position.controller(piece.army()));
        match status {
            Status::Surrendered if piece.is_king() => 2_000,
            // What they may still do at random is worth little.
            Status::Surrendered | Status::Abandoned => self.tables.value[piece.code()] / 3,
            _ if status.attacks() => self.tables.value[piece.code()],
            _ => 0,
        }
    }

    /// What the move captures and what its pawn gains by promotion.
    pub(crate) fn gain(&self, position: &Position, mv: Move) -> i32 {
        if mv.is_pass() {
            return 0;
        }
        let captured = match mv.kind() {
            MoveKind::EnPassant => 100,
            _ => position.piece(mv.to()).map_or(0, |piece| self.prize(position, piece)),
        };
        let before = position.piece(mv.from()).map_or(0, |piece| self.tables.value[piece.code()]);
        let after = mv.piece().map_or(0, |piece| self.tables.value[piece.code()]);
        captured + after - before
    }

    /// What the moving piece is worth.
    pub(crate) fn risked(&self, position: &Position, mv: Move) -> i32 {
        position.piece(mv.from()).map_or(0, |piece| self.tables.value[piece.code()])
    }
}

/// Moves that did well elsewhere in the search.
pub(super) struct Memory {
    /// By ply: quiet moves that cut off.
    killers: Vec<[Move; 2]>,
    /// By piece and goal: how often it cut off.
    history: Vec<[i32; 256]>,
}

impl Memory {
    pub(super) fn new(plies: usize) -> Memory {
        Memory { killers: vec![[Move::PASS; 2]; plies], history: vec![[0; 256]; 64] }
    }

    /// A quiet move cut off.
    pub(super) fn reward(&mut self, mv: Move, ply: usize, depth: i32) {
        let killers = &mut self.killers[ply];
        if killers[0] != mv {
            killers[1] = killers[0];
            killers[0] = mv;
        }
        if let Some(piece) = mv.piece() {
            let worth = &mut self.history[piece.code()][place(mv.to())];
            *worth = (*worth + depth * depth).min(50_000);
        }
    }

    /// The rank of a move: the known best, captures by what they win and risk, killers, then by history.
    pub(super) fn rank(
        &self,
        material: Material,
        position: &Position,
        mv: Move,
        best: Move,
        ply: usize,
    ) -> i32 {
        if mv == best {
            return 10_000_000;
        }
        let gain = material.gain(position, mv);
        if gain > 0 {
            return 1_000_000 + 16 * gain - material.risked(position, mv);
        }
        if self.killers[ply].contains(&mv) {
            return 500_000;
        }
        mv.piece().map_or(0, |piece| self.history[piece.code()][place(mv.to())])
    }
}

/// Brings the highest ranked of the moves from `at` on to `at`.
#[inline]
pub(super) fn bring_best(moves: &mut [(i32, Move)], at: usize) -> Move {
    let mut best = at;
    for other in at + 1..moves.len() {
        if moves[other].0 > moves[best].0 {
            best = other;
        }
    }
    moves.swap(at, best);
    moves[at].1
}
