//! A playable position, and the making and unmaking of moves on it.

use std::fmt;

use crate::games::Variant;
use crate::hash::{KEYS, PositionHash};
use crate::outcome::Verdict;
use crate::piece::{Piece, army_cells, king_cell};
use crate::rules::Rules;
use crate::seat::{Seat, Seats};
use crate::setup::Setup;
use crate::square::{Square, SquareSet};
use crate::status::Status;

/// The phase of a game that has phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Targets count.
    War,
    /// The last active player wins.
    Ultimatum,
}

/// A validated position of some game.
///
/// It is small and cheap to clone. Only [`crate::Game`] and the document reader make one, so that every position keeps
/// the rules: each player has the kings it needs, pawns stand where they can, and the game has not ended unnoticed.
#[derive(Clone)]
pub struct Position {
    pub(crate) rules: &'static Rules,
    pub(crate) board: [u8; 256],
    pub(crate) armies: [SquareSet; 4],
    pub(crate) hash: u64,
    /// By seat: the cells whose pieces attack it.
    pub(crate) hostile: [u64; 4],
    /// By seat: the cells whose pieces it may capture.
    pub(crate) prey: [u64; 4],
    /// By seat: the cells whose pieces it controls.
    pub(crate) own: [u64; 4],
    /// By seat: the armies that it controls.
    pub(crate) controlled: [Seats; 4],
    pub(crate) active: Seats,
    /// The armies whose king can be mated while it stands.
    pub(crate) in_play: Seats,
    /// By seat: the next one that takes turns.
    pub(crate) followers: [Seat; 4],
    /// The kings in play whose capture fells their army.
    pub(crate) catchable: u64,
    /// By army: its king's square, or nowhere.
    pub(crate) kings: [Square; 4],
    /// The armies whose king may be in check; of the others it is known that it is not.
    pub(crate) perhaps_checked: Seats,
    pub(crate) status: [Status; 4],
    pub(crate) controller: [Seat; 4],
    pub(crate) castling: u8,
    /// By army: the square its pawn has passed, or nowhere.
    pub(crate) en_passant: [Square; 4],
    /// Without meaning once the game has ended.
    pub(crate) turn: Seat,
    pub(crate) phase: Phase,
    pub(crate) passes: u8,
    /// By seat: the group in which it left, from 1; 0 while active.
    pub(crate) left: [u8; 4],
    pub(crate) ply: u32,
    /// As long as a register, lest more than was just written be read, which waits for the writing.
    pub(crate) quiet: u32,
    pub(crate) points: [u32; 4],
    pub(crate) result_points: [u32; 4],
    pub(crate) verdict: Option<Verdict>,
}

impl Position {
    /// The position from which the game starts.
    #[must_use]
    pub fn start(variant: Variant) -> Position {
        let rules = variant.rules();
        let mut position = Position::bare(rules);
        for square in rules.squares() {
            if let Some(piece) = Piece::of_cell(rules.start[square.index()]) {
                position.put(square, piece);
            }
        }
        position.castling = rules.castles.iter().fold(0, |rights, castle| rights | castle.right);
        position.complete();
        position
    }

    /// A board without pieces, the first army on turn.
    pub(crate) fn bare(rules: &'static Rules) -> Position {
        Position {
            rules,
            board: rules.geometry.bare_board(),
            armies: [SquareSet::EMPTY; 4],
            hash: 0,
            hostile: [0; 4],
            prey: [0; 4],
            own: [0; 4],
            controlled: [Seats::NONE; 4],
            active: rules.seats,
            in_play: Seats::NONE,
            followers: rules.next,
            catchable: 0,
            kings: [Square::NOWHERE; 4],
            perhaps_checked: rules.seats,
            status: Seat::ALL.map(|seat| match rules.seats.has(seat) {
                true => Status::Active,
                false => Status::Eliminated,
            }),
            controller: Seat::ALL,
            castling: 0,
            en_passant: [Square::NOWHERE; 4],
            turn: rules.turn_order[0],
            phase: Phase::War,
            passes: 0,
            left: [0; 4],
            ply: 0,
            quiet: 0,
            points: [0; 4],
            result_points: [0; 4],
            verdict: None,
        }
    }

    /// Puts a piece on an empty square of a position that is being built.
    pub(crate) fn put(&mut self, square: Square, piece: Piece) {
        self.board[square.index()] = piece.0;
        self.armies[piece.army().index()].insert(square);
        if piece.is_king() {
            self.kings[piece.army().index()] = square;
        }
    }

    /// Computes what is kept up to date from then on.
    pub(crate) fn complete(&mut self) {
        self.refresh_sides();
        self.hash = self.computed_hash().0;
    }

    /// Computes who attacks and may capture whom; needed after every change of a status or a controller.
    pub(crate) fn refresh_sides(&mut self) {
        for seat in self.rules.turn_order {
            let mut next = self.rules.next[seat.index()];
            while !self.status(next).takes_turns() && next != *seat {
                next = self.rules.next[next.index()];
            }
            self.followers[seat.index()] = next;
        }
        let active = |seat: &Seat| self.status(*seat) == Status::Active;
        self.active = self.rules.turn_order.iter().copied().filter(active).collect();
        (self.own, self.hostile, self.prey, self.catchable) = ([0; 4], [0; 4], [0; 4], 0);
        self.controlled = [Seats::NONE; 4];
        let in_play = |army: &Seat| self.status(self.controller(*army)).has_king_in_play();
        self.in_play = self.rules.turn_order.iter().copied().filter(in_play).collect();
        for seat in self.rules.turn_order {
            for &army in self.rules.turn_order {
                let controller = self.controller(army);
                let status = self.status(controller);
                if controller == *seat {
                    self.controlled[seat.index()].insert(army);
                    self.own[seat.index()] |= army_cells(army.index());
                    continue;
                }
                let (seat, army) = (seat.index(), army.index());
                if status.attacks() {
                    self.hostile[seat] |= army_cells(army);
                }
                self.prey[seat] |= army_cells(army);
                if !status.king_can_be_captured() {
                    self.prey[seat] &= !king_cell(army);
                } else if status.has_king_in_play() {
                    self.catchable |= king_cell(army);
                }
            }
        }
    }

    /// The rules of the game.
    #[must_use]
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// The player on turn; `None` once the game has ended.
    #[must_use]
    pub fn turn(&self) -> Option<Seat> {
        if self.verdict.is_none() { Some(self.turn) } else { None }
    }

    /// Plies played: moves, passes and random actions.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The hash of what counts for repetition.
    #[must_use]
    pub fn hash(&self) -> PositionHash {
        PositionHash(self.hash)
    }

    /// Has the game ended?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.verdict.is_some()
    }

    /// The winner or the players who share a draw; empty while the game runs.
    #[must_use]
    pub fn winners(&self) -> Seats {
        self.verdict.map_or(Seats::NONE, |verdict| verdict.winners)
    }

    /// The piece on a square.
    #[must_use]
    pub fn piece(&self, square: Square) -> Option<Piece> {
        Piece::of_cell(self.board[square.index()])
    }

    /// All pieces with their squares, by rank and then by file.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        let [south, west, north, east] = &self.armies;
        let occupied = south.or(west).or(&north.or(east));
        occupied.iter().filter_map(|square| Some((square, self.piece(square)?)))
    }

    /// The squares of one army.
    #[must_use]
    pub fn army(&self, army: Seat) -> &SquareSet {
        &self.armies[army.index()]
    }

    /// The standing of a player.
    #[must_use]
    pub fn status(&self, seat: Seat) -> Status {
        self.status[seat.index()]
    }

    /// Who moves the pieces of an army.
    #[must_use]
    pub fn controller(&self, army: Seat) -> Seat {
        self.controller[army.index()]
    }

    /// The square of an army's king, if it is on the board.
    #[must_use]
    pub fn king(&self, army: Seat) -> Option<Square> {
        Some(self.kings[army.index()]).filter(|&square| square != Square::NOWHERE)
    }

    /// Points that an army has collected, in games that count them.
    #[must_use]
    pub fn points(&self, seat: Seat) -> u32 {
        self.points[seat.index()]
    }

    /// Points of an army that count for the result.
    #[must_use]
    pub fn result_points(&self, seat: Seat) -> u32 {
        self.result_points[seat.index()]
    }

    /// The phase, in games that have phases.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The active players.
    #[must_use]
    pub fn active(&self) -> Seats {
        self.active
    }

    /// Armies whose king is on the board and can be mated.
    pub(crate) fn armies_with_king_in_play(&self) -> impl Iterator<Item = Seat> {
        self.rules.ordered(self.in_play).filter(|army| self.kings[army.index()] != Square::NOWHERE)
    }

    /// Do pieces that are hostile to a seat attack the square?
    #[must_use]
    pub fn is_attacked(&self, square: Square, seat: Seat) -> bool {
        self.attacked::<false>(square, self.hostile[seat.index()], Square::NOWHERE)
    }

    pub(crate) fn set_status(&mut self, seat: Seat, status: Status) {
        let keys = &KEYS.status[seat.index()];
        self.hash ^= keys[self.status(seat) as usize] ^ keys[status as usize];
        self.status[seat.index()] = status;
        self.refresh_sides();
    }

    pub(crate) fn set_controller(&mut self, army: Seat, controller: Seat) {
        let keys = &KEYS.controller[army.index()];
        self.hash ^= keys[self.controller(army).index()] ^ keys[controller.index()];
        self.controller[army.index()] = controller;
        self.refresh_sides();
    }

    pub(crate) fn enter_ultimatum(&mut self) {
        self.hash ^= KEYS.ultimatum;
        self.phase = Phase::Ultimatum;
    }

    #[inline]
    pub(crate) fn set_en_passant(&mut self, army: usize, target: Square) {
        let keys = &KEYS.en_passant[army & 3];
        self.hash ^= keys[self.en_passant[army & 3].index()] ^ keys[target.index()];
        self.en_passant[army & 3] = target;
    }

    /// The pawn that the en passant right of an army is about.
    pub(crate) fn double_stepper(&self, army: usize) -> Square {
        self.en_passant[army].offset(self.rules.tables.forward[army])
    }
}

impl PartialEq for Position {
    /// Equal positions say the same in every document; what is only known of them may differ.
    fn eq(&self, other: &Position) -> bool {
        Setup::of(self, None) == Setup::of(other, None)
    }
}

impl Eq for Position {}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Setup::of(self, None).document())
    }
}
