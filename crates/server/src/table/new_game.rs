//! Starting games: who sits where, what is stored, and who is told.

use std::collections::VecDeque;
use std::sync::Arc;

use kingscross_engine::{RULES_VERSION, Variant};
use kingscross_protocol::{
    ErrorBody, ErrorCode, Event, GameId, LobbyId, Player, SeatLetter, ServerMessage, Setup, TimeControl,
    Timestamp, UserId,
};
use kingscross_storage::{self as storage, AppendError, NewEvent};
use kingscross_table::{Core, Entry, Log};

use super::commit::encode_event;
use super::handle::{Follow, Reply, TableHandle};
use super::registry::{Registry, Since};
use crate::app::App;
use crate::archive::Private;
use crate::ratings::{StandingError, VisibleRatings, note_standings};
use crate::sockets::encode;

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

impl Registry {
    /// Stores a new game and opens its table.
    pub async fn start(&self, app: &App, new: NewGame) -> Result<GameId, StartError> {
        self.check_new(app, &new)?;
        let (id, at) = (new.id.unwrap_or_else(GameId::fresh), app.clock.now());
        let mut setup = make_setup(id, &new, app.config.tables.spectator_delay_ms);
        self.note_ratings(app, &mut setup, at).await?;
        // The queue knows of its own games.
        let is_from_queue = !new.tickets.is_empty();
        let private = Private::fresh();
        let core = Core::new(Arc::new(app.config.terms()), Arc::new(setup), private.seed(), at);
        let setup = core.setup().clone();
        let body = encode_event(&Event::Created((*setup).clone()));
        let first = NewEvent { seq: core.seq(), commanded: None, at, hash: core.hash(), body: body.clone() };
        self.store_new(app, id, row_of(id, new, &setup, &private, first)).await?;
        let mut log = Log::default();
        log.push(Entry { at, hash: core.hash(), body: body.into_boxed_str() }, None);
        let handle = self.open(app, id, at, core, log, VecDeque::new(), Since::New);
        if self.is_listed(&handle, at) {
            app.lobbies.game_listed(handle.summary_at_start());
        }
        announce(app, &handle, is_from_queue);
        self.name_just_deleted(app, &setup).await;
        tracing::info!(game = %id, variant = %setup.variant, "a game began");
        Ok(id)
    }

    /// Whether the server starts such a game for these players.
    fn check_new(&self, app: &App, new: &NewGame) -> Result<(), StartError> {
        if app.stop.is_cancelled() {
            return Err(StartError::ShuttingDown);
        }
        if new.players.len() != new.variant.rules().turn_order.len() {
            return Err(StartError::WrongPlayers);
        }
        let limit = app.config.tables.max_games_per_user;
        for player in &new.players {
            let Seated::Human { user, name } = player else { continue };
            if app.excluded.has(*user) {
                return Err(StartError::PlayerGone);
            }
            if self.of_user(*user).iter().filter(|handle| !handle.has_ended()).count() >= limit {
                return Err(StartError::TooManyOpen(name.clone()));
            }
        }
        Ok(())
    }

    /// Writes the ratings that everybody may know into the setup.
    async fn note_ratings(&self, app: &App, setup: &mut Setup, now: Timestamp) -> Result<(), StartError> {
        let everybody = VisibleRatings { store: &app.store, delays: &self.delays, viewer: None, now };
        note_standings(everybody, setup).await.map_err(|error| match error {
            StandingError::Gone => StartError::PlayerGone,
            StandingError::Storage(fault) => {
                tracing::warn!(%fault, "the players of a new game could not be looked up");
                if fault.is_outage() { StartError::Unavailable } else { StartError::Failed }
            }
        })
    }

    async fn store_new(&self, app: &App, id: GameId, row: storage::NewGame) -> Result<(), StartError> {
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
        })
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
}

/// A game as it is stored at first.
fn row_of(id: GameId, new: NewGame, setup: &Setup, private: &Private, first: NewEvent) -> storage::NewGame {
    let player = |player: &Player| storage::NewPlayer {
        seat: player.seat.to_string(),
        user: player.bot.is_none().then_some(player.user),
        name: player.name.clone(),
        is_bot: player.bot.is_some(),
        bot_level: player.bot.clone(),
    };
    storage::NewGame {
        id,
        variant: setup.variant.id().to_owned(),
        time_control: setup.time.to_string(),
        time_control_json: serde_json::to_string(&setup.time).expect("plain data"),
        is_rated: setup.rated,
        created_at: first.at,
        started_at: Some(first.at),
        setup: serde_json::to_string(private).expect("plain data"),
        lobby: new.lobby,
        rematch_of: new.rematch_of,
        players: setup.players.iter().map(player).collect(),
        events: vec![first],
        close_lobby: new.lobby,
        close_tickets: new.tickets,
    }
}

/// Tells the players that their game begins.
fn announce(app: &App, handle: &TableHandle, is_from_queue: bool) {
    for player in handle.setup.players.iter().filter(|player| player.bot.is_none()) {
        if !is_from_queue {
            app.queue.playing(player.user);
        }
        let start = encode(&ServerMessage::GameStart { game: handle.game, seat: player.seat });
        for socket in app.hub.of(player.user) {
            if socket.is_streaming() {
                handle.watch(&socket, Follow::Stream, Reply::channel().0);
            } else {
                socket.push(start.clone());
            }
        }
    }
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
