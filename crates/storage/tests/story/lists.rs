//! Lists over many games: each filter is answered from an index, at the first page and at the deepest.

use kingscross_protocol::{Timestamp, UserId};
use kingscross_storage::{
    Direction, GameCursor, GameFilter, GameStatus, Generate, PlayerFilter, PlayerResult, Store,
};

use crate::databases::Database;

stories![every_list_is_answered_from_an_index, generated_games_are_the_same_again];

const GENERATE: Generate =
    Generate { games: 3_000, players: 200, seed: 7, from: Timestamp(1_700_000_000_000) };

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
        GameFilter { time_control: text("60+0"), ..any() },
        GameFilter { variant: text("crossfire"), reason: text("fifty_moves"), ..any() },
        GameFilter { variant: text("quaternity"), time_control: text("1800+20"), ..any() },
        GameFilter {
            from: Some(Timestamp(1_700_100_000_000)),
            until: Some(Timestamp(1_700_200_000_000)),
            ..any()
        },
        GameFilter { player: of(&|_| {}), ..any() },
        GameFilter { player: of(&|p| p.opponent = Some(opponent)), ..any() },
        GameFilter { player: of(&|p| p.result = Some(PlayerResult::Win)), ..any() },
        GameFilter { player: of(&|p| p.result = Some(PlayerResult::Draw)), ..any() },
        GameFilter { player: of(&|p| p.placement = Some(4)), ..any() },
        GameFilter { player: of(&|_| {}), variant: text("cross-a"), reason: text("time"), ..any() },
        GameFilter {
            player: of(&|_| {}),
            is_rated: Some(false),
            time_control: text("300+3"),
            from: Some(Timestamp(1_700_100_000_000)),
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

/// Lines of a plan that find the games of a page by reading a whole table. (The rows of those fifty games are then
/// joined however the planner likes; at this size that may be a scan too.)
fn faults(plan: &[String]) -> Vec<&String> {
    plan.iter()
        .filter(|line| {
            let line = line.trim();
            // SQLite's scan without an index names the table alone.
            line == "SCAN l" || (line.contains("Seq Scan on game") && line.contains(" l  ("))
        })
        .collect()
}

async fn every_list_is_answered_from_an_index(database: &Database) {
    let store = database.open().await;
    store.generate_games(GENERATE).await.unwrap();
    let named = store.list_users(None, 2).await.unwrap();
    for filter in filters(named[0].id, named[1].id) {
        let (_, deepest) = pages(&store, &filter).await;
        for direction in [Direction::Newest, Direction::Oldest] {
            for cursor in [None, deepest] {
                let plan = store.explain_list(&filter, direction, cursor, 50).await.unwrap();
                assert!(!plan.is_empty());
                assert!(faults(&plan).is_empty(), "{filter:?}\n{}", plan.join("\n"));
            }
        }
    }
}

async fn generated_games_are_the_same_again(database: &Database) {
    let store = database.open().await;
    store.generate_games(GENERATE).await.unwrap();
    let (count, _) = pages(&store, &GameFilter::default()).await;
    assert_eq!(count, 3_000);
    let of = |status| GameFilter { status: Some(status), ..GameFilter::default() };
    let (finished, _) = pages(&store, &of(GameStatus::Finished)).await;
    let (aborted, _) = pages(&store, &of(GameStatus::Aborted)).await;
    assert_eq!(finished + aborted, 3_000);
    assert!(aborted > 0);

    let other = Database::sqlite();
    let again = other.open().await;
    again.generate_games(GENERATE).await.unwrap();
    let first = |store: Store| async move {
        store.list_games(&GameFilter::default(), Direction::Newest, None, 50).await.unwrap()
    };
    assert_eq!(first(store).await, first(again).await);
}
