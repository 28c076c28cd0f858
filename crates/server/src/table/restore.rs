//! Taking up stored games: at the start of the server, and after their table was lost.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kingscross_protocol::{ChatLine, Event, GameId, OutageCause, Seq, Setup, UserId};
use kingscross_storage::{self as storage, Fault};
use kingscross_table::{BadRecord, Entry, Log, Logged, Seed, replay};

use super::registry::{Registry, Since};
use crate::app::App;
use crate::archive::{Private, name_as_rows};

/// Rows of the ledger that are read at once.
const LEDGER_ROWS: u32 = 1_000;

/// Why stored games could not be taken up.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl Registry {
    /// Takes up every game that was running when the server ended.
    pub async fn restore(&self, app: &App) -> Result<usize, RestoreError> {
        let mut restored = 0;
        // First, since running games may follow hidden ones.
        self.restore_delays(app).await?;
        for game in app.store.load_running_games().await? {
            match self.take_up(app, &game, Since::Outage(OutageCause::Restart)).await? {
                Ok(()) => restored += 1,
                // One damaged game must not keep the others from going on.
                Err(error) => {
                    tracing::error!(game = %game.summary.id, %error, "a stored game cannot be taken up");
                }
            }
        }
        Ok(restored)
    }

    /// Goes on hiding from spectators the ends of games that ended before the server stopped.
    async fn restore_delays(&self, app: &App) -> Result<(), Fault> {
        let hidden = app.store.load_hidden_games(app.clock.now()).await?;
        hidden.iter().for_each(|game| self.delays.restore(game));
        // In each pool the ledger is read from the first change by a hidden game on.
        let mut first_rows: HashMap<String, i64> = HashMap::new();
        for game in &hidden {
            let first = app.store.find_event(game.id, Seq(1)).await?;
            if let Some(Ok(Event::Created(setup))) =
                first.as_ref().map(|it| serde_json::from_str::<Event>(&it.body))
            {
                self.delays.follow(game.id, &setup, first.map_or(game.ended_at, |it| it.at));
            }
            for row in app.store.list_rating_changes(game.id).await? {
                let first = first_rows.entry(row.pool).or_insert(row.id);
                *first = row.id.min(*first);
            }
        }
        for (pool, first) in first_rows {
            let (mut rows, mut after) = (Vec::new(), first - 1);
            loop {
                let some = app.store.list_ledger(&pool, after, LEDGER_ROWS).await?;
                after = some.last().map_or(after, |row| row.id);
                let is_last = some.len() < LEDGER_ROWS as usize;
                rows.extend(some.into_iter().map(|row| (row.game, row.change.user)));
                if is_last {
                    break;
                }
            }
            for rows in rows.chunk_by(|one, next| one.0 == next.0) {
                let users: Vec<UserId> = rows.iter().map(|row| row.1).collect();
                self.delays.note_rated(rows[0].0, &pool, &users);
            }
        }
        Ok(())
    }

    /// Opens the tables of ended games again that were still needed when the server ended: something was to follow,
    /// a rematch or the other game of their match; or spectators have not seen the end yet.
    pub async fn restore_ended(&self, app: &App) -> Result<(), Fault> {
        for game in app.store.load_pending_follow_ups().await? {
            self.take_up_ended(app, &game).await?;
        }
        for hidden in app.store.load_hidden_games(app.clock.now()).await? {
            if let Some(game) = app.store.find_game(hidden.id).await? {
                self.take_up_ended(app, &game).await?;
            }
        }
        Ok(())
    }

    async fn take_up_ended(&self, app: &App, game: &storage::Game) -> Result<(), Fault> {
        let id = game.summary.id;
        let Some(at) = game.summary.ended_at.filter(|_| self.find(id).is_none()) else { return Ok(()) };
        let rematch = app.store.find_rematch(id).await?;
        if let Err(error) = self.take_up(app, game, Since::End { at, rematch }).await? {
            tracing::error!(game = %id, %error, "an ended game cannot be taken up again");
        }
        Ok(())
    }

    /// Opens a new table for a running game that has none, as soon as storage gives it.
    pub(super) async fn reopen(&self, app: &App, game: GameId) {
        let pause = Duration::from_millis(app.config.tables.retry_longest_ms);
        loop {
            // Waited for first: a table that gives up at once must not make a circle.
            if app.stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                return;
            }
            let taken_up = async {
                match app.store.find_game(game).await? {
                    Some(row)
                        if row.summary.status == storage::GameStatus::Running
                            && self.find(game).is_none() =>
                    {
                        self.take_up(app, &row, Since::Outage(OutageCause::Storage)).await
                    }
                    _ => Ok(Ok(())),
                }
            };
            match taken_up.await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => {
                    return tracing::error!(%game, %error, "a stored game cannot be taken up");
                }
                Err(fault) => tracing::warn!(%game, %fault, "a game could not be read; it is tried again"),
            }
        }
    }

    async fn take_up(
        &self,
        app: &App,
        game: &storage::Game,
        since: Since,
    ) -> Result<Result<(), BadRecord>, Fault> {
        let events = app.store.load_events(game.summary.id, Seq(0)).await?;
        let chat = app.store.load_chat(game.summary.id).await?;
        let restored = self.restore_one(app, game, &events, chat, since);
        if let Ok(setup) = &restored {
            self.name_just_deleted(app, setup).await;
        }
        Ok(restored.map(drop))
    }

    fn restore_one(
        &self,
        app: &App,
        game: &storage::Game,
        events: &[storage::StoredEvent],
        chat: Vec<storage::ChatLine>,
        since: Since,
    ) -> Result<Arc<Setup>, BadRecord> {
        let terms = Arc::new(app.config.terms());
        let mut core = replay(terms, seed_of(game), events.iter().map(logged), |_, _, _, _| {})?;
        let mut setup = (**core.setup()).clone();
        name_as_rows(game.summary.id, &mut setup, &game.summary.players);
        core.rename(Arc::new(setup));
        let mut log = Log::default();
        for stored in events {
            let commanded = stored
                .commanded
                .and_then(|commanded| Some((core.seat_of(commanded.user)?, commanded.command)));
            let body = stored.body.clone().into_boxed_str();
            log.push(Entry { at: stored.at, hash: stored.hash, body }, commanded);
        }
        let chat = chat.into_iter().filter_map(|line| read_chat(&line)).collect();
        Ok(self.open(app, game.summary.id, game.summary.created_at, core, log, chat, since).setup)
    }
}

pub(super) fn seed_of(game: &storage::Game) -> Seed {
    let private: Private =
        serde_json::from_str(&game.setup).unwrap_or_else(|_| Private { seed: String::new() });
    private.seed()
}

pub(super) fn logged(stored: &storage::StoredEvent) -> Logged<'_> {
    Logged { at: stored.at, hash: stored.hash, body: &stored.body }
}

pub(super) fn read_chat(line: &storage::ChatLine) -> Option<ChatLine> {
    serde_json::from_str(&line.body).ok()
}
