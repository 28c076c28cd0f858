//! How fast lists are over many games: `kingscross generate` first, then
//! `cargo run --release -p kingscross-storage --example lists -- <location>`.
//!
//! Asks for the first page and for the deepest of every list, a hundred times each.

use std::time::{Duration, Instant};

use kingscross_protocol::{Timestamp, UserId};
use kingscross_storage::{
    Direction, GameCursor, GameFilter, GameStatus, LeaderboardCursor, Options, PlayerFilter, PlayerResult,
    Settled, Store,
};

/// How often each page is asked for.
const TIMES: usize = 100;

#[tokio::main]
async fn main() {
    let location = std::env::args().nth(1).expect("a database file or URL with many games");
    let store = Store::open(&location, Options::default()).await.expect("the database opens");
    println!("{:<34} {:>16} {:>16}", "ms: p50 and p99 of 100 pages", "first", "deepest");
    games(&store).await;
    players(&store).await;
    store.close().await;
}

async fn games(store: &Store) {
    let end = |order| async move {
        let page = store.list_games(&GameFilter::default(), order, None, 1).await.expect("it answers");
        page.games.first().expect("there are games").created_at.0
    };
    let middle = i64::midpoint(end(Direction::Oldest).await, end(Direction::Newest).await);
    let users = store.list_users(None, 20_000).await.expect("it answers");
    // The first plays most of all; a hundredth of the way in they are busy humans; the last has hardly played.
    let (busiest, busy, other) = (users[0].id, users[users.len() / 100].id, users[1].id);
    let rare = users.last().expect("there are users").id;
    let any = GameFilter::default;
    let by = |user, change: &dyn Fn(&mut PlayerFilter)| {
        let mut player = PlayerFilter::of(user);
        change(&mut player);
        GameFilter { player: Some(player), ..any() }
    };
    let dates = || GameFilter {
        from: Some(Timestamp(middle)),
        until: Some(Timestamp(middle + 30 * 86_400_000)),
        ..any()
    };
    let text = |text: &str| Some(text.to_owned());
    let lists = [
        ("all", any()),
        ("status finished", GameFilter { status: Some(GameStatus::Finished), ..any() }),
        ("status aborted", GameFilter { status: Some(GameStatus::Aborted), ..any() }),
        ("variant", GameFilter { variant: text("kingdoms"), ..any() }),
        ("reason", GameFilter { reason: text("agreement"), ..any() }),
        (
            "variant, impossible reason",
            GameFilter { variant: text("kingdoms"), reason: text("throne"), ..any() },
        ),
        ("casual", GameFilter { is_rated: Some(false), ..any() }),
        ("time control", GameFilter { time_control: text("1+2"), ..any() }),
        ("dates (a month)", dates()),
        ("dates, variant", GameFilter { variant: text("quaternity"), ..dates() }),
        (
            "dates, rated, time control",
            GameFilter { is_rated: Some(true), time_control: text("5+3"), ..dates() },
        ),
        ("dates, reason", GameFilter { reason: text("resignation"), ..dates() }),
        (
            "aborted, impossible reason",
            GameFilter { status: Some(GameStatus::Aborted), reason: text("resignation"), ..any() },
        ),
        ("rated, aborted", GameFilter { is_rated: Some(true), status: Some(GameStatus::Aborted), ..any() }),
        (
            "rated, reason, time control",
            GameFilter {
                is_rated: Some(true),
                reason: text("agreement"),
                time_control: text("30+20"),
                ..any()
            },
        ),
        (
            "variant, rated, time, reason",
            GameFilter {
                variant: text("crossfire"),
                is_rated: Some(false),
                time_control: text("20+0"),
                reason: text("agreement"),
                ..any()
            },
        ),
        ("busiest player", by(busiest, &|_| {})),
        ("busiest, opponent (busy)", by(busiest, &|player| player.opponent = Some(other))),
        ("busiest, opponent (rare)", by(busiest, &|player| player.opponent = Some(rare))),
        ("rare, opponent (busiest)", by(rare, &|player| player.opponent = Some(busiest))),
        ("busiest, opponent (nobody)", by(busiest, &|player| player.opponent = Some(UserId::fresh()))),
        ("busiest, won", by(busiest, &|player| player.result = Some(PlayerResult::Win))),
        ("busiest, impossible reason", GameFilter { reason: text("nothing"), ..by(busiest, &|_| {}) }),
        (
            "busiest, dates, rated",
            GameFilter { player: Some(PlayerFilter::of(busiest)), is_rated: Some(true), ..dates() },
        ),
        ("player", by(busy, &|_| {})),
        ("player, opponent", by(busy, &|player| player.opponent = Some(other))),
        ("player, won", by(busy, &|player| player.result = Some(PlayerResult::Win))),
        ("player, drawn", by(busy, &|player| player.result = Some(PlayerResult::Draw))),
        ("player, last place", by(busy, &|player| player.placement = Some(4))),
        (
            "player, variant, reason",
            GameFilter { variant: text("cross-a"), reason: text("resignation"), ..by(busy, &|_| {}) },
        ),
        ("player, casual", GameFilter { is_rated: Some(false), ..by(busy, &|_| {}) }),
        ("player, time control", GameFilter { time_control: text("5+3"), ..by(busy, &|_| {}) }),
        (
            "player, opponent, won, rated",
            GameFilter {
                is_rated: Some(true),
                ..by(busy, &|player| {
                    player.opponent = Some(other);
                    player.result = Some(PlayerResult::Win);
                })
            },
        ),
        ("player, running (none)", GameFilter { status: Some(GameStatus::Running), ..by(busy, &|_| {}) }),
    ];
    for (name, filter) in lists {
        // The deepest page of newest first begins where oldest first has its fiftieth game.
        let end = store.list_games(&filter, Direction::Oldest, None, 51).await.expect("it answers");
        let end = end.games.last().map(GameCursor::at);
        let page = |cursor| {
            let filter = &filter;
            move || async move {
                store.list_games(filter, Direction::Newest, cursor, 50).await.expect("it answers");
            }
        };
        print(name, &measure(page(None)).await, &measure(page(end)).await);
    }
}

async fn players(store: &Store) {
    let names = |prefix: &'static str| {
        move || async move {
            store.list_users_by_prefix(prefix, 50).await.expect("it answers");
        }
    };
    print("players by name", &measure(names("ge")).await, &measure(names("generated99")).await);
    let busiest = store.list_users(None, 1).await.expect("it answers")[0].id;
    let history = |before| {
        move || async move {
            store.rating_history(busiest, "crossfire", before, 50).await.expect("it answers");
        }
    };
    let rows = store.rating_history(busiest, "crossfire", i64::MAX, u32::MAX - 1).await.expect("it answers");
    let deepest = rows.iter().rev().nth(50).map_or(i64::MAX, |row| row.id);
    print("rating history", &measure(history(i64::MAX)).await, &measure(history(deepest)).await);
    let newest =
        store.list_games(&GameFilter::default(), Direction::Newest, None, 1).await.expect("it answers");
    let now = newest.games.first().expect("there are games").created_at;
    let settled = Settled { games: 30, deviation: 110.0, idle_variance_per_day: 9600.0 / 182.5, now };
    let leaders = |cursor| {
        move || async move {
            store.leaderboard("crossfire", settled, cursor, 50).await.expect("it answers");
        }
    };
    let (mut deepest, mut cursor): (Option<LeaderboardCursor>, _) = (None, None);
    loop {
        let page = store.leaderboard("crossfire", settled, cursor, 200).await.expect("it answers");
        if page.next.is_none() {
            break;
        }
        (deepest, cursor) = (page.next, page.next);
    }
    print("leaderboard", &measure(leaders(None)).await, &measure(leaders(deepest)).await);
}

async fn measure<F: Future<Output = ()>>(page: impl Fn() -> F) -> String {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        page().await;
        times.push(begun.elapsed());
    }
    times.sort();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    format!("{:.2} {:.2}", millis(times[TIMES / 2 - 1]), millis(times[TIMES - 2]))
}

fn print(name: &str, first: &str, deepest: &str) {
    println!("{name:<34} {first:>16} {deepest:>16}");
}
