//! The database fails under the writer: nobody waits for ever, nothing is half written, and it goes on by itself.

use std::time::{Duration, Instant};

use kingscross_protocol::{GameId, Role, Seq, Timestamp};
use kingscross_storage::{AppendError, ChatLine, Options, Session, Store};
use sqlx::{AssertSqlSafe, Connection as _};

use crate::databases::Database;
use crate::fault_proxy::{FaultProxy, ProxyMode};
use crate::writer::{append, event, new_game, users};

const LIMIT: Duration = Duration::from_millis(400);
/// Far above the limit, far below for ever: the tests wait for answers, not for a time.
const BOUND: Duration = Duration::from_secs(30);

fn options() -> Options {
    Options { time_limit: LIMIT, ..Options::default() }
}

async fn stored(store: &Store, game: GameId) -> Vec<u32> {
    store.load_events(game, Seq(0)).await.unwrap().iter().map(|event| event.seq.0).collect()
}

/// What a table does after `Unavailable`: reload from the log, then append what is missing, until it is stored.
async fn append_until_stored(store: &Store, game: GameId, seq: u32) {
    loop {
        if let Ok(Some(last)) = store.last_seq(game).await
            && last.0 >= seq
        {
            return;
        }
        match store.writer().append(append(game, vec![event(seq)])).await {
            Ok(_) | Err(AppendError::Conflict) => return,
            Err(AppendError::Unavailable) => {}
            Err(invalid) => panic!("{invalid}"),
        }
    }
}

#[tokio::test]
async fn a_server_that_throws_us_out_is_joined_again() {
    let Some(database) = Database::postgres().await else { return };
    let mut server = database.server().await.unwrap();
    let store = database.open_with(options()).await;
    let game = GameId::fresh();
    let writer = store.writer();
    writer.append(append(game, vec![event(1)])).await.unwrap();

    let name = database.name().to_owned();
    let allow = |yes: bool| AssertSqlSafe(format!("alter database {name} allow_connections {yes}"));
    let throw_out = AssertSqlSafe(format!(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'"
    ));
    sqlx::query(allow(false)).execute(&mut server).await.unwrap();
    sqlx::query(throw_out).execute(&mut server).await.unwrap();

    let begun = Instant::now();
    for _ in 0..3 {
        let (a, b) = tokio::join!(
            writer.append(append(game, vec![event(2)])),
            writer.append(append(GameId::fresh(), vec![event(1)])),
        );
        assert_eq!((a, b), (Err(AppendError::Unavailable), Err(AppendError::Unavailable)));
    }
    assert!(store.ping().await.is_err());
    assert!(begun.elapsed() < BOUND);

    sqlx::query(allow(true)).execute(&mut server).await.unwrap();
    append_until_stored(&store, game, 2).await;
    append_until_stored(&store, game, 3).await;
    assert_eq!(stored(&store, game).await, [1, 2, 3]);
    database.remove().await;
}

#[tokio::test]
async fn a_network_that_swallows_everything_is_given_up_in_time() {
    let Some(database) = Database::postgres().await else { return };
    let proxy = FaultProxy::start(database.authority()).await;
    let store = Store::open(&database.through(proxy.address), options()).await.unwrap();
    let game = GameId::fresh();
    let writer = store.writer();
    for (round, line) in [ProxyMode::BlackHole, ProxyMode::Cut, ProxyMode::BlackHole].into_iter().enumerate()
    {
        let seq = u32::try_from(round).unwrap() * 2 + 1;
        append_until_stored(&store, game, seq).await;
        proxy.set(line);
        let begun = Instant::now();
        let mut waiting = Vec::new();
        for _ in 0..20 {
            let (writer, game) = (writer.clone(), GameId::fresh());
            waiting.push(tokio::spawn(async move { writer.append(append(game, vec![event(1)])).await }));
        }
        assert_eq!(writer.append(append(game, vec![event(seq + 1)])).await, Err(AppendError::Unavailable));
        for answer in waiting {
            assert_eq!(answer.await.unwrap(), Err(AppendError::Unavailable));
        }
        assert!(begun.elapsed() < BOUND);
        proxy.set(ProxyMode::Open);
        append_until_stored(&store, game, seq + 1).await;
    }
    assert_eq!(stored(&store, game).await, [1, 2, 3, 4, 5, 6]);
    proxy.set(ProxyMode::Cut);
    database.remove().await;
}

#[tokio::test]
async fn a_lost_confirmation_is_found_in_the_log() {
    let Some(database) = Database::postgres().await else { return };
    let proxy = FaultProxy::start(database.authority()).await;
    let store = Store::open(&database.through(proxy.address), options()).await.unwrap();
    let direct = database.open().await;
    let game = GameId::fresh();
    let writer = store.writer();
    writer.append(append(game, vec![event(1)])).await.unwrap();
    // Requests pass, answers do not: the server commits what we never hear of.
    proxy.set(ProxyMode::Deaf);
    assert_eq!(writer.append(append(game, vec![event(2)])).await, Err(AppendError::Unavailable));
    proxy.set(ProxyMode::Open);
    assert_eq!(stored(&direct, game).await, [1, 2]);
    let again = loop {
        match writer.append(append(game, vec![event(2)])).await {
            Err(AppendError::Unavailable) => {}
            answer => break answer,
        }
    };
    assert_eq!(again, Err(AppendError::Conflict));
    writer.append(append(game, vec![event(3)])).await.unwrap();
    assert_eq!(stored(&store, game).await, [1, 2, 3]);
    database.remove().await;
}

#[tokio::test]
async fn a_transaction_whose_client_has_vanished_gives_its_locks_back() {
    let Some(database) = Database::postgres().await else { return };
    let mut server = database.server().await.unwrap();
    let proxy = FaultProxy::start(database.authority()).await;
    let store = Store::open(&database.through(proxy.address), options()).await.unwrap();
    let players = users(&store, 4).await;
    let game = new_game(&players, 1);
    // Somebody else keeps the game from being created, in the middle of its transaction …
    let mut other = sqlx::PgConnection::connect(&database.location).await.unwrap();
    sqlx::raw_sql("begin; lock table game_players in access exclusive mode")
        .execute(&mut other)
        .await
        .unwrap();
    let creating = tokio::spawn({
        let (writer, game) = (store.writer(), game.clone());
        async move { writer.create_game(game).await }
    });
    let waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = $1";
    while sqlx::query_scalar::<_, i64>(waiting).bind(database.name()).fetch_one(&mut server).await.unwrap()
        == 0
    {
        tokio::task::yield_now().await;
    }
    // … in which the line breaks without a word.
    proxy.set(ProxyMode::BlackHole);
    assert_eq!(creating.await.unwrap(), Err(AppendError::Unavailable));
    sqlx::raw_sql("rollback").execute(&mut other).await.unwrap();
    proxy.set(ProxyMode::Open);
    let created = async { while store.writer().create_game(game.clone()).await.is_err() {} };
    tokio::time::timeout(BOUND, created).await.expect("nobody waits for the dead");
    proxy.set(ProxyMode::Cut);
    database.remove().await;
}

#[tokio::test]
async fn every_call_is_answered_in_time_and_the_first_after_the_hole_is_carried_out() {
    let Some(database) = Database::postgres().await else { return };
    let proxy = FaultProxy::start(database.authority()).await;
    let store = Store::open(&database.through(proxy.address), options()).await.unwrap();
    let players = users(&store, 4).await;
    let game = new_game(&players, 1);
    store.writer().create_game(game.clone()).await.unwrap();
    let calls = || async {
        let said = ChatLine { user: None, at: Timestamp(1), body: "1".to_owned() };
        let (read, list, write, transaction) = tokio::join!(
            store.ping(),
            store.load_lobbies(),
            store.set_role(players[0], Role::Player),
            store.append_chat(game.id, &said),
        );
        [read.is_ok(), list.is_ok(), write.is_ok(), transaction.is_ok()]
    };
    for _ in 0..3 {
        // Every connection of the pool is open, and idle, when the line breaks.
        let all: Vec<_> = (0..32).map(|_| store.ping()).collect();
        assert!(futures_util::future::join_all(all).await.iter().all(Result::is_ok));
        proxy.set(ProxyMode::BlackHole);
        let answered = tokio::time::timeout(BOUND, calls()).await.expect("nobody waits for ever");
        assert_eq!(answered, [false; 4]);
        proxy.set(ProxyMode::Open);
        assert_eq!(calls().await, [true; 4], "no dead connection is in the way");
    }
    proxy.set(ProxyMode::BlackHole);
    tokio::time::timeout(BOUND, store.close()).await.expect("closing waits for nobody, either");
    proxy.set(ProxyMode::Cut);
    database.remove().await;
}

#[tokio::test]
async fn a_locked_sqlite_file_is_unavailable_until_it_is_released() {
    let database = Database::sqlite();
    let store = database.open_with(options()).await;
    let game = GameId::fresh();
    let writer = store.writer();

    let other =
        sqlx::sqlite::SqlitePoolOptions::new().max_connections(1).connect(&database.location).await.unwrap();
    let lock = other.begin_with("begin exclusive").await.unwrap();
    let (a, b) = tokio::join!(
        writer.append(append(game, vec![event(1)])),
        writer.append(append(GameId::fresh(), vec![event(1)])),
    );
    assert_eq!((a, b), (Err(AppendError::Unavailable), Err(AppendError::Unavailable)));
    lock.rollback().await.unwrap();

    assert!(stored(&store, game).await.is_empty());
    writer.append(append(game, vec![event(1)])).await.unwrap();
    assert_eq!(stored(&store, game).await, [1]);
}

#[tokio::test]
async fn a_full_disk_keeps_what_was_confirmed_and_nothing_else() {
    let database = Database::sqlite();
    let store = database.open_with(Options { sqlite_max_pages: Some(90), ..options() }).await;
    let game = GameId::fresh();
    let writer = store.writer();
    let big = |seq| kingscross_storage::NewEvent { body: format!("{:?}", "x".repeat(1_000)), ..event(seq) };
    let mut confirmed = 0;
    let full = loop {
        // Two events to an append, so that one of them alone would show.
        match writer.append(append(game, vec![big(confirmed + 1), big(confirmed + 2)])).await {
            Ok(_) => confirmed += 2,
            Err(error) => break error,
        }
    };
    assert_eq!(full, AppendError::Unavailable);
    assert!(confirmed > 0);
    assert_eq!(stored(&store, game).await, (1..=confirmed).collect::<Vec<_>>());
    store.ping().await.unwrap();
    store.close().await;

    let store = database.open().await;
    store.writer().append(append(game, vec![big(confirmed + 1)])).await.unwrap();
    assert_eq!(stored(&store, game).await, (1..=confirmed + 1).collect::<Vec<_>>());
}

fn a_line() -> ChatLine {
    ChatLine { user: None, at: Timestamp(1), body: format!("{:?}", "x".repeat(20_000)) }
}

#[tokio::test]
async fn transactions_work_again_after_a_full_disk_has_room_again() {
    let database = Database::sqlite();
    let store = database.open_with(Options { sqlite_max_pages: Some(120), ..options() }).await;
    let players = users(&store, 4).await;
    store.writer().create_game(new_game(&players, 1)).await.unwrap();
    let game = new_game(&players, 1);
    let (talk, id) = (game.id, game.id);
    store.writer().create_game(game).await.unwrap();
    let session = |number: u32| Session {
        token_hash: number.to_be_bytes().repeat(8),
        user: players[0],
        label: "x".repeat(1_000),
        created_at: Timestamp(0),
        last_seen_at: Timestamp(0),
        expires_at: Timestamp(10),
    };
    for number in 0..1_000 {
        if store.create_session(&session(number)).await.is_err() {
            break;
        }
    }
    // Full in the middle of transactions, of which SQLite ends some by itself.
    for _ in 0..3 {
        assert!(store.append_chat(talk, &a_line()).await.is_err());
    }
    assert!(store.sweep_sessions(Timestamp(1_000)).await.unwrap() > 0);

    store.append_chat(talk, &a_line()).await.expect("there is room again");
    store.writer().create_game(new_game(&players, 1)).await.expect("there is room again");
    store.writer().append(append(id, vec![event(2)])).await.expect("there is room again");
}

#[tokio::test]
async fn whoever_writes_is_answered_in_time_however_many_wait_for_a_file_that_hangs() {
    let database = Database::sqlite();
    let store = database.open_with(options()).await;
    let other =
        sqlx::sqlite::SqlitePoolOptions::new().max_connections(1).connect(&database.location).await.unwrap();
    let lock = other.begin_with("begin exclusive").await.unwrap();
    let begun = Instant::now();
    let waiting: Vec<_> = (0..100)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.sweep_sessions(Timestamp(1)).await })
        })
        .collect();
    for answer in waiting {
        assert!(answer.await.unwrap().is_err());
    }
    assert!(begun.elapsed() < BOUND);
    lock.rollback().await.unwrap();
    store.sweep_sessions(Timestamp(1)).await.expect("the file is free again");
}
