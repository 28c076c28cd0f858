//! Who has left matches or rated games before they began, and how often of late.

use kingscross_protocol::{Timestamp, UserId};

use crate::database::Connection;
use crate::fault::Fault;
use crate::store::Store;

/// A match or a rated game that a player has left before it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dodge {
    /// Who.
    pub user: UserId,
    /// When.
    pub at: Timestamp,
    /// After so many milliseconds without one, the earlier ones are forgotten.
    pub forget: i64,
}

/// The dodges of a player that are not forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dodges {
    /// How many.
    pub count: u32,
    /// When the last one was.
    pub last_at: Timestamp,
}

from_row!(Dodges, |row| Dodges {
    count: u32::try_from(row.try_get::<i32, _>("count")?).unwrap_or(0),
    last_at: Timestamp(row.try_get("last_at")?),
});

/// Counts a dodge within a transaction.
pub(crate) async fn note(connection: &mut Connection<'_>, dodge: &Dodge) -> sqlx::Result<()> {
    on!(*connection, db => sqlx::query(NOTE)
        .bind(dodge.user.0).bind(dodge.at.0).bind(dodge.forget).execute(db).await?.rows_affected());
    Ok(())
}

const NOTE: &str = "insert into dodges (user_id, count, last_at) values ($1, 1, $2)
    on conflict (user_id) do update set
    count = case when excluded.last_at - dodges.last_at >= $3 then 1 else dodges.count + 1 end,
    last_at = excluded.last_at";

impl Store {
    /// Counts a dodge.
    pub async fn note_dodge(&self, dodge: &Dodge) -> Result<(), Fault> {
        writing!(self, db => sqlx::query(NOTE)
            .bind(dodge.user.0).bind(dodge.at.0).bind(dodge.forget).execute(db).await?.rows_affected());
        Ok(())
    }

    /// The dodges of a player, also those that the next one would find forgotten.
    pub async fn find_dodges(&self, user: UserId) -> Result<Option<Dodges>, Fault> {
        const SQL: &str = "select * from dodges where user_id = $1";
        Ok(reading!(self, db => sqlx::query_as(SQL).bind(user.0).fetch_optional(db).await?))
    }
}
