//! Games and their players, one at a time and those still running. Lists are `game_list`'s, writing is the writer's.

use std::collections::HashMap;

use kingscross_protocol::{GameId, LobbyId, Seq, Timestamp, UserId};

use crate::database::Connection;
use crate::enums::{GameStatus, PlayerResult, TextEnum as _};
use crate::events::{StoredEvent, load_events};
use crate::fault::Fault;
use crate::ledger::{LedgerEntry, list_rating_changes};
use crate::store::Store;

/// What lists show of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSummary {
    /// Which.
    pub id: GameId,
    /// Which rules.
    pub variant: String,
    /// How far it is.
    pub status: GameStatus,
    /// The short key of its time control.
    pub time_control: String,
    /// Whether it counts.
    pub is_rated: bool,
    /// When it was made. Lists are ordered by it.
    pub created_at: Timestamp,
    /// When the first clock ran.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Why it ended.
    pub reason: Option<String>,
    /// How many moves were played.
    pub ply_count: u32,
    /// Since when its rating changes do not count.
    pub annulled_at: Option<Timestamp>,
    /// By seat letter.
    pub players: Vec<GamePlayer>,
}

/// A game with all that is stored beside its events.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// What lists show.
    pub summary: GameSummary,
    /// The whole time control as JSON.
    pub time_control_json: String,
    /// What a table needs to start, as JSON.
    pub setup: String,
    /// The result as JSON.
    pub result: Option<String>,
    /// Who captured and attacked whom, as JSON.
    pub statistics: Option<String>,
    /// The lobby it came from.
    pub lobby: Option<LobbyId>,
    /// The game it is the rematch of.
    pub rematch_of: Option<GameId>,
}

/// A game with its log and what it did to ratings.
#[derive(Clone, Debug)]
pub struct LoadedGame {
    /// The game.
    pub game: Game,
    /// Its events, in order.
    pub events: Vec<StoredEvent>,
    /// Its rating changes; none until it has ended.
    pub ratings: Vec<LedgerEntry>,
}

/// A seat of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GamePlayer {
    /// The seat's letter.
    pub seat: String,
    /// Who sat there; absent for a bot without an account.
    pub user: Option<UserId>,
    /// The name at the time.
    pub name: String,
    /// Whether a program played.
    pub is_bot: bool,
    /// The level of a bot that the host seated.
    pub bot_level: Option<String>,
    /// The place, from 1; shared by ties.
    pub placement: Option<u32>,
    /// What the game counts.
    pub points: Option<f64>,
    /// How it ended for this player.
    pub result: Option<PlayerResult>,
    /// The rating before a rated game.
    pub rating_before: Option<f64>,
    /// The rating after it.
    pub rating_after: Option<f64>,
}

from_row!(GamePlayer, |row| GamePlayer {
    seat: row.try_get("seat")?,
    user: row.try_get::<Option<uuid::Uuid>, _>("user_id")?.map(UserId),
    name: row.try_get("name")?,
    is_bot: row.try_get("is_bot")?,
    bot_level: row.try_get("bot_level")?,
    placement: row.try_get::<Option<i32>, _>("placement")?.and_then(|place| u32::try_from(place).ok()),
    points: row.try_get("points")?,
    result: row.try_get::<Option<&str>, _>("player_result")?.map(PlayerResult::decode).transpose()?,
    rating_before: row.try_get("rating_before")?,
    rating_after: row.try_get("rating_after")?,
});

from_row!(GameSummary, |row| GameSummary {
    id: GameId(row.try_get("id")?),
    variant: row.try_get("variant")?,
    status: GameStatus::decode(row.try_get("status")?)?,
    time_control: row.try_get("time_control")?,
    is_rated: row.try_get("is_rated")?,
    created_at: Timestamp(row.try_get("created_at")?),
    started_at: row.try_get::<Option<i64>, _>("started_at")?.map(Timestamp),
    ended_at: row.try_get::<Option<i64>, _>("ended_at")?.map(Timestamp),
    reason: row.try_get("reason")?,
    ply_count: u32::try_from(row.try_get::<i32, _>("ply_count")?).unwrap_or(0),
    annulled_at: row.try_get::<Option<i64>, _>("annulled_at")?.map(Timestamp),
    players: Vec::new(),
});

from_row!(Game, |row| Game {
    summary: sqlx::FromRow::from_row(row)?,
    time_control_json: row.try_get("time_control_json")?,
    setup: row.try_get("setup")?,
    result: row.try_get("result")?,
    statistics: row.try_get("statistics")?,
    lobby: row.try_get::<Option<uuid::Uuid>, _>("lobby_id")?.map(LobbyId),
    rematch_of: row.try_get::<Option<uuid::Uuid>, _>("rematch_of")?.map(GameId),
});

/// A game whose end is still hidden from spectators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenGame {
    /// Which.
    pub id: GameId,
    /// When it ended.
    pub ended_at: Timestamp,
    /// When everybody is told.
    pub hidden_until: Timestamp,
    /// Its players, who know.
    pub players: Vec<UserId>,
}

impl Store {
    /// A game by id.
    pub async fn find_game(&self, id: GameId) -> Result<Option<Game>, Fault> {
        Ok(snapshot!(self, connection => find_game(&mut connection, id).await?))
    }

    /// A game with its events and its rating changes, all as they were at one moment: a game that ends meanwhile has
    /// either its end in all of them or in none.
    pub async fn load_game(&self, id: GameId) -> Result<Option<LoadedGame>, Fault> {
        Ok(snapshot!(self, connection => match find_game(&mut connection, id).await? {
            Some(game) => Some(LoadedGame {
                game,
                events: load_events(&mut connection, id, Seq(0)).await?,
                ratings: list_rating_changes(&mut connection, id).await?,
            }),
            None => None,
        }))
    }

    /// Every game that is being played, oldest first: what a start of the server takes up again.
    pub async fn load_running_games(&self) -> Result<Vec<Game>, Fault> {
        const SQL: &str = "select * from games where status = 'running' order by created_at, id";
        const PLAYERS: &str =
            "select p.game_id, p.seat, p.user_id, p.name, p.is_bot, p.bot_level, p.placement,
            p.points, p.result as player_result, p.rating_before, p.rating_after
            from games g join game_players p on p.game_id = g.id where g.status = 'running'
            order by p.seat";
        struct Row(GameId, GamePlayer);
        from_row!(Row, |row| Row(GameId(row.try_get("game_id")?), sqlx::FromRow::from_row(row)?));
        let (mut games, players): (Vec<Game>, Vec<Row>) = snapshot!(self, connection => (
            on!(connection, db => sqlx::query_as(SQL).fetch_all(db).await?),
            on!(connection, db => sqlx::query_as(PLAYERS).fetch_all(db).await?),
        ));
        let mut by_game: HashMap<GameId, Vec<GamePlayer>> = HashMap::new();
        for Row(game, player) in players {
            by_game.entry(game).or_default().push(player);
        }
        for game in &mut games {
            game.summary.players = by_game.remove(&game.summary.id).unwrap_or_default();
        }
        Ok(games)
    }

    /// Games that ended at `ended_at` and are hidden from spectators until after `now`, in the order of their ends.
    pub async fn load_hidden_games(&self, now: Timestamp) -> Result<Vec<HiddenGame>, Fault> {
        const SQL: &str = "select g.id, g.ended_at, g.hidden_until, p.user_id from games g
            left join game_players p on p.game_id = g.id and p.user_id is not null
            where g.hidden_until > $1 order by g.ended_at, g.id";
        struct Row(GameId, Timestamp, Timestamp, Option<UserId>);
        from_row!(Row, |row| Row(
            GameId(row.try_get("id")?),
            Timestamp(row.try_get("ended_at")?),
            Timestamp(row.try_get("hidden_until")?),
            row.try_get::<Option<uuid::Uuid>, _>("user_id")?.map(UserId),
        ));
        let rows: Vec<Row> = reading!(self, db => sqlx::query_as(SQL).bind(now.0).fetch_all(db).await?);
        let mut games: Vec<HiddenGame> = Vec::new();
        for Row(id, ended_at, hidden_until, user) in rows {
            if games.last().is_none_or(|last| last.id != id) {
                games.push(HiddenGame { id, ended_at, hidden_until, players: Vec::new() });
            }
            games.last_mut().expect("one was just pushed").players.extend(user);
        }
        Ok(games)
    }

    /// Ended games that something is still to follow: a rematch that is asked for or agreed on, or the other game of
    /// their match.
    pub async fn load_pending_follow_ups(&self) -> Result<Vec<Game>, Fault> {
        const SQL: &str = "select * from games where follow_up_pending order by id";
        Ok(snapshot!(self, connection => {
            let mut games: Vec<Game> = on!(connection, db => sqlx::query_as(SQL).fetch_all(db).await?);
            for game in &mut games {
                game.summary.players = load_players(&mut connection, game.summary.id).await?;
            }
            games
        }))
    }

    /// The latest moment that is stored of what still runs: events of running games, open lobbies, tickets.
    pub async fn newest_of_what_runs(&self) -> Result<Option<Timestamp>, Fault> {
        const SQL: &str = "select max(newest) from (
            select max(e.at) as newest from games g join game_events e on e.game_id = g.id where g.status = 'running'
            union all select max(created_at) from lobbies
            union all select max(created_at) from tickets) as all_newest";
        let newest: Option<i64> = reading!(self, db => sqlx::query_scalar(SQL).fetch_one(db).await?);
        Ok(newest.map(Timestamp))
    }

    /// The rematch of a game, if there is one.
    pub async fn find_rematch(&self, of: GameId) -> Result<Option<GameId>, Fault> {
        const SQL: &str = "select id from games where rematch_of = $1 order by created_at limit 1";
        let id: Option<uuid::Uuid> =
            reading!(self, db => sqlx::query_scalar(SQL).bind(of.0).fetch_optional(db).await?);
        Ok(id.map(GameId))
    }
}

async fn find_game(connection: &mut Connection<'_>, id: GameId) -> sqlx::Result<Option<Game>> {
    const SQL: &str = "select * from games where id = $1";
    let game: Option<Game> = on!(*connection, db => sqlx::query_as(SQL).bind(id.0).fetch_optional(db).await?);
    let Some(mut game) = game else { return Ok(None) };
    game.summary.players = load_players(connection, id).await?;
    Ok(Some(game))
}

async fn load_players(connection: &mut Connection<'_>, game: GameId) -> sqlx::Result<Vec<GamePlayer>> {
    const SQL: &str = "select seat, user_id, name, is_bot, bot_level, placement, points,
        result as player_result, rating_before, rating_after
        from game_players where game_id = $1 order by seat";
    on!(*connection, db => sqlx::query_as(SQL).bind(game.0).fetch_all(db).await)
}
