//! Which tables there are and who sits at them. The only place that knows where a table runs.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kingscross_engine::{RULES_VERSION, Variant};
use kingscross_protocol::{
    ChatLine, ErrorBody, ErrorCode, Event, GameId, GameSummary, HistoryEntry, LobbyId, OutageCause, Player,
    SeatLetter, ServerMessage, Setup, Snapshot, TimeControl, Timestamp, UserId,
};
use kingscross_storage::{self as storage, AppendError, Fault, NewEvent};
use kingscross_table::{BadRecord, Core, Entry, Log, Logged, Seed, history, replay};
use tokio::sync::mpsc;

use super::handle::{Follow, Reply, TableHandle};
use super::inbox::Inbox;
use super::task::{Task, encode_event};
use crate::app::App;
use crate::archive::{Private, name_as_rows};
use crate::delays::Delays;
use crate::excluded::DELETED;
use crate::ratings::{StandingError, Teller, note_standings};
use crate::sockets::encode;

/// Rows of the ledger that are read at once.
const LEDGER_ROWS: u32 = 1_000;

/// Since when a table was not there.
#[derive(Clone, Copy)]
enum Since {
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

/// A game to start.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// Its id; a fresh one when not given.
    pub id: Option<GameId>,
    /// The rules.
    pub variant: Variant,
    /// The time control.
    pub time: TimeControl,
    /// Whether the result moves ratings. Bots and guests make a game casual whatever is asked.
    pub rated: bool,
    /// Who plays, in turn order.
    pub players: Vec<Seated>,
    /// Whether free text may be written.
    pub free_chat: bool,
    /// How much later than players spectators see it, in milliseconds; as the server does it when not given.
    pub spectator_delay: Option<u32>,
    /// The game that it repeats.
    pub rematch_of: Option<GameId>,
    /// The other game of a match.
    pub other_game: Option<GameId>,
    /// Whether that begins when this one has ended.
    pub other_game_follows: bool,
    /// The lobby that it came from, which is closed with it.
    pub lobby: Option<LobbyId>,
    /// Players whose tickets are closed with it.
    pub tickets: Vec<UserId>,
}

impl NewGame {
    /// A casual game that comes from nowhere and is followed by none.
    pub fn casual(variant: Variant, time: TimeControl, players: Vec<Seated>) -> Self {
        Self {
            id: None,
            variant,
            time,
            rated: false,
            players,
            free_chat: false,
            spectator_delay: None,
            rematch_of: None,
            other_game: None,
            other_game_follows: false,
            lobby: None,
            tickets: Vec::new(),
        }
    }
}

/// Who takes a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seated {
    /// A person.
    Human {
        /// Who.
        user: UserId,
        /// The name shown.
        name: String,
    },
    /// A bot of the server.
    Bot {
        /// Its level.
        level: String,
    },
}

impl Seated {
    /// Who sat there takes a seat again.
    pub(super) fn again(player: &Player) -> Self {
        match &player.bot {
            Some(level) => Self::Bot { level: level.clone() },
            None => Self::Human { user: player.user, name: player.name.clone() },
        }
    }
}

/// Why a game did not start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The database did not confirm it.
    #[error("the database does not answer")]
    Unavailable,
    /// The database refuses it, and would again.
    #[error("the server failed to store the game; the fault has been logged")]
    Failed,
    /// The server stops.
    #[error("the server is stopping and starts no new games")]
    ShuttingDown,
    /// One of the players plays as many games as one may.
    #[error("{0} plays as many games as one player may")]
    TooManyOpen(String),
    /// One of the players has deleted the account or is banned.
    #[error("a player of this game is not here any more")]
    PlayerGone,
    /// The number of players is not that of the variant.
    #[error("this game takes another number of players")]
    WrongPlayers,
}

impl StartError {
    /// As it is told.
    pub fn body(&self) -> ErrorBody {
        let code = match self {
            Self::Unavailable => ErrorCode::Unavailable,
            Self::Failed => ErrorCode::Internal,
            Self::ShuttingDown => ErrorCode::ShuttingDown,
            Self::TooManyOpen(_) => ErrorCode::TooManyOpen,
            Self::PlayerGone | Self::WrongPlayers => ErrorCode::NotReady,
        };
        ErrorBody::new(code, self.to_string())
    }
}

/// Why stored games could not be taken up.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
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

    /// Whether a table stands in the list of games that are being played.
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

    /// Stores a new game and opens its table.
    pub async fn start(&self, app: &App, new: NewGame) -> Result<GameId, StartError> {
        if app.stop.is_cancelled() {
            return Err(StartError::ShuttingDown);
        }
        let id = new.id.unwrap_or_else(GameId::fresh);
        let rules = new.variant.rules();
        if new.players.len() != rules.turn_order.len() {
            return Err(StartError::WrongPlayers);
        }
        let limit = app.config.tables.max_games_per_user;
        for player in &new.players {
            if matches!(player, Seated::Human { user, .. } if app.excluded.has(*user)) {
                return Err(StartError::PlayerGone);
            }
            if let Seated::Human { user, name } = player
                && self.of_user(*user).iter().filter(|handle| !handle.has_ended()).count() >= limit
            {
                return Err(StartError::TooManyOpen(name.clone()));
            }
        }
        let at = app.clock.now();
        let mut setup = make_setup(id, &new, app.config.tables.spectator_delay_ms);
        let everybody = Teller { store: &app.store, delays: &self.delays, viewer: None, now: at };
        note_standings(everybody, &mut setup).await.map_err(|error| match error {
            StandingError::Gone => StartError::PlayerGone,
            StandingError::Storage(fault) => {
                tracing::warn!(%fault, "the players of a new game could not be looked up");
                if fault.is_outage() { StartError::Unavailable } else { StartError::Failed }
            }
        })?;
        // The queue knows of its own games.
        let is_from_queue = !new.tickets.is_empty();
        let private = Private::fresh();
        let terms = Arc::new(app.config.terms());
        let core = Core::new(terms, Arc::new(setup), private.seed(), at);
        let setup = core.setup().clone();
        let body = encode_event(&Event::Created((*setup).clone()));
        let row = storage::NewGame {
            id,
            variant: setup.variant.id().to_owned(),
            time_control: setup.time.to_string(),
            time_control_json: serde_json::to_string(&setup.time).expect("plain data"),
            is_rated: setup.rated,
            created_at: at,
            started_at: Some(at),
            setup: serde_json::to_string(&private).expect("plain data"),
            lobby: new.lobby,
            rematch_of: new.rematch_of,
            players: setup
                .players
                .iter()
                .map(|player| storage::NewPlayer {
                    seat: player.seat.to_string(),
                    user: player.bot.is_none().then_some(player.user),
                    name: player.name.clone(),
                    is_bot: player.bot.is_some(),
                    bot_level: player.bot.clone(),
                })
                .collect(),
            events: vec![NewEvent {
                seq: core.seq(),
                commanded: None,
                at,
                hash: core.hash(),
                body: body.clone(),
            }],
            close_lobby: new.lobby,
            close_tickets: new.tickets,
        };
        app.store.writer().create_game(row).await.map_err(|error| match error {
            AppendError::Unavailable => {
                // It may have come about all the same; then it must not stay without a table.
                let app = app.clone();
                app.tracker.clone().spawn(async move { app.tables.reopen(&app, id).await });
                StartError::Unavailable
            }
            AppendError::Conflict => {
                tracing::error!(game = %id, %error, "a game could not be created");
                StartError::Unavailable
            }
            AppendError::Invalid(_) => {
                tracing::error!(game = %id, %error, "a game could not be created");
                StartError::Failed
            }
        })?;
        let mut log = Log::default();
        log.push(Entry { at, hash: core.hash(), body: body.into_boxed_str() }, None);
        let handle = self.open(app, id, at, core, log, VecDeque::new(), Since::New);
        if self.is_listed(&handle, at) {
            app.lobbies.game_listed(handle.summary_at_start());
        }
        for player in setup.players.iter().filter(|player| player.bot.is_none()) {
            if !is_from_queue {
                app.queue.playing(player.user);
            }
            let start = encode(&ServerMessage::GameStart { game: id, seat: player.seat });
            for socket in app.hub.of(player.user) {
                if socket.is_streaming() {
                    handle.watch(&socket, Follow::Stream, Reply::channel().0);
                } else {
                    socket.push(start.clone());
                }
            }
        }
        self.name_just_deleted(app, &setup).await;
        tracing::info!(game = %id, variant = %setup.variant, "a game began");
        Ok(id)
    }

    /// Starts the game that follows another with the same players, each one seat further.
    pub(super) async fn start_rematch(
        &self,
        app: &App,
        id: GameId,
        of: GameId,
        setup: &Setup,
    ) -> Result<GameId, StartError> {
        let mut players: Vec<Seated> = setup.players.iter().map(Seated::again).collect();
        players.rotate_right(1);
        let new = NewGame {
            id: Some(id),
            rated: setup.rated,
            free_chat: setup.free_chat,
            spectator_delay: Some(setup.spectator_delay),
            rematch_of: Some(of),
            ..NewGame::casual(setup.variant, setup.time, players)
        };
        self.start(app, new).await
    }

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

    /// Goes on keeping back what spectators have not been told of games that ended before the server did.
    async fn restore_delays(&self, app: &App) -> Result<(), Fault> {
        let hidden = app.store.load_hidden_games(app.clock.now()).await?;
        hidden.iter().for_each(|game| self.delays.restore(game));
        // In each pool the ledger is read from the first change by a hidden game on.
        let mut first_rows: HashMap<String, i64> = HashMap::new();
        for game in &hidden {
            let first = app.store.find_event(game.id, kingscross_protocol::Seq(1)).await?;
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

    /// Opens the tables of ended games again that something was still to follow when the server ended: a rematch, or
    /// the other game of their match.
    pub async fn restore_follow_ups(&self, app: &App) -> Result<(), Fault> {
        for game in app.store.load_pending_follow_ups().await? {
            let id = game.summary.id;
            let Some(at) = game.summary.ended_at.filter(|_| self.find(id).is_none()) else { continue };
            let rematch = app.store.find_rematch(id).await?;
            if let Err(error) = self.take_up(app, &game, Since::End { at, rematch }).await? {
                tracing::error!(game = %id, %error, "an ended game cannot be taken up for what follows it");
            }
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
        let events = app.store.load_events(game.summary.id, kingscross_protocol::Seq(0)).await?;
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

    #[allow(clippy::too_many_arguments, reason = "each is a part of one table")]
    fn open(
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
            self.told(app, handle);
        }
    }

    /// Spectators, too, know now that a game has ended.
    pub(super) fn told(&self, app: &App, handle: &TableHandle) {
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
    async fn name_just_deleted(&self, app: &App, setup: &Setup) {
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
        let events = app.store.load_events(game, kingscross_protocol::Seq(0)).await?;
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

fn make_setup(id: GameId, new: &NewGame, usual_delay: u32) -> Setup {
    let rules = new.variant.rules();
    let mut players = Vec::with_capacity(new.players.len());
    for (seated, &seat) in new.players.iter().zip(rules.turn_order) {
        let seat = SeatLetter(rules.letter(seat));
        players.push(match seated {
            Seated::Human { user, name } => {
                Player { seat, user: *user, name: name.clone(), bot: None, rating: None, provisional: false }
            }
            Seated::Bot { level } => Player {
                seat,
                user: crate::bots::user(id, seat),
                name: crate::bots::name(level),
                bot: Some(level.clone()),
                rating: None,
                provisional: false,
            },
        });
    }
    let has_bot = players.iter().any(|player| player.bot.is_some());
    let rated = new.rated && !has_bot;
    Setup {
        variant: new.variant,
        rules: RULES_VERSION,
        time: new.time,
        rated,
        players,
        free_chat: new.free_chat && !rated,
        spectator_delay: new.spectator_delay.unwrap_or(usual_delay),
        rematch_of: new.rematch_of,
        other_game: new.other_game,
        other_game_follows: new.other_game_follows,
    }
}

fn seed_of(game: &storage::Game) -> Seed {
    let private: Private =
        serde_json::from_str(&game.setup).unwrap_or_else(|_| Private { seed: String::new() });
    private.seed()
}

fn logged(stored: &storage::StoredEvent) -> Logged<'_> {
    Logged { at: stored.at, hash: stored.hash, body: &stored.body }
}

fn read_chat(line: &storage::ChatLine) -> Option<ChatLine> {
    serde_json::from_str(&line.body).ok()
}
