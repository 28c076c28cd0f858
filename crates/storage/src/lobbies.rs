//! Lobbies, so that they survive a restart.

use std::collections::HashMap;

use kingscross_protocol::{LobbyId, Timestamp, UserId};

use crate::fault::Fault;
use crate::store::Store;

/// A lobby as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lobby {
    /// Which.
    pub id: LobbyId,
    /// The secret of its link; unique.
    pub key: Option<String>,
    /// Whether it is listed.
    pub is_public: bool,
    /// Which rules.
    pub variant: String,
    /// The short key of its time control.
    pub time_control: String,
    /// Whether the game counts.
    pub is_rated: bool,
    /// Who decides.
    pub host: UserId,
    /// When it was made.
    pub created_at: Timestamp,
    /// All of it, as JSON that the server reads.
    pub snapshot: String,
    /// Who sits where; empty seats are not stored.
    pub seats: Vec<LobbySeat>,
}

/// A taken seat of a lobby: by a user or by a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbySeat {
    /// The seat's letter.
    pub seat: String,
    /// Who; nobody sits twice in a lobby.
    pub user: Option<UserId>,
    /// The level of a bot that the host seated.
    pub bot_level: Option<String>,
}

from_row!(LobbySeat, |row| LobbySeat {
    seat: row.try_get("seat")?,
    user: row.try_get::<Option<uuid::Uuid>, _>("user_id")?.map(UserId),
    bot_level: row.try_get("bot_level")?,
});

from_row!(Lobby, |row| Lobby {
    id: LobbyId(row.try_get("id")?),
    key: row.try_get("key")?,
    is_public: row.try_get("is_public")?,
    variant: row.try_get("variant")?,
    time_control: row.try_get("time_control")?,
    is_rated: row.try_get("is_rated")?,
    host: UserId(row.try_get("host_id")?),
    created_at: Timestamp(row.try_get("created_at")?),
    snapshot: row.try_get("snapshot")?,
    seats: Vec::new(),
});

impl Store {
    /// Writes a lobby as it is now, new or known.
    pub async fn save_lobby(&self, lobby: &Lobby) -> Result<(), Fault> {
        const LOBBY: &str = "insert into lobbies
            (id, key, is_public, variant, time_control, is_rated, host_id, created_at, snapshot)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            on conflict (id) do update set key = excluded.key, is_public = excluded.is_public,
            variant = excluded.variant, time_control = excluded.time_control, is_rated = excluded.is_rated,
            host_id = excluded.host_id, snapshot = excluded.snapshot";
        const CLEAR: &str = "delete from lobby_seats where lobby_id = $1";
        const SEAT: &str =
            "insert into lobby_seats (lobby_id, seat, user_id, bot_level) values ($1, $2, $3, $4)";
        transaction!(self, connection => {
            on!(connection, db => sqlx::query(LOBBY)
                .bind(lobby.id.0)
                .bind(lobby.key.as_deref())
                .bind(lobby.is_public)
                .bind(lobby.variant.as_str())
                .bind(lobby.time_control.as_str())
                .bind(lobby.is_rated)
                .bind(lobby.host.0)
                .bind(lobby.created_at.0)
                .bind(lobby.snapshot.as_str())
                .execute(db).await?.rows_affected());
            on!(connection, db => sqlx::query(CLEAR).bind(lobby.id.0).execute(db).await?.rows_affected());
            for seat in &lobby.seats {
                on!(connection, db => sqlx::query(SEAT)
                    .bind(lobby.id.0)
                    .bind(seat.seat.as_str())
                    .bind(seat.user.map(|user| user.0))
                    .bind(seat.bot_level.as_deref())
                    .execute(db).await?.rows_affected());
            }
        });
        Ok(())
    }

    /// Deletes a lobby; false when there was none.
    pub async fn delete_lobby(&self, id: LobbyId) -> Result<bool, Fault> {
        const SQL: &str = "delete from lobbies where id = $1";
        Ok(writing!(self, db => sqlx::query(SQL).bind(id.0).execute(db).await?.rows_affected()) == 1)
    }

    /// Every lobby, oldest first.
    pub async fn load_lobbies(&self) -> Result<Vec<Lobby>, Fault> {
        const SQL: &str = "select * from lobbies order by created_at, id";
        const SEATS: &str = "select * from lobby_seats order by seat";
        struct Row(LobbyId, LobbySeat);
        from_row!(Row, |row| Row(LobbyId(row.try_get("lobby_id")?), sqlx::FromRow::from_row(row)?));
        let (mut lobbies, seats): (Vec<Lobby>, Vec<Row>) = snapshot!(self, connection => (
            on!(connection, db => sqlx::query_as(SQL).fetch_all(db).await?),
            on!(connection, db => sqlx::query_as(SEATS).fetch_all(db).await?),
        ));
        let mut by_lobby: HashMap<LobbyId, Vec<LobbySeat>> = HashMap::new();
        for Row(lobby, seat) in seats {
            by_lobby.entry(lobby).or_default().push(seat);
        }
        for lobby in &mut lobbies {
            lobby.seats = by_lobby.remove(&lobby.id).unwrap_or_default();
        }
        Ok(lobbies)
    }
}
