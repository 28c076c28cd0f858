//! Starts the game or games of a match that everybody has confirmed.

use kingscross_protocol::{GameId, QueueEnd, ServerMessage, UserId};

use super::super::pool::PoolKind;
use super::super::queue::{MatchId, Ready};
use super::Task;
use crate::auth::random;
use crate::table::{NewGame, Seated, StartError};

impl Task {
    /// Starts the game of a match, or puts its players back.
    pub(super) async fn start(&mut self, id: MatchId) {
        self.drain().await;
        // A match waits for players who are away until its time is over.
        for user in self.queue.players_of(id) {
            self.look_at(user);
        }
        let now = self.now();
        let Some(ready) = self.queue.take_ready(id, now) else { return };
        match self.start_games(&ready).await {
            Ok(()) => {
                for player in &ready.players {
                    self.forget(player.user);
                    self.app.hub.send(player.user, &ServerMessage::Unqueued { why: QueueEnd::Matched });
                }
            }
            Err(error) => {
                tracing::warn!(%error, pool = ready.pool, "a match could not be started");
                let players: Vec<UserId> = ready.players.iter().map(|player| player.user).collect();
                let notices = self.queue.put_back(ready);
                for user in players {
                    self.look_at(user);
                }
                self.pending.extend(notices);
            }
        }
    }

    async fn start_games(&self, ready: &Ready) -> Result<(), StartError> {
        let key = self.keys.get(&ready.pool).ok_or(StartError::WrongPlayers)?;
        let mut players: Vec<Seated> = ready
            .players
            .iter()
            .map(|ticket| Seated::Human {
                user: ticket.user,
                name: self.names.get(&ticket.user).cloned().unwrap_or_default(),
            })
            .collect();
        let level = &self.app.config.bots.level;
        players.extend((0..ready.bots).map(|_| Seated::Bot { level: level.clone() }));
        shuffle(&mut players);
        let new = |variant, players, id, other_game| NewGame {
            id: Some(id),
            rated: ready.bots == 0 && ready.players.iter().all(|ticket| ticket.is_account),
            other_game,
            tickets: ready.players.iter().map(|ticket| ticket.user).collect(),
            ..NewGame::casual(variant, key.time, players)
        };
        let first = GameId::fresh();
        match key.kind {
            PoolKind::Game(variant) => {
                self.app.tables.start(&self.app, new(variant, players, first, None)).await?;
            }
            PoolKind::Match(variant, other) => {
                let second = GameId::fresh();
                let swapped = players.iter().rev().cloned().collect();
                let on_a = new(variant, players, first, Some(second));
                self.app.tables.start(&self.app, on_a).await?;
                let on_b = new(other, swapped, second, Some(first));
                if let Err(error) = self.app.tables.start(&self.app, on_b).await {
                    if let Some(table) = self.app.tables.find(first) {
                        // Half a match does not count. If aborting fails, too, the time limit of the first move ends it.
                        let _ = table.abort().await;
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// Seats are drawn at random, so that they do not depend on the wait.
fn shuffle<T>(list: &mut [T]) {
    for last in (1..list.len()).rev() {
        // Without random bytes the order of waiting is kept; that harms nobody.
        let Ok(bytes) = random::<8>() else { return };
        list.swap(last, (u64::from_le_bytes(bytes) % (last as u64 + 1)) as usize);
    }
}
