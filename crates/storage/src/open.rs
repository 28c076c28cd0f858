//! Opening a database: where it is, whether it can be used, and its schema.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, Row as _, SqliteConnection};
use tokio::time::timeout;

use crate::database::{Pools, WriteConnection};
use crate::files::{Files, beside};
use crate::pool::Pool;

static SQLITE: Migrator = sqlx::migrate!("../../migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("../../migrations/postgres");

/// `KCRS`, by which `file` and others know the format.
const APPLICATION: &str = "pragma application_id = 0x4b435253";
const NEWEST: &str = "select version, description from _sqlx_migrations order by version desc limit 1";

/// How the database is used.
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest any call may take before its caller is told that storage is unavailable.
    pub time_limit: Duration,
    /// The most appends that share one transaction.
    pub batch_limit: usize,
    /// How many appends may wait; more make their callers wait to hand theirs in.
    pub queue_limit: usize,
    /// Connections for reading (SQLite), or for everything but the writer (PostgreSQL).
    pub connections: u32,
    /// The most pages the SQLite file may grow to; then it is full. Pages have 4 KiB.
    pub sqlite_max_pages: Option<u32>,
    /// What is done about an older schema.
    pub schema: Schema,
}

/// What is done about a schema that is older than this binary's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// It is brought up to date.
    Migrate,
    /// It is refused and left as it is, for those who only look.
    AsItIs,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            time_limit: Duration::from_secs(5),
            batch_limit: 512,
            queue_limit: 4096,
            connections: 8,
            sqlite_max_pages: None,
            schema: Schema::Migrate,
        }
    }
}

/// Why a database cannot be used. Each message says what to look at.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder of a SQLite file is missing, or the file cannot be made in it.
    #[error("cannot create or open the database file {path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file or its folder cannot be written.
    #[error("the database file {0} is read-only")]
    ReadOnly(PathBuf),
    /// The file holds something else.
    #[error("the file {0} is not a SQLite database")]
    NotADatabase(PathBuf),
    /// The file has another name, under which a second server would not find the first.
    #[error(
        "the database file {0} has more than one name (a hard link): a server under the other name would use it at the \
        same time; remove the other name, or copy the file with `backup`"
    )]
    Linked(PathBuf),
    /// The file was emptied.
    #[error(
        "the database file {path} is empty, but {beside} says that it held a database; restore a backup, or remove \
        both to begin a new one"
    )]
    Emptied {
        /// The file.
        path: PathBuf,
        /// What a database left behind.
        beside: PathBuf,
    },
    /// Another process keeps the file locked.
    #[error("the database file {0} is locked by another process")]
    Locked(PathBuf),
    /// There is no room to write the schema.
    #[error("no space left for the database {0}")]
    Full(String),
    /// The URL cannot be read.
    #[error("the database URL is malformed: {0}")]
    Url(String),
    /// No server answers at the address.
    #[error("cannot reach the PostgreSQL server at {address}: {reason}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// What the network says.
        reason: String,
    },
    /// The server is there but takes nobody yet.
    #[error("the PostgreSQL server at {address} takes no connections at the moment: {reason}")]
    Starting {
        /// Host and port.
        address: String,
        /// What the server says.
        reason: String,
    },
    /// No secure connection can be made.
    #[error("cannot use TLS with the PostgreSQL server at {address}: {reason}")]
    Tls {
        /// Host and port.
        address: String,
        /// What is wrong with the certificate, or with a file that the URL names.
        reason: String,
    },
    /// Not every name can be stored.
    #[error(
        "the database `{name}` has the encoding {encoding}, which cannot hold every name: Kingscross needs UTF8 \
        (`create database {name} encoding 'UTF8' template template0`)"
    )]
    Encoding {
        /// The database.
        name: String,
        /// Its encoding.
        encoding: String,
    },
    /// A pooler gives each transaction another connection.
    #[error(
        "{0} is a pooler that hands its connections to another client after every transaction (pgbouncer: \
        pool_mode = transaction or statement); connect to PostgreSQL itself, or set pool_mode = session"
    )]
    Pooler(String),
    /// Another process changes the schema.
    #[error("another process holds locks on the schema of the database at {0}; is a migration under way?")]
    Busy(String),
    /// The server knows no such database.
    #[error("the database `{0}` does not exist on the PostgreSQL server")]
    Absent(String),
    /// The server refuses the user.
    #[error("the PostgreSQL server refuses the user `{0}`: wrong name, password or rights")]
    Denied(String),
    /// A newer binary has been here.
    #[error(
        "the database has schema {found} ({name}), newer than this binary's {known}: use a newer kingscross"
    )]
    Newer {
        /// The newest migration in the database.
        found: i64,
        /// Its name.
        name: String,
        /// The newest migration in this binary.
        known: i64,
    },
    /// An older binary has been here, and nothing is to be changed.
    #[error(
        "the database has schema {found}, older than this binary's {known}: `serve` brings it up to date"
    )]
    Older {
        /// The newest migration in the database; 0 for none.
        found: i64,
        /// The newest migration in this binary.
        known: i64,
    },
    /// A migration that was applied is not the one in this binary.
    #[error("the database was made by another build: migration {0} differs")]
    Differs(i64),
    /// Anything else.
    #[error("cannot use the database: {0}")]
    Other(String),
}

impl OpenError {
    /// Whether it may pass by itself, as when the database starts after its server.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Starting { .. })
    }
}

/// Opens the pools and migrates.
pub(crate) async fn open(location: &str, options: &Options) -> Result<Pools, OpenError> {
    match sqlite_file(location) {
        Some(path) => open_sqlite(path, options).await,
        None => open_postgres(location, options).await,
    }
}

/// The file of a location that names a SQLite database, with or without `sqlite://` before it.
pub fn sqlite_file(location: &str) -> Option<&Path> {
    let is_postgres = location.starts_with("postgres://") || location.starts_with("postgresql://");
    (!is_postgres).then(|| Path::new(location.strip_prefix("sqlite://").unwrap_or(location)))
}

async fn open_sqlite(path: &Path, options: &Options) -> Result<Pools, OpenError> {
    let fault = |error: &sqlx::Error| sqlite_error(path, error);
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir()) {
        let reason = format!("there is no folder {}", parent.display());
        return Err(OpenError::File { path: path.to_owned(), reason });
    }
    if path.is_dir() {
        return Err(OpenError::File { path: path.to_owned(), reason: "it is a folder".to_owned() });
    }
    check_file(path)?;
    let mut connect = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // Below the writer's limit, so that a lock is reported as such.
        .busy_timeout(options.time_limit.mul_f32(0.8))
        // Pages that are written again and again cost one write to the file instead of many; 16 MiB of log at most.
        .pragma("wal_autocheckpoint", "4000")
        // Room for the writer's statements of every length beside all others.
        .statement_cache_capacity(256)
        .optimize_on_close(true, 400)
        .disable_statement_logging();
    if let Some(pages) = options.sqlite_max_pages {
        connect = connect.pragma("max_page_count", pages.to_string());
    }
    let mut write = SqliteConnection::connect_with(&connect).await.map_err(|error| fault(&error))?;
    // A read-only file opens happily, so the first write is made here and not in the first game.
    sqlx::query(APPLICATION).execute(&mut write).await.map_err(|error| fault(&error))?;
    let has_schema: Option<i64> =
        sqlx::query_scalar("select 1 from sqlite_master where name = '_sqlx_migrations'")
            .fetch_optional(&mut write)
            .await
            .map_err(|error| fault(&error))?;
    let newest = match has_schema {
        Some(_) => sqlx::query_as(NEWEST).fetch_optional(&mut write).await.map_err(|error| fault(&error))?,
        None => None,
    };
    check_schema(newest, &SQLITE, options.schema)?;
    SQLITE.run(&mut write).await.map_err(|error| migrate_error(error, fault))?;
    if options.schema == Schema::Migrate {
        mark(&mut write).await.map_err(|error| fault(&error))?;
    }
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

/// Refuses a file that cannot be the one database of one server.
fn check_file(path: &Path) -> Result<(), OpenError> {
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

/// Gives a new database a random number in the head of its file, by which it is told from every other one.
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

async fn open_postgres(url: &str, options: &Options) -> Result<Pools, OpenError> {
    let connect = PgConnectOptions::from_str(url)
        .map_err(|error| OpenError::Url(error.to_string()))?
        .application_name("kingscross")
        // PostgreSQL prints floats exactly by itself, and pgbouncer refuses the parameter.
        .extra_float_digits(None)
        .disable_statement_logging();
    let limit = options.time_limit;
    let fault = |error: &sqlx::Error| postgres_error(url, &connect, error);
    // The pool would take a refused connection for a server that is starting and try until its time is up; at the
    // start of ours the reason matters more.
    let look = async {
        let mut connection = PgConnection::connect_with(&connect).await?;
        if is_pooler(&mut connection, &connect).await? {
            return Ok(Err(OpenError::Pooler(address(&connect))));
        }
        let (encoding, name): (String, String) =
            sqlx::query_as("select current_setting('server_encoding'), current_database()::text")
                .fetch_one(&mut connection)
                .await?;
        if encoding != "UTF8" {
            return Ok(Err(OpenError::Encoding { name, encoding }));
        }
        let has_schema: bool = sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null")
            .fetch_one(&mut connection)
            .await?;
        let newest =
            if has_schema { sqlx::query_as(NEWEST).fetch_optional(&mut connection).await? } else { None };
        // Whoever holds a lock on the schema is not waited for without end.
        let patience = limit.mul_f32(0.8).as_millis().max(1);
        let sql = AssertSqlSafe(format!("set lock_timeout = {patience}"));
        sqlx::raw_sql(sql).execute(&mut connection).await?;
        let pid = backend(&mut connection).await?;
        Ok(Ok((connection, pid, newest)))
    };
    let looked = timeout(limit, look).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
    let (mut connection, pid, newest) = looked.map_err(|error| fault(&error))??;
    check_schema(newest, &POSTGRES, options.schema)?;
    let migrated = while_it_works(&connect, pid, limit, POSTGRES.run(&mut connection)).await;
    migrated.map_err(|error| fault(&error))?.map_err(|error| migrate_error(error, fault))?;
    // Dropped and not closed in order: sqlx's close waits over TLS for an answer that never comes.
    drop(connection);
    Ok(Pools::Postgres { pool: Pool::new(connect, options.connections, limit) })
}

/// The server process behind a connection, asked without a prepared statement, which a pooler might lose.
async fn backend(connection: &mut PgConnection) -> sqlx::Result<i32> {
    sqlx::raw_sql("select pg_backend_pid()").fetch_one(connection).await?.try_get(0)
}

/// Whether two connections share their server processes: then neither prepared statements nor locks of a session
/// can be used.
async fn is_pooler(first: &mut PgConnection, connect: &PgConnectOptions) -> sqlx::Result<bool> {
    let mut second = PgConnection::connect_with(connect).await?;
    // Twice each, since a pooler may go round its connections.
    let first = [backend(first).await?, backend(first).await?];
    let second = [backend(&mut second).await?, backend(&mut second).await?];
    Ok(first[0] != first[1] || second[0] != second[1] || first[0] == second[0])
}

/// Waits for work on the connection of a server process for as long as that process is at it: a migration of many
/// games takes its time, a connection that has died gives no answer at all.
async fn while_it_works<T>(
    connect: &PgConnectOptions,
    pid: i32,
    limit: Duration,
    work: impl Future<Output = T>,
) -> sqlx::Result<T> {
    let mut work = std::pin::pin!(work);
    let mut idle = 0;
    loop {
        if let Ok(done) = timeout(limit, &mut work).await {
            return Ok(done);
        }
        let look = async {
            let mut connection = PgConnection::connect_with(connect).await?;
            let sql = "select count(*) from pg_stat_activity where pid = $1 and state = 'active'";
            sqlx::query_scalar::<_, i64>(sql).bind(pid).fetch_one(&mut connection).await
        };
        let active = timeout(limit, look).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))?;
        // Once may be between two statements.
        idle = if active == 0 { idle + 1 } else { 0 };
        if idle == 2 {
            return Err(sqlx::Error::PoolTimedOut);
        }
    }
}

/// Refuses a schema that a newer binary made, by name, and an older one where it is not to be changed.
fn check_schema(newest: Option<(i64, String)>, known: &Migrator, schema: Schema) -> Result<(), OpenError> {
    let known = known.iter().map(|migration| migration.version).max().unwrap_or(0);
    let (found, name) = newest.unwrap_or_default();
    match schema {
        _ if found > known => Err(OpenError::Newer { found, name, known }),
        Schema::AsItIs if found < known => Err(OpenError::Older { found, known }),
        Schema::AsItIs | Schema::Migrate => Ok(()),
    }
}

fn migrate_error(error: MigrateError, fault: impl Fn(&sqlx::Error) -> OpenError) -> OpenError {
    match error {
        MigrateError::VersionMissing(version) | MigrateError::VersionMismatch(version) => {
            OpenError::Differs(version)
        }
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => fault(&error),
        other => OpenError::Other(other.to_string()),
    }
}

fn sqlite_error(path: &Path, error: &sqlx::Error) -> OpenError {
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

fn address(connect: &PgConnectOptions) -> String {
    format!("{}:{}", connect.get_host(), connect.get_port())
}

fn postgres_error(url: &str, connect: &PgConnectOptions, error: &sqlx::Error) -> OpenError {
    let address = address(connect);
    if let Some(database) = error.as_database_error() {
        return match database.code().as_deref() {
            Some("3D000") => OpenError::Absent(connect.get_database().unwrap_or_default().to_owned()),
            Some("28000" | "28P01" | "42501") => OpenError::Denied(connect.get_username().to_owned()),
            Some("25006") => OpenError::Other("the PostgreSQL server is read-only".to_owned()),
            Some("53100") => OpenError::Full(address),
            Some("55P03") => OpenError::Busy(address),
            // It starts, stops, recovers, or has no connection left.
            Some("57P01" | "57P02" | "57P03" | "53300") => {
                OpenError::Starting { address, reason: database.message().to_owned() }
            }
            _ => OpenError::Other(error.to_string()),
        };
    }
    match error {
        // Certificates are judged while bytes are read, so what is wrong with them comes as a fault of reading.
        sqlx::Error::Io(reason) if reason.kind() == ErrorKind::InvalidData => {
            let mut reason = reason.to_string();
            if reason.contains("CaUsedAsEndEntity") {
                reason.push_str(
                    "; the server shows the certificate of an authority, as `openssl req -x509` makes it: sign one for \
                    the server with it",
                );
            }
            OpenError::Tls { address, reason }
        }
        sqlx::Error::Io(reason) if reason.kind() == ErrorKind::NotFound && url.contains("sslrootcert=") => {
            OpenError::Tls { address, reason: format!("a file that the URL names: {reason}") }
        }
        sqlx::Error::Io(reason) => OpenError::Unreachable { address, reason: reason.to_string() },
        sqlx::Error::PoolTimedOut => {
            OpenError::Unreachable { address, reason: "no answer in time".to_owned() }
        }
        sqlx::Error::Tls(reason) => OpenError::Tls { address, reason: reason.to_string() },
        _ => OpenError::Other(error.to_string()),
    }
}
