//! The store: a cheap handle on the pools and the writer.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::database::Pools;
use crate::fault::Fault;
use crate::hold::{ClaimError, Hold, Holder, Standing};
use crate::open::{self, OpenError, Options};
use crate::writer::{self, Writer};

/// The database of one server. Cloning shares it.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) pools: Arc<Pools>,
    writer: Writer,
    tasks: TaskTracker,
    stop: CancellationToken,
    hold: Arc<Hold>,
    limit: Duration,
    // Also cancelled when the last handle goes.
    let_go: DropGuard,
    holders: TaskTracker,
}

impl Store {
    /// Opens the database at a path (SQLite) or a `postgres://` URL, creates a missing SQLite file, and brings the
    /// schema up to date. Must be called inside a Tokio runtime: the writer's task starts here.
    pub async fn open(location: &str, options: Options) -> Result<Self, OpenError> {
        let pools = Arc::new(open::open(location, &options).await?);
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let hold = Arc::new(Hold::new());
        let writer = writer::start(Arc::clone(&pools), Arc::clone(&hold), &options, &tasks, stop.clone());
        let (limit, holders) = (options.time_limit, TaskTracker::new());
        let let_go = CancellationToken::new().drop_guard();
        tasks.close();
        holders.close();
        Ok(Self { inner: Arc::new(Inner { pools, writer, tasks, stop, hold, limit, let_go, holders }) })
    }

    /// Takes the database for one server until the store is closed; waits for one that was killed a moment ago. Whoever
    /// only looks or repairs needs no claim.
    pub async fn claim(&self, who: &Holder) -> Result<(), ClaimError> {
        let Inner { pools, hold, limit, let_go, holders, .. } = &*self.inner;
        // What tells a thread to end must not keep alive what its end waits for.
        let let_go = let_go.token().child_token();
        hold.claim(Arc::clone(pools), *limit, who, let_go, holders.token()).await
    }

    /// Whether this server may write to its database, as that changes.
    pub fn standing(&self) -> watch::Receiver<Standing> {
        self.inner.hold.watch()
    }

    /// Whether games could be stored now: they were a moment ago, or a probe is.
    pub async fn try_writing(&self) -> Result<(), String> {
        let probe = async {
            self.inner.hold.check_anew().await?;
            self.inner.writer.probe().await
        };
        let probed = timeout(self.inner.limit, probe).await;
        probed.unwrap_or_else(|_| Err("no answer in time".to_owned()))
    }

    /// The one way to write what happens in games. All handles feed the same writer.
    pub fn writer(&self) -> Writer {
        self.inner.writer.clone()
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), Fault> {
        reading!(self, db => sqlx::query("select 1").execute(db).await?.rows_affected());
        Ok(())
    }

    /// The number of the newest migration that was applied.
    pub async fn schema_version(&self) -> Result<i64, Fault> {
        const SQL: &str = "select max(version) from _sqlx_migrations";
        let version: Option<i64> = reading!(self, db => sqlx::query_scalar(SQL).fetch_one(db).await?);
        Ok(version.unwrap_or(0))
    }

    /// Picks between two texts, where one cannot serve both databases.
    pub(crate) fn pick<T>(&self, sqlite: T, postgres: T) -> T {
        match &*self.inner.pools {
            Pools::Sqlite { .. } => sqlite,
            Pools::Postgres { .. } => postgres,
        }
    }

    /// `sqlite` or `postgres`, for logs and for `doctor`.
    pub fn database_kind(&self) -> &'static str {
        match &*self.inner.pools {
            Pools::Sqlite { .. } => "sqlite",
            Pools::Postgres { .. } => "postgres",
        }
    }

    /// Writes what the writer has accepted, then closes every connection. Later calls fail.
    pub async fn close(&self) {
        self.inner.stop.cancel();
        self.inner.tasks.wait().await;
        match &*self.inner.pools {
            Pools::Sqlite { read, write } => {
                read.close().await;
                // Last, so that SQLite folds its write-ahead log into the file.
                if let Err(error) = write.close().await {
                    tracing::warn!(%error, "the database was not closed in order; its next opening repairs it");
                }
            }
            Pools::Postgres { pool } => pool.close().await,
        }
        self.inner.let_go.token().cancel();
        self.inner.holders.wait().await;
    }
}
