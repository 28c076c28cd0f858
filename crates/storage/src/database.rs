//! The two databases behind one set of statements: pools, connections, and the macros that pick one.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, PgConnection, SqliteConnection, SqlitePool};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};
use tokio::time::timeout;

use crate::fault::{FaultKind, kind};
use crate::files::Files;
use crate::pool::Pool;

/// The pools of one database.
pub(crate) enum Pools {
    Sqlite { read: SqlitePool, write: WriteConnection },
    Postgres { pool: Pool },
}

/// SQLite lets one connection write at a time, so writers queue here, in order, instead of polling the file's lock.
/// A pool of one would do the same but test the connection after every use, which costs as much as a statement.
pub(crate) struct WriteConnection {
    // Held across `await`, as the lock of a connection must be; absent once closed.
    connection: Mutex<Option<SqliteConnection>>,
    // Held by everyone but the writer of games before they queue for the connection, so that at most one of them
    // waits there and the writer never queues behind many.
    turn: Mutex<()>,
    connect: Box<SqliteConnectOptions>,
    limit: Duration,
    is_suspect: AtomicBool,
    // None for a database in memory.
    files: Option<Box<Files>>,
}

/// The connection, for as long as it is held.
pub(crate) struct Held<'c> {
    // Given back in this order: whoever is next must find the connection free.
    connection: MappedMutexGuard<'c, SqliteConnection>,
    _turn: Option<MutexGuard<'c, ()>>,
}

impl Deref for Held<'_> {
    type Target = SqliteConnection;
    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl WriteConnection {
    /// Nobody waits longer than `limit` for their turn.
    pub(crate) fn new(
        connection: SqliteConnection,
        connect: SqliteConnectOptions,
        limit: Duration,
        files: Option<Files>,
    ) -> Self {
        let (connect, is_suspect) = (Box::new(connect), AtomicBool::new(false));
        let connection = Mutex::new(Some(connection));
        Self { connection, turn: Mutex::default(), connect, limit, is_suspect, files: files.map(Box::new) }
    }

    /// The files of the database.
    pub(crate) fn files(&self) -> Option<&Files> {
        self.files.as_deref()
    }

    /// Fails when the files are not where they were. Before a write it spares the work; behind a commit it tells
    /// whether what was written is to be found at the next start.
    pub(crate) fn in_place(&self) -> sqlx::Result<()> {
        let Some(files) = self.files() else { return Ok(()) };
        files.check().map_err(|gone| sqlx::Error::Io(std::io::Error::other(gone)))?;
        files.check_content().map_err(|damage| sqlx::Error::Io(std::io::Error::other(damage)))
    }

    /// Remembers what SQLite says of damage.
    pub(crate) fn found_damaged(&self, error: &str) {
        if let Some(files) = &self.files {
            files.found_damaged(error);
        }
    }

    /// The connection for anyone but the writer of games.
    pub(crate) async fn lock(&self) -> sqlx::Result<Held<'_>> {
        let locked = async {
            let turn = self.turn.lock().await;
            let mut connection = self.locked().await?;
            self.mend(&mut connection, true).await?;
            Ok(Held { connection, _turn: Some(turn) })
        };
        timeout(self.limit, locked).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// The connection for the writer of games, which comes before all others and limits its waiting by itself.
    pub(crate) async fn lock_first(&self) -> sqlx::Result<Held<'_>> {
        let mut connection = self.locked().await?;
        let is_suspect = self.is_suspect.swap(false, Ordering::Relaxed);
        self.mend(&mut connection, is_suspect).await?;
        Ok(Held { connection, _turn: None })
    }

    /// The writer has failed on the connection: it is looked at before the next use.
    pub(crate) fn suspect(&self) {
        self.is_suspect.store(true, Ordering::Relaxed);
    }

    async fn locked(&self) -> sqlx::Result<MappedMutexGuard<'_, SqliteConnection>> {
        self.in_place()?;
        MutexGuard::try_map(self.connection.lock().await, Option::as_mut).map_err(|_| sqlx::Error::PoolClosed)
    }

    /// Replaces a connection that is of no use any more: its thread has ended, or it counts a transaction that
    /// SQLite has rolled back by itself (a full disk, a failed read), within which none can be begun.
    async fn mend(&self, connection: &mut SqliteConnection, is_suspect: bool) -> sqlx::Result<()> {
        if !is_suspect && !connection.is_in_transaction() {
            return Ok(());
        }
        // The answer comes after the rollback of a transaction that was given up.
        if connection.ping().await.is_ok() && !connection.is_in_transaction() {
            return Ok(());
        }
        tracing::warn!("the connection that writes is replaced");
        *connection = SqliteConnection::connect_with(&self.connect).await?;
        Ok(())
    }

    /// Runs a call of SQLite's within the time limit.
    pub(crate) async fn bounded<T>(&self, call: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        let result = timeout(self.limit, call).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        if let Err(error) = &result
            && kind(error) == FaultKind::Damaged
        {
            self.found_damaged(&error.to_string());
        }
        result
    }

    pub(crate) async fn close(&self) -> sqlx::Result<()> {
        match self.connection.lock().await.take() {
            Some(connection) => connection.close().await,
            None => Ok(()),
        }
    }
}

/// Begins a transaction of PostgreSQL's whose reads all see the same; SQLite's always do.
pub(crate) const SNAPSHOT: &str = "begin isolation level repeatable read, read only";

/// A connection inside a transaction, for what several statements share.
pub(crate) enum Connection<'c> {
    Sqlite(&'c mut SqliteConnection),
    Postgres(&'c mut PgConnection),
}

/// Runs an expression with the pool to read from, within the time limit.
macro_rules! reading {
    ($store:expr, $db:ident => $body:expr) => {
        match &*$store.inner.pools {
            $crate::database::Pools::Sqlite { read: $db, write } => {
                write.bounded(async { Ok($body) }).await?
            }
            $crate::database::Pools::Postgres { pool } => {
                let generation = pool.current();
                let $db = &generation.pool;
                pool.bounded(&generation, async { Ok($body) }).await?
            }
        }
    };
}

/// Runs an expression with a [`Connection`] whose reads all see the database as the first one saw it, within the time
/// limit.
macro_rules! snapshot {
    ($store:expr, $connection:ident => $body:expr) => {
        match &*$store.inner.pools {
            $crate::database::Pools::Sqlite { read, write } => {
                let call = async {
                    let mut transaction = read.begin().await?;
                    let mut $connection = $crate::database::Connection::Sqlite(&mut transaction);
                    let value = $body;
                    transaction.rollback().await?;
                    Ok(value)
                };
                write.bounded(call).await?
            }
            $crate::database::Pools::Postgres { pool } => {
                let generation = pool.current();
                let call = async {
                    let mut transaction = generation.pool.begin_with($crate::database::SNAPSHOT).await?;
                    let mut $connection = $crate::database::Connection::Postgres(&mut transaction);
                    let value = $body;
                    transaction.rollback().await?;
                    Ok(value)
                };
                pool.bounded(&generation, call).await?
            }
        }
    };
}

/// Runs an expression with the pool to write to, within the time limit; one statement is its own transaction.
macro_rules! writing {
    ($store:expr, $db:ident => $body:expr) => {
        match &*$store.inner.pools {
            $crate::database::Pools::Sqlite { write, .. } => {
                let call = async {
                    let mut guard = write.lock().await?;
                    let $db = &mut *guard;
                    let value = $body;
                    write.in_place()?;
                    Ok(value)
                };
                write.bounded(call).await?
            }
            $crate::database::Pools::Postgres { pool } => {
                let generation = pool.current();
                let $db = &generation.pool;
                pool.bounded(&generation, async { Ok($body) }).await?
            }
        }
    };
}

/// Runs an expression with a [`Connection`] in a write transaction and commits, within the time limit; `?` and
/// `return Err` roll back.
macro_rules! transaction {
    ($store:expr, $connection:ident => $body:expr) => {
        match &*$store.inner.pools {
            $crate::database::Pools::Sqlite { write, .. } => {
                let call = async { Ok(in_transaction!(sqlite write, $connection => $body)) };
                write.bounded(call).await?
            }
            $crate::database::Pools::Postgres { pool } => {
                let generation = pool.current();
                let call = async { Ok(in_transaction!(postgres &generation.pool, $connection => $body)) };
                pool.bounded(&generation, call).await?
            }
        }
    };
}

/// The same without a time limit, for work on a whole database that nobody at a table waits for.
macro_rules! long_transaction {
    ($store:expr, $connection:ident => $body:expr) => {
        match &*$store.inner.pools {
            $crate::database::Pools::Sqlite { write, .. } => {
                in_transaction!(sqlite write, $connection => $body)
            }
            $crate::database::Pools::Postgres { pool } => {
                let connections = pool.current().pool;
                in_transaction!(postgres connections, $connection => {
                    if let $crate::database::Connection::Postgres(connection) = &mut $connection {
                        // What comes from a file or a pipe may let the transaction wait.
                        sqlx::query("set local idle_in_transaction_session_timeout = 0")
                            .execute(&mut **connection)
                            .await?;
                    }
                    $body
                })
            }
        }
    };
}

/// The transaction of the macros above.
macro_rules! in_transaction {
    (sqlite $write:expr, $connection:ident => $body:expr) => {{
        // Immediate: a transaction that reads first and then writes could fail half way otherwise.
        let mut guard = $write.lock().await?;
        let mut transaction = sqlx::Connection::begin_with(&mut *guard, "begin immediate").await?;
        let value = {
            let mut $connection = $crate::database::Connection::Sqlite(&mut transaction);
            $body
        };
        transaction.commit().await?;
        $write.in_place()?;
        value
    }};
    (postgres $pool:expr, $connection:ident => $body:expr) => {{
        let mut transaction = $pool.begin().await?;
        let value = {
            let mut $connection = $crate::database::Connection::Postgres(&mut transaction);
            $body
        };
        transaction.commit().await?;
        value
    }};
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_writer_comes_before_all_who_wait() {
        let connect = SqliteConnectOptions::new().in_memory(true);
        let connection = SqliteConnection::connect_with(&connect).await.expect("memory");
        let write = WriteConnection::new(connection, connect, Duration::from_secs(60), None);
        let (order, mut served) = tokio::sync::mpsc::unbounded_channel();
        let first = write.lock().await.expect("free");
        let others = async {
            for number in 0..3 {
                drop(write.lock().await.expect("in turn"));
                order.send(format!("other {number}")).expect("heard");
            }
        };
        let writer = async {
            drop(write.lock_first().await.expect("in turn"));
            order.send("writer".to_owned()).expect("heard");
        };
        let release = async { drop(first) };
        // Polled in this order: the others wait already when the writer comes.
        tokio::join!(others, writer, release);
        assert_eq!(served.recv().await.as_deref(), Some("writer"));
    }
}
