//! How the databases would answer lists: tests assert that none of them reads a whole table.

use sqlx::{AssertSqlSafe, Row as _};
use uuid::Uuid;

use crate::fault::Fault;
use crate::game_list::{Direction, GameCursor, GameFilter, list_query};
use crate::store::Store;
use crate::{conduct, ledger, ratings, users};

/// A list other than that of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Named users by how their names begin.
    UsersByName,
    /// All users, by id.
    Users,
    /// One player's changes in a pool.
    RatingHistory,
    /// A pool's changes in their order.
    Ledger,
    /// One game's changes.
    RatingChanges,
    /// The best of a pool.
    Leaderboard,
    /// Reports that nobody has dealt with.
    OpenReports,
    /// What one user has reported.
    ReportsBy,
    /// What administrators did.
    Audit,
}

impl Listing {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::UsersByName,
        Self::Users,
        Self::RatingHistory,
        Self::Ledger,
        Self::RatingChanges,
        Self::Leaderboard,
        Self::OpenReports,
        Self::ReportsBy,
        Self::Audit,
    ];
}

impl Store {
    /// How the database would answer this list of games.
    pub async fn explain_games(
        &self,
        filter: &GameFilter,
        direction: Direction,
        cursor: Option<GameCursor>,
        limit: u32,
    ) -> Result<Vec<String>, Fault> {
        let prefix = self.pick("explain query plan ", "explain ");
        let mut lines = Vec::new();
        reading!(self, db => {
            let mut query = list_query(prefix, filter, direction, cursor, limit);
            for row in query.build().fetch_all(db).await? {
                // SQLite says it in its fourth column, PostgreSQL in its only one.
                lines.push(row.try_get(row.len().min(4) - 1)?);
            }
        });
        Ok(lines)
    }

    /// How the database would answer another list.
    pub async fn explain(&self, listing: Listing) -> Result<Vec<String>, Fault> {
        let id = self
            .pick(format!("x'{}'", Uuid::from_u128(7).simple()), format!("'{}'::uuid", Uuid::from_u128(7)));
        let id = id.as_str();
        let (sql, values): (&str, &[&str]) = match listing {
            Listing::UsersByName => {
                (self.pick(users::BY_PREFIX_SQLITE, users::BY_PREFIX_POSTGRES), &["'ad'", "'ae'", "50"])
            }
            Listing::Users => (users::IN_ORDER, &[id, "50"]),
            Listing::RatingHistory => (ledger::HISTORY, &[id, "'cross'", "1000", "50"]),
            Listing::Ledger => (ledger::LEDGER, &["'cross'", "1000", "50"]),
            Listing::RatingChanges => (ledger::CHANGES, &[id]),
            Listing::Leaderboard => (
                ratings::LEADERBOARD,
                &["'cross'", "1e300", id, "30", "110.0", "52.6", "1700000000000", "50"],
            ),
            Listing::OpenReports => (conduct::OPEN_REPORTS, &["50"]),
            Listing::ReportsBy => (conduct::REPORTS_BY, &[id]),
            Listing::Audit => (conduct::AUDIT, &["50"]),
        };
        let mut text = format!("{}{sql}", self.pick("explain query plan ", "explain "));
        for (number, value) in values.iter().enumerate().rev() {
            text = text.replace(&format!("${}", number + 1), value);
        }
        let mut lines = Vec::new();
        reading!(self, db => {
            for row in sqlx::query(AssertSqlSafe(text)).fetch_all(db).await? {
                lines.push(row.try_get(row.len().min(4) - 1)?);
            }
        });
        Ok(lines)
    }
}
