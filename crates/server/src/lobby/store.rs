//! Lobbies in the database, so that they survive a restart.

use kingscross_storage::{self as storage, Fault, Store};

use super::core::{Lobby, Taken};

/// Writes a lobby as it is now.
pub(super) async fn save(store: &Store, lobby: &Lobby) -> Result<(), Fault> {
    let seats = lobby.seats.iter().filter_map(|place| {
        let (user, bot_level) = match place.taken.as_ref()? {
            Taken::Human(person) => (Some(person.user), None),
            Taken::Bot(level) => (None, Some(level.clone())),
        };
        Some(storage::LobbySeat { seat: place.seat.to_string(), user, bot_level })
    });
    let row = storage::Lobby {
        id: lobby.id,
        key: Some(lobby.key.clone()),
        is_public: lobby.public,
        variant: lobby.variant.id().to_owned(),
        time_control: lobby.time.to_string(),
        is_rated: lobby.rated,
        host: lobby.host,
        created_at: lobby.created,
        snapshot: serde_json::to_string(lobby).expect("plain data"),
        seats: seats.collect(),
    };
    store.save_lobby(&row).await
}

/// Every lobby that was open; one that this version cannot read is left out.
pub(super) async fn load(store: &Store) -> Result<Vec<Lobby>, Fault> {
    let rows = store.load_lobbies().await?;
    let read = |row: &storage::Lobby| match serde_json::from_str(&row.snapshot) {
        Ok(lobby) => Some(lobby),
        Err(error) => {
            tracing::error!(lobby = %row.id, %error, "a stored lobby cannot be read");
            None
        }
    };
    Ok(rows.iter().filter_map(read).collect())
}
