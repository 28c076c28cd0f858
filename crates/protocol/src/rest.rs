//! Bodies of the REST API.

use kingscross_engine::Variant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Ending, GameId, Player, TimeControl, Timestamp, UserId};

/// Who someone is, as everybody may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct UserView {
    /// The id.
    pub id: UserId,
    /// The name shown.
    pub name: String,
    /// Guest, account or bot.
    pub kind: UserKind,
}

/// What sort of user someone is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UserKind {
    /// Known by a cookie only.
    Guest,
    /// With name and password.
    Account,
    /// A program: of the server, or an account marked as one.
    Bot,
}

/// Whether a game goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GameStatus {
    /// It is being played.
    Running,
    /// It ended by its rules.
    Finished,
    /// It ended without a result.
    Aborted,
}

/// A game as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct GameSummary {
    /// The game.
    pub game: GameId,
    /// The rules.
    #[schemars(with = "String")]
    #[schema(value_type = String, example = "crossfire")]
    pub variant: Variant,
    /// Whether it goes on.
    pub status: GameStatus,
    /// The time control.
    pub time: TimeControl,
    /// Whether the result moves ratings.
    pub rated: bool,
    /// Everyone at the table, in turn order.
    pub players: Vec<Player>,
    /// When it was created.
    pub created: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// Plies played, for ended games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// The result, for finished games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
}

/// One page of a list, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Page<T> {
    /// The entries.
    pub items: Vec<T>,
    /// Give this as `cursor` for the next page; none on the last one.
    pub next: Option<String>,
}

/// The shape of a variant's board and the names of its armies and pieces: all that a client needs to draw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct VariantInfo {
    /// The id.
    #[schemars(with = "String")]
    #[schema(value_type = String, example = "crossfire")]
    pub variant: Variant,
    /// The rating pool that its rated games count in.
    #[schema(example = "crossfire")]
    pub pool: String,
    /// The English title.
    pub name: String,
    /// Files.
    pub width: u8,
    /// Ranks.
    pub height: u8,
    /// Squares inside that rectangle which do not exist.
    pub holes: Vec<String>,
    /// Armies in turn order.
    pub armies: Vec<ArmyInfo>,
    /// Piece letters with their English names.
    pub pieces: Vec<PieceInfo>,
    /// Marks to draw: palaces as square ranges, rivers as the rank below them.
    pub marks: BoardMarks,
    /// Whether the game counts points.
    pub points: bool,
    /// Whether each army hunts one other.
    pub targets: bool,
    /// How well the server's bots can play it, from the weakest to the strongest.
    #[schema(example = json!(["page", "squire"]))]
    pub levels: Vec<String>,
    /// At most how much later than players the spectators of a game may be told, in milliseconds.
    pub max_spectator_delay: u32,
}

/// An army of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ArmyInfo {
    /// Its letter.
    pub letter: crate::SeatLetter,
    /// Its English name.
    pub name: String,
    /// The side of the board where it starts: `south`, `west`, `north`, `east`.
    pub side: String,
}

/// A piece of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PieceInfo {
    /// Its letter.
    pub letter: char,
    /// Its English name.
    pub name: String,
}

/// What is drawn on a board beside its squares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BoardMarks {
    /// Pieces stand on the crossings of lines, not inside squares.
    pub on_lines: bool,
    /// The rank above which the river flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub river: Option<u8>,
    /// Palaces, by two opposite corners.
    pub palaces: Vec<(String, String)>,
}
