//! Opening: a missing file is made, everything else that is wrong gets one clear message.

use kingscross_protocol::{Role, UserId};
use kingscross_storage::{OpenError, Options, Schema, Store};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

use crate::databases::{Database, with_database};

stories![
    a_fresh_database_is_migrated_and_opens_again,
    a_newer_schema_is_refused_by_name,
    an_older_schema_is_left_alone_by_those_who_only_look,
    a_changed_migration_is_refused,
];

async fn refusal(location: &str) -> OpenError {
    match Store::open(location, Options::default()).await {
        Ok(_) => panic!("{location} must not open"),
        Err(error) => error,
    }
}

/// Runs a statement behind the store's back.
async fn tamper(database: &Database, sql: &'static str) {
    if database.location.starts_with("postgres") {
        let mut connection = PgConnection::connect(&database.location).await.unwrap();
        sqlx::query(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    } else {
        let mut connection = SqliteConnection::connect(&database.location).await.unwrap();
        sqlx::query(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}

async fn a_fresh_database_is_migrated_and_opens_again(database: &Database) {
    let store = database.open().await;
    store.ping().await.unwrap();
    let version = store.schema_version().await.unwrap();
    assert!(version >= 5, "{version}");
    store.close().await;
    assert!(store.ping().await.is_err());
    let again = database.open().await;
    assert_eq!(again.schema_version().await.unwrap(), version);
}

async fn a_newer_schema_is_refused_by_name(database: &Database) {
    let known = {
        let store = database.open().await;
        let known = store.schema_version().await.unwrap();
        store.close().await;
        known
    };
    tamper(
        database,
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
            select 9999, 'of the future', true, checksum, 0 from _sqlx_migrations where version = 1",
    )
    .await;
    let error = refusal(&database.location).await;
    let text = error.to_string();
    match error {
        OpenError::Newer { found, known: ours, name } => {
            assert_eq!((found, ours, name.as_str()), (9999, known, "of the future"));
        }
        other => panic!("{other}"),
    }
    assert!(text.contains("schema 9999 (of the future)"), "{text}");
}

async fn an_older_schema_is_left_alone_by_those_who_only_look(database: &Database) {
    let looking = || Options { schema: Schema::AsItIs, ..Options::default() };
    let error = Store::open(&database.location, looking()).await.err().expect("there is no schema yet");
    assert!(matches!(error, OpenError::Older { found: 0, .. }), "{error}");
    database.open().await.close().await;
    let store = database.open_with(looking()).await;
    let newest = store.schema_version().await.unwrap();
    store.close().await;
    tamper(database, "delete from _sqlx_migrations where version > 4").await;
    for _ in 0..2 {
        let error = Store::open(&database.location, looking()).await.err().expect("older");
        assert!(matches!(error, OpenError::Older { found: 4, known } if known == newest), "{error}");
    }
}

async fn a_changed_migration_is_refused(database: &Database) {
    database.open().await.close().await;
    tamper(database, "update _sqlx_migrations set checksum = (select checksum from _sqlx_migrations where version = 1) where version = 2").await;
    let error = refusal(&database.location).await;
    assert!(matches!(error, OpenError::Differs(2)), "{error}");
}

#[tokio::test]
async fn a_sqlite_file_in_a_missing_folder_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no/such/kingscross.db");
    let error = refusal(path.to_str().unwrap()).await;
    assert!(matches!(error, OpenError::File { .. }), "{error}");
    assert!(error.to_string().contains("there is no folder"), "{error}");
    assert!(!folder.path().join("no").exists());
    let error = refusal(folder.path().to_str().unwrap()).await;
    assert!(error.to_string().contains("it is a folder"), "{error}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let text = "dear diary, ".repeat(100);
    std::fs::write(&path, &text).unwrap();
    let error = refusal(path.to_str().unwrap()).await;
    assert!(matches!(error, OpenError::NotADatabase(_)), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn a_file_with_a_second_name_is_refused() {
    let database = Database::sqlite();
    database.open().await.close().await;
    let second = format!("{}.second", database.location);
    std::fs::hard_link(&database.location, &second).unwrap();
    for name in [&database.location, &second] {
        let error = refusal(name).await;
        assert!(matches!(&error, OpenError::Linked(path) if path.to_str() == Some(name)), "{error}");
    }
    std::fs::remove_file(second).unwrap();
    database.open().await.close().await;
}

#[tokio::test]
async fn an_emptied_file_is_not_taken_for_a_new_database() {
    for ending in [".lock", "-wal"] {
        let database = Database::sqlite();
        let left = format!("{}{ending}", database.location);
        std::fs::write(&database.location, "").unwrap();
        std::fs::write(&left, "process 1 on host").unwrap();
        let error = refusal(&database.location).await;
        assert!(
            matches!(&error, OpenError::Emptied { beside, .. } if beside.to_str() == Some(&left)),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&left).unwrap(), "process 1 on host");
        std::fs::remove_file(left).unwrap();
        // An empty file alone is what `touch` or `mktemp` makes.
        database.open().await.close().await;
    }
}

#[tokio::test]
async fn what_sqlite_says_of_damage_is_no_outage_and_stops_all_writing() {
    let database = Database::sqlite();
    database.open().await.close().await;
    let mut connection = SqliteConnection::connect(&database.location).await.unwrap();
    // The table and its indexes.
    let roots = "select (rootpage - 1) * 4096 from sqlite_master where tbl_name = 'users' and rootpage > 0";
    let roots: Vec<i64> = sqlx::query_scalar(roots).fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    let file = std::fs::File::options().write(true).open(&database.location).unwrap();
    for root in roots {
        std::os::unix::fs::FileExt::write_all_at(&file, &[0xff; 4096], root.try_into().unwrap()).unwrap();
    }

    let store = database.open().await;
    store.try_writing().await.unwrap();
    let fault = store.list_users(None, 10).await.expect_err("no page of SQLite's");
    assert!(!fault.is_outage() && fault.to_string().contains("malformed"), "{fault}");
    let fault = store.set_role(UserId::fresh(), Role::Player).await.expect_err("nothing is stored");
    let named = format!("{} is damaged", database.location);
    assert!(!fault.is_outage() && fault.to_string().contains(&named), "{fault}");
    store.close().await;
}

#[tokio::test]
async fn a_read_only_file_is_refused_at_the_start() {
    let database = Database::sqlite();
    database.open().await.close().await;
    // By a format version of the future SQLite opens a file for reading only, whoever asks; permissions would not
    // stop the superuser that runs tests in containers.
    let mut bytes = std::fs::read(&database.location).unwrap();
    bytes[18] = 3;
    std::fs::write(&database.location, bytes).unwrap();
    let error = refusal(&database.location).await;
    assert!(matches!(error, OpenError::ReadOnly(_)), "{error}");
}

#[tokio::test]
async fn a_disk_without_room_is_named() {
    let database = Database::sqlite();
    let options = Options { sqlite_max_pages: Some(8), ..Options::default() };
    let error = Store::open(&database.location, options).await.err().expect("the schema needs more");
    assert!(matches!(error, OpenError::Full(_)), "{error}");
    // With room it opens after all: nothing half done stands in the way.
    database.open().await;
}

#[tokio::test]
async fn a_postgres_server_that_is_not_there_is_named() {
    // Bound and let go: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = refusal(&format!("postgres://someone@127.0.0.1:{port}/kingscross")).await;
    assert!(matches!(&error, OpenError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&format!("127.0.0.1:{port}")), "{error}");
    let error = refusal("postgres://[bad").await;
    assert!(matches!(error, OpenError::Url(_)), "{error}");
}

#[tokio::test]
async fn an_absent_postgres_database_is_named() {
    let Some(database) = Database::postgres().await else { return };
    let absent = with_database(&database.location, "kingscross_absent");
    let error = refusal(&absent).await;
    assert!(matches!(&error, OpenError::Absent(name) if name == "kingscross_absent"), "{error}");
    database.remove().await;
}

#[tokio::test]
async fn a_postgres_user_without_rights_is_named() {
    let Some(database) = Database::postgres().await else { return };
    let mut server = database.server().await.unwrap();
    let role = format!("{}_reader", database.name());
    for sql in [
        format!("create role {role} login"),
        format!("revoke connect on database {} from public", database.name()),
    ] {
        sqlx::query(AssertSqlSafe(sql)).execute(&mut server).await.unwrap();
    }
    let (_, rest) = database.location.split_once('@').unwrap();
    let error = refusal(&format!("postgres://{role}@{rest}")).await;
    assert!(matches!(&error, OpenError::Denied(name) if *name == role), "{error}");
    sqlx::query(AssertSqlSafe(format!("drop role {role}"))).execute(&mut server).await.unwrap();
    database.remove().await;
}
