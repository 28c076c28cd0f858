//! Lobbies, chat, spectators, rematches: races decided once, nothing lost.

use kingscross_client::Unanswered;
use kingscross_engine::Variant;
use kingscross_protocol::{
    ErrorCode, LobbyEnd, LobbyId, LobbyOptions, LobbyView, ProposalKind, Request, Saying, SeatLetter,
    ServerMessage, Unrated, UserId,
};
use kingscross_tests::{
    Database, Server, TestPlayer, guests, lobby_key, lobby_options, on_both_databases, start_game,
};

on_both_databases!(the_last_seats_are_given_once, a_lobby_survives_a_restart);

fn code(answer: Result<kingscross_client::Done, Unanswered>) -> ErrorCode {
    answer.expect_err("refused").refusal().expect("a refusal").code
}

async fn open(host: &mut TestPlayer, variant: Variant) -> (LobbyId, String) {
    let created = host.connection.request(Request::CreateLobby(lobby_options(variant))).await.expect("opens");
    let lobby = created.lobby.expect("a lobby");
    let key = lobby_key(host, lobby).await;
    (lobby, key)
}

fn join(lobby: LobbyId, key: &str) -> Request {
    Request::JoinLobby { lobby, key: Some(key.to_owned()), seat: None }
}

/// Waits for a view of the lobby that fits.
async fn lobby_where(player: &mut TestPlayer, fits: impl Fn(&LobbyView) -> bool) -> LobbyView {
    player
        .until(|message| match message {
            ServerMessage::Lobby(view) if fits(&view) => Some(view),
            _ => None,
        })
        .await
}

async fn the_last_seats_are_given_once(database: Database) {
    let server = Server::start(&database).await;
    let mut host = TestPlayer::guest(&server.url).await;
    let (lobby, key) = open(&mut host, Variant::Crossfire).await;
    let mut attempts = Vec::new();
    let mut crowd = Vec::new();
    for _ in 0..8 {
        let player = TestPlayer::guest(&server.url).await;
        let (requester, request) = (player.connection.requester(), join(lobby, &key));
        attempts.push(tokio::spawn(async move { requester.request(request).await }));
        crowd.push(player);
    }
    let (mut seated, mut refused) = (0, 0);
    for attempt in attempts {
        match attempt.await.expect("no panic") {
            Ok(_) => seated += 1,
            Err(error) => {
                assert_eq!(error.refusal().expect("a refusal").code, ErrorCode::LobbyFull);
                refused += 1;
            }
        }
    }
    assert_eq!((seated, refused), (3, 5));
    let view = lobby_where(&mut host, |view| view.seats.iter().all(|seat| seat.user.is_some())).await;
    let mut users: Vec<_> = view.seats.iter().filter_map(|seat| seat.user).collect();
    users.sort_unstable();
    users.dedup();
    assert_eq!(users.len(), 4);
    server.stop().await;
}

async fn a_lobby_survives_a_restart(database: Database) {
    let server = Server::start(&database).await;
    let mut host = TestPlayer::guest(&server.url).await;
    let (lobby, key) = open(&mut host, Variant::CrossA).await;
    server.stop().await;

    let server = Server::start(&database).await;
    let address = kingscross_client::Address::parse(&server.url).expect("an address");
    let client = host.client.at(address);
    let connection = client.connect().await.expect("the session still counts");
    let host = TestPlayer::new(client, connection);
    let mut guest = TestPlayer::guest(&server.url).await;
    assert_eq!(code(guest.connection.request(join(lobby, "wrong")).await), ErrorCode::UnknownLobby);
    guest.connection.request(join(lobby, &key)).await.expect("the key still opens");
    assert_eq!(code(guest.connection.request(Request::StartLobby { lobby }).await), ErrorCode::NotHost);
    let started = host.connection.request(Request::StartLobby { lobby }).await.expect("the host starts");
    let view = guest.watch(started.game.expect("a game")).await;
    assert_eq!(view.you, Some(view.setup.players[1].seat));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lobby_of_guests_or_programs_says_that_its_game_will_be_casual() {
    let server = Server::start(&Database::sqlite()).await;
    let rated = || LobbyOptions { rated: true, ..lobby_options(Variant::CrossA) };
    let account = async |name: &str, is_program: bool| {
        let mut http = server.account(name).await;
        if is_program {
            assert_eq!(http.put("/api/v1/me/bot", &serde_json::json!({})).await.status, 204, "{name}");
        }
        let token = serde_json::json!({ "name": "play", "scopes": ["read", "play"] });
        let token =
            http.post("/api/v1/me/tokens", &token).await.json()["secret"].as_str().expect("one").to_owned();
        let client = kingscross_client::Client::with_token(&server.url, token).expect("an address");
        let connection = client.connect().await.expect("a socket");
        TestPlayer::new(client, connection)
    };
    let host = TestPlayer::guest(&server.url).await;
    for (mut host, mut other, casual) in [
        (host, account("Ada", false).await, Some(Unrated::Guest)),
        (account("Bob", false).await, account("Robot", true).await, Some(Unrated::Bot)),
        (account("Cleo", false).await, account("Dan", false).await, None),
    ] {
        let opened = host.connection.request(Request::CreateLobby(rated())).await.expect("opens");
        let lobby = opened.lobby.expect("a lobby");
        let key = lobby_key(&mut host, lobby).await;
        other.connection.request(join(lobby, &key)).await.expect("room");
        let view = lobby_where(&mut other, |view| view.seats.iter().all(|seat| seat.user.is_some())).await;
        assert_eq!((view.rated, view.casual, view.free_chat), (casual.is_none(), casual, casual.is_some()));
        let started = host.connection.request(Request::StartLobby { lobby }).await.expect("starts");
        let setup = other.watch(started.game.expect("a game")).await.setup;
        assert_eq!((setup.rated, setup.free_chat), (view.rated, view.free_chat), "as it was told");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_host_passes_on_and_an_empty_lobby_closes() {
    let server = Server::start(&Database::sqlite()).await;
    let mut host = TestPlayer::guest(&server.url).await;
    let (lobby, key) = open(&mut host, Variant::Crossfire).await;
    let second = TestPlayer::guest(&server.url).await;
    let mut third = TestPlayer::guest(&server.url).await;
    second.connection.request(join(lobby, &key)).await.expect("room");
    third.connection.request(join(lobby, &key)).await.expect("room");
    host.connection.request(Request::LeaveLobby { lobby }).await.expect("in it");
    let user = second.connection.user().id;
    let view = lobby_where(&mut third, |view| view.host == user).await;
    assert_eq!(view.seats.iter().filter(|seat| seat.user.is_some()).count(), 2);
    let unseat = Request::Unseat { lobby, seat: SeatLetter('n') };
    assert_eq!(code(third.connection.request(unseat.clone()).await), ErrorCode::NotHost);
    second.connection.request(unseat).await.expect("the host may");
    let why = third
        .until(|message| match message {
            ServerMessage::LobbyClosed { why, .. } => Some(why),
            _ => None,
        })
        .await;
    assert_eq!(why, LobbyEnd::Removed);
    second.connection.request(Request::LeaveLobby { lobby }).await.expect("in it");
    assert_eq!(code(host.connection.request(join(lobby, &key)).await), ErrorCode::UnknownLobby);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_seat_of_a_vanished_player_is_freed() {
    let server = Server::start_with(&Database::sqlite(), |config| config.lobby.vanished_ms = 50).await;
    let mut host = TestPlayer::guest(&server.url).await;
    let (lobby, key) = open(&mut host, Variant::Crossfire).await;
    let guest = TestPlayer::guest(&server.url).await;
    guest.connection.request(join(lobby, &key)).await.expect("room");
    lobby_where(&mut host, |view| view.seats.iter().filter(|seat| seat.user.is_some()).count() == 2).await;
    drop(guest);
    lobby_where(&mut host, |view| view.seats.iter().filter(|seat| seat.user.is_some()).count() == 1).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_is_two_games_with_colours_swapped() {
    let server = Server::start(&Database::sqlite()).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let both =
        LobbyOptions { both_boards: true, spectator_delay: Some(15_000), ..lobby_options(Variant::CrossA) };
    let game = start_game(&mut players, both).await;
    let second = players[1]
        .until(|message| match message {
            ServerMessage::LobbyClosed { game: Some(first), other_game: Some(second), .. } => {
                assert_eq!(first, game);
                Some(second)
            }
            _ => None,
        })
        .await;
    let (first, second) = (players[0].watch(game).await, players[0].watch(second).await);
    assert_eq!((first.setup.variant, second.setup.variant), (Variant::CrossA, Variant::CrossB));
    assert_eq!(first.setup.other_game, Some(second.game));
    assert_eq!((first.setup.spectator_delay, second.setup.spectator_delay), (15_000, 15_000));
    let me = players[0].connection.user().id;
    let place = |view: &kingscross_client::GameView| {
        view.setup.players.iter().position(|player| player.user == me).expect("seated")
    };
    assert_eq!((place(&first), place(&second)), (0, 1));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rematch_is_one_new_game_with_seats_rotated() {
    let server = Server::start(&Database::sqlite()).await;
    let mut players = guests(&server.url, Variant::Crossfire).await;
    let wanted = LobbyOptions { spectator_delay: Some(15_000), ..lobby_options(Variant::Crossfire) };
    let game = start_game(&mut players, wanted).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    for player in &players[1..] {
        player.connection.request(Request::Resign { game }).await.expect("may resign");
    }
    for (player, view) in players.iter_mut().zip(&mut views) {
        player.follow_to_the_end(view).await;
    }
    let asking: Vec<_> = players
        .iter()
        .map(|player| {
            let requester = player.connection.requester();
            let request = Request::Propose { game, what: ProposalKind::Rematch };
            tokio::spawn(async move { requester.request(request).await })
        })
        .collect();
    for asked in asking {
        asked.await.expect("no panic").expect("all may ask at once");
    }
    let mut games = Vec::new();
    for (player, view) in players.iter_mut().zip(&mut views) {
        while view.rematch.is_none() {
            player.follow(view).await;
        }
        games.push(view.rematch.expect("a rematch"));
    }
    games.dedup();
    assert_eq!(games.len(), 1, "one new game");
    let view = players[0].watch(games[0]).await;
    assert_eq!((view.setup.rematch_of, view.setup.spectator_delay), (Some(game), 15_000));
    let order = |setup: &kingscross_protocol::Setup| {
        setup.players.iter().map(|player| player.user).collect::<Vec<_>>()
    };
    let mut rotated = order(&views[0].setup);
    rotated.rotate_right(1);
    assert_eq!(order(&view.setup), rotated);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_speak_and_may_be_muted() {
    let server = Server::start_with(&Database::sqlite(), |config| config.limits.chat_lines = 100).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    for player in &mut players {
        player.watch(game).await;
    }
    let say = |what| Request::Say { game, what };
    let text = |text: &str| say(Saying::Text(text.to_owned()));
    let heard = |message: ServerMessage| match message {
        ServerMessage::Chat(line) => Some(line.what),
        _ => None,
    };
    players[0].connection.request(text("well met")).await.expect("free text is allowed here");
    assert_eq!(players[1].until(heard).await, Saying::Text("well met".to_owned()));
    let insult = say(Saying::Phrase("insult".to_owned()));
    assert_eq!(code(players[0].connection.request(insult).await), ErrorCode::BadPhrase);
    for refused in ["", " ", &"x".repeat(201), "zero\u{200b}width", "turned \u{202e}round", "two\nlines"] {
        assert_eq!(
            code(players[0].connection.request(text(refused)).await),
            ErrorCode::BadText,
            "{refused:?}"
        );
    }
    let user = players[0].connection.user().id;
    let own = players[1].connection.user().id;
    for (other, wanted) in [(UserId::fresh(), ErrorCode::NotFound), (own, ErrorCode::Conflict)] {
        let mute = Request::Mute { user: other, muted: true };
        assert_eq!(code(players[1].connection.request(mute).await), wanted);
    }
    players[1].connection.request(Request::Mute { user, muted: true }).await.expect("anyone can");
    players[0].connection.request(say(Saying::Phrase("good_luck".to_owned()))).await.expect("a phrase");
    players[1].connection.request(say(Saying::Phrase("hello".to_owned()))).await.expect("a phrase");
    let hello = Saying::Phrase("hello".to_owned());
    assert_eq!(players[1].until(heard).await, hello, "what the muted said is not heard");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spectators_are_counted_as_persons_and_change_nothing() {
    let server = Server::start(&Database::sqlite()).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    players[0].watch(game).await;
    let count = |wanted: u32| {
        move |message: ServerMessage| match message {
            ServerMessage::Spectators { count, .. } if count == wanted => Some(()),
            _ => None,
        }
    };
    let mut guest = TestPlayer::guest(&server.url).await;
    let view = guest.watch(game).await;
    assert_eq!((view.you, view.legal), (None, None));
    players[0].until(count(1)).await;
    let second = guest.client.connect().await.expect("a second tab");
    second.request(Request::Watch { game, after: None }).await.expect("there");
    let mut other = TestPlayer::guest(&server.url).await;
    other.watch(game).await;
    players[0].until(count(2)).await;
    for request in [
        Request::Move { game, ply: 0, mv: "e2-e4".to_owned() },
        Request::Resign { game },
        Request::Propose { game, what: ProposalKind::Abort },
    ] {
        assert_eq!(code(guest.connection.request(request).await), ErrorCode::NotAPlayer);
    }
    drop(other);
    players[0].until(count(1)).await;
    server.stop().await;
}
