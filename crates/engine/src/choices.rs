//! What is open to the player on turn, with what a board needs to show it.

use std::fmt::Write as _;

use arrayvec::ArrayString;

use crate::action::{Action, MoveText};
use crate::game::Game;
use crate::moves::{Move, MoveKind, MoveList};
use crate::piece::Piece;
use crate::rules::Promotion;
use crate::square::Square;
use crate::status::Status;

/// Bytes of the longest action of a player on turn: `random:n14-n13=Q`.
const LONGEST_ACTION: usize = 16;

/// One action open to the player on turn, with what a board needs to show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The action.
    pub action: Action,
    /// Where the moving piece stands.
    pub from: Option<Square>,
    /// Where it goes.
    pub to: Option<Square>,
    /// The square whose piece it captures; not `to` in en passant.
    pub captures: Option<Square>,
    /// The rook's squares in castling.
    pub rook: Option<(Square, Square)>,
    /// Letter of the piece that a pawn becomes, where it is named.
    pub promotion: Option<char>,
}

impl Game {
    /// What is open to the player on turn, sorted by text; nothing after the end.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        let mut list = MoveList::new();
        self.position().generate(&mut list);
        let mut choices: Vec<(ArrayString<LONGEST_ACTION>, Choice)> = Vec::with_capacity(list.len());
        choices.extend(list.iter().map(|&mv| {
            let choice = self.choice(mv);
            let mut text = ArrayString::new();
            write!(text, "{}", choice.action.display(self.variant())).expect("no action is longer");
            (text, choice)
        }));
        choices.sort_unstable_by_key(|(text, _)| *text);
        choices.into_iter().map(|(_, choice)| choice).collect()
    }

    /// The texts of [`Game::choices`].
    #[must_use]
    pub fn legal(&self) -> Vec<String> {
        self.choices().iter().map(|choice| choice.action.text(self.variant())).collect()
    }

    pub(crate) fn text_of(&self, mv: Move) -> MoveText {
        let chosen =
            matches!(self.rules().promotion, Promotion::Chosen(_)) && self.position().is_promotion(mv);
        let promotion =
            Piece::of_cell(mv.place).filter(|_| chosen).map(|piece| self.rules().letter_of(piece));
        MoveText { from: mv.from, to: mv.to, promotion }
    }

    pub(crate) fn choice(&self, mv: Move) -> Choice {
        let position = self.position();
        let surrendered = position.status(position.turn) == Status::Surrendered;
        if mv.is_pass() {
            let action = if surrendered { Action::Random(None) } else { Action::Pass };
            return Choice { action, from: None, to: None, captures: None, rook: None, promotion: None };
        }
        let text = self.text_of(mv);
        let captures = match mv.kind {
            MoveKind::EnPassant => {
                let owner = (0..4).find(|&army| position.en_passant[army] == mv.to);
                owner.map(|army| position.double_stepper(army))
            }
            _ => position.piece(mv.to).map(|_| mv.to),
        };
        Choice {
            action: if surrendered { Action::Random(Some(text)) } else { Action::Move(text) },
            from: Some(mv.from),
            to: Some(mv.to),
            captures,
            rook: self.rook_of(mv),
            promotion: text.promotion,
        }
    }

    pub(crate) fn rook_of(&self, mv: Move) -> Option<(Square, Square)> {
        let castle = self.rules().castles.iter().find(|castle| {
            mv.kind == MoveKind::Castle && (castle.king_from, castle.king_to) == (mv.from, mv.to)
        })?;
        Some((castle.rook_from, castle.rook_to))
    }
}
