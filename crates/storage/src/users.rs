//! Users: guests, accounts and bots.

use kingscross_protocol::{Role, Timestamp, UserId};

use crate::enums::{TextEnum as _, UserKind};
use crate::fault::{Fault, is_duplicate};
use crate::store::Store;

/// A user as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Who.
    pub id: UserId,
    /// The folded, unique form of a claimed name; absent for guests and deleted users.
    pub name_key: Option<String>,
    /// The name as shown.
    pub name: String,
    /// Guest, account or bot.
    pub kind: UserKind,
    /// A PHC string; absent for who cannot sign in by password.
    pub password_hash: Option<String>,
    /// What it may do to others.
    pub role: Role,
    /// JSON that only the server and the client read.
    pub settings: String,
    /// When it was first seen.
    pub created_at: Timestamp,
    /// Since when it is banned.
    pub banned_at: Option<Timestamp>,
    /// When it was deleted; its name is gone since then.
    pub deleted_at: Option<Timestamp>,
}

from_row!(User, |row| User {
    id: UserId(row.try_get("id")?),
    name_key: row.try_get("name_key")?,
    name: row.try_get("name")?,
    kind: UserKind::decode(row.try_get("kind")?)?,
    password_hash: row.try_get("password_hash")?,
    role: Role::decode(row.try_get("role")?)?,
    settings: row.try_get("settings")?,
    created_at: Timestamp(row.try_get("created_at")?),
    banned_at: row.try_get::<Option<i64>, _>("banned_at")?.map(Timestamp),
    deleted_at: row.try_get::<Option<i64>, _>("deleted_at")?.map(Timestamp),
});

/// A user to create.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// Made by the caller.
    pub id: UserId,
    /// The folded name to claim, if any.
    pub name_key: Option<String>,
    /// The name as shown.
    pub name: String,
    /// Guest, account or bot.
    pub kind: UserKind,
    /// A PHC string, if it can sign in by password.
    pub password_hash: Option<String>,
    /// Now.
    pub created_at: Timestamp,
}

/// Why a name was not claimed.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// Somebody has this name.
    #[error("the name is taken")]
    Taken,
    /// There is no such user, or it is deleted or of the wrong kind (only a guest becomes an account).
    #[error("no such user")]
    NoSuchUser,
    /// The database failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<sqlx::Error> for NameError {
    fn from(error: sqlx::Error) -> Self {
        if is_duplicate(&error) { Self::Taken } else { Self::Fault(error.into()) }
    }
}

// A range instead of `like`, whose use of an index depends on the collation in both databases.
pub(crate) const BY_PREFIX_SQLITE: &str =
    "select * from users where name_key >= $1 and name_key < $2 order by name_key limit $3";
pub(crate) const BY_PREFIX_POSTGRES: &str =
    "select * from users where name_key collate \"C\" >= $1 and name_key collate \"C\" < $2
    order by name_key collate \"C\" limit $3";
pub(crate) const IN_ORDER: &str = "select * from users where id > $1 order by id limit $2";

const GAMES_OF: &str = "update game_players set name = $2 where user_id = $1";

impl Store {
    /// Creates a user of any kind; claims its name if it has a key.
    pub async fn create_user(&self, user: &NewUser) -> Result<(), NameError> {
        const SQL: &str = "insert into users (id, name_key, name, kind, password_hash, created_at)
            values ($1, $2, $3, $4, $5, $6)";
        writing!(self, db => sqlx::query(SQL)
            .bind(user.id.0)
            .bind(user.name_key.as_deref())
            .bind(user.name.as_str())
            .bind(user.kind.as_str())
            .bind(user.password_hash.as_deref())
            .bind(user.created_at.0)
            .execute(db).await?.rows_affected());
        Ok(())
    }

    /// Creates a guest with a readable name that need not be unique.
    pub async fn create_guest(&self, id: UserId, name: &str, now: Timestamp) -> Result<(), Fault> {
        const SQL: &str = "insert into users (id, name, kind, created_at) values ($1, $2, 'guest', $3)";
        writing!(self, db => sqlx::query(SQL).bind(id.0).bind(name).bind(now.0).execute(db).await?.rows_affected());
        Ok(())
    }

    /// A user by id, deleted ones too.
    pub async fn find_user(&self, id: UserId) -> Result<Option<User>, Fault> {
        const SQL: &str = "select * from users where id = $1";
        Ok(reading!(self, db => sqlx::query_as(SQL).bind(id.0).fetch_optional(db).await?))
    }

    /// A user by the folded form of its name.
    pub async fn find_user_by_name(&self, name_key: &str) -> Result<Option<User>, Fault> {
        const SQL: &str = "select * from users where name_key = $1";
        Ok(reading!(self, db => sqlx::query_as(SQL).bind(name_key).fetch_optional(db).await?))
    }

    /// Named users whose folded name begins with `prefix`, by name.
    pub async fn list_users_by_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<User>, Fault> {
        let sql = self.pick(BY_PREFIX_SQLITE, BY_PREFIX_POSTGRES);
        let end = format!("{prefix}\u{10ffff}");
        Ok(reading!(self, db => sqlx::query_as(sql)
            .bind(prefix).bind(end.as_str()).bind(i64::from(limit)).fetch_all(db).await?))
    }

    /// Users in order of creation after `after`, for `admin list`.
    pub async fn list_users(&self, after: Option<UserId>, limit: u32) -> Result<Vec<User>, Fault> {
        let after = after.map_or(uuid::Uuid::nil(), |id| id.0);
        Ok(
            reading!(self, db => sqlx::query_as(IN_ORDER).bind(after).bind(i64::from(limit)).fetch_all(db).await?),
        )
    }

    /// Makes an account of a guest, which keeps its id and so its games.
    pub async fn upgrade_guest(
        &self,
        id: UserId,
        name_key: &str,
        name: &str,
        password_hash: &str,
    ) -> Result<(), NameError> {
        const SQL: &str = "update users set name_key = $2, name = $3, password_hash = $4, kind = 'account'
            where id = $1 and kind = 'guest' and deleted_at is null";
        let changed = writing!(self, db => sqlx::query(SQL)
            .bind(id.0).bind(name_key).bind(name).bind(password_hash)
            .execute(db).await?.rows_affected());
        if changed == 1 { Ok(()) } else { Err(NameError::NoSuchUser) }
    }

    /// Sets the password and ends every session but the one kept; the hashes of the ended sessions come back, so
    /// that their sockets can be closed.
    pub async fn change_password(
        &self,
        id: UserId,
        password_hash: &str,
        keep: Option<&[u8]>,
    ) -> Result<Vec<Vec<u8>>, Fault> {
        const SQL: &str = "update users set password_hash = $2 where id = $1 and deleted_at is null";
        Ok(transaction!(self, connection => {
            on!(connection, db => sqlx::query(SQL).bind(id.0).bind(password_hash).execute(db).await?.rows_affected());
            crate::sessions::revoke_others(&mut connection, id, keep).await?
        }))
    }

    /// Makes a bot of an account that has played no rated game and plays none; false when there is no such account.
    pub async fn mark_bot(&self, id: UserId) -> Result<bool, Fault> {
        const SQL: &str = "update users set kind = 'bot' where id = $1 and kind = 'account'
            and deleted_at is null and not exists (select 1 from ratings where user_id = $1)
            and not exists
                (select 1 from game_players where user_id = $1 and is_rated and status = 'running')";
        Ok(writing!(self, db => sqlx::query(SQL).bind(id.0).execute(db).await?.rows_affected()) == 1)
    }

    /// Gives a role; false when there is no such user.
    pub async fn set_role(&self, id: UserId, role: Role) -> Result<bool, Fault> {
        const SQL: &str = "update users set role = $2 where id = $1";
        Ok(
            writing!(self, db => sqlx::query(SQL).bind(id.0).bind(<&str>::from(role)).execute(db).await?.rows_affected())
                == 1,
        )
    }

    /// Bans a user since `at`, or lifts the ban; false when there is no such user.
    pub async fn set_banned(&self, id: UserId, at: Option<Timestamp>) -> Result<bool, Fault> {
        const SQL: &str = "update users set banned_at = $2 where id = $1";
        let at = at.map(|at| at.0);
        Ok(writing!(self, db => sqlx::query(SQL).bind(id.0).bind(at).execute(db).await?.rows_affected()) == 1)
    }

    /// Names a player otherwise in all games, also those that were created while the player was being deleted.
    pub async fn rename_in_games(&self, id: UserId, name: &str) -> Result<(), Fault> {
        writing!(self, db => sqlx::query(GAMES_OF).bind(id.0).bind(name).execute(db).await?.rows_affected());
        Ok(())
    }

    /// Deletes an account: its games stay under `name` (say `deleted player`), everything personal goes. The hashes
    /// of its sessions come back; nothing happens and none come back when it was deleted before.
    pub async fn delete_user(&self, id: UserId, name: &str, now: Timestamp) -> Result<Vec<Vec<u8>>, Fault> {
        const USER: &str =
            "update users set name_key = null, name = $2, password_hash = null, settings = '{}',
            role = 'player', deleted_at = $3 where id = $1 and deleted_at is null";
        const PERSONAL: [&str; 8] = [
            "delete from devices where user_id = $1",
            "delete from tokens where user_id = $1",
            "delete from tickets where user_id = $1",
            "delete from dodges where user_id = $1",
            "delete from mutes where user_id = $1 or muted_id = $1",
            "delete from blocks where user_id = $1 or blocked_id = $1",
            "delete from lobby_seats where user_id = $1",
            "delete from chat_lines where user_id = $1",
        ];
        Ok(transaction!(self, connection => {
            let changed = on!(connection, db => sqlx::query(USER)
                .bind(id.0).bind(name).bind(now.0).execute(db).await?.rows_affected());
            if changed == 0 {
                return Ok(Vec::new());
            }
            on!(connection, db => sqlx::query(GAMES_OF).bind(id.0).bind(name).execute(db).await?.rows_affected());
            for sql in PERSONAL {
                on!(connection, db => sqlx::query(sql).bind(id.0).execute(db).await?.rows_affected());
            }
            crate::sessions::revoke_others(&mut connection, id, None).await?
        }))
    }
}
