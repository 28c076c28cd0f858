//! What players are told of the queue.

use kingscross_protocol::{PoolView, QueueView, ServerMessage, UserId};

use super::super::pool::pools;
use super::super::queue::{MatchId, Notice};
use super::{TELL_EVERY, Task};
use crate::socket::Socket;

impl Task {
    pub(super) fn tell_of(&mut self, notice: &Notice) {
        match notice {
            Notice::Waiting(user) => self.tell(*user),
            Notice::Match(id, user) => {
                self.tell_match(*id, *user, |message| self.app.hub.send(*user, message));
            }
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
            self.told.insert(user, (view.players, view.estimate));
            self.app.hub.send(user, &ServerMessage::Queue(view));
        }
    }

    fn tell_match(&self, id: MatchId, user: UserId, send: impl Fn(&ServerMessage)) {
        let (Some(found), Some(ticket)) = (self.queue.match_of(user, self.now()), self.queue.ticket(user))
        else {
            return;
        };
        send(&ServerMessage::Match {
            r#match: self.match_name(id),
            pool: ticket.pool.clone(),
            millis: u32::try_from(found.millis).unwrap_or(0),
            players: found.players,
            confirmed: found.confirmed,
            you_confirmed: found.you_confirmed,
        });
    }

    /// Tells a socket that has just opened where its player stands.
    pub(super) fn greet(&self, socket: &Socket) {
        if let Some(view) = self.view(socket.user) {
            socket.send(&ServerMessage::Queue(view));
        }
        if let Some(found) = self.queue.match_of(socket.user, self.now()) {
            self.tell_match(found.id, socket.user, |message| socket.send(message));
        }
    }

    /// Tells those who wait what has changed about the queue, now and then.
    pub(super) fn tell_waiting(&mut self, now: i64) {
        if now < self.tell_at {
            return;
        }
        self.tell_at = now + TELL_EVERY;
        let waiting: Vec<UserId> = self.names.keys().copied().collect();
        for user in waiting {
            // A notice that was lost in a crowd is made good here.
            self.queue.set_connected(user, self.app.hub.is_connected(user), now);
            let Some(view) = self.view(user) else { continue };
            if self.told.get(&user) != Some(&(view.players, view.estimate)) {
                self.tell(user);
            }
        }
    }

    fn view(&self, user: UserId) -> Option<QueueView> {
        let ticket = self.queue.ticket(user)?;
        Some(QueueView {
            pool: ticket.pool.clone(),
            waited: u64::try_from(self.now() - ticket.joined).unwrap_or(0),
            players: self.queue.players_in(&ticket.pool),
            needed: self.queue.needed(&ticket.pool),
            estimate: self.estimate(&ticket.pool),
            bots: ticket.bots,
        })
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
