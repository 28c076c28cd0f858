//! The ledger of rating changes: one row for each game and player, chained by number, annulled but never removed.

use kingscross_protocol::{GameId, Timestamp, UserId};
use sqlx::QueryBuilder;

use crate::database::Connection;
use crate::fault::Fault;
use crate::ratings::{StoredRating, decode_count};
use crate::store::Store;
use crate::writer::RatingChange;

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    /// Rows of a pool are applied in this order.
    pub id: i64,
    /// By which game.
    pub game: GameId,
    /// In which pool.
    pub pool: String,
    /// When the game ended.
    pub at: Timestamp,
    /// Whose rating, from what to what.
    pub change: RatingChange,
    /// Since when it does not count.
    pub annulled_at: Option<Timestamp>,
}

from_row!(LedgerEntry, |row| {
    let number = decode_count(row.try_get("number")?)?;
    let at = Timestamp(row.try_get("at")?);
    let parameters: String = row.try_get("parameters")?;
    LedgerEntry {
        id: row.try_get("id")?,
        game: GameId(row.try_get("game_id")?),
        pool: row.try_get("pool")?,
        at,
        change: RatingChange {
            user: UserId(row.try_get("user_id")?),
            before: StoredRating {
                rating: row.try_get("before_rating")?,
                deviation: row.try_get("before_deviation")?,
                volatility: row.try_get("before_volatility")?,
                games: number.saturating_sub(1),
                last_played_at: row.try_get::<Option<i64>, _>("before_played_at")?.map(Timestamp),
                parameters: parameters.clone(),
            },
            after: StoredRating {
                rating: row.try_get("after_rating")?,
                deviation: row.try_get("after_deviation")?,
                volatility: row.try_get("after_volatility")?,
                games: number,
                last_played_at: Some(at),
                parameters,
            },
            pairs: row.try_get("pairs")?,
        },
        annulled_at: row.try_get::<Option<i64>, _>("annulled_at")?.map(Timestamp),
    }
});

/// A pool computed anew.
#[derive(Clone, Debug, Default)]
pub struct Rebuild {
    /// The current rating of everyone who has one.
    pub ratings: Vec<(UserId, StoredRating)>,
    /// The whole ledger in order, annulled rows included; ids are given anew.
    pub entries: Vec<LedgerEntry>,
    /// The last row of the ledger that was read for it; 0 for none.
    pub seen: i64,
}

pub(crate) const LEDGER: &str =
    "select * from rating_changes where pool = $1 and id > $2 order by id limit $3";

pub(crate) const CHANGES: &str = "select * from rating_changes where game_id = $1 order by id";

pub(crate) const HISTORY: &str = "select * from rating_changes where user_id = $1 and pool = $2 and id < $3
    order by id desc limit $4";

pub(crate) async fn list_rating_changes(
    connection: &mut Connection<'_>,
    game: GameId,
) -> sqlx::Result<Vec<LedgerEntry>> {
    on!(*connection, db => sqlx::query_as(CHANGES).bind(game.0).fetch_all(db).await)
}

impl Store {
    /// The ledger of a pool in order after `after` (0 for the beginning): what a rebuild and `verify` read.
    pub async fn list_ledger(&self, pool: &str, after: i64, limit: u32) -> Result<Vec<LedgerEntry>, Fault> {
        Ok(reading!(self, db => sqlx::query_as(LEDGER)
            .bind(pool).bind(after).bind(i64::from(limit)).fetch_all(db).await?))
    }

    /// What a game did to ratings.
    pub async fn list_rating_changes(&self, game: GameId) -> Result<Vec<LedgerEntry>, Fault> {
        Ok(reading!(self, db => sqlx::query_as(CHANGES).bind(game.0).fetch_all(db).await?))
    }

    /// The rating history of a player in a pool, newest first, before `before` (`i64::MAX` for the newest).
    pub async fn rating_history(
        &self,
        user: UserId,
        pool: &str,
        before: i64,
        limit: u32,
    ) -> Result<Vec<LedgerEntry>, Fault> {
        Ok(reading!(self, db => sqlx::query_as(HISTORY)
            .bind(user.0).bind(pool).bind(before).bind(i64::from(limit)).fetch_all(db).await?))
    }

    /// Marks a game and its rating changes as not counting since `at`, or the game as counting again. The ratings
    /// rest on every later game too: rebuild the pool afterwards, which also numbers the changes of a game that
    /// counts again. False when there is no such game or nothing changed.
    pub async fn set_annulled(&self, game: GameId, at: Option<Timestamp>) -> Result<bool, Fault> {
        const GAME: &str = "update games set annulled_at = $2
            where id = $1 and (annulled_at is null) <> (cast($2 as bigint) is null)";
        const ENTRIES: &str = "update rating_changes set annulled_at = $2 where game_id = $1";
        let at = at.map(|at| at.0);
        Ok(transaction!(self, connection => {
            let changed = on!(connection, db => sqlx::query(GAME)
                .bind(game.0).bind(at).execute(db).await?.rows_affected());
            if changed == 1 && at.is_some() {
                on!(connection, db => sqlx::query(ENTRIES)
                    .bind(game.0).bind(at).execute(db).await?.rows_affected());
            }
            changed == 1
        }))
    }

    /// Replaces all ratings and the ledger of a pool by a rebuild, in one transaction, and the ratings shown with the
    /// games. False, and nothing done, when a game of the pool has been rated since the ledger was read.
    pub async fn replace_ratings(&self, pool: &str, rebuild: &Rebuild) -> Result<bool, Fault> {
        // Whoever has read a rating to change it is waited for, and reads on afterwards. SQLite has one writer anyway.
        const LOCK: &str = "lock table ratings in access exclusive mode";
        const NEWEST: &str = "select coalesce(max(id), 0) from rating_changes where pool = $1";
        const CLEAR: [&str; 2] =
            ["delete from rating_changes where pool = $1", "delete from ratings where pool = $1"];
        const PLAYERS: &str =
            "update game_players set rating_before = c.before_rating, rating_after = c.after_rating
            from rating_changes c
            where c.pool = $1 and c.game_id = game_players.game_id and c.user_id = game_players.user_id";
        long_transaction!(self, connection => {
            if let Connection::Postgres(connection) = &mut connection {
                sqlx::query(LOCK).execute(&mut **connection).await?;
            }
            let newest: i64 =
                on!(connection, db => sqlx::query_scalar(NEWEST).bind(pool).fetch_one(db).await?);
            if newest != rebuild.seen {
                return Ok(false);
            }
            for sql in CLEAR {
                on!(connection, db => sqlx::query(sql).bind(pool).execute(db).await?.rows_affected());
            }
            let entries = rebuild.entries.iter().map(|entry| Entry {
                game: entry.game,
                at: entry.at,
                change: &entry.change,
                annulled_at: entry.annulled_at,
            });
            insert(&mut connection, pool, &entries.collect::<Vec<_>>()).await?;
            let ratings = rebuild.ratings.iter().map(|(user, rating)| (*user, rating));
            crate::ratings::upsert(&mut connection, pool, &ratings.collect::<Vec<_>>()).await?;
            on!(connection, db => sqlx::query(PLAYERS).bind(pool).execute(db).await?.rows_affected())
        });
        Ok(true)
    }
}

/// A row to add.
pub(crate) struct Entry<'a> {
    pub(crate) game: GameId,
    pub(crate) at: Timestamp,
    pub(crate) change: &'a RatingChange,
    pub(crate) annulled_at: Option<Timestamp>,
}

/// Adds rows in order within a transaction. Twice the same game and player is a duplicate.
pub(crate) async fn insert(
    connection: &mut Connection<'_>,
    pool: &str,
    entries: &[Entry<'_>],
) -> sqlx::Result<()> {
    for some in entries.chunks(500) {
        on!(*connection, db => {
            let mut query = QueryBuilder::new(
                "insert into rating_changes (game_id, user_id, pool, number, at, before_rating,
                before_deviation, before_volatility, after_rating, after_deviation, after_volatility,
                before_played_at, parameters, pairs, annulled_at) ",
            );
            query.push_values(some, |mut row, entry| {
                let RatingChange { user, before, after, pairs } = entry.change;
                row.push_bind(entry.game.0)
                    .push_bind(user.0)
                    .push_bind(pool)
                    .push_bind(i32::try_from(after.games).unwrap_or(i32::MAX))
                    .push_bind(entry.at.0)
                    .push_bind(before.rating)
                    .push_bind(before.deviation)
                    .push_bind(before.volatility)
                    .push_bind(after.rating)
                    .push_bind(after.deviation)
                    .push_bind(after.volatility)
                    .push_bind(before.last_played_at.map(|at| at.0))
                    .push_bind(after.parameters.as_str())
                    .push_bind(pairs.as_str())
                    .push_bind(entry.annulled_at.map(|at| at.0));
            });
            query.build().execute(db).await?.rows_affected()
        });
    }
    Ok(())
}
