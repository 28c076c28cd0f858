//! Browsers that have signed in to an account, known by a random token of their own, stored hashed.

use kingscross_protocol::{Timestamp, UserId};

use crate::fault::Fault;
use crate::store::Store;

/// So many are kept of a user, the last used.
const KEPT: i64 = 20;

/// A browser that has signed in to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Whose account.
    pub user: UserId,
    /// The hash of the browser's token.
    pub token_hash: Vec<u8>,
    /// A hash of the user and of the network that it signed in from last.
    pub network_hash: Vec<u8>,
    /// When it first signed in.
    pub created_at: Timestamp,
    /// When it last signed in.
    pub last_seen_at: Timestamp,
}

from_row!(Device, |row| Device {
    user: UserId(row.try_get("user_id")?),
    token_hash: row.try_get("token_hash")?,
    network_hash: row.try_get("network_hash")?,
    created_at: Timestamp(row.try_get("created_at")?),
    last_seen_at: Timestamp(row.try_get("last_seen_at")?),
});

impl Store {
    /// Notes that a browser has signed in; of too many, the longest unused is forgotten.
    pub async fn save_device(&self, device: &Device) -> Result<(), Fault> {
        const SAVE: &str = "insert into devices (user_id, token_hash, network_hash, created_at, last_seen_at)
            values ($1, $2, $3, $4, $5) on conflict (user_id, token_hash)
            do update set network_hash = excluded.network_hash, last_seen_at = excluded.last_seen_at";
        const FORGET: &str = "delete from devices where user_id = $1 and token_hash not in
            (select token_hash from devices where user_id = $1 order by last_seen_at desc, token_hash limit $2)";
        transaction!(self, connection => {
            on!(connection, db => sqlx::query(SAVE)
                .bind(device.user.0)
                .bind(device.token_hash.as_slice())
                .bind(device.network_hash.as_slice())
                .bind(device.created_at.0)
                .bind(device.last_seen_at.0)
                .execute(db).await?.rows_affected());
            on!(connection, db => sqlx::query(FORGET)
                .bind(device.user.0).bind(KEPT).execute(db).await?.rows_affected())
        });
        Ok(())
    }

    /// The browsers that have signed in to an account, last used first.
    pub async fn list_devices(&self, user: UserId) -> Result<Vec<Device>, Fault> {
        const SQL: &str = "select * from devices where user_id = $1 order by last_seen_at desc, token_hash";
        Ok(reading!(self, db => sqlx::query_as(SQL).bind(user.0).fetch_all(db).await?))
    }

    /// Forgets browsers that have not signed in since.
    pub async fn sweep_devices(&self, since: Timestamp) -> Result<u64, Fault> {
        const SQL: &str = "delete from devices where last_seen_at < $1";
        Ok(writing!(self, db => sqlx::query(SQL).bind(since.0).execute(db).await?.rows_affected()))
    }
}
