//! The board as a client sees it: data to draw, with no rule to know.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::SeatLetter;

/// A move (or `pass`) that the player on turn may play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Choice {
    /// The action text to send: `e2-e4`, `e13-e14=Q`, `pass`.
    pub mv: String,
    /// The square whose piece it takes, also where that is not the square entered (en passant).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captures: Option<String>,
    /// From and to of the rook that moves along, in castling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rook: Option<(String, String)>,
}

/// The state of an army.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ArmyView {
    /// The army.
    pub army: SeatLetter,
    /// The status word of the variant's rules: `active`, `abandoned`, `fallen`, `surrendered`, `frozen`, `eliminated`.
    pub status: String,
    /// Who moves its pieces; differs from the army only after assimilation.
    pub controller: SeatLetter,
    /// Points, in games that count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u32>,
    /// The points that count for the result, where they can differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_points: Option<u32>,
    /// The army whose king this one hunts, while that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<SeatLetter>,
}

/// The whole board at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BoardView {
    /// Every piece by its square: `{"d1": "sR"}`.
    pub pieces: BTreeMap<String, String>,
    /// The armies in turn order.
    pub armies: Vec<ArmyView>,
    /// Who is on turn; none after the end.
    pub turn: Option<SeatLetter>,
    /// Plies played.
    pub ply: u32,
    /// Squares of the kings that are in check.
    pub checks: Vec<String>,
    /// The phase, in games that have phases (`war`, `ultimatum`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// How an event changed the board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BoardChange {
    /// Pieces that travelled, from and to (king and rook in castling): for animation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<(String, String)>,
    /// Squares with their new content; null where it is empty now.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Option<String>>,
    /// The armies, when any of them changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub armies: Option<Vec<ArmyView>>,
    /// Who is on turn now; none after the end.
    pub turn: Option<SeatLetter>,
    /// Plies played now.
    pub ply: u32,
    /// Squares of the kings that are in check now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// The phase, when it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// What the rules did, in order: for the ledger.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
}

/// One effect of the rules, for clients to put into words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Effect {
    /// A piece was taken.
    Captured {
        /// Who took it.
        by: SeatLetter,
        /// The army of the piece.
        army: SeatLetter,
        /// The piece, as in positions (`wN`).
        piece: String,
        /// The square it stood on.
        square: String,
        /// Points for it, in games that count them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        points: Option<u32>,
    },
    /// King and rook castled.
    Castled {
        /// Whose.
        army: SeatLetter,
    },
    /// A pawn became another piece.
    Promoted {
        /// Whose.
        army: SeatLetter,
        /// The new piece, as in positions.
        piece: String,
        /// Where.
        square: String,
    },
    /// A king fell, and its army with it.
    Fell {
        /// The army whose king fell.
        army: SeatLetter,
        /// `mated`, `captured` or `stalemated`.
        cause: String,
        /// Who is credited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credited: Option<SeatLetter>,
        /// Squares of the pieces that gave the check.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        checkers: Vec<String>,
        /// Points for it, in games that count them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        points: Option<u32>,
    },
    /// A player left: by choice, by the clock or by absence.
    Left {
        /// Who.
        seat: SeatLetter,
        /// `resigned`, `timed_out` or `absent`.
        how: String,
        /// The status that the rules give the army.
        status: String,
    },
    /// An army changed hands.
    Transferred {
        /// The army.
        army: SeatLetter,
        /// Its controller so far.
        from: SeatLetter,
        /// Its controller now.
        to: SeatLetter,
    },
    /// A controller lost its last king.
    Eliminated {
        /// Who.
        seat: SeatLetter,
    },
    /// Nobody can reach a target any more: the last king standing wins.
    Ultimatum,
    /// An army on turn passed.
    Passed {
        /// Who.
        seat: SeatLetter,
    },
    /// Points beside those of captures and falls.
    Points {
        /// Who gets them.
        seat: SeatLetter,
        /// How many.
        amount: u32,
        /// `stalemate` or `last_standing`.
        why: String,
    },
}
