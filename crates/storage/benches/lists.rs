//! How long lists of games take in a large database, by every filter, at the first and at the deepest page:
//!
//! ```text
//! kingscross --database postgres://… generate
//! KINGSCROSS_BENCH_DATABASE=postgres://… cargo bench -p kingscross-storage
//! ```

use std::time::{Duration, Instant};

use kingscross_protocol::{Timestamp, UserId};
use kingscross_storage::{
    Direction, Fault, GameCursor, GameFilter, GameStatus, Options, PlayerFilter, PlayerResult, Store,
};

/// Executions of each query, of which the slowest but two is the 99th percentile.
const TIMES: usize = 200;
const PAGE: u32 = 50;
const DAY: i64 = 86_400_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Ok(database) = std::env::var("KINGSCROSS_BENCH_DATABASE") else {
        println!("lists: not measured; KINGSCROSS_BENCH_DATABASE names no database");
        return Ok(());
    };
    let store = Store::open(&database, Options::default()).await?;
    let mut slowest = Duration::ZERO;
    println!("{:<44} {:>9} {:>9} {:>9}", "list", "page", "p50 ms", "p99 ms");
    for (name, filter) in filters(&store).await? {
        let oldest = store.list_games(&filter, Direction::Oldest, None, PAGE).await?.games;
        let deepest = oldest.last().map(GameCursor::at);
        for (page, cursor) in [("first", None), ("deepest", deepest)] {
            let mut times = Vec::with_capacity(TIMES);
            for _ in 0..TIMES {
                let begun = Instant::now();
                store.list_games(&filter, Direction::Newest, cursor, PAGE).await?;
                times.push(begun.elapsed());
            }
            times.sort();
            let (p50, p99) = (times[TIMES / 2], times[TIMES - 3]);
            slowest = slowest.max(p99);
            let ms = |time: Duration| time.as_secs_f64() * 1e3;
            println!("{name:<44} {page:>9} {:>9.2} {:>9.2}", ms(p50), ms(p99));
        }
    }
    println!("slowest p99: {:.2} ms", slowest.as_secs_f64() * 1e3);
    store.close().await;
    Ok(())
}

/// Every filter alone and with a player: a busy one, and one who plays little.
async fn filters(store: &Store) -> Result<Vec<(String, GameFilter)>, Fault> {
    let mut all = vec![("everything".to_owned(), GameFilter::default())];
    let newest = store.list_games(&GameFilter::default(), Direction::Newest, None, 1).await?.games;
    let newest = newest.first().map_or(Timestamp(0), |game| game.created_at);
    let general = |of: &GameFilter| {
        let mut some = Vec::new();
        for variant in ["crossfire", "kingdoms", "quaternity", "cross-a", "cross-b"] {
            some.push((
                format!("variant {variant}"),
                GameFilter { variant: Some(variant.into()), ..of.clone() },
            ));
        }
        for status in [GameStatus::Running, GameStatus::Finished, GameStatus::Aborted] {
            some.push((format!("status {status:?}"), GameFilter { status: Some(status), ..of.clone() }));
        }
        for reason in ["throne", "time", "agreement", "deadlock"] {
            some.push((format!("reason {reason}"), GameFilter { reason: Some(reason.into()), ..of.clone() }));
        }
        for rated in [true, false] {
            some.push((format!("rated {rated}"), GameFilter { is_rated: Some(rated), ..of.clone() }));
        }
        for time in ["5+3", "60+30"] {
            some.push((format!("time {time}"), GameFilter { time_control: Some(time.into()), ..of.clone() }));
        }
        let (from, until) = (newest.plus(-30 * DAY), newest.plus(-365 * DAY));
        some.push(("from a month ago".to_owned(), GameFilter { from: Some(from), ..of.clone() }));
        some.push(("until a year ago".to_owned(), GameFilter { until: Some(until), ..of.clone() }));
        some
    };
    all.extend(general(&GameFilter::default()));
    // The generator makes the busiest players first.
    let users: Vec<UserId> = store.list_users(None, 5_000).await?.into_iter().map(|user| user.id).collect();
    let (busy, rare) = (users[0], users[users.len() - 1]);
    for (who, user) in [("busy", busy), ("rare", rare)] {
        let of = |player: PlayerFilter| GameFilter { player: Some(player), ..GameFilter::default() };
        let own = of(PlayerFilter::of(user));
        all.push((format!("{who} player"), own.clone()));
        all.extend(general(&own).into_iter().map(|(name, filter)| (format!("{who} player, {name}"), filter)));
        for result in [PlayerResult::Win, PlayerResult::Loss, PlayerResult::Draw] {
            let player = PlayerFilter { result: Some(result), ..PlayerFilter::of(user) };
            all.push((format!("{who} player, {result:?}"), of(player)));
        }
        for placement in 1..=4 {
            let player = PlayerFilter { placement: Some(placement), ..PlayerFilter::of(user) };
            all.push((format!("{who} player, place {placement}"), of(player)));
        }
        let beside =
            |opponent: UserId| of(PlayerFilter { opponent: Some(opponent), ..PlayerFilter::of(user) });
        all.push((format!("{who} player, a busy opponent"), beside(users[1])));
        for &opponent in &users[2..] {
            let filter = beside(opponent);
            if store.list_games(&filter, Direction::Newest, None, 1).await?.games.is_empty() {
                all.push((format!("{who} player, the busiest never met"), filter));
                break;
            }
        }
    }
    Ok(all)
}
