use std::collections::{BTreeMap, BTreeSet, HashMap};

use kingscross_protocol::{QueueEnd, UserId};
use uuid::Uuid;

use super::{MatchId, Notice, Queue, Ready, Rejection, Settings, Ticket};

fn settings() -> Settings {
    Settings {
        pools: BTreeMap::from([("four".to_owned(), 4), ("two".to_owned(), 2)]),
        window_start: 100.0,
        window_per_second: 10.0,
        window_open_after: 60_000,
        mix_after: 20_000,
        block_until: 90_000,
        ready_check: 12_000,
        bots_after: 30_000,
        vanished_after: 15_000,
    }
}

fn user(number: u128) -> UserId {
    UserId(Uuid::from_u128(number))
}

fn ticket(number: u128, pool: &str, rating: f64, joined: i64) -> Ticket {
    Ticket {
        user: user(number),
        pools: vec![(pool.to_owned(), rating)],
        is_account: true,
        bots: false,
        joined,
        avoids: BTreeSet::new(),
    }
}

/// A ticket for every pool.
fn any(number: u128, rating: f64, joined: i64) -> Ticket {
    let pools = vec![("two".to_owned(), rating), ("four".to_owned(), rating)];
    Ticket { pools, ..ticket(number, "two", rating, joined) }
}

fn queue_of(tickets: impl IntoIterator<Item = Ticket>) -> Queue {
    let mut queue = Queue::new(settings());
    for ticket in tickets {
        queue.join(ticket, true).expect("joins");
    }
    queue
}

fn matched(notices: &[Notice]) -> Vec<UserId> {
    let mut users: Vec<_> = notices
        .iter()
        .filter_map(|notice| match notice {
            Notice::Match(_, user) => Some(*user),
            _ => None,
        })
        .collect();
    users.sort();
    users
}

fn match_id(notices: &[Notice]) -> MatchId {
    notices
        .iter()
        .find_map(|notice| if let Notice::Match(id, _) = notice { Some(*id) } else { None })
        .expect("a match was found")
}

#[test]
fn joining_again_keeps_the_ticket_and_its_place() {
    let mut queue = queue_of([ticket(1, "four", 1500.0, 0)]);
    queue.join(Ticket { bots: true, ..ticket(1, "four", 1900.0, 5_000) }, true).expect("joins");
    let kept = queue.ticket(user(1)).expect("queued");
    assert_eq!((kept.joined, kept.rating_in("four"), kept.bots, queue.len()), (0, Some(1900.0), true, 1));
    queue.join(any(1, 1500.0, 6_000), true).expect("joins with more pools");
    let kept = queue.ticket(user(1)).expect("queued");
    assert_eq!((kept.joined, kept.rating_in("two"), queue.len()), (0, Some(1500.0), 1));
    assert_eq!(
        queue.join(ticket(2, "five", 1500.0, 0), true),
        Err(Rejection::UnknownPool(vec!["four".to_owned(), "two".to_owned()]))
    );
    assert_eq!(
        queue.join(Ticket { pools: Vec::new(), ..ticket(2, "two", 0.0, 0) }, true),
        Err(Rejection::NoPool)
    );
}

#[test]
fn another_set_of_pools_keeps_the_place_at_the_front() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 1)]);
    let id = match_id(&queue.run(10));
    queue.confirm(user(1), id, 20).expect("confirmed");
    queue.run(12_010);
    queue.join(any(1, 1500.0, 13_000), true).expect("joins again");
    // All the others have waited longer, by their tickets.
    for n in 3..=6 {
        queue.join(ticket(n, "four", 1500.0, -1_000), true).expect("joins");
    }
    assert!(matched(&queue.run(13_001)).contains(&user(1)), "who has confirmed goes first");
}

#[test]
fn who_waits_for_several_pools_is_counted_in_each() {
    let queue = queue_of([any(1, 1500.0, 0), ticket(2, "four", 1500.0, 0), ticket(3, "four", 1500.0, 0)]);
    assert_eq!(queue.players(), HashMap::from([("two", 1), ("four", 3)]));
    assert_eq!(queue.pools().collect::<HashMap<_, _>>(), HashMap::from([("two", 2), ("four", 4)]));
}

#[test]
fn whoever_is_in_a_match_of_one_pool_is_out_of_the_others_and_keeps_the_pools_until_it_is_answered() {
    let mut queue = queue_of([any(1, 1500.0, 0), any(2, 1500.0, 0)]);
    let id = match_id(&queue.run(0));
    assert_eq!(queue.players(), HashMap::from([("two", 2)]));
    queue.join(any(1, 1500.0, 1), true).expect("the same set is the same ticket");
    assert_eq!(queue.join(ticket(1, "four", 1500.0, 1), true), Err(Rejection::Matched));
    for n in 3..=5 {
        queue.join(ticket(n, "four", 1500.0, 1), true).expect("joins");
    }
    assert_eq!(queue.run(2), [], "the fourth is in another match");
    queue.leave(user(2)).expect("left");
    assert_eq!(queue.match_of(user(1), 3), None);
    assert_eq!(queue.confirm(user(1), id, 3), Err(Rejection::NoMatch));
    assert_eq!(matched(&queue.run(3)), [user(1), user(3), user(4), user(5)]);
}

#[test]
fn ratings_are_those_of_the_pool() {
    let with = |n, two, four, joined| Ticket {
        pools: vec![("two".to_owned(), two), ("four".to_owned(), four)],
        ..ticket(n, "two", 0.0, joined)
    };
    let mut queue = queue_of([with(1, 1000.0, 1500.0, 0), with(2, 2000.0, 1500.0, 0)]);
    assert_eq!(queue.run(0), [], "they are far from each other in the pool for two");
    queue.join(with(3, 3000.0, 1500.0, 0), true).expect("joins");
    queue.join(with(4, 4000.0, 1500.0, 0), true).expect("joins");
    assert_eq!(matched(&queue.run(0)).len(), 4);
    assert_eq!(queue.match_of(user(1), 0).expect("matched").pool, "four");
}

#[test]
fn a_match_waits_for_who_has_confirmed_and_is_gone_and_no_longer_than_its_time() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    let id = match_id(&queue.run(0));
    queue.confirm(user(1), id, 1).expect("confirmed");
    assert_eq!(queue.set_connected(user(1), false, 2), None);
    let notices = queue.confirm(user(2), id, 3).expect("confirmed");
    assert!(!notices.contains(&Notice::Ready(id)), "one of them is not there");
    assert_eq!(queue.take_ready(id, 4), None);
    assert_eq!(queue.set_connected(user(1), true, 5), Some(Notice::Ready(id)));
    queue.set_connected(user(1), false, 6);
    let notices = queue.run(12_000);
    assert_eq!(notices, [Notice::Dodged(user(1)), Notice::Waiting(user(1)), Notice::Waiting(user(2))]);
    assert_eq!(queue.match_of(user(2), 12_000), None);
}

#[test]
fn whoever_breaks_a_match_of_accounts_is_named_and_nobody_else() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    let id = match_id(&queue.run(0));
    queue.confirm(user(1), id, 1).expect("confirmed");
    let dodged = |notices: &[Notice]| -> Vec<UserId> {
        let named = notices.iter().filter_map(|notice| match notice {
            Notice::Dodged(user) => Some(*user),
            _ => None,
        });
        named.collect()
    };
    assert_eq!(dodged(&queue.run(12_000)), [user(2)], "not confirmed");
    queue.join(ticket(2, "two", 1500.0, 12_000), true).expect("joins");
    queue.run(12_000);
    assert_eq!(dodged(&queue.leave(user(1)).expect("left")), [user(1)], "left it");
    assert_eq!(dodged(&queue.leave(user(2)).expect("left")), [], "there was no match any more");

    let guest = Ticket { is_account: false, ..ticket(3, "two", 1500.0, 0) };
    let mut queue = queue_of([guest, ticket(4, "two", 1500.0, 0)]);
    assert_eq!(matched(&queue.run(20_000)), [user(3), user(4)]);
    assert_eq!(dodged(&queue.run(32_000)), [], "it would have been casual");
    let mut queue = queue_of([Ticket { bots: true, ..ticket(5, "two", 1500.0, 0) }]);
    assert_eq!(matched(&queue.run(30_000)), [user(5)]);
    assert_eq!(dodged(&queue.run(42_000)), [], "only bots were let down");
}

/// Whatever sets of pools people accept and whenever they came: nobody is in two matches, nobody in a match of a pool
/// not accepted, and once every wish has softened no pool has as many left as make its game.
#[test]
fn whoever_accepts_a_pool_with_enough_others_is_matched_in_the_end() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let mut queue = Queue::new(settings());
        let mut joined = BTreeMap::new();
        for n in 1..=u128::from(1 + random.below(12)) {
            let mut entry = Ticket {
                is_account: random.below(2) == 0,
                joined: i64::from(random.below(50_000)),
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
        let notices = queue.run(200_000);
        let all = matched(&notices);
        let once: BTreeSet<UserId> = all.iter().copied().collect();
        assert_eq!(all.len(), once.len(), "seed {seed}: somebody is in two matches");
        for (pool, needed) in [("two", 2), ("four", 4)] {
            let mut sizes: BTreeMap<MatchId, u32> = BTreeMap::new();
            for who in joined.keys() {
                let ticket = queue.ticket(*who).expect("nobody has left");
                assert_eq!(ticket.joined, joined[who], "seed {seed}: the place is kept");
                if let Some(found) = queue.match_of(*who, 200_000).filter(|found| found.pool == pool) {
                    assert!(ticket.rating_in(pool).is_some(), "seed {seed}: {pool} was not accepted");
                    *sizes.entry(found.id).or_default() += 1;
                }
            }
            assert!(sizes.values().all(|&size| size == needed), "seed {seed}: {sizes:?}");
            let is_left = |who: &&UserId| {
                let ticket = queue.ticket(**who).expect("nobody has left");
                queue.match_of(**who, 200_000).is_none() && ticket.rating_in(pool).is_some()
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
            queue.match_of(first, 200_000).is_some(),
            could,
            "seed {seed}: the longest wait goes first"
        );
    }
}

#[test]
fn nobody_is_matched_with_itself() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(1, "two", 1500.0, 0)]);
    assert_eq!(queue.run(600_000), []);
}

#[test]
fn the_nearest_ratings_are_matched_first() {
    let mut queue = queue_of([
        ticket(1, "two", 1500.0, 0),
        ticket(2, "two", 1590.0, 1),
        ticket(3, "two", 1510.0, 2),
        ticket(4, "two", 1580.0, 3),
    ]);
    queue.run(10);
    let matches: Vec<_> = (1..=4).map(|n| queue.match_of(user(n), 10).expect("matched").id).collect();
    assert_eq!(matches[0], matches[2]);
    assert_eq!(matches[1], matches[3]);
}

#[test]
fn the_window_widens_with_waiting_and_opens_in_the_end() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1700.0, 0)]);
    assert_eq!(queue.run(9_999), [], "199 points apart are allowed after 9.9 s");
    assert_eq!(matched(&queue.run(10_000)), [user(1), user(2)]);
    let mut queue = queue_of([ticket(1, "two", 100.0, 0), ticket(2, "two", 3000.0, 59_000)]);
    assert_eq!(queue.run(59_999), []);
    assert_eq!(matched(&queue.run(60_000)), [user(1), user(2)]);
}

#[test]
fn waiting_counts_even_while_the_pool_is_too_small() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0)]);
    for second in 1..=50 {
        assert_eq!(queue.run(second * 1000), []);
    }
    queue.join(ticket(2, "two", 2050.0, 50_000), true).expect("joins");
    assert_eq!(matched(&queue.run(50_000)), [user(1), user(2)], "600 points after 50 s");
}

#[test]
fn no_game_before_all_have_confirmed() {
    let mut queue = queue_of((1..=4).map(|n| ticket(n, "four", 1500.0, n as i64)));
    let id = match_id(&queue.run(100));
    for n in 1..=3 {
        let notices = queue.confirm(user(n), id, 200).expect("confirmed");
        assert!(!notices.contains(&Notice::Ready(id)));
        assert_eq!(queue.take_ready(id, 200), None);
    }
    assert_eq!(queue.confirm(user(9), id, 200), Err(Rejection::NoMatch));
    let view = queue.match_of(user(4), 200).expect("in a match");
    assert_eq!((view.players, view.confirmed, view.you_confirmed, view.millis), (4, 3, false, 11_900));
    queue.confirm(user(3), id, 250).expect("again is the same as once");
    assert!(queue.confirm(user(4), id, 300).expect("confirmed").contains(&Notice::Ready(id)));
    let ready = queue.take_ready(id, 300).expect("ready");
    assert_eq!(
        ready.players.iter().map(|t| t.user).collect::<Vec<_>>(),
        (1..=4).map(user).collect::<Vec<_>>()
    );
    assert_eq!((ready.bots, queue.len(), queue.take_ready(id, 300)), (0, 0, None));
    assert_eq!(queue.estimate("four"), Some(298));
}

#[test]
fn who_does_not_confirm_is_out_and_who_did_is_first_in_the_next_match() {
    let mut queue = queue_of((1..=4).map(|n| ticket(n, "four", 1500.0, n as i64)));
    let id = match_id(&queue.run(100));
    queue.confirm(user(3), id, 200).expect("confirmed");
    assert_eq!(queue.run(12_099), []);
    // Two older tickets than that of player 3 come in while the check runs; the confirmed one still goes first.
    queue.join(ticket(5, "four", 1500.0, 0), true).expect("joins");
    let notices = queue.run(12_100);
    for n in [1, 2, 4] {
        assert!(notices.contains(&Notice::Dodged(user(n))));
        assert!(notices.contains(&Notice::Out(user(n), QueueEnd::Unconfirmed)));
    }
    assert!(notices.contains(&Notice::Waiting(user(3))));
    assert_eq!(queue.confirm(user(3), id, 12_200), Err(Rejection::NoMatch));
    for n in 6..=8 {
        queue.join(ticket(n, "four", 1500.0, 12_200), true).expect("joins");
    }
    let notices = queue.run(12_300);
    assert_eq!(matched(&notices).len(), 4);
    let id = match_id(&notices);
    for user in matched(&notices) {
        queue.confirm(user, id, 12_400).expect("confirmed");
    }
    assert_eq!(queue.take_ready(id, 12_400).expect("ready").players[0].user, user(3));
}

#[test]
fn a_confirmation_that_comes_too_late_is_refused() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    let id = match_id(&queue.run(0));
    assert_eq!(queue.confirm(user(1), id, 12_000), Err(Rejection::NoMatch));
}

#[test]
fn cancel_wins_even_when_everybody_has_confirmed() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    let id = match_id(&queue.run(0));
    queue.confirm(user(1), id, 1).expect("confirmed");
    queue.confirm(user(2), id, 1).expect("confirmed");
    let notices = queue.leave(user(1)).expect("left");
    assert_eq!(
        notices,
        [Notice::Out(user(1), QueueEnd::Left), Notice::Dodged(user(1)), Notice::Waiting(user(2))]
    );
    assert_eq!(queue.take_ready(id, 2), None);
    assert_eq!(queue.leave(user(1)), Err(Rejection::NotQueued));
    assert_eq!(queue.len(), 1);
}

#[test]
fn a_match_that_could_not_be_started_goes_back_to_the_front() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 5)]);
    let id = match_id(&queue.run(10));
    queue.confirm(user(1), id, 11).expect("confirmed");
    queue.confirm(user(2), id, 11).expect("confirmed");
    let ready: Ready = queue.take_ready(id, 12).expect("ready");
    assert_eq!(queue.put_back(ready), [Notice::Waiting(user(1)), Notice::Waiting(user(2))]);
    assert_eq!(queue.ticket(user(2)).expect("queued").joined, 5);
    assert_eq!(matched(&queue.run(13)), [user(1), user(2)]);
}

#[test]
fn bots_fill_up_only_with_consent_and_only_after_the_wait() {
    let willing = |n, joined| Ticket { bots: true, ..ticket(n, "four", 1500.0, joined) };
    let mut queue = queue_of([willing(1, 0), willing(2, 29_000), ticket(3, "four", 1500.0, 0)]);
    assert_eq!(queue.run(29_999), []);
    let notices = queue.run(30_000);
    assert_eq!(matched(&notices), [user(1), user(2)], "player 3 did not agree to bots");
    let id = match_id(&notices);
    queue.confirm(user(1), id, 30_001).expect("confirmed");
    queue.confirm(user(2), id, 30_001).expect("confirmed");
    assert_eq!(queue.take_ready(id, 30_001).expect("ready").bots, 2);
}

#[test]
fn a_full_game_of_people_goes_before_bots() {
    let mut queue = queue_of((1..=4).map(|n| Ticket { bots: true, ..ticket(n, "four", 1500.0, 0) }));
    let id = match_id(&queue.run(60_000));
    for n in 1..=4 {
        queue.confirm(user(n), id, 60_001).expect("confirmed");
    }
    assert_eq!(queue.take_ready(id, 60_001).expect("ready").bots, 0);
}

#[test]
fn a_vanished_player_is_never_matched_and_dropped_in_the_end() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    queue.set_connected(user(1), false, 1_000);
    queue.set_connected(user(1), false, 9_000);
    assert_eq!(queue.run(15_999), []);
    assert_eq!(queue.deadline(15_999), Some(16_000));
    assert_eq!(queue.run(16_000), [Notice::Out(user(1), QueueEnd::Vanished)]);
    queue.set_connected(user(2), false, 20_000);
    queue.set_connected(user(2), true, 30_000);
    assert_eq!(queue.run(60_000), [], "who came back stays");
    assert_eq!(queue.len(), 1);
}

#[test]
fn a_restored_ticket_keeps_its_place_and_waits_for_its_player() {
    let mut queue = Queue::new(settings());
    queue.restore(ticket(1, "two", 1500.0, -50_000), 0);
    queue.join(ticket(2, "two", 1500.0, 0), true).expect("joins");
    assert_eq!(queue.run(0), []);
    queue.set_connected(user(1), true, 5_000);
    assert_eq!(matched(&queue.run(5_000)), [user(1), user(2)]);
    assert_eq!(queue.ticket(user(1)).expect("queued").joined, -50_000);
}

#[test]
fn players_who_block_each_other_meet_only_when_there_is_nobody_else() {
    let blocking = |n, other| Ticket { avoids: BTreeSet::from([user(other)]), ..ticket(n, "two", 1500.0, 0) };
    let mut queue = queue_of([blocking(1, 2), ticket(2, "two", 1500.0, 0)]);
    assert_eq!(queue.run(89_999), []);
    assert_eq!(matched(&queue.run(90_000)), [user(1), user(2)]);
    let mut queue = queue_of([blocking(1, 2), ticket(2, "two", 1500.0, 0), ticket(3, "two", 1599.0, 0)]);
    assert_eq!(matched(&queue.run(0)), [user(1), user(3)]);
}

#[test]
fn guests_meet_accounts_after_a_while_only() {
    let guest = Ticket { is_account: false, ..ticket(1, "two", 1500.0, 0) };
    let mut queue = queue_of([guest, ticket(2, "two", 1500.0, 0)]);
    assert_eq!(queue.run(19_999), []);
    assert_eq!(matched(&queue.run(20_000)).len(), 2);
}

#[test]
fn the_queue_says_when_to_look_again() {
    let mut queue = Queue::new(settings());
    assert_eq!(queue.deadline(0), None);
    queue.join(ticket(1, "two", 1500.0, 0), true).expect("joins");
    assert_eq!(queue.deadline(5), Some(5));
    queue.run(5);
    assert_eq!(queue.deadline(5), Some(1_005));
    queue.join(ticket(2, "two", 1500.0, 6), true).expect("joins");
    queue.run(6);
    assert_eq!(queue.deadline(6), Some(12_006), "only the ready check is due");
}

/// Five thousand players join, cancel, vanish, come back, confirm or do not, for ten simulated minutes.
#[test]
fn five_thousand_players_are_each_in_one_place_at_a_time() {
    let mut random = Random(0x5eed);
    let mut queue = Queue::new(settings());
    let mut in_game: BTreeMap<UserId, i64> = BTreeMap::new();
    let (mut games, mut longest, mut gaps) = (0, 0, Vec::new());
    let ratings: Vec<f64> = (0..5_000).map(|_| 1000.0 + f64::from(random.below(1000))).collect();
    for step in 0..2_400_i64 {
        let now = step * 250;
        in_game.retain(|_, until| *until > now);
        let mut notices = Vec::new();
        for _ in 0..20 {
            let n = random.below(5_000);
            let who = user(u128::from(n) + 1);
            match random.below(10) {
                0 => drop(queue.leave(who).map(|more| notices.extend(more))),
                1 => notices.extend(queue.set_connected(who, false, now)),
                2 | 3 => notices.extend(queue.set_connected(who, true, now)),
                _ if !in_game.contains_key(&who) => {
                    // Some accept either game, some change their minds while they wait.
                    let rating = ratings[n as usize];
                    let entry = match random.below(4) {
                        0 => any(u128::from(n) + 1, rating, now),
                        1 => ticket(u128::from(n) + 1, "two", rating, now),
                        _ => ticket(u128::from(n) + 1, "four", rating, now),
                    };
                    let entry =
                        Ticket { is_account: !n.is_multiple_of(3), bots: n.is_multiple_of(7), ..entry };
                    match queue.join(entry, true) {
                        Ok(()) => {}
                        Err(refusal) => assert_eq!(refusal, Rejection::Matched),
                    }
                }
                _ => {}
            }
        }
        notices.extend(queue.run(now));
        let mut pending = notices;
        while let Some(notice) = pending.pop() {
            match notice {
                Notice::Match(id, who)
                    if queue.match_of(who, now).is_some_and(|view| !view.you_confirmed)
                        && random.below(20) > 0 =>
                {
                    pending.extend(queue.confirm(who, id, now).expect("in time"));
                }
                Notice::Ready(id) => {
                    let Some(ready) = queue.take_ready(id, now) else { continue };
                    games += 1;
                    let needed = if ready.pool == "two" { 2 } else { 4 };
                    assert_eq!(ready.players.len() + ready.bots as usize, needed);
                    let lowest = ratings_of(&ready).fold(f64::MAX, f64::min);
                    let highest = ratings_of(&ready).fold(f64::MIN, f64::max);
                    gaps.push(highest - lowest);
                    for player in ready.players {
                        longest = longest.max(now - player.joined);
                        assert!(queue.ticket(player.user).is_none(), "no ticket while playing");
                        assert!(in_game.insert(player.user, now + 60_000).is_none(), "in two games");
                    }
                }
                _ => {}
            }
        }
    }
    gaps.sort_by(f64::total_cmp);
    let (middle, most) = (gaps[gaps.len() / 2], gaps[gaps.len() - 1]);
    println!(
        "{games} games, longest wait {longest} ms, rating gap {middle:.0} (median), {most:.0} (largest)"
    );
    assert!(games > 1_000, "{games}");
    assert!(longest <= 120_000, "{longest}");
    assert!(middle < 200.0, "{middle}");
}

fn ratings_of(ready: &Ready) -> impl Iterator<Item = f64> {
    ready.players.iter().filter_map(|ticket| ticket.rating_in(&ready.pool))
}

/// A small reproducible generator (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(limit)) as u32
    }
}
