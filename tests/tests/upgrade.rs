//! A database of every earlier schema, with games in it, is brought up to date and played on.

use std::time::Duration;

use kingscross_engine::Variant;
use kingscross_protocol::{Request, TimeControl};
use kingscross_server::config::Config;
use kingscross_tests::{
    Database, Server, Stored, TestPlayer, Until, guest_clients, on_both_databases, persistent, play_all,
    start_tracked,
};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");

const LIMIT: Duration = Duration::from_secs(300);

on_both_databases!(every_earlier_schema_is_brought_up_to_date_and_played_on);

/// An empty database of the same kind.
async fn another(database: &Database) -> Database {
    if is_postgres(database) {
        Database::postgres().await.expect("there is a server")
    } else {
        Database::sqlite()
    }
}

fn is_postgres(database: &Database) -> bool {
    database.location.starts_with("postgres")
}

/// The number of the newest schema.
fn newest() -> i64 {
    SQLITE.iter().map(|migration| migration.version).max().expect("there are some")
}

/// The rows of `from`, as far as the schema of that number has tables and columns for them, in an empty database `to`.
async fn set_back(from: &Database, to: &Database, schema: i64) {
    if is_postgres(from) {
        let mut old = PgConnection::connect(&to.location).await.expect("it answers");
        POSTGRES.run_to(schema, &mut old).await.expect("the migrations of then");
        copy_postgres(from, &mut old).await;
        old.close().await.expect("closes");
    } else {
        let options =
            sqlx::sqlite::SqliteConnectOptions::new().filename(&to.location).create_if_missing(true);
        let mut old = SqliteConnection::connect_with(&options).await.expect("a new file");
        SQLITE.run_to(schema, &mut old).await.expect("the migrations of then");
        copy_sqlite(from, &mut old).await;
        old.close().await.expect("closes");
    }
}

async fn copy_sqlite(from: &Database, old: &mut SqliteConnection) {
    let run = async |old: &mut SqliteConnection, sql: String| {
        sqlx::query(AssertSqlSafe(sql)).execute(old).await.expect("a sound statement");
    };
    run(old, format!("attach '{}' as newer", from.location)).await;
    run(old, "pragma foreign_keys = off".to_owned()).await;
    let tables: Vec<String> =
        sqlx::query_scalar("select name from main.sqlite_master where type = 'table' and name not like '\\_%' escape '\\' and name not like 'sqlite%'")
            .fetch_all(&mut *old)
            .await
            .expect("the schema");
    for table in tables {
        let columns: Vec<String> = sqlx::query_scalar("select name from pragma_table_info($1, 'main')")
            .bind(&table)
            .fetch_all(&mut *old)
            .await
            .expect("the columns");
        let columns = columns.join(", ");
        run(old, format!("insert into main.{table} ({columns}) select {columns} from newer.{table}")).await;
    }
}

async fn copy_postgres(from: &Database, old: &mut PgConnection) {
    let mut newer = PgConnection::connect(&from.location).await.expect("it answers");
    // Rows come in whatever order; what refers to what is checked by the newer database already.
    sqlx::query("set session_replication_role = replica").execute(&mut *old).await.expect("the owner may");
    let tables: Vec<String> = sqlx::query_scalar(
        "select table_name::text from information_schema.tables
            where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like '\\_%'",
    )
    .fetch_all(&mut *old)
    .await
    .expect("the schema");
    for table in tables {
        let rows: Vec<String> =
            sqlx::query_scalar(AssertSqlSafe(format!("select to_jsonb(t)::text from {table} t")))
                .fetch_all(&mut newer)
                .await
                .expect("the rows");
        // Counted columns are given: the row is the same one.
        let sql = format!(
            "insert into {table} overriding system value select * from jsonb_populate_record(null::{table}, $1::jsonb)"
        );
        for row in rows {
            sqlx::query(AssertSqlSafe(sql.clone())).bind(row).execute(&mut *old).await.expect("it fits");
        }
    }
    newer.close().await.expect("closes");
    // Counting goes on behind the rows that were given.
    let counted: Vec<(String, String)> = sqlx::query_as(
        "select table_name::text, column_name::text from information_schema.columns
            where table_schema = 'public' and is_identity = 'YES'",
    )
    .fetch_all(&mut *old)
    .await
    .expect("the schema");
    for (table, column) in counted {
        let sql = format!(
            "select setval(pg_get_serial_sequence('{table}', '{column}'), coalesce(max({column}), 1)) from {table}"
        );
        sqlx::query(AssertSqlSafe(sql)).execute(&mut *old).await.expect("a sequence");
    }
}

async fn every_earlier_schema_is_brought_up_to_date_and_played_on(database: Database) {
    tokio::time::timeout(LIMIT, upgrade(database)).await.expect("in time");
}

async fn upgrade(database: Database) {
    let variant = Variant::Quaternity;
    let time = TimeControl::increment(3_600_000, 0);
    let patient = |config: &mut Config| {
        kingscross_tests::without_limits(config);
        config.clocks.first_move_ms = 3_600_000;
        config.presence.grace_long_ms = 3_600_000;
    };

    // A finished game and one that runs, by the newest program.
    let server = Server::start_with(&database, patient).await;
    let clients = guest_clients(&server.url, variant).await;
    let mut players = Vec::new();
    for (seed, client) in clients.iter().enumerate() {
        players.push(TestPlayer::connect_with(client, persistent(), seed as u64).await);
    }
    let finished = start_tracked(&mut players, variant, time).await;
    play_all(&mut players, &Until::ply(12)).await;
    let running = start_tracked(&mut players, variant, time).await;
    for _ in 0..8 {
        let mover =
            players.iter().position(|player| player.view.as_ref().is_some_and(|view| view.is_my_turn()));
        let mover = mover.expect("someone is on turn");
        let view = players[mover].view.as_ref().expect("watching");
        let mv = view.legal.as_ref().expect("on turn")[0].mv.clone();
        let ply = view.board.ply;
        players[mover].command(Request::Move { game: running, ply, mv }, None).await;
        for player in &mut players {
            while player.view.as_ref().is_none_or(|view| view.board.ply == ply) {
                player.take_message().await;
            }
        }
    }
    drop(players);
    server.stop().await;

    for schema in 1..newest() {
        let old = another(&database).await;
        set_back(&database, &old, schema).await;
        let server = Server::start_with(&old, patient).await;
        let version = server.store.schema_version().await.expect("it answers");
        assert_eq!(version, newest(), "from schema {schema}");
        // The sessions of then still hold, so the same people come back.
        let address = kingscross_client::Address::parse(&server.url).expect("an address");
        let mut players = Vec::new();
        for (seed, client) in clients.iter().enumerate() {
            players.push(
                TestPlayer::connect_with(&client.at(address.clone()), persistent(), 90 + seed as u64).await,
            );
        }
        let game = if schema == 1 {
            // There were people, but no games yet.
            start_tracked(&mut players, variant, time).await
        } else {
            Stored::read(&server.store, finished).await;
            let mut visitor = server.visitor();
            let shown = visitor.get(&format!("/api/v1/games/{finished}")).await;
            assert_eq!((shown.status, &shown.json()["status"]), (200, &"finished".into()), "schema {schema}");
            for player in &mut players {
                player.track(running).await;
            }
            running
        };
        let views = play_all(&mut players, &Until::ply(20)).await;
        assert!(views[0].is_over() && views[0].board.ply >= 20);
        Stored::read(&server.store, game).await.check_views(&views);
        let report =
            kingscross_server::verify(&server.store, &Config::defaults(), |_| {}).await.expect("it answers");
        assert_eq!(report.faults, Vec::<String>::new(), "schema {schema}");
        assert_eq!(report.games, if schema == 1 { 1 } else { 2 });
        drop(players);
        server.stop().await;
        old.remove().await;
    }
}
