//! A database of its own for every test, dropped at its end.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};

use kingscross_storage::{Options, Store};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tempfile::TempDir;

/// The variable that names a PostgreSQL server for tests.
const SERVER: &str = "KINGSCROSS_TEST_POSTGRES";

/// A database that a test may fill.
pub(crate) struct Database {
    /// What `Store::open` takes.
    pub(crate) location: String,
    place: Place,
}

enum Place {
    File { _folder: TempDir },
    Server { url: String, name: String },
}

impl Database {
    /// An empty SQLite file.
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let location = folder.path().join("test.db").to_str().expect("its name is plain").to_owned();
        Self { location, place: Place::File { _folder: folder } }
    }

    /// An empty database on the server of the environment, if there is one.
    pub(crate) async fn postgres() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let url = std::env::var(SERVER).ok()?;
        let name = format!("kingscross_test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut server = PgConnection::connect(&url).await.expect("the test server answers");
        sqlx::query(AssertSqlSafe(format!("create database {name}")))
            .execute(&mut server)
            .await
            .expect("the test may create databases");
        let location = with_database(&url, &name);
        Some(Self { location, place: Place::Server { url, name } })
    }

    /// Opens it as the server would.
    pub(crate) async fn open(&self) -> Store {
        self.open_with(Options::default()).await
    }

    /// Opens it with options.
    pub(crate) async fn open_with(&self, options: Options) -> Store {
        Store::open(&self.location, options).await.expect("a fresh database opens")
    }

    /// Host and port of the server.
    pub(crate) fn authority(&self) -> &str {
        let (_, rest) = self.location.split_once("://").expect("it is a URL");
        let host = rest.split(['/', '?']).next().expect("a split has a first part");
        host.rsplit_once('@').map_or(host, |(_, host)| host)
    }

    /// The location with another host and port.
    pub(crate) fn through(&self, address: SocketAddr) -> String {
        self.location.replacen(self.authority(), &address.to_string(), 1)
    }

    /// A connection to the server beside the store, for what the store must not be able to do.
    pub(crate) async fn server(&self) -> Option<PgConnection> {
        match &self.place {
            Place::File { .. } => None,
            Place::Server { url, .. } => {
                Some(PgConnection::connect(url).await.expect("the test server answers"))
            }
        }
    }

    /// The name on the server.
    pub(crate) fn name(&self) -> &str {
        match &self.place {
            Place::File { .. } => "",
            Place::Server { name, .. } => name,
        }
    }

    /// Removes it. A failed test leaves its database behind for a look at it.
    pub(crate) async fn remove(self) {
        if let Some(mut server) = self.server().await {
            let sql = format!("drop database {} with (force)", self.name());
            sqlx::query(AssertSqlSafe(sql))
                .execute(&mut server)
                .await
                .expect("a test's database can be dropped");
        }
    }
}

/// The same server, another database.
pub(crate) fn with_database(url: &str, name: &str) -> String {
    let (base, query) = url.split_once('?').map_or((url, None), |(base, query)| (base, Some(query)));
    let authority = base.find("://").map_or(0, |at| at + 3);
    let base = base[authority..].find('/').map_or(base, |slash| &base[..authority + slash]);
    match query {
        Some(query) => format!("{base}/{name}?{query}"),
        None => format!("{base}/{name}"),
    }
}

/// Tells a story, an async function of a `&Database`, on both databases.
macro_rules! stories {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test]
            async fn $name() {
                let database = $crate::databases::Database::sqlite();
                super::$name(&database).await;
                database.remove().await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test]
            async fn $name() {
                if let Some(database) = $crate::databases::Database::postgres().await {
                    super::$name(&database).await;
                    database.remove().await;
                }
            })*
        }
    };
}
