//! Games that have left memory, as whoever looks at them sees them.

use std::sync::Arc;

use kingscross_protocol::{Event, GameId, HistoryEntry, Seq, Snapshot, UserId};
use kingscross_storage::{self as storage, Fault};
use kingscross_table::{BadRecord, history};

use super::registry::Registry;
use super::restore::{logged, read_chat, seed_of};
use crate::app::App;
use crate::archive::name_as_rows;

/// Why a game cannot be read from storage.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
    /// The record is damaged.
    #[error(transparent)]
    Record(#[from] BadRecord),
    /// It goes on, but its table is just being taken up; or it went on when spectators last saw it.
    #[error("the game is not being served")]
    NotServed,
}

impl Registry {
    /// A snapshot of a game that is not in memory, built from its record.
    pub async fn archived(
        &self,
        app: &App,
        game: GameId,
        user: UserId,
    ) -> Result<Option<Snapshot>, ArchiveError> {
        let Some(row) = app.store.find_game(game).await? else { return Ok(None) };
        let now = app.clock.now();
        if self.delays.is_unseen(Some(user), game, now) {
            return Ok(None);
        }
        let is_hidden = row.summary.ended_at.is_none_or(|at| self.delays.hides(Some(user), game, at, now));
        if row.summary.status == storage::GameStatus::Running || is_hidden {
            return Err(ArchiveError::NotServed);
        }
        let events = app.store.load_events(game, Seq(0)).await?;
        let chat = app.store.load_chat(game).await?;
        let terms = Arc::new(app.config.terms());
        let (core, history) = history(terms, seed_of(&row), events.iter().map(logged))?;
        let mut snapshot = core.snapshot(game, core.seat_of(user), history, now);
        // Who has deleted the account since is not named any more.
        name_as_rows(game, &mut snapshot.setup, &row.summary.players);
        if let Some(HistoryEntry { event: Event::Created(setup), .. }) = snapshot.history.first_mut() {
            name_as_rows(game, setup, &row.summary.players);
        }
        snapshot.presence = Vec::new();
        snapshot.chat = chat.iter().filter_map(read_chat).collect();
        Ok(Some(snapshot))
    }
}
