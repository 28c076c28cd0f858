//! Making moves and taking them back: pieces, rights and counters; what follows from a move is adjudication.

use crate::geometry::OFFSETS;
use crate::hash::KEYS;
use crate::moves::{Move, MoveKind};
use crate::piece::{EMPTY, Piece, army_cells, army_of};
use crate::position::Position;
use crate::rules::{Castle, EnPassant};
use crate::seat::Seat;
use crate::square::Square;

/// What [`Position::make`] changed and cannot be read from the move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undo {
    hash: u64,
    pub(crate) moved: u8,
    pub(crate) taken: u8,
    pub(crate) taken_at: Square,
    castling: u8,
    en_passant: [Square; 4],
    kings: [Square; 4],
    turn: Seat,
    quiet: u32,
    /// Of the squares of the moved piece's army, the words of origin and target.
    mover: (u64, u64),
    /// Of the squares of the captured piece's army, the word of that piece.
    owner: u64,
}

impl Position {
    /// Takes the piece off a square.
    #[inline]
    pub(crate) fn take(&mut self, square: Square) {
        let cell = self.board[square.index()] & 63;
        self.hash ^= KEYS.pieces[square.index()][usize::from(cell)];
        self.board[square.index()] = EMPTY;
        let army = army_of(cell);
        self.armies[army].remove(square);
        if Piece(cell).is_king() {
            self.kings[army] = Square::NOWHERE;
        }
    }

    /// Moves a piece, which is `cell` from then on, without regard to the hash.
    #[inline(always)]
    fn shift(&mut self, from: Square, to: Square, cell: u8) {
        let army = army_of(cell);
        self.board[from.index()] = EMPTY;
        self.board[to.index()] = cell;
        self.armies[army].replace(from, to);
        if Piece(cell).is_king() {
            self.kings[army] = to;
        }
    }

    /// Plays the pieces, rights and counters of a move; the turn, mates and endings are left to the caller.
    #[inline(always)]
    pub(crate) fn make(&mut self, mv: Move) -> Undo {
        if mv.kind == MoveKind::Plain { self.make_as::<true>(mv) } else { self.make_special(mv) }
    }

    #[inline(never)]
    fn make_special(&mut self, mv: Move) -> Undo {
        self.make_as::<false>(mv)
    }

    /// [`Position::make`]; of a `PLAIN` move it is known that it is of that kind, which spares many instructions.
    #[inline(always)]
    pub(crate) fn make_as<const PLAIN: bool>(&mut self, mv: Move) -> Undo {
        let kind = if PLAIN { MoveKind::Plain } else { mv.kind };
        let mut undo = Undo {
            hash: self.hash,
            moved: EMPTY,
            taken: EMPTY,
            taken_at: mv.to,
            castling: self.castling,
            en_passant: self.en_passant,
            kings: self.kings,
            turn: self.turn,
            quiet: self.quiet,
            mover: (0, 0),
            owner: 0,
        };
        self.ply += 1;
        if kind == MoveKind::Pass {
            self.quiet += 1;
            return undo;
        }
        let moved = self.board[mv.from.index()] & 63;
        undo.moved = moved;
        let army = &self.armies[army_of(moved)];
        undo.mover = (army.word(mv.from), army.word(mv.to));
        if kind == MoveKind::EnPassant {
            let owner = (0..4).find(|&owner| owner != army_of(moved) && self.en_passant[owner] == mv.to);
            let owner = owner.expect("an en passant capture has a right to it");
            undo.taken_at = self.double_stepper(owner);
        }
        undo.taken = self.board[undo.taken_at.index()];
        let quiet = (self.rules.tables.pawns >> moved & 1 == 0) & (undo.taken == EMPTY);
        self.quiet = (undo.quiet + 1) & u32::from(quiet).wrapping_neg();
        if undo.taken != EMPTY {
            let owner = army_of(undo.taken);
            undo.owner = self.armies[owner].word(undo.taken_at);
            if self.en_passant[owner] != Square::NOWHERE && self.double_stepper(owner) == undo.taken_at {
                self.set_en_passant(owner, Square::NOWHERE);
            }
            self.take(undo.taken_at);
        }
        self.hash ^= KEYS.pieces[mv.from.index()][usize::from(moved)]
            ^ KEYS.pieces[mv.to.index()][usize::from(mv.place) & 63];
        self.shift(mv.from, mv.to, mv.place & 63);
        if self.castling != 0 {
            self.lose_castling(mv);
        }
        match kind {
            MoveKind::Plain | MoveKind::EnPassant | MoveKind::Pass => {}
            MoveKind::Double => self.record_double(army_of(moved), mv),
            MoveKind::Castle => self.bring_rook(mv, army_of(moved)),
        }
        undo
    }

    /// Takes the rights away that a move from or to a home of king or rook ends.
    #[inline(always)]
    fn lose_castling(&mut self, mv: Move) {
        let homes = &self.rules.castling_homes;
        let lost = self.castling & (homes[mv.from.index()] | homes[mv.to.index()]);
        if lost != 0 {
            let keys = &KEYS.castling;
            self.hash ^= keys[usize::from(self.castling)] ^ keys[usize::from(self.castling & !lost)];
            self.castling &= !lost;
        }
    }

    /// Moves the rook of a castling king.
    #[inline(always)]
    fn bring_rook(&mut self, mv: Move, army: usize) {
        let castle = self.castle_to(mv.to, army);
        let rook = self.board[castle.rook_from.index()] & 63;
        self.hash ^= KEYS.pieces[castle.rook_from.index()][usize::from(rook)]
            ^ KEYS.pieces[castle.rook_to.index()][usize::from(rook)];
        self.shift(castle.rook_from, castle.rook_to, rook);
    }

    fn castle_to(&self, king_to: Square, army: usize) -> &'static Castle {
        let castles = &self.rules.castles;
        let castle =
            castles.iter().find(|castle| castle.king_to == king_to && castle.right >> (2 * army) & 3 != 0);
        castle.expect("a castling move ends where some castling does")
    }

    fn record_double(&mut self, army: usize, mv: Move) {
        let recorded = match self.rules.en_passant {
            EnPassant::Unknown => false,
            EnPassant::AllRound => true,
            EnPassant::Beside => self.stands_beside_pawn(army, mv.to),
        };
        if recorded {
            self.set_en_passant(army, mv.from.offset(self.rules.tables.forward[army]));
        }
    }

    /// Does another army's pawn stand beside the square, seen in the direction of the army's pawns?
    pub(crate) fn stands_beside_pawn(&self, army: usize, square: Square) -> bool {
        let forward = self.rules.tables.forward[army];
        let way = OFFSETS.iter().position(|&offset| offset == forward).unwrap_or(0);
        [(way + 2) & 7, (way + 6) & 7].into_iter().any(|side| {
            let cell = self.board[square.offset(OFFSETS[side]).index()];
            (self.rules.tables.pawns & !army_cells(army)) >> cell & 1 != 0
        })
    }

    /// Gives the turn to the next player who takes turns; an en passant right ends when its owner is on turn again.
    #[inline]
    pub(crate) fn pass_turn(&mut self) {
        let keys = &KEYS.turn;
        self.hash ^= keys[self.turn.index()];
        let next = self.followers[self.turn.index()];
        self.turn = next;
        self.hash ^= keys[next.index()];
        if self.en_passant[next.index()] != Square::NOWHERE {
            self.set_en_passant(next.index(), Square::NOWHERE);
        }
    }

    /// Takes back a move of which nothing but [`Position::make`] and [`Position::pass_turn`] was done.
    #[inline(always)]
    pub(crate) fn unmake(&mut self, mv: Move, undo: &Undo) {
        if mv.kind == MoveKind::Plain {
            self.unmake_as::<true>(mv, undo);
        } else {
            self.unmake_special(mv, undo);
        }
    }

    #[inline(never)]
    fn unmake_special(&mut self, mv: Move, undo: &Undo) {
        self.unmake_as::<false>(mv, undo);
    }

    /// [`Position::unmake`] of a move that was made by [`Position::make_as`].
    #[inline(always)]
    pub(crate) fn unmake_as<const PLAIN: bool>(&mut self, mv: Move, undo: &Undo) {
        let kind = if PLAIN { MoveKind::Plain } else { mv.kind };
        self.hash = undo.hash;
        self.castling = undo.castling;
        self.en_passant = undo.en_passant;
        self.turn = undo.turn;
        self.quiet = undo.quiet;
        self.ply -= 1;
        if kind == MoveKind::Pass {
            return;
        }
        self.kings = undo.kings;
        if kind == MoveKind::Castle {
            let castle = self.castle_to(mv.to, army_of(undo.moved));
            self.shift(castle.rook_to, castle.rook_from, self.board[castle.rook_to.index()]);
        }
        // The words of the sets are put back whole: to change them once more would wait for the change before.
        let army = &mut self.armies[army_of(undo.moved)];
        army.set_word(mv.from, undo.mover.0);
        army.set_word(mv.to, undo.mover.1);
        self.board[mv.to.index()] = EMPTY;
        self.board[mv.from.index()] = undo.moved;
        if undo.taken != EMPTY {
            self.armies[army_of(undo.taken)].set_word(undo.taken_at, undo.owner);
            self.board[undo.taken_at.index()] = undo.taken;
        }
    }
}
