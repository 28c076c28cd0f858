//! What becomes of a request that is sent again under its id, as a client does after a reconnect.

use crate::Request;

/// What a second request under the same id does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// It belongs to one connection and is not sent again.
    Never,
    /// It is carried out again, with the same effect as once.
    Harmless,
    /// The game stores the id with the event, so the first answer comes again at any time.
    Stored,
    /// The server remembers the answer for a minute, until it restarts.
    Remembered,
}

impl Request {
    /// What sending this request again does.
    pub fn repetition(&self) -> Repetition {
        match self {
            Self::Hello { .. } => Repetition::Never,
            Self::Ping
            | Self::Watch { .. }
            | Self::Unwatch { .. }
            | Self::Stream
            | Self::WatchLobbies
            | Self::UnwatchLobbies => Repetition::Harmless,
            Self::Move { .. }
            | Self::Resign { .. }
            | Self::Propose { .. }
            | Self::Vote { .. }
            | Self::GiveTime { .. }
            | Self::Depart { .. } => Repetition::Stored,
            Self::Say { .. }
            | Self::CreateLobby(_)
            | Self::JoinLobby { .. }
            | Self::TakeSeat { .. }
            | Self::SeatBot { .. }
            | Self::Unseat { .. }
            | Self::StartLobby { .. }
            | Self::LeaveLobby { .. }
            | Self::PlayNow { .. }
            | Self::JoinQueue { .. }
            | Self::LeaveQueue
            | Self::Confirm { .. }
            | Self::Mute { .. } => Repetition::Remembered,
        }
    }
}
