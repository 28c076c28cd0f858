//! Current ratings and leaderboards. How a rating came about is the ledger's.

use std::collections::HashMap;

use kingscross_protocol::{Timestamp, UserId};
use sqlx::QueryBuilder;

use crate::database::Connection;
use crate::fault::Fault;
use crate::store::Store;

/// A rating in one pool.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRating {
    /// The middle of the estimate.
    pub rating: f64,
    /// Its uncertainty.
    pub deviation: f64,
    /// How erratic the player is.
    pub volatility: f64,
    /// How many rated games it rests on.
    pub games: u32,
    /// When the last of them ended; deviation grows from then on.
    pub last_played_at: Option<Timestamp>,
    /// The name of the parameter set that computed it.
    pub parameters: String,
}

from_row!(StoredRating, |row| StoredRating {
    rating: row.try_get("rating")?,
    deviation: row.try_get("deviation")?,
    volatility: row.try_get("volatility")?,
    games: decode_count(row.try_get("games")?)?,
    last_played_at: row.try_get::<Option<i64>, _>("last_played_at")?.map(Timestamp),
    parameters: row.try_get("parameters")?,
});

/// Whose rating is firm enough for a leaderboard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// At least so many games.
    pub games: u32,
    /// At most this deviation, today.
    pub deviation: f64,
    /// By how much the square of the stored deviation grows in a day without a game.
    pub idle_variance_per_day: f64,
    /// Today.
    pub now: Timestamp,
}

/// A line of a leaderboard.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaderboardEntry {
    /// Who.
    pub user: UserId,
    /// The user's name today.
    pub name: String,
    /// How good.
    pub rating: StoredRating,
}

from_row!(LeaderboardEntry, |row| LeaderboardEntry {
    user: UserId(row.try_get("user_id")?),
    name: row.try_get("name")?,
    rating: sqlx::FromRow::from_row(row)?,
});

/// Where a leaderboard goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeaderboardCursor {
    /// The rating of the last line shown.
    pub rating: f64,
    /// Its user.
    pub user: UserId,
}

/// A page of a leaderboard.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaderboardPage {
    /// Best first.
    pub entries: Vec<LeaderboardEntry>,
    /// Where the next page begins; absent at the end.
    pub next: Option<LeaderboardCursor>,
}

pub(crate) fn decode_count(count: i32) -> sqlx::Result<u32> {
    u32::try_from(count).map_err(|error| sqlx::Error::Decode(error.into()))
}

pub(crate) const LEADERBOARD: &str = "select r.*, u.name from ratings r join users u on u.id = r.user_id
    where r.pool = $1 and (r.rating, r.user_id) < ($2, $3) and r.games >= $4
    and r.deviation * r.deviation
        + $6 * cast($7 - coalesce(r.last_played_at, $7) as double precision) / 86400000.0 <= $5 * $5
    and u.kind = 'account' and u.deleted_at is null and u.banned_at is null
    order by r.rating desc, r.user_id desc limit $8";

impl Store {
    /// A player's rating in a pool.
    pub async fn find_rating(&self, user: UserId, pool: &str) -> Result<Option<StoredRating>, Fault> {
        const SQL: &str = "select * from ratings where user_id = $1 and pool = $2";
        Ok(reading!(self, db => sqlx::query_as(SQL).bind(user.0).bind(pool).fetch_optional(db).await?))
    }

    /// All ratings of a player, by pool.
    pub async fn list_ratings(&self, user: UserId) -> Result<Vec<(String, StoredRating)>, Fault> {
        const SQL: &str = "select * from ratings where user_id = $1 order by pool";
        struct Row(String, StoredRating);
        from_row!(Row, |row| Row(row.try_get("pool")?, sqlx::FromRow::from_row(row)?));
        let rows: Vec<Row> = reading!(self, db => sqlx::query_as(SQL).bind(user.0).fetch_all(db).await?);
        Ok(rows.into_iter().map(|Row(pool, rating)| (pool, rating)).collect())
    }

    /// A page of the best settled players of a pool; deleted and banned ones are left out. Of two with the same
    /// rating the later id comes first.
    pub async fn leaderboard(
        &self,
        pool: &str,
        settled: Settled,
        cursor: Option<LeaderboardCursor>,
        limit: u32,
    ) -> Result<LeaderboardPage, Fault> {
        // Above every rating there is.
        let (rating, user) = cursor.map_or((f64::MAX, uuid::Uuid::max()), |at| (at.rating, at.user.0));
        let mut entries: Vec<LeaderboardEntry> = reading!(self, db => sqlx::query_as(LEADERBOARD)
            .bind(pool).bind(rating).bind(user).bind(i64::from(settled.games)).bind(settled.deviation).bind(settled.idle_variance_per_day).bind(settled.now.0)
            .bind(i64::from(limit) + 1)
            .fetch_all(db).await?);
        let more = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        let next = entries
            .last()
            .filter(|_| more)
            .map(|last| LeaderboardCursor { rating: last.rating.rating, user: last.user });
        Ok(LeaderboardPage { entries, next })
    }
}

/// The current ratings of some players within a transaction; who has none is not in it.
pub(crate) async fn load(
    connection: &mut Connection<'_>,
    pool: &str,
    users: &[UserId],
) -> sqlx::Result<HashMap<UserId, StoredRating>> {
    struct Row(UserId, StoredRating);
    from_row!(Row, |row| Row(UserId(row.try_get("user_id")?), sqlx::FromRow::from_row(row)?));
    if users.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<Row> = on!(*connection, db => {
        let mut query = QueryBuilder::new("select * from ratings where pool = ");
        query.push_bind(pool).push(" and user_id in (");
        let mut list = query.separated(", ");
        for user in users {
            list.push_bind(user.0);
        }
        query.push(")");
        query.build_query_as().fetch_all(db).await?
    });
    Ok(rows.into_iter().map(|Row(user, rating)| (user, rating)).collect())
}

/// Sets current ratings within a transaction, each player once.
pub(crate) async fn upsert(
    connection: &mut Connection<'_>,
    pool: &str,
    ratings: &[(UserId, &StoredRating)],
) -> sqlx::Result<()> {
    for some in ratings.chunks(500) {
        on!(*connection, db => {
            let mut query = QueryBuilder::new(
                "insert into ratings
                (user_id, pool, rating, deviation, volatility, games, last_played_at, parameters) ",
            );
            query.push_values(some, |mut row, (user, rating)| {
                row.push_bind(user.0)
                    .push_bind(pool)
                    .push_bind(rating.rating)
                    .push_bind(rating.deviation)
                    .push_bind(rating.volatility)
                    .push_bind(i32::try_from(rating.games).unwrap_or(i32::MAX))
                    .push_bind(rating.last_played_at.map(|at| at.0))
                    .push_bind(rating.parameters.as_str());
            });
            query.push(
                " on conflict (user_id, pool) do update set rating = excluded.rating,
                deviation = excluded.deviation, volatility = excluded.volatility, games = excluded.games,
                last_played_at = excluded.last_played_at, parameters = excluded.parameters",
            );
            query.build().execute(db).await?.rows_affected()
        });
    }
    Ok(())
}
