//! Why a request about a lobby is refused.

use std::fmt;

use kingscross_protocol::{BadTimeControl, ErrorBody, ErrorCode};
use kingscross_storage::Fault;

use crate::bots;

/// A request that a lobby, or the task of all lobbies, refuses. Its text is the sentence that the client reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The time control is outside what the server plays.
    BadTimeControl(BadTimeControl),
    /// The variant has no other board to play on.
    NotForTwo,
    /// The spectator delay is longer than the server allows.
    DelayTooLong {
        /// The longest delay, in milliseconds.
        longest: u32,
    },
    /// Someone else has the seat.
    SeatTaken,
    /// Options name a seat twice, or the host's own for a bot.
    SeatNamedTwice,
    /// A person has the seat that a bot was to take.
    PersonSeated,
    /// No seat is free.
    LobbyFull,
    /// There is no bot of this level.
    UnknownLevel,
    /// The variant has no such seat.
    UnknownSeat,
    /// The host cannot remove itself.
    OwnSeat,
    /// A seat is still free.
    SeatEmpty,
    /// These players have no socket open.
    PlayersAway(Vec<String>),
    /// Only the host may do this.
    NotHost,
    /// The person is not in the lobby.
    NotInLobby,
    /// There is no such lobby, or the key is not its key.
    UnknownLobby,
    /// The account was deleted or banned.
    Excluded,
    /// The person is in as many lobbies as one may be.
    TooManyOpen,
    /// The server keeps no more lobbies.
    TooManyLobbies,
    /// The server is stopping.
    ShuttingDown,
    /// The database does not answer.
    Unavailable,
    /// The server failed.
    Internal,
    /// The game could not be started.
    NotStarted(ErrorBody),
}

impl Rejection {
    /// The stable code of the protocol.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::BadTimeControl(_) => ErrorCode::BadTimeControl,
            Self::NotForTwo | Self::DelayTooLong { .. } => ErrorCode::BadRequest,
            Self::SeatTaken | Self::SeatNamedTwice | Self::PersonSeated => ErrorCode::SeatTaken,
            Self::LobbyFull => ErrorCode::LobbyFull,
            Self::UnknownLevel => ErrorCode::UnknownLevel,
            Self::UnknownSeat => ErrorCode::UnknownSeat,
            Self::OwnSeat => ErrorCode::Conflict,
            Self::SeatEmpty => ErrorCode::NotReady,
            Self::PlayersAway(_) => ErrorCode::PlayerAway,
            Self::NotHost => ErrorCode::NotHost,
            Self::NotInLobby => ErrorCode::NotInLobby,
            Self::UnknownLobby => ErrorCode::UnknownLobby,
            Self::Excluded => ErrorCode::Forbidden,
            Self::TooManyOpen => ErrorCode::TooManyOpen,
            Self::TooManyLobbies => ErrorCode::TooMany,
            Self::ShuttingDown => ErrorCode::ShuttingDown,
            Self::Unavailable => ErrorCode::Unavailable,
            Self::Internal => ErrorCode::Internal,
            Self::NotStarted(error) => error.code,
        }
    }
}

impl From<Fault> for Rejection {
    /// The fault is logged here: the client does not see it.
    fn from(fault: Fault) -> Self {
        if fault.is_outage() {
            tracing::warn!(%fault, "a lobby was not stored");
            return Self::Unavailable;
        }
        tracing::error!(%fault, "a lobby could not be stored");
        Self::Internal
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadTimeControl(error) => return error.fmt(f),
            Self::NotForTwo => "Only games for two are played as a match on both boards.",
            Self::DelayTooLong { longest } => {
                return write!(f, "The spectator delay may be at most {longest} ms.");
            }
            Self::SeatTaken => "That seat is taken.",
            Self::SeatNamedTwice => "A seat is named twice, or is your own.",
            Self::PersonSeated => "A person has that seat.",
            Self::LobbyFull => "Every seat is taken.",
            Self::UnknownLevel => return f.write_str(&bots::unknown_level()),
            Self::UnknownSeat => "The variant has no such seat.",
            Self::OwnSeat => "To give up your own seat, leave the lobby.",
            Self::SeatEmpty => "Not every seat is taken.",
            Self::PlayersAway(names) => return write_away(f, names),
            Self::NotHost => "Only the host may do this.",
            Self::NotInLobby => "You are not in this lobby.",
            Self::UnknownLobby => "There is no such lobby, or its key is wrong.",
            Self::Excluded => "This account was deleted or banned.",
            Self::TooManyOpen => "You are in as many lobbies as one may be.",
            Self::TooManyLobbies => "The server has as many lobbies as it can keep.",
            Self::ShuttingDown => "The server is stopping.",
            Self::Unavailable => "The database does not answer; nothing was changed.",
            Self::Internal => "The server failed; the fault has been logged.",
            Self::NotStarted(error) => &error.message,
        })
    }
}

fn write_away(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => write!(
            f,
            "{} and {last} are away. Start when everybody is here; the seats of those who stay away become free.",
            others.join(", ")
        ),
        _ => write!(
            f,
            "{} is away. Start when everybody is here; the seat of a player who stays away becomes free.",
            names.join("")
        ),
    }
}

impl From<Rejection> for ErrorBody {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::NotStarted(error) => error,
            other => Self::new(other.code(), other.to_string()),
        }
    }
}
