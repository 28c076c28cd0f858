//! Games of test players: how they start, and how they go on move by move.

use std::collections::BTreeMap;

use kingscross_client::{Client, GameView, Unanswered};
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{GameId, LobbyId, LobbyOptions, Request, SeatLetter, ServerMessage, TimeControl};

use crate::TestPlayer;

/// As many new guests as the variant has seats, without connections.
pub async fn guest_clients(url: &str, variant: Variant) -> Vec<Client> {
    let mut clients = Vec::new();
    for _ in variant.rules().turn_order {
        clients.push(Client::guest(url).await.expect("a guest"));
    }
    clients
}

/// As many new guests as the variant has seats, connected.
pub async fn guests(url: &str, variant: Variant) -> Vec<TestPlayer> {
    let mut players = Vec::new();
    for _ in variant.rules().turn_order {
        players.push(TestPlayer::guest(url).await);
    }
    players
}

/// A casual, private lobby with long clocks and free chat.
pub fn lobby_options(variant: Variant) -> LobbyOptions {
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

/// Starts a game through a private lobby; the players sit in turn order.
pub async fn start_game(players: &mut [TestPlayer], options: LobbyOptions) -> GameId {
    let created = players[0].request(Request::CreateLobby(options)).await;
    let lobby = created.lobby.expect("a lobby");
    let key = lobby_key(&mut players[0], lobby).await;
    for player in &players[1..] {
        player.request(Request::JoinLobby { lobby, key: Some(key.clone()), seat: None }).await;
    }
    players[0].request(Request::StartLobby { lobby }).await.game.expect("a game")
}

/// Waits until the lobby is shown, and returns its key.
pub async fn lobby_key(player: &mut TestPlayer, lobby: LobbyId) -> String {
    player
        .until(|message| match message {
            ServerMessage::Lobby(view) if view.lobby == lobby => Some(view.key),
            _ => None,
        })
        .await
}

/// Starts a game of two through a public lobby, and waits until both are told; the first takes the first seat.
pub async fn start_game_of_two(
    first: &mut TestPlayer,
    second: &mut TestPlayer,
    variant: Variant,
    rated: bool,
) -> GameId {
    let time = TimeControl::increment(300_000, 3_000);
    let options = LobbyOptions { time, rated, public: true, free_chat: false, ..lobby_options(variant) };
    let lobby = first.request(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    second.request(Request::JoinLobby { lobby, key: None, seat: None }).await;
    let started = first.request(Request::StartLobby { lobby }).await.game;
    let game = first.game_start().await;
    assert!(started.is_none_or(|started| started == game));
    second.game_start().await;
    game
}

/// Starts a game through a public lobby, which all players track.
pub async fn start_tracked(players: &mut [TestPlayer], variant: Variant, time: TimeControl) -> GameId {
    try_start_tracked(players, variant, time).await.expect("a game")
}

/// The same over connections that may break meanwhile; then it can be tried again.
pub async fn try_start_tracked(
    players: &mut [TestPlayer],
    variant: Variant,
    time: TimeControl,
) -> Result<GameId, Unanswered> {
    let (host, others) = players.split_first_mut().expect("someone opens the lobby");
    let options = LobbyOptions { time, public: true, free_chat: false, ..lobby_options(variant) };
    let lobby = host.connection.request(Request::CreateLobby(options)).await?.lobby.expect("its id");
    for other in others {
        other.connection.request(Request::JoinLobby { lobby, key: None, seat: None }).await?;
    }
    let game = host.connection.request(Request::StartLobby { lobby }).await?.game.expect("the game");
    for player in players {
        player.track(game).await;
    }
    Ok(game)
}

/// Plays random legal moves until the game is over or so many plies are played; every player follows every event.
pub async fn play_on(
    players: &mut [TestPlayer],
    views: &mut [GameView],
    chance: &mut SplitMix64,
    plies: u32,
) {
    settle(players, views).await;
    let until = views[0].board.ply.saturating_add(plies);
    while !views[0].is_over() && views[0].board.ply < until {
        let turn = views[0].board.turn.expect("someone is on turn");
        let mover = views.iter().position(|view| view.you == Some(turn)).expect("a player for each seat");
        let (game, ply) = (views[mover].game, views[mover].board.ply);
        let legal = views[mover].legal.as_ref().expect("the player on turn gets the legal moves");
        let mv = legal[chance.below(legal.len())].mv.clone();
        let done = players[mover].request(Request::Move { game, ply, mv }).await;
        let seq = done.seq.expect("a move makes an event");
        for (player, view) in players.iter_mut().zip(views.iter_mut()) {
            while view.seq < seq || view.board.ply == ply {
                player.follow(view).await;
            }
        }
        settle(players, views).await;
    }
}

/// Waits until all views show the last event that any of them shows, and nothing more is to come by itself.
async fn settle(players: &mut [TestPlayer], views: &mut [GameView]) {
    loop {
        let last = views.iter().map(|view| view.seq).max().expect("players");
        for (player, view) in players.iter_mut().zip(views.iter_mut()) {
            while view.seq < last {
                player.follow(view).await;
            }
        }
        // No end and no legal moves for the player on turn: the server still plays by itself.
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
