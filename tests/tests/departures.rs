//! Players who delete their account or are banned are out at once: of lobbies, of the queue, and by name of every table.

use hyper::Method;
use kingscross_engine::Variant;
use kingscross_protocol::{
    Event, GameId, GameSummary, LobbyId, LobbyOptions, Page, Request, Role, Saying, ServerMessage, Setup,
};
use kingscross_server::AdminActions;
use kingscross_server::Clock;
use kingscross_server::config::Config;
use kingscross_storage::{Direction, GameFilter};
use kingscross_tests::{
    Database, PASSWORD, Server, TestPlayer, lobby_options, on_both_databases, start_game_of_two,
};
use serde_json::json;

on_both_databases!(
    who_deletes_the_account_gives_up_seat_and_ticket_before_the_answer,
    who_is_banned_gives_up_seat_and_ticket_before_the_answer,
    who_deletes_the_account_is_named_so_at_once_and_after_a_restart,
    a_lobby_that_does_not_know_begins_no_game_with_who_is_gone,
);

const DELETED: &str = "deleted player";

/// Nobody is waited for: what is freed was freed at once.
fn patient(config: &mut Config) {
    config.lobby.vanished_ms = 3_600_000;
    config.matchmaking.vanished_after_ms = 3_600_000;
    config.clocks.first_move_ms = 3_600_000;
}

async fn delete(player: &mut TestPlayer) {
    let wish = json!({ "password": PASSWORD });
    assert_eq!(player.http.json(Method::DELETE, "/api/v1/me", &wish).await.status, 204);
}

/// Two sit in the lobby of the first, and the first waits in the queue as well.
async fn lobby_and_ticket(leaver: &TestPlayer, other: &TestPlayer) -> LobbyId {
    let options = LobbyOptions { public: true, ..lobby_options(Variant::CrossA) };
    let lobby = leaver.request(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    other.request(Request::JoinLobby { lobby, key: None, seat: None }).await;
    leaver.request(Request::JoinQueue { pools: vec!["cross-a/10+5".into()], bots: false }).await;
    lobby
}

/// The one who is left is the host of a lobby with a free seat, and nobody is queued.
async fn is_out(server: &Server, other: &mut TestPlayer, lobby: LobbyId) {
    assert_eq!(other.refusal(Request::StartLobby { lobby }).await, "not_ready");
    let me = other.user().id;
    let seats = other.until(|message| match message {
        ServerMessage::Lobby(view) if view.lobby == lobby && view.host == me => Some(view.seats.clone()),
        _ => None,
    });
    assert_eq!(seats.await.iter().filter(|seat| seat.user.is_some()).count(), 1);
    let pools = server.visitor().get("/api/v1/pools").await.json();
    let waiting = |pool: &serde_json::Value| pool["players"].as_u64().expect("a number");
    assert_eq!(pools.as_array().expect("a list").iter().map(waiting).sum::<u64>(), 0, "{pools}");
    let stored = server.store.load_lobbies().await.expect("read");
    assert_eq!(stored.iter().map(|lobby| lobby.seats.len()).collect::<Vec<_>>(), [1]);
}

async fn who_deletes_the_account_gives_up_seat_and_ticket_before_the_answer(database: Database) {
    let server = Server::start_with(&database, patient).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let lobby = lobby_and_ticket(&ada, &bob).await;
    delete(&mut ada).await;
    is_out(&server, &mut bob, lobby).await;
    server.stop().await;
}

async fn who_is_banned_gives_up_seat_and_ticket_before_the_answer(database: Database) {
    let server = Server::start_with(&database, patient).await;
    let mut judge = server.account("Judge").await;
    let actions = AdminActions { store: &server.store, actor: None, now: Clock::system().now() };
    actions.grant("Judge", Role::Moderator).await.expect("granted");
    let ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let lobby = lobby_and_ticket(&ada, &bob).await;
    let ban = format!("/api/v1/admin/users/{}/ban", ada.user().id);
    assert_eq!(judge.put(&ban, &json!({ "why": "insults" })).await.status, 204);
    is_out(&server, &mut bob, lobby).await;
    // Once the ban is lifted, everything is open again.
    assert_eq!(judge.delete(&ban).await.status, 204);
    let mut http = server.visitor();
    let again = json!({ "name": "Ada", "password": PASSWORD });
    assert_eq!(http.post("/api/v1/session", &again).await.status, 200);
    let ada = TestPlayer::connect(&server, http).await;
    ada.request(Request::JoinLobby { lobby, key: None, seat: None }).await;
    bob.request(Request::StartLobby { lobby }).await;
    server.stop().await;
}

fn names(setup: &Setup) -> Vec<&str> {
    setup.players.iter().map(|player| player.name.as_str()).collect()
}

/// What a snapshot names, in the setup and in the first event, and how much was said.
async fn snapshot(player: &mut TestPlayer, game: GameId) -> (Vec<String>, usize) {
    player
        .until(|message| match message {
            ServerMessage::Snapshot(snapshot) if snapshot.game == game => {
                let Event::Created(created) = &snapshot.history[0].event else { panic!("no beginning") };
                assert_eq!(names(created), names(&snapshot.setup));
                Some((names(&snapshot.setup).into_iter().map(str::to_owned).collect(), snapshot.chat.len()))
            }
            _ => None,
        })
        .await
}

async fn who_deletes_the_account_is_named_so_at_once_and_after_a_restart(database: Database) {
    let server = Server::start_with(&database, patient).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let game = start_game_of_two(&mut ada, &mut bob, Variant::CrossA, false).await;
    // A game without the one who leaves, at which it only spoke.
    let (mut cid, mut dan) =
        (TestPlayer::account(&server, "Cid").await, TestPlayer::account(&server, "Dan").await);
    let other = start_game_of_two(&mut cid, &mut dan, Variant::CrossB, false).await;
    for game in [game, other] {
        ada.request(Request::Watch { game, after: None }).await;
        ada.request(Request::Say { game, what: Saying::Phrase("hello".into()) }).await;
    }
    bob.request(Request::WatchLobbies).await;
    bob.request(Request::Watch { game, after: None }).await;
    cid.request(Request::Watch { game: other, after: None }).await;
    assert_eq!(snapshot(&mut bob, game).await, (vec!["Ada".to_owned(), "Bob".to_owned()], 1));
    assert_eq!(snapshot(&mut cid, other).await.1, 1);
    delete(&mut ada).await;

    let renamed = vec![DELETED.to_owned(), "Bob".to_owned()];
    assert_eq!(snapshot(&mut bob, game).await, (renamed.clone(), 0), "the table tells it by itself");
    assert_eq!(snapshot(&mut cid, other).await, (vec!["Cid".to_owned(), "Dan".to_owned()], 0));
    let listed = bob.until(|message| match message {
        ServerMessage::GameListed(summary) if summary.game == game => Some(summary.players[0].name.clone()),
        _ => None,
    });
    assert_eq!(listed.await, DELETED);
    let mut late = TestPlayer::guest(&server.url).await;
    late.request(Request::WatchLobbies).await;
    let list = late.until(|message| match message {
        ServerMessage::Lobbies { games, .. } => games.iter().find(|listed| listed.game == game).cloned(),
        _ => None,
    });
    assert_eq!(list.await.players[0].name, DELETED);
    let stored = server.visitor().get("/api/v1/games").await.read::<Page<GameSummary>>();
    assert!(stored.items.iter().flat_map(|game| &game.players).all(|player| player.name != "Ada"));
    let record = server.visitor().get(&format!("/api/v1/games/{game}")).await.text();
    assert!(!record.contains("Ada"), "{record}");
    let http = bob.http.clone();
    server.stop().await;

    let server = Server::start_with(&database, patient).await;
    let mut cookie = server.visitor();
    cookie.cookie = http.cookie;
    let mut bob = TestPlayer::connect(&server, cookie).await;
    bob.request(Request::Watch { game, after: None }).await;
    assert_eq!(snapshot(&mut bob, game).await, (renamed, 0));
    server.stop().await;
}

async fn a_lobby_that_does_not_know_begins_no_game_with_who_is_gone(database: Database) {
    let server = Server::start_with(&database, patient).await;
    let ada = TestPlayer::account(&server, "Ada").await;
    let bob = TestPlayer::account(&server, "Bob").await;
    let lobby = lobby_and_ticket(&ada, &bob).await;
    let id = bob.user().id;
    let http = ada.http.clone();
    server.stop().await;

    // Between two starts of the server: no lobby hears of it.
    let store = database.open().await;
    store.delete_user(id, DELETED, Clock::system().now()).await.expect("deleted");
    store.close().await;

    let server = Server::start_with(&database, patient).await;
    let mut cookie = server.visitor();
    cookie.cookie = http.cookie;
    let ada = TestPlayer::connect(&server, cookie).await;
    assert_eq!(ada.refusal(Request::StartLobby { lobby }).await, "player_away");
    assert!(
        server
            .store
            .list_games(&GameFilter::default(), Direction::Newest, None, 10)
            .await
            .expect("read")
            .games
            .is_empty()
    );
    server.stop().await;
}
