//! All ratings of a pool computed anew from the results, in the order in which they were first rated.

use std::collections::HashMap;

use kingscross_protocol::{Event, GameId, Seq, UserId};
use kingscross_storage::{Fault, LedgerEntry, Rebuild, Store, StoredRating};

use super::pool::Pool;
use super::rater::{changes, ranks};

/// Rows of the ledger that are read at once.
const BATCH: u32 = 500;

/// The ledger of a pool as computed from its games.
#[derive(Debug, Default)]
pub struct Rebuilt {
    /// The ledger and the ratings as they follow from the games.
    pub rebuild: Rebuild,
    /// How the stored ledger and the stored ratings differ from it.
    pub differences: Vec<String>,
    /// Games that were rated.
    pub games: usize,
}

/// Why a pool cannot be rebuilt.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
    /// A rated game has no readable result.
    #[error("game {0} is in the ledger but has no result that can be rated")]
    NoResult(GameId),
}

/// Computes a pool anew and compares it with what is stored. Nothing is written.
pub async fn rebuild(store: &Store, pool: Pool) -> Result<Rebuilt, RebuildError> {
    let mut rebuilt = Rebuilt::default();
    let mut current: HashMap<UserId, StoredRating> = HashMap::new();
    let mut rows = Rows { store, pool, after: 0, ready: Vec::new().into_iter(), is_done: false };
    let mut game: Vec<LedgerEntry> = Vec::new();
    loop {
        let row = rows.next().await?;
        // The rows of one game are adjacent: they were written in one transaction.
        let is_other =
            row.as_ref().is_none_or(|row| game.first().is_some_and(|first| first.game != row.game));
        if is_other && !game.is_empty() {
            apply(store, &std::mem::take(&mut game), &mut current, &mut rebuilt).await?;
        }
        match row {
            Some(row) => game.push(row),
            None => break,
        }
    }
    for (&user, rating) in &current {
        let stored = store.find_rating(user, pool.id()).await?;
        if stored.as_ref() != Some(rating) {
            rebuilt
                .differences
                .push(format!("{pool}: the rating of {user} is {stored:?}, and should be {rating:?}"));
        }
    }
    rebuilt.rebuild.seen = rows.after;
    rebuilt.rebuild.ratings = current.into_iter().collect();
    rebuilt.rebuild.ratings.sort_by_key(|(user, _)| *user);
    Ok(rebuilt)
}

async fn apply(
    store: &Store,
    rows: &[LedgerEntry],
    current: &mut HashMap<UserId, StoredRating>,
    rebuilt: &mut Rebuilt,
) -> Result<(), RebuildError> {
    let (id, at) = (rows[0].game, rows[0].at);
    let annulled_at = store.find_game(id).await?.and_then(|game| game.summary.annulled_at);
    if annulled_at.is_some() {
        // It does not count, and its rows stay as they are.
        rebuilt.rebuild.entries.extend(rows.iter().map(|row| LedgerEntry { annulled_at, ..row.clone() }));
        return Ok(());
    }
    let no_result = || RebuildError::NoResult(id);
    let events = store.load_events(id, Seq(0)).await?;
    let read = |body: &str| serde_json::from_str::<Event>(body).ok();
    let Some(Event::Created(setup)) = events.first().and_then(|event| read(&event.body)) else {
        return Err(no_result());
    };
    let ending = events.iter().rev().find_map(|event| match read(&event.body) {
        Some(Event::Finished(ending)) => Some(ending),
        _ => None,
    });
    let ranks = ending.and_then(|ending| ranks(&setup, &ending)).ok_or_else(no_result)?;
    let before: Vec<(UserId, Option<StoredRating>)> =
        setup.players.iter().map(|player| (player.user, current.get(&player.user).cloned())).collect();
    rebuilt.games += 1;
    for change in changes(&before, &ranks, at) {
        let stored = rows.iter().find(|row| row.change.user == change.user);
        if stored.is_none_or(|row| row.change != change) {
            let found = stored.map(|row| (&row.change.before, &row.change.after));
            rebuilt.differences.push(format!(
                "game {id}: the change of {} is {found:?}, and should be {:?}",
                change.user,
                (&change.before, &change.after)
            ));
        }
        current.insert(change.user, change.after.clone());
        rebuilt.rebuild.entries.push(LedgerEntry {
            id: 0,
            game: id,
            pool: rows[0].pool.clone(),
            at,
            change,
            annulled_at: None,
        });
    }
    if rows.len() != setup.players.len() {
        rebuilt.differences.push(format!(
            "game {id}: {} rows for {} players",
            rows.len(),
            setup.players.len()
        ));
    }
    Ok(())
}

/// The ledger of a pool, row by row.
struct Rows<'a> {
    store: &'a Store,
    pool: Pool,
    after: i64,
    ready: std::vec::IntoIter<LedgerEntry>,
    is_done: bool,
}

impl Rows<'_> {
    async fn next(&mut self) -> Result<Option<LedgerEntry>, Fault> {
        if let Some(row) = self.ready.next() {
            return Ok(Some(row));
        }
        if self.is_done {
            return Ok(None);
        }
        let batch = self.store.list_ledger(self.pool.id(), self.after, BATCH).await?;
        self.is_done = batch.len() < BATCH as usize;
        self.after = batch.last().map_or(self.after, |row| row.id);
        self.ready = batch.into_iter();
        Ok(self.ready.next())
    }
}
