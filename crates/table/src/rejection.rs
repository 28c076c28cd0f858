//! Why a command in a game is refused.

use std::fmt;

use kingscross_protocol::{ErrorBody, ErrorCode};

use super::core::ApplyError;

/// A command that a game refuses. Its text is the sentence that the client reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The rules refuse the action.
    Rules(kingscross_engine::Rejection),
    /// The move was chosen at another ply.
    Stale {
        /// The ply at which it was chosen.
        chosen: u32,
        /// The ply of the game.
        now: u32,
    },
    /// Another player is on turn.
    NotYourTurn,
    /// A move was due, and the text is another action.
    NotAMove,
    /// The game has ended.
    GameOver,
    /// The game has not ended.
    GameRunning,
    /// The sender has lost or left already.
    Out,
    /// Another proposal is open.
    ProposalOpen,
    /// There is no such open proposal.
    NoProposal,
    /// The sender has no vote on this proposal, or has voted.
    NoVote,
    /// The sender's last proposal was refused only just now.
    RefusedJustNow,
    /// Only the player on turn offers a draw.
    DrawNotOnTurn,
    /// The rematch has begun.
    RematchBegun,
    /// Everybody has agreed to the rematch.
    RematchAgreed,
    /// The sender has asked for a rematch as often as one may.
    RematchesAsked,
    /// A player is out: too late to abort.
    AbortAfterOut,
    /// Every army has made its second move: too late to abort.
    AbortAfterMoves,
    /// Nobody gives time in a rated game.
    GiftInRated,
    /// The game has no such seat.
    UnknownSeat,
    /// Time goes only from one active player to another.
    GiftToNobody,
    /// The sender has given time as often as one may between two moves.
    GiftsGiven,
    /// The receiver's clock is full.
    ClockFull,
    /// Only the server does this.
    ServerOnly,
    /// Only a player does this.
    PlayersOnly,
    /// What was decided does not apply to the game it was decided on: a fault of the server.
    Fault(String),
}

impl Rejection {
    /// The stable code of the protocol.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Rules(rejection) => code_of(rejection.code),
            Self::Stale { .. } => ErrorCode::Stale,
            Self::NotYourTurn | Self::DrawNotOnTurn => ErrorCode::NotYourTurn,
            Self::NotAMove => ErrorCode::BadAction,
            Self::GameOver => ErrorCode::GameOver,
            Self::GameRunning => ErrorCode::GameRunning,
            Self::Out | Self::NoVote | Self::GiftToNobody => ErrorCode::IllegalMove,
            Self::ProposalOpen
            | Self::RefusedJustNow
            | Self::RematchBegun
            | Self::RematchAgreed
            | Self::RematchesAsked => ErrorCode::OfferNotNow,
            Self::NoProposal => ErrorCode::NoOffer,
            Self::AbortAfterOut | Self::AbortAfterMoves => ErrorCode::TooLateToAbort,
            Self::GiftInRated | Self::ServerOnly => ErrorCode::Forbidden,
            Self::UnknownSeat => ErrorCode::UnknownSeat,
            Self::GiftsGiven => ErrorCode::TooMany,
            Self::ClockFull => ErrorCode::Conflict,
            Self::PlayersOnly => ErrorCode::NotAPlayer,
            Self::Fault(_) => ErrorCode::Internal,
        }
    }
}

fn code_of(code: kingscross_engine::RejectionCode) -> ErrorCode {
    use kingscross_engine::RejectionCode as Code;
    match code {
        Code::BadAction => ErrorCode::BadAction,
        Code::NotYourTurn => ErrorCode::NotYourTurn,
        Code::Unresolved => ErrorCode::Unresolved,
        Code::GameOver => ErrorCode::GameOver,
        Code::NoOffer => ErrorCode::NoOffer,
        Code::IllegalMove => ErrorCode::IllegalMove,
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rules(rejection) => return f.write_str(&rejection.message),
            Self::Stale { chosen, now } => {
                return write!(f, "The move was chosen at ply {chosen}; the game is at ply {now}.");
            }
            Self::Fault(fault) => return f.write_str(fault),
            Self::NotYourTurn => "Another player is on turn.",
            Self::NotAMove => "A move, or `pass`, is wanted here.",
            Self::GameOver => "The game has ended.",
            Self::GameRunning => "The game has not ended.",
            Self::Out => "You are out of the game.",
            Self::ProposalOpen => "A proposal is open already.",
            Self::NoProposal => "There is no such open proposal.",
            Self::NoVote => "You have no vote here, or have voted.",
            Self::RefusedJustNow => "Your last proposal was refused; make some moves first.",
            Self::DrawNotOnTurn => "A draw is offered by the player on turn.",
            Self::RematchBegun => "The rematch has begun already.",
            Self::RematchAgreed => "All have agreed; the rematch begins as soon as everybody is here.",
            Self::RematchesAsked => "You have asked for a rematch as often as one may.",
            Self::AbortAfterOut => "A player is out already; the game can only be played to its end.",
            Self::AbortAfterMoves => {
                "Every army has made its second move; the game can only be played to its end."
            }
            Self::GiftInRated => "Time is given in casual games only.",
            Self::UnknownSeat => "The game has no such seat.",
            Self::GiftToNobody => "Time goes from one active player to another.",
            Self::GiftsGiven => "You have given time as often as one may between two moves.",
            Self::ClockFull => "That clock has a day on it already.",
            Self::ServerOnly => "Only the server does this.",
            Self::PlayersOnly => "Only a player does this.",
        })
    }
}

impl From<kingscross_engine::Rejection> for Rejection {
    fn from(rejection: kingscross_engine::Rejection) -> Self {
        Self::Rules(rejection)
    }
}

impl From<ApplyError> for Rejection {
    fn from(error: ApplyError) -> Self {
        match error.rejection {
            Some(rejection) => Self::Rules(rejection),
            None => Self::Fault(error.to_string()),
        }
    }
}

impl From<Rejection> for ErrorBody {
    fn from(rejection: Rejection) -> Self {
        ErrorBody::new(rejection.code(), rejection.to_string())
    }
}
