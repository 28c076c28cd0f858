//! Finding a match: the player who waits longest chooses first, and takes the nearest ratings that it may meet.

use kingscross_protocol::{Timestamp, UserId};

use super::{Match, MatchId, Notice, Place, Queue};

/// The players who can be matched now.
struct Crowd<'a> {
    /// The player who waits longest comes first.
    waiting: Vec<&'a Place>,
    taken: Vec<bool>,
    pools: Vec<Pool<'a>>,
}

/// The players of the crowd who accept one pool.
struct Pool<'a> {
    name: &'a str,
    needed: usize,
    /// Ratings in this pool with the index in the crowd; the lowest rating first.
    by_rating: Vec<(f64, usize)>,
}

/// A game that a player could have: in which pool, with whom.
struct Group<'a> {
    pool: &'a Pool<'a>,
    members: Vec<usize>,
}

impl Queue {
    /// Looks for matches: for one player after the other, in every pool that the player accepts.
    pub(super) fn search(&mut self, now: Timestamp, notices: &mut Vec<Notice>) {
        for (pool, players, bots) in self.find_groups(now) {
            self.announce(&pool, players, bots, now, notices);
        }
    }

    fn find_groups(&self, now: Timestamp) -> Vec<(String, Vec<UserId>, u32)> {
        let mut crowd = self.crowd();
        let mut found = Vec::new();
        for first in 0..crowd.waiting.len() {
            if crowd.taken[first] {
                continue;
            }
            let me = &crowd.waiting[first].ticket;
            let wants_bots = me.bots && now.since(me.joined) >= self.settings.bots_after;
            let group = self.best_group(&crowd, first, false, now);
            let group =
                group.or_else(|| wants_bots.then(|| self.best_group(&crowd, first, true, now)).flatten());
            let Some(Group { pool, members }) = group else { continue };
            let players = members.iter().map(|&member| crowd.waiting[member].ticket.user).collect();
            found.push((pool.name.to_owned(), players, (pool.needed - members.len()) as u32));
            for member in members {
                crowd.taken[member] = true;
            }
        }
        found
    }

    fn crowd(&self) -> Crowd<'_> {
        let mut waiting: Vec<&Place> = self
            .places
            .values()
            .filter(|place| place.matched.is_none() && place.away_since.is_none())
            .collect();
        waiting.sort_by_key(|place| (!place.front, place.ticket.joined, place.ticket.user));
        let pools = self.settings.pools.iter().map(|(name, &needed)| {
            let ratings = waiting
                .iter()
                .enumerate()
                .filter_map(|(at, place)| place.ticket.rating_in(name).map(|rating| (rating, at)));
            let mut by_rating: Vec<(f64, usize)> = ratings.collect();
            by_rating.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            Pool { name, needed: needed as usize, by_rating }
        });
        let pools = pools.collect();
        Crowd { taken: vec![false; waiting.len()], waiting, pools }
    }

    /// The best of the games that `first` could have now: the one that takes along those who wait longest, and of
    /// equal ones that of the pool named first. With bots: the one with the most people.
    fn best_group<'a>(
        &self,
        crowd: &'a Crowd<'a>,
        first: usize,
        with_bots: bool,
        now: Timestamp,
    ) -> Option<Group<'a>> {
        let accepted = &crowd.waiting[first].ticket.pools;
        let pools = accepted.iter().filter_map(|(name, _)| crowd.pools.iter().find(|pool| pool.name == name));
        pools
            .filter_map(|pool| {
                let members = self.group_around(crowd, pool, first, with_bots, now);
                let is_enough = with_bots || members.len() == pool.needed;
                is_enough.then_some(Group { pool, members })
            })
            .min_by(|a, b| {
                if with_bots {
                    return b.members.len().cmp(&a.members.len());
                }
                let ranks = |group: &Group<'_>| {
                    let mut ranks = group.members.clone();
                    ranks.sort_unstable();
                    // Of two games that begin with the same players, the one that takes more of them goes first.
                    ranks.push(usize::MAX);
                    ranks
                };
                ranks(a).cmp(&ranks(b))
            })
    }

    /// `first` and the players nearest in rating that it may meet, as many as a game takes or there are.
    fn group_around(
        &self,
        crowd: &Crowd<'_>,
        pool: &Pool<'_>,
        first: usize,
        with_bots: bool,
        now: Timestamp,
    ) -> Vec<usize> {
        let mut group = vec![first];
        for other in self.neighbours(crowd, pool, first, now) {
            if group.len() == pool.needed {
                break;
            }
            let is_willing = !with_bots || crowd.waiting[other].ticket.bots;
            if !crowd.taken[other] && is_willing && self.may_meet(&crowd.waiting, &group, other, now) {
                group.push(other);
            }
        }
        group
    }

    /// Everyone in a pool whose rating is within the window of `first`, the nearest first.
    fn neighbours<'a>(
        &self,
        crowd: &Crowd<'_>,
        pool: &'a Pool<'_>,
        first: usize,
        now: Timestamp,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let me = &crowd.waiting[first].ticket;
        let ratings = &pool.by_rating;
        let rating = me.rating_in(pool.name).unwrap_or_default();
        let at = ratings
            .binary_search_by(|(other, index)| other.total_cmp(&rating).then(index.cmp(&first)))
            .unwrap_or_else(|at| at);
        let window = self.settings.window(now.since(me.joined));
        let (mut below, mut above) = (at, at + 1);
        std::iter::from_fn(move || {
            let down = below.checked_sub(1).map(|next| (rating - ratings[next].0, next));
            let up = ratings.get(above).map(|(other, _)| (other - rating, above));
            let (distance, next) = match (down, up) {
                (Some(down), Some(up)) if up.0 < down.0 => up,
                (Some(down), _) => down,
                (None, up) => up?,
            };
            if distance > window {
                return None;
            }
            if next >= at {
                above += 1;
            } else {
                below -= 1;
            }
            Some(ratings[next].1)
        })
    }

    /// Whether `other` may join the group. The wishes of the player who waits longest, the first one, soften with time.
    fn may_meet(&self, waiting: &[&Place], group: &[usize], other: usize, now: Timestamp) -> bool {
        let (first, other) = (&waiting[group[0]].ticket, &waiting[other].ticket);
        let waited = now.since(first.joined);
        let is_same_kind = first.is_account == other.is_account || waited >= self.settings.mix_after;
        let is_avoided = || {
            group.iter().any(|&member| {
                let member = &waiting[member].ticket;
                member.avoids.contains(&other.user) || other.avoids.contains(&member.user)
            })
        };
        is_same_kind && (waited >= self.settings.block_until || !is_avoided())
    }

    fn announce(
        &mut self,
        pool: &str,
        players: Vec<UserId>,
        bots: u32,
        now: Timestamp,
        notices: &mut Vec<Notice>,
    ) {
        let id = MatchId(self.next_match);
        self.next_match += 1;
        for user in &players {
            let place = self.places.get_mut(user).expect("found among the places");
            place.matched = Some(id);
            notices.push(Notice::Match(id, *user));
        }
        let players = players.into_iter().map(|user| (user, false)).collect();
        let until = now.plus(self.settings.ready_check);
        self.matches.insert(id, Match { pool: pool.to_owned(), players, bots, until });
    }
}
