//! Opponents are found over real sockets: tickets, ready checks, cancels, bots, restarts.

use std::collections::BTreeSet;

use kingscross_engine::Variant;
use kingscross_protocol::{Event, GameId, LobbyOptions, QueueEnd, Request, SeatLetter, ServerMessage};
use kingscross_tests::{Database, Server, TestPlayer, lobby_options, on_both_databases};
use sqlx::{Connection as _, SqliteConnection};

on_both_databases!(
    four_players_are_matched_confirm_and_play,
    a_ticket_survives_a_restart,
    dodging_costs_growing_waits_that_survive_a_restart,
    a_match_on_both_boards_is_decided_by_the_sum,
    a_match_in_turn_ends_with_its_first_game_when_a_player_is_gone,
    a_match_in_turn_ends_with_its_first_game_when_that_is_aborted,
);

fn join(pool: &str) -> Request {
    Request::JoinQueue { pools: vec![pool.to_owned()], bots: false }
}

async fn match_name(player: &mut TestPlayer) -> String {
    player
        .until(|message| match message {
            ServerMessage::Match(found) => Some(found.r#match.clone()),
            _ => None,
        })
        .await
}

async fn out(player: &mut TestPlayer) -> QueueEnd {
    player
        .until(|message| match message {
            ServerMessage::Unqueued { why } => Some(why),
            _ => None,
        })
        .await
}

async fn four_players_are_matched_confirm_and_play(database: Database) {
    let server = Server::start(&database).await;
    let mut players = Vec::new();
    for _ in 0..4 {
        players.push(TestPlayer::guest(&server.url).await);
    }
    for player in &players {
        player.request(join("crossfire/10+5")).await;
    }
    let mut names = BTreeSet::new();
    for player in &mut players {
        names.insert(match_name(player).await);
    }
    assert_eq!(names.len(), 1, "one match for all");
    let name = names.pop_first().expect("one");
    assert_eq!(players[0].refusal(join("kingdoms/10+5")).await, "conflict", "a match waits for an answer");
    assert_eq!(players[0].refusal(Request::Confirm { r#match: "1".into() }).await, "no_match");
    for player in &players {
        player.request(Request::Confirm { r#match: name.clone() }).await;
    }
    let mut games: BTreeSet<GameId> = BTreeSet::new();
    for player in &mut players {
        games.insert(player.game_start().await);
    }
    assert_eq!(games.len(), 1);
    assert_eq!(players[0].refusal(Request::LeaveQueue).await, "not_queued");
    assert_eq!(players[0].refusal(join("crossfire/10+5")).await, "conflict", "who plays is not queued");
    assert!(server.store.load_tickets().await.expect("read").is_empty());
    server.stop().await;
}

async fn a_ticket_survives_a_restart(database: Database) {
    let server = Server::start(&database).await;
    let player = TestPlayer::guest(&server.url).await;
    player.request(join("cross-a/10+5")).await;
    let http = player.http.clone();
    server.stop().await;

    let server = Server::start(&database).await;
    let mut cookie = server.visitor();
    cookie.cookie = http.cookie;
    let mut back = TestPlayer::connect(&server, cookie).await;
    let waited = back
        .until(|message| match message {
            ServerMessage::Queue(view) if view.pools[0].pool == "cross-a/10+5" => Some(view.waited),
            _ => None,
        })
        .await;
    assert!(waited > 0, "the place is kept");
    let mut other = TestPlayer::guest(&server.url).await;
    other.request(join("cross-a/10+5")).await;
    let name = match_name(&mut back).await;
    back.request(Request::Confirm { r#match: name.clone() }).await;
    other.request(Request::Confirm { r#match: name }).await;
    assert_eq!(back.game_start().await, other.game_start().await);
    server.stop().await;
}

async fn dodging_costs_growing_waits_that_survive_a_restart(database: Database) {
    let change = |config: &mut kingscross_server::config::Config| {
        config.matchmaking.dodge_waits_ms = vec![0, 600_000, 3_600_000];
    };
    let server = Server::start_with(&database, change).await;
    let (mut ada, mut bob) =
        (TestPlayer::account(&server, "Ada").await, TestPlayer::account(&server, "Bob").await);
    for _ in 0..2 {
        for player in [&ada, &bob] {
            player.request(join("cross-b/10+5")).await;
        }
        match_name(&mut ada).await;
        match_name(&mut bob).await;
        ada.request(Request::LeaveQueue).await;
        bob.until(|message| match message {
            ServerMessage::Queue(view) => view.r#match.is_none().then_some(()),
            _ => None,
        })
        .await;
        bob.request(Request::LeaveQueue).await;
    }
    bob.request(join("cross-b/10+5")).await;
    let refusal = ada.connection.request(join("cross-b/10+5")).await.expect_err("refused");
    let refusal = refusal.refusal().expect("a refusal").clone();
    assert_eq!((refusal.code.as_str(), refusal.retryable), ("dodged", true));
    assert!(refusal.message.starts_with("You have left 2 matches"), "{}", refusal.message);
    let left = refusal.retry_after.expect("the time is told");
    assert!((1..=600_000).contains(&left), "{left}");
    let cookie = ada.http.cookie.clone();
    drop((ada, bob));
    server.stop().await;

    let server = Server::start_with(&database, change).await;
    let mut http = server.visitor();
    http.cookie = cookie;
    let ada = TestPlayer::connect(&server, http).await;
    assert_eq!(ada.refusal(join("cross-b/10+5")).await, "dodged", "a restart forgives nothing");
    let guest = TestPlayer::guest(&server.url).await;
    guest.request(join("cross-b/10+5")).await;
    server.stop().await;

    // A day later.
    let forgiving = Server::start_with(&database, |config| {
        config.matchmaking.dodge_waits_ms = vec![0, 0];
        config.matchmaking.dodge_forget_ms = 0;
    })
    .await;
    let user = ada.user().id;
    let mut http = forgiving.visitor();
    http.cookie.clone_from(&ada.http.cookie);
    let mut ada = TestPlayer::connect(&forgiving, http).await;
    let bob = TestPlayer::account(&forgiving, "Cem").await;
    for player in [&ada, &bob] {
        player.request(join("cross-b/10+5")).await;
    }
    match_name(&mut ada).await;
    ada.request(Request::LeaveQueue).await;
    assert_eq!(ada.refusal(Request::LeaveQueue).await, "not_queued");
    ada.request(join("cross-b/10+5")).await;
    let dodges = forgiving.store.find_dodges(user).await.expect("read").expect("there");
    assert_eq!(dodges.count, 1, "the earlier ones are forgotten");
    forgiving.stop().await;
}

/// White lets the first move of a rated game pass: it is aborted, and white's doing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_begin_a_rated_game_has_dodged_it_and_a_casual_one_is_nothing() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.clocks.first_move_ms = 100).await;
    for (rated, wanted) in [(false, None), (true, Some(1))] {
        let name = |name: &str| format!("{name}{}", if rated { "R" } else { "C" });
        let white = TestPlayer::account(&server, &name("Ada")).await;
        let mut black = TestPlayer::account(&server, &name("Bob")).await;
        let options = LobbyOptions { rated, public: true, ..lobby_options(Variant::CrossA) };
        let lobby = white.request(Request::CreateLobby(options)).await.lobby.expect("a lobby");
        black.request(Request::JoinLobby { lobby, key: None, seat: None }).await;
        let game = white.request(Request::StartLobby { lobby }).await.game.expect("a game");
        black.request(Request::Watch { game, after: None }).await;
        black
            .until(|message| match message {
                ServerMessage::Event(told) => matches!(told.event, Event::Aborted { .. }).then_some(()),
                ServerMessage::Snapshot(snapshot) => snapshot.aborted.then_some(()),
                _ => None,
            })
            .await;
        let counted = async |player: &TestPlayer| {
            server.store.find_dodges(player.user().id).await.expect("read").map(|dodges| dodges.count)
        };
        assert_eq!((counted(&white).await, counted(&black).await), (wanted, None), "rated: {rated}");
    }
    server.stop().await;
}

/// Waits until a lobby says that this many of its people are here.
async fn present(host: &mut TestPlayer, wanted: usize) {
    host.until(|message| match message {
        ServerMessage::Lobby(view) => {
            (view.seats.iter().filter(|seat| seat.present).count() == wanted).then_some(())
        }
        _ => None,
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_a_lobby_nor_a_match_starts_while_a_player_is_away() {
    let server = Server::start(&Database::sqlite()).await;
    let (mut host, two) = (TestPlayer::guest(&server.url).await, TestPlayer::guest(&server.url).await);
    let options = LobbyOptions { public: true, ..lobby_options(Variant::CrossA) };
    let lobby = host.request(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    two.request(Request::JoinLobby { lobby, key: None, seat: None }).await;
    let TestPlayer { connection, http, .. } = two;
    let name = connection.user().name.clone();
    present(&mut host, 2).await;
    drop(connection);
    present(&mut host, 1).await;
    let refusal = host.connection.request(Request::StartLobby { lobby }).await.expect_err("refused");
    let refusal = refusal.refusal().expect("a refusal").clone();
    assert_eq!(refusal.code.as_str(), "player_away");
    assert!(refusal.message.starts_with(&format!("{name} is away.")), "{}", refusal.message);

    // The same for a match: the lobby shows when the server has noticed that the other is gone.
    let mut two = TestPlayer::connect(&server, http).await;
    present(&mut host, 2).await;
    for player in [&host, &two] {
        player.request(join("cross-b/10+5")).await;
    }
    let found = match_name(&mut host).await;
    assert_eq!(match_name(&mut two).await, found);
    two.request(Request::Confirm { r#match: found.clone() }).await;
    let TestPlayer { connection, http, .. } = two;
    drop(connection);
    present(&mut host, 1).await;
    host.request(Request::Confirm { r#match: found.clone() }).await;
    // Answered one behind the other, so that the queue has done what it does upon the confirmation.
    for _ in 0..2 {
        host.request(join("cross-b/10+5")).await;
    }
    assert_eq!(server.store.load_tickets().await.expect("read").len(), 2, "the match waits");
    let mut two = TestPlayer::connect(&server, http).await;
    assert_eq!(two.game_start().await, host.game_start().await);
    host.request(Request::Ping).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_pools_are_one_ticket_and_whoever_plays_otherwise_waits_no_more() {
    let server = Server::start(&Database::sqlite()).await;
    let (mut one, two) = (TestPlayer::guest(&server.url).await, TestPlayer::guest(&server.url).await);
    let wish = |pools: &[&str]| Request::JoinQueue {
        pools: pools.iter().map(|&pool| pool.to_owned()).collect(),
        bots: false,
    };
    assert_eq!(one.refusal(wish(&[])).await, "bad_request");
    assert_eq!(one.refusal(wish(&["kingdoms/10+5", "no/such"])).await, "unknown_pool");
    one.request(wish(&["kingdoms/10+5"])).await;
    one.request(wish(&["cross-a/3+2", "crossfire/10+5", "cross-a/3+2"])).await;
    let stored = server.store.load_tickets().await.expect("read");
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].pools, ["cross-a/3+2", "crossfire/10+5"]);
    let view = one.until(|message| match message {
        ServerMessage::Queue(view) if view.pools.len() == 2 => Some(view.clone()),
        _ => None,
    });
    let view = view.await;
    let counts: Vec<_> = view.pools.iter().map(|it| (it.pool.as_str(), it.players, it.needed)).collect();
    assert_eq!(counts, [("cross-a/3+2", 1, 2), ("crossfire/10+5", 1, 4)]);
    one.request(Request::PlayNow { variant: Variant::CrossA, time: None, level: Some("random".into()) })
        .await;
    assert_eq!(out(&mut one).await, QueueEnd::Playing);
    two.request(wish(&["cross-a/3+2"])).await;
    let pools = server.visitor().get("/api/v1/pools").await.json();
    let waiting = |pool: &serde_json::Value| pool["players"].as_u64().expect("a number");
    assert_eq!(pools.as_array().expect("pools").iter().map(waiting).sum::<u64>(), 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_voids_the_match_and_the_others_wait_on() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let (mut one, mut two) = (TestPlayer::guest(&server.url).await, TestPlayer::guest(&server.url).await);
    one.request(join("cross-b/10+5")).await;
    two.request(join("cross-b/10+5")).await;
    let name = match_name(&mut one).await;
    one.request(Request::Confirm { r#match: name.clone() }).await;
    two.request(Request::LeaveQueue).await;
    assert_eq!(out(&mut two).await, QueueEnd::Left);
    assert_eq!(one.refusal(Request::Confirm { r#match: name }).await, "no_match");
    let mut three = TestPlayer::guest(&server.url).await;
    three.request(join("cross-b/10+5")).await;
    let name = match_name(&mut three).await;
    one.request(Request::Confirm { r#match: name.clone() }).await;
    three.request(Request::Confirm { r#match: name }).await;
    assert_eq!(one.game_start().await, three.game_start().await);
    assert_eq!(one.refusal(join("no/such")).await, "unknown_pool");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_fill_the_seats_with_consent_and_a_cross_match_is_two_games() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.matchmaking.bots_after_ms = 0).await;
    let mut alone = TestPlayer::guest(&server.url).await;
    alone.request(Request::JoinQueue { pools: vec!["quaternity/10+5".into()], bots: true }).await;
    let name = match_name(&mut alone).await;
    alone.request(Request::Confirm { r#match: name }).await;
    let game = alone.game_start().await;
    let view = server.visitor().get(&format!("/api/v1/games/{game}")).await.json();
    let bots = view["players"].as_array().expect("players").iter().filter(|it| it["bot"].is_string()).count();
    assert_eq!((bots, &view["rated"]), (3, &serde_json::json!(false)));

    let (mut one, two) =
        (TestPlayer::account(&server, "Ada").await, TestPlayer::account(&server, "Bob").await);
    one.request(join("cross-match/10+5")).await;
    two.request(join("cross-match/10+5")).await;
    let name = match_name(&mut one).await;
    one.request(Request::Confirm { r#match: name.clone() }).await;
    two.request(Request::Confirm { r#match: name }).await;
    let (a, b) = (one.game_start().await, one.game_start().await);
    let mut visitor = server.visitor();
    let on_a = visitor.get(&format!("/api/v1/games/{a}")).await.json();
    let on_b = visitor.get(&format!("/api/v1/games/{b}")).await.json();
    assert_eq!((&on_a["variant"], &on_b["variant"]), (&"cross-a".into(), &"cross-b".into()));
    assert_eq!(on_a["players"][0]["user"], on_b["players"][1]["user"], "colours are swapped");
    assert_eq!(
        (&on_a["setup"]["other_game"], &on_b["setup"]["other_game"]),
        (&serde_json::json!(b), &serde_json::json!(a))
    );
    assert_eq!(on_a["rated"], true);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_confirm_in_time_is_out() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.matchmaking.ready_check_ms = 200).await;
    let (mut one, mut two) = (TestPlayer::guest(&server.url).await, TestPlayer::guest(&server.url).await);
    one.request(join("cross-b/10+5")).await;
    two.request(join("cross-b/10+5")).await;
    match_name(&mut one).await;
    assert_eq!((out(&mut one).await, out(&mut two).await), (QueueEnd::Unconfirmed, QueueEnd::Unconfirmed));
    let pools = server.visitor().get("/api/v1/pools").await.json();
    let pool =
        pools.as_array().expect("pools").iter().find(|it| it["pool"] == "cross-b/10+5").expect("the pool");
    assert_eq!((&pool["players"], &pool["needed"]), (&serde_json::json!(0), &serde_json::json!(2)));
    server.stop().await;
}

/// Nothing happens but time: the queue must look again by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_that_only_waiting_allows_is_found_by_itself() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.matchmaking.mix_after_ms = 1_500).await;
    let mut guest = TestPlayer::guest(&server.url).await;
    let mut account = TestPlayer::account(&server, "Ada").await;
    guest.request(join("cross-b/10+5")).await;
    account.request(join("cross-b/10+5")).await;
    let name = match_name(&mut guest).await;
    assert_eq!(match_name(&mut account).await, name);
    server.stop().await;
}

/// Gives up a game whoever is on turn, after both have moved.
async fn lose(loser: &mut TestPlayer, game: GameId) {
    loser.request(Request::Watch { game, after: None }).await;
    loser.request(Request::Resign { game }).await;
}

async fn score(http: &mut kingscross_tests::Http, game: GameId) -> serde_json::Value {
    http.get(&format!("/api/v1/games/{game}")).await.json()["match"].clone()
}

async fn a_match_on_both_boards_is_decided_by_the_sum(database: Database) {
    let server = Server::start(&database).await;
    let (mut one, mut two) =
        (TestPlayer::account(&server, "Ada").await, TestPlayer::account(&server, "Bob").await);
    one.request(join("cross-match/3+2")).await;
    two.request(join("cross-match/3+2")).await;
    let name = match_name(&mut one).await;
    one.request(Request::Confirm { r#match: name.clone() }).await;
    two.request(Request::Confirm { r#match: name }).await;
    let (a, b) = (one.game_start().await, one.game_start().await);
    assert_eq!([two.game_start().await, two.game_start().await], [a, b], "both at once, side by side");
    let mut visitor = server.visitor();
    let before = score(&mut visitor, a).await;
    assert_eq!((&before["other"], &before["over"]), (&serde_json::json!(b), &serde_json::json!(false)));
    lose(&mut one, a).await;
    lose(&mut two, b).await;
    let points = |score: &serde_json::Value, name: &str| {
        let rows = score["points"].as_array().expect("both players");
        rows.iter().find(|row| row["name"] == name).expect("the player")["points"].clone()
    };
    for game in [a, b] {
        let score = score(&mut visitor, game).await;
        assert_eq!(score["over"], true);
        assert_eq!((points(&score, "Ada"), points(&score, "Bob")), (1.0.into(), 1.0.into()), "{score}");
    }
    for game in [a, b] {
        let view = visitor.get(&format!("/api/v1/games/{game}")).await.json();
        assert_eq!(view["rating_changes"].as_array().map(Vec::len), Some(2), "each is a rated game");
    }
    server.stop().await;
}

/// Two accounts in the first game of a rated match that is played one after the other, and the second game's name.
async fn match_in_turn(server: &Server) -> (TestPlayer, TestPlayer, GameId, GameId) {
    let (mut one, mut two) =
        (TestPlayer::account(server, "Ada").await, TestPlayer::account(server, "Bob").await);
    let options = LobbyOptions {
        both_boards: true,
        in_turn: true,
        spectator_delay: Some(1_000),
        rated: true,
        public: true,
        ..lobby_options(Variant::CrossB)
    };
    let lobby = one.request(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    two.request(Request::JoinLobby { lobby, key: None, seat: None }).await;
    let first = one.request(Request::StartLobby { lobby }).await.game.expect("a game");
    assert_eq!((one.game_start().await, two.game_start().await), (first, first));
    let setup = one.http.get(&format!("/api/v1/games/{first}")).await.json()["setup"].clone();
    let second = serde_json::from_value(setup["other_game"].clone()).expect("the name of the second game");
    (one, two, first, second)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_board_that_did_not_come_about_is_played_when_the_first_has_ended() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let (mut one, two) =
        (TestPlayer::account(&server, "Ada").await, TestPlayer::account(&server, "Bob").await);
    let options = LobbyOptions { both_boards: true, public: true, ..lobby_options(Variant::CrossA) };
    let lobby = one.request(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    two.request(Request::JoinLobby { lobby, key: None, seat: None }).await;
    let first = one.request(Request::StartLobby { lobby }).await.game.expect("a game");
    let (a, b) = (one.game_start().await, one.game_start().await);
    let second = if a == first { b } else { a };
    let sessions = [one.http.cookie.clone(), two.http.cookie.clone()];
    drop((one, two));
    server.stop().await;
    for sql in FORGET {
        forget(&database, sql, second).await;
    }
    let server = Server::start(&database).await;
    let mut players = Vec::new();
    for cookie in sessions {
        let mut http = server.visitor();
        http.cookie = cookie;
        players.push(TestPlayer::connect(&server, http).await);
    }
    lose(&mut players[0], first).await;
    for player in &mut players {
        assert_eq!(player.game_start().await, second);
    }
    let view = players[0].http.get(&format!("/api/v1/games/{second}")).await.json();
    assert_eq!((&view["variant"], &view["match"]["other"]), (&"cross-b".into(), &serde_json::json!(first)));
    server.stop().await;
}

const FORGET: [&str; 3] = [
    "delete from game_events where game_id = $1",
    "delete from game_players where game_id = $1",
    "delete from games where id = $1",
];

/// As the end of a first game leaves it.
const PENDING: &str = "update games set follow_up_pending = true where id = $1";

async fn forget(database: &Database, sql: &'static str, game: GameId) {
    let location = format!("sqlite://{}", database.location);
    let mut raw = SqliteConnection::connect(&location).await.expect("the file");
    sqlx::query(sql).bind(game.0).execute(&mut raw).await.expect("deleted");
    raw.close().await.expect("closed");
}

/// The points of Ada and of Bob.
fn points(score: &serde_json::Value) -> [f64; 2] {
    let rows = score["points"].as_array().expect("both players");
    let of = |place: usize| rows[place]["points"].as_f64().expect("points");
    if rows[0]["name"] == "Ada" { [of(0), of(1)] } else { [of(1), of(0)] }
}

async fn match_ended(player: &mut TestPlayer, first: GameId) -> Vec<SeatLetter> {
    player
        .until(|message| match message {
            ServerMessage::Event(told) if told.game == first => match &told.event {
                Event::MatchEnded { gone } => Some(gone.clone()),
                _ => None,
            },
            _ => None,
        })
        .await
}

async fn a_match_in_turn_ends_with_its_first_game_when_a_player_is_gone(database: Database) {
    let server = Server::start(&database).await;
    let (mut one, mut two, first, second) = match_in_turn(&server).await;
    one.request(Request::Watch { game: first, after: None }).await;
    let wish = serde_json::json!({ "password": kingscross_tests::PASSWORD });
    assert_eq!(two.http.json(hyper::Method::DELETE, "/api/v1/me", &wish).await.status, 204);
    lose(&mut one, first).await;
    assert_eq!(match_ended(&mut one, first).await, [SeatLetter('b')]);
    let score = score(&mut one.http, first).await;
    assert_eq!((&score["status"], &score["over"]), (&"aborted".into(), &true.into()), "{score}");
    assert_eq!(points(&score), [1.0, 1.0], "each has the point of one game");
    assert_eq!(one.http.get(&format!("/api/v1/games/{second}")).await.status, 404);
    let config = kingscross_server::config::Config::defaults();
    let report = kingscross_server::verify(&server.store, &config, |_| {});
    assert_eq!(report.await.expect("verified").faults, Vec::<String>::new());
    server.stop().await;

    // It is said once, also by the next start.
    let server = Server::start(&database).await;
    let view = server.visitor().get(&format!("/api/v1/games/{first}/record")).await.text();
    assert_eq!(view.matches("match_ended").count(), 1, "{view}");
    server.stop().await;
}

async fn a_match_in_turn_ends_with_its_first_game_when_that_is_aborted(database: Database) {
    let server = Server::start_with(&database, |config| config.clocks.first_move_ms = 50).await;
    let (mut one, _two, first, _) = match_in_turn(&server).await;
    one.request(Request::Watch { game: first, after: None }).await;
    let view = loop {
        let view = one.http.get(&format!("/api/v1/games/{first}")).await.json();
        if view.to_string().contains("match_ended") {
            break view;
        }
    };
    assert_eq!((&view["status"], &view["match"]["over"]), (&"aborted".into(), &true.into()), "{view}");
    assert_eq!(points(&view["match"]), [0.0, 0.0]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_in_turn_begins_its_second_game_when_the_first_has_ended() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let (mut one, mut two, first, second) = match_in_turn(&server).await;
    let mut visitor = server.visitor();
    let setup = visitor.get(&format!("/api/v1/games/{first}")).await.json()["setup"].clone();
    assert_eq!(
        visitor.get(&format!("/api/v1/games/{second}")).await.status,
        404,
        "not before the first has ended"
    );
    lose(&mut one, first).await;
    assert_eq!((one.game_start().await, two.game_start().await), (second, second));
    // Others are told of it when they are told of the first one's end.
    let on_a = two.http.get(&format!("/api/v1/games/{second}")).await.json();
    assert_eq!((&on_a["variant"], &on_a["rated"]), (&"cross-a".into(), &true.into()));
    assert_eq!(on_a["players"][0]["user"], setup["players"][1]["user"], "colours are swapped");
    assert_eq!(on_a["setup"]["spectator_delay"], 1_000);

    // As if the server had died between the two: it is begun by the next start.
    let cookie = two.http.cookie.clone();
    drop((one, two));
    server.stop().await;
    for sql in FORGET {
        forget(&database, sql, second).await;
    }
    forget(&database, PENDING, first).await;
    let server = Server::start(&database).await;
    // A player, since others are told of the end a second later.
    let mut bob = server.visitor();
    bob.cookie.clone_from(&cookie);
    let begun = loop {
        let answer = bob.get(&format!("/api/v1/games/{second}")).await;
        if answer.status == 200 {
            break answer.json();
        }
    };
    assert_eq!(
        (&begun["status"], &begun["setup"]["other_game"]),
        (&"running".into(), &serde_json::json!(first))
    );
    let score = score(&mut bob, first).await;
    assert_eq!((&score["other"], &score["over"]), (&serde_json::json!(second), &false.into()));
    assert_eq!(points(&score), [0.0, 1.0]);
    server.stop().await;

    // The same, and who should play it is gone by then.
    for sql in FORGET {
        forget(&database, sql, second).await;
    }
    forget(&database, PENDING, first).await;
    let store = database.open().await;
    let actions = kingscross_server::AdminActions {
        store: &store,
        actor: None,
        now: kingscross_server::Clock::system().now(),
    };
    actions.ban("Ada", "a test").await.expect("banned");
    store.close().await;
    let server = Server::start(&database).await;
    let mut bob = server.visitor();
    bob.cookie = cookie;
    let score = loop {
        let score = self::score(&mut bob, first).await;
        if score["over"] == true {
            break score;
        }
    };
    assert_eq!((&score["status"], &score["over"]), (&"aborted".into(), &true.into()), "{score}");
    assert_eq!(points(&score), [0.0, 2.0]);
    server.stop().await;
}
