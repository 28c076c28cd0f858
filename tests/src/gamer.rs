//! A player who plays random legal moves over any line, and a table of them. Everything they are told is checked.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kingscross_client::{Applied, Client, Connection, GameView, Incoming, Options, Unanswered};
use kingscross_engine::Variant;
use kingscross_protocol::{
    CommandId, ErrorCode, GameId, LobbyOptions, Request, Seq, ServerMessage, TimeControl, UserId,
};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::Chance;

/// Longer than any test may wait for one message; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client that tries at once and for long, and takes a silent line for a dead one.
pub fn stubborn() -> Options {
    Options {
        name: "test".to_owned(),
        timeout: Duration::from_secs(60),
        ping: Duration::from_millis(200),
        silence: Duration::from_secs(1),
        wait: Duration::from_millis(5),
        longest_wait: Duration::from_millis(100),
        remembered: kingscross_client::Options::default().remembered,
        attempts: 1_000,
    }
}

/// A command that the server answered with `ok`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// In which game.
    pub game: GameId,
    /// Whose.
    pub user: UserId,
    /// Its id.
    pub id: CommandId,
    /// The event that it made.
    pub seq: Seq,
}

/// One player at one table.
pub struct Gamer {
    /// Its connection.
    pub connection: Connection,
    /// What it knows of the game.
    pub view: Option<GameView>,
    /// The game that it follows: what still comes of others is not its business.
    watched: Option<GameId>,
    /// Commands that were sent, answered or not.
    pub sent: Vec<(GameId, CommandId)>,
    /// Commands that were answered `ok`.
    pub acknowledged: Vec<Acknowledged>,
    /// Refusals by code.
    pub refused: HashMap<ErrorCode, u32>,
    chance: Chance,
}

/// How far a game is played.
#[derive(Clone, Debug)]
pub struct Until {
    /// From this ply on whoever is on turn resigns.
    pub ply: u32,
    /// Stop playing, wherever the game is.
    pub stop: CancellationToken,
    /// Counts acknowledged commands, for those who wait for some.
    pub count: Option<watch::Sender<u64>>,
}

impl Until {
    /// Plays to this ply.
    pub fn ply(ply: u32) -> Self {
        Self { ply, stop: CancellationToken::new(), count: None }
    }
}

impl Gamer {
    /// Connects a client.
    pub async fn connect(client: &Client, options: Options, seed: u64) -> Self {
        let mut wait = None;
        for _ in 0..options.attempts {
            match client.connect_with(options.clone()).await {
                Ok(connection) => {
                    return Self {
                        connection,
                        view: None,
                        watched: None,
                        sent: Vec::new(),
                        acknowledged: Vec::new(),
                        refused: HashMap::new(),
                        chance: Chance::new(seed),
                    };
                }
                // A bad line may break before the greeting.
                Err(error) => wait = Some(error),
            }
        }
        panic!("no connection: {wait:?}");
    }

    /// Who it is.
    pub fn user(&self) -> UserId {
        self.connection.user().id
    }

    /// Follows a game from its snapshot on.
    pub async fn watch(&mut self, game: GameId) {
        self.view = None;
        self.watched = Some(game);
        self.connection.request(Request::Watch { game, after: None }).await.expect("the game can be watched");
        while self.view.is_none() {
            self.hear().await;
        }
    }

    /// Takes in one message. Panics at anything that contradicts what was told before.
    pub async fn hear(&mut self) {
        let Ok(incoming) = timeout(PATIENCE, self.connection.next()).await else {
            let seen = self.view.as_ref().map(|view| (view.game, view.seq, view.board.ply, view.frozen));
            panic!("nothing comes; {:?} follows {:?} and has seen {seen:?}", self.user(), self.watched);
        };
        match incoming.expect("the connection has not ended") {
            Incoming::Message(message) => self.take(&message).await,
            Incoming::Lost(_) | Incoming::Resumed { .. } => {}
            Incoming::Ended(lost) => panic!("the connection has ended: {lost}"),
        }
    }

    async fn take(&mut self, message: &ServerMessage) {
        match (&mut self.view, message) {
            (None, ServerMessage::Snapshot(snapshot)) if Some(snapshot.game) == self.watched => {
                self.view = Some(GameView::new(snapshot.as_ref().clone()).expect("consistent"));
            }
            (Some(view), message) => match view.apply(message).expect("consistent") {
                Applied::Gap => {
                    let rewatch = view.rewatch();
                    // The missing events come behind the answer; a lost line asks again by itself.
                    let _ = self.connection.request(rewatch).await;
                }
                Applied::Yes | Applied::No => {}
            },
            (None, ServerMessage::Ok { .. } | ServerMessage::Error { .. }) => {
                panic!("an answer to nothing that was asked: {message:?}");
            }
            (None, _) => {}
        }
        assert!(
            !matches!(message, ServerMessage::Ok { .. } | ServerMessage::Error { .. }),
            "an answer to nothing that was asked: {message:?}"
        );
    }

    /// Plays whenever on turn, until the game is over or playing is to stop. Returns the view at the end.
    pub async fn play(&mut self, until: &Until) -> GameView {
        loop {
            let view = self.view.as_ref().expect("a game is watched");
            if view.is_over() {
                return view.clone();
            }
            if until.stop.is_cancelled() {
                return view.clone();
            }
            if view.is_my_turn()
                && let Some(request) = self.choose(until.ply)
            {
                self.command(request, until.count.as_ref()).await;
                // What the command brought about comes as a message.
                if let Some(view) = &mut self.view {
                    view.legal = None;
                }
                continue;
            }
            tokio::select! {
                biased;
                () = until.stop.cancelled() => {}
                () = self.hear() => {}
            }
        }
    }

    fn choose(&mut self, last_ply: u32) -> Option<Request> {
        let view = self.view.as_ref()?;
        let legal = view.legal.as_ref().filter(|legal| !legal.is_empty())?;
        let game = view.game;
        if view.board.ply >= last_ply {
            return Some(Request::Resign { game });
        }
        let mv = legal[self.chance.below(legal.len())].mv.clone();
        Some(Request::Move { game, ply: view.board.ply, mv })
    }

    /// Sends a command and notes its answer.
    pub async fn command(&mut self, request: Request, count: Option<&watch::Sender<u64>>) {
        let id = CommandId::fresh();
        let game = self.view.as_ref().expect("a game is watched").game;
        self.sent.push((game, id));
        let asks = self.connection.requester();
        loop {
            match asks.request_as(id, request.clone()).await {
                Ok(done) => {
                    let seq = done.seq.expect("a command in a game makes an event");
                    self.acknowledged.push(Acknowledged { game, user: self.user(), id, seq });
                    if let Some(count) = count {
                        count.send_modify(|count| *count += 1);
                    }
                    return;
                }
                Err(Unanswered::Refused(refusal)) => {
                    let body = refusal.error;
                    *self.refused.entry(body.code).or_default() += 1;
                    if !body.retryable {
                        return;
                    }
                    // The server cannot do it just now; the state of the table tells when it can again.
                    tokio::task::yield_now().await;
                }
                Err(Unanswered::TimedOut) => panic!("no answer to {request:?}"),
                Err(other) => panic!("{request:?}: {other}"),
            }
        }
    }
}

/// Arranges a game among clients in a public lobby, and lets them watch it.
pub async fn arrange(gamers: &mut [Gamer], variant: Variant, time: TimeControl) -> GameId {
    try_arrange(gamers, variant, time).await.expect("a game")
}

/// The same over a line or a server that may break in the middle of it; then it can be tried again.
pub async fn try_arrange(
    gamers: &mut [Gamer],
    variant: Variant,
    time: TimeControl,
) -> Result<GameId, Unanswered> {
    let (host, others) = gamers.split_first_mut().expect("someone opens the lobby");
    let options = LobbyOptions {
        variant,
        time,
        rated: false,
        public: true,
        seat: None,
        bots: Vec::new(),
        both_boards: false,
        in_turn: false,
        free_chat: false,
        spectator_delay: None,
    };
    let lobby = host.connection.request(Request::CreateLobby(options)).await?.lobby.expect("its id");
    for other in others {
        other.connection.request(Request::JoinLobby { lobby, key: None, seat: None }).await?;
    }
    let game = host.connection.request(Request::StartLobby { lobby }).await?.game.expect("the game");
    for gamer in gamers {
        gamer.watch(game).await;
    }
    Ok(game)
}

/// As many guests as the game has seats.
pub async fn guests(url: &str, variant: Variant) -> Vec<Client> {
    let mut guests = Vec::new();
    for _ in variant.rules().turn_order {
        guests.push(Client::guest(url).await.expect("a guest"));
    }
    guests
}

/// Lets all players of a game play side by side; gives what each saw at the end.
pub async fn play_all(gamers: &mut Vec<Gamer>, until: &Until) -> Vec<GameView> {
    let until = Arc::new(until.clone());
    let tasks: Vec<_> = gamers
        .drain(..)
        .map(|mut gamer| {
            let until = until.clone();
            tokio::spawn(async move {
                let view = gamer.play(&until).await;
                (gamer, view)
            })
        })
        .collect();
    let mut views = Vec::new();
    for task in tasks {
        let (gamer, view) = task.await.expect("a player does not panic");
        gamers.push(gamer);
        views.push(view);
    }
    views
}
