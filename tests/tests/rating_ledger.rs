//! The ledger has exactly one row for each game and player, whatever happens while a game ends.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use kingscross_client::Address;
use kingscross_engine::Variant;
use kingscross_protocol::{GameId, Request, Timestamp, UserId};
use kingscross_server::config::Config;
use kingscross_server::verify;
use kingscross_storage::{AppendError, GameStatus, NewUser, Store, UserKind};
use kingscross_tests::{
    Database, Process, Server, TestPlayer, check_chain, end_of_two, game_of_two, on_both_databases,
    rating_of_two, start_game_of_two, without_limits,
};

const WRITER: &str = env!("CARGO_BIN_EXE_dying_writer");
const SERVER: &str = env!("CARGO_BIN_EXE_test_server");

on_both_databases!(
    a_kill_between_result_and_rating_leaves_neither,
    games_that_end_in_the_same_millisecond_and_end_twice_are_rated_once_each,
    a_server_killed_while_rated_games_end_has_rated_each_that_ended,
);

async fn accounts(store: &Store) -> [UserId; 2] {
    let players = [UserId::fresh(), UserId::fresh()];
    let new = |id: UserId| NewUser {
        id,
        name_key: Some(format!("player {id}")),
        name: format!("TestPlayer {id}"),
        kind: UserKind::Account,
        password_hash: None,
        created_at: Timestamp(1),
    };
    store.add_users(&players.map(new)).await.expect("two accounts");
    players
}

async fn a_kill_between_result_and_rating_leaves_neither(database: Database) {
    let store = database.open().await;
    let players = accounts(&store).await;
    let game = game_of_two(&players);
    let id = game.id;
    store.writer().create_game(game).await.expect("created");
    store.close().await;

    let mut writer = Command::new(WRITER)
        .args([database.location.clone(), id.to_string(), players[0].to_string(), players[1].to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the writer starts");
    let mut line = String::new();
    let output = writer.stdout.take().expect("the output is piped");
    BufReader::new(output).read_line(&mut line).expect("the writer says how far it is");
    assert_eq!(line.trim(), "between");
    writer.kill().expect("kill -9");
    writer.wait().expect("it is dead");

    let store = database.open().await;
    let found = store.find_game(id).await.expect("read").expect("the game");
    assert_eq!((found.summary.status, found.summary.reason), (GameStatus::Running, None));
    assert!(store.list_rating_changes(id).await.expect("read").is_empty());
    assert_eq!(store.last_seq(id).await.expect("read").map(|seq| seq.0), Some(1), "nor the event of the end");
    // And it can be ended then, once.
    let rating = Some(rating_of_two(&players));
    store.writer().append(end_of_two(id, rating.clone())).await.expect("ended");
    assert_eq!(store.writer().append(end_of_two(id, rating)).await, Err(AppendError::Conflict));
    for player in players {
        check_chain(&store, player, 1).await;
    }
    store.close().await;
}

async fn games_that_end_in_the_same_millisecond_and_end_twice_are_rated_once_each(database: Database) {
    // Two servers, as it were, on one database.
    let stores = [database.open().await, database.open().await];
    let players = accounts(&stores[0]).await;
    let mut ends = Vec::new();
    for _ in 0..10 {
        let game = game_of_two(&players);
        let id = game.id;
        stores[0].writer().create_game(game).await.expect("created");
        for store in &stores {
            let (store, end) = (store.clone(), end_of_two(id, Some(rating_of_two(&players))));
            ends.push((id, tokio::spawn(async move { store.writer().append(end).await })));
        }
    }
    let mut ended: Vec<GameId> = Vec::new();
    for (id, end) in ends {
        match end.await.expect("no panic") {
            Ok(_) => ended.push(id),
            Err(error) => assert_eq!(error, AppendError::Conflict, "the other store was first"),
        }
    }
    ended.sort();
    let count = ended.len();
    ended.dedup();
    assert_eq!((count, ended.len()), (10, 10), "each game ended once");
    for id in ended {
        let rows = stores[1].list_rating_changes(id).await.expect("read");
        assert_eq!(rows.iter().filter(|row| row.change.user == players[0]).count(), 1);
        assert_eq!(rows.len(), 2);
    }
    for player in players {
        check_chain(&stores[1], player, 10).await;
    }
    for store in stores {
        store.close().await;
    }
}

/// Twenty rated games of the same two are given up at once, and the server is killed somewhere among their ends.
async fn a_server_killed_while_rated_games_end_has_rated_each_that_ended(database: Database) {
    let patient = |config: &mut Config| {
        without_limits(config);
        config.clocks.first_move_ms = 3_600_000;
    };
    let server = Server::start_with(&database, patient).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let users = [ada.user().id, bob.user().id];
    let mut games = Vec::new();
    for _ in 0..20 {
        games.push(start_game_of_two(&mut ada, &mut bob, Variant::CrossA, true).await);
    }
    let cookie = ada.http.cookie.clone().expect("a session");
    drop((ada, bob));
    server.stop().await;

    for kill_after in [3, 8, 20] {
        let process = Process::start(SERVER, &database.location).await;
        let address = Address::parse(&process.url()).expect("an address");
        let client =
            kingscross_client::Client::new(address, kingscross_client::Credentials::Cookie(cookie.clone()));
        let socket = client.connect().await.expect("a socket");
        let mut answers = Vec::new();
        for &game in &games {
            let requester = socket.requester();
            answers
                .push(tokio::spawn(async move { requester.request(Request::Resign { game }).await.is_ok() }));
        }
        let mut ended = 0;
        for answer in answers {
            if ended == kill_after {
                break;
            }
            // A game that an earlier round ended is refused.
            ended += usize::from(answer.await.expect("no panic"));
        }
        process.kill();
        let store = database.open().await;
        let mut rated = 0;
        for &game in &games {
            let found = store.find_game(game).await.expect("read").expect("the game");
            let rows = store.list_rating_changes(game).await.expect("read").len();
            let is_over = found.summary.status == GameStatus::Finished;
            assert_eq!(rows, if is_over { 2 } else { 0 }, "{:?}", found.summary.status);
            rated += usize::from(is_over);
        }
        assert!(rated >= ended, "what was acknowledged is stored");
        for user in users {
            check_chain(&store, user, rated).await;
        }
        let report = verify(&store, &Config::defaults(), |_| {}).await.expect("verified");
        assert!(report.faults.is_empty(), "{:?}", report.faults);
        assert_eq!(report.rated, rated);
        store.close().await;
    }
}
