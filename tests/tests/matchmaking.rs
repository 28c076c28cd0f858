//! Opponents are found over real sockets: tickets, ready checks, cancels, bots, restarts.

use std::collections::BTreeSet;

use kingscross_engine::Variant;
use kingscross_protocol::{Event, GameId, LobbyOptions, QueueEnd, Request, SeatLetter, ServerMessage};
use kingscross_tests::{Database, Player, Server, on_both_databases};
use sqlx::{Connection as _, SqliteConnection};

on_both_databases!(
    four_players_are_matched_confirm_and_play,
    a_ticket_survives_a_restart,
    a_match_on_both_boards_is_decided_by_the_sum,
    a_match_in_turn_ends_with_its_first_game_when_a_player_is_gone,
    a_match_in_turn_ends_with_its_first_game_when_that_is_aborted,
);

fn join(pool: &str) -> Request {
    Request::JoinQueue { pool: pool.to_owned(), bots: false }
}

async fn match_name(player: &mut Player) -> String {
    player
        .until(|message| match message {
            ServerMessage::Match { r#match, .. } => Some(r#match.clone()),
            _ => None,
        })
        .await
}

async fn out(player: &mut Player) -> QueueEnd {
    player
        .until(|message| match message {
            ServerMessage::Unqueued { why } => Some(*why),
            _ => None,
        })
        .await
}

async fn four_players_are_matched_confirm_and_play(database: Database) {
    let server = Server::start(&database).await;
    let mut players = Vec::new();
    for _ in 0..4 {
        players.push(Player::guest(&server).await);
    }
    for player in &players {
        player.ask(join("crossfire/5+3")).await;
    }
    let mut names = BTreeSet::new();
    for player in &mut players {
        names.insert(match_name(player).await);
    }
    assert_eq!(names.len(), 1, "one match for all");
    let name = names.pop_first().expect("one");
    assert_eq!(players[0].refused(join("kingdoms/5+3")).await, "conflict");
    assert_eq!(players[0].refused(Request::Confirm { r#match: "1".into() }).await, "no_match");
    for player in &players {
        player.ask(Request::Confirm { r#match: name.clone() }).await;
    }
    let mut games: BTreeSet<GameId> = BTreeSet::new();
    for player in &mut players {
        games.insert(player.game_start().await);
    }
    assert_eq!(games.len(), 1);
    assert_eq!(players[0].refused(Request::LeaveQueue).await, "not_queued");
    assert_eq!(players[0].refused(join("crossfire/5+3")).await, "conflict", "who plays is not queued");
    assert!(server.store.load_tickets().await.expect("read").is_empty());
    server.stop().await;
}

async fn a_ticket_survives_a_restart(database: Database) {
    let server = Server::start(&database).await;
    let player = Player::guest(&server).await;
    player.ask(join("cross-a/5+3")).await;
    let http = player.http.clone();
    server.stop().await;

    let server = Server::start(&database).await;
    let mut cookie = server.visitor();
    cookie.cookie = http.cookie;
    let mut back = Player::connect(&server, cookie).await;
    let waited = back
        .until(|message| match message {
            ServerMessage::Queue(view) if view.pool == "cross-a/5+3" => Some(view.waited),
            _ => None,
        })
        .await;
    assert!(waited > 0, "the place is kept");
    let mut other = Player::guest(&server).await;
    other.ask(join("cross-a/5+3")).await;
    let name = match_name(&mut back).await;
    back.ask(Request::Confirm { r#match: name.clone() }).await;
    other.ask(Request::Confirm { r#match: name }).await;
    assert_eq!(back.game_start().await, other.game_start().await);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_voids_the_match_and_the_others_wait_on() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let (mut one, mut two) = (Player::guest(&server).await, Player::guest(&server).await);
    one.ask(join("cross-b/5+3")).await;
    two.ask(join("cross-b/5+3")).await;
    let name = match_name(&mut one).await;
    one.ask(Request::Confirm { r#match: name.clone() }).await;
    two.ask(Request::LeaveQueue).await;
    assert_eq!(out(&mut two).await, QueueEnd::Left);
    assert_eq!(one.refused(Request::Confirm { r#match: name }).await, "no_match");
    let mut three = Player::guest(&server).await;
    three.ask(join("cross-b/5+3")).await;
    let name = match_name(&mut three).await;
    one.ask(Request::Confirm { r#match: name.clone() }).await;
    three.ask(Request::Confirm { r#match: name }).await;
    assert_eq!(one.game_start().await, three.game_start().await);
    assert_eq!(one.refused(join("no/such")).await, "unknown_pool");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_fill_the_seats_with_consent_and_a_cross_match_is_two_games() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.matchmaking.bots_after_ms = 0).await;
    let mut alone = Player::guest(&server).await;
    alone.ask(Request::JoinQueue { pool: "quaternity/5+3".into(), bots: true }).await;
    let name = match_name(&mut alone).await;
    alone.ask(Request::Confirm { r#match: name }).await;
    let game = alone.game_start().await;
    let view = server.visitor().get(&format!("/api/v1/games/{game}")).await.json();
    let bots = view["players"].as_array().expect("players").iter().filter(|it| it["bot"].is_string()).count();
    assert_eq!((bots, &view["rated"]), (3, &serde_json::json!(false)));

    let (mut one, two) = (Player::account(&server, "Ada").await, Player::account(&server, "Bob").await);
    one.ask(join("cross-match/5+3")).await;
    two.ask(join("cross-match/5+3")).await;
    let name = match_name(&mut one).await;
    one.ask(Request::Confirm { r#match: name.clone() }).await;
    two.ask(Request::Confirm { r#match: name }).await;
    let (a, b) = (one.game_start().await, one.game_start().await);
    let mut visitor = server.visitor();
    let on_a = visitor.get(&format!("/api/v1/games/{a}")).await.json();
    let on_b = visitor.get(&format!("/api/v1/games/{b}")).await.json();
    assert_eq!((&on_a["variant"], &on_b["variant"]), (&"cross-a".into(), &"cross-b".into()));
    assert_eq!(on_a["players"][0]["user"], on_b["players"][1]["user"], "colours are swapped");
    assert_eq!(
        (&on_a["setup"]["twin"], &on_b["setup"]["twin"]),
        (&serde_json::json!(b), &serde_json::json!(a))
    );
    assert_eq!(on_a["rated"], true);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_confirm_in_time_is_out() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.matchmaking.ready_check_ms = 200).await;
    let (mut one, mut two) = (Player::guest(&server).await, Player::guest(&server).await);
    one.ask(join("cross-b/5+3")).await;
    two.ask(join("cross-b/5+3")).await;
    match_name(&mut one).await;
    assert_eq!((out(&mut one).await, out(&mut two).await), (QueueEnd::Unconfirmed, QueueEnd::Unconfirmed));
    let pools = server.visitor().get("/api/v1/pools").await.json();
    let pool =
        pools.as_array().expect("pools").iter().find(|it| it["pool"] == "cross-b/5+3").expect("the pool");
    assert_eq!((&pool["players"], &pool["needed"]), (&serde_json::json!(0), &serde_json::json!(2)));
    server.stop().await;
}

/// Nothing happens but time: the queue must look again by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_that_only_waiting_allows_is_found_by_itself() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.matchmaking.mix_after_ms = 1_500).await;
    let mut guest = Player::guest(&server).await;
    let mut account = Player::account(&server, "Ada").await;
    guest.ask(join("cross-b/5+3")).await;
    account.ask(join("cross-b/5+3")).await;
    let name = match_name(&mut guest).await;
    assert_eq!(match_name(&mut account).await, name);
    server.stop().await;
}

/// Gives up a game whoever is on turn, after both have moved.
async fn lose(loser: &mut Player, game: GameId) {
    loser.ask(Request::Watch { game, after: None }).await;
    loser.ask(Request::Resign { game }).await;
}

async fn score(http: &mut kingscross_tests::Http, game: GameId) -> serde_json::Value {
    http.get(&format!("/api/v1/games/{game}")).await.json()["match"].clone()
}

async fn a_match_on_both_boards_is_decided_by_the_sum(database: Database) {
    let server = Server::start(&database).await;
    let (mut one, mut two) = (Player::account(&server, "Ada").await, Player::account(&server, "Bob").await);
    one.ask(join("cross-match/3+2")).await;
    two.ask(join("cross-match/3+2")).await;
    let name = match_name(&mut one).await;
    one.ask(Request::Confirm { r#match: name.clone() }).await;
    two.ask(Request::Confirm { r#match: name }).await;
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
async fn match_in_turn(server: &Server) -> (Player, Player, GameId, GameId) {
    let (mut one, mut two) = (Player::account(server, "Ada").await, Player::account(server, "Bob").await);
    let options = LobbyOptions {
        twin: true,
        in_turn: true,
        spectator_delay: Some(1_000),
        rated: true,
        public: true,
        ..kingscross_tests::play::options(Variant::CrossB)
    };
    let lobby = one.ask(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    two.ask(Request::JoinLobby { lobby, key: None, seat: None }).await;
    let first = one.ask(Request::StartLobby { lobby }).await.game.expect("a game");
    assert_eq!((one.game_start().await, two.game_start().await), (first, first));
    let setup = one.http.get(&format!("/api/v1/games/{first}")).await.json()["setup"].clone();
    let second = serde_json::from_value(setup["twin"].clone()).expect("the name of the second game");
    (one, two, first, second)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_board_that_did_not_come_about_is_played_when_the_first_has_ended() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let (mut one, two) = (Player::account(&server, "Ada").await, Player::account(&server, "Bob").await);
    let options =
        LobbyOptions { twin: true, public: true, ..kingscross_tests::play::options(Variant::CrossA) };
    let lobby = one.ask(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    two.ask(Request::JoinLobby { lobby, key: None, seat: None }).await;
    let first = one.ask(Request::StartLobby { lobby }).await.game.expect("a game");
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
        players.push(Player::connect(&server, http).await);
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

async fn match_ended(player: &mut Player, first: GameId) -> Vec<SeatLetter> {
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
    one.ask(Request::Watch { game: first, after: None }).await;
    let wish = serde_json::json!({ "password": kingscross_tests::PASSWORD });
    assert_eq!(two.http.json(hyper::Method::DELETE, "/api/v1/me", &wish).await.status, 204);
    lose(&mut one, first).await;
    assert_eq!(match_ended(&mut one, first).await, [SeatLetter('b')]);
    let score = score(&mut one.http, first).await;
    assert_eq!((&score["status"], &score["over"]), (&"aborted".into(), &true.into()), "{score}");
    assert_eq!(points(&score), [1.0, 1.0], "each has the point of one game");
    assert_eq!(one.http.get(&format!("/api/v1/games/{second}")).await.status, 404);
    let config = kingscross_server::config::Config::defaults();
    let report = kingscross_server::verify::verify(&server.store, &config, |_| {});
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
    one.ask(Request::Watch { game: first, after: None }).await;
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
    let on_a = visitor.get(&format!("/api/v1/games/{second}")).await.json();
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
    let server = Server::start(&database).await;
    // A player, since others are told of the end a second later.
    let mut bob = server.visitor();
    bob.cookie.clone_from(&cookie);
    let begun = bob.get(&format!("/api/v1/games/{second}")).await.json();
    assert_eq!((&begun["status"], &begun["setup"]["twin"]), (&"running".into(), &serde_json::json!(first)));
    let score = score(&mut bob, first).await;
    assert_eq!((&score["other"], &score["over"]), (&serde_json::json!(second), &false.into()));
    assert_eq!(points(&score), [0.0, 1.0]);
    server.stop().await;

    // The same, and who should play it is gone by then.
    for sql in FORGET {
        forget(&database, sql, second).await;
    }
    let store = database.open().await;
    let desk = kingscross_server::admin::Desk {
        store: &store,
        actor: None,
        now: kingscross_server::clock::Clock::system().now(),
    };
    desk.ban("Ada", "a test").await.expect("banned");
    store.close().await;
    let server = Server::start(&database).await;
    let mut bob = server.visitor();
    bob.cookie = cookie;
    let score = self::score(&mut bob, first).await;
    assert_eq!((&score["status"], &score["over"]), (&"aborted".into(), &true.into()), "{score}");
    assert_eq!(points(&score), [0.0, 2.0]);
    server.stop().await;
}
