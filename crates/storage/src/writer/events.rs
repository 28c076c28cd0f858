//! Event rows, many to a statement.

use std::fmt::Write as _;
use std::sync::LazyLock;

use kingscross_protocol::GameId;
use sqlx::{PgConnection, SqliteConnection};
use uuid::Uuid;

use super::job::{Job, NewEvent};
use crate::database::Connection;

/// SQLite has no arrays to bind, so a statement is prepared for each power of two up to this many rows.
const SQLITE_ROWS: [usize; 7] = [64, 32, 16, 8, 4, 2, 1];

const COLUMNS: &str = "insert into game_events (game_id, seq, user_id, command_id, at, hash, body)";

static SQLITE_INSERTS: LazyLock<[String; 7]> = LazyLock::new(|| {
    SQLITE_ROWS.map(|rows| {
        let mut sql = format!("{COLUMNS} values ");
        for row in 0..rows {
            let first = row * 7;
            let comma = if row == 0 { "" } else { ", " };
            write!(
                sql,
                "{comma}(${}, ${}, ${}, ${}, ${}, ${}, ${})",
                first + 1,
                first + 2,
                first + 3,
                first + 4,
                first + 5,
                first + 6,
                first + 7
            )
            .expect("writing to a string cannot fail");
        }
        sql
    })
});

/// Whether SQLite writes the events of these jobs by one statement, which needs no transaction around it.
pub(super) fn is_one_sqlite_statement(jobs: &[Job]) -> bool {
    SQLITE_ROWS.contains(&jobs.iter().map(|job| job.events.len()).sum())
}

/// Inserts the events of all jobs, in order.
pub(super) async fn insert(connection: &mut Connection<'_>, jobs: &[Job]) -> sqlx::Result<()> {
    let rows: Vec<(GameId, &NewEvent)> =
        jobs.iter().flat_map(|job| job.events.iter().map(|event| (job.game, event))).collect();
    if rows.is_empty() {
        return Ok(());
    }
    match connection {
        Connection::Sqlite(connection) => insert_sqlite(connection, &rows).await,
        Connection::Postgres(connection) => insert_postgres(connection, &rows).await,
    }
}

fn user(event: &NewEvent) -> Option<Uuid> {
    event.commanded.map(|by| by.user.0)
}

fn command(event: &NewEvent) -> Option<Uuid> {
    event.commanded.map(|by| by.command.0)
}

async fn insert_sqlite(
    connection: &mut SqliteConnection,
    mut rows: &[(GameId, &NewEvent)],
) -> sqlx::Result<()> {
    let inserts: &'static [String; 7] = &SQLITE_INSERTS;
    for (size, sql) in SQLITE_ROWS.into_iter().zip(inserts) {
        while rows.len() >= size {
            let (these, rest) = rows.split_at(size);
            let mut query = sqlx::query(sql.as_str());
            for (game, event) in these {
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
            rows = rest;
        }
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
