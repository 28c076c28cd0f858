//! API tokens for programs, stored hashed.

use kingscross_protocol::{Timestamp, UserId};
use uuid::Uuid;

use crate::fault::Fault;
use crate::store::Store;
use crate::users::User;

/// An API token as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is revoked by.
    pub id: Uuid,
    /// The hash of the secret.
    pub token_hash: Vec<u8>,
    /// Whose.
    pub user: UserId,
    /// What the user calls it.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

from_row!(Token, |row| Token {
    id: row.try_get("id")?,
    token_hash: row.try_get("token_hash")?,
    user: UserId(row.try_get("user_id")?),
    name: row.try_get("name")?,
    scopes: row.try_get::<&str, _>("scopes")?.split_whitespace().map(str::to_owned).collect(),
    created_at: Timestamp(row.try_get("created_at")?),
    last_used_at: row.try_get::<Option<i64>, _>("last_used_at")?.map(Timestamp),
    revoked_at: row.try_get::<Option<i64>, _>("revoked_at")?.map(Timestamp),
});

impl Store {
    /// Stores a new token. Scopes are single words.
    pub async fn create_token(&self, token: &Token) -> Result<(), Fault> {
        const SQL: &str = "insert into tokens (id, token_hash, user_id, name, scopes, created_at)
            values ($1, $2, $3, $4, $5, $6)";
        let scopes = token.scopes.join(" ");
        writing!(self, db => sqlx::query(SQL)
            .bind(token.id)
            .bind(token.token_hash.as_slice())
            .bind(token.user.0)
            .bind(token.name.as_str())
            .bind(scopes.as_str())
            .bind(token.created_at.0)
            .execute(db).await?.rows_affected());
        Ok(())
    }

    /// The token of a secret and its user, unless it is revoked or the user deleted.
    pub async fn find_token(&self, token_hash: &[u8]) -> Result<Option<(Token, User)>, Fault> {
        const SQL: &str = "select * from tokens where token_hash = $1 and revoked_at is null";
        let token: Option<Token> =
            reading!(self, db => sqlx::query_as(SQL).bind(token_hash).fetch_optional(db).await?);
        let Some(token) = token else { return Ok(None) };
        let user = self.find_user(token.user).await?;
        Ok(user.filter(|user| user.deleted_at.is_none()).map(|user| (token, user)))
    }

    /// Notes that a token was used.
    pub async fn touch_token(&self, id: Uuid, now: Timestamp) -> Result<(), Fault> {
        const SQL: &str = "update tokens set last_used_at = $2 where id = $1";
        writing!(self, db => sqlx::query(SQL).bind(id).bind(now.0).execute(db).await?.rows_affected());
        Ok(())
    }

    /// Revokes a token of this user; false when there was none to revoke.
    pub async fn revoke_token(&self, user: UserId, id: Uuid, now: Timestamp) -> Result<bool, Fault> {
        const SQL: &str =
            "update tokens set revoked_at = $3 where id = $1 and user_id = $2 and revoked_at is null";
        Ok(
            writing!(self, db => sqlx::query(SQL).bind(id).bind(user.0).bind(now.0).execute(db).await?.rows_affected())
                == 1,
        )
    }

    /// The tokens of a user, newest first, revoked ones too.
    pub async fn list_tokens(&self, user: UserId) -> Result<Vec<Token>, Fault> {
        const SQL: &str = "select * from tokens where user_id = $1 order by created_at desc, id desc";
        Ok(reading!(self, db => sqlx::query_as(SQL).bind(user.0).fetch_all(db).await?))
    }
}
