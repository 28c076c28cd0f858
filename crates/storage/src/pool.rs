//! The pool to a PostgreSQL server: a pool whose connections share their fate.
//!
//! When the network swallows packets, nothing ends a connection: whoever uses it waits until TCP gives up, and a pool
//! would hand out its dead connections one by one. So every call has a time limit, and when one call meets it the
//! whole pool is suspect: the next call begins with a new one. Calls that are under way on the old pool end by
//! themselves, in time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool};
use tokio::time::timeout;

/// The pool of the moment, and how to make the next one.
pub(crate) struct Pool {
    // Looked at by every call, changed when a pool is given up; never held across an await.
    current: Mutex<Generation>,
    connect: Box<PgConnectOptions>,
    connections: u32,
    limit: Duration,
}

/// One pool.
#[derive(Clone)]
pub(crate) struct Generation {
    pub(crate) pool: PgPool,
    is_suspect: Arc<AtomicBool>,
}

impl Pool {
    /// Connects when somebody asks. No call may take longer than `limit`, connecting included.
    pub(crate) fn new(connect: PgConnectOptions, connections: u32, limit: Duration) -> Self {
        let first = Generation::new(&connect, connections, limit);
        Self { current: Mutex::new(first), connect: Box::new(connect), connections, limit }
    }

    /// The pool to use now.
    pub(crate) fn current(&self) -> Generation {
        let mut current = self.current.lock().expect("no panic while held");
        if current.is_suspect.load(Ordering::Relaxed) && !current.pool.is_closed() {
            tracing::warn!("the connections to PostgreSQL are replaced");
            *current = Generation::new(&self.connect, self.connections, self.limit);
        }
        current.clone()
    }

    /// How connections are made.
    pub(crate) fn options(&self) -> &PgConnectOptions {
        &self.connect
    }

    /// Runs a call on a pool within the time limit.
    pub(crate) async fn bounded<T>(
        &self,
        generation: &Generation,
        call: impl Future<Output = sqlx::Result<T>>,
    ) -> sqlx::Result<T> {
        let result = timeout(self.limit, call).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        if matches!(result, Err(sqlx::Error::PoolTimedOut | sqlx::Error::Io(_))) {
            generation.suspect();
        }
        result
    }

    /// Something went wrong that may befall every connection: nobody begins anything on these any more.
    pub(crate) fn suspect(&self) {
        self.current.lock().expect("no panic while held").suspect();
    }

    /// Whether a connection that was idle still answers.
    pub(crate) async fn ask(&self, connection: &mut PgConnection) -> sqlx::Result<()> {
        ask(connection, self.limit).await
    }

    /// Closes the pool; who is still in the middle of something is waited for, in bounds.
    pub(crate) async fn close(&self) {
        let generation = self.current.lock().expect("no panic while held").clone();
        if timeout(self.limit, generation.pool.close()).await.is_err() {
            tracing::warn!("some connections to PostgreSQL were not closed in order");
        }
    }
}

impl Generation {
    fn new(connect: &PgConnectOptions, connections: u32, limit: Duration) -> Self {
        let is_suspect = Arc::new(AtomicBool::new(false));
        let suspect = Arc::clone(&is_suspect);
        let pool = PgPoolOptions::new()
            // One more for the writer, which keeps its own.
            .max_connections(connections.max(1) + 1)
            .acquire_timeout(limit)
            // The pool's own look at an idle connection has no time limit.
            .test_before_acquire(false)
            .before_acquire(move |connection, _| {
                let suspect = Arc::clone(&suspect);
                Box::pin(async move {
                    let answer = ask(connection, limit).await;
                    if answer.is_err() {
                        suspect.store(true, Ordering::Relaxed);
                    }
                    answer.map(|()| true)
                })
            })
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    sqlx::raw_sql(AssertSqlSafe(settings(limit))).execute(connection).await.map(drop)
                })
            })
            .connect_lazy_with(connect.clone());
        Self { pool, is_suspect }
    }

    fn suspect(&self) {
        self.is_suspect.store(true, Ordering::Relaxed);
    }
}

/// Asks an idle connection for so short a time that the call behind it can still be made on a new one: routers forget
/// connections without a word.
async fn ask(connection: &mut PgConnection, limit: Duration) -> sqlx::Result<()> {
    timeout(limit / 5, connection.ping()).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// What the server is told about its side of each connection: a transaction whose client has vanished must not keep
/// its locks, or those who try again would wait for the dead; and a connection whose client has vanished ends.
fn settings(limit: Duration) -> String {
    let idle = (limit * 2).as_millis().max(1);
    format!(
        "set idle_in_transaction_session_timeout = {idle};
        set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(a: &Generation, b: &Generation) -> bool {
        Arc::ptr_eq(&a.is_suspect, &b.is_suspect)
    }

    #[tokio::test]
    async fn a_call_that_meets_its_limit_lets_the_next_begin_on_a_new_pool() {
        // Accepts, and never says a word.
        let mute = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = mute.local_addr().expect("bound").port();
        let connect = PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(port);
        let pool = Pool::new(connect, 1, Duration::from_millis(20));
        let first = pool.current();
        pool.bounded(&first, async { Ok(()) }).await.expect("nothing went wrong");
        assert!(is_same(&pool.current(), &first));

        let call = async { first.pool.acquire().await.map(drop) };
        assert!(matches!(pool.bounded(&first, call).await, Err(sqlx::Error::PoolTimedOut)));
        let second = pool.current();
        assert!(!is_same(&second, &first));
        let late = pool.bounded(&first, std::future::pending::<sqlx::Result<()>>()).await;
        assert!(matches!(late, Err(sqlx::Error::PoolTimedOut)));
        assert!(
            is_same(&pool.current(), &second),
            "what ends late on the old pool says nothing of the new one"
        );

        pool.close().await;
        pool.suspect();
        assert!(pool.current().pool.is_closed(), "what was closed stays closed");
    }
}
