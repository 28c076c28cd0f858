//! Appending: durable, in order, one writer a game, and one bad append harms no other.

use std::sync::Arc;

use kingscross_protocol::{CommandId, GameId, Seq, Timestamp, UserId};
use kingscross_storage::{
    Append, AppendError, Commanded, Finish, FinishedPlayer, GameStatus, NewEvent, NewGame, NewPlayer,
    Options, PlayerResult, RatingChange, RatingTask, Store, StoredRating,
};

use crate::databases::Database;

stories![
    an_appended_event_is_read_back_byte_for_byte,
    a_second_writer_of_a_seq_loses,
    a_command_is_stored_once,
    a_bad_append_harms_no_other_of_its_batch,
    events_and_the_end_of_a_game_are_one_transaction,
    who_reads_while_a_game_ends_sees_its_end_whole_or_not_at_all,
    a_game_ends_once,
    two_games_that_end_together_leave_an_unbroken_chain,
    ratings_whose_computing_panics_are_refused_and_the_writer_goes_on,
    closing_writes_what_was_accepted,
];

pub(crate) fn event(seq: u32) -> NewEvent {
    NewEvent {
        seq: Seq(seq),
        commanded: None,
        at: Timestamp(1_000 + i64::from(seq)),
        hash: u64::MAX - u64::from(seq),
        body: format!(r#"{{"v":1,  "type":"test","n":{seq},"text":"\u0000 é"}}"#),
    }
}

pub(crate) fn append(game: GameId, events: Vec<NewEvent>) -> Append {
    Append { game, events, finish: None, follow_up_pending: None }
}

pub(crate) fn player(seat: &str, user: Option<UserId>) -> NewPlayer {
    NewPlayer {
        seat: seat.to_owned(),
        user,
        name: format!("player {seat}"),
        is_bot: user.is_none(),
        bot_level: user.is_none().then(|| "greedy".to_owned()),
    }
}

pub(crate) fn new_game(users: &[UserId], at: i64) -> NewGame {
    let seats = ["S", "W", "N", "E"];
    NewGame {
        id: GameId::fresh(),
        variant: "crossfire".to_owned(),
        time_control: "300+3".to_owned(),
        time_control_json: r#"{"initial":300000,"increment":3000}"#.to_owned(),
        is_rated: true,
        created_at: Timestamp(at),
        started_at: None,
        setup: "{}".to_owned(),
        lobby: None,
        rematch_of: None,
        players: seats.iter().enumerate().map(|(i, seat)| player(seat, users.get(i).copied())).collect(),
        events: vec![event(1)],
        close_lobby: None,
        close_tickets: Vec::new(),
    }
}

pub(crate) fn finish(at: i64, rating: Option<RatingTask>) -> Finish {
    let places = [("S", 1, PlayerResult::Win), ("W", 2, PlayerResult::Loss), ("N", 2, PlayerResult::Loss)];
    Finish {
        status: GameStatus::Finished,
        at: Timestamp(at),
        hidden_until: None,
        reason: "mate".to_owned(),
        result: r#"{"winner":"S"}"#.to_owned(),
        ply_count: 61,
        statistics: Some("{}".to_owned()),
        players: places
            .into_iter()
            .map(|(seat, placement, result)| FinishedPlayer {
                seat: seat.to_owned(),
                placement: Some(placement),
                points: Some(0.5),
                result: Some(result),
            })
            .collect(),
        rating,
        dodge: None,
    }
}

pub(crate) async fn users(store: &Store, count: usize) -> Vec<UserId> {
    let mut users = Vec::new();
    for n in 0..count {
        let id = UserId::fresh();
        store.create_guest(id, &format!("guest {n}"), Timestamp(1)).await.unwrap();
        users.push(id);
    }
    users
}

/// Everyone gains ten points and a game.
pub(crate) fn ten_points(users: &[UserId], at: i64) -> RatingTask {
    let rate = move |current: &[(UserId, Option<StoredRating>)]| {
        current
            .iter()
            .map(|(user, rating)| {
                let before = rating.clone().unwrap_or(StoredRating {
                    rating: 1500.0,
                    deviation: 350.0,
                    volatility: 0.03,
                    games: 0,
                    last_played_at: None,
                    parameters: "test-1".to_owned(),
                });
                let after = StoredRating {
                    rating: before.rating + 10.0,
                    games: before.games + 1,
                    last_played_at: Some(Timestamp(at)),
                    ..before.clone()
                };
                RatingChange { user: *user, before, after, pairs: "[]".to_owned() }
            })
            .collect()
    };
    RatingTask { pool: "crossfire".to_owned(), users: users.to_vec(), rate: Arc::new(rate) }
}

async fn seqs(store: &Store, game: GameId) -> Vec<u32> {
    store.load_events(game, Seq(0)).await.unwrap().iter().map(|event| event.seq.0).collect()
}

async fn an_appended_event_is_read_back_byte_for_byte(database: &Database) {
    let store = database.open().await;
    let game = GameId::fresh();
    let by = Commanded { user: UserId::fresh(), command: CommandId::fresh() };
    let first = NewEvent { commanded: Some(by), ..event(1) };
    store.writer().append(append(game, vec![first.clone(), event(2), event(3)])).await.unwrap();

    let stored = store.load_events(game, Seq(0)).await.unwrap();
    assert_eq!(stored.len(), 3);
    assert_eq!(
        (stored[0].seq, stored[0].commanded, stored[0].at, stored[0].hash, stored[0].body.as_str()),
        (first.seq, Some(by), first.at, first.hash, first.body.as_str()),
    );
    assert_eq!(store.load_events(game, Seq(2)).await.unwrap(), stored[2..]);
    assert_eq!(store.last_seq(game).await.unwrap(), Some(Seq(3)));
    assert_eq!(store.last_seq(GameId::fresh()).await.unwrap(), None);
    assert_eq!(store.find_command(game, by.user, by.command).await.unwrap().as_ref(), Some(&stored[0]));
    assert_eq!(store.find_command(game, UserId::fresh(), by.command).await.unwrap(), None);
}

async fn a_second_writer_of_a_seq_loses(database: &Database) {
    let (one, two) = (database.open().await, database.open().await);
    let game = GameId::fresh();
    for seq in 1..=20 {
        let (a, b) = (one.writer(), two.writer());
        let (a, b) =
            tokio::join!(a.append(append(game, vec![event(seq)])), b.append(append(game, vec![event(seq)])),);
        let lost = [a, b].into_iter().filter_map(Result::err).collect::<Vec<_>>();
        assert_eq!(lost, [AppendError::Conflict]);
    }
    assert_eq!(seqs(&one, game).await, (1..=20).collect::<Vec<_>>());
}

async fn a_command_is_stored_once(database: &Database) {
    let store = database.open().await;
    let game = GameId::fresh();
    let by = Some(Commanded { user: UserId::fresh(), command: CommandId::fresh() });
    let writer = store.writer();
    writer.append(append(game, vec![NewEvent { commanded: by, ..event(1) }])).await.unwrap();
    let again = writer.append(append(game, vec![NewEvent { commanded: by, ..event(2) }])).await;
    assert_eq!(again, Err(AppendError::Conflict));
    writer.append(append(GameId::fresh(), vec![NewEvent { commanded: by, ..event(2) }])).await.unwrap();
    assert_eq!(seqs(&store, game).await, [1]);
}

async fn a_bad_append_harms_no_other_of_its_batch(database: &Database) {
    let store = database.open().await;
    let writer = store.writer();
    let spoiled = GameId::fresh();
    writer.append(append(spoiled, vec![event(1)])).await.unwrap();

    let games: Vec<GameId> = (0..100).map(|_| GameId::fresh()).collect();
    let mut tasks = Vec::new();
    for (n, game) in games.iter().enumerate() {
        let writer = writer.clone();
        // Every seventh is the second writer of a seq, behind an event that must not stay either.
        let append = match n % 7 {
            3 => append(spoiled, vec![event(100 + u32::try_from(n).unwrap()), event(1)]),
            _ => append(*game, vec![event(1), event(2)]),
        };
        tasks.push(tokio::spawn(async move { writer.append(append).await }));
    }
    for (n, task) in tasks.into_iter().enumerate() {
        let answer = task.await.unwrap();
        assert_eq!(answer.is_err(), n % 7 == 3, "append {n}: {answer:?}");
    }
    assert_eq!(seqs(&store, spoiled).await, [1]);
    for (n, game) in games.iter().enumerate() {
        assert_eq!(seqs(&store, *game).await.len(), if n % 7 == 3 { 0 } else { 2 });
    }
}

async fn events_and_the_end_of_a_game_are_one_transaction(database: &Database) {
    let store = database.open().await;
    let users = users(&store, 2).await;
    let game = new_game(&users, 1);
    let id = game.id;
    let writer = store.writer();
    writer.create_game(game.clone()).await.unwrap();
    assert_eq!(writer.create_game(game).await, Err(AppendError::Conflict));
    assert_eq!(store.load_running_games().await.unwrap().len(), 1);

    // The event is stored already, so the end must not be either.
    let clash = Append {
        game: id,
        events: vec![event(1)],
        finish: Some(finish(9, Some(ten_points(&users, 9)))),
        follow_up_pending: None,
    };
    assert_eq!(writer.append(clash).await, Err(AppendError::Conflict));
    assert_eq!(store.find_rating(users[0], "crossfire").await.unwrap(), None);
    assert_eq!(store.load_running_games().await.unwrap().len(), 1);

    let end = Append {
        game: id,
        events: vec![event(2)],
        finish: Some(finish(9, Some(ten_points(&users, 9)))),
        follow_up_pending: None,
    };
    let appended = writer.append(end).await.unwrap();
    assert_eq!(appended.rating_changes.len(), 2);
    assert!(store.load_running_games().await.unwrap().is_empty());

    let stored = store.find_game(id).await.unwrap().unwrap();
    assert_eq!(stored.summary.status, GameStatus::Finished);
    assert_eq!(stored.summary.ended_at, Some(Timestamp(9)));
    assert_eq!(stored.summary.reason.as_deref(), Some("mate"));
    assert_eq!(stored.summary.ply_count, 61);
    assert_eq!(stored.result.as_deref(), Some(r#"{"winner":"S"}"#));
    let seats: Vec<_> = stored.summary.players.iter().map(|player| player.seat.as_str()).collect();
    assert_eq!(seats, ["E", "N", "S", "W"]);
    let south = &stored.summary.players[2];
    assert_eq!(
        (south.user, south.placement, south.result),
        (Some(users[0]), Some(1), Some(PlayerResult::Win))
    );
    assert_eq!((south.rating_before, south.rating_after), (Some(1500.0), Some(1510.0)));
    assert_eq!(stored.summary.players[0].result, None);
}

async fn who_reads_while_a_game_ends_sees_its_end_whole_or_not_at_all(database: &Database) {
    let store = database.open().await;
    let writer = store.writer();
    let users = users(&store, 2).await;
    for n in 0..60 {
        let game = new_game(&users, n);
        let id = game.id;
        writer.create_game(game).await.unwrap();
        let read_on = async {
            loop {
                let loaded = store.load_game(id).await.unwrap().unwrap();
                let found = store.find_game(id).await.unwrap().unwrap();
                for game in [&loaded.game, &found] {
                    let has_results = game.summary.players.iter().any(|player| player.result.is_some());
                    assert_eq!(game.summary.status == GameStatus::Finished, has_results);
                }
                let has_ended = loaded.game.summary.status == GameStatus::Finished;
                let expected = if has_ended { (2, 2) } else { (1, 0) };
                assert_eq!((loaded.events.len(), loaded.ratings.len()), expected);
                if has_ended {
                    break;
                }
            }
        };
        let end = Append {
            game: id,
            events: vec![event(2)],
            finish: Some(finish(n, Some(ten_points(&users, n)))),
            follow_up_pending: None,
        };
        let ((), ended) = tokio::join!(read_on, writer.append(end));
        ended.unwrap();
    }
}

async fn a_game_ends_once(database: &Database) {
    let store = database.open().await;
    let users = users(&store, 4).await;
    let game = new_game(&users, 1);
    let id = game.id;
    let writer = store.writer();
    writer.create_game(game).await.unwrap();
    let end = |seq| {
        let rating = Some(ten_points(&users, 9));
        let append = Append {
            game: id,
            events: vec![event(seq)],
            finish: Some(finish(9, rating)),
            follow_up_pending: None,
        };
        writer.append(append)
    };
    let (a, b, c) = tokio::join!(end(2), end(3), end(4));
    let ended = [&a, &b, &c].into_iter().filter(|answer| answer.is_ok()).count();
    assert_eq!(ended, 1, "{a:?} {b:?} {c:?}");
    assert_eq!(seqs(&store, id).await.len(), 2);
    assert_eq!(store.list_rating_changes(id).await.unwrap().len(), 4);
}

async fn two_games_that_end_together_leave_an_unbroken_chain(database: &Database) {
    let stores = [database.open().await, database.open().await];
    let players = users(&stores[0], 4).await;
    let mut ends = Vec::new();
    for n in 0..20_usize {
        let store = stores[n % 2].clone();
        let game = new_game(&players, 1);
        let id = game.id;
        store.writer().create_game(game).await.unwrap();
        let rating = Some(ten_points(&players, 50));
        let end = Append {
            game: id,
            events: vec![event(2)],
            finish: Some(finish(50, rating)),
            follow_up_pending: None,
        };
        ends.push(tokio::spawn(async move { store.writer().append(end).await }));
    }
    for end in ends {
        assert_eq!(end.await.unwrap().unwrap().rating_changes.len(), 4);
    }
    for player in &players {
        let mut history = stores[0].rating_history(*player, "crossfire", i64::MAX, 100).await.unwrap();
        history.reverse();
        assert_eq!(history.len(), 20);
        let mut last = 1500.0;
        for (n, entry) in history.iter().enumerate() {
            assert_eq!(entry.change.before.rating.to_bits(), f64::to_bits(last));
            assert_eq!(entry.change.after.games as usize, n + 1);
            last = entry.change.after.rating;
        }
        let now = stores[0].find_rating(*player, "crossfire").await.unwrap().unwrap();
        assert_eq!((now.rating.to_bits(), now.games), (f64::to_bits(last), 20));
    }
}

async fn ratings_whose_computing_panics_are_refused_and_the_writer_goes_on(database: &Database) {
    let store = database.open().await;
    let users = users(&store, 1).await;
    let game = new_game(&users, 1);
    let id = game.id;
    let writer = store.writer();
    writer.create_game(game).await.unwrap();
    let rating =
        RatingTask { rate: Arc::new(|_| panic!("an error in the arithmetic")), ..ten_points(&users, 9) };
    let end = Append {
        game: id,
        events: vec![event(2)],
        finish: Some(finish(9, Some(rating))),
        follow_up_pending: None,
    };
    assert!(matches!(writer.append(end).await, Err(AppendError::Invalid(_))));
    assert_eq!(seqs(&store, id).await, [1]);
    writer.append(append(id, vec![event(2)])).await.unwrap();
}

async fn closing_writes_what_was_accepted(database: &Database) {
    let store = database.open_with(Options { batch_limit: 2, ..Options::default() }).await;
    let game = GameId::fresh();
    let mut answers = Vec::new();
    for seq in 1..=50 {
        let writer = store.writer();
        answers.push(tokio::spawn(async move { writer.append(append(game, vec![event(seq)])).await }));
    }
    let first = answers.remove(0).await.unwrap();
    store.close().await;
    let mut stored = usize::from(first.is_ok());
    for answer in answers {
        stored += usize::from(answer.await.unwrap().is_ok());
    }
    let late = store.writer().append(append(game, vec![event(99)])).await;
    assert_eq!(late, Err(AppendError::Unavailable));
    assert_eq!(seqs(&database.open().await, game).await.len(), stored);
}
