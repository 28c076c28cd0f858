//! Which tables there are and who sits at them. The only place that knows where a table runs.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;

use kingscross_protocol::{ChatLine, GameId, GameSummary, OutageCause, Setup, Timestamp, UserId};
use kingscross_table::{Core, Log};
use tokio::sync::mpsc;

use super::handle::TableHandle;
use super::inbox::Inbox;
use super::task::Task;
use crate::app::App;
use crate::delays::Delays;
use crate::excluded::DELETED;

/// Since when a table was not there.
#[derive(Clone, Copy)]
pub(super) enum Since {
    /// The game is new.
    New,
    /// Nobody could play since its last event.
    Outage(OutageCause),
    /// The game had ended, at that moment; its rematch may have begun.
    End { at: Timestamp, rematch: Option<GameId> },
}

/// All running tables.
#[derive(Default)]
pub struct Registry {
    // Looked up by every request of a game; never held across an await.
    tables: Mutex<Tables>,
    /// Which games spectators see late.
    pub delays: Delays,
}

#[derive(Default)]
struct Tables {
    by_game: HashMap<GameId, TableHandle>,
    by_user: HashMap<UserId, Vec<GameId>>,
}

impl Registry {
    /// The table of a game, while it is in memory.
    pub fn find(&self, game: GameId) -> Option<TableHandle> {
        self.tables.lock().expect("no panic while held").by_game.get(&game).cloned()
    }

    /// The tables at which a person has a seat.
    pub fn of_user(&self, user: UserId) -> Vec<TableHandle> {
        let tables = self.tables.lock().expect("no panic while held");
        let games = tables.by_user.get(&user).map(Vec::as_slice).unwrap_or_default();
        games.iter().filter_map(|game| tables.by_game.get(game).cloned()).collect()
    }

    /// What lists show of the games that people play, as far as everybody knows.
    pub fn running(&self, now: Timestamp) -> Vec<GameSummary> {
        let tables = self.tables.lock().expect("no panic while held");
        let running = tables.by_game.values().filter(|handle| self.is_listed(handle, now));
        let mut all: Vec<_> = running.map(TableHandle::summary_at_start).collect();
        all.sort_by_key(|summary| std::cmp::Reverse((summary.created, summary.game)));
        all
    }

    /// Whether a table is on the list of games that are being played.
    pub(super) fn is_listed(&self, handle: &TableHandle, now: Timestamp) -> bool {
        !handle.is_end_public() && !handle.is_deserted() && !self.delays.is_unseen(None, handle.game, now)
    }

    /// How many tables are in memory.
    pub fn count(&self) -> usize {
        self.tables.lock().expect("no panic while held").by_game.len()
    }

    /// How many games people play, and how many messages wait at all running tables.
    pub fn load(&self) -> (usize, usize) {
        let tables = self.tables.lock().expect("no panic while held");
        let running = tables.by_game.values().filter(|handle| !handle.has_ended());
        running.fold((0, 0), |(games, waiting), handle| {
            (games + usize::from(!handle.is_deserted()), waiting + handle.waiting())
        })
    }

    /// Nothing can be stored for now: nobody's clock is to run.
    pub fn freeze(&self) {
        let tables = self.tables.lock().expect("no panic while held");
        tables.by_game.values().for_each(TableHandle::freeze);
    }

    /// A person came or went.
    pub fn presence_changed(&self, user: UserId) {
        self.of_user(user).iter().for_each(TableHandle::presence_changed);
    }

    /// The server stood still.
    pub fn stalled(&self) {
        let tables = self.tables.lock().expect("no panic while held");
        tables.by_game.values().for_each(TableHandle::presence_changed);
    }

    #[allow(clippy::too_many_arguments, reason = "each is a part of one table")]
    pub(super) fn open(
        &self,
        app: &App,
        game: GameId,
        created: Timestamp,
        core: Core,
        log: Log,
        chat: VecDeque<ChatLine>,
        since: Since,
    ) -> TableHandle {
        if core.is_running() {
            self.delays.add(game, core.setup(), None);
            self.delays.follow(game, core.setup(), created);
        }
        let (inbox, messages) = mpsc::channel(app.config.limits.table_queue);
        let handle = TableHandle::new(game, core.setup().clone(), created, inbox);
        let (now, delay) = (app.clock.now(), i64::from(core.setup().spectator_delay));
        if core.deserted().is_some_and(|(_, at)| at.plus(delay) <= now) {
            handle.mark_deserted();
        }
        if let Since::End { at, .. } = since {
            handle.mark_ended();
            if at.plus(delay) <= now {
                handle.mark_end_public();
            }
        }
        {
            let mut tables = self.tables.lock().expect("no panic while held");
            tables.by_game.insert(game, handle.clone());
            for player in handle.setup.players.iter().filter(|player| player.bot.is_none()) {
                tables.by_user.entry(player.user).or_default().push(game);
            }
        }
        let messages = Inbox::new(messages, app.config.limits.table_queue);
        let task = Task::new(app.clone(), handle.clone(), messages, core, log, chat);
        // Boxed as a trait object: a table may start another table, and a future cannot contain its own kind.
        let run: Pin<Box<dyn Future<Output = ()> + Send>> = match since {
            Since::New => Box::pin(task.run()),
            Since::Outage(cause) => Box::pin(task.run_after(cause)),
            Since::End { at, rematch } => Box::pin(task.run_after_end(at, rematch)),
        };
        app.tracker.spawn(run);
        handle
    }

    /// A game has ended; its table stays a while for those who look at it.
    pub(super) fn ended(&self, app: &App, handle: &TableHandle, at: Timestamp) {
        handle.mark_ended();
        self.delays.add(handle.game, &handle.setup, Some(at));
        if handle.setup.spectator_delay == 0 {
            self.end_made_public(app, handle);
        }
    }

    /// Spectators, too, know now that a game has ended.
    pub(super) fn end_made_public(&self, app: &App, handle: &TableHandle) {
        handle.mark_end_public();
        app.lobbies.game_unlisted(handle.game);
    }

    /// A player is deleted: named so from now on wherever a table is shown or listed, and in what is stored.
    pub(crate) async fn name_deleted(&self, app: &App, user: UserId) {
        let tables: Vec<TableHandle> = {
            let mut tables = self.tables.lock().expect("no panic while held");
            let Tables { by_game, by_user } = &mut *tables;
            for game in by_user.get(&user).into_iter().flatten() {
                if let Some(handle) = by_game.get_mut(game) {
                    handle.note_deleted(user);
                }
            }
            by_game.values().cloned().collect()
        };
        // The player may have spoken at any table.
        for table in &tables {
            table.name_deleted(user).await;
            if table.seat_of(user).is_some() && self.is_listed(table, app.clock.now()) {
                app.lobbies.game_changed(table);
            }
        }
        // A game that was being stored meanwhile was written with the old name.
        if let Err(fault) = app.store.rename_in_games(user, DELETED).await {
            tracing::error!(%user, %fault, "a deleted player may still be named in a game that was just beginning");
        }
    }

    /// The same for those who were deleted while their game was on its way from or to storage.
    pub(super) async fn name_just_deleted(&self, app: &App, setup: &Setup) {
        for player in setup.players.iter().filter(|player| app.excluded.is_deleted(player.user)) {
            self.name_deleted(app, player.user).await;
        }
    }

    /// A table has left memory.
    pub(super) fn forget(&self, handle: &TableHandle) {
        self.delays.forget(handle.game);
        let mut tables = self.tables.lock().expect("no panic while held");
        tables.by_game.remove(&handle.game);
        for player in handle.setup.players.iter().filter(|player| player.bot.is_none()) {
            if let Some(games) = tables.by_user.get_mut(&player.user) {
                games.retain(|game| *game != handle.game);
                if games.is_empty() {
                    tables.by_user.remove(&player.user);
                }
            }
        }
    }
}
