//! Opening a database: where it is, whether it can be used, and its schema.

mod postgres;
mod sqlite;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};

use crate::database::Pools;

const NEWEST: &str = "select version, description from _sqlx_migrations order by version desc limit 1";

/// How the database is used.
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest that any call may take.
    pub time_limit: Duration,
    /// The most appends that share one transaction.
    pub batch_limit: usize,
    /// The most appends in the queue; further callers wait for room.
    pub queue_limit: usize,
    /// Connections for reading (SQLite) or for everything but the writer (PostgreSQL).
    pub connections: u32,
    /// The most pages of 4 KiB that the SQLite file may have.
    pub sqlite_max_pages: Option<u32>,
    /// What happens to an older schema.
    pub schema: Schema,
}

/// What happens to a schema that is older than this binary's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// It is brought up to date.
    Migrate,
    /// It is refused and left unchanged.
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

/// Why a database cannot be used. Each message says what to check.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The SQLite file cannot be created or opened.
    #[error("cannot create or open the database file {path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The file or its folder is read-only.
    #[error("the database file {0} is read-only")]
    ReadOnly(PathBuf),
    /// The file is not a SQLite database.
    #[error("the file {0} is not a SQLite database")]
    NotADatabase(PathBuf),
    /// The file has a second name, under which two servers would not notice each other.
    #[error(
        "the database file {0} has more than one name (a hard link), so that a second server could use it unnoticed; \
        remove the other name, or copy the file with `backup`"
    )]
    Linked(PathBuf),
    /// The file was emptied.
    #[error(
        "the database file {path} is empty, but {beside} says that it held a database; restore a backup, or remove \
        both to start a new one"
    )]
    Emptied {
        /// The file.
        path: PathBuf,
        /// A file that the database left behind.
        beside: PathBuf,
    },
    /// Another process keeps the file locked.
    #[error("the database file {0} is locked by another process")]
    Locked(PathBuf),
    /// The disk is full.
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
        /// The network's reason.
        reason: String,
    },
    /// The server runs but accepts no connections yet.
    #[error("the PostgreSQL server at {address} accepts no connections at the moment: {reason}")]
    Starting {
        /// Host and port.
        address: String,
        /// The server's reason.
        reason: String,
    },
    /// No secure connection can be made.
    #[error("cannot use TLS with the PostgreSQL server at {address}: {reason}")]
    Tls {
        /// Host and port.
        address: String,
        /// What is wrong with the certificate, or with a file named in the URL.
        reason: String,
    },
    /// The encoding cannot hold every name.
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
    /// Another process holds locks on the schema.
    #[error("another process holds locks on the schema of the database at {0}; is a migration running?")]
    Busy(String),
    /// The server has no such database.
    #[error("the database `{0}` does not exist on the PostgreSQL server")]
    Absent(String),
    /// The server refuses the user.
    #[error("the PostgreSQL server refuses the user `{0}`: wrong name, password or rights")]
    Denied(String),
    /// A newer binary migrated the database.
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
    /// An older binary made the database, and [`Schema::AsItIs`] forbids the migration.
    #[error(
        "the database has schema {found}, older than this binary's {known}: `serve` brings it up to date"
    )]
    Older {
        /// The newest migration in the database; 0 for none.
        found: i64,
        /// The newest migration in this binary.
        known: i64,
    },
    /// An applied migration differs from the one in this binary.
    #[error("the database was made by another build: migration {0} differs")]
    Differs(i64),
    /// Anything else.
    #[error("cannot use the database: {0}")]
    Other(String),
}

impl OpenError {
    /// Whether waiting may help, as when the database starts after its server.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Starting { .. })
    }
}

/// Opens the pools and migrates.
pub(crate) async fn open(location: &str, options: &Options) -> Result<Pools, OpenError> {
    match sqlite_file(location) {
        Some(path) => sqlite::open(path, options).await,
        None => postgres::open(location, options).await,
    }
}

/// The file of a SQLite location, with or without a leading `sqlite://`. None for a PostgreSQL URL.
pub fn sqlite_file(location: &str) -> Option<&Path> {
    let is_postgres = location.starts_with("postgres://") || location.starts_with("postgresql://");
    (!is_postgres).then(|| Path::new(location.strip_prefix("sqlite://").unwrap_or(location)))
}

/// Refuses a newer schema, and an older one that must not be migrated.
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
