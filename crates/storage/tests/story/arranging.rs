//! Lobbies and tickets: what must survive a restart before a game exists.

use kingscross_protocol::{LobbyId, Timestamp};
use kingscross_storage::{AppendError, Lobby, LobbySeat, Ticket};
use uuid::Uuid;

use crate::databases::Database;
use crate::writer::{new_game, users};

stories![
    a_lobby_is_saved_changed_and_found_again,
    a_player_has_one_ticket,
    a_game_closes_what_it_came_from_or_nothing_happens,
];

fn lobby(host: kingscross_protocol::UserId) -> Lobby {
    let seat = |seat: &str, user, bot: Option<&str>| LobbySeat {
        seat: seat.to_owned(),
        user,
        bot_level: bot.map(str::to_owned),
    };
    Lobby {
        id: LobbyId::fresh(),
        key: Some("abc".to_owned()),
        is_public: false,
        variant: "crossfire".to_owned(),
        time_control: "300+3".to_owned(),
        is_rated: false,
        host,
        created_at: Timestamp(5),
        snapshot: r#"{"v":1}"#.to_owned(),
        seats: vec![seat("N", None, Some("greedy")), seat("S", Some(host), None)],
    }
}

async fn a_lobby_is_saved_changed_and_found_again(database: &Database) {
    let store = database.open().await;
    let players = users(&store, 2).await;
    let mut saved = lobby(players[0]);
    store.save_lobby(&saved).await.unwrap();
    assert_eq!(store.load_lobbies().await.unwrap(), [saved.clone()]);

    saved.host = players[1];
    saved.key = None;
    saved.is_public = true;
    saved.seats = vec![LobbySeat { seat: "E".to_owned(), user: Some(players[1]), bot_level: None }];
    store.save_lobby(&saved).await.unwrap();
    let other = Lobby { created_at: Timestamp(4), ..lobby(players[0]) };
    store.save_lobby(&other).await.unwrap();
    store.close().await;

    let store = database.open().await;
    assert_eq!(store.load_lobbies().await.unwrap(), [other, saved.clone()]);
    assert!(store.delete_lobby(saved.id).await.unwrap());
    assert!(!store.delete_lobby(saved.id).await.unwrap());
    assert_eq!(store.load_lobbies().await.unwrap().len(), 1);
}

async fn a_player_has_one_ticket(database: &Database) {
    let store = database.open().await;
    let players = users(&store, 2).await;
    let ticket = |n: usize, at| Ticket {
        id: Uuid::now_v7(),
        user: players[n],
        pools: vec!["kingdoms/300+3".to_owned()],
        created_at: Timestamp(at),
        body: "{}".to_owned(),
    };
    let (first, second, other) = (ticket(0, 2), ticket(0, 3), ticket(1, 1));
    assert_eq!(store.create_ticket(&first).await.unwrap(), first);
    assert_eq!(store.create_ticket(&second).await.unwrap(), first);
    assert_eq!(store.create_ticket(&other).await.unwrap(), other);
    assert_eq!(store.load_tickets().await.unwrap(), [other, first.clone()]);
    let changed = Ticket { body: r#"{"waited":9}"#.to_owned(), ..first };
    assert!(store.save_ticket(&changed).await.unwrap());
    assert!(!store.save_ticket(&second).await.unwrap());
    assert_eq!(store.load_tickets().await.unwrap()[1], changed);
    assert!(store.delete_ticket(players[0]).await.unwrap());
    assert!(!store.delete_ticket(players[0]).await.unwrap());
    assert_eq!(store.create_ticket(&second).await.unwrap(), second);
}

async fn a_game_closes_what_it_came_from_or_nothing_happens(database: &Database) {
    let store = database.open().await;
    let players = users(&store, 4).await;
    let from = lobby(players[0]);
    store.save_lobby(&from).await.unwrap();
    let ticket = Ticket {
        id: Uuid::now_v7(),
        user: players[1],
        pools: vec!["x".to_owned()],
        created_at: Timestamp(1),
        body: "{}".to_owned(),
    };
    store.create_ticket(&ticket).await.unwrap();
    let mut game = new_game(&players, 1);
    game.lobby = Some(from.id);
    game.close_lobby = Some(from.id);
    game.close_tickets = vec![players[1]];

    // The same user twice breaks the schema in the middle of the transaction.
    let mut twice = game.clone();
    twice.players[3].user = Some(players[0]);
    assert_eq!(store.writer().create_game(twice).await, Err(AppendError::Conflict));
    assert_eq!(
        (store.load_lobbies().await.unwrap().len(), store.load_tickets().await.unwrap().len()),
        (1, 1)
    );
    let mut unknown = game.clone();
    unknown.players[3].user = Some(kingscross_protocol::UserId::fresh());
    assert!(matches!(store.writer().create_game(unknown).await, Err(AppendError::Invalid(_))));
    assert!(store.load_running_games().await.unwrap().is_empty());

    store.writer().create_game(game.clone()).await.unwrap();
    assert!(store.load_lobbies().await.unwrap().is_empty());
    assert!(store.load_tickets().await.unwrap().is_empty());
    let running = store.load_running_games().await.unwrap();
    assert_eq!((running[0].lobby, running[0].summary.players.len()), (Some(from.id), 4));

    let mut rematch = new_game(&players, 2);
    rematch.rematch_of = Some(game.id);
    store.writer().create_game(rematch.clone()).await.unwrap();
    assert_eq!(store.find_rematch(game.id).await.unwrap(), Some(rematch.id));
    assert_eq!(store.find_rematch(rematch.id).await.unwrap(), None);
}
