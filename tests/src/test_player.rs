//! A player with a session: REST, plain HTTP and a WebSocket of one user.

use std::collections::HashMap;
use std::time::Duration;

use kingscross_client::{Address, Applied, Client, Connection, Credentials, Done, GameView, Options};
use kingscross_engine::SplitMix64;
use kingscross_protocol::{CommandId, ErrorCode, GameId, Request, ServerMessage, UserView};
use tokio::time::timeout;

use crate::{Acknowledged, Http, Server};

/// Longer than any test waits for one message; a test that waits this long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A user with an open WebSocket.
pub struct TestPlayer {
    /// The user's session, for REST calls and further connections.
    pub client: Client,
    /// The same session over plain HTTP.
    pub http: Http,
    /// The WebSocket.
    pub connection: Connection,
    /// The game that [`TestPlayer::track`] follows, as far as it is known.
    pub view: Option<GameView>,
    /// Messages about other games are ignored.
    pub(crate) tracked: Option<GameId>,
    /// Commands that were sent, answered or not.
    pub sent: Vec<(GameId, CommandId)>,
    /// Commands that were answered `ok`.
    pub acknowledged: Vec<Acknowledged>,
    /// Refused commands by code.
    pub refusals: HashMap<ErrorCode, u32>,
    pub(crate) chance: SplitMix64,
}

impl TestPlayer {
    /// A user whose WebSocket is open already.
    pub fn new(client: Client, connection: Connection) -> Self {
        let mut http = Http::new(&format!("http://{}", client.address().authority()));
        match client.credentials() {
            Credentials::Cookie(cookie) => http.cookie = Some(cookie.clone()),
            Credentials::Token(token) => http.token = Some(token.clone()),
        }
        Self {
            client,
            http,
            connection,
            view: None,
            tracked: None,
            sent: Vec::new(),
            acknowledged: Vec::new(),
            refusals: HashMap::new(),
            chance: SplitMix64::new(0),
        }
    }

    /// A new guest of the server at this URL.
    pub async fn guest(url: &str) -> Self {
        let client = Client::guest(url).await.expect("guests are welcome");
        let connection = client.connect().await.expect("the socket opens");
        Self::new(client, connection)
    }

    /// A new account of this name.
    pub async fn account(server: &Server, name: &str) -> Self {
        Self::connect(server, server.account(name).await).await
    }

    /// The user who holds this session.
    pub async fn connect(server: &Server, http: Http) -> Self {
        let address = Address::parse(&server.url).expect("a server's address");
        let cookie = http.cookie.clone().expect("a session");
        let client = Client::new(address, Credentials::Cookie(cookie));
        let connection = client.connect().await.expect("the socket opens");
        Self { http, ..Self::new(client, connection) }
    }

    /// Connects with options of its own, again and again until it succeeds. The seed chooses the random moves.
    pub async fn connect_with(client: &Client, options: Options, seed: u64) -> Self {
        let mut last_error = None;
        for _ in 0..options.attempts {
            match client.connect_with(options.clone()).await {
                Ok(connection) => {
                    return Self { chance: SplitMix64::new(seed), ..Self::new(client.clone(), connection) };
                }
                // A faulty connection may break before the greeting.
                Err(error) => last_error = Some(error),
            }
        }
        panic!("no connection: {last_error:?}");
    }

    /// Who it is.
    pub fn user(&self) -> &UserView {
        self.connection.user()
    }

    /// Makes a request that must succeed.
    #[track_caller]
    pub fn request(&self, request: Request) -> impl Future<Output = Done> {
        let requester = self.connection.requester();
        async move { requester.request(request).await.expect("the request succeeds") }
    }

    /// Makes a request that must be refused, and returns the code.
    pub async fn refusal(&self, request: Request) -> String {
        let error = self.connection.request(request).await.expect_err("refused");
        error.refusal().expect("a refusal").code.as_str().to_owned()
    }

    /// The next message of the server.
    pub async fn message(&mut self) -> ServerMessage {
        let next = timeout(PATIENCE, self.connection.message());
        next.await.expect("a message comes").expect("the connection lives")
    }

    /// Reads messages until one is wanted.
    pub async fn until<T>(&mut self, mut wanted: impl FnMut(ServerMessage) -> Option<T>) -> T {
        loop {
            let message = self.message().await;
            if let Some(found) = wanted(message) {
                return found;
            }
        }
    }

    /// Waits until a game of this player starts.
    pub async fn game_start(&mut self) -> GameId {
        self.until(|message| match message {
            ServerMessage::GameStart { game, .. } => Some(game),
            _ => None,
        })
        .await
    }

    /// Watches a game and waits for its snapshot.
    pub async fn watch(&mut self, game: GameId) -> GameView {
        self.request(Request::Watch { game, after: None }).await;
        self.until(|message| match message {
            ServerMessage::Snapshot(snapshot) if snapshot.game == game => {
                Some(GameView::new(*snapshot).expect("a consistent snapshot"))
            }
            _ => None,
        })
        .await
    }

    /// Waits for the next message that changes a game's view.
    pub async fn follow(&mut self, view: &mut GameView) {
        loop {
            let message = self.message().await;
            match view.apply(&message).expect("consistent with what came before") {
                Applied::Yes => return,
                Applied::No => {}
                Applied::Gap => panic!("events are missing before {message:?}"),
            }
        }
    }

    /// Follows a view until the game is over.
    pub async fn follow_to_the_end(&mut self, view: &mut GameView) {
        while !view.is_over() {
            self.follow(view).await;
        }
    }
}
