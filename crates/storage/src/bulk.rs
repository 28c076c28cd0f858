//! Games that are over already, many at once: what `kingscross generate` fills a database with.

use std::collections::BTreeSet;

use kingscross_protocol::UserId;
use sqlx::{Database, Encode, QueryBuilder, Type};
use uuid::Uuid;

use crate::database::Pools;
use crate::enums::UserKind;
use crate::fault::Fault;
use crate::ledger::Entry;
use crate::ratings::StoredRating;
use crate::store::Store;
use crate::users::{NameError, NewUser};
use crate::writer::{Finish, GameRows, NewGame, RatingChange, insert_events, insert_rows};

/// Games of one statement: four players of seventeen columns each stay below both databases' limits of parameters.
const GAMES: usize = 250;
/// Users of one statement.
const USERS: usize = 1000;

/// A game from its first event to its last.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// What it began with; its events are all events.
    pub game: NewGame,
    /// How it ended. Its rating is not looked at: the changes are below.
    pub finish: Finish,
    /// In which pool it counted.
    pub pool: String,
    /// What it did to ratings, in the order of the ledger; none for a casual game.
    pub changes: Vec<RatingChange>,
}

impl Store {
    /// Adds users, all of a statement's or none.
    pub async fn add_users(&self, users: &[NewUser]) -> Result<(), NameError> {
        for some in users.chunks(USERS) {
            writing!(self, db => insert_users(some).build().execute(db).await?.rows_affected());
        }
        Ok(())
    }

    /// Adds games that are over, with players, events and changes of ratings. The current ratings are left as they
    /// are: see [`Self::put_ratings`].
    pub async fn add_played(&self, games: &[PlayedGame]) -> Result<(), Fault> {
        for some in games.chunks(GAMES) {
            long_transaction!(self, connection => {
                let rows = some.iter().map(|PlayedGame { game, finish, changes, .. }| {
                    GameRows { game, finish: Some(finish), changes }
                });
                insert_rows(&mut connection, &rows.collect::<Vec<_>>()).await?;
                let events =
                    some.iter().flat_map(|it| it.game.events.iter().map(|event| (it.game.id, event)));
                insert_events(&mut connection, &events.collect::<Vec<_>>()).await?;
                let pools: BTreeSet<&str> = some.iter().map(|it| it.pool.as_str()).collect();
                for pool in pools {
                    let rated = some.iter().filter(|it| it.pool == pool);
                    crate::ledger::insert(&mut connection, pool, &rated.flat_map(entries).collect::<Vec<_>>())
                        .await?;
                }
            });
        }
        Ok(())
    }

    /// Sets current ratings.
    pub async fn put_ratings(&self, pool: &str, ratings: &[(UserId, StoredRating)]) -> Result<(), Fault> {
        let ratings: Vec<(UserId, &StoredRating)> = ratings.iter().map(|(user, it)| (*user, it)).collect();
        long_transaction!(self, connection => crate::ratings::upsert(&mut connection, pool, &ratings).await?);
        Ok(())
    }

    /// Lets the planner know what is in the tables now, and PostgreSQL which pages all may see: without that an
    /// index alone answers nothing there.
    pub async fn take_stock(&self) -> Result<(), Fault> {
        let sql = self.pick("analyze", "vacuum analyze");
        // Without a time limit, as all that is done to a whole database.
        match &*self.inner.pools {
            Pools::Sqlite { write, .. } => {
                sqlx::query(sql).execute(&mut *write.lock().await?).await?;
            }
            Pools::Postgres { pool } => {
                sqlx::query(sql).execute(&pool.current().pool).await?;
            }
        }
        Ok(())
    }
}

fn entries(played: &PlayedGame) -> impl Iterator<Item = Entry<'_>> {
    let (game, at) = (played.game.id, played.finish.at);
    played.changes.iter().map(move |change| Entry { game, at, change, annulled_at: None })
}

fn insert_users<DB: Database>(users: &[NewUser]) -> QueryBuilder<DB>
where
    Uuid: Encode<'static, DB> + Type<DB>,
    String: Encode<'static, DB> + Type<DB>,
    Option<String>: Encode<'static, DB> + Type<DB>,
    &'static str: Encode<'static, DB> + Type<DB>,
    i64: Encode<'static, DB> + Type<DB>,
{
    let mut query =
        QueryBuilder::new("insert into users (id, name_key, name, kind, password_hash, created_at) ");
    query.push_values(users, |mut row, user| {
        row.push_bind(user.id.0)
            .push_bind(user.name_key.clone())
            .push_bind(user.name.clone())
            .push_bind(UserKind::as_str(user.kind))
            .push_bind(user.password_hash.clone())
            .push_bind(user.created_at.0);
    });
    query
}
