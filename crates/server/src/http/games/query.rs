//! The query of the list of games.

use kingscross_engine::Variant;
use kingscross_protocol::{ErrorCode, GameStatus, TimeControl, Timestamp, UserId};
use kingscross_storage::{self as storage, Direction, GameCursor, GameFilter, PlayerFilter};
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::ApiError;
use crate::error::sentence;

/// The default number of entries of a page.
pub(crate) const USUAL_LIMIT: u32 = 50;
/// The maximum number of entries of a page.
pub(crate) const GREATEST_LIMIT: u32 = 200;
/// 2001-09-09 in milliseconds since 1970: a smaller number was meant as seconds.
const EARLIEST: i64 = 1_000_000_000_000;
/// The year 2286: a larger number was not meant as milliseconds.
const LATEST: i64 = 9_999_999_999_999;

/// Filters of the list of games; a game must match all that are given.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct GameQuery {
    /// Games of this player.
    pub(crate) player: Option<UserId>,
    /// Games with this opponent; needs `player`.
    pub(crate) opponent: Option<UserId>,
    /// The player's result: `win`, `draw` (shared first place) or `loss`; needs `player`.
    pub(crate) result: Option<String>,
    /// The player's place, 1 to 4; needs `player`.
    #[param(minimum = 1, maximum = 4)]
    pub(crate) placement: Option<u32>,
    /// Games of this variant, such as `crossfire`.
    pub(crate) variant: Option<String>,
    /// The status: `running`, `finished` or `aborted`.
    #[param(inline)]
    pub(crate) status: Option<GameStatus>,
    /// The reason of the end: `throne`, `agreement` …
    pub(crate) reason: Option<String>,
    /// Only rated games (`true`) or only casual ones (`false`).
    pub(crate) rated: Option<bool>,
    /// The time control, such as `5+3`.
    pub(crate) time: Option<String>,
    /// Created at this moment or later, in milliseconds since 1970.
    pub(crate) from: Option<i64>,
    /// Created before this moment, in milliseconds since 1970.
    pub(crate) until: Option<i64>,
    /// Which games come first: `newest` (the default) or `oldest`.
    pub(crate) order: Option<String>,
    /// The `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// The number of entries, 1 to 200; 50 by default. A stream of lines has all if there is no limit.
    #[param(minimum = 1, maximum = 200)]
    pub(crate) limit: Option<u32>,
}

/// The query, read and checked.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) filter: GameFilter,
    pub(crate) direction: Direction,
    pub(crate) cursor: Option<GameCursor>,
    pub(crate) limit: Option<u32>,
}

impl Wanted {
    /// Whether only ended games match.
    pub(super) fn asks_for_the_end(&self) -> bool {
        let of_player = |player: &PlayerFilter| player.result.is_some() || player.placement.is_some();
        self.filter.status.is_some_and(|status| status != storage::GameStatus::Running)
            || self.filter.reason.is_some()
            || self.filter.player.as_ref().is_some_and(of_player)
    }
}

impl GameQuery {
    /// Reads the query, or refuses it.
    pub(crate) fn read(self) -> Result<Wanted, ApiError> {
        let player = self.player_filter()?;
        let variant = self.variant.as_deref().map(read_variant).transpose()?;
        let reason = self.reason.filter(|reason| !reason.is_empty());
        if reason.as_ref().is_some_and(|reason| !is_word(reason)) {
            return Err(bad("`reason` must be a word such as `throne`"));
        }
        let time_control = self.time.as_deref().map(read_time).transpose()?;
        let (from, until) = (moment("from", self.from)?, moment("until", self.until)?);
        if let (Some(from), Some(until)) = (from, until)
            && from >= until
        {
            return Err(bad("`from` must be before `until`"));
        }
        let direction = match self.order.as_deref() {
            None | Some("newest") => Direction::Newest,
            Some("oldest") => Direction::Oldest,
            Some(_) => return Err(bad("`order` must be `newest` or `oldest`")),
        };
        let cursor = self.cursor.as_deref().map(read_cursor).transpose()?;
        let filter = GameFilter {
            player,
            variant: variant.map(|variant| variant.id().to_owned()),
            status: self.status.map(stored_status),
            or_these: Vec::new(),
            reason,
            is_rated: self.rated,
            time_control,
            from,
            until,
        };
        Ok(Wanted { filter, direction, cursor, limit: read_limit(self.limit)? })
    }

    fn player_filter(&self) -> Result<Option<PlayerFilter>, ApiError> {
        let Some(user) = self.player else {
            if self.opponent.is_some() || self.result.is_some() || self.placement.is_some() {
                return Err(bad("`opponent`, `result` and `placement` need `player`"));
            }
            return Ok(None);
        };
        let result = match self.result.as_deref() {
            None => None,
            Some(word) => Some(word.parse().map_err(|_| bad("`result` must be `win`, `draw` or `loss`"))?),
        };
        if self.opponent == Some(user) {
            return Err(bad("`opponent` must be another player than `player`"));
        }
        if self.placement.is_some_and(|place| !(1..=4).contains(&place)) {
            return Err(bad("`placement` must be 1 to 4"));
        }
        Ok(Some(PlayerFilter { user, opponent: self.opponent, result, placement: self.placement }))
    }
}

/// Checks the number of entries of a page.
pub(crate) fn read_limit(limit: Option<u32>) -> Result<Option<u32>, ApiError> {
    match limit {
        Some(limit) if !(1..=GREATEST_LIMIT).contains(&limit) => Err(bad("`limit` must be 1 to 200")),
        limit => Ok(limit),
    }
}

/// A refusal of a value.
pub(crate) fn bad(why: &str) -> ApiError {
    ApiError::new(ErrorCode::BadParameter, sentence(&why))
}

fn read_variant(text: &str) -> Result<Variant, ApiError> {
    text.parse().map_err(|error| ApiError::new(ErrorCode::UnknownVariant, sentence(&error)))
}

fn read_time(text: &str) -> Result<String, ApiError> {
    // A plus sign that was not escaped arrives as a space.
    let time: Result<TimeControl, _> = text.replace(' ', "+").parse();
    time.map(|time| time.to_string())
        .map_err(|error| ApiError::new(ErrorCode::BadTimeControl, sentence(&error)))
}

fn read_cursor(text: &str) -> Result<GameCursor, ApiError> {
    text.parse().map_err(|_| ApiError::new(ErrorCode::BadCursor, "This list did not return that cursor."))
}

fn moment(name: &str, millis: Option<i64>) -> Result<Option<Timestamp>, ApiError> {
    match millis {
        Some(millis) if !(EARLIEST..=LATEST).contains(&millis) => {
            Err(bad(&format!("`{name}` must be a moment in milliseconds since 1970")))
        }
        millis => Ok(millis.map(Timestamp)),
    }
}

fn is_word(text: &str) -> bool {
    text.len() <= 40 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn stored_status(status: GameStatus) -> storage::GameStatus {
    match status {
        GameStatus::Running => storage::GameStatus::Running,
        GameStatus::Finished => storage::GameStatus::Finished,
        GameStatus::Aborted => storage::GameStatus::Aborted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(query: GameQuery) -> ErrorCode {
        query.read().expect_err("refused").body.code
    }

    #[test]
    fn implausible_values_are_refused_with_their_code() {
        let of = GameQuery::default;
        assert_eq!(refused(GameQuery { limit: Some(0), ..of() }), ErrorCode::BadParameter);
        assert_eq!(refused(GameQuery { limit: Some(201), ..of() }), ErrorCode::BadParameter);
        assert_eq!(
            refused(GameQuery { from: Some(1_700_000_000), ..of() }),
            ErrorCode::BadParameter,
            "seconds"
        );
        assert_eq!(refused(GameQuery { until: Some(-1), ..of() }), ErrorCode::BadParameter);
        let turned = GameQuery { from: Some(EARLIEST + 1), until: Some(EARLIEST), ..of() };
        assert_eq!(refused(turned), ErrorCode::BadParameter);
        assert_eq!(refused(GameQuery { result: Some("win".into()), ..of() }), ErrorCode::BadParameter);
        let user = UserId::fresh();
        let mine = |result: &str| GameQuery { player: Some(user), result: Some(result.into()), ..of() };
        assert_eq!(refused(mine("victory")), ErrorCode::BadParameter);
        assert!(mine("win").read().is_ok());
        assert_eq!(
            refused(GameQuery { player: Some(user), opponent: Some(user), ..of() }),
            ErrorCode::BadParameter
        );
        assert_eq!(refused(GameQuery { variant: Some("go".into()), ..of() }), ErrorCode::UnknownVariant);
        assert_eq!(refused(GameQuery { time: Some("300".into()), ..of() }), ErrorCode::BadTimeControl);
        assert_eq!(refused(GameQuery { cursor: Some("abc".into()), ..of() }), ErrorCode::BadCursor);
        assert_eq!(refused(GameQuery { order: Some("best".into()), ..of() }), ErrorCode::BadParameter);
        assert_eq!(refused(GameQuery { reason: Some("a'b".into()), ..of() }), ErrorCode::BadParameter);
    }

    #[test]
    fn an_unknown_variant_is_refused_with_those_that_there_are() {
        let refused =
            GameQuery { variant: Some("go".into()), ..GameQuery::default() }.read().expect_err("no game");
        let known =
            "There is no such `variant`; there are crossfire, kingdoms, quaternity, cross-a, cross-b.";
        assert_eq!(refused.body.message, known);
    }

    #[test]
    fn a_time_control_is_found_in_any_of_its_spellings() {
        for text in ["5+3", "5 3", "5.0+3.0"] {
            let wanted = GameQuery { time: Some(text.into()), ..GameQuery::default() }.read().expect("read");
            assert_eq!(wanted.filter.time_control.as_deref(), Some("5+3"));
        }
    }
}
