//! Playing: people at a table, and random games to their end.

use std::collections::BTreeMap;
use std::time::Duration;

use kingscross_client::{Applied, Client, Connection, GameView};
use kingscross_engine::Variant;
use kingscross_protocol::{GameId, LobbyId, LobbyOptions, Request, SeatLetter, ServerMessage, TimeControl};

/// Longer than any test may wait for one message; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A person with a socket.
pub struct Player {
    /// The REST side.
    pub client: Client,
    /// The socket.
    pub connection: Connection,
}

impl Player {
    /// A new guest, connected.
    pub async fn guest(url: &str) -> Self {
        let client = Client::guest(url).await.expect("guests are welcome");
        let connection = client.connect().await.expect("the socket opens");
        Self { client, connection }
    }

    /// The next message of the server.
    pub async fn message(&mut self) -> ServerMessage {
        let next = tokio::time::timeout(PATIENCE, self.connection.message());
        next.await.expect("a message comes").expect("the connection lives")
    }

    /// Waits for a message of some kind.
    pub async fn until<T>(&mut self, mut wanted: impl FnMut(ServerMessage) -> Option<T>) -> T {
        loop {
            let message = self.message().await;
            if let Some(found) = wanted(message) {
                return found;
            }
        }
    }

    /// Follows a game and waits for its snapshot.
    pub async fn watch(&mut self, game: GameId) -> GameView {
        self.connection.request(Request::Watch { game, after: None }).await.expect("the game is there");
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

    /// Waits until the view has come to the end of the game.
    pub async fn follow_to_the_end(&mut self, view: &mut GameView) {
        while !view.is_over() {
            self.follow(view).await;
        }
    }
}

/// Enough people for a variant, as guests.
pub async fn guests(url: &str, variant: Variant) -> Vec<Player> {
    let mut players = Vec::new();
    for _ in variant.rules().turn_order {
        players.push(Player::guest(url).await);
    }
    players
}

/// A casual, private lobby with long clocks.
pub fn options(variant: Variant) -> LobbyOptions {
    LobbyOptions {
        variant,
        time: TimeControl::increment(3_600_000, 0),
        rated: false,
        public: false,
        seat: None,
        bots: Vec::new(),
        both_boards: false,
        in_turn: false,
        free_chat: true,
        spectator_delay: None,
    }
}

/// Opens a lobby, lets all enter and starts: players sit in turn order. Gives the game.
pub async fn start(players: &mut [Player], options: LobbyOptions) -> GameId {
    let created = players[0].connection.request(Request::CreateLobby(options)).await.expect("opens");
    let lobby = created.lobby.expect("a lobby");
    let key = key_of(&mut players[0], lobby).await;
    for player in &mut players[1..] {
        let key = Some(key.clone());
        player.connection.request(Request::JoinLobby { lobby, key, seat: None }).await.expect("room");
    }
    let started = players[0].connection.request(Request::StartLobby { lobby }).await.expect("starts");
    started.game.expect("a game")
}

/// Waits until the lobby is shown, for its key.
pub async fn key_of(player: &mut Player, lobby: LobbyId) -> String {
    player
        .until(|message| match message {
            ServerMessage::Lobby(view) if view.lobby == lobby => Some(view.key),
            _ => None,
        })
        .await
}

/// A small generator of numbers, so that a test plays the same games each time.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}

/// Plays random legal moves until the game ends or so many plies are played; every player follows every event.
pub async fn play_on(players: &mut [Player], views: &mut [GameView], dice: &mut Dice, plies: u32) {
    settle(players, views).await;
    let until = views[0].board.ply.saturating_add(plies);
    while !views[0].is_over() && views[0].board.ply < until {
        let turn = views[0].board.turn.expect("someone is on turn");
        let mover = views.iter().position(|view| view.you == Some(turn)).expect("a player for each seat");
        let (game, ply) = (views[mover].game, views[mover].board.ply);
        let legal = views[mover].legal.as_ref().expect("the player on turn is told what it may play");
        let mv = legal[dice.below(legal.len())].mv.clone();
        let done = players[mover].connection.request(Request::Move { game, ply, mv }).await.expect("legal");
        let seq = done.seq.expect("a move makes an event");
        for (player, view) in players.iter_mut().zip(views.iter_mut()) {
            while view.seq < seq || (view.board.ply == ply) {
                player.follow(view).await;
            }
        }
        settle(players, views).await;
    }
}

/// Events that the server plays by itself reach some sooner than others: all wait for the last of them.
async fn settle(players: &mut [Player], views: &mut [GameView]) {
    loop {
        let last = views.iter().map(|view| view.seq).max().expect("players");
        for (player, view) in players.iter_mut().zip(views.iter_mut()) {
            while view.seq < last {
                player.follow(view).await;
            }
        }
        // Nobody's turn without a legal list, and no end: something is still to come.
        let turn = views[0].board.turn;
        let is_settled =
            views[0].is_over() || views.iter().any(|view| view.you == turn && view.legal.is_some());
        if is_settled {
            let hashes: BTreeMap<_, SeatLetter> =
                views.iter().filter_map(|view| Some((view.hash.clone(), view.you?))).collect();
            assert_eq!(hashes.len(), 1, "all see the same position");
            return;
        }
        let (player, view) = players.iter_mut().zip(views.iter_mut()).next().expect("players");
        player.follow(view).await;
    }
}
