//! The queue: tickets, matches and ready checks as a pure state machine. Time is a number given from outside.
//!
//! Every player has at most one ticket, which may accept several pools. A ticket waits, or belongs to one match; a
//! match becomes a game only when all its players have confirmed and are connected, and any cancel before that voids it.

mod search;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use kingscross_protocol::{QueueEnd, Timestamp, UserId};

use super::{Rejection, Settings};

/// How many recent waits of a pool an estimate is made from.
const REMEMBERED_WAITS: usize = 40;

/// A player who looks for opponents.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticket {
    /// The player.
    pub user: UserId,
    /// The pools that the player accepts, each with the player's rating in it; the preferred ones first.
    pub pools: Vec<(String, f64)>,
    /// Whether a game with other accounts would be rated.
    pub is_account: bool,
    /// Whether bots may fill the seats.
    pub bots: bool,
    /// Since when the player waits.
    pub joined: Timestamp,
    /// Players who block this one or are blocked by it.
    pub avoids: BTreeSet<UserId>,
}

impl Ticket {
    /// The player's rating in a pool; none if the ticket does not accept the pool.
    pub fn rating_in(&self, pool: &str) -> Option<f64> {
        self.pools.iter().find(|(accepted, _)| accepted == pool).map(|&(_, rating)| rating)
    }

    /// Whether the ticket accepts exactly these pools, in any order.
    fn accepts_exactly(&self, pools: &[&str]) -> bool {
        let mine: BTreeSet<&str> = self.pools.iter().map(|(pool, _)| pool.as_str()).collect();
        mine == pools.iter().copied().collect()
    }
}

/// The id of a match; unique in one run of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId(pub u64);

/// A match whose players have all confirmed: to be started as a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Ready {
    /// The match.
    pub id: MatchId,
    /// The pool.
    pub pool: String,
    /// The players, in the order of their waiting.
    pub players: Vec<Ticket>,
    /// How many seats bots fill.
    pub bots: u32,
}

/// What a step of the queue has led to.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// The player waits still, or again.
    Waiting(UserId),
    /// A match was found, or somebody in it has confirmed.
    Match(MatchId, UserId),
    /// The player is out of the queue.
    Out(UserId, QueueEnd),
    /// The player has broken a match that would have been a rated game.
    Dodged(UserId),
    /// Everybody has confirmed.
    Ready(MatchId),
}

struct Place {
    ticket: Ticket,
    /// The player had confirmed a match that another player broke, and goes before all others.
    front: bool,
    away_since: Option<Timestamp>,
    matched: Option<MatchId>,
}

struct Match {
    pool: String,
    players: Vec<(UserId, bool)>,
    bots: u32,
    until: Timestamp,
}

/// A match as one of its players sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchView {
    /// The match.
    pub id: MatchId,
    /// Its pool.
    pub pool: String,
    /// Milliseconds left to confirm.
    pub millis: i64,
    /// Players, bots not counted.
    pub players: u32,
    /// How many have confirmed.
    pub confirmed: u32,
    /// Whether this player has.
    pub you_confirmed: bool,
}

/// The queue of all pools.
pub struct Queue {
    settings: Settings,
    places: BTreeMap<UserId, Place>,
    matches: BTreeMap<MatchId, Match>,
    waits: HashMap<String, VecDeque<i64>>,
    next_match: u64,
    /// Something has changed since the last search.
    stale: bool,
}

impl Queue {
    /// An empty queue.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            places: BTreeMap::new(),
            matches: BTreeMap::new(),
            waits: HashMap::new(),
            next_match: 1,
            stale: false,
        }
    }

    /// Players with a ticket.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether nobody is queued.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The ticket of a player.
    pub fn ticket(&self, user: UserId) -> Option<&Ticket> {
        self.places.get(&user).map(|place| &place.ticket)
    }

    /// Whether a ticket with these pools may be added, or take the place of the one that the player has.
    pub fn check_join(&self, user: UserId, pools: &[&str]) -> Result<(), Rejection> {
        if pools.is_empty() {
            return Err(Rejection::NoPool);
        }
        if !pools.iter().all(|pool| self.settings.pools.contains_key(*pool)) {
            return Err(Rejection::UnknownPool(self.settings.pools.keys().cloned().collect()));
        }
        match self.places.get(&user) {
            Some(place) if place.matched.is_some() && !place.ticket.accepts_exactly(pools) => {
                Err(Rejection::Matched)
            }
            _ => Ok(()),
        }
    }

    /// Adds a ticket. A player who has one keeps its place; the pools and the wish for bots are the new ones.
    pub fn join(&mut self, ticket: Ticket, is_connected: bool) -> Result<(), Rejection> {
        let names: Vec<&str> = ticket.pools.iter().map(|(pool, _)| pool.as_str()).collect();
        self.check_join(ticket.user, &names)?;
        self.stale = true;
        if let Some(place) = self.places.get_mut(&ticket.user) {
            place.ticket.pools = ticket.pools;
            place.ticket.bots = ticket.bots;
            return Ok(());
        }
        let away_since = (!is_connected).then_some(ticket.joined);
        self.places.insert(ticket.user, Place { ticket, front: false, away_since, matched: None });
        Ok(())
    }

    /// Adds a ticket from before a restart: it keeps its place, and its player counts as away from now on.
    pub fn restore(&mut self, ticket: Ticket, now: Timestamp) {
        let user = ticket.user;
        if self.join(ticket, true).is_ok() {
            // A ticket that was just restored is in no match.
            self.set_connected(user, false, now);
        }
    }

    /// Removes a player. A match that is not yet a game becomes void, whoever has confirmed.
    pub fn leave(&mut self, user: UserId) -> Result<Vec<Notice>, Rejection> {
        if !self.places.contains_key(&user) {
            return Err(Rejection::NotQueued);
        }
        Ok(self.remove(user, QueueEnd::Left))
    }

    /// Removes a player for another reason than its own wish; without a ticket nothing happens.
    pub fn expel(&mut self, user: UserId, why: QueueEnd) -> Vec<Notice> {
        self.remove(user, why)
    }

    /// A player confirms a match; again is the same as once.
    pub fn confirm(&mut self, user: UserId, id: MatchId, now: Timestamp) -> Result<Vec<Notice>, Rejection> {
        let found = self.matches.get_mut(&id).filter(|found| found.until > now).ok_or(Rejection::NoMatch)?;
        let mine = found.players.iter_mut().find(|(player, _)| *player == user).ok_or(Rejection::NoMatch)?;
        mine.1 = true;
        let mut notices: Vec<_> =
            found.players.iter().map(|(player, _)| Notice::Match(id, *player)).collect();
        notices.extend(self.is_ready(id).then_some(Notice::Ready(id)));
        Ok(notices)
    }

    /// Whether everybody in a match has confirmed it and is connected.
    fn is_ready(&self, id: MatchId) -> bool {
        self.matches.get(&id).is_some_and(|found| {
            found.players.iter().all(|(user, confirmed)| *confirmed && !self.is_away(*user))
        })
    }

    fn is_away(&self, user: UserId) -> bool {
        self.places.get(&user).is_none_or(|place| place.away_since.is_some())
    }

    /// A player's last socket closed, or the first opened. A match may be ready that only waited for this player.
    pub fn set_connected(&mut self, user: UserId, is_connected: bool, now: Timestamp) -> Option<Notice> {
        let place = self.places.get_mut(&user)?;
        let was_away = place.away_since.is_some();
        place.away_since = if is_connected { None } else { place.away_since.or(Some(now)) };
        let matched = place.matched;
        self.stale |= was_away && is_connected;
        matched.filter(|&id| was_away && is_connected && self.is_ready(id)).map(Notice::Ready)
    }

    /// The players of a match.
    pub fn players_of(&self, id: MatchId) -> Vec<UserId> {
        self.matches.get(&id).into_iter().flat_map(|found| &found.players).map(|&(user, _)| user).collect()
    }

    /// Leaves out a time that has ended `now` and in which nobody could confirm or come back.
    pub fn skip(&mut self, millis: i64, now: Timestamp) -> Vec<Notice> {
        for place in self.places.values_mut() {
            place.away_since = place.away_since.map(|since| since.plus(millis).min(now));
        }
        self.matches.values_mut().for_each(|found| found.until = found.until.plus(millis));
        let checks = self.matches.iter();
        checks
            .flat_map(|(&id, found)| found.players.iter().map(move |&(user, _)| Notice::Match(id, user)))
            .collect()
    }

    /// Removes a match from the queue, to start it. None if it has become void or waits for somebody.
    pub fn take_ready(&mut self, id: MatchId, now: Timestamp) -> Option<Ready> {
        let found = if self.is_ready(id) { self.matches.remove(&id)? } else { return None };
        let players: Vec<Ticket> = found
            .players
            .iter()
            .map(|(user, _)| self.places.remove(user).expect("a match holds tickets of the queue").ticket)
            .collect();
        let waits = self.waits.entry(found.pool.clone()).or_default();
        waits.extend(players.iter().map(|ticket| now.since(ticket.joined)));
        let excess = waits.len().saturating_sub(REMEMBERED_WAITS);
        waits.drain(..excess);
        Some(Ready { id, pool: found.pool, players, bots: found.bots })
    }

    /// Puts back the players of a match that could not be started, each at its place and before others.
    pub fn put_back(&mut self, ready: Ready) -> Vec<Notice> {
        self.stale = true;
        ready
            .players
            .into_iter()
            .map(|ticket| {
                let user = ticket.user;
                self.places.insert(user, Place { ticket, front: true, away_since: None, matched: None });
                Notice::Waiting(user)
            })
            .collect()
    }

    /// Does what is due: ends ready checks, drops the vanished, finds matches.
    pub fn run(&mut self, now: Timestamp) -> Vec<Notice> {
        let mut notices = self.expire_matches(now);
        let gone: Vec<UserId> = self
            .places
            .values()
            .filter(|place| {
                place.away_since.is_some_and(|since| now.since(since) >= self.settings.vanished_after)
            })
            .map(|place| place.ticket.user)
            .collect();
        for user in gone {
            notices.extend(self.remove(user, QueueEnd::Vanished));
        }
        self.search(now, &mut notices);
        self.stale = false;
        notices
    }

    /// When [`Self::run`] must be called next; none while nothing can happen by itself.
    pub fn deadline(&self, now: Timestamp) -> Option<Timestamp> {
        if self.stale {
            return Some(now);
        }
        let checks = self.matches.values().map(|found| found.until);
        let absences = self
            .places
            .values()
            .filter_map(|place| place.away_since)
            .map(|since| since.plus(self.settings.vanished_after));
        // A window widens all the time; once a second is often enough to look.
        let is_anyone_waiting = self.places.values().any(|place| place.matched.is_none());
        let search = is_anyone_waiting.then_some(now.plus(1000));
        checks.chain(absences).chain(search).min()
    }

    /// The match that a player is asked to confirm.
    pub fn match_of(&self, user: UserId, now: Timestamp) -> Option<MatchView> {
        let id = self.places.get(&user)?.matched?;
        let found = self.matches.get(&id)?;
        Some(MatchView {
            id,
            pool: found.pool.clone(),
            millis: found.until.since(now).max(0),
            players: found.players.len() as u32,
            confirmed: found.players.iter().filter(|(_, confirmed)| *confirmed).count() as u32,
            you_confirmed: found.players.iter().any(|&(player, confirmed)| player == user && confirmed),
        })
    }

    /// How many players wait for each pool that anybody waits for; who is in a match waits for that match's pool alone.
    pub fn players(&self) -> HashMap<&str, u32> {
        let mut players = HashMap::new();
        for place in self.places.values() {
            match place.matched {
                Some(id) => {
                    if let Some(found) = self.matches.get(&id) {
                        *players.entry(found.pool.as_str()).or_default() += 1;
                    }
                }
                None => {
                    for (pool, _) in &place.ticket.pools {
                        *players.entry(pool.as_str()).or_default() += 1;
                    }
                }
            }
        }
        players
    }

    /// All pools, each with how many players make a game of it.
    pub fn pools(&self) -> impl Iterator<Item = (&str, u32)> {
        self.settings.pools.iter().map(|(pool, &needed)| (pool.as_str(), needed))
    }

    /// How long a wait in a pool takes, in milliseconds: the median of the last waits.
    pub fn estimate(&self, pool: &str) -> Option<i64> {
        let mut waits: Vec<i64> = self.waits.get(pool)?.iter().copied().collect();
        waits.sort_unstable();
        waits.get(waits.len() / 2).copied()
    }

    fn remove(&mut self, user: UserId, why: QueueEnd) -> Vec<Notice> {
        let Some(place) = self.places.remove(&user) else { return Vec::new() };
        self.stale = true;
        let mut notices = vec![Notice::Out(user, why)];
        if let Some(id) = place.matched {
            notices.extend(self.is_rated(id, Some(&place.ticket)).then_some(Notice::Dodged(user)));
            notices.extend(self.dissolve(id));
        }
        notices
    }

    /// Whether a match has accounts only and no bots; `out` is a player of it who has left the queue.
    fn is_rated(&self, id: MatchId, out: Option<&Ticket>) -> bool {
        self.matches.get(&id).is_some_and(|found| {
            let places = found.players.iter().filter_map(|(user, _)| self.places.get(user));
            found.bots == 0 && places.map(|place| &place.ticket).chain(out).all(|ticket| ticket.is_account)
        })
    }

    /// Voids a match. Its players wait again; those who had confirmed go before everybody else.
    fn dissolve(&mut self, id: MatchId) -> Vec<Notice> {
        let Some(found) = self.matches.remove(&id) else { return Vec::new() };
        self.stale = true;
        let mut notices = Vec::new();
        for (user, confirmed) in found.players {
            if let Some(place) = self.places.get_mut(&user) {
                place.matched = None;
                place.front |= confirmed;
                notices.push(Notice::Waiting(user));
            }
        }
        notices
    }

    fn expire_matches(&mut self, now: Timestamp) -> Vec<Notice> {
        let overdue = self.matches.iter().filter(|(_, found)| found.until <= now).map(|(&id, _)| id);
        let (ready, due): (Vec<MatchId>, Vec<MatchId>) = overdue.partition(|&id| self.is_ready(id));
        let mut notices: Vec<Notice> = ready.into_iter().map(Notice::Ready).collect();
        for id in due {
            let is_rated = self.is_rated(id, None);
            let players = self.matches[&id].players.clone();
            // A player who has confirmed and is away has broken the match, too, but keeps the ticket.
            let breakers = players.iter().filter(|(user, confirmed)| !confirmed || self.is_away(*user));
            notices.extend(breakers.filter(|_| is_rated).map(|(user, _)| Notice::Dodged(*user)));
            for (user, _) in players.into_iter().filter(|(_, confirmed)| !confirmed) {
                self.places.remove(&user);
                notices.push(Notice::Out(user, QueueEnd::Unconfirmed));
            }
            notices.extend(self.dissolve(id));
        }
        notices
    }
}
