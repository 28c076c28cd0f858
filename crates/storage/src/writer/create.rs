//! The rows of a new game.

use sqlx::QueryBuilder;

use super::job::NewGame;
use crate::database::Connection;

/// Inserts the game and its players, and deletes the lobby and the tickets it came from.
pub(super) async fn insert(connection: &mut Connection<'_>, game: &NewGame) -> sqlx::Result<()> {
    const GAME: &str = "insert into games (id, variant, status, time_control, time_control_json, is_rated,
        created_at, started_at, setup, lobby_id, rematch_of)
        values ($1, $2, 'running', $3, $4, $5, $6, $7, $8, $9, $10)";
    const PLAYERS: &str = "insert into game_players (game_id, seat, user_id, name, is_bot, bot_level,
        variant, status, is_rated, time_control, created_at) ";
    const LOBBY: &str = "delete from lobbies where id = $1";
    const TICKET: &str = "delete from tickets where user_id = $1";

    on!(*connection, db => sqlx::query(GAME)
        .bind(game.id.0)
        .bind(game.variant.as_str())
        .bind(game.time_control.as_str())
        .bind(game.time_control_json.as_str())
        .bind(game.is_rated)
        .bind(game.created_at.0)
        .bind(game.started_at.map(|at| at.0))
        .bind(game.setup.as_str())
        .bind(game.lobby.map(|lobby| lobby.0))
        .bind(game.rematch_of.map(|game| game.0))
        .execute(db).await?.rows_affected());
    if !game.players.is_empty() {
        on!(*connection, db => {
            let mut query = QueryBuilder::new(PLAYERS);
            query.push_values(&game.players, |mut row, player| {
                row.push_bind(game.id.0)
                    .push_bind(player.seat.as_str())
                    .push_bind(player.user.map(|user| user.0))
                    .push_bind(player.name.as_str())
                    .push_bind(player.is_bot)
                    .push_bind(player.bot_level.as_deref())
                    .push_bind(game.variant.as_str())
                    .push("'running'")
                    .push_bind(game.is_rated)
                    .push_bind(game.time_control.as_str())
                    .push_bind(game.created_at.0);
            });
            query.build().execute(db).await?.rows_affected()
        });
    }
    if let Some(lobby) = game.close_lobby {
        on!(*connection, db => sqlx::query(LOBBY).bind(lobby.0).execute(db).await?.rows_affected());
    }
    for user in &game.close_tickets {
        on!(*connection, db => sqlx::query(TICKET).bind(user.0).execute(db).await?.rows_affected());
    }
    Ok(())
}
