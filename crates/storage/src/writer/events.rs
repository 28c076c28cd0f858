//! Event rows, many to a statement.

use std::sync::LazyLock;

use kingscross_protocol::GameId;
use sqlx::{PgConnection, SqliteConnection};
use uuid::Uuid;

use super::job::{Job, NewEvent};
use crate::database::Connection;

/// SQLite has no arrays to bind, so a statement is prepared for each number of rows up to this one.
const SQLITE_ROWS: usize = 64;

const COLUMNS: &str = "insert into game_events (game_id, seq, user_id, command_id, at, hash, body)";

/// The statements by number of rows, less one. Without numbers at the parameters: SQLite would keep a name for each
/// and look through them at every binding.
static SQLITE_INSERTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let rows = |count| vec!["(?, ?, ?, ?, ?, ?, ?)"; count].join(", ");
    (1..=SQLITE_ROWS).map(|count| format!("{COLUMNS} values {}", rows(count))).collect()
});

/// Whether SQLite writes the events of these jobs by one statement, which needs no transaction around it.
pub(super) fn is_one_sqlite_statement(jobs: &[Job]) -> bool {
    jobs.iter().map(|job| job.events.len()).sum::<usize>() <= SQLITE_ROWS
}

/// Inserts the events of all jobs, in order.
pub(super) async fn insert(connection: &mut Connection<'_>, jobs: &[Job]) -> sqlx::Result<()> {
    let rows: Vec<(GameId, &NewEvent)> =
        jobs.iter().flat_map(|job| job.events.iter().map(|event| (job.game, event))).collect();
    insert_rows(connection, &rows).await
}

/// Inserts events of any games, in order.
pub(crate) async fn insert_rows(
    connection: &mut Connection<'_>,
    rows: &[(GameId, &NewEvent)],
) -> sqlx::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    match connection {
        Connection::Sqlite(connection) => insert_sqlite(connection, rows).await,
        Connection::Postgres(connection) => insert_postgres(connection, rows).await,
    }
}

fn user(event: &NewEvent) -> Option<Uuid> {
    event.commanded.map(|by| by.user.0)
}

fn command(event: &NewEvent) -> Option<Uuid> {
    event.commanded.map(|by| by.command.0)
}

async fn insert_sqlite(connection: &mut SqliteConnection, rows: &[(GameId, &NewEvent)]) -> sqlx::Result<()> {
    let inserts: &'static [String] = &SQLITE_INSERTS;
    for rows in rows.chunks(SQLITE_ROWS) {
        let mut query = sqlx::query(inserts[rows.len() - 1].as_str());
        for (game, event) in rows {
            query = query
                .bind(game.0)
                .bind(i64::from(event.seq.0))
                .bind(user(event))
                .bind(command(event))
                .bind(event.at.0)
                .bind(event.hash.cast_signed())
                .bind(event.body.as_str());
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

async fn insert_postgres(connection: &mut PgConnection, rows: &[(GameId, &NewEvent)]) -> sqlx::Result<()> {
    const SQL: &str = "insert into game_events (game_id, seq, user_id, command_id, at, hash, body)
        select * from unnest($1::uuid[], $2::int8[], $3::uuid[], $4::uuid[], $5::int8[], $6::int8[], $7::text[])";
    let column = |rows: &[(GameId, &NewEvent)], of: fn(&NewEvent) -> i64| -> Vec<i64> {
        rows.iter().map(|(_, event)| of(event)).collect()
    };
    sqlx::query(SQL)
        .bind(rows.iter().map(|(game, _)| game.0).collect::<Vec<_>>())
        .bind(column(rows, |event| i64::from(event.seq.0)))
        .bind(rows.iter().map(|(_, event)| user(event)).collect::<Vec<_>>())
        .bind(rows.iter().map(|(_, event)| command(event)).collect::<Vec<_>>())
        .bind(column(rows, |event| event.at.0))
        .bind(column(rows, |event| event.hash.cast_signed()))
        .bind(rows.iter().map(|(_, event)| event.body.as_str()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}
