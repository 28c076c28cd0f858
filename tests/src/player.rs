//! Someone at the table: REST and a WebSocket of the same user.

use kingscross_client::{Client, Connection, Credentials, Incoming};
use kingscross_engine::Variant;
use kingscross_protocol::{GameId, LobbyOptions, Request, ServerMessage, TimeControl, UserView};

use crate::{Http, Server};

/// A user with a session and an open socket.
pub struct Player {
    /// REST.
    pub http: Http,
    /// WebSocket.
    pub socket: Connection,
}

impl Player {
    /// A guest, connected.
    pub async fn guest(server: &Server) -> Self {
        Self::connect(server, server.guest().await).await
    }

    /// An account of this name, connected.
    pub async fn account(server: &Server, name: &str) -> Self {
        let http = server.account(name).await;
        Self::connect(server, http).await
    }

    /// Connects whoever holds this session.
    pub async fn connect(server: &Server, http: Http) -> Self {
        let address = kingscross_client::Address::parse(&server.url).expect("a server's address");
        let cookie = http.cookie.clone().expect("a session");
        let client = Client::new(address, Credentials::Cookie(cookie));
        Self { socket: client.connect().await.expect("a socket"), http }
    }

    /// Who it is.
    pub fn user(&self) -> &UserView {
        self.socket.user()
    }

    /// Makes a request that must be carried out.
    #[track_caller]
    pub fn ask(&self, request: Request) -> impl Future<Output = kingscross_client::Done> {
        let requester = self.socket.requester();
        async move { requester.request(request).await.expect("carried out") }
    }

    /// Makes a request that must be refused, and gives the code.
    pub async fn refused(&self, request: Request) -> String {
        let error = self.socket.request(request).await.expect_err("refused");
        error.refusal().expect("a refusal").code.as_str().to_owned()
    }

    /// Reads messages until one fits.
    pub async fn until<T>(&mut self, mut fits: impl FnMut(&ServerMessage) -> Option<T>) -> T {
        loop {
            match self.socket.next().await {
                Some(Incoming::Message(message)) => {
                    if let Some(found) = fits(&message) {
                        return found;
                    }
                }
                Some(Incoming::Ended(lost)) => panic!("the connection ended: {lost:?}"),
                None => panic!("the connection ended"),
                Some(Incoming::Lost(_) | Incoming::Resumed { .. }) => {}
            }
        }
    }

    /// Waits for the start of a game of one's own.
    pub async fn game_start(&mut self) -> GameId {
        self.until(|message| match message {
            ServerMessage::GameStart { game, .. } => Some(*game),
            _ => None,
        })
        .await
    }
}

/// Starts a game of two through a lobby; the first takes the first seat.
pub async fn play_two(first: &mut Player, second: &mut Player, variant: Variant, rated: bool) -> GameId {
    let options = LobbyOptions {
        variant,
        time: TimeControl::increment(300_000, 3_000),
        rated,
        public: true,
        seat: None,
        bots: Vec::new(),
        both_boards: false,
        in_turn: false,
        free_chat: false,
        spectator_delay: None,
    };
    let lobby = first.ask(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    second.ask(Request::JoinLobby { lobby, key: None, seat: None }).await;
    let started = first.ask(Request::StartLobby { lobby }).await.game;
    let game = first.game_start().await;
    assert!(started.is_none_or(|started| started == game));
    second.game_start().await;
    game
}
