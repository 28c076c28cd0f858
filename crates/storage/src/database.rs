//! The two databases behind one set of statements: pools, connections, and the macros that pick one.

use sqlx::{Connection as _, PgConnection, PgPool, SqliteConnection, SqlitePool};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

/// The pools of one database.
pub(crate) enum Pools {
    Sqlite { read: SqlitePool, write: WriteConnection },
    Postgres { pool: PgPool },
}

/// SQLite lets one connection write at a time, so writers queue here, in order, instead of polling the file's lock.
/// A pool of one would do the same but test the connection after every use, which costs as much as a statement.
/// Held across `await`, as the lock of a connection must be; absent once closed.
pub(crate) struct WriteConnection(Mutex<Option<SqliteConnection>>);

impl WriteConnection {
    pub(crate) fn new(connection: SqliteConnection) -> Self {
        Self(Mutex::new(Some(connection)))
    }

    pub(crate) async fn lock(&self) -> sqlx::Result<MappedMutexGuard<'_, SqliteConnection>> {
        MutexGuard::try_map(self.0.lock().await, Option::as_mut).map_err(|_| sqlx::Error::PoolClosed)
    }

    pub(crate) async fn close(&self) -> sqlx::Result<()> {
        match self.0.lock().await.take() {
            Some(connection) => connection.close().await,
            None => Ok(()),
        }
    }
}

/// A connection inside a transaction, for what several statements share.
pub(crate) enum Connection<'c> {
    Sqlite(&'c mut SqliteConnection),
    Postgres(&'c mut PgConnection),
}

/// Runs an expression with the pool to read from.
macro_rules! reading {
    ($store:expr, $db:ident => $body:expr) => {
        match &*$store.inner.pools {
            $crate::database::Pools::Sqlite { read: $db, .. } => $body,
            $crate::database::Pools::Postgres { pool: $db } => $body,
        }
    };
}

/// Runs an expression with the pool to write to; one statement is its own transaction.
macro_rules! writing {
    ($store:expr, $db:ident => $body:expr) => {
        match &*$store.inner.pools {
            $crate::database::Pools::Sqlite { write, .. } => {
                let mut guard = write.lock().await?;
                let $db = &mut *guard;
                $body
            }
            $crate::database::Pools::Postgres { pool: $db } => $body,
        }
    };
}

/// Runs an expression with a [`Connection`] in a write transaction and commits; `?` rolls back.
macro_rules! transaction {
    ($store:expr, $connection:ident => $body:expr) => {
        match &*$store.inner.pools {
            $crate::database::Pools::Sqlite { write, .. } => {
                // Immediate: a transaction that reads first and then writes could fail half way otherwise.
                let mut guard = write.lock().await?;
                let mut transaction = sqlx::Connection::begin_with(&mut *guard, "begin immediate").await?;
                let value = {
                    let mut $connection = $crate::database::Connection::Sqlite(&mut transaction);
                    $body
                };
                transaction.commit().await?;
                value
            }
            $crate::database::Pools::Postgres { pool } => {
                let mut transaction = pool.begin().await?;
                let value = {
                    let mut $connection = $crate::database::Connection::Postgres(&mut transaction);
                    $body
                };
                transaction.commit().await?;
                value
            }
        }
    };
}

/// Runs an expression with the driver's connection inside a [`Connection`].
macro_rules! on {
    ($connection:expr, $db:ident => $body:expr) => {
        match &mut $connection {
            $crate::database::Connection::Sqlite(connection) => {
                let $db = &mut **connection;
                $body
            }
            $crate::database::Connection::Postgres(connection) => {
                let $db = &mut **connection;
                $body
            }
        }
    };
}

/// Reads a row of either database into a type.
macro_rules! from_row {
    ($type:ty, |$row:ident| $body:expr) => {
        impl<'r> sqlx::FromRow<'r, sqlx::sqlite::SqliteRow> for $type {
            fn from_row($row: &'r sqlx::sqlite::SqliteRow) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok($body)
            }
        }
        impl<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow> for $type {
            fn from_row($row: &'r sqlx::postgres::PgRow) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok($body)
            }
        }
    };
}
