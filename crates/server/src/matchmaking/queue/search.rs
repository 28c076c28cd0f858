//! Finding a match: who waits longest looks first, and takes the nearest ratings that it may meet.

use kingscross_protocol::UserId;

use super::{Match, MatchId, Notice, Place, Queue};

impl Queue {
    /// Looks for matches in every pool.
    pub(super) fn search(&mut self, now: i64, notices: &mut Vec<Notice>) {
        let pools: Vec<(String, usize)> =
            self.settings.pools.iter().map(|(pool, needed)| (pool.clone(), *needed as usize)).collect();
        for (pool, needed) in pools {
            self.search_pool(&pool, needed, now, notices);
        }
    }

    fn search_pool(&mut self, pool: &str, needed: usize, now: i64, notices: &mut Vec<Notice>) {
        let mut waiting: Vec<&Place> = self
            .places
            .values()
            .filter(|place| {
                place.matched.is_none() && place.away_since.is_none() && place.ticket.pool == pool
            })
            .collect();
        waiting.sort_by(|a, b| a.ticket.rating.total_cmp(&b.ticket.rating));
        let mut order: Vec<usize> = (0..waiting.len()).collect();
        order.sort_by_key(|&at| (!waiting[at].front, waiting[at].ticket.joined, waiting[at].ticket.user));

        let mut taken = vec![false; waiting.len()];
        let mut found: Vec<(Vec<UserId>, u32)> = Vec::new();
        for at in order {
            if taken[at] {
                continue;
            }
            let group = self.group_around(&waiting, &taken, at, needed, now);
            let me = &waiting[at].ticket;
            let group = match group {
                Some(group) => group,
                None if me.bots && now - me.joined >= self.settings.bots_after => {
                    self.willing_around(&waiting, &taken, at, needed, now)
                }
                None => continue,
            };
            let bots = (needed - group.len()) as u32;
            for &member in &group {
                taken[member] = true;
            }
            found.push((group.iter().map(|&member| waiting[member].ticket.user).collect(), bots));
        }
        for (players, bots) in found {
            self.announce(pool, players, bots, now, notices);
        }
    }

    /// The players nearest to `at` in rating who make a full game with it, if there are enough that it may meet.
    fn group_around(
        &self,
        waiting: &[&Place],
        taken: &[bool],
        at: usize,
        needed: usize,
        now: i64,
    ) -> Option<Vec<usize>> {
        let mut group = vec![at];
        for other in self.neighbours(waiting, at, now) {
            if group.len() == needed {
                break;
            }
            if !taken[other] && self.may_meet(waiting, &group, other, now) {
                group.push(other);
            }
        }
        (group.len() == needed).then_some(group)
    }

    /// The same among those who agree to bots; never too few, since bots fill up, and never all seats.
    fn willing_around(
        &self,
        waiting: &[&Place],
        taken: &[bool],
        at: usize,
        needed: usize,
        now: i64,
    ) -> Vec<usize> {
        let mut group = vec![at];
        for other in self.neighbours(waiting, at, now) {
            if group.len() == needed {
                break;
            }
            if !taken[other] && waiting[other].ticket.bots && self.may_meet(waiting, &group, other, now) {
                group.push(other);
            }
        }
        group
    }

    /// Everyone whose rating is within the window of `at`, the nearest first. `waiting` is sorted by rating.
    fn neighbours<'a>(
        &self,
        waiting: &'a [&'a Place],
        at: usize,
        now: i64,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let me = &waiting[at].ticket;
        let (rating, window) = (me.rating, self.settings.window(now - me.joined));
        let (mut below, mut above) = (at, at + 1);
        std::iter::from_fn(move || {
            let down = below.checked_sub(1).map(|next| (rating - waiting[next].ticket.rating, next));
            let up = (above < waiting.len()).then(|| (waiting[above].ticket.rating - rating, above));
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
            Some(next)
        })
    }

    /// Whether `other` may join the group; the wishes of the player who waits longest, the first one, soften with time.
    fn may_meet(&self, waiting: &[&Place], group: &[usize], other: usize, now: i64) -> bool {
        let (first, other) = (&waiting[group[0]].ticket, &waiting[other].ticket);
        let waited = now - first.joined;
        let is_same_kind = first.is_account == other.is_account || waited >= self.settings.mix_after;
        let is_avoided = || {
            group.iter().any(|&member| {
                let member = &waiting[member].ticket;
                member.avoids.contains(&other.user) || other.avoids.contains(&member.user)
            })
        };
        is_same_kind && (waited >= self.settings.block_until || !is_avoided())
    }

    fn announce(&mut self, pool: &str, players: Vec<UserId>, bots: u32, now: i64, notices: &mut Vec<Notice>) {
        let id = MatchId(self.next_match);
        self.next_match += 1;
        for user in &players {
            let place = self.places.get_mut(user).expect("found among the places");
            place.matched = Some(id);
            notices.push(Notice::Match(id, *user));
        }
        let players = players.into_iter().map(|user| (user, false)).collect();
        let until = now + self.settings.ready_check;
        self.matches.insert(id, Match { pool: pool.to_owned(), players, bots, until });
    }
}
