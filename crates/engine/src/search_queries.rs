//! What those who search ask of the rules beside moves: supposed turns, captures alone, ranks, reach.

use crate::action::Action;
use crate::game::Game;
use crate::games;
use crate::generate::Checks;
use crate::hash::KEYS;
use crate::moves::{Move, MoveKind, MoveList};
use crate::piece::{EMPTY, Piece};
use crate::position::Position;
use crate::seat::Seat;
use crate::square::Square;
use crate::status::Status;

impl Move {
    /// The piece on its target square afterwards: another than before after a promotion, and after a
    /// pawn's move that commits it. `None` for a pass.
    #[inline]
    #[must_use]
    pub const fn piece(self) -> Option<Piece> {
        Piece::of_cell(self.place)
    }
}

impl Position {
    /// Gives the turn to another active player without a ply, as searches do that let players sit out. What arises
    /// is not a position of a game; nothing is judged anew.
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
        self.search(self.turn, self.turn, Checks::Noted, &mut |mv: Move| {
            let captures = self.board[usize::from(mv.to.rank()) << 4 | usize::from(mv.to.file())] != EMPTY;
            if captures || mv.kind == MoveKind::EnPassant || self.is_promotion(mv) {
                list.push(mv);
            }
            false
        });
        if games::judges_moves(self.rules.variant) {
            let mut trial = self.clone();
            list.retain(|mv| games::refusal(&mut trial, mv).is_none());
        }
    }

    /// How many squares the piece on a square could go to, kings not thought of; 0 for an empty square.
    #[must_use]
    pub fn reach(&self, square: Square) -> u32 {
        let Some(piece) = self.piece(square) else { return 0 };
        let prey = self.prey[self.controller(piece.army()).index()];
        let mut count = 0;
        self.walk(square, prey, &mut |_: Move| {
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
        self.quiet
    }
}

impl Game {
    /// The action that plays a move of [`Position::generate`].
    #[must_use]
    pub fn action(&self, mv: Move) -> Action {
        self.choice(mv).action
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Variant;

    /// Positions of games played by a fixed rule, with departures.
    fn positions(variant: Variant) -> Vec<Position> {
        let mut positions = Vec::new();
        for stride in [7, 11, 13, 17] {
            let mut position = Position::start(variant);
            let mut list = MoveList::new();
            for at in 0..150 {
                position.generate(&mut list);
                if list.is_empty() {
                    break;
                }
                position.play(list[at * stride % list.len()]);
                positions.push(position.clone());
            }
        }
        positions
    }

    #[test]
    fn the_captures_are_the_moves_that_capture_or_promote() {
        let mut seen = 0;
        for variant in Variant::ALL {
            for position in positions(variant).iter().filter(|position| !position.is_over()) {
                let (mut all, mut captures) = (MoveList::new(), MoveList::new());
                position.generate(&mut all);
                position.generate_captures(&mut captures);
                let expected: Vec<Move> = (all.iter().copied())
                    .filter(|mv| !mv.is_pass())
                    .filter(|mv| {
                        position.piece(mv.to()).is_some()
                            || mv.kind() == MoveKind::EnPassant
                            || position.is_promotion(*mv)
                    })
                    .collect();
                assert_eq!(captures[..], expected[..], "{variant}");
                seen += expected.len();
            }
        }
        assert!(seen > 1000, "{seen}");
    }

    #[test]
    fn a_supposed_turn_keeps_the_hash_true() {
        for variant in Variant::ALL {
            for position in positions(variant).iter().filter(|position| !position.is_over()) {
                for seat in position.active().iter() {
                    let mut supposed = position.clone();
                    supposed.suppose_turn(seat);
                    assert_eq!((supposed.turn(), supposed.hash()), (Some(seat), supposed.computed_hash()));
                }
            }
        }
    }

    #[test]
    fn reach_counts_the_moves_of_a_piece_when_kings_are_not_concerned() {
        let start = Position::start(Variant::Crossfire);
        let at = |name: &str| start.reach(start.rules().square(name).unwrap());
        assert_eq!((at("e1"), at("d1"), at("d2"), at("e5")), (2, 0, 2, 0));
    }

    #[test]
    fn a_move_knows_what_it_becomes_and_its_action() {
        for variant in Variant::ALL {
            let game = Game::new(variant);
            let mut list = MoveList::new();
            game.position().generate(&mut list);
            let mut texts: Vec<String> = list.iter().map(|&mv| game.action(mv).text(variant)).collect();
            texts.sort();
            assert_eq!(texts, game.legal());
            let same =
                |mv: &Move| game.position().piece(mv.from()).map(Piece::army) == mv.piece().map(Piece::army);
            assert!(list.iter().all(same));
        }
    }
}
