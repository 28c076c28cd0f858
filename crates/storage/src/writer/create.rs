//! The rows of games: of one that begins, and of many that are over already.

use kingscross_protocol::Timestamp;
use sqlx::{Database, Encode, QueryBuilder, Type};
use uuid::Uuid;

use super::job::{Finish, NewGame, RatingChange};
use crate::database::Connection;
use crate::enums::{GameStatus, PlayerResult};

/// A game whose rows are written, with its end and what that did to ratings.
#[derive(Clone, Copy)]
pub(crate) struct GameRows<'a> {
    pub(crate) game: &'a NewGame,
    /// None while it runs.
    pub(crate) finish: Option<&'a Finish>,
    pub(crate) changes: &'a [RatingChange],
}

impl GameRows<'_> {
    fn status(&self) -> &'static str {
        self.finish.map_or(GameStatus::Running, |finish| finish.status).as_str()
    }

    fn reason(&self) -> Option<String> {
        self.finish.map(|finish| finish.reason.clone())
    }
}

/// Inserts the game and its players, and deletes the lobby and the tickets it came from.
pub(super) async fn insert(connection: &mut Connection<'_>, game: &NewGame) -> sqlx::Result<()> {
    const LOBBY: &str = "delete from lobbies where id = $1";
    const TICKET: &str = "delete from tickets where user_id = $1";

    insert_rows(connection, &[GameRows { game, finish: None, changes: &[] }]).await?;
    if let Some(lobby) = game.close_lobby {
        on!(*connection, db => sqlx::query(LOBBY).bind(lobby.0).execute(db).await?.rows_affected());
    }
    for user in &game.close_tickets {
        on!(*connection, db => sqlx::query(TICKET).bind(user.0).execute(db).await?.rows_affected());
    }
    Ok(())
}

/// Inserts games and their players, as many as one statement holds.
pub(crate) async fn insert_rows(connection: &mut Connection<'_>, games: &[GameRows<'_>]) -> sqlx::Result<()> {
    on!(*connection, db => insert_games(games).build().execute(db).await?.rows_affected());
    if games.iter().any(|rows| !rows.game.players.is_empty()) {
        on!(*connection, db => insert_players(games).build().execute(db).await?.rows_affected());
    }
    Ok(())
}

fn insert_games<DB: Database>(games: &[GameRows<'_>]) -> QueryBuilder<DB>
where
    Uuid: Encode<'static, DB> + Type<DB>,
    Option<Uuid>: Encode<'static, DB> + Type<DB>,
    String: Encode<'static, DB> + Type<DB>,
    Option<String>: Encode<'static, DB> + Type<DB>,
    &'static str: Encode<'static, DB> + Type<DB>,
    i64: Encode<'static, DB> + Type<DB>,
    Option<i64>: Encode<'static, DB> + Type<DB>,
    i32: Encode<'static, DB> + Type<DB>,
    bool: Encode<'static, DB> + Type<DB>,
{
    let mut query = QueryBuilder::new(
        "insert into games (id, variant, status, time_control, time_control_json, is_rated, created_at, started_at,
        ended_at, reason, result, ply_count, setup, statistics, lobby_id, rematch_of, hidden_until) ",
    );
    let millis = |at: Timestamp| at.0;
    query.push_values(games, |mut row, rows| {
        let GameRows { game, finish, .. } = *rows;
        row.push_bind(game.id.0)
            .push_bind(game.variant.clone())
            .push_bind(rows.status())
            .push_bind(game.time_control.clone())
            .push_bind(game.time_control_json.clone())
            .push_bind(game.is_rated)
            .push_bind(game.created_at.0)
            .push_bind(game.started_at.map(millis))
            .push_bind(finish.map(|finish| millis(finish.at)))
            .push_bind(rows.reason())
            .push_bind(finish.map(|finish| finish.result.clone()))
            .push_bind(finish.map_or(0, |finish| i32::try_from(finish.ply_count).unwrap_or(i32::MAX)))
            .push_bind(game.setup.clone())
            .push_bind(finish.and_then(|finish| finish.statistics.clone()))
            .push_bind(game.lobby.map(|lobby| lobby.0))
            .push_bind(game.rematch_of.map(|game| game.0))
            .push_bind(finish.and_then(|finish| finish.hidden_until).map(millis));
    });
    query
}

fn insert_players<DB: Database>(games: &[GameRows<'_>]) -> QueryBuilder<DB>
where
    Uuid: Encode<'static, DB> + Type<DB>,
    Option<Uuid>: Encode<'static, DB> + Type<DB>,
    String: Encode<'static, DB> + Type<DB>,
    Option<String>: Encode<'static, DB> + Type<DB>,
    &'static str: Encode<'static, DB> + Type<DB>,
    Option<&'static str>: Encode<'static, DB> + Type<DB>,
    i64: Encode<'static, DB> + Type<DB>,
    Option<i32>: Encode<'static, DB> + Type<DB>,
    Option<f64>: Encode<'static, DB> + Type<DB>,
    bool: Encode<'static, DB> + Type<DB>,
{
    let mut query = QueryBuilder::new(
        "insert into game_players (game_id, seat, user_id, name, is_bot, bot_level, placement, points, result,
        rating_before, rating_after, variant, status, reason, is_rated, time_control, created_at) ",
    );
    let players = games.iter().flat_map(|rows| rows.game.players.iter().map(move |player| (rows, player)));
    query.push_values(players, |mut row, (rows, player)| {
        let GameRows { game, finish, changes } = *rows;
        let end = finish.and_then(|finish| finish.players.iter().find(|end| end.seat == player.seat));
        let change = changes.iter().find(|change| Some(change.user) == player.user);
        row.push_bind(game.id.0)
            .push_bind(player.seat.clone())
            .push_bind(player.user.map(|user| user.0))
            .push_bind(player.name.clone())
            .push_bind(player.is_bot)
            .push_bind(player.bot_level.clone())
            .push_bind(end.and_then(|end| end.placement).and_then(|place| i32::try_from(place).ok()))
            .push_bind(end.and_then(|end| end.points))
            .push_bind(end.and_then(|end| end.result).map(PlayerResult::as_str))
            .push_bind(change.map(|change| change.before.rating))
            .push_bind(change.map(|change| change.after.rating))
            .push_bind(game.variant.clone())
            .push_bind(rows.status())
            .push_bind(rows.reason())
            .push_bind(game.is_rated)
            .push_bind(game.time_control.clone())
            .push_bind(game.created_at.0);
    });
    query
}
