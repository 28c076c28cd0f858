//! The one body in which every refusal is told, over REST and WebSocket alike.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why something was refused: stable codes, never renamed.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    ToSchema,
    strum::IntoStaticStr,
    strum::EnumIter,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ErrorCode {
    /// Not JSON, an unknown type, or missing, unknown or ill-typed fields.
    BadRequest,
    /// No session, or one that has ended.
    Unauthorized,
    /// Known, but not allowed to do this.
    Forbidden,
    /// The request came from a page of another site.
    BadOrigin,
    /// There is no such thing, or none that you may see.
    NotFound,
    /// The method is not for this path.
    MethodNotAllowed,
    /// The body is larger than the server reads.
    TooLarge,
    /// The state of things contradicts the request.
    Conflict,
    /// Too many requests; try again later.
    TooMany,
    /// The server cannot do this now and nothing was done; try again.
    Unavailable,
    /// The server is stopping and takes no new games.
    ShuttingDown,
    /// A fault of the server; it has been logged.
    Internal,
    /// A protocol version that the server does not speak.
    BadVersion,

    /// The id was used before for another command.
    IdReused,
    /// There is no such game, or it is private.
    UnknownGame,
    /// You have no seat in this game.
    NotAPlayer,
    /// The move was chosen at another ply than the one on the board.
    Stale,
    /// Another player is on turn.
    NotYourTurn,
    /// The text is not an action of this game.
    BadAction,
    /// The rules forbid it.
    IllegalMove,
    /// Quaternity: the move leads to a position that the rules leave without a result.
    Unresolved,
    /// The game has ended.
    GameOver,
    /// The game has not ended.
    GameRunning,
    /// A vote without such a pending proposal.
    NoOffer,
    /// A proposal is open already, or yours was refused too recently.
    OfferNotNow,
    /// An abort cannot be asked for any more: somebody is out, or every army has made its second move.
    TooLateToAbort,
    /// The variant is not one of this server's.
    UnknownVariant,
    /// The position document contradicts the rules.
    BadPosition,
    /// The phrase is not one of the list, or free text where only phrases are allowed.
    BadPhrase,
    /// A free text that is empty, too long, or has characters that cannot be seen or mislead.
    BadText,
    /// You have been muted or banned.
    Muted,

    /// There is no such lobby, or its key is wrong.
    UnknownLobby,
    /// Every seat is taken.
    LobbyFull,
    /// That seat is taken.
    SeatTaken,
    /// The game has no such seat.
    UnknownSeat,
    /// You are not in this lobby.
    NotInLobby,
    /// Only the host may do this.
    NotHost,
    /// Not every seat is filled.
    NotReady,
    /// A player of the lobby has no connection open; the game starts when everybody is there.
    PlayerAway,
    /// You have as many lobbies or games as one player may.
    TooManyOpen,
    /// A time control outside what the server plays.
    BadTimeControl,
    /// No bot of that level.
    UnknownLevel,

    /// The pool does not exist.
    UnknownPool,
    /// You are not queued.
    NotQueued,
    /// There is no such ready check, or it has passed.
    NoMatch,
    /// You have left matches or rated games before they began, and wait before you look for opponents again.
    Dodged,

    /// A query parameter that does not exist.
    UnknownParameter,
    /// A query parameter whose value is out of any sensible range.
    BadParameter,
    /// A cursor that this list did not give.
    BadCursor,

    /// Name or password is wrong.
    BadCredentials,
    /// The name is not allowed.
    BadName,
    /// The name is taken.
    NameTaken,
    /// The password is too short, too long or too common.
    BadPassword,
    /// Guests cannot do this; make an account first.
    NeedsAccount,
}

impl ErrorCode {
    /// The code as written in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the same request may succeed later without any change.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::TooMany | Self::Dodged | Self::Unavailable | Self::ShuttingDown)
    }
}

/// A refusal as it is told: `code` for programs, `message` for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ErrorBody {
    /// The stable code.
    pub code: ErrorCode,
    /// One sentence in English.
    pub message: String,
    /// Whether the same request may succeed later without any change.
    pub retryable: bool,
    /// In how many milliseconds it may, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl ErrorBody {
    /// A refusal; whether it is retryable follows from the code.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: code.is_retryable(), retry_after: None }
    }

    /// The same refusal with the time after which it does not hold any more, in milliseconds.
    #[must_use]
    pub fn until(self, retry_after: u64) -> Self {
        Self { retry_after: Some(retry_after), ..self }
    }
}
