//! One batch as one transaction, on the connection that the writer keeps.

use std::sync::Arc;

use sqlx::pool::PoolConnection;
use sqlx::{Acquire as _, Connection as _, Postgres};

use super::job::{Appended, Job};
use super::{create, events, finish};
use crate::database::{Connection, Pools};
use crate::fault::{self, FaultKind};
use crate::hold::Hold;
use crate::pool::Pool;

/// Why a batch was not written.
#[derive(Debug)]
pub(super) enum WriteError {
    Conflict,
    Invalid(String),
    Contended,
    Unavailable(String),
    Damaged(String),
}

impl From<sqlx::Error> for WriteError {
    fn from(error: sqlx::Error) -> Self {
        match fault::kind(&error) {
            FaultKind::Duplicate => Self::Conflict,
            FaultKind::Invalid => Self::Invalid(error.to_string()),
            FaultKind::Contended => Self::Contended,
            FaultKind::Unavailable => Self::Unavailable(error.to_string()),
            FaultKind::Damaged => Self::Damaged(error.to_string()),
        }
    }
}

/// The writer's way to the database.
pub(super) struct WriterConnection {
    pools: Arc<Pools>,
    hold: Arc<Hold>,
    /// PostgreSQL's connection is kept between batches: giving it back costs a round trip.
    kept: Option<PoolConnection<Postgres>>,
    last_used: tokio::time::Instant,
}

impl WriterConnection {
    pub(super) fn new(pools: Arc<Pools>, hold: Arc<Hold>) -> Self {
        Self { pools, hold, kept: None, last_used: tokio::time::Instant::now() }
    }

    /// Forgets a connection that failed or whose transaction was cut off in the middle. What befell it may have
    /// befallen all others.
    pub(super) fn reset(&mut self, error: &WriteError) {
        discard(&mut self.kept);
        match &*self.pools {
            Pools::Sqlite { write, .. } => {
                write.suspect();
                if let WriteError::Damaged(why) = error {
                    write.found_damaged(why);
                }
            }
            Pools::Postgres { pool } => pool.suspect(),
        }
    }

    /// Writes all jobs or none.
    pub(super) async fn write(&mut self, jobs: &[Job]) -> Result<Vec<Appended>, WriteError> {
        self.hold.check().map_err(WriteError::Unavailable)?;
        let plain = jobs
            .iter()
            .all(|job| job.create.is_none() && job.finish.is_none() && job.follow_up_pending.is_none());
        match &*self.pools {
            Pools::Sqlite { write, .. } => {
                let mut connection = write.lock_first().await?;
                if plain && events::is_one_sqlite_statement(jobs) {
                    events::insert(&mut Connection::Sqlite(&mut connection), jobs).await?;
                    write.in_place()?;
                    return Ok(vec![Appended::default(); jobs.len()]);
                }
                let mut transaction = connection.begin_with("begin immediate").await?;
                let appended = write_jobs(Connection::Sqlite(&mut transaction), jobs).await?;
                transaction.commit().await?;
                write.in_place()?;
                Ok(appended)
            }
            Pools::Postgres { pool } => {
                let is_idle = self.last_used.elapsed().as_secs() >= 5;
                let connection = kept_or_new(pool, &mut self.kept, is_idle).await?;
                self.last_used = tokio::time::Instant::now();
                if plain {
                    // One statement is its own transaction, in one round trip.
                    events::insert(&mut Connection::Postgres(connection), jobs).await?;
                    return Ok(vec![Appended::default(); jobs.len()]);
                }
                let mut transaction = connection.begin().await?;
                let appended = write_jobs(Connection::Postgres(&mut transaction), jobs).await?;
                transaction.commit().await?;
                Ok(appended)
            }
        }
    }
}

impl WriterConnection {
    /// Writes as much as an append may need, and takes it back, so that a full or read-only database is noticed also
    /// while nobody plays.
    pub(super) async fn probe(&mut self) -> Result<(), WriteError> {
        const SQL: [&str; 2] =
            ["insert into write_probes (id, body) values (1, $1)", "delete from write_probes where id = 1"];
        self.hold.check().map_err(WriteError::Unavailable)?;
        // Several pages of SQLite's: a move may need a new one in the table and in each index.
        let body = vec![0_u8; 16 << 10];
        match &*self.pools {
            Pools::Sqlite { write, .. } => {
                let mut connection = write.lock_first().await?;
                let mut transaction = connection.begin_with("begin immediate").await?;
                sqlx::query(SQL[0]).bind(body).execute(&mut *transaction).await?;
                sqlx::query(SQL[1]).execute(&mut *transaction).await?;
                transaction.commit().await?;
                write.in_place()?;
            }
            Pools::Postgres { pool } => {
                let connection = kept_or_new(pool, &mut self.kept, true).await?;
                let mut transaction = connection.begin().await?;
                sqlx::query(SQL[0]).bind(body).execute(&mut *transaction).await?;
                sqlx::query(SQL[1]).execute(&mut *transaction).await?;
                transaction.commit().await?;
            }
        }
        Ok(())
    }
}

/// The connection that is kept, or a new one.
async fn kept_or_new<'k>(
    pool: &Pool,
    kept: &'k mut Option<PoolConnection<Postgres>>,
    ask: bool,
) -> sqlx::Result<&'k mut PoolConnection<Postgres>> {
    // An idle connection may have died unseen; asking first spares a table an outage.
    if ask
        && let Some(connection) = kept.as_mut()
        && pool.ask(connection).await.is_err()
    {
        discard(kept);
        pool.suspect();
    }
    match kept {
        Some(connection) => Ok(connection),
        None => Ok(kept.insert(pool.current().pool.acquire().await?)),
    }
}

fn discard(kept: &mut Option<PoolConnection<Postgres>>) {
    if let Some(mut connection) = kept.take() {
        connection.close_on_drop();
    }
}

async fn write_jobs(mut connection: Connection<'_>, jobs: &[Job]) -> Result<Vec<Appended>, WriteError> {
    for game in jobs.iter().filter_map(|job| job.create.as_deref()) {
        create::insert(&mut connection, game).await?;
    }
    events::insert(&mut connection, jobs).await?;
    let mut appended = Vec::with_capacity(jobs.len());
    for job in jobs {
        if let Some(is_pending) = job.follow_up_pending {
            finish::set_follow_up_pending(&mut connection, job.game, is_pending).await?;
        }
        appended.push(match &job.finish {
            Some(end) => finish::store(&mut connection, job.game, end).await?,
            None => Appended::default(),
        });
    }
    Ok(appended)
}
