use std::collections::{BTreeMap, BTreeSet};

use kingscross_engine::SplitMix64;
use kingscross_protocol::{Timestamp, UserId};

use super::super::Rejection;
use super::super::queue::{MatchId, Notice, Queue, Ready, Ticket};
use super::{any, matched, settings, ticket, user};

/// Whatever sets of pools people accept and whenever they came: nobody is in two matches, nobody in a match of a pool
/// not accepted, and once every wish has softened no pool has as many left as make its game.
#[test]
fn whoever_accepts_a_pool_with_enough_others_is_matched_in_the_end() {
    for seed in 0..300 {
        let mut random = Random(SplitMix64::new(seed));
        let mut queue = Queue::new(settings());
        let mut joined = BTreeMap::new();
        for n in 1..=u128::from(1 + random.below(12)) {
            let mut entry = Ticket {
                is_account: random.below(2) == 0,
                joined: Timestamp(i64::from(random.below(50_000))),
                avoids: (0..random.below(3)).map(|_| user(u128::from(random.below(12)) + 1)).collect(),
                ..any(n, 0.0, 0)
            };
            let kept = random.below(3) as usize;
            for (_, rating) in &mut entry.pools {
                *rating = f64::from(random.below(3_000));
            }
            if kept < 2 {
                entry.pools = vec![entry.pools[kept].clone()];
            }
            joined.insert(entry.user, entry.joined);
            queue.join(entry, true).expect("joins");
        }
        let notices = queue.run(Timestamp(200_000));
        let all = matched(&notices);
        let once: BTreeSet<UserId> = all.iter().copied().collect();
        assert_eq!(all.len(), once.len(), "seed {seed}: somebody is in two matches");
        for (pool, needed) in [("two", 2), ("four", 4)] {
            let mut sizes: BTreeMap<MatchId, u32> = BTreeMap::new();
            for who in joined.keys() {
                let ticket = queue.ticket(*who).expect("nobody has left");
                assert_eq!(ticket.joined, joined[who], "seed {seed}: the place is kept");
                if let Some(found) =
                    queue.match_of(*who, Timestamp(200_000)).filter(|found| found.pool == pool)
                {
                    assert!(ticket.rating_in(pool).is_some(), "seed {seed}: {pool} was not accepted");
                    *sizes.entry(found.id).or_default() += 1;
                }
            }
            assert!(sizes.values().all(|&size| size == needed), "seed {seed}: {sizes:?}");
            let is_left = |who: &&UserId| {
                let ticket = queue.ticket(**who).expect("nobody has left");
                queue.match_of(**who, Timestamp(200_000)).is_none() && ticket.rating_in(pool).is_some()
            };
            let left = joined.keys().filter(is_left).count() as u32;
            assert!(left < needed, "seed {seed}: {left} wait for {pool}, which takes {needed}");
        }
        // Who waits longest of those who accept a pool with enough people is never passed over.
        let mut order: Vec<_> = joined.iter().map(|(who, at)| (*at, *who)).collect();
        order.sort();
        let first = order[0].1;
        let accepts = |who: &UserId, pool: &str| queue.ticket(*who).expect("here").rating_in(pool).is_some();
        let could = [("two", 2), ("four", 4)].iter().any(|(pool, needed)| {
            accepts(&first, pool) && joined.keys().filter(|who| accepts(who, pool)).count() >= *needed
        });
        assert_eq!(
            queue.match_of(first, Timestamp(200_000)).is_some(),
            could,
            "seed {seed}: the longest wait goes first"
        );
    }
}

/// Five thousand players join, cancel, vanish, come back, confirm or do not, for ten simulated minutes.
#[test]
fn five_thousand_players_are_each_in_one_place_at_a_time() {
    let mut crowd = Crowd::of(5_000);
    for step in 0..2_400_i64 {
        let now = Timestamp(step * 250);
        crowd.in_game.retain(|_, until| *until > now);
        let mut notices = Vec::new();
        for _ in 0..20 {
            crowd.act(now, &mut notices);
        }
        notices.extend(crowd.queue.run(now));
        crowd.answer(now, notices);
    }
    let Crowd { games, longest, mut gaps, .. } = crowd;
    gaps.sort_by(f64::total_cmp);
    let (middle, most) = (gaps[gaps.len() / 2], gaps[gaps.len() - 1]);
    println!(
        "{games} games, longest wait {longest} ms, rating gap {middle:.0} (median), {most:.0} (largest)"
    );
    assert!(games > 1_000, "{games}");
    assert!(longest <= 120_000, "{longest}");
    assert!(middle < 200.0, "{middle}");
}

/// Players of a queue, and what has become of them.
struct Crowd {
    random: Random,
    queue: Queue,
    ratings: Vec<f64>,
    /// Until when each of those who play does so.
    in_game: BTreeMap<UserId, Timestamp>,
    games: u32,
    /// The longest wait, in milliseconds.
    longest: i64,
    /// The rating distances within the games.
    gaps: Vec<f64>,
}

impl Crowd {
    fn of(players: u32) -> Self {
        let mut random = Random(SplitMix64::new(0x5eed));
        let ratings = (0..players).map(|_| 1000.0 + f64::from(random.below(1000))).collect();
        let (queue, in_game) = (Queue::new(settings()), BTreeMap::new());
        Self { random, queue, ratings, in_game, games: 0, longest: 0, gaps: Vec::new() }
    }

    /// A player leaves, goes, comes or joins.
    fn act(&mut self, now: Timestamp, notices: &mut Vec<Notice>) {
        let n = self.random.below(self.ratings.len() as u32);
        let number = u128::from(n) + 1;
        let who = user(number);
        match self.random.below(10) {
            0 => drop(self.queue.leave(who).map(|more| notices.extend(more))),
            1 => notices.extend(self.queue.set_connected(who, false, now)),
            2 | 3 => notices.extend(self.queue.set_connected(who, true, now)),
            _ if !self.in_game.contains_key(&who) => {
                // Some accept either game, some change their minds while they wait.
                let rating = self.ratings[n as usize];
                let entry = match self.random.below(4) {
                    0 => any(number, rating, now.0),
                    1 => ticket(number, "two", rating, now.0),
                    _ => ticket(number, "four", rating, now.0),
                };
                let entry = Ticket { is_account: !n.is_multiple_of(3), bots: n.is_multiple_of(7), ..entry };
                match self.queue.join(entry, true) {
                    Ok(()) => {}
                    Err(rejection) => assert_eq!(rejection, Rejection::Matched),
                }
            }
            _ => {}
        }
    }

    /// Most confirm their match; whoever has a game plays it for a minute.
    fn answer(&mut self, now: Timestamp, mut pending: Vec<Notice>) {
        while let Some(notice) = pending.pop() {
            match notice {
                Notice::Match(id, who)
                    if self.queue.match_of(who, now).is_some_and(|view| !view.you_confirmed)
                        && self.random.below(20) > 0 =>
                {
                    pending.extend(self.queue.confirm(who, id, now).expect("in time"));
                }
                Notice::Ready(id) => {
                    if let Some(ready) = self.queue.take_ready(id, now) {
                        self.play(ready, now);
                    }
                }
                _ => {}
            }
        }
    }

    fn play(&mut self, ready: Ready, now: Timestamp) {
        self.games += 1;
        let needed = if ready.pool == "two" { 2 } else { 4 };
        assert_eq!(ready.players.len() + ready.bots as usize, needed);
        let lowest = ratings_of(&ready).fold(f64::MAX, f64::min);
        let highest = ratings_of(&ready).fold(f64::MIN, f64::max);
        self.gaps.push(highest - lowest);
        for player in ready.players {
            self.longest = self.longest.max(now.since(player.joined));
            assert!(self.queue.ticket(player.user).is_none(), "no ticket while playing");
            assert!(self.in_game.insert(player.user, now.plus(60_000)).is_none(), "in two games");
        }
    }
}

fn ratings_of(ready: &Ready) -> impl Iterator<Item = f64> {
    ready.players.iter().filter_map(|ticket| ticket.rating_in(&ready.pool))
}

struct Random(SplitMix64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0.below(bound as usize) as u32
    }
}
