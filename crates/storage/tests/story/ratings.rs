//! Ratings: the ledger, leaderboards, annulment and rebuilding.

use kingscross_protocol::{GameId, Timestamp, UserId};
use kingscross_storage::{
    Append, LedgerEntry, NewUser, RatingChange, RatingTask, Rebuild, Settled, Store, StoredRating, UserKind,
};

use crate::databases::Database;
use crate::writer::{event, finish, new_game, ten_points, users};

stories![
    a_leaderboard_pages_over_settled_players,
    a_game_is_annulled_and_restored,
    a_rebuild_replaces_ledger_and_ratings,
    a_rebuild_that_missed_a_game_is_refused,
    the_ledger_is_read_in_order,
];

async fn play(store: &Store, players: &[UserId], at: i64) -> GameId {
    let game = new_game(players, at);
    let id = game.id;
    store.writer().create_game(game).await.unwrap();
    let finish = Some(finish(at, Some(ten_points(players, at))));
    store
        .writer()
        .append(Append { game: id, events: vec![event(2)], finish, follow_up_pending: None })
        .await
        .unwrap();
    id
}

fn settled(games: u32, deviation: f64, now: i64) -> Settled {
    Settled { games, deviation, idle_variance_per_day: 50.0, now: Timestamp(now) }
}

async fn a_leaderboard_pages_over_settled_players(database: &Database) {
    let store = database.open().await;
    let mut players = Vec::new();
    for n in 0..7_u32 {
        let id = UserId::fresh();
        let name = format!("Player {n}");
        let name_key = Some(format!("player{n}"));
        let user = NewUser {
            id,
            name_key,
            name,
            kind: UserKind::Account,
            password_hash: None,
            created_at: Timestamp(1),
        };
        store.create_user(&user).await.unwrap();
        players.push(id);
    }
    let rating = |rating: f64, deviation: f64, games: u32| StoredRating {
        rating,
        deviation,
        volatility: 0.03,
        games,
        last_played_at: Some(Timestamp(0)),
        parameters: "1".to_owned(),
    };
    let ratings = [
        rating(1500.0, 100.0, 30),
        rating(1700.0, 100.0, 40),
        rating(1700.0, 100.0, 50),
        rating(2400.0, 110.5, 99), // not settled
        rating(2300.0, 60.0, 29),  // too few games
        rating(2200.0, 60.0, 200), // banned below
        rating(1400.0, 110.0, 31), // exactly at the limit
    ];
    let rebuild = Rebuild { ratings: players.iter().copied().zip(ratings).collect(), ..Rebuild::default() };
    assert!(store.replace_ratings("kingdoms", &rebuild).await.unwrap());
    store.set_banned(players[5], Some(Timestamp(5))).await.unwrap();

    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.leaderboard("kingdoms", settled(30, 110.0, 0), cursor, 2).await.unwrap();
        seen.extend(page.entries.iter().map(|entry| (entry.user, entry.name.clone())));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let expected = [2, 1, 0, 6].map(|n: usize| (players[n], format!("Player {n}")));
    assert_eq!(seen, expected);
    assert!(store.leaderboard("cross", settled(30, 110.0, 0), None, 9).await.unwrap().entries.is_empty());

    // A day without a game takes the one at the limit over it; 42 more days the others: 100² + 43 · 50 > 110².
    let day = 86_400_000;
    let page = store.leaderboard("kingdoms", settled(30, 110.0, day), None, 9).await.unwrap();
    assert_eq!(page.entries.len(), 3);
    let page = store.leaderboard("kingdoms", settled(30, 110.0, 43 * day), None, 9).await.unwrap();
    assert!(page.entries.is_empty());
    assert_eq!(store.list_ratings(players[0]).await.unwrap()[0].0, "kingdoms");
}

async fn a_game_is_annulled_and_restored(database: &Database) {
    let store = database.open().await;
    let players = users(&store, 2).await;
    let game = play(&store, &players, 10).await;
    assert!(store.set_annulled(game, Some(Timestamp(20))).await.unwrap());
    assert!(!store.set_annulled(game, Some(Timestamp(21))).await.unwrap());
    let entries = store.list_rating_changes(game).await.unwrap();
    assert!(entries.iter().all(|entry| entry.annulled_at == Some(Timestamp(20))));
    assert_eq!(store.find_game(game).await.unwrap().unwrap().summary.annulled_at, Some(Timestamp(20)));
    assert!(store.set_annulled(game, None).await.unwrap());
    assert!(!store.set_annulled(game, None).await.unwrap());
    assert!(!store.set_annulled(GameId::fresh(), None).await.unwrap());
    // The changes count again with the rebuild that numbers them.
    let entries = store.list_rating_changes(game).await.unwrap();
    assert!(entries.iter().all(|entry| entry.annulled_at == Some(Timestamp(20))));
    assert_eq!(store.find_game(game).await.unwrap().unwrap().summary.annulled_at, None);
}

async fn a_rebuild_replaces_ledger_and_ratings(database: &Database) {
    let store = database.open().await;
    let players = users(&store, 2).await;
    let first = play(&store, &players, 10).await;
    let second = play(&store, &players, 20).await;
    store.set_annulled(first, Some(Timestamp(30))).await.unwrap();

    // What a rebuild without the first game finds: the second is everyone's first.
    let old = store.list_ledger("crossfire", 0, 100).await.unwrap();
    let task: RatingTask = ten_points(&players, 20);
    let fresh: Vec<_> = players.iter().map(|player| (*player, None)).collect();
    let changes: Vec<RatingChange> = (task.rate)(&fresh);
    let entries = old.iter().take(2).cloned().chain(changes.iter().map(|change| LedgerEntry {
        id: 0,
        game: second,
        pool: "crossfire".to_owned(),
        at: Timestamp(20),
        change: change.clone(),
        annulled_at: None,
    }));
    let ratings = changes.iter().map(|change| (change.user, change.after.clone()));
    let seen = old.last().unwrap().id;
    let rebuild = Rebuild { ratings: ratings.collect(), entries: entries.collect(), seen };
    assert!(store.replace_ratings("crossfire", &rebuild).await.unwrap());

    for player in &players {
        let rating = store.find_rating(*player, "crossfire").await.unwrap().unwrap();
        assert_eq!((rating.rating.to_bits(), rating.games), (f64::to_bits(1510.0), 1));
    }
    let ledger = store.list_ledger("crossfire", 0, 100).await.unwrap();
    assert_eq!(ledger.len(), 4);
    assert!(ledger[..2].iter().all(|entry| entry.game == first && entry.annulled_at.is_some()));
    assert!(ledger[2..].iter().all(|entry| entry.game == second && entry.change.after.games == 1));
    let shown = store.find_game(second).await.unwrap().unwrap().summary.players;
    let south = shown.iter().find(|player| player.seat == "S").unwrap();
    assert_eq!((south.rating_before, south.rating_after), (Some(1500.0), Some(1510.0)));
}

async fn a_rebuild_that_missed_a_game_is_refused(database: &Database) {
    let store = database.open().await;
    let players = users(&store, 2).await;
    play(&store, &players, 10).await;
    let seen = store.list_ledger("crossfire", 0, 100).await.unwrap().last().unwrap().id;
    let rebuild = Rebuild { seen, ..Rebuild::default() };
    play(&store, &players, 20).await;
    assert!(!store.replace_ratings("crossfire", &rebuild).await.unwrap());
    assert_eq!(store.list_ledger("crossfire", 0, 100).await.unwrap().len(), 4);
    assert_eq!(store.find_rating(players[0], "crossfire").await.unwrap().unwrap().games, 2);
}

async fn the_ledger_is_read_in_order(database: &Database) {
    let store = database.open().await;
    let players = users(&store, 3).await;
    let mut games = Vec::new();
    for at in 1..=5 {
        games.push(play(&store, &players, at).await);
    }
    let (mut seen, mut after) = (Vec::new(), 0);
    loop {
        let entries = store.list_ledger("crossfire", after, 4).await.unwrap();
        let Some(last) = entries.last() else { break };
        after = last.id;
        seen.extend(entries.into_iter().map(|entry| entry.game));
    }
    let expected: Vec<GameId> = games.iter().flat_map(|game| [*game; 3]).collect();
    assert_eq!(seen, expected);
    let newest = store.rating_history(players[0], "crossfire", i64::MAX, 2).await.unwrap();
    assert_eq!(newest.iter().map(|entry| entry.game).collect::<Vec<_>>(), [games[4], games[3]]);
    let older = store.rating_history(players[0], "crossfire", newest[1].id, 2).await.unwrap();
    assert_eq!(older.iter().map(|entry| entry.game).collect::<Vec<_>>(), [games[2], games[1]]);
    assert_eq!(newest[0].change.before, newest[1].change.after);
}
