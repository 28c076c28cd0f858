//! What players are told of the queue.

use kingscross_protocol::{MatchView, PoolView, PoolWait, QueueView, ServerMessage, UserId};

use super::super::pool::pools;
use super::super::queue::{MatchId, Notice, Ticket};
use super::{TELL_EVERY, Task};
use crate::socket::Socket;

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

    /// Tells a player where it stands in the queue.
    pub(super) fn tell(&mut self, user: UserId) {
        if let Some(view) = self.view(user) {
            self.told.insert(user, view.pools.clone());
            self.app.hub.send(user, &ServerMessage::Queue(view));
        }
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

    /// Tells a socket that has just opened where its player stands.
    pub(super) fn greet(&self, socket: &Socket) {
        if let Some(view) = self.view(socket.user) {
            socket.send(&ServerMessage::Queue(view));
        }
        if let Some(found) = self.match_view(socket.user) {
            socket.send(&ServerMessage::Match(found));
        }
    }

    /// Tells those who wait what has changed about the queue, now and then. Who is asked to confirm a match has
    /// that to look at.
    pub(super) fn tell_waiting(&mut self, now: i64) {
        if now < self.tell_at {
            return;
        }
        self.tell_at = now + TELL_EVERY;
        let waiting: Vec<UserId> = self.names.keys().copied().collect();
        for user in waiting {
            // A notice that was lost in a crowd is made good here.
            self.look_at(user);
            let Some(view) = self.view(user) else { continue };
            if view.r#match.is_none() && self.told.get(&user) != Some(&view.pools) {
                self.tell(user);
            }
        }
    }

    fn view(&self, user: UserId) -> Option<QueueView> {
        let ticket = self.queue.ticket(user)?;
        Some(QueueView {
            pools: self.pools_of(ticket),
            waited: u64::try_from(self.now() - ticket.joined).unwrap_or(0),
            bots: ticket.bots,
            r#match: self.match_view(user),
        })
    }

    fn pools_of(&self, ticket: &Ticket) -> Vec<PoolWait> {
        let pools = ticket.pools.iter().map(|(pool, _)| PoolWait {
            pool: pool.clone(),
            players: self.queue.players_in(pool),
            needed: self.queue.needed(pool),
            estimate: self.estimate(pool),
        });
        pools.collect()
    }

    pub(super) fn pool_views(&self) -> Vec<PoolView> {
        pools(&self.app.config.matchmaking)
            .iter()
            .map(|key| {
                let pool = key.to_string();
                PoolView {
                    contest: key.contest.to_string(),
                    time: key.time,
                    needed: key.contest.needed(),
                    players: self.queue.players_in(&pool),
                    estimate: self.estimate(&pool),
                    pool,
                }
            })
            .collect()
    }

    fn estimate(&self, pool: &str) -> Option<u64> {
        self.queue.estimate(pool).and_then(|wait| u64::try_from(wait).ok())
    }

    /// Matches are named after this start of the server too: a confirmation of before is none.
    fn match_name(&self, id: MatchId) -> String {
        format!("{}-{}", self.app.boot.0.simple(), id.0)
    }

    pub(super) fn match_id(&self, name: &str) -> Option<MatchId> {
        let (boot, number) = name.split_once('-')?;
        let id = MatchId(number.parse().ok()?);
        (boot == self.app.boot.0.simple().to_string()).then_some(id)
    }
}
