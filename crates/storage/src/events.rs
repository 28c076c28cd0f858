//! Reading the event log of a game. Writing it is the writer's.

use kingscross_protocol::{CommandId, GameId, Seq, Timestamp, UserId};

use crate::database::Connection;
use crate::fault::Fault;
use crate::store::Store;
use crate::writer::Commanded;

/// An event as it was appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its place in the game, from 1.
    pub seq: Seq,
    /// Whose command made it, if it is the first event of one.
    pub commanded: Option<Commanded>,
    /// When it happened.
    pub at: Timestamp,
    /// The hash of the position after it.
    pub hash: u64,
    /// The event as JSON, byte for byte.
    pub body: String,
}

from_row!(StoredEvent, |row| StoredEvent {
    seq: decode_seq(row.try_get("seq")?)?,
    commanded: match (row.try_get("user_id")?, row.try_get("command_id")?) {
        (Some(user), Some(command)) => Some(Commanded { user: UserId(user), command: CommandId(command) }),
        _ => None,
    },
    at: Timestamp(row.try_get("at")?),
    hash: row.try_get::<i64, _>("hash")?.cast_unsigned(),
    body: row.try_get("body")?,
});

fn decode_seq(seq: i32) -> sqlx::Result<Seq> {
    u32::try_from(seq).map(Seq).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// The columns of [`StoredEvent`].
macro_rules! select_events {
    ($rest:literal) => {
        concat!("select seq, user_id, command_id, at, hash, body from game_events ", $rest)
    };
}

const AFTER: &str = select_events!("where game_id = $1 and seq > $2 order by seq");

pub(crate) async fn load_events(
    connection: &mut Connection<'_>,
    game: GameId,
    after: Seq,
) -> sqlx::Result<Vec<StoredEvent>> {
    let after = i64::from(after.0);
    on!(*connection, db => sqlx::query_as(AFTER).bind(game.0).bind(after).fetch_all(db).await)
}

impl Store {
    /// The events of a game after `after`, in order; all of them after `Seq(0)`.
    pub async fn load_events(&self, game: GameId, after: Seq) -> Result<Vec<StoredEvent>, Fault> {
        let after = i64::from(after.0);
        Ok(reading!(self, db => sqlx::query_as(AFTER).bind(game.0).bind(after).fetch_all(db).await?))
    }

    /// One event of a game.
    pub async fn find_event(&self, game: GameId, seq: Seq) -> Result<Option<StoredEvent>, Fault> {
        const SQL: &str = select_events!("where game_id = $1 and seq = $2");
        let seq = i64::from(seq.0);
        Ok(reading!(self, db => sqlx::query_as(SQL).bind(game.0).bind(seq).fetch_optional(db).await?))
    }

    /// The seq of the last event of a game; absent when it has none.
    pub async fn last_seq(&self, game: GameId) -> Result<Option<Seq>, Fault> {
        const SQL: &str = "select max(seq) from game_events where game_id = $1";
        let seq: Option<i32> =
            reading!(self, db => sqlx::query_scalar(SQL).bind(game.0).fetch_one(db).await?);
        Ok(seq.map(decode_seq).transpose()?)
    }

    /// The event that a player's command made, if that command was ever accepted.
    pub async fn find_command(
        &self,
        game: GameId,
        user: UserId,
        command: CommandId,
    ) -> Result<Option<StoredEvent>, Fault> {
        const SQL: &str = select_events!("where game_id = $1 and user_id = $2 and command_id = $3");
        Ok(reading!(self, db => sqlx::query_as(SQL)
            .bind(game.0).bind(user.0).bind(command.0).fetch_optional(db).await?))
    }
}
