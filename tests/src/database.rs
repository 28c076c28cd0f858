//! A database of its own for every test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kingscross_storage::{Options, Store};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use tempfile::TempDir;

/// The variable that names a PostgreSQL server for tests.
const SERVER: &str = "KINGSCROSS_TEST_POSTGRES";

/// A database that a test may fill. Clones are the same one.
#[derive(Clone)]
pub struct Database {
    /// What `Store::open` takes.
    pub location: String,
    /// How it is opened.
    pub options: Options,
    _folder: Option<Arc<TempDir>>,
    server: Option<(String, String)>,
}

impl Database {
    /// An empty SQLite file, deleted with the last clone.
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let location = folder.path().join("test.db").to_str().expect("its name is plain").to_owned();
        Self { location, options: Options::default(), _folder: Some(Arc::new(folder)), server: None }
    }

    /// An empty database on the server of the environment, if there is one.
    pub async fn postgres() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let url = std::env::var(SERVER).ok()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kingscross_system_{}_{number}", std::process::id());
        let mut server = PgConnection::connect(&url).await.expect("the test server answers");
        let sql = AssertSqlSafe(format!("create database {name}"));
        sqlx::query(sql).execute(&mut server).await.expect("the test may create databases");
        let (base, _) = url.rsplit_once('/').expect("the URL names a database");
        let location = format!("{base}/{name}");
        Some(Self { location, options: Options::default(), _folder: None, server: Some((url, name)) })
    }

    /// A database that somebody else has made.
    pub(crate) fn at(location: String, options: Options) -> Self {
        Self { location, options, _folder: None, server: None }
    }

    /// Opens it as the server would.
    pub async fn open(&self) -> Store {
        Store::open(&self.location, self.options.clone()).await.expect("the database opens")
    }

    /// Runs SQL in it: what is for SQLite, or what is for PostgreSQL.
    pub async fn sql(&self, sqlite: &str, postgres: &str) {
        let sql = |sql: &str| AssertSqlSafe(sql.to_owned());
        if self.server.is_some() {
            let mut connection =
                PgConnection::connect(&self.location).await.expect("the test server answers");
            sqlx::raw_sql(sql(postgres)).execute(&mut connection).await.expect("sound SQL");
        } else {
            let mut connection = SqliteConnection::connect(&self.location).await.expect("the file is there");
            sqlx::raw_sql(sql(sqlite)).execute(&mut connection).await.expect("sound SQL");
            connection.close().await.expect("closes");
        }
    }

    /// Removes it from its server. A failed test leaves its database behind for a look at it.
    pub async fn remove(self) {
        if let Some((url, name)) = self.server {
            let mut server = PgConnection::connect(&url).await.expect("the test server answers");
            let sql = AssertSqlSafe(format!("drop database {name} with (force)"));
            sqlx::query(sql).execute(&mut server).await.expect("a test's database can be dropped");
        }
    }
}
