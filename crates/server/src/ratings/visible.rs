//! Ratings as viewers see them from whom the ends of some games are still hidden.

use kingscross_protocol::{Timestamp, UserId};
use kingscross_storage::{Fault, LedgerEntry, Store, StoredRating};

use crate::delays::Delays;

/// Ratings as one viewer may see them at one moment.
#[derive(Clone, Copy)]
pub struct VisibleRatings<'a> {
    /// Where ratings are stored.
    pub store: &'a Store,
    /// What is hidden.
    pub delays: &'a Delays,
    /// The viewer; none for one who is not signed in.
    pub viewer: Option<UserId>,
    /// Now.
    pub now: Timestamp,
}

impl VisibleRatings<'_> {
    /// The first change of a player's rating that is still hidden; all later ones depend on it.
    pub async fn first_hidden(&self, user: UserId, pool: &str) -> Result<Option<LedgerEntry>, Fault> {
        let hidden = self.delays.hidden_changes(self.viewer, user, pool, self.now);
        if hidden.is_empty() {
            return Ok(None);
        }
        // Changes that are hidden from others but not from this viewer may be among them.
        let some = u32::try_from(self.delays.noted_changes(user, pool)).unwrap_or(u32::MAX);
        let last = self.store.rating_history(user, pool, i64::MAX, some).await?;
        Ok(last.into_iter().rev().find(|row| hidden.contains(&row.game)))
    }

    /// A rating without the changes that are still hidden; none if all are.
    pub async fn rating(
        &self,
        user: UserId,
        pool: &str,
        rating: StoredRating,
    ) -> Result<Option<StoredRating>, Fault> {
        let first = self.first_hidden(user, pool).await?;
        let visible = first.map_or(rating, |row| row.change.before);
        Ok(Some(visible).filter(|rating| rating.games > 0))
    }
}
