//! Opening a SQLite file.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, SqliteConnection};

use super::{NEWEST, OpenError, Options, Schema, check_schema, migrate_error};
use crate::database::{Pools, WriteConnection};
use crate::files::{Files, beside};

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/sqlite");

/// `KCRS`, which names the format to `file` and others.
const APPLICATION: &str = "pragma application_id = 0x4b435253";

pub(super) async fn open(path: &Path, options: &Options) -> Result<Pools, OpenError> {
    check_file(path)?;
    let connect = connect_options(path, options);
    let fault = |error: &sqlx::Error| open_error(path, error);
    let mut write = SqliteConnection::connect_with(&connect).await.map_err(|error| fault(&error))?;
    migrate(&mut write, options.schema, &fault).await?;
    let files = Files::opened(path)
        .map_err(|error| OpenError::File { path: path.to_owned(), reason: error.to_string() })?;
    let read = SqlitePoolOptions::new()
        .max_connections(options.connections.clamp(1, 4))
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .acquire_timeout(options.time_limit)
        .connect_with(connect.clone().optimize_on_close(false, None).read_only(true))
        .await
        .map_err(|error| fault(&error))?;
    Ok(Pools::Sqlite { read, write: WriteConnection::new(write, connect, options.time_limit, Some(files)) })
}

fn connect_options(path: &Path, options: &Options) -> SqliteConnectOptions {
    let connect = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // Below the writer's limit, so that a lock is reported as such.
        .busy_timeout(options.time_limit.mul_f32(0.8))
        // A page that is written many times costs one write to the file. The log takes at most 16 MiB.
        .pragma("wal_autocheckpoint", "4000")
        // Room for the writer's statements of every length and all others.
        .statement_cache_capacity(256)
        .optimize_on_close(true, 400)
        .disable_statement_logging();
    match options.sqlite_max_pages {
        Some(pages) => connect.pragma("max_page_count", pages.to_string()),
        None => connect,
    }
}

/// Writes to the file for the first time and brings its schema up to date.
async fn migrate(
    write: &mut SqliteConnection,
    schema: Schema,
    fault: &impl Fn(&sqlx::Error) -> OpenError,
) -> Result<(), OpenError> {
    // A read-only file opens without an error, so the first write is made here and not in the first game.
    sqlx::query(APPLICATION).execute(&mut *write).await.map_err(|error| fault(&error))?;
    let has_schema: Option<i64> =
        sqlx::query_scalar("select 1 from sqlite_master where name = '_sqlx_migrations'")
            .fetch_optional(&mut *write)
            .await
            .map_err(|error| fault(&error))?;
    let newest = match has_schema {
        Some(_) => sqlx::query_as(NEWEST).fetch_optional(&mut *write).await.map_err(|error| fault(&error))?,
        None => None,
    };
    check_schema(newest, &MIGRATIONS, schema)?;
    MIGRATIONS.run(&mut *write).await.map_err(|error| migrate_error(error, fault))?;
    if schema == Schema::Migrate {
        mark(write).await.map_err(|error| fault(&error))?;
    }
    Ok(())
}

/// Refuses a path that cannot be the one database of one server.
fn check_file(path: &Path) -> Result<(), OpenError> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir()) {
        let reason = format!("there is no folder {}", parent.display());
        return Err(OpenError::File { path: path.to_owned(), reason });
    }
    if path.is_dir() {
        return Err(OpenError::File { path: path.to_owned(), reason: "it is a folder".to_owned() });
    }
    let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
    if found.nlink() > 1 {
        return Err(OpenError::Linked(path.to_owned()));
    }
    let left = [".lock", "-wal"].into_iter().filter_map(|ending| beside(path, ending).ok());
    match left.into_iter().find(|left| found.len() == 0 && left.exists()) {
        Some(beside) => Err(OpenError::Emptied { path: path.to_owned(), beside }),
        None => Ok(()),
    }
}

/// Gives a new database a random number in the head of its file, which tells it from every other one.
async fn mark(write: &mut SqliteConnection) -> sqlx::Result<()> {
    let known: i64 = sqlx::query_scalar("pragma user_version").fetch_one(&mut *write).await?;
    if known == 0 {
        let number: i64 =
            sqlx::query_scalar("select 1 + (random() & 1073741823)").fetch_one(&mut *write).await?;
        let sql = format!("pragma user_version = {number}; pragma wal_checkpoint(passive)");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(write).await?;
    }
    Ok(())
}

fn open_error(path: &Path, error: &sqlx::Error) -> OpenError {
    let code = error
        .as_database_error()
        .and_then(|error| error.code())
        .and_then(|code| code.parse::<i32>().ok())
        .map_or(0, |code| code & 0xff);
    let path = path.to_owned();
    match code {
        5 | 6 => OpenError::Locked(path),
        8 => OpenError::ReadOnly(path),
        13 => OpenError::Full(path.display().to_string()),
        14 => OpenError::File { path, reason: "the system refuses to open it".to_owned() },
        26 => OpenError::NotADatabase(path),
        _ => OpenError::Other(format!("{}: {error}", path.display())),
    }
}
