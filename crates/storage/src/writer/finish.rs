//! The end of a game: its result, its placements and the ratings it changes, in one transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kingscross_protocol::{GameId, Timestamp, UserId};
use sqlx::QueryBuilder;

use super::batch::WriteError;
use super::job::{Appended, Finish, FinishedPlayer, RatingChange, RatingTask};
use crate::database::Connection;
use crate::enums::PlayerResult;
use crate::ledger::Entry;
use crate::ratings::StoredRating;

/// Stores the end of a running game; a game that has ended is a conflict.
pub(super) async fn store(
    connection: &mut Connection<'_>,
    game: GameId,
    end: &Finish,
) -> Result<Appended, WriteError> {
    const GAME: &str =
        "update games set status = $2, ended_at = $3, reason = $4, result = $5, ply_count = $6,
        statistics = $7, hidden_until = $8 where id = $1 and status = 'running'";
    const SEATS: &str = "update game_players set status = $2, reason = $3 where game_id = $1";

    let changed = on!(*connection, db => sqlx::query(GAME)
        .bind(game.0)
        .bind(end.status.as_str())
        .bind(end.at.0)
        .bind(end.reason.as_str())
        .bind(end.result.as_str())
        .bind(i32::try_from(end.ply_count).unwrap_or(i32::MAX))
        .bind(end.statistics.as_deref())
        .bind(end.hidden_until.map(|at| at.0))
        .execute(db).await?.rows_affected());
    if changed == 0 {
        return Err(WriteError::Conflict);
    }
    on!(*connection, db => sqlx::query(SEATS)
        .bind(game.0).bind(end.status.as_str()).bind(end.reason.as_str())
        .execute(db).await?.rows_affected());
    place(connection, game, &end.players).await?;
    if let Some(dodge) = &end.dodge {
        crate::dodges::note(connection, dodge).await?;
    }
    let rating_changes = match &end.rating {
        Some(task) => rate(connection, game, end.at, task).await?,
        None => Vec::new(),
    };
    Ok(Appended { rating_changes })
}

/// Notes whether something is still to follow a game that has ended.
pub(super) async fn set_follow_up_pending(
    connection: &mut Connection<'_>,
    game: GameId,
    is_pending: bool,
) -> sqlx::Result<()> {
    const SQL: &str = "update games set follow_up_pending = $2 where id = $1";
    on!(*connection, db => sqlx::query(SQL).bind(game.0).bind(is_pending).execute(db).await.map(drop))
}

/// Writes placements and results: one statement, since every round trip here keeps all other games waiting.
async fn place(
    connection: &mut Connection<'_>,
    game: GameId,
    players: &[FinishedPlayer],
) -> sqlx::Result<()> {
    if players.is_empty() {
        return Ok(());
    }
    on!(*connection, db => {
        let mut query = QueryBuilder::new("with v (seat, placement, points, result) as (");
        query.push_values(players, |mut row, player| {
            row.push_bind(player.seat.as_str())
                .push_bind(player.placement.and_then(|place| i32::try_from(place).ok()))
                .push_bind(player.points)
                .push_bind(player.result.map(PlayerResult::as_str));
        });
        query.push(") update game_players set placement = v.placement, points = v.points, result = v.result \
            from v where game_players.seat = v.seat and game_players.game_id = ");
        query.push_bind(game.0);
        query.build().execute(db).await.map(drop)
    })
}

async fn rate(
    connection: &mut Connection<'_>,
    game: GameId,
    at: Timestamp,
    task: &RatingTask,
) -> Result<Vec<RatingChange>, WriteError> {
    lock(connection, task).await?;
    let stored = crate::ratings::load(connection, &task.pool, &task.users).await?;
    let current: Vec<(UserId, Option<StoredRating>)> =
        task.users.iter().map(|user| (*user, stored.get(user).cloned())).collect();
    // A panic in here would end the writer, and with it every game.
    let changes = catch_unwind(AssertUnwindSafe(|| (task.rate)(&current)))
        .map_err(|_| WriteError::Invalid("computing the ratings panicked".to_owned()))?;
    if changes.is_empty() {
        return Ok(changes);
    }
    let entries = changes.iter().map(|change| Entry { game, at, change, annulled_at: None });
    crate::ledger::insert(connection, &task.pool, &entries.collect::<Vec<_>>()).await?;
    let ratings = changes.iter().map(|change| (change.user, &change.after));
    crate::ratings::upsert(connection, &task.pool, &ratings.collect::<Vec<_>>()).await?;
    on!(*connection, db => {
        let mut query = QueryBuilder::new("with v (user_id, rating_before, rating_after) as (");
        query.push_values(&changes, |mut row, change| {
            row.push_bind(change.user.0).push_bind(change.before.rating).push_bind(change.after.rating);
        });
        query.push(") update game_players set rating_before = v.rating_before, rating_after = v.rating_after \
            from v where game_players.user_id = v.user_id and game_players.game_id = ");
        query.push_bind(game.0);
        query.build().execute(db).await?.rows_affected()
    });
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
