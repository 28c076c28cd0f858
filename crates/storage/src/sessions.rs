//! Sessions: random tokens, stored hashed.

use kingscross_protocol::{Timestamp, UserId};

use crate::database::Connection;
use crate::fault::Fault;
use crate::store::Store;
use crate::users::User;

/// A session as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The hash of the token; the token itself is known to the client alone.
    pub token_hash: Vec<u8>,
    /// Whose.
    pub user: UserId,
    /// What the user can tell it by, such as a browser's name.
    pub label: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, as often as the server cares to write that.
    pub last_seen_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Timestamp,
}

from_row!(Session, |row| Session {
    token_hash: row.try_get("token_hash")?,
    user: UserId(row.try_get("user_id")?),
    label: row.try_get("label")?,
    created_at: Timestamp(row.try_get("created_at")?),
    last_seen_at: Timestamp(row.try_get("last_seen_at")?),
    expires_at: Timestamp(row.try_get("expires_at")?),
});

impl Store {
    /// Begins a session.
    pub async fn create_session(&self, session: &Session) -> Result<(), Fault> {
        const SQL: &str =
            "insert into sessions (token_hash, user_id, label, created_at, last_seen_at, expires_at)
            values ($1, $2, $3, $4, $5, $6)";
        writing!(self, db => sqlx::query(SQL)
            .bind(session.token_hash.as_slice())
            .bind(session.user.0)
            .bind(session.label.as_str())
            .bind(session.created_at.0)
            .bind(session.last_seen_at.0)
            .bind(session.expires_at.0)
            .execute(db).await?.rows_affected());
        Ok(())
    }

    /// The session of a token and its user, unless it has expired or the user is deleted. A ban is the caller's
    /// to see.
    pub async fn find_session(
        &self,
        token_hash: &[u8],
        now: Timestamp,
    ) -> Result<Option<(Session, User)>, Fault> {
        const SESSION: &str = "select * from sessions where token_hash = $1 and expires_at > $2";
        let session: Option<Session> = reading!(self, db => sqlx::query_as(SESSION)
            .bind(token_hash).bind(now.0).fetch_optional(db).await?);
        let Some(session) = session else { return Ok(None) };
        let user = self.find_user(session.user).await?;
        Ok(user.filter(|user| user.deleted_at.is_none()).map(|user| (session, user)))
    }

    /// Notes that a session was used and prolongs it; false when it is gone.
    pub async fn touch_session(
        &self,
        token_hash: &[u8],
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<bool, Fault> {
        const SQL: &str = "update sessions set last_seen_at = $2, expires_at = $3 where token_hash = $1";
        Ok(writing!(self, db => sqlx::query(SQL)
            .bind(token_hash).bind(now.0).bind(expires_at.0).execute(db).await?.rows_affected())
            == 1)
    }

    /// Ends one session of this user; false when there was none.
    pub async fn revoke_session(&self, user: UserId, token_hash: &[u8]) -> Result<bool, Fault> {
        const SQL: &str = "delete from sessions where token_hash = $1 and user_id = $2";
        Ok(
            writing!(self, db => sqlx::query(SQL).bind(token_hash).bind(user.0).execute(db).await?.rows_affected())
                == 1,
        )
    }

    /// Ends every session of a user but the one kept, and says which.
    pub async fn revoke_other_sessions(
        &self,
        user: UserId,
        keep: Option<&[u8]>,
    ) -> Result<Vec<Vec<u8>>, Fault> {
        Ok(transaction!(self, connection => revoke_others(&mut connection, user, keep).await?))
    }

    /// The sessions of a user, last used first.
    pub async fn list_sessions(&self, user: UserId, now: Timestamp) -> Result<Vec<Session>, Fault> {
        const SQL: &str =
            "select * from sessions where user_id = $1 and expires_at > $2 order by last_seen_at desc";
        Ok(reading!(self, db => sqlx::query_as(SQL).bind(user.0).bind(now.0).fetch_all(db).await?))
    }

    /// Forgets what has expired.
    pub async fn sweep_sessions(&self, now: Timestamp) -> Result<u64, Fault> {
        const SQL: &str = "delete from sessions where expires_at <= $1";
        Ok(writing!(self, db => sqlx::query(SQL).bind(now.0).execute(db).await?.rows_affected()))
    }
}

/// Ends every session of a user but the one kept, within a transaction.
pub(crate) async fn revoke_others(
    connection: &mut Connection<'_>,
    user: UserId,
    keep: Option<&[u8]>,
) -> sqlx::Result<Vec<Vec<u8>>> {
    const SQL: &str = "delete from sessions where user_id = $1 and token_hash <> $2 returning token_hash";
    // No hash is empty, so an empty one keeps none.
    let keep = keep.unwrap_or_default();
    on!(*connection, db => sqlx::query_scalar(SQL).bind(user.0).bind(keep).fetch_all(db).await)
}
