//! How fast lists are over many games:
//! `cargo run --release -p kingscross-storage --example lists -- <location> [games]`.
//!
//! Fills an empty database, then asks for the first page and for the deepest of every list, a hundred times each.

use std::time::{Duration, Instant};

use kingscross_protocol::Timestamp;
use kingscross_storage::{
    Direction, GameCursor, GameFilter, GameStatus, Generate, Options, PlayerFilter, PlayerResult, Store,
};

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let location = arguments.next().expect("a database file or URL that may be filled");
    let games = arguments.next().map_or(1_000_000, |games| games.parse().expect("games are a number"));
    let store = Store::open(&location, Options::default()).await.expect("the database opens");
    let any = GameFilter::default;
    let empty =
        store.list_games(&any(), Direction::Newest, None, 1).await.expect("it answers").games.is_empty();
    let begun = Instant::now();
    if empty {
        let what = Generate { games, players: 20_000, seed: 1, from: Timestamp(1_600_000_000_000) };
        store.generate_games(what).await.expect("it can be filled");
        println!("generated {games} games in {:.0?}", begun.elapsed());
    }
    let users = store.list_users(None, 10_000).await.expect("it answers");
    // The first plays most of all; a hundredth of the way in they are busy humans.
    let (busiest, busy, other) = (users[0].id, users[200].id, users[1].id);
    let of = |change: &dyn Fn(&mut PlayerFilter)| {
        let mut player = PlayerFilter::of(busy);
        change(&mut player);
        GameFilter { player: Some(player), ..any() }
    };
    let text = |text: &str| Some(text.to_owned());
    let middle = 1_600_000_000_000 + 150_000 * i64::try_from(games).unwrap_or(0);
    let lists = [
        ("all", any()),
        ("status finished", GameFilter { status: Some(GameStatus::Finished), ..any() }),
        ("status aborted", GameFilter { status: Some(GameStatus::Aborted), ..any() }),
        ("variant", GameFilter { variant: text("kingdoms"), ..any() }),
        ("reason", GameFilter { reason: text("ultimatum"), ..any() }),
        (
            "variant, impossible reason",
            GameFilter { variant: text("kingdoms"), reason: text("throne"), ..any() },
        ),
        ("casual", GameFilter { is_rated: Some(false), ..any() }),
        ("time control", GameFilter { time_control: text("60+0"), ..any() }),
        (
            "dates",
            GameFilter {
                from: Some(Timestamp(middle)),
                until: Some(Timestamp(middle + 86_400_000)),
                ..any()
            },
        ),
        ("busiest player", GameFilter { player: Some(PlayerFilter::of(busiest)), ..any() }),
        ("player", of(&|_| {})),
        ("player, opponent", of(&|player| player.opponent = Some(other))),
        ("player, won", of(&|player| player.result = Some(PlayerResult::Win))),
        ("player, drawn (never)", of(&|player| player.result = Some(PlayerResult::Draw))),
        ("player, last place", of(&|player| player.placement = Some(4))),
        (
            "player, variant, reason",
            GameFilter { variant: text("cross-a"), reason: text("time"), ..of(&|_| {}) },
        ),
    ];
    println!("{:<28} {:>18} {:>18}", "ms: p50 p99 of 100 pages", "first", "deepest");
    for (name, filter) in lists {
        let first = measure(&store, &filter, None).await;
        // The deepest page of newest first begins where oldest first has its fiftieth game.
        let end = store.list_games(&filter, Direction::Oldest, None, 51).await.expect("it answers");
        let deepest = measure(&store, &filter, end.games.last().map(GameCursor::at)).await;
        println!("{name:<28} {first:>18} {deepest:>18}");
    }
    store.close().await;
}

async fn measure(store: &Store, filter: &GameFilter, cursor: Option<GameCursor>) -> String {
    let mut times = Vec::new();
    for _ in 0..100 {
        let begun = Instant::now();
        store.list_games(filter, Direction::Newest, cursor, 50).await.expect("it answers");
        times.push(begun.elapsed());
    }
    times.sort();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    format!("{:.2} {:.2}", millis(times[49]), millis(times[98]))
}
