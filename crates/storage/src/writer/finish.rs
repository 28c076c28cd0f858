//! The end of a game: its result, its placements and the ratings it changes, in one transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kingscross_protocol::{GameId, Timestamp};

use super::batch::WriteError;
use super::job::{Appended, Finish, RatingChange, RatingTask};
use crate::database::Connection;
use crate::ratings::StoredRating;

/// Stores the end of a running game; a game that has ended is a conflict.
pub(super) async fn store(
    connection: &mut Connection<'_>,
    game: GameId,
    end: &Finish,
) -> Result<Appended, WriteError> {
    const GAME: &str =
        "update games set status = $2, ended_at = $3, reason = $4, result = $5, ply_count = $6,
        statistics = $7 where id = $1 and status = 'running'";
    const SEATS: &str = "update game_players set status = $2, reason = $3 where game_id = $1";
    const SEAT: &str = "update game_players set placement = $3, points = $4, result = $5
        where game_id = $1 and seat = $2";

    let changed = on!(*connection, db => sqlx::query(GAME)
        .bind(game.0)
        .bind(end.status.as_str())
        .bind(end.at.0)
        .bind(end.reason.as_str())
        .bind(end.result.as_str())
        .bind(i32::try_from(end.ply_count).unwrap_or(i32::MAX))
        .bind(end.statistics.as_deref())
        .execute(db).await?.rows_affected());
    if changed == 0 {
        return Err(WriteError::Conflict);
    }
    on!(*connection, db => sqlx::query(SEATS)
        .bind(game.0).bind(end.status.as_str()).bind(end.reason.as_str())
        .execute(db).await?.rows_affected());
    for player in &end.players {
        on!(*connection, db => sqlx::query(SEAT)
            .bind(game.0)
            .bind(player.seat.as_str())
            .bind(player.placement.and_then(|place| i32::try_from(place).ok()))
            .bind(player.points)
            .bind(player.result.map(|result| result.as_str()))
            .execute(db).await?.rows_affected());
    }
    let rating_changes = match &end.rating {
        Some(task) => rate(connection, game, end.at, task).await?,
        None => Vec::new(),
    };
    Ok(Appended { rating_changes })
}

async fn rate(
    connection: &mut Connection<'_>,
    game: GameId,
    at: Timestamp,
    task: &RatingTask,
) -> Result<Vec<RatingChange>, WriteError> {
    const CURRENT: &str = "select rating, deviation, volatility, games, last_played_at, parameters
        from ratings where user_id = $1 and pool = $2";
    const PLAYER: &str = "update game_players set rating_before = $3, rating_after = $4
        where game_id = $1 and user_id = $2";

    lock(connection, task).await?;
    let mut current = Vec::with_capacity(task.users.len());
    for user in &task.users {
        let rating: Option<StoredRating> = on!(*connection, db => sqlx::query_as(CURRENT)
            .bind(user.0).bind(task.pool.as_str()).fetch_optional(db).await?);
        current.push((*user, rating));
    }
    // A panic in here would end the writer, and with it every game.
    let changes = catch_unwind(AssertUnwindSafe(|| (task.rate)(&current)))
        .map_err(|_| WriteError::Invalid("computing the ratings panicked".to_owned()))?;
    for change in &changes {
        crate::ledger::insert(connection, game, &task.pool, at, change, None).await?;
        crate::ratings::upsert(connection, change.user, &task.pool, &change.after).await?;
        on!(*connection, db => sqlx::query(PLAYER)
            .bind(game.0)
            .bind(change.user.0)
            .bind(change.before.rating)
            .bind(change.after.rating)
            .execute(db).await?.rows_affected());
    }
    Ok(changes)
}

/// Keeps other nodes off these players' ratings until the commit. It locks the users, since a first rating has no row
/// to lock, and in the order of their ids, so that no two nodes wait for each other. SQLite has one writer anyway.
async fn lock(connection: &mut Connection<'_>, task: &RatingTask) -> sqlx::Result<()> {
    const SQL: &str = "select id from users where id = any($1) order by id for no key update";
    if let Connection::Postgres(connection) = connection {
        let users: Vec<uuid::Uuid> = task.users.iter().map(|user| user.0).collect();
        sqlx::query(SQL).bind(users).execute(&mut **connection).await?;
    }
    Ok(())
}
