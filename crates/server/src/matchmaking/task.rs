//! The task around the queue: it stores tickets, tells players about their place, and starts games.

mod notify;
mod starting;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use kingscross_protocol::{PoolView, PoolWait, QueueEnd, Timestamp, UserId, UserKind};
use kingscross_storage::{Dodge, Dodges, Fault};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use super::pool::{PoolKey, pools};
use super::queue::{Notice, Queue, Ticket};
use super::{QueueUser, Rejection, Settings};
use crate::app::App;
use crate::config;
use crate::ratings::from_stored;
use crate::sockets::Socket;
use crate::table::Reply;

/// How often players who wait are told how many wait with them, in milliseconds.
const TELL_EVERY: i64 = 5_000;

/// How many void tickets are deleted at a time: each takes a write.
const DELETED_AT_ONCE: usize = 8;

pub(super) enum Message {
    Join { user: QueueUser, pools: Vec<String>, bots: bool, reply: Reply },
    Leave { user: UserId, reply: Reply },
    Confirm { user: UserId, name: String, reply: Reply },
    Playing { user: UserId },
    Expel { user: UserId, done: oneshot::Sender<()> },
    Greet { socket: Arc<Socket> },
    Pools { reply: oneshot::Sender<Vec<PoolView>> },
}

/// What is stored of a ticket beside its player and pools. Ratings are read again on loading.
#[derive(Serialize, Deserialize)]
struct Stored {
    name: String,
    is_account: bool,
    bots: bool,
    avoids: BTreeSet<UserId>,
}

pub(super) struct Task {
    app: App,
    inbox: mpsc::Receiver<Message>,
    queue: Queue,
    keys: BTreeMap<String, PoolKey>,
    names: HashMap<UserId, String>,
    /// Users whose tickets are void but not deleted yet.
    undeleted: BTreeSet<UserId>,
    /// Who has broken a match, and when; removed once it is stored.
    dodges: Vec<(UserId, Timestamp)>,
    /// When deleting is tried next.
    delete_at: Timestamp,
    /// What the queue has decided and what is still to be carried out.
    pending: VecDeque<Notice>,
    /// What was last sent to each waiting player.
    sent: HashMap<UserId, Vec<PoolWait>>,
    tell_at: Timestamp,
    /// Up to when stalls of the server have been left out of ready checks and absences.
    looked: Timestamp,
}

impl Task {
    /// Loads the stored tickets: each keeps its place and waits for its player.
    pub(super) async fn restore(app: App, inbox: mpsc::Receiver<Message>) -> Result<Self, Fault> {
        let keys: BTreeMap<String, PoolKey> =
            pools(&app.config.matchmaking).into_iter().map(|key| (key.to_string(), key)).collect();
        let mut task = Self {
            queue: Queue::new(settings(&app, &keys)),
            keys,
            names: HashMap::new(),
            undeleted: BTreeSet::new(),
            dodges: Vec::new(),
            delete_at: Timestamp(0),
            pending: VecDeque::new(),
            sent: HashMap::new(),
            tell_at: app.clock.now().plus(TELL_EVERY),
            looked: app.clock.now(),
            app,
            inbox,
        };
        let now = task.now();
        for stored in task.app.store.load_tickets().await? {
            let user = stored.user;
            match serde_json::from_str::<Stored>(&stored.body) {
                Ok(body) => {
                    // Without the pools that the configuration no longer has.
                    let known = stored.pools.into_iter().filter(|pool| task.keys.contains_key(pool));
                    let pools = task.with_ratings(user, known.collect()).await?;
                    if pools.is_empty() {
                        task.undeleted.insert(user);
                        continue;
                    }
                    task.names.insert(user, body.name);
                    let ticket = Ticket {
                        user,
                        pools,
                        is_account: body.is_account,
                        bots: body.bots,
                        joined: stored.created_at,
                        avoids: body.avoids,
                    };
                    task.queue.restore(ticket, now);
                }
                Err(error) => {
                    tracing::warn!(%error, "a stored ticket cannot be read and is dropped");
                    task.undeleted.insert(user);
                }
            }
        }
        Ok(task)
    }

    pub(super) async fn run(mut self) {
        let (stop, notices) = (self.app.stop.clone(), self.app.queue.notices.clone());
        loop {
            let now = self.now();
            let waiting = (!self.queue.is_empty()).then_some(self.tell_at);
            let is_to_delete = (!self.undeleted.is_empty()).then_some(self.delete_at);
            let is_to_store = (!self.dodges.is_empty()).then_some(now.plus(1000));
            let retry = is_to_delete.into_iter().chain(is_to_store).min();
            let search = self.queue.deadline(now);
            let due = search.into_iter().chain(waiting).chain(retry).min();
            let timer = self.app.clock.instant(due.unwrap_or(Timestamp(i64::MAX)));
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                message = self.inbox.recv() => match message {
                    Some(message) => self.receive(message).await,
                    None => return,
                },
                () = notices.noted() => {}
                () = tokio::time::sleep_until(timer), if due.is_some() => {}
            }
            self.leave_out_stalls();
            self.drain().await;
            let now = self.now();
            // `deadline` puts off the next search by a second each time, so the one named before the wait counts, too.
            if search.into_iter().chain(self.queue.deadline(now)).any(|at| at <= now) {
                let notices = self.queue.run(now);
                self.pending.extend(notices);
            }
            self.carry_out().await;
            self.retry_deletions().await;
            if let Err(fault) = self.note_dodges().await {
                tracing::warn!(%fault, "a broken match could not be noted");
            }
            self.tell_waiting(now);
        }
    }

    /// Leaves stalls of the server out of ready checks and absences: nobody can confirm or come back meanwhile.
    fn leave_out_stalls(&mut self) {
        let now = self.now();
        let before = std::mem::replace(&mut self.looked, now);
        let missed = self.app.stalls.missed(before, now);
        if missed > 0 {
            self.pending.extend(self.queue.skip(missed, now));
        }
    }

    /// Handles all messages that have come meanwhile. Called before a game is made, so that a cancel that is here wins.
    async fn drain(&mut self) {
        while let Ok(message) = self.inbox.try_recv() {
            self.receive(message).await;
        }
        for user in self.app.queue.notices.take() {
            self.look_at(user);
        }
    }

    async fn receive(&mut self, message: Message) {
        match message {
            Message::Join { user, pools, bots, reply } => {
                let id = user.id;
                if answer(reply, self.join(user, pools, bots).await).is_some() {
                    self.tell(id);
                }
            }
            Message::Leave { user, reply } => {
                let notices = answer(reply, self.leave(user).await).unwrap_or_default();
                notices.iter().for_each(|notice| self.tell_of(notice));
            }
            Message::Confirm { user, name, reply } => {
                let notices = answer(reply, self.confirm(user, &name)).unwrap_or_default();
                self.pending.extend(notices);
            }
            Message::Playing { user } => {
                let notices = self.queue.expel(user, QueueEnd::Playing);
                self.pending.extend(notices);
            }
            Message::Expel { user, done } => {
                let notices = self.queue.expel(user, QueueEnd::Left);
                self.pending.extend(notices);
                // Whoever waited for it may have gone.
                let _ = done.send(());
            }
            Message::Greet { socket } => self.greet(&socket),
            // Whoever asked may have gone.
            Message::Pools { reply } => drop(reply.send(self.pool_views())),
        }
    }

    /// Notes whether a player is connected. A match that waited for this player alone may be ready now.
    fn look_at(&mut self, user: UserId) {
        let notice = self.queue.set_connected(user, self.app.hub.is_connected(user), self.now());
        self.pending.extend(notice);
    }

    /// Stores a ticket and adds it to the queue, or changes the one that the player has.
    async fn join(&mut self, user: QueueUser, mut pools: Vec<String>, bots: bool) -> Result<(), Rejection> {
        let id = user.id;
        let now = self.now();
        if self.app.excluded.has(id) {
            return Err(Rejection::Excluded);
        }
        let mut seen = BTreeSet::new();
        pools.retain(|pool| seen.insert(pool.clone()));
        let names: Vec<&str> = pools.iter().map(String::as_str).collect();
        self.queue.check_join(id, &names)?;
        if self.queue.ticket(id).is_none() {
            if self.app.tables.of_user(id).iter().any(|table| !table.has_ended()) {
                return Err(Rejection::Playing);
            }
            if user.kind == UserKind::Account {
                self.check_dodges(id, now).await?;
            }
        }
        let ticket = self.make_ticket(&user, pools, bots, now).await?;
        let is_connected = self.app.hub.is_connected(id);
        self.names.insert(id, user.name);
        self.queue.join(ticket, is_connected)
    }

    /// Stores and returns the ticket: the player's present one with the new wishes, or a new one.
    async fn make_ticket(
        &self,
        user: &QueueUser,
        pools: Vec<String>,
        bots: bool,
        now: Timestamp,
    ) -> Result<Ticket, Fault> {
        let store = &self.app.store;
        let pools = self.with_ratings(user.id, pools).await?;
        let ticket = match self.queue.ticket(user.id) {
            Some(ticket) => Ticket { pools, bots, ..ticket.clone() },
            None => Ticket {
                user: user.id,
                pools,
                is_account: user.kind == UserKind::Account,
                bots,
                joined: now,
                avoids: store.list_blocks_either_way(user.id).await?.into_iter().collect(),
            },
        };
        let body = Stored {
            name: user.name.clone(),
            is_account: ticket.is_account,
            bots,
            avoids: ticket.avoids.clone(),
        };
        let new = kingscross_storage::Ticket {
            id: uuid::Uuid::now_v7(),
            user: user.id,
            pools: ticket.pools.iter().map(|(pool, _)| pool.clone()).collect(),
            created_at: ticket.joined,
            body: serde_json::to_string(&body).expect("plain data"),
        };
        let kept = store.create_ticket(&new).await?;
        if kept.id != new.id {
            store.save_ticket(&kingscross_storage::Ticket { id: kept.id, ..new }).await?;
        }
        Ok(ticket)
    }

    /// Pools with a player's rating in each.
    async fn with_ratings(&self, user: UserId, pools: Vec<String>) -> Result<Vec<(String, f64)>, Fault> {
        let mut known: HashMap<&'static str, f64> = HashMap::new();
        let mut rated = Vec::new();
        for pool in pools {
            let Some(key) = self.keys.get(&pool) else { continue };
            let id = key.kind.ratings().id();
            let rating = match known.get(id) {
                Some(&rating) => rating,
                None => {
                    let stored = self.app.store.find_rating(user, id).await?;
                    *known.entry(id).or_insert(from_stored(stored.as_ref()).rating)
                }
            };
            rated.push((pool, rating));
        }
        Ok(rated)
    }

    /// Rejects an account that has left matches, or rated games before they began, while it must wait.
    async fn check_dodges(&mut self, user: UserId, now: Timestamp) -> Result<(), Rejection> {
        // What has just happened counts, too.
        self.note_dodges().await?;
        let config = &self.app.config.matchmaking;
        let Some(dodges) = self.app.store.find_dodges(user).await? else { return Ok(()) };
        match u64::try_from(penalty_end(config, &dodges).since(now)) {
            Ok(wait) if wait > 0 => Err(Rejection::Dodged { dodges: dodges.count, wait }),
            _ => Ok(()),
        }
    }

    /// Stores who has broken a match.
    async fn note_dodges(&mut self) -> Result<(), Fault> {
        let forget = self.app.config.matchmaking.dodge_forget_ms;
        while let Some(&(user, at)) = self.dodges.first() {
            self.app.store.note_dodge(&Dodge { user, at, forget }).await?;
            self.dodges.remove(0);
        }
        Ok(())
    }

    async fn leave(&mut self, user: UserId) -> Result<Vec<Notice>, Rejection> {
        if self.queue.ticket(user).is_some() {
            self.app.store.delete_ticket(user).await?;
        }
        self.queue.leave(user)
    }

    fn confirm(&mut self, user: UserId, name: &str) -> Result<Vec<Notice>, Rejection> {
        let id = self.match_id(name).ok_or(Rejection::NoMatch)?;
        self.queue.confirm(user, id, self.now())
    }

    async fn carry_out(&mut self) {
        while let Some(notice) = self.pending.pop_front() {
            self.tell_of(&notice);
            match notice {
                Notice::Out(user, _) => drop(self.undeleted.insert(user)),
                Notice::Ready(id) => self.start(id).await,
                Notice::Waiting(_) | Notice::Match(..) | Notice::Dodged(_) => {}
            }
        }
    }

    async fn retry_deletions(&mut self) {
        let now = self.now();
        if now < self.delete_at {
            return;
        }
        // Players who come meanwhile do not wait for all of a crowd that has gone.
        let due: Vec<UserId> = self.undeleted.iter().copied().take(DELETED_AT_ONCE).collect();
        for user in due {
            // Who has joined again in the meantime has a valid ticket.
            let is_void = self.queue.ticket(user).is_none();
            if is_void && let Err(fault) = self.app.store.delete_ticket(user).await {
                tracing::warn!(%fault, "a void ticket could not be deleted");
                self.delete_at = now.plus(1000);
                return;
            }
            self.undeleted.remove(&user);
        }
    }

    fn forget(&mut self, user: UserId) {
        self.names.remove(&user);
        self.sent.remove(&user);
    }

    fn now(&self) -> Timestamp {
        self.app.clock.now()
    }
}

/// Answers a request; what it has led to, if it was not refused.
fn answer<T>(reply: Reply, result: Result<T, Rejection>) -> Option<T> {
    match result {
        Ok(done) => {
            reply.ok();
            Some(done)
        }
        Err(rejection) => {
            reply.refuse(rejection.into());
            None
        }
    }
}

/// When an account may look for opponents again: each further dodge takes the next of the configured waits.
fn penalty_end(config: &config::Matchmaking, dodges: &Dodges) -> Timestamp {
    let waits = &config.dodge_waits_ms;
    let index = usize::try_from(dodges.count).unwrap_or(usize::MAX).saturating_sub(1);
    dodges.last_at.plus(waits.get(index).or(waits.last()).copied().unwrap_or(0))
}

fn settings(app: &App, keys: &BTreeMap<String, PoolKey>) -> Settings {
    let config = &app.config.matchmaking;
    Settings {
        pools: keys.iter().map(|(name, key)| (name.clone(), key.kind.needed())).collect(),
        window_start: config.window_start,
        window_per_second: config.window_per_second,
        window_open_after: config.window_open_after_ms,
        mix_after: config.mix_after_ms,
        block_until: config.block_until_ms,
        ready_check: config.ready_check_ms,
        bots_after: config.bots_after_ms,
        vanished_after: config.vanished_after_ms,
    }
}
