//! What those who search ask of the rules beside moves: supposed turns, captures alone, ranks, reach.

use crate::action::Action;
use crate::game::Game;
use crate::games;
use crate::hash::KEYS;
use crate::moves::{Move, MoveKind, MoveList};
use crate::piece::{EMPTY, Piece};
use crate::position::Position;
use crate::rules::Status;
use crate::seat::Seat;
use crate::square::Square;

impl Move {
    /// The piece that stands on the square it goes to afterwards: another than before after a promotion, and after a
    /// pawn's move that commits it. `None` for a pass.
    #[inline]
    #[must_use]
    pub const fn piece(self) -> Option<Piece> {
        Piece::of_cell(self.place)
    }
}

impl Position {
    /// Gives the turn to another active player without a ply, as searches do that let players sit out. What arises
    /// is no position of a game; nothing is judged anew.
    #[inline]
    pub fn suppose_turn(&mut self, seat: Seat) {
        self.hash ^= KEYS.turn[self.turn.index()] ^ KEYS.turn[seat.index()];
        self.turn = seat;
    }

    /// Fills the list with the captures and promotions of the player on turn, who must be active.
    pub fn generate_captures(&self, list: &mut MoveList) {
        list.clear();
        if self.is_over() || self.status(self.turn) != Status::Active {
            return;
        }
        self.search(self.turn, self.turn, &mut |mv| {
            let captures = self.board[usize::from(mv.to.rank()) << 4 | usize::from(mv.to.file())] != EMPTY;
            if captures || mv.kind == MoveKind::EnPassant || self.is_promotion(mv) {
                list.push(mv);
            }
            false
        });
        if games::judges_moves(self.rules.variant) {
            list.retain(|mv| games::refusal(self, mv).is_none());
        }
    }

    /// How many squares the piece on a square could go to, kings not thought of; 0 for an empty square.
    #[must_use]
    pub fn reach(&self, square: Square) -> u32 {
        let Some(piece) = self.piece(square) else { return 0 };
        let prey = self.prey[self.controller(piece.army()).index()];
        let mut count = 0;
        self.walk(square, prey, &mut |_| {
            count += 1;
            false
        });
        count
    }

    /// The rank of a player once the game has ended, from 0; players who tie share it.
    #[must_use]
    pub fn rank(&self, seat: Seat) -> Option<u8> {
        self.verdict.map(|verdict| verdict.ranks[seat.index()])
    }

    /// Plies without a capture, a pawn move or a fall.
    #[must_use]
    pub fn quiet_plies(&self) -> u32 {
        u32::from(self.quiet)
    }
}

impl Game {
    /// The action that plays a move of [`Position::generate`].
    #[must_use]
    pub fn action(&self, mv: Move) -> Action {
        self.choice(mv).action
    }
}
