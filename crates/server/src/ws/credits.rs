//! How many messages one connection may send: a token bucket for each kind.

use kingscross_protocol::Request;
use tokio::time::Instant;

use crate::config::Limits;

/// The kind of a message, by which it is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The moves of a seated player.
    Move,
    /// Everything else in a game.
    Playing,
    /// Following games.
    Watching,
    /// Lobbies and queues.
    Lobby,
    /// Chat.
    Chat,
    /// Pings, which are not limited.
    Free,
}

impl Kind {
    pub(super) fn of(request: &Request, is_seated: impl Fn() -> bool) -> Self {
        match request {
            Request::Ping => Self::Free,
            Request::Move { .. } if is_seated() => Self::Move,
            Request::Hello { .. }
            | Request::Move { .. }
            | Request::Resign { .. }
            | Request::Propose { .. }
            | Request::Vote { .. }
            | Request::GiveTime { .. }
            | Request::Depart { .. } => Self::Playing,
            Request::Watch { .. } | Request::Unwatch { .. } | Request::Stream => Self::Watching,
            Request::Say { .. } => Self::Chat,
            Request::WatchLobbies
            | Request::UnwatchLobbies
            | Request::CreateLobby(_)
            | Request::JoinLobby { .. }
            | Request::TakeSeat { .. }
            | Request::SeatBot { .. }
            | Request::Unseat { .. }
            | Request::StartLobby { .. }
            | Request::LeaveLobby { .. }
            | Request::PlayNow { .. }
            | Request::JoinQueue { .. }
            | Request::LeaveQueue
            | Request::Confirm { .. }
            | Request::Mute { .. } => Self::Lobby,
        }
    }
}

/// A token bucket: it fills steadily up to its size.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    level: f32,
    size: f32,
    per_second: f32,
    seen: Instant,
}

impl Bucket {
    fn new(size: u32, window_ms: u32, now: Instant) -> Self {
        let size = size as f32;
        Self { level: size, size, per_second: size * 1000.0 / (window_ms.max(1) as f32), seen: now }
    }

    fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.seen).as_secs_f32();
        self.level = (self.level + passed * self.per_second).min(self.size);
        self.seen = now;
        let has_one = self.level >= 1.0;
        if has_one {
            self.level -= 1.0;
        }
        has_one
    }
}

/// The buckets of one connection.
#[derive(Debug)]
pub(super) struct Credits {
    moves: Bucket,
    playing: Bucket,
    watching: Bucket,
    lobby: Bucket,
    chat: Bucket,
    refusals: Bucket,
}

impl Credits {
    pub(super) fn new(limits: &Limits, now: Instant) -> Self {
        let moves = Bucket {
            per_second: limits.moves_per_second as f32,
            ..Bucket::new(limits.moves_burst, 1000, now)
        };
        Self {
            moves,
            playing: Bucket::new(limits.playing_messages, limits.playing_window_ms, now),
            watching: Bucket::new(limits.watching_messages, limits.watching_window_ms, now),
            lobby: Bucket::new(limits.lobby_messages, limits.lobby_window_ms, now),
            chat: Bucket::new(limits.chat_lines, limits.chat_window_ms, now),
            refusals: Bucket::new(limits.flood_messages, limits.flood_window_ms, now),
        }
    }

    /// Pays for a message.
    pub(super) fn take(&mut self, kind: Kind, now: Instant) -> bool {
        match kind {
            Kind::Move => self.moves.take(now),
            Kind::Playing => self.playing.take(now),
            Kind::Watching => self.watching.take(now),
            Kind::Lobby => self.lobby.take(now),
            Kind::Chat => self.chat.take(now),
            Kind::Free => true,
        }
    }

    /// Counts a message that was refused for its form or its number. False if there were too many.
    pub(super) fn note_refusal(&mut self, now: Instant) -> bool {
        self.refusals.take(now)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moves_have_a_bucket_of_their_own() {
        let now = Instant::now();
        let mut credits = Credits::new(&crate::config::Config::defaults().limits, now);
        assert_eq!((0..200).filter(|_| credits.take(Kind::Playing, now)).count(), 100);
        assert_eq!((0..200).filter(|_| credits.take(Kind::Move, now)).count(), 100);
        let later = now + Duration::from_secs(1);
        assert_eq!((0..200).filter(|_| credits.take(Kind::Move, later)).count(), 50);
        assert_eq!((0..200).filter(|_| credits.take(Kind::Playing, later)).count(), 5);
    }

    #[test]
    fn chat_is_five_lines_in_ten_seconds() {
        let now = Instant::now();
        let mut credits = Credits::new(&crate::config::Config::defaults().limits, now);
        assert_eq!((0..9).filter(|_| credits.take(Kind::Chat, now)).count(), 5);
        assert!(credits.take(Kind::Chat, now + Duration::from_secs(2)));
        assert!(!credits.take(Kind::Chat, now + Duration::from_secs(2)));
    }
}
