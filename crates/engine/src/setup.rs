//! A position as some document gives it; [`crate::validate`] judges whether it is one.

use crate::game::Offer;
use crate::games::Variant;
use crate::outcome::Outcome;
use crate::piece::Piece;
use crate::position::{Phase, Position};
use crate::seat::Seat;
use crate::square::Square;
use crate::status::Status;

/// Why a document or a setup is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPosition {
    /// It names no game.
    #[error("no game is called `{0}`")]
    UnknownVariant(String),
    /// It is incomplete, unknown in a key, or against the rules.
    #[error("{0}")]
    Wrong(String),
}

impl BadPosition {
    pub(crate) fn wrong(message: impl Into<String>) -> BadPosition {
        BadPosition::Wrong(message.into())
    }
}

/// An en passant right as a document gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnPassantRight {
    /// The army whose pawn stepped two squares.
    pub army: Seat,
    /// The square that it passed.
    pub target: Square,
    /// Its square.
    pub pawn: Square,
}

/// A position that nobody has looked at yet: what a document says, or what a program has put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Which game.
    pub variant: Variant,
    /// Plies played.
    pub ply: u32,
    /// The player on turn; `None` after the end.
    pub turn: Option<Seat>,
    /// The pieces; no square twice.
    pub pieces: Vec<(Square, Piece)>,
    /// By seat: the status of the player.
    pub status: [Status; 4],
    /// By army: its controller.
    pub controller: [Seat; 4],
    /// By army: whether it may still castle on the K side and on the Q side.
    pub castling: [(bool, bool); 4],
    /// By seat: points collected.
    pub points: [u32; 4],
    /// By seat: points that count for the result.
    pub result_points: [u32; 4],
    /// En passant rights, at most one of an army.
    pub en_passant: Vec<EnPassantRight>,
    /// Plies without progress.
    pub quiet: u32,
    /// The phase, in games that have phases.
    pub phase: Phase,
    /// The open offer.
    pub offer: Option<Offer>,
    /// Active players who have passed in succession.
    pub passes: u32,
    /// Players who are no longer active, in groups in the order of leaving; `None`: they left together.
    pub left: Option<Vec<Vec<Seat>>>,
    /// How the game ended.
    pub outcome: Option<Outcome>,
}

impl Setup {
    /// An empty board: everyone active, nothing castled away for want of pieces, the first army on turn.
    #[must_use]
    pub fn new(variant: Variant) -> Setup {
        let bare = Position::bare(variant.rules());
        Setup {
            variant,
            ply: 0,
            turn: Some(bare.turn),
            pieces: Vec::new(),
            status: bare.status,
            controller: bare.controller,
            castling: [(false, false); 4],
            points: [0; 4],
            result_points: [0; 4],
            en_passant: Vec::new(),
            quiet: 0,
            phase: Phase::War,
            offer: None,
            passes: 0,
            left: None,
            outcome: None,
        }
    }

    /// What a position would be read from.
    #[must_use]
    pub fn of(position: &Position, offer: Option<&Offer>) -> Setup {
        let rules = position.rules;
        let groups = (1..=4).map(|group| -> Vec<Seat> {
            rules.turn_order.iter().copied().filter(|seat| position.left[seat.index()] == group).collect()
        });
        let right = |army: Seat| EnPassantRight {
            army,
            target: position.en_passant[army.index()],
            pawn: position.double_stepper(army.index()),
        };
        Setup {
            variant: rules.variant,
            ply: position.ply,
            turn: position.turn(),
            pieces: position.pieces().collect(),
            status: position.status,
            controller: position.controller,
            castling: Seat::ALL.map(|seat| {
                let rights = position.castling >> (2 * seat.index());
                (rights & 1 != 0, rights & 2 != 0)
            }),
            points: position.points,
            result_points: position.result_points,
            en_passant: (rules.turn_order.iter().copied())
                .filter(|army| position.en_passant[army.index()] != Square::NOWHERE)
                .map(right)
                .collect(),
            quiet: if rules.counts_quiet() { position.quiet } else { 0 },
            phase: position.phase,
            offer: offer.cloned(),
            passes: u32::from(position.passes),
            left: Some(groups.filter(|group| !group.is_empty()).collect()),
            outcome: position.verdict.map(|verdict| Outcome::of(&verdict, rules)),
        }
    }
}
