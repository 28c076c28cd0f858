//! What somebody changes in a database beside the server is found by `verify`.

use kingscross_engine::Variant;
use kingscross_protocol::Request;
use kingscross_server::config::Config;
use kingscross_server::verify;
use kingscross_tests::{Database, Server, TestPlayer, start_game_of_two};
use sqlx::{Connection as _, SqliteConnection};

/// Every change to a stored game, and a part of the sentence that tells of it.
const CHANGES: [(&str, &str); 17] = [
    ("update games set variant = 'cross-b'", "listed with the variant cross-b"),
    ("update games set time_control = '1+0'", "listed with the time control 1+0"),
    ("update games set is_rated = 1 - is_rated", "listed with the rating casual"),
    ("update games set created_at = created_at - 1", "listed from"),
    ("update games set ended_at = ended_at + 1", "listed from"),
    ("update games set reason = 'time'", "with the reason"),
    ("update games set ply_count = 7", "with 7 plies"),
    (
        "update game_players set user_id = (select id from users where name = 'Eve') where seat = 'w'",
        "another user's",
    ),
    ("delete from game_players where seat = 'w'", "seat w has no row"),
    ("update game_players set placement = 2", "at place"),
    ("update game_events set at = at - 100000 where seq = 3", "lies before"),
    ("update game_events set body = replace(body, 'a7-a6', 'b7-b6') where seq = 3", "the position is"),
    ("update game_events set body = replace(body, '\"rules\":1', '\"rules\":99')", "version 99"),
    ("update game_events set body = replace(body, '\"spent\":', '\"spent\":9')", "the clock shows"),
    ("update game_events set body = replace(body, 'resignation', 'time')", "by the rules"),
    ("delete from game_events where seq = 3", "is where"),
    (
        "insert into game_events (game_id, seq, at, hash, body)
         select game_id, seq + 1, at, hash, body from game_events order by seq desc limit 1",
        "ended already",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_change_to_a_stored_game_is_reported() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.clocks.first_move_ms = 3_600_000).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let eve = TestPlayer::account(&server, "Eve").await;
    let game = start_game_of_two(&mut ada, &mut bob, Variant::CrossA, true).await;
    for (ply, mv) in [(0, "a2-a3"), (1, "a7-a6")] {
        let request = Request::Move { game, ply, mv: mv.to_owned() };
        let mover = if ply == 0 { &ada } else { &bob };
        mover.request(request).await;
    }
    ada.request(Request::Resign { game }).await;
    drop(eve);
    server.stop().await;
    assert_eq!(faults(&database).await, [""; 0]);
    let whole = std::fs::read(&database.location).expect("the file");
    let mut missed = Vec::new();
    for (change, told) in CHANGES {
        std::fs::write(&database.location, &whole).expect("written");
        let mut raw =
            SqliteConnection::connect(&format!("sqlite://{}", database.location)).await.expect("the file");
        let changed = sqlx::query(change).execute(&mut raw).await.expect("changed").rows_affected();
        raw.close().await.expect("closed");
        assert!(changed > 0, "{change}");
        let faults = faults(&database).await;
        if !faults.iter().any(|fault| fault.contains(told)) {
            missed.push(format!("{change}: {faults:?}"));
        }
    }
    assert_eq!(missed, [""; 0]);
}

async fn faults(database: &Database) -> Vec<String> {
    let store = database.open().await;
    let report = verify(&store, &Config::defaults(), |_| {}).await.expect("verified");
    store.close().await;
    report.faults
}
