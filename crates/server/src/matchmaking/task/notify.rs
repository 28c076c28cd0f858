//! What players are told about the queue.

use std::collections::HashMap;

use kingscross_protocol::{MatchView, PoolView, PoolWait, QueueView, ServerMessage, Timestamp, UserId};

use super::super::pool::pools;
use super::super::queue::{MatchId, Notice};
use super::{TELL_EVERY, Task};
use crate::sockets::Socket;

impl Task {
    pub(super) fn tell_of(&mut self, notice: &Notice) {
        match notice {
            Notice::Waiting(user) => self.tell(*user),
            Notice::Match(_, user) => {
                if let Some(found) = self.match_view(*user) {
                    self.app.hub.send(*user, &ServerMessage::Match(found));
                }
            }
            Notice::Dodged(user) => self.dodges.push((*user, self.app.clock.now())),
            Notice::Out(user, why) => {
                self.app.hub.send(*user, &ServerMessage::Unqueued { why: *why });
                self.forget(*user);
            }
            Notice::Ready(_) => {}
        }
    }

    /// Tells a player about its place in the queue.
    pub(super) fn tell(&mut self, user: UserId) {
        if let Some(view) = self.view(user, &self.pool_waits()) {
            self.tell_view(user, view);
        }
    }

    fn tell_view(&mut self, user: UserId, view: QueueView) {
        self.sent.insert(user, view.pools.clone());
        self.app.hub.send(user, &ServerMessage::Queue(view));
    }

    fn match_view(&self, user: UserId) -> Option<MatchView> {
        let found = self.queue.match_of(user, self.now())?;
        Some(MatchView {
            r#match: self.match_name(found.id),
            pool: found.pool,
            millis: u32::try_from(found.millis).unwrap_or(0),
            players: found.players,
            confirmed: found.confirmed,
            you_confirmed: found.you_confirmed,
        })
    }

    /// Tells a socket that has just opened about its player's place.
    pub(super) fn greet(&self, socket: &Socket) {
        if let Some(view) = self.view(socket.user, &self.pool_waits()) {
            socket.send(&ServerMessage::Queue(view));
        }
        if let Some(found) = self.match_view(socket.user) {
            socket.send(&ServerMessage::Match(found));
        }
    }

    /// Tells those who wait what has changed about the queue, now and then. Players in a ready check see that instead.
    pub(super) fn tell_waiting(&mut self, now: Timestamp) {
        if now < self.tell_at {
            return;
        }
        self.tell_at = now.plus(TELL_EVERY);
        let waiting: Vec<UserId> = self.names.keys().copied().collect();
        for &user in &waiting {
            // Notices may be lost when very many players come or go at once.
            self.look_at(user);
        }
        // Counted once for all of them.
        let waits = self.pool_waits();
        for user in waiting {
            let Some(view) = self.view(user, &waits) else { continue };
            if view.r#match.is_none() && self.sent.get(&user) != Some(&view.pools) {
                self.tell_view(user, view);
            }
        }
    }

    fn view(&self, user: UserId, waits: &HashMap<String, PoolWait>) -> Option<QueueView> {
        let ticket = self.queue.ticket(user)?;
        Some(QueueView {
            pools: ticket.pools.iter().filter_map(|(pool, _)| waits.get(pool).cloned()).collect(),
            waited: u64::try_from(self.now().since(ticket.joined)).unwrap_or(0),
            bots: ticket.bots,
            r#match: self.match_view(user),
        })
    }

    /// The players and the usual wait of each pool.
    fn pool_waits(&self) -> HashMap<String, PoolWait> {
        let players = self.queue.players();
        let waits = self.queue.pools().map(|(pool, needed)| {
            let players = players.get(pool).copied().unwrap_or(0);
            let wait = PoolWait { pool: pool.to_owned(), players, needed, estimate: self.estimate(pool) };
            (pool.to_owned(), wait)
        });
        waits.collect()
    }

    pub(super) fn pool_views(&self) -> Vec<PoolView> {
        let players = self.queue.players();
        pools(&self.app.config.matchmaking)
            .iter()
            .map(|key| {
                let pool = key.to_string();
                PoolView {
                    kind: key.kind.to_string(),
                    time: key.time,
                    needed: key.kind.needed(),
                    players: players.get(pool.as_str()).copied().unwrap_or(0),
                    estimate: self.estimate(&pool),
                    pool,
                }
            })
            .collect()
    }

    fn estimate(&self, pool: &str) -> Option<u64> {
        self.queue.estimate(pool).and_then(|wait| u64::try_from(wait).ok())
    }

    /// The name contains the server's boot, so that a confirmation from before a restart fits no match.
    fn match_name(&self, id: MatchId) -> String {
        format!("{}-{}", self.app.boot.0.simple(), id.0)
    }

    pub(super) fn match_id(&self, name: &str) -> Option<MatchId> {
        let (boot, number) = name.split_once('-')?;
        let id = MatchId(number.parse().ok()?);
        (boot == self.app.boot.0.simple().to_string()).then_some(id)
    }
}
