//! A database under a running server that is full, gone from where it was, or refuses what it is given.

use std::path::{Path, PathBuf};

use kingscross_client::{GameView, Unanswered};
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{ErrorCode, GameId, OutageCause, Request, ServerMessage};
use kingscross_tests::{
    Database, Http, Server, TestPlayer, guests, lobby_options, play_on, start_game, without_limits,
};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

/// Four people at a table, and what each sees.
async fn table(server: &Server) -> (GameId, Vec<TestPlayer>, Vec<GameView>) {
    let mut players = guests(&server.url, Variant::Crossfire).await;
    let game = start_game(&mut players, lobby_options(Variant::Crossfire)).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    (game, players, views)
}

async fn until_frozen(player: &mut TestPlayer, game: GameId, wanted: Option<OutageCause>) {
    player
        .until(|message| match message {
            ServerMessage::Table { game: of, frozen } if of == game && frozen == wanted => Some(()),
            _ => None,
        })
        .await;
}

/// Asks until the server says what is wanted of its readiness, and gives what it says of the database.
async fn until_ready(server: &Server, ready: bool) -> String {
    let mut visitor = server.visitor();
    loop {
        let answer = visitor.get("/readyz").await;
        if answer.status == if ready { 200 } else { 503 } {
            return answer.json()["database"].as_str().expect("a text").to_owned();
        }
    }
}

/// The next move of whoever is on turn.
async fn try_move(players: &[TestPlayer], views: &[GameView]) -> Option<ErrorCode> {
    let turn = views[0].board.turn.expect("someone is on turn");
    let mover = views.iter().position(|view| view.you == Some(turn)).expect("a player for each seat");
    let (game, ply) = (views[mover].game, views[mover].board.ply);
    let mv = views[mover].legal.as_ref().expect("the list of the player on turn")[0].mv.clone();
    let done = players[mover].connection.request(Request::Move { game, ply, mv }).await;
    done.err().map(|error| match error {
        Unanswered::Refused(body) => {
            assert_eq!(body.error.retryable, body.error.code == ErrorCode::Unavailable);
            body.error.code
        }
        other => panic!("{other}"),
    })
}

fn beside(database: &Database, ending: &str) -> PathBuf {
    format!("{}{ending}", database.location).into()
}

fn rename(from: &Path, to: &Path) {
    std::fs::rename(from, to).expect("our folder");
}

/// A file of the database goes away under a game in which nobody moves, and comes back.
async fn a_file_goes_and_comes(ending: &str) {
    let database = Database::sqlite();
    let server = Server::start_with(&database, without_limits).await;
    let (game, mut players, mut views) = table(&server).await;
    let mut dice = SplitMix64::new(7);
    play_on(&mut players, &mut views, &mut dice, 4).await;
    let (file, away) = (beside(&database, ending), beside(&database, ".away"));

    rename(&file, &away);
    for player in &mut players {
        until_frozen(player, game, Some(OutageCause::Storage)).await;
    }
    let why = until_ready(&server, false).await;
    assert!(why.contains(&format!("{} was removed or replaced", file.display())), "{why}");
    assert_eq!(try_move(&players, &views).await, Some(ErrorCode::Unavailable));
    // What is written beside games would be lost as well.
    assert_eq!(server.visitor().post("/api/v1/guest", &json!({})).await.status, 503);

    // Another file in its place is not the one that is open.
    std::fs::copy(&away, &file).expect("our folder");
    assert_eq!(try_move(&players, &views).await, Some(ErrorCode::Unavailable));
    assert_eq!(server.visitor().post("/api/v1/guest", &json!({})).await.status, 503);

    rename(&away, &file);
    until_frozen(&mut players[0], game, None).await;
    until_ready(&server, true).await;
    for (player, view) in players.iter_mut().zip(&mut views) {
        *view = player.watch(game).await;
    }
    play_on(&mut players, &mut views, &mut dice, 4).await;
    server.stop().await;
    // What was acknowledged is there at the next start.
    let store = database.open().await;
    let last = store.last_seq(game).await.expect("it answers").expect("the game is there");
    assert!(last >= views[0].seq, "{last:?}");
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_file_that_is_removed_freezes_all_tables_until_it_is_back() {
    a_file_goes_and_comes("").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_ahead_log_that_is_removed_freezes_all_tables_until_it_is_back() {
    a_file_goes_and_comes("-wal").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_behind_a_removed_file_is_not_acknowledged() {
    for ending in ["", "-wal"] {
        let database = Database::sqlite();
        let server = Server::start_with(&database, without_limits).await;
        let (_, players, views) = table(&server).await;
        std::fs::remove_file(beside(&database, ending)).expect("our folder");
        // At once, whatever looks now and then has not looked yet.
        assert_eq!(try_move(&players, &views).await, Some(ErrorCode::Unavailable), "{ending:?}");
        server.stop().await;
    }
}

/// Something befalls a file of the database under a game.
async fn a_damaged_file_freezes_all_tables_for_good(ending: &str, damage: impl FnOnce(&Path)) {
    let database = Database::sqlite();
    let server = Server::start_with(&database, without_limits).await;
    let (game, mut players, mut views) = table(&server).await;
    play_on(&mut players, &mut views, &mut SplitMix64::new(7), 4).await;
    let file = beside(&database, ending);

    damage(&file);
    // At once, whatever looks now and then has not looked yet.
    assert_eq!(try_move(&players, &views).await, Some(ErrorCode::Unavailable));
    for player in &mut players {
        until_frozen(player, game, Some(OutageCause::Storage)).await;
    }
    let why = until_ready(&server, false).await;
    assert!(why.contains(&format!("{} is damaged", file.display())), "{why}");
    let answer = server.visitor().post("/api/v1/guest", &json!({})).await;
    assert_eq!(answer.refusal(), (500, "internal".to_owned()));
    assert_eq!(try_move(&players, &views).await, Some(ErrorCode::Unavailable));
    server.stop().await;
}

fn cut(file: &Path, length: impl FnOnce(u64) -> u64) {
    let file = std::fs::File::options().write(true).open(file).expect("our folder");
    let size = file.metadata().expect("open").len();
    file.set_len(length(size)).expect("our file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_ahead_log_that_is_emptied_freezes_all_tables_for_good() {
    a_damaged_file_freezes_all_tables_for_good("-wal", |file| cut(file, |_| 0)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_file_that_is_cut_off_freezes_all_tables_for_good() {
    a_damaged_file_freezes_all_tables_for_good("", |file| cut(file, |size| size / 2)).await;
    a_damaged_file_freezes_all_tables_for_good("", |file| cut(file, |_| 0)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_copied_over_the_file_freezes_all_tables_for_good() {
    let other = Database::sqlite();
    other.open().await.close().await;
    // Longer than the file that it replaces: its size gives nothing away.
    run(&other, "create table filler (body blob); insert into filler values (zeroblob(2000000))").await;
    let other = beside(&other, "");
    a_damaged_file_freezes_all_tables_for_good("", |file| {
        std::fs::copy(&other, file).expect("our folder");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_program_may_vacuum_and_empty_the_log() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, without_limits).await;
    let (_, mut players, mut views) = table(&server).await;
    let mut dice = SplitMix64::new(7);
    let filled = "create table filler (body blob); insert into filler values (zeroblob(2000000));
        pragma wal_checkpoint(truncate)";
    for sql in [filled, "drop table filler; vacuum; pragma wal_checkpoint(truncate)"] {
        run(&database, sql).await;
        play_on(&mut players, &mut views, &mut dice, 4).await;
        until_ready(&server, true).await;
    }
    server.stop().await;
}

async fn run(database: &Database, sql: &str) {
    let mut connection = SqliteConnection::connect(&database.location).await.expect("the file is there");
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.expect("sound SQL");
    connection.close().await.expect("closes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_database_is_not_ready_until_there_is_room() {
    let mut database = Database::sqlite();
    database.options.sqlite_max_pages = Some(400);
    let server = Server::start_with(&database, without_limits).await;
    until_ready(&server, true).await;
    // Larger than the server may make it: whoever else writes knows no such limit.
    run(&database, "create table filler (body blob); insert into filler values (zeroblob(2000000))").await;
    // Until the last free page is taken, a probe may find room where a move would.
    let why = until_ready(&server, false).await;
    assert!(why.contains("full"), "{why}");
    assert_eq!(server.visitor().get("/healthz").await.status, 200);
    run(&database, "drop table filler").await;
    until_ready(&server, true).await;
    assert_eq!(server.visitor().post("/api/v1/guest", &json!({})).await.status, 201);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_database_refuses_for_what_it_is_is_no_outage() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, without_limits).await;
    let (_, players, views) = table(&server).await;
    let refuse = |table: &str| {
        format!("create trigger no_{table} before insert on {table} begin select raise(abort, 'no'); end;")
    };
    run(&database, &["users", "lobbies", "mutes", "game_events"].map(refuse).concat()).await;
    let mut visitor: Http = server.visitor();
    let answer = visitor.post("/api/v1/guest", &json!({})).await;
    assert_eq!(answer.refusal(), (500, "internal".to_owned()));
    assert_eq!(answer.json()["retryable"], false);
    let [lobby, mute] = [
        players[0].connection.request(Request::CreateLobby(lobby_options(Variant::CrossA))).await,
        players[0]
            .connection
            .request(Request::Mute { user: players[1].connection.user().id, muted: true })
            .await,
    ];
    for refused in [lobby, mute] {
        match refused {
            Err(Unanswered::Refused(body)) => assert_eq!(body.error.code, ErrorCode::Internal),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(try_move(&players, &views).await, Some(ErrorCode::Internal));
    until_ready(&server, true).await;
    server.stop().await;
}
