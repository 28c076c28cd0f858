//! Bodies of the analysis board: a position in, its view out.

use std::collections::BTreeMap;

use kingscross_engine::Variant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{BoardChange, BoardView, Choice, Ending, SeatLetter};

/// A position to look at: one of `position`, `fen4` or `pgn4`, or the start of `variant`; then `actions`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    /// The rules; not needed with `position`, which names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[schema(value_type = Option<String>, example = "crossfire")]
    pub variant: Option<Variant>,
    /// A JSON position of the rule book's notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub position: Option<Value>,
    /// A FEN4, to be read by the rules of `variant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen4: Option<String>,
    /// A PGN4, to be replayed by the rules of `variant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgn4: Option<String>,
    /// Actions to play from there, at most 2,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
}

/// A position with what may be played in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PositionView {
    /// The rules.
    #[schemars(with = "String")]
    #[schema(value_type = String, example = "crossfire")]
    pub variant: Variant,
    /// The position as a JSON document, to be sent again.
    #[schema(value_type = Object)]
    pub position: Value,
    /// Its hash, 16 hex digits.
    pub hash: String,
    /// The board before the actions.
    pub start: BoardView,
    /// Each action that was played, with what it did; those of a PGN4 too.
    pub steps: Vec<PositionStep>,
    /// The board after them.
    pub board: BoardView,
    /// What may be played now.
    pub legal: Vec<Choice>,
    /// The result, when the game is over there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// What the text says and the rules cannot: one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

/// One action of an analysis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PositionStep {
    /// The action text.
    pub action: String,
    /// How the board changed.
    pub change: BoardChange,
    /// Hash of the position after it.
    pub hash: String,
}

/// A game or position of other four-player rules to look at: one of `fen4` or `pgn4`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewRequest {
    /// A FEN4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen4: Option<String>,
    /// A PGN4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgn4: Option<String>,
    /// Which game of a PGN4 with several, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<u32>,
}

/// A game as moves on a board, which nobody judges: a piece moves because the text says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct UnjudgedGame {
    /// Always false.
    pub judged: bool,
    /// The tags of the text.
    pub tags: BTreeMap<String, String>,
    /// The pieces before the first move: `{"g1": "rQ"}`; the colours are r, b, y and g, and `Q+` is a queen of one point.
    pub start: BTreeMap<String, String>,
    /// Every word of the game.
    pub moves: Vec<UnjudgedMove>,
    /// What the text says and the board does not show, one sentence each.
    pub notes: Vec<String>,
}

/// One word of a game that nobody judges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct UnjudgedMove {
    /// The word as written.
    pub text: String,
    /// The colour that it belongs to.
    pub army: SeatLetter,
    /// From and to of every piece that moved.
    pub moved: Vec<(String, String)>,
    /// The pieces after it.
    pub pieces: BTreeMap<String, String>,
}
