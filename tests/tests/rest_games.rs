//! What was played is found again: lists, filters, cursors, lines, records; ratings and what they rest on.

use std::collections::BTreeSet;

use hyper::Method;
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{
    GameId, GameRecord, GameStatus, GameSummary, GameView, Page, Request, ServerMessage,
};
use kingscross_server::AdminActions;
use kingscross_server::Clock;
use kingscross_server::config::Config;
use kingscross_server::ratings::{Pool, rebuild};
use kingscross_server::verify;
use kingscross_tests::{
    Database, Http, Server, TestPlayer, guests, lobby_options, on_both_databases, play_on, start_game,
    start_game_of_two,
};
use serde_json::json;

on_both_databases!(
    games_are_listed_filtered_and_shown_whole,
    cursors_give_each_old_game_once_while_new_ones_are_played,
    a_rated_game_moves_both_ratings_once_and_a_rebuild_finds_the_same,
    what_was_tampered_with_is_found,
    what_spectators_see_late_rest_tells_late,
    a_match_whose_first_end_is_still_hidden_has_its_earlier_score,
    who_attacked_whom_is_stored_with_the_game_and_shown,
    a_bot_has_one_id_in_lists_tables_and_records,
);

/// A game between two that the first one gives up; it waits until the result is stored.
async fn play(first: &mut TestPlayer, second: &mut TestPlayer, rated: bool) -> GameId {
    let game = start_game_of_two(first, second, Variant::CrossA, rated).await;
    first.request(Request::Watch { game, after: None }).await;
    let (ply, mv) = (0, "a2-a3".to_owned());
    // Whoever has the first seat moves first.
    first.request(Request::Move { game, ply, mv }).await;
    second.request(Request::Move { game, ply: 1, mv: "a7-a6".to_owned() }).await;
    first.request(Request::Resign { game }).await;
    game
}

async fn list(http: &mut Http, query: &str) -> Page<GameSummary> {
    let answer = http.get(&format!("/api/v1/games?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    answer.read()
}

fn ids(page: &Page<GameSummary>) -> Vec<GameId> {
    page.items.iter().map(|game| game.game).collect()
}

async fn games_are_listed_filtered_and_shown_whole(database: Database) {
    let server = Server::start(&database).await;
    let (mut ada, mut bob) = (TestPlayer::guest(&server.url).await, TestPlayer::guest(&server.url).await);
    let (a, b) = (ada.user().id, bob.user().id);
    let game = play(&mut ada, &mut bob, false).await;
    let other = play(&mut bob, &mut ada, false).await;
    let mut visitor = server.visitor();

    assert_eq!(ids(&list(&mut visitor, "").await), [other, game], "newest first");
    for (query, found) in [
        (format!("player={a}"), vec![other, game]),
        (format!("player={a}&result=loss"), vec![game]),
        (format!("player={a}&result=win"), vec![other]),
        (format!("player={b}&placement=1&opponent={a}"), vec![game]),
        (format!("player={b}&opponent={}", GameId::fresh()), vec![]),
        ("variant=cross-a&status=finished&reason=resignation".into(), vec![other, game]),
        ("variant=crossfire".into(), vec![]),
        ("rated=false&time=5%2B3".into(), vec![other, game]),
        ("rated=true".into(), vec![]),
        ("status=running".into(), vec![]),
        ("order=oldest".into(), vec![game, other]),
        ("from=1000000000000&until=9999999999999".into(), vec![other, game]),
        ("until=1000000000001".into(), vec![]),
    ] {
        assert_eq!(ids(&list(&mut visitor, &query).await), found, "{query}");
    }

    let answer = visitor.get(&format!("/api/v1/games/{game}")).await;
    let view: GameView = answer.read();
    let ending = view.record.summary.ending.clone().expect("finished");
    assert_eq!((ending.reason.as_str(), ending.winners.len()), ("resignation", 1));
    assert_eq!(view.record.summary.plies, Some(2));
    assert!(view.record.events.iter().any(|entry| entry.change.is_some()));
    let replayed = view.record.check().expect("the record replays to its hashes");
    assert_eq!(replayed.hash().to_string(), view.record.events.last().expect("events").hash);

    let record = visitor.get(&format!("/api/v1/games/{game}/record")).await;
    assert!(record.header("content-disposition").is_some_and(|value| value.starts_with("attachment")));
    let record = GameRecord::read(&record.text()).expect("reads back");
    assert!(record.events.iter().all(|entry| entry.change.is_none()));
    for format in ["pgn4", "fen4"] {
        let answer = visitor.get(&format!("/api/v1/games/{game}/{format}")).await;
        assert_eq!(answer.refusal(), (409, "conflict".into()), "an 8×8 board");
    }

    let lines = visitor
        .send(Method::GET, "/api/v1/games?order=oldest", &[("accept", "application/x-ndjson")], "".into())
        .await;
    assert_eq!(lines.header("content-type"), Some("application/x-ndjson"));
    let text = lines.text();
    let found: Vec<GameSummary> =
        text.lines().map(|line| serde_json::from_str(line).expect("a game")).collect();
    assert_eq!(found.iter().map(|game| game.game).collect::<Vec<_>>(), [game, other]);

    // The same games whole, of one player and of the whole site; each line replays to its hashes.
    for (query, expected) in [
        ("order=oldest".to_owned(), vec![game, other]),
        (format!("player={a}&result=win"), vec![other]),
        ("limit=1".into(), vec![other]),
        ("variant=kingdoms".into(), vec![]),
    ] {
        let lines = visitor.get(&format!("/api/v1/records?{query}")).await;
        assert_eq!((lines.status, lines.header("content-type")), (200, Some("application/x-ndjson")));
        let read = |line| GameRecord::read(line).expect("a record that replays").summary.game;
        assert_eq!(lines.text().lines().map(read).collect::<Vec<_>>(), expected, "{query}");
    }
    assert_eq!(visitor.get("/api/v1/records?limit=0").await.refusal(), (400, "bad_parameter".into()));
    server.stop().await;
}

#[tokio::test]
async fn questions_that_make_no_sense_are_refused() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let mut visitor = server.visitor();
    for (query, code) in [
        ("limit=0", "bad_parameter"),
        ("limit=-1", "bad_parameter"),
        ("limit=201", "bad_parameter"),
        ("limit=many", "bad_parameter"),
        ("from=1700000000", "bad_parameter"),
        ("placement=9", "bad_parameter"),
        ("player=nobody", "bad_parameter"),
        ("rated=yes", "bad_parameter"),
        ("status=over", "bad_parameter"),
        ("limit=5&limit=6", "bad_parameter"),
        ("colour=red", "unknown_parameter"),
        ("variant=chess", "unknown_variant"),
        ("time=300", "bad_time_control"),
        ("cursor=zzz", "bad_cursor"),
        ("cursor=0000000000000000", "bad_cursor"),
    ] {
        let answer = visitor.get(&format!("/api/v1/games?{query}")).await;
        assert_eq!(answer.refusal(), (400, code.into()), "{query}");
    }
    for path in ["x", "018f2b7e-0000-7000-8000-000000000001", "%2e%2e"] {
        let answer = visitor.get(&format!("/api/v1/games/{path}")).await;
        assert_eq!(answer.refusal(), (404, "unknown_game".into()), "{path}");
    }
    assert_eq!(visitor.get("/api/v1/users?name=a").await.refusal(), (400, "bad_parameter".into()));
    assert_eq!(visitor.get("/api/v1/users").await.refusal(), (400, "bad_parameter".into()));
    assert_eq!(visitor.get("/api/v1/users/x").await.refusal(), (404, "not_found".into()));
    assert_eq!(visitor.get("/api/v1/leaderboards/chess").await.refusal(), (404, "not_found".into()));
    let cursor = visitor.get("/api/v1/leaderboards/crossfire?cursor=7").await;
    assert_eq!(cursor.refusal(), (400, "bad_cursor".into()));
    server.stop().await;
}

async fn cursors_give_each_old_game_once_while_new_ones_are_played(database: Database) {
    let server = Server::start(&database).await;
    let (mut ada, mut bob) = (TestPlayer::guest(&server.url).await, TestPlayer::guest(&server.url).await);
    let mut old = BTreeSet::new();
    for _ in 0..7 {
        old.insert(play(&mut ada, &mut bob, false).await);
    }
    let mut visitor = server.visitor();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = list(&mut visitor, &format!("limit=2{cursor}")).await;
        seen.extend(ids(&page));
        play(&mut ada, &mut bob, false).await;
        match page.next {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 7, "no game twice");
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), old);
    server.stop().await;
}

async fn a_rated_game_moves_both_ratings_once_and_a_rebuild_finds_the_same(database: Database) {
    let server = Server::start(&database).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let (a, b) = (ada.user().id, bob.user().id);
    let first = play(&mut ada, &mut bob, true).await;
    let second = play(&mut ada, &mut bob, true).await;
    let mut visitor = server.visitor();
    let rating = async |visitor: &mut Http, user| {
        visitor.get(&format!("/api/v1/users/{user}")).await.json()["ratings"][0].clone()
    };
    let (low, high) = (rating(&mut visitor, a).await, rating(&mut visitor, b).await);
    assert_eq!(
        (&low["pool"], &low["games"], &low["provisional"]),
        (&json!("cross"), &json!(2), &json!(true))
    );
    assert!(low["rating"].as_i64() < Some(1500) && high["rating"].as_i64() > Some(1500), "{low} {high}");

    let view: GameView = visitor.get(&format!("/api/v1/games/{second}")).await.read();
    assert_eq!((view.rating_changes.len(), view.record.ratings.len()), (2, 2));
    let summary = &view.record.summary;
    assert!(
        summary.rated && summary.players.iter().all(|player| player.rating.is_some() && player.provisional)
    );
    for change in &view.rating_changes {
        let points: f64 = change.pairs.iter().map(|pair| pair.points).sum();
        assert!((change.after.rating - change.before.rating - points).abs() < 1e-9);
        assert_eq!(change.number, 2);
    }
    let history = visitor.get(&format!("/api/v1/users/{a}/ratings/cross?limit=1")).await.json();
    assert_eq!(
        (&history["items"][0]["game"], history["items"].as_array().map(Vec::len)),
        (&json!(second), Some(1))
    );
    let next = history["next"].as_str().expect("another page");
    let history = visitor.get(&format!("/api/v1/users/{a}/ratings/cross?limit=1&cursor={next}")).await.json();
    assert_eq!((&history["items"][0]["game"], &history["next"]), (&json!(first), &json!(null)));
    let board = visitor.get("/api/v1/leaderboards/cross").await.json();
    assert_eq!(board["items"], json!([]), "nobody is settled yet");

    let rebuilt = rebuild(&server.store, Pool::of(Variant::CrossA)).await.expect("rebuilds");
    assert_eq!((rebuilt.games, rebuilt.differences), (2, vec![]));
    let report = verify(&server.store, &Config::defaults(), |_| {}).await.expect("verified");
    assert_eq!((report.games, report.rated, report.faults), (2, 2, vec![]));

    // An annulled game counts for nothing, and counts again when that is taken back.
    let actions = AdminActions { store: &server.store, actor: None, now: Clock::system().now() };
    actions.annul(first, true, "a test").await.expect("annulled");
    assert_eq!(rating(&mut visitor, a).await["games"], 1);
    assert!(actions.annul(first, true, "again").await.is_err());
    actions.annul(first, false, "a mistake").await.expect("restored");
    assert_eq!(rating(&mut visitor, a).await, low);

    // A guest makes a game casual whatever was asked.
    let mut guest = TestPlayer::guest(&server.url).await;
    let casual = play(&mut ada, &mut guest, true).await;
    let view: GameView = visitor.get(&format!("/api/v1/games/{casual}")).await.read();
    assert!(!view.record.summary.rated && view.rating_changes.is_empty());

    // A deleted player's name is gone from lists and records.
    let gone =
        bob.http.json(Method::DELETE, "/api/v1/me", &json!({ "password": kingscross_tests::PASSWORD })).await;
    assert_eq!(gone.status, 204);
    for path in
        [format!("/api/v1/games/{first}"), format!("/api/v1/games/{first}/record"), "/api/v1/games".into()]
    {
        let text = visitor.get(&path).await.text();
        assert!(!text.contains("\"Bob\"") && text.contains("deleted player"), "{path}: {text}");
    }
    server.stop().await;
}

/// A delay that no test outlasts.
const LATE: u32 = 300_000;

async fn what_spectators_see_late_rest_tells_late(database: Database) {
    let late = |config: &mut Config| {
        config.tables.spectator_delay_ms = LATE;
        config.tables.max_games_per_user = 1_000;
    };
    let server = Server::start_with(&database, late).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let a = ada.user().id;
    let mut visitor = server.visitor();
    let mut watcher = TestPlayer::guest(&server.url).await;
    let running = start_game_of_two(&mut ada, &mut bob, Variant::CrossA, true).await;
    // Whoever plays a rated game plays it as it was offered.
    assert_eq!(ada.http.put("/api/v1/me/bot", &json!({})).await.status, 409);
    let game = play(&mut ada, &mut bob, true).await;
    // Told to whoever was there, and done with: the ledger has it.
    while server.store.list_rating_changes(game).await.expect("read").is_empty() {}

    let lists = [
        ("status=running".to_owned(), true),
        ("status=finished".to_owned(), false),
        ("reason=resignation".to_owned(), false),
        (format!("player={a}&result=loss"), false),
        (format!("player={a}&placement=2"), false),
        (format!("player={a}&status=running"), true),
        (format!("player={a}"), true),
        (String::new(), true),
    ];
    let lines = [("accept", "application/x-ndjson")];
    let told = async |http: &mut Http| -> Vec<String> {
        let mut told = Vec::new();
        for path in ["", "/record"] {
            told.push(http.get(&format!("/api/v1/games/{game}{path}")).await.text());
        }
        for query in ["", "status=finished&", "status=running&"] {
            let lists = ["games", "records"].map(|kind| format!("/api/v1/{kind}?{query}limit=200"));
            for path in lists {
                told.push(http.send(Method::GET, &path, &lines, "".into()).await.text());
            }
        }
        told.push(http.get(&format!("/api/v1/users/{a}")).await.text());
        told.push(http.get(&format!("/api/v1/users/{a}/ratings/cross")).await.text());
        told
    };
    let everything = |told: &[String]| {
        told.iter().any(|text| text.contains("a2-a3")) && told.iter().any(|text| text.contains("resignation"))
    };
    for http in [&mut visitor, &mut watcher.http] {
        for (query, fits) in &lists {
            let page = list(http, query).await;
            assert_eq!(ids(&page).contains(&game), *fits, "{query}");
            assert!(page.items.iter().all(|it| it.status == GameStatus::Running), "{query}: {page:?}");
            assert!(page.items.iter().all(|it| (it.ended, it.plies, &it.ending) == (None, None, &None)));
            assert!(
                page.items.iter().flat_map(|it| &it.players).all(|player| player.rating.is_none()),
                "{page:?}"
            );
        }
        for text in told(http).await {
            for word in ["a2-a3", "resign", "finished", "\"ended\"", "\"before\""] {
                assert!(!text.contains(word), "{word}: {text}");
            }
        }
        let view: GameView = http.get(&format!("/api/v1/games/{game}")).await.read();
        assert_eq!((view.record.events.len(), view.record.summary.status), (1, GameStatus::Running));
        view.record.check().expect("the record of a game that goes on");
        let profile = http.get(&format!("/api/v1/users/{a}")).await.json();
        assert_eq!(profile["ratings"], json!([]));
    }
    // The players know it all, of the game that runs as well.
    for http in [&mut ada.http, &mut bob.http] {
        for (query, fits) in
            [("status=running", false), ("status=finished", true), ("reason=resignation", true)]
        {
            assert_eq!(ids(&list(http, query).await).contains(&game), fits, "{query}");
        }
        assert!(everything(&told(http).await));
        let view: GameView = http.get(&format!("/api/v1/games/{game}")).await.read();
        assert_eq!((view.record.summary.plies, view.rating_changes.len()), (Some(2), 2));
    }
    bob.request(Request::Watch { game: running, after: None }).await;
    ada.request(Request::Move { game: running, ply: 0, mv: "b2-b3".into() }).await;
    let of_running = format!("/api/v1/games/{running}/record");
    assert!(ada.http.get(&of_running).await.text().contains("b2-b3"));
    assert!(!visitor.get(&of_running).await.text().contains("b2-b3"));
    // Neither is it off the list of games that are being played.
    watcher.request(Request::WatchLobbies).await;
    let listed = watcher.until(|message| match message {
        ServerMessage::Lobbies { games, .. } => Some(games.iter().map(|it| it.game).collect::<Vec<_>>()),
        _ => None,
    });
    assert!(listed.await.contains(&game));
    server.stop().await;

    // A restart tells nobody, and when the time has come everybody is told.
    let server = Server::start_with(&database, late).await;
    let mut visitor = server.visitor();
    assert_eq!(ids(&list(&mut visitor, "status=finished").await), []);
    assert!(!everything(&told(&mut visitor).await));
    let mut watcher = TestPlayer::guest(&server.url).await;
    let view = watcher.watch(game).await;
    assert!(!view.is_over() && view.board.ply == 0, "{view:?}");
    watcher.request(Request::WatchLobbies).await;
    let listed = watcher.until(|message| match message {
        ServerMessage::Lobbies { games, .. } => Some(games.iter().map(|it| it.game).collect::<Vec<_>>()),
        _ => None,
    });
    assert!(listed.await.contains(&game), "it is on the list of games that are being played, too");
    server.stop().await;
    let later = Clock::starting_at(Clock::system().now().plus(i64::from(LATE)));
    let server = Server::start_at(later, &database, late).await;
    let mut visitor = server.visitor();
    assert_eq!(ids(&list(&mut visitor, "status=finished").await), [game]);
    assert!(everything(&told(&mut visitor).await));
    server.stop().await;
}

async fn a_match_whose_first_end_is_still_hidden_has_its_earlier_score(database: Database) {
    let server = Server::start_with(&database, |config| config.tables.spectator_delay_ms = LATE).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let options = kingscross_protocol::LobbyOptions { both_boards: true, ..lobby_options(Variant::CrossA) };
    let game = start_game(&mut players, options).await;
    let view = players[0].watch(game).await;
    let other = view.setup.other_game.expect("a match");
    players[0].connection.request(Request::Resign { game: other }).await.expect("resigned");
    let mut visitor = server.visitor();
    let view: GameView = visitor.get(&format!("/api/v1/games/{game}")).await.read();
    let score = view.of_match.expect("a match");
    assert_eq!((score.status, score.over), (GameStatus::Running, false));
    assert!(score.points.iter().all(|it| it.points == 0.0), "{score:?}");
    server.stop().await;
}

async fn what_was_tampered_with_is_found(database: Database) {
    let server = Server::start(&database).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let game = play(&mut ada, &mut bob, true).await;
    let mut exported = Vec::new();
    server.store.export_all(&mut exported).await.expect("exported");
    server.stop().await;
    let text = String::from_utf8(exported).expect("text");
    for (what, from, to) in [
        ("a move", "a2-a3", "b2-b3"),
        ("a clock", "\\\"clock\\\":30", "\\\"clock\\\":31"),
        ("a placement", "\"placement\":1", "\"placement\":2"),
        ("a rating", "\"after_rating\":1", "\"after_rating\":2"),
        ("a row's result", "\"result\":\"win\"", "\"result\":\"draw\""),
        ("a row's points", "\"points\":null", "\"points\":3.0"),
        ("the winner", "\\\"winners\\\":[\\\"b\\\"]", "\\\"winners\\\":[\\\"w\\\"]"),
        ("the reason beside the game", "{\\\"reason\\\":\\\"resignation", "{\\\"reason\\\":\\\"checkmate"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{what}");
        let copy = Database::sqlite();
        let store = copy.open().await;
        store.import_all(changed.as_bytes()).await.expect("imports");
        let report = verify(&store, &Config::defaults(), |_| {}).await.expect("verified");
        assert!(!report.faults.is_empty(), "{what} of {game}");
        store.close().await;
    }
}

#[tokio::test]
async fn a_game_on_the_large_board_is_written_in_other_formats_and_positions_are_looked_at() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let mut ada = TestPlayer::guest(&server.url).await;
    let now = Request::PlayNow { variant: Variant::Crossfire, time: None, level: None };
    let game = ada.request(now).await.game.expect("a game");
    ada.request(Request::Watch { game, after: None }).await;
    let (mv, ply) = ada
        .until(|message| match message {
            ServerMessage::Snapshot(snapshot) => {
                let choice = snapshot.legal.as_ref().and_then(|legal| legal.first());
                choice.map(|choice| (choice.mv.clone(), snapshot.board.ply))
            }
            _ => None,
        })
        .await;
    ada.request(Request::Move { game, ply, mv }).await;
    let mut visitor = server.visitor();
    let pgn = visitor.get(&format!("/api/v1/games/{game}/pgn4")).await.text();
    assert!(pgn.contains("[GameNr"), "{pgn}");
    let fen = visitor.get(&format!("/api/v1/games/{game}/fen4?ply=0")).await.text();
    let beyond = visitor.get(&format!("/api/v1/games/{game}/fen4?ply=9999")).await;
    assert_eq!(beyond.refusal(), (400, "bad_parameter".into()));

    let look = async |visitor: &mut Http, body| visitor.post("/api/v1/positions", &body).await;
    let start = look(&mut visitor, json!({ "variant": "crossfire" })).await.json();
    let loaded = look(&mut visitor, json!({ "variant": "crossfire", "fen4": fen })).await.json();
    assert_eq!(loaded["board"]["pieces"], start["board"]["pieces"]);
    let mv = start["legal"][0]["mv"].clone();
    let moved = look(&mut visitor, json!({ "position": start["position"], "actions": [mv] })).await.json();
    assert_eq!((&moved["board"]["ply"], &moved["steps"][0]["action"]), (&json!(1), &mv));
    for (body, status, code) in [
        (json!({}), 400, "bad_request"),
        (json!({ "variant": "chess" }), 400, "bad_request"),
        (json!({ "variant": "crossfire", "actions": ["a1-a2"] }), 422, "bad_action"),
        (json!({ "variant": "crossfire", "actions": ["d2-d9"] }), 422, "illegal_move"),
        (json!({ "position": { "variant": "crossfire" } }), 422, "bad_position"),
        (json!({ "variant": "crossfire", "fen4": "nonsense" }), 422, "bad_position"),
        (json!({ "variant": "cross-a", "fen4": fen }), 409, "conflict"),
        (json!({ "variant": "crossfire", "fen4": fen, "pgn4": pgn }), 400, "bad_request"),
        (json!({ "variant": "crossfire", "actions": vec!["pass"; 2001] }), 400, "bad_request"),
    ] {
        let answer = look(&mut visitor, body.clone()).await;
        assert_eq!(answer.refusal(), (status, code.into()), "{body}");
    }
    let read = look(&mut visitor, json!({ "variant": "crossfire", "pgn4": pgn })).await.json();
    assert_eq!(read["steps"].as_array().map(|steps| !steps.is_empty()), Some(true));
    server.stop().await;
}

#[tokio::test]
async fn a_game_of_other_rules_is_shown_as_moves_on_a_board() {
    let server = Server::start(&Database::sqlite()).await;
    let mut visitor = server.visitor();
    let mut show = async |body| visitor.post("/api/v1/positions/view", &body).await;
    let one = "[Red \"Ada\"]\n[StartFen4 \"4PC\"]\n\n1. h2-h3 .. b7-c7 .. R .. Qn7-k4\n\n";
    let two = "[Red \"Ben\"]\n[StartFen4 \"4PCo\"]\n\n1. h2-h3";
    let view = show(json!({ "pgn4": one })).await.json();
    assert_eq!((&view["judged"], &view["tags"]["Red"]), (&json!(false), &json!("Ada")));
    assert_eq!(view["moves"].as_array().map(Vec::len), Some(4));
    assert_eq!((&view["moves"][2]["army"], &view["moves"][3]["pieces"]["k4"]), (&json!("y"), &json!("gQ")));
    assert_eq!(view["moves"][0]["moved"], json!([["h2", "h3"]]));
    let both = format!("{one}{two}");
    let second = show(json!({ "pgn4": both, "game": 2 })).await.json();
    assert_eq!((&second["tags"]["Red"], &second["start"]["a7"]), (&json!("Ben"), &json!("bQ")));
    assert_eq!(show(json!({ "fen4": "4PC" })).await.json()["start"]["a8"], "bQ");
    for (body, status, code) in [
        (json!({}), 400, "bad_request"),
        (json!({ "pgn4": one, "fen4": "4PC" }), 400, "bad_request"),
        (json!({ "fen4": "4PC", "game": 1 }), 400, "bad_request"),
        (json!({ "pgn4": both, "game": 3 }), 400, "bad_request"),
        (json!({ "pgn4": both, "game": 0 }), 400, "bad_request"),
        (json!({ "pgn4": both }), 422, "bad_position"),
        (json!({ "pgn4": "1. Kd2-d4" }), 422, "bad_position"),
        (json!({ "fen4": "nonsense" }), 422, "bad_position"),
    ] {
        assert_eq!(show(body.clone()).await.refusal(), (status, code.into()), "{body}");
    }
    // A refusal by the rules comes with the notes that explain it.
    let fen = "R-0,0,0,0-0,0,0,0-0,0,0,0-0,7,0,0-0-14/14/14/14/14/14/14/14/14/14/14/14/14/6,rK,7";
    let refused = visitor.post("/api/v1/positions", &json!({ "variant": "crossfire", "fen4": fen })).await;
    assert!(refused.text().contains("Left out: the points [0, 7, 0, 0], which crossfire does not count."));
    server.stop().await;
}

async fn who_attacked_whom_is_stored_with_the_game_and_shown(database: Database) {
    let server = Server::start_with(&database, kingscross_tests::without_limits).await;
    let mut players = guests(&server.url, Variant::Crossfire).await;
    let game = start_game(&mut players, lobby_options(Variant::Crossfire)).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    play_on(&mut players, &mut views, &mut SplitMix64::new(11), 120).await;
    for player in &players {
        // Whoever has lost its army already, or sits there when the game is over, has nothing to give up.
        let _ = player.connection.request(Request::Resign { game }).await;
    }
    for (player, view) in players.iter_mut().zip(&mut views) {
        player.follow_to_the_end(view).await;
    }
    let view: GameView = server.visitor().get(&format!("/api/v1/games/{game}")).await.read();
    let changes = view.record.events.iter().filter_map(|entry| entry.change.as_ref());
    let taken = changes.flat_map(|change| &change.effects).filter(
        |effect| matches!(effect, kingscross_protocol::Effect::Captured { by, army, .. } if by != army),
    );
    let captures: u32 = view.aggression.iter().map(|pair| pair.captures).sum();
    assert_eq!(captures as usize, taken.count(), "{:?}", view.aggression);
    assert!(captures > 0, "a hundred and twenty moves without a capture");
    let row = server.store.find_game(game).await.expect("read").expect("the game");
    let stored: Vec<kingscross_protocol::Aggression> =
        serde_json::from_str(row.statistics.as_deref().expect("stored with the end")).expect("readable");
    assert_eq!(stored, view.aggression);
    server.stop().await;
}

async fn a_bot_has_one_id_in_lists_tables_and_records(database: Database) {
    let server = Server::start_with(&database, |config| config.clocks.first_move_ms = 3_600_000).await;
    let mut ada = TestPlayer::guest(&server.url).await;
    let play = Request::PlayNow { variant: Variant::Crossfire, time: None, level: Some("page".into()) };
    let game = ada.request(play).await.game.expect("a game");
    ada.request(Request::Watch { game, after: None }).await;
    let at_table = ada.until(|message| match message {
        ServerMessage::Snapshot(snapshot) if snapshot.game == game => Some(snapshot.setup.players.clone()),
        _ => None,
    });
    let users = |players: &[kingscross_protocol::Player]| {
        players.iter().map(|player| player.user).collect::<Vec<_>>()
    };
    let at_table = users(&at_table.await);
    ada.request(Request::Resign { game }).await;
    let mut different = at_table.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 4);
    let http = &mut ada.http;
    let listed = list(http, "").await;
    assert_eq!(users(&listed.items[0].players), at_table);
    for path in [format!("/api/v1/games/{game}"), format!("/api/v1/games/{game}/record")] {
        let told = http.get(&path).await.json();
        let told =
            serde_json::from_value::<Vec<kingscross_protocol::Player>>(told["setup"]["players"].clone())
                .expect("players");
        assert_eq!(users(&told), at_table, "{path}");
    }
    server.stop().await;
}
