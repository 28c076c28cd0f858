//! Lists of games: each filter, both directions, pages that stay where they were.

use kingscross_protocol::{GameId, Timestamp, UserId};
use kingscross_storage::{
    Append, Direction, GameCursor, GameFilter, GameStatus, PlayerFilter, PlayerResult, Store,
};

use crate::databases::Database;
use crate::writer::{finish, new_game, users};

stories![every_filter_finds_its_games, pages_show_each_old_game_once_while_new_ones_come];

async fn all(store: &Store, filter: &GameFilter, direction: Direction) -> Vec<GameId> {
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.list_games(filter, direction, cursor, 3).await.unwrap();
        assert!(page.games.len() <= 3);
        found.extend(page.games.iter().map(|game| game.id));
        let Some(next) = page.next else { return found };
        assert_eq!(next.to_string().parse::<GameCursor>().unwrap(), next);
        cursor = Some(next);
    }
}

async fn every_filter_finds_its_games(database: &Database) {
    let store = database.open().await;
    let writer = store.writer();
    let players: Vec<UserId> = users(&store, 4).await;
    let mut ids = Vec::new();
    for n in 0..20_i64 {
        // Several games share a moment, so that the id must decide.
        let mut game = new_game(&players[..if n % 5 == 0 { 1 } else { 3 }], n / 4);
        game.variant = if n % 2 == 0 { "crossfire" } else { "kingdoms" }.to_owned();
        game.is_rated = n % 3 == 0;
        game.time_control = if n < 4 { "60+0" } else { "300+3" }.to_owned();
        ids.push(game.id);
        let id = game.id;
        writer.create_game(game).await.unwrap();
        if n < 15 {
            let mut end = finish(100 + n, None);
            if n == 7 {
                end.status = GameStatus::Aborted;
                end.reason = "no_show".to_owned();
            }
            writer
                .append(Append { game: id, events: Vec::new(), finish: Some(end), follow_up_pending: None })
                .await
                .unwrap();
        }
    }
    let pick = |fits: &dyn Fn(i64) -> bool| -> Vec<GameId> {
        ids.iter().enumerate().filter(|(n, _)| fits(i64::try_from(*n).unwrap())).map(|(_, id)| *id).collect()
    };
    let any = GameFilter::default;
    let of = |user: UserId| GameFilter { player: Some(PlayerFilter::of(user)), ..any() };
    let player = |user, change: &dyn Fn(&mut PlayerFilter)| {
        let mut player = PlayerFilter::of(user);
        change(&mut player);
        GameFilter { player: Some(player), ..any() }
    };
    let cases: Vec<(GameFilter, Vec<GameId>)> = vec![
        (any(), pick(&|_| true)),
        (GameFilter { variant: Some("kingdoms".to_owned()), ..any() }, pick(&|n| n % 2 == 1)),
        (GameFilter { status: Some(GameStatus::Running), ..any() }, pick(&|n| n >= 15)),
        (GameFilter { reason: Some("no_show".to_owned()), ..any() }, pick(&|n| n == 7)),
        (GameFilter { is_rated: Some(true), ..any() }, pick(&|n| n % 3 == 0)),
        (GameFilter { time_control: Some("60+0".to_owned()), ..any() }, pick(&|n| n < 4)),
        (
            GameFilter { from: Some(Timestamp(1)), until: Some(Timestamp(3)), ..any() },
            pick(&|n| (4..12).contains(&n)),
        ),
        (of(players[0]), pick(&|_| true)),
        (of(players[1]), pick(&|n| n % 5 != 0)),
        (of(players[3]), Vec::new()),
        (player(players[0], &|p| p.opponent = Some(players[2])), pick(&|n| n % 5 != 0)),
        (player(players[0], &|p| p.opponent = Some(players[3])), Vec::new()),
        (player(players[0], &|p| p.result = Some(PlayerResult::Win)), pick(&|n| n < 15)),
        (player(players[1], &|p| p.placement = Some(2)), pick(&|n| n < 15 && n % 5 != 0)),
        (player(players[1], &|p| p.placement = Some(1)), Vec::new()),
        (
            GameFilter {
                variant: Some("kingdoms".to_owned()),
                status: Some(GameStatus::Aborted),
                ..of(players[1])
            },
            pick(&|n| n == 7),
        ),
        (
            GameFilter {
                is_rated: Some(false),
                time_control: Some("300+3".to_owned()),
                from: Some(Timestamp(2)),
                ..of(players[0])
            },
            pick(&|n| n >= 8 && n % 3 != 0),
        ),
    ];
    for (filter, expected) in cases {
        assert_eq!(all(&store, &filter, Direction::Oldest).await, expected, "{filter:?}");
        let mut newest = all(&store, &filter, Direction::Newest).await;
        newest.reverse();
        assert_eq!(newest, expected, "{filter:?}");
    }
    let page = store.list_games(&of(players[1]), Direction::Newest, None, 1).await.unwrap();
    assert_eq!(page.games[0].players.len(), 4);
    assert_eq!(page.games[0], store.find_game(page.games[0].id).await.unwrap().unwrap().summary);
}

async fn pages_show_each_old_game_once_while_new_ones_come(database: &Database) {
    let store = database.open().await;
    let writer = store.writer();
    let mut old = Vec::new();
    for n in 0..10 {
        let game = new_game(&[], n / 3);
        old.push(game.id);
        writer.create_game(game).await.unwrap();
    }
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.list_games(&GameFilter::default(), Direction::Newest, cursor, 2).await.unwrap();
        seen.extend(page.games.iter().map(|game| game.id));
        writer.create_game(new_game(&[], 100)).await.unwrap();
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    seen.reverse();
    assert_eq!(seen, old);
}

#[test]
fn a_cursor_that_was_changed_is_refused() {
    for text in ["", "x", "000000000000000g", "00000000000000010000", "é00000000000000000"] {
        assert!(text.parse::<GameCursor>().is_err(), "{text}");
    }
    let good = "000000000000000101890a5d3b5c7000800000000000000a";
    assert_eq!(good.parse::<GameCursor>().unwrap().to_string(), good);
    assert!(good.to_uppercase().parse::<GameCursor>().is_err());
}
