//! How a game names its armies, its squares and its pieces (docs/rules/notation.md).

use crate::piece::Piece;
use crate::role::{Role, Suffix};
use crate::rules::{Promotion, Rules};
use crate::seat::Seat;
use crate::square::Square;

impl Rules {
    /// The letter by which documents name an army of the game.
    #[must_use]
    pub fn letter(&self, seat: Seat) -> char {
        self.letters[seat.index()]
    }

    /// The army with that letter.
    #[must_use]
    pub fn seat(&self, letter: char) -> Option<Seat> {
        self.turn_order.iter().copied().find(|&seat| self.letter(seat) == letter)
    }

    /// The army whose letter is the whole text.
    pub(crate) fn seat_named(&self, text: &str) -> Option<Seat> {
        let mut letters = text.chars();
        let seat = self.seat(letters.next()?)?;
        letters.next().is_none().then_some(seat)
    }

    /// English name of an army.
    #[must_use]
    pub fn army_name(&self, seat: Seat) -> &'static str {
        self.army_names[seat.index()]
    }

    /// The square of that name, if the board has it.
    #[must_use]
    pub fn square(&self, name: &str) -> Option<Square> {
        self.geometry.square(name)
    }

    /// Name of a square.
    #[must_use]
    pub fn square_name(&self, square: Square) -> String {
        square.to_string()
    }

    /// Number of files.
    #[must_use]
    pub fn width(&self) -> u8 {
        self.geometry.width()
    }

    /// Number of ranks.
    #[must_use]
    pub fn height(&self) -> u8 {
        self.geometry.height()
    }

    /// The squares of the board, by rank and then by file.
    pub fn squares(&self) -> impl Iterator<Item = Square> + use<> {
        self.geometry.squares().iter()
    }

    /// The piece written so, for instance `sK`, `rQ+`, `wP^`.
    #[must_use]
    pub fn piece(&self, text: &str) -> Option<Piece> {
        let code = self.texts.iter().position(|known| known == text && !text.is_empty())?;
        Some(Piece(code as u8))
    }

    /// How a piece is written.
    #[must_use]
    pub fn piece_text(&self, piece: Piece) -> &str {
        &self.texts[piece.code()]
    }

    /// The letter of a piece, without its army and additions.
    #[must_use]
    pub fn letter_of(&self, piece: Piece) -> char {
        self.role_of(piece).letter
    }

    /// The letters of the game's pieces, the king's first.
    pub fn piece_letters(&self) -> impl Iterator<Item = char> + use<> {
        self.roles.iter().map(|role| role.letter)
    }

    /// The letters that a promotion can name; empty where it is never named.
    #[must_use]
    pub fn promotion_letters(&self) -> Vec<char> {
        match self.promotion {
            Promotion::Chosen(roles) => {
                roles.iter().map(|&role| self.roles[usize::from(role) - 1].letter).collect()
            }
            Promotion::Always(_) => Vec::new(),
        }
    }
}

/// How a piece of that role is written.
pub(crate) fn text_of(letter: char, role: &Role, seat: Seat) -> String {
    let mut text = format!("{letter}{}", role.letter);
    match role.suffix {
        Suffix::None => {}
        Suffix::Sign(sign) => text.push(sign),
        Suffix::Arrow(way) => {
            let way = crate::geometry::turned(way, seat.quarter_turns()).trailing_zeros() as usize;
            text.push(['^', '>', 'v', '<'][way / 2]);
        }
    }
    text
}
