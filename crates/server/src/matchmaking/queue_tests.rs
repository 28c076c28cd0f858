//! Stories of the queue; `crowds` has those with many players at random.

mod crowds;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kingscross_protocol::{QueueEnd, Timestamp, UserId};
use uuid::Uuid;

use super::queue::{MatchId, Notice, Queue, Ready, Ticket};
use super::{Rejection, Settings};

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
        joined: Timestamp(joined),
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
    assert_eq!(
        (kept.joined, kept.rating_in("four"), kept.bots, queue.len()),
        (Timestamp(0), Some(1900.0), true, 1)
    );
    queue.join(any(1, 1500.0, 6_000), true).expect("joins with more pools");
    let kept = queue.ticket(user(1)).expect("queued");
    assert_eq!((kept.joined, kept.rating_in("two"), queue.len()), (Timestamp(0), Some(1500.0), 1));
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
    let id = match_id(&queue.run(Timestamp(10)));
    queue.confirm(user(1), id, Timestamp(20)).expect("confirmed");
    queue.run(Timestamp(12_010));
    queue.join(any(1, 1500.0, 13_000), true).expect("joins again");
    // All the others have waited longer, by their tickets.
    for n in 3..=6 {
        queue.join(ticket(n, "four", 1500.0, -1_000), true).expect("joins");
    }
    assert!(matched(&queue.run(Timestamp(13_001))).contains(&user(1)), "who has confirmed goes first");
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
    let id = match_id(&queue.run(Timestamp(0)));
    assert_eq!(queue.players(), HashMap::from([("two", 2)]));
    queue.join(any(1, 1500.0, 1), true).expect("the same set is the same ticket");
    assert_eq!(queue.join(ticket(1, "four", 1500.0, 1), true), Err(Rejection::Matched));
    for n in 3..=5 {
        queue.join(ticket(n, "four", 1500.0, 1), true).expect("joins");
    }
    assert_eq!(queue.run(Timestamp(2)), [], "the fourth is in another match");
    queue.leave(user(2)).expect("left");
    assert_eq!(queue.match_of(user(1), Timestamp(3)), None);
    assert_eq!(queue.confirm(user(1), id, Timestamp(3)), Err(Rejection::NoMatch));
    assert_eq!(matched(&queue.run(Timestamp(3))), [user(1), user(3), user(4), user(5)]);
}

#[test]
fn ratings_are_those_of_the_pool() {
    let with = |n, two, four, joined| Ticket {
        pools: vec![("two".to_owned(), two), ("four".to_owned(), four)],
        ..ticket(n, "two", 0.0, joined)
    };
    let mut queue = queue_of([with(1, 1000.0, 1500.0, 0), with(2, 2000.0, 1500.0, 0)]);
    assert_eq!(queue.run(Timestamp(0)), [], "they are far from each other in the pool for two");
    queue.join(with(3, 3000.0, 1500.0, 0), true).expect("joins");
    queue.join(with(4, 4000.0, 1500.0, 0), true).expect("joins");
    assert_eq!(matched(&queue.run(Timestamp(0))).len(), 4);
    assert_eq!(queue.match_of(user(1), Timestamp(0)).expect("matched").pool, "four");
}

#[test]
fn a_match_waits_for_who_has_confirmed_and_is_gone_and_no_longer_than_its_time() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    let id = match_id(&queue.run(Timestamp(0)));
    queue.confirm(user(1), id, Timestamp(1)).expect("confirmed");
    assert_eq!(queue.set_connected(user(1), false, Timestamp(2)), None);
    let notices = queue.confirm(user(2), id, Timestamp(3)).expect("confirmed");
    assert!(!notices.contains(&Notice::Ready(id)), "one of them is not there");
    assert_eq!(queue.take_ready(id, Timestamp(4)), None);
    assert_eq!(queue.set_connected(user(1), true, Timestamp(5)), Some(Notice::Ready(id)));
    queue.set_connected(user(1), false, Timestamp(6));
    let notices = queue.run(Timestamp(12_000));
    assert_eq!(notices, [Notice::Dodged(user(1)), Notice::Waiting(user(1)), Notice::Waiting(user(2))]);
    assert_eq!(queue.match_of(user(2), Timestamp(12_000)), None);
}

#[test]
fn whoever_breaks_a_match_of_accounts_is_named_and_nobody_else() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    let id = match_id(&queue.run(Timestamp(0)));
    queue.confirm(user(1), id, Timestamp(1)).expect("confirmed");
    let dodged = |notices: &[Notice]| -> Vec<UserId> {
        let named = notices.iter().filter_map(|notice| match notice {
            Notice::Dodged(user) => Some(*user),
            _ => None,
        });
        named.collect()
    };
    assert_eq!(dodged(&queue.run(Timestamp(12_000))), [user(2)], "not confirmed");
    queue.join(ticket(2, "two", 1500.0, 12_000), true).expect("joins");
    queue.run(Timestamp(12_000));
    assert_eq!(dodged(&queue.leave(user(1)).expect("left")), [user(1)], "left it");
    assert_eq!(dodged(&queue.leave(user(2)).expect("left")), [], "there was no match any more");

    let guest = Ticket { is_account: false, ..ticket(3, "two", 1500.0, 0) };
    let mut queue = queue_of([guest, ticket(4, "two", 1500.0, 0)]);
    assert_eq!(matched(&queue.run(Timestamp(20_000))), [user(3), user(4)]);
    assert_eq!(dodged(&queue.run(Timestamp(32_000))), [], "it would have been casual");
    let mut queue = queue_of([Ticket { bots: true, ..ticket(5, "two", 1500.0, 0) }]);
    assert_eq!(matched(&queue.run(Timestamp(30_000))), [user(5)]);
    assert_eq!(dodged(&queue.run(Timestamp(42_000))), [], "only bots were let down");
}

#[test]
fn nobody_is_matched_with_itself() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(1, "two", 1500.0, 0)]);
    assert_eq!(queue.run(Timestamp(600_000)), []);
}

#[test]
fn the_nearest_ratings_are_matched_first() {
    let mut queue = queue_of([
        ticket(1, "two", 1500.0, 0),
        ticket(2, "two", 1590.0, 1),
        ticket(3, "two", 1510.0, 2),
        ticket(4, "two", 1580.0, 3),
    ]);
    queue.run(Timestamp(10));
    let matches: Vec<_> =
        (1..=4).map(|n| queue.match_of(user(n), Timestamp(10)).expect("matched").id).collect();
    assert_eq!(matches[0], matches[2]);
    assert_eq!(matches[1], matches[3]);
}

#[test]
fn the_window_widens_with_waiting_and_opens_in_the_end() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1700.0, 0)]);
    assert_eq!(queue.run(Timestamp(9_999)), [], "199 points apart are allowed after 9.9 s");
    assert_eq!(matched(&queue.run(Timestamp(10_000))), [user(1), user(2)]);
    let mut queue = queue_of([ticket(1, "two", 100.0, 0), ticket(2, "two", 3000.0, 59_000)]);
    assert_eq!(queue.run(Timestamp(59_999)), []);
    assert_eq!(matched(&queue.run(Timestamp(60_000))), [user(1), user(2)]);
}

#[test]
fn waiting_counts_even_while_the_pool_is_too_small() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0)]);
    for second in 1..=50 {
        assert_eq!(queue.run(Timestamp(second * 1000)), []);
    }
    queue.join(ticket(2, "two", 2050.0, 50_000), true).expect("joins");
    assert_eq!(matched(&queue.run(Timestamp(50_000))), [user(1), user(2)], "600 points after 50 s");
}

#[test]
fn no_game_before_all_have_confirmed() {
    let mut queue = queue_of((1..=4).map(|n| ticket(n, "four", 1500.0, n as i64)));
    let id = match_id(&queue.run(Timestamp(100)));
    for n in 1..=3 {
        let notices = queue.confirm(user(n), id, Timestamp(200)).expect("confirmed");
        assert!(!notices.contains(&Notice::Ready(id)));
        assert_eq!(queue.take_ready(id, Timestamp(200)), None);
    }
    assert_eq!(queue.confirm(user(9), id, Timestamp(200)), Err(Rejection::NoMatch));
    let view = queue.match_of(user(4), Timestamp(200)).expect("in a match");
    assert_eq!((view.players, view.confirmed, view.you_confirmed, view.millis), (4, 3, false, 11_900));
    queue.confirm(user(3), id, Timestamp(250)).expect("again is the same as once");
    assert!(queue.confirm(user(4), id, Timestamp(300)).expect("confirmed").contains(&Notice::Ready(id)));
    let ready = queue.take_ready(id, Timestamp(300)).expect("ready");
    assert_eq!(
        ready.players.iter().map(|t| t.user).collect::<Vec<_>>(),
        (1..=4).map(user).collect::<Vec<_>>()
    );
    assert_eq!((ready.bots, queue.len(), queue.take_ready(id, Timestamp(300))), (0, 0, None));
    assert_eq!(queue.estimate("four"), Some(298));
}

#[test]
fn who_does_not_confirm_is_out_and_who_did_is_first_in_the_next_match() {
    let mut queue = queue_of((1..=4).map(|n| ticket(n, "four", 1500.0, n as i64)));
    let id = match_id(&queue.run(Timestamp(100)));
    queue.confirm(user(3), id, Timestamp(200)).expect("confirmed");
    assert_eq!(queue.run(Timestamp(12_099)), []);
    // Two older tickets than that of player 3 come in while the check runs; the confirmed one still goes first.
    queue.join(ticket(5, "four", 1500.0, 0), true).expect("joins");
    let notices = queue.run(Timestamp(12_100));
    for n in [1, 2, 4] {
        assert!(notices.contains(&Notice::Dodged(user(n))));
        assert!(notices.contains(&Notice::Out(user(n), QueueEnd::Unconfirmed)));
    }
    assert!(notices.contains(&Notice::Waiting(user(3))));
    assert_eq!(queue.confirm(user(3), id, Timestamp(12_200)), Err(Rejection::NoMatch));
    for n in 6..=8 {
        queue.join(ticket(n, "four", 1500.0, 12_200), true).expect("joins");
    }
    let notices = queue.run(Timestamp(12_300));
    assert_eq!(matched(&notices).len(), 4);
    let id = match_id(&notices);
    for user in matched(&notices) {
        queue.confirm(user, id, Timestamp(12_400)).expect("confirmed");
    }
    assert_eq!(queue.take_ready(id, Timestamp(12_400)).expect("ready").players[0].user, user(3));
}

#[test]
fn a_confirmation_that_comes_too_late_is_refused() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    let id = match_id(&queue.run(Timestamp(0)));
    assert_eq!(queue.confirm(user(1), id, Timestamp(12_000)), Err(Rejection::NoMatch));
}

#[test]
fn cancel_wins_even_when_everybody_has_confirmed() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    let id = match_id(&queue.run(Timestamp(0)));
    queue.confirm(user(1), id, Timestamp(1)).expect("confirmed");
    queue.confirm(user(2), id, Timestamp(1)).expect("confirmed");
    let notices = queue.leave(user(1)).expect("left");
    assert_eq!(
        notices,
        [Notice::Out(user(1), QueueEnd::Left), Notice::Dodged(user(1)), Notice::Waiting(user(2))]
    );
    assert_eq!(queue.take_ready(id, Timestamp(2)), None);
    assert_eq!(queue.leave(user(1)), Err(Rejection::NotQueued));
    assert_eq!(queue.len(), 1);
}

#[test]
fn a_match_that_could_not_be_started_goes_back_to_the_front() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 5)]);
    let id = match_id(&queue.run(Timestamp(10)));
    queue.confirm(user(1), id, Timestamp(11)).expect("confirmed");
    queue.confirm(user(2), id, Timestamp(11)).expect("confirmed");
    let ready: Ready = queue.take_ready(id, Timestamp(12)).expect("ready");
    assert_eq!(queue.put_back(ready), [Notice::Waiting(user(1)), Notice::Waiting(user(2))]);
    assert_eq!(queue.ticket(user(2)).expect("queued").joined, Timestamp(5));
    assert_eq!(matched(&queue.run(Timestamp(13))), [user(1), user(2)]);
}

#[test]
fn bots_fill_up_only_with_consent_and_only_after_the_wait() {
    let willing = |n, joined| Ticket { bots: true, ..ticket(n, "four", 1500.0, joined) };
    let mut queue = queue_of([willing(1, 0), willing(2, 29_000), ticket(3, "four", 1500.0, 0)]);
    assert_eq!(queue.run(Timestamp(29_999)), []);
    let notices = queue.run(Timestamp(30_000));
    assert_eq!(matched(&notices), [user(1), user(2)], "player 3 did not agree to bots");
    let id = match_id(&notices);
    queue.confirm(user(1), id, Timestamp(30_001)).expect("confirmed");
    queue.confirm(user(2), id, Timestamp(30_001)).expect("confirmed");
    assert_eq!(queue.take_ready(id, Timestamp(30_001)).expect("ready").bots, 2);
}

#[test]
fn a_full_game_of_people_goes_before_bots() {
    let mut queue = queue_of((1..=4).map(|n| Ticket { bots: true, ..ticket(n, "four", 1500.0, 0) }));
    let id = match_id(&queue.run(Timestamp(60_000)));
    for n in 1..=4 {
        queue.confirm(user(n), id, Timestamp(60_001)).expect("confirmed");
    }
    assert_eq!(queue.take_ready(id, Timestamp(60_001)).expect("ready").bots, 0);
}

#[test]
fn a_vanished_player_is_never_matched_and_dropped_in_the_end() {
    let mut queue = queue_of([ticket(1, "two", 1500.0, 0), ticket(2, "two", 1500.0, 0)]);
    queue.set_connected(user(1), false, Timestamp(1_000));
    queue.set_connected(user(1), false, Timestamp(9_000));
    assert_eq!(queue.run(Timestamp(15_999)), []);
    assert_eq!(queue.deadline(Timestamp(15_999)), Some(Timestamp(16_000)));
    assert_eq!(queue.run(Timestamp(16_000)), [Notice::Out(user(1), QueueEnd::Vanished)]);
    queue.set_connected(user(2), false, Timestamp(20_000));
    queue.set_connected(user(2), true, Timestamp(30_000));
    assert_eq!(queue.run(Timestamp(60_000)), [], "who came back stays");
    assert_eq!(queue.len(), 1);
}

#[test]
fn a_restored_ticket_keeps_its_place_and_waits_for_its_player() {
    let mut queue = Queue::new(settings());
    queue.restore(ticket(1, "two", 1500.0, -50_000), Timestamp(0));
    queue.join(ticket(2, "two", 1500.0, 0), true).expect("joins");
    assert_eq!(queue.run(Timestamp(0)), []);
    queue.set_connected(user(1), true, Timestamp(5_000));
    assert_eq!(matched(&queue.run(Timestamp(5_000))), [user(1), user(2)]);
    assert_eq!(queue.ticket(user(1)).expect("queued").joined, Timestamp(-50_000));
}

#[test]
fn players_who_block_each_other_meet_only_when_there_is_nobody_else() {
    let blocking = |n, other| Ticket { avoids: BTreeSet::from([user(other)]), ..ticket(n, "two", 1500.0, 0) };
    let mut queue = queue_of([blocking(1, 2), ticket(2, "two", 1500.0, 0)]);
    assert_eq!(queue.run(Timestamp(89_999)), []);
    assert_eq!(matched(&queue.run(Timestamp(90_000))), [user(1), user(2)]);
    let mut queue = queue_of([blocking(1, 2), ticket(2, "two", 1500.0, 0), ticket(3, "two", 1599.0, 0)]);
    assert_eq!(matched(&queue.run(Timestamp(0))), [user(1), user(3)]);
}

#[test]
fn guests_meet_accounts_after_a_while_only() {
    let guest = Ticket { is_account: false, ..ticket(1, "two", 1500.0, 0) };
    let mut queue = queue_of([guest, ticket(2, "two", 1500.0, 0)]);
    assert_eq!(queue.run(Timestamp(19_999)), []);
    assert_eq!(matched(&queue.run(Timestamp(20_000))).len(), 2);
}

#[test]
fn the_queue_says_when_to_look_again() {
    let mut queue = Queue::new(settings());
    assert_eq!(queue.deadline(Timestamp(0)), None);
    queue.join(ticket(1, "two", 1500.0, 0), true).expect("joins");
    assert_eq!(queue.deadline(Timestamp(5)), Some(Timestamp(5)));
    queue.run(Timestamp(5));
    assert_eq!(queue.deadline(Timestamp(5)), Some(Timestamp(1_005)));
    queue.join(ticket(2, "two", 1500.0, 6), true).expect("joins");
    queue.run(Timestamp(6));
    assert_eq!(queue.deadline(Timestamp(6)), Some(Timestamp(12_006)), "only the ready check is due");
}
