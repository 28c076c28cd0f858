//! Matchmaking tickets, one a player, so that a queue survives a restart. The column `pool` holds the names of all its
//! pools, separated by spaces; it keeps its name, so that older exports can be read.

use kingscross_protocol::{Timestamp, UserId};
use uuid::Uuid;

use crate::fault::Fault;
use crate::store::Store;

/// A ticket as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its own id.
    pub id: Uuid,
    /// Whose.
    pub user: UserId,
    /// The names of the pools it is for, the preferred ones first.
    pub pools: Vec<String>,
    /// Since when the player waits.
    pub created_at: Timestamp,
    /// The rest, as JSON that the server reads.
    pub body: String,
}

from_row!(Ticket, |row| Ticket {
    id: row.try_get("id")?,
    user: UserId(row.try_get("user_id")?),
    pools: row.try_get::<String, _>("pool")?.split_whitespace().map(str::to_owned).collect(),
    created_at: Timestamp(row.try_get("created_at")?),
    body: row.try_get("body")?,
});

impl Store {
    /// Stores a ticket, unless the player has one: the one that holds comes back.
    pub async fn create_ticket(&self, ticket: &Ticket) -> Result<Ticket, Fault> {
        // Updating a column to itself makes the row that is there come back.
        const SQL: &str =
            "insert into tickets (id, user_id, pool, created_at, body) values ($1, $2, $3, $4, $5)
            on conflict (user_id) do update set id = tickets.id returning *";
        Ok(writing!(self, db => sqlx::query_as(SQL)
            .bind(ticket.id)
            .bind(ticket.user.0)
            .bind(ticket.pools.join(" "))
            .bind(ticket.created_at.0)
            .bind(ticket.body.as_str())
            .fetch_one(db).await?))
    }

    /// Replaces the pools and the JSON of a ticket; false when it is gone.
    pub async fn save_ticket(&self, ticket: &Ticket) -> Result<bool, Fault> {
        const SQL: &str = "update tickets set body = $2, pool = $3 where id = $1";
        Ok(writing!(self, db => sqlx::query(SQL)
            .bind(ticket.id).bind(ticket.body.as_str()).bind(ticket.pools.join(" ")).execute(db).await?.rows_affected())
            == 1)
    }

    /// Deletes the ticket of a player; false when there was none.
    pub async fn delete_ticket(&self, user: UserId) -> Result<bool, Fault> {
        const SQL: &str = "delete from tickets where user_id = $1";
        Ok(writing!(self, db => sqlx::query(SQL).bind(user.0).execute(db).await?.rows_affected()) == 1)
    }

    /// Every ticket, who waits longest first.
    pub async fn load_tickets(&self) -> Result<Vec<Ticket>, Fault> {
        const SQL: &str = "select * from tickets order by created_at, id";
        Ok(reading!(self, db => sqlx::query_as(SQL).fetch_all(db).await?))
    }
}
