//! The last lines said at a table. Older ones are dropped.

use kingscross_protocol::{GameId, Timestamp, UserId};

use crate::fault::Fault;
use crate::store::Store;

/// A line of chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// Who said it; absent for the server.
    pub user: Option<UserId>,
    /// When.
    pub at: Timestamp,
    /// What, as JSON.
    pub body: String,
}

from_row!(ChatLine, |row| ChatLine {
    user: row.try_get::<Option<uuid::Uuid>, _>("user_id")?.map(UserId),
    at: Timestamp(row.try_get("at")?),
    body: row.try_get("body")?,
});

impl Store {
    /// How many lines of a game are kept.
    pub const CHAT_LINES: u32 = 100;

    /// Adds a line and drops what is older than the last [`Store::CHAT_LINES`].
    pub async fn append_chat(&self, game: GameId, line: &ChatLine) -> Result<(), Fault> {
        const ADD: &str = "insert into chat_lines (game_id, user_id, at, body) values ($1, $2, $3, $4)";
        const DROP: &str = "delete from chat_lines where game_id = $1 and id <=
            (select id from chat_lines where game_id = $1 order by id desc limit 1 offset $2)";
        transaction!(self, connection => {
            on!(connection, db => sqlx::query(ADD)
                .bind(game.0)
                .bind(line.user.map(|user| user.0))
                .bind(line.at.0)
                .bind(line.body.as_str())
                .execute(db).await?.rows_affected());
            on!(connection, db => sqlx::query(DROP)
                .bind(game.0).bind(i64::from(Self::CHAT_LINES)).execute(db).await?.rows_affected())
        });
        Ok(())
    }

    /// The kept lines of one user, oldest first, each with its game.
    pub async fn list_chat_by(&self, user: UserId) -> Result<Vec<(GameId, ChatLine)>, Fault> {
        const SQL: &str = "select game_id, user_id, at, body from chat_lines where user_id = $1 order by id";
        struct Said(GameId, ChatLine);
        from_row!(Said, |row| Said(GameId(row.try_get("game_id")?), sqlx::FromRow::from_row(row)?));
        let lines: Vec<Said> = reading!(self, db => sqlx::query_as(SQL).bind(user.0).fetch_all(db).await?);
        Ok(lines.into_iter().map(|Said(game, line)| (game, line)).collect())
    }

    /// The kept lines of a game, oldest first.
    pub async fn load_chat(&self, game: GameId) -> Result<Vec<ChatLine>, Fault> {
        const SQL: &str = "select user_id, at, body from chat_lines where game_id = $1 order by id";
        Ok(reading!(self, db => sqlx::query_as(SQL).bind(game.0).fetch_all(db).await?))
    }
}
