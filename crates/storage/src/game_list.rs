//! Lists of games, by keyset: a page continues after the last game that was shown, whatever has been added since.

use std::fmt;
use std::str::FromStr;

use kingscross_protocol::{GameId, Timestamp, UserId};
use sqlx::{Database, Encode, FromRow, QueryBuilder, Row, Type};
use uuid::Uuid;

use crate::enums::{GameStatus, PlayerResult};
use crate::fault::Fault;
use crate::games::{GamePlayer, GameSummary};
use crate::store::Store;

/// Which end of time a list begins at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
}

/// Which games a list holds; every part that is set must fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameFilter {
    /// Games of one player.
    pub player: Option<PlayerFilter>,
    /// Of these rules.
    pub variant: Option<String>,
    /// This far.
    pub status: Option<GameStatus>,
    /// Where games of one status are wanted: these as well, however far they are.
    pub or_these: Vec<GameId>,
    /// Ended for this reason.
    pub reason: Option<String>,
    /// Rated, or casual.
    pub is_rated: Option<bool>,
    /// With this key of time control.
    pub time_control: Option<String>,
    /// Made at this moment or later.
    pub from: Option<Timestamp>,
    /// Made before this moment.
    pub until: Option<Timestamp>,
}

/// Which games of one player.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerFilter {
    /// The player.
    pub user: UserId,
    /// Who sat at the same table.
    pub opponent: Option<UserId>,
    /// How it ended for the player.
    pub result: Option<PlayerResult>,
    /// The player's place.
    pub placement: Option<u32>,
}

impl PlayerFilter {
    /// All games of a player.
    pub fn of(user: UserId) -> Self {
        Self { user, opponent: None, result: None, placement: None }
    }
}

/// A text that is not the cursor of a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a cursor")]
pub struct BadCursor(String);

/// Where a list goes on. Its text is opaque to clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameCursor {
    created_at: Timestamp,
    id: GameId,
}

impl GameCursor {
    /// The place of a game in every list.
    pub fn at(game: &GameSummary) -> Self {
        Self { created_at: game.created_at, id: game.id }
    }
}

impl fmt::Display for GameCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{}", self.created_at.0, self.id.0.simple())
    }
}

impl FromStr for GameCursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let parse = || {
            let (at, id) = text.split_at_checked(16)?;
            let created_at = Timestamp(u64::from_str_radix(at, 16).ok()?.cast_signed());
            let id = GameId(Uuid::try_parse(id).ok()?);
            Some(Self { created_at, id })
        };
        // Only the one spelling, so that a cursor is a value and not a family of them.
        parse().filter(|cursor| cursor.to_string() == text).ok_or_else(|| BadCursor(text.to_owned()))
    }
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct GamePage {
    /// The games, in order.
    pub games: Vec<GameSummary>,
    /// Where the next page begins; absent at the end.
    pub next: Option<GameCursor>,
}

impl Store {
    /// A page of at most `limit` games that fit, after `cursor`.
    pub async fn list_games(
        &self,
        filter: &GameFilter,
        direction: Direction,
        cursor: Option<GameCursor>,
        limit: u32,
    ) -> Result<GamePage, Fault> {
        let mut games: Vec<GameSummary> = Vec::new();
        reading!(self, db => {
            let mut query = list_query("", filter, direction, cursor, limit);
            for row in query.build().fetch_all(db).await? {
                let summary = GameSummary::from_row(&row)?;
                if games.last().is_none_or(|last| last.id != summary.id) {
                    games.push(summary);
                }
                if row.try_get::<Option<&str>, _>("seat")?.is_some() {
                    let player = GamePlayer::from_row(&row)?;
                    games.last_mut().expect("one was just pushed").players.push(player);
                }
            }
        });
        // One more than asked for says whether there is more.
        let more = games.len() > limit as usize;
        games.truncate(limit as usize);
        let next = games.last().filter(|_| more).map(GameCursor::at);
        Ok(GamePage { games, next })
    }
}

/// The statement of a list: the page's keys from one index, then the rows of those games and their players.
pub(crate) fn list_query<DB: Database>(
    prefix: &str,
    filter: &GameFilter,
    direction: Direction,
    cursor: Option<GameCursor>,
    limit: u32,
) -> QueryBuilder<DB>
where
    Uuid: Encode<'static, DB> + Type<DB>,
    String: Encode<'static, DB> + Type<DB>,
    i64: Encode<'static, DB> + Type<DB>,
    i32: Encode<'static, DB> + Type<DB>,
    bool: Encode<'static, DB> + Type<DB>,
{
    let (order, after) = match direction {
        Direction::Newest => ("desc", " < "),
        Direction::Oldest => ("asc", " > "),
    };
    let mut query = QueryBuilder::new(prefix);
    query.push(
        "select g.id, g.variant, g.status, g.time_control, g.is_rated, g.created_at, g.started_at, g.ended_at, \
         g.reason, g.ply_count, g.annulled_at, p.seat, p.user_id, p.name, p.is_bot, p.bot_level, p.placement, \
         p.points, p.result as player_result, p.rating_before, p.rating_after from (",
    );
    push_source(&mut query, filter);
    push_conditions(&mut query, filter);
    let key = key_of(filter);
    if let Some(cursor) = cursor {
        if opponent_of(filter).is_some() {
            query.push(" and o.created_at").push(after.trim_end()).push("= ").push_bind(cursor.created_at.0);
        }
        query.push(" and (l.created_at, ").push(key).push(")").push(after).push("(");
        query.push_bind(cursor.created_at.0).push(", ").push_bind(cursor.id.0).push(")");
    }
    query.push(" order by l.created_at ").push(order).push(", ").push(key).push(" ").push(order);
    query.push(" limit ").push_bind(i64::from(limit) + 1);
    query.push(") page join games g on g.id = page.id left join game_players p on p.game_id = g.id order by page.created_at ");
    query.push(order).push(", page.id ").push(order).push(", p.seat");
    query
}

fn opponent_of(filter: &GameFilter) -> Option<UserId> {
    filter.player.as_ref().and_then(|player| player.opponent)
}

/// The column with the id of a game, in the table that a list is read from.
fn key_of(filter: &GameFilter) -> &'static str {
    if filter.player.is_some() { "l.game_id" } else { "l.id" }
}

/// Where the keys come from: the games of a player, of two players, or all.
fn push_source<DB: Database>(query: &mut QueryBuilder<DB>, filter: &GameFilter)
where
    Uuid: Encode<'static, DB> + Type<DB>,
    String: Encode<'static, DB> + Type<DB>,
    i64: Encode<'static, DB> + Type<DB>,
    i32: Encode<'static, DB> + Type<DB>,
    bool: Encode<'static, DB> + Type<DB>,
{
    if let Some(player) = &filter.player {
        query.push("select l.created_at, l.game_id as id from game_players l");
        if let Some(opponent) = player.opponent {
            // Both players' games lie in the same order, so that two who have never met are found out by one pass
            // over each.
            query.push(" join game_players o on o.game_id = l.game_id and o.created_at = l.created_at and o.user_id = ");
            query.push_bind(opponent.0);
        }
        query.push(" where l.user_id = ").push_bind(player.user.0);
        if let Some(result) = player.result {
            query.push(" and l.result = ").push_bind(result.as_str().to_owned());
        }
        if let Some(placement) = player.placement {
            query.push(" and l.placement = ").push_bind(i32::try_from(placement).unwrap_or(i32::MAX));
        }
    } else {
        query.push("select l.created_at, l.id from games l where true");
    }
}

/// Which of these games are listed.
fn push_conditions<DB: Database>(query: &mut QueryBuilder<DB>, filter: &GameFilter)
where
    Uuid: Encode<'static, DB> + Type<DB>,
    String: Encode<'static, DB> + Type<DB>,
    i64: Encode<'static, DB> + Type<DB>,
    i32: Encode<'static, DB> + Type<DB>,
    bool: Encode<'static, DB> + Type<DB>,
{
    for (column, value) in [
        (" and l.variant = ", filter.variant.as_deref()),
        (" and l.reason = ", filter.reason.as_deref()),
        (" and l.time_control = ", filter.time_control.as_deref()),
    ] {
        if let Some(value) = value {
            query.push(column).push_bind(value.to_owned());
        }
    }
    if let Some(status) = filter.status {
        query.push(" and (l.status = ").push_bind(status.as_str().to_owned());
        for game in &filter.or_these {
            query.push(" or ").push(key_of(filter)).push(" = ").push_bind(game.0);
        }
        query.push(")");
    }
    if let Some(is_rated) = filter.is_rated {
        query.push(" and l.is_rated = ").push_bind(is_rated);
    }
    // The planner does not carry a range from one side of a join to the other.
    let sides: &[&str] = if opponent_of(filter).is_some() { &["l", "o"] } else { &["l"] };
    for side in sides {
        if let Some(from) = filter.from {
            query.push(" and ").push(side).push(".created_at >= ").push_bind(from.0);
        }
        if let Some(until) = filter.until {
            query.push(" and ").push(side).push(".created_at < ").push_bind(until.0);
        }
    }
}
