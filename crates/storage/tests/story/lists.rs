//! Lists over many games: each filter is answered from an index, at the first page and at the deepest.

use kingscross_protocol::{Timestamp, UserId};
use kingscross_storage::{
    Direction, GameCursor, GameFilter, GameStatus, Listing, PlayerFilter, PlayerResult, Store,
};
use sqlx::AssertSqlSafe;

use crate::databases::Database;
use crate::made_up::{self, FROM};

stories![
    every_list_is_answered_from_an_index,
    no_list_of_many_games_is_answered_by_reading_them_all,
    filters_find_what_they_name,
];

/// One list for each filter, and the combinations that a player's page offers.
fn filters(player: UserId, opponent: UserId) -> Vec<GameFilter> {
    let any = GameFilter::default;
    let text = |text: &str| Some(text.to_owned());
    let of = |change: &dyn Fn(&mut PlayerFilter)| {
        let mut filter = PlayerFilter::of(player);
        change(&mut filter);
        Some(filter)
    };
    vec![
        any(),
        GameFilter { variant: text("kingdoms"), ..any() },
        GameFilter { status: Some(GameStatus::Finished), ..any() },
        GameFilter { status: Some(GameStatus::Aborted), ..any() },
        GameFilter { status: Some(GameStatus::Running), ..any() },
        GameFilter { reason: text("ultimatum"), ..any() },
        GameFilter { reason: text("nothing_ends_so"), ..any() },
        GameFilter { is_rated: Some(true), ..any() },
        GameFilter { is_rated: Some(false), status: Some(GameStatus::Aborted), ..any() },
        GameFilter { is_rated: Some(true), reason: text("mate"), time_control: text("5+3"), ..any() },
        GameFilter { status: Some(GameStatus::Aborted), reason: text("mate"), ..any() },
        GameFilter { time_control: text("1+2"), ..any() },
        GameFilter { variant: text("crossfire"), reason: text("fifty_moves"), ..any() },
        GameFilter { variant: text("quaternity"), time_control: text("30+20"), ..any() },
        GameFilter {
            from: Some(Timestamp(FROM + 100_000_000)),
            until: Some(Timestamp(FROM + 200_000_000)),
            ..any()
        },
        GameFilter { player: of(&|_| {}), ..any() },
        GameFilter { player: of(&|p| p.opponent = Some(opponent)), ..any() },
        GameFilter {
            player: of(&|p| (p.opponent, p.placement) = (Some(opponent), Some(1))),
            is_rated: Some(true),
            ..any()
        },
        GameFilter { player: of(&|p| p.result = Some(PlayerResult::Win)), ..any() },
        GameFilter { player: of(&|p| p.result = Some(PlayerResult::Draw)), ..any() },
        GameFilter { player: of(&|p| p.placement = Some(4)), ..any() },
        GameFilter { player: of(&|_| {}), variant: text("cross-a"), reason: text("time"), ..any() },
        GameFilter {
            player: of(&|_| {}),
            is_rated: Some(false),
            time_control: text("5+3"),
            from: Some(Timestamp(FROM + 100_000_000)),
            ..any()
        },
    ]
}

async fn pages(store: &Store, filter: &GameFilter) -> (usize, Option<GameCursor>) {
    let (mut count, mut cursor, mut deepest) = (0, None, None);
    loop {
        let page = store.list_games(filter, Direction::Newest, cursor, 200).await.unwrap();
        count += page.games.len();
        cursor = page.next;
        if cursor.is_none() {
            return (count, deepest);
        }
        deepest = cursor;
    }
}

/// Lines of a plan that read a whole table, or find a page by sorting everything that fits.
fn faults(plan: &[String]) -> Vec<&String> {
    let mut is_page = false;
    plan.iter()
        .filter(|line| {
            let text = line.trim().trim_start_matches("->").trim();
            // What stands below PostgreSQL's limit, and within SQLite's subquery, finds the page.
            is_page |= text.starts_with("Limit") || text == "CO-ROUTINE page" || text == "MATERIALIZE page";
            is_page &= !text.starts_with("SEARCH g ") && !text.starts_with("SCAN page");
            let sorts = text.starts_with("Sort ") || text == "USE TEMP B-TREE FOR ORDER BY";
            // SQLite names an index that it goes through; its scan of a subquery is of the page alone.
            let scans = text.starts_with("SCAN ") && text != "SCAN page" && !text.contains(" USING ");
            text.contains("Seq Scan") || scans || (is_page && sorts)
        })
        .collect()
}

/// With PostgreSQL's planner told to take an index, and its order, wherever there is one: what it reads whole or sorts has
/// none.
async fn every_list_is_answered_from_an_index(database: &Database) {
    if let Some(mut server) = database.server().await {
        for setting in ["seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin"] {
            let sql = format!("alter database {} set enable_{setting} = off", database.name());
            sqlx::query(AssertSqlSafe(sql)).execute(&mut server).await.unwrap();
        }
    }
    let store = database.open().await;
    let users = made_up::games(&store, 400, 60).await;
    for filter in filters(users[0], users[1]) {
        let (_, deepest) = pages(&store, &filter).await;
        for direction in [Direction::Newest, Direction::Oldest] {
            for cursor in [None, deepest] {
                let plan = store.explain_games(&filter, direction, cursor, 50).await.unwrap();
                assert!(!plan.is_empty());
                let mut faults = faults(&plan);
                // Where one of two players has played little, sorting those games is the quick way.
                let has_opponent = filter.player.as_ref().is_some_and(|player| player.opponent.is_some());
                faults.retain(|line| !has_opponent || line.to_lowercase().contains("scan"));
                assert!(faults.is_empty(), "{filter:?}\n{}", plan.join("\n"));
            }
        }
    }
    for listing in Listing::ALL {
        let plan = store.explain(listing).await.unwrap();
        assert!(!plan.is_empty());
        let faults: Vec<_> = plan.iter().filter(|line| line.contains("Seq Scan") || is_scan(line)).collect();
        assert!(faults.is_empty(), "{listing:?}\n{}", plan.join("\n"));
    }
}

/// A whole table, in no order of an index; the audit log is read from its end.
fn is_scan(line: &str) -> bool {
    line.trim().starts_with("SCAN ") && !line.contains(" USING ") && line.trim() != "SCAN audit"
}

/// With the planners as they are, and enough games that it matters which way they go. (The rows of a page's fifty
/// games are joined however the planner likes.)
async fn no_list_of_many_games_is_answered_by_reading_them_all(database: &Database) {
    let store = database.open().await;
    let users = made_up::games(&store, 3_000, 200).await;
    for filter in filters(users[0], users[1]) {
        let (_, deepest) = pages(&store, &filter).await;
        for cursor in [None, deepest] {
            let plan = store.explain_games(&filter, Direction::Newest, cursor, 50).await.unwrap();
            let whole = |line: &&String| {
                line.trim() == "SCAN l" || (line.contains("Seq Scan on game") && line.contains(" l  ("))
            };
            assert!(!plan.iter().any(|line| whole(&line)), "{filter:?}\n{}", plan.join("\n"));
        }
    }
}

async fn filters_find_what_they_name(database: &Database) {
    let store = database.open().await;
    let users = made_up::games(&store, 500, 40).await;
    let of = |status| GameFilter { status: Some(status), ..GameFilter::default() };
    let (all, _) = pages(&store, &GameFilter::default()).await;
    let (finished, _) = pages(&store, &of(GameStatus::Finished)).await;
    let (aborted, _) = pages(&store, &of(GameStatus::Aborted)).await;
    assert_eq!((all, finished + aborted), (500, 500));
    assert!(aborted > 0);
    let (one, other) = (users[0], users[3]);
    let meet = |player, opponent| {
        let player = PlayerFilter { opponent: Some(opponent), ..PlayerFilter::of(player) };
        GameFilter { player: Some(player), ..GameFilter::default() }
    };
    let (first, second) = (meet(one, other), meet(other, one));
    let (games, _) = pages(&store, &first).await;
    assert!(games > 0);
    assert_eq!(games, pages(&store, &second).await.0);
    for order in [Direction::Newest, Direction::Oldest] {
        let page = store.list_games(&first, order, None, 200).await.unwrap();
        for game in &page.games {
            let sits = |user| game.players.iter().any(|player| player.user == Some(user));
            assert!(sits(one) && sits(other));
        }
        let times: Vec<Timestamp> = page.games.iter().map(|game| game.created_at).collect();
        assert!(times.is_sorted_by(|a, b| if order == Direction::Newest { a >= b } else { a <= b }));
    }
}
