//! Opening a PostgreSQL database.

use std::io::ErrorKind;
use std::str::FromStr;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, Row as _};
use tokio::time::timeout;

use super::{NEWEST, OpenError, Options, check_schema, migrate_error};
use crate::database::Pools;
use crate::pool::Pool;

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/postgres");

pub(super) async fn open(url: &str, options: &Options) -> Result<Pools, OpenError> {
    let connect = PgConnectOptions::from_str(url)
        .map_err(|error| OpenError::Url(error.to_string()))?
        .application_name("kingscross")
        // PostgreSQL prints floats exactly anyway, and pgbouncer refuses the parameter.
        .extra_float_digits(None)
        .disable_statement_logging();
    let limit = options.time_limit;
    let fault = |error: &sqlx::Error| open_error(url, &connect, error);
    let looked = timeout(limit, look(&connect, limit)).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
    let Found { mut connection, pid, newest } = looked.map_err(|error| fault(&error))??;
    check_schema(newest, &MIGRATIONS, options.schema)?;
    let migrated = while_it_works(&connect, pid, limit, MIGRATIONS.run(&mut connection)).await;
    migrated.map_err(|error| fault(&error))?.map_err(|error| migrate_error(error, fault))?;
    // Dropped instead of closed: over TLS, sqlx's close waits for an answer that never comes.
    drop(connection);
    Ok(Pools::Postgres { pool: Pool::new(connect, options.connections, limit) })
}

/// A database that can be used, and its connection for the migrations.
struct Found {
    connection: PgConnection,
    /// The server process behind the connection.
    pid: i32,
    /// The newest migration that was applied.
    newest: Option<(i64, String)>,
}

/// Looks at the database over a single connection. A pool would retry a refused connection until its time is up, and
/// hide the reason.
async fn look(connect: &PgConnectOptions, limit: Duration) -> sqlx::Result<Result<Found, OpenError>> {
    let mut connection = PgConnection::connect_with(connect).await?;
    if is_pooler(&mut connection, connect).await? {
        return Ok(Err(OpenError::Pooler(address(connect))));
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
    // Waits only so long for whoever holds a lock on the schema.
    let patience = limit.mul_f32(0.8).as_millis().max(1);
    let sql = AssertSqlSafe(format!("set lock_timeout = {patience}"));
    sqlx::raw_sql(sql).execute(&mut connection).await?;
    let pid = backend(&mut connection).await?;
    Ok(Ok(Found { connection, pid, newest }))
}

/// The server process behind a connection. Asked without a prepared statement, which a pooler might lose.
async fn backend(connection: &mut PgConnection) -> sqlx::Result<i32> {
    sqlx::raw_sql("select pg_backend_pid()").fetch_one(connection).await?.try_get(0)
}

/// Whether two connections share their server processes. Then neither prepared statements nor session locks work.
async fn is_pooler(first: &mut PgConnection, connect: &PgConnectOptions) -> sqlx::Result<bool> {
    let mut second = PgConnection::connect_with(connect).await?;
    // Twice each, since a pooler may rotate its connections.
    let first = [backend(first).await?, backend(first).await?];
    let second = [backend(&mut second).await?, backend(&mut second).await?];
    Ok(first[0] != first[1] || second[0] != second[1] || first[0] == second[0])
}

/// Waits for work on a connection for as long as its server process is busy: a migration of many games takes long, and
/// a dead connection never answers.
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
        // Idle once may be between two statements.
        idle = if active == 0 { idle + 1 } else { 0 };
        if idle == 2 {
            return Err(sqlx::Error::PoolTimedOut);
        }
    }
}

fn address(connect: &PgConnectOptions) -> String {
    format!("{}:{}", connect.get_host(), connect.get_port())
}

fn open_error(url: &str, connect: &PgConnectOptions, error: &sqlx::Error) -> OpenError {
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
        // Certificates are checked while bytes are read, so a bad one comes as a read error.
        sqlx::Error::Io(reason) if reason.kind() == ErrorKind::InvalidData => {
            let mut reason = reason.to_string();
            if reason.contains("CaUsedAsEndEntity") {
                reason.push_str(
                    "; the server presents the certificate of an authority, as `openssl req -x509` makes it: use it to \
                    sign one for the server",
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
