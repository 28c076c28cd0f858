//! Whole games over real sockets: played to their end, kept, taken up again.

use std::collections::HashMap;

use kingscross_client::GameView;
use kingscross_engine::{Action, Game, SplitMix64, Variant};
use kingscross_protocol::{
    CommandId, ErrorCode, Event, GameId, ProposalKind, Request, SeatLetter, Seq, ServerMessage,
};
use kingscross_storage::{GameStatus, Store};
use kingscross_tests::{
    Database, Server, TestPlayer, guests, lobby_options, on_both_databases, play_on, start_game,
};

on_both_databases!(
    four_sockets_play_a_random_game_to_its_end,
    a_game_goes_on_after_a_restart,
    a_command_sent_again_is_answered_again_and_not_carried_out_twice,
);

/// The stored events replay through the engine alone to the stored hashes.
async fn assert_replays(store: &Store, game: GameId) -> Game {
    let events = store.load_events(game, Seq(0)).await.expect("readable");
    let Event::Created(setup) = serde_json::from_str(&events[0].body).expect("an event") else {
        panic!("a game begins with its setup")
    };
    let mut replayed = Game::new(setup.variant);
    let mut is_open = HashMap::new();
    for (index, stored) in events.iter().enumerate() {
        assert_eq!(stored.seq.0 as usize, index + 1, "no event is missing or twice");
        let texts = match serde_json::from_str(&stored.body).expect("an event") {
            Event::Played(played) => vec![played.action],
            Event::Proposed { proposal, what, .. } => {
                is_open.insert(proposal, what);
                if what == ProposalKind::Draw { vec!["offer".to_owned()] } else { vec![] }
            }
            Event::Voted { proposal, by, accept } if is_open[&proposal] == ProposalKind::Draw => {
                vec![format!("{}:{by}", if accept { "accept" } else { "decline" })]
            }
            _ => vec![],
        };
        for text in texts {
            let action = Action::parse(setup.variant, &text).expect("an action");
            replayed.act(&action).expect("legal");
        }
        assert_eq!(replayed.hash().0, stored.hash, "after event {}", stored.seq.0);
    }
    replayed
}

async fn watch_all(players: &mut [TestPlayer], game: GameId) -> Vec<GameView> {
    let mut views = Vec::new();
    for player in players {
        views.push(player.watch(game).await);
    }
    views
}

async fn four_sockets_play_a_random_game_to_its_end(database: Database) {
    let server = Server::start(&database).await;
    for (index, variant) in Variant::ALL.into_iter().enumerate() {
        let mut players = guests(&server.url, variant).await;
        let game = start_game(&mut players, lobby_options(variant)).await;
        let mut views = watch_all(&mut players, game).await;
        let mut dice = SplitMix64::new(index as u64);
        play_on(&mut players, &mut views, &mut dice, 150).await;
        // What has not ended by then is ended by resignations.
        while !views[0].is_over() {
            let turn = views[0].board.turn.expect("someone is on turn");
            let who = views.iter().position(|view| view.you == Some(turn)).expect("seated");
            let done = players[who].connection.request(Request::Resign { game }).await.expect("may resign");
            let seq = done.seq.expect("an event");
            for (player, view) in players.iter_mut().zip(&mut views) {
                while view.seq < seq {
                    player.follow(view).await;
                }
            }
            play_on(&mut players, &mut views, &mut dice, 2).await;
        }
        for (player, view) in players.iter_mut().zip(&mut views) {
            player.follow_to_the_end(view).await;
        }
        let replayed = assert_replays(&server.store, game).await;
        let outcome = replayed.outcome().expect("over");
        let ending = views[0].ending.as_ref().expect("a result");
        assert_eq!(ending.reason, outcome.reason.word());
        let row = server.store.find_game(game).await.expect("readable").expect("stored");
        assert_eq!(row.summary.status, GameStatus::Finished);
        assert_eq!(row.summary.reason.as_deref(), Some(outcome.reason.word()));
        assert_eq!(row.summary.ply_count, replayed.ply());
        assert!(row.summary.players.iter().all(|player| player.placement.is_some()));
    }
    server.stop().await;
}

async fn a_game_goes_on_after_a_restart(database: Database) {
    let server = Server::start(&database).await;
    let mut players = guests(&server.url, Variant::Crossfire).await;
    let game = start_game(&mut players, lobby_options(Variant::Crossfire)).await;
    let mut views = watch_all(&mut players, game).await;
    let mut dice = SplitMix64::new(7);
    play_on(&mut players, &mut views, &mut dice, 20).await;
    let before = views[0].clone();
    server.stop().await;

    let server = Server::start(&database).await;
    let address = kingscross_client::Address::parse(&server.url).expect("an address");
    let mut again = Vec::new();
    for player in &players {
        let client = player.client.at(address.clone());
        let connection = client.connect().await.expect("the session still counts");
        again.push(TestPlayer::new(client, connection));
    }
    let mut views = watch_all(&mut again, game).await;
    assert_eq!(views[0].hash, before.hash);
    assert_eq!(views[0].board, before.board);
    assert!(views[0].seq > before.seq, "the outage is an event");
    play_on(&mut again, &mut views, &mut dice, 10).await;
    assert_eq!(views[0].board.ply, 30);
    assert_replays(&server.store, game).await;
    server.stop().await;
}

async fn a_command_sent_again_is_answered_again_and_not_carried_out_twice(database: Database) {
    let server = Server::start(&database).await;
    let mut players = guests(&server.url, Variant::Crossfire).await;
    let game = start_game(&mut players, lobby_options(Variant::Crossfire)).await;
    let mut views = watch_all(&mut players, game).await;
    let id = CommandId::fresh();
    let send = |mv: &str| Request::Move { game, ply: 0, mv: mv.to_owned() };
    let first = players[0].connection.requester().request_as(id, send("d2-d4")).await.expect("legal");
    players[0].follow(&mut views[0]).await;
    let again = players[0].connection.requester().request_as(id, send("d2-d4")).await.expect("known");
    assert_eq!((first.seq, again.seq), (Some(Seq(2)), Some(Seq(2))));
    let other = players[0].connection.requester().request_as(id, send("e2-e4")).await.expect_err("another");
    assert_eq!(other.refusal().expect("refused").code, ErrorCode::IdReused);
    let stale = players[0].connection.request(send("e2-e4")).await.expect_err("late");
    assert_eq!(stale.refusal().expect("refused").code, ErrorCode::Stale);
    let early = Request::Move { game, ply: 1, mv: "e2-e4".to_owned() };
    let refused = CommandId::fresh();
    for _ in 0..2 {
        let answer = players[0].connection.requester().request_as(refused, early.clone()).await;
        assert_eq!(answer.expect_err("not on turn").refusal().expect("refused").code, ErrorCode::NotYourTurn);
    }
    let sessions: Vec<_> = players.iter().map(|player| player.client.clone()).collect();
    server.stop().await;

    let server = Server::start(&database).await;
    let address = kingscross_client::Address::parse(&server.url).expect("an address");
    let connection = sessions[0].at(address).connect().await.expect("the session still counts");
    let again = connection.requester().request_as(id, send("d2-d4")).await.expect("known from the log");
    assert_eq!(again.seq, Some(Seq(2)));
    let events = server.store.load_events(game, Seq(0)).await.expect("readable");
    assert_eq!(events.iter().filter(|event| event.body.contains("\"d2-d4\"")).count(), 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_person_plays_against_bots_and_may_leave() {
    let server = Server::start_with(&Database::sqlite(), |config| config.bots.delay_ms = 0).await;
    let mut player = TestPlayer::guest(&server.url).await;
    let request =
        Request::PlayNow { variant: Variant::Crossfire, time: None, level: Some("greedy".to_owned()) };
    let game = player.connection.request(request).await.expect("starts").game.expect("a game");
    let mut view = player.watch(game).await;
    assert_eq!(view.you, Some(SeatLetter('s')));
    for _ in 0..10 {
        while !view.is_my_turn() && !view.is_over() {
            player.follow(&mut view).await;
        }
        if view.is_over() {
            break;
        }
        let mv = view.legal.as_ref().expect("on turn")[0].mv.clone();
        let done = player.connection.request(Request::Move { game, ply: view.board.ply, mv }).await;
        let seq = done.expect("legal").seq.expect("an event");
        while view.seq < seq {
            player.follow(&mut view).await;
        }
    }
    // The bots may have ended the war meanwhile: every other refusal is a fault.
    if let Err(refused) = player.connection.request(Request::Resign { game }).await {
        assert_eq!(refused.refusal().expect("a refusal").code, ErrorCode::GameOver);
    }
    player.follow_to_the_end(&mut view).await;
    assert_replays(&server.store, game).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tail_is_enough_for_a_client_that_was_away_for_a_moment() {
    let server = Server::start(&Database::sqlite()).await;
    let mut players = guests(&server.url, Variant::Crossfire).await;
    let game = start_game(&mut players, lobby_options(Variant::Crossfire)).await;
    let mut views = watch_all(&mut players, game).await;
    let mut guest = TestPlayer::guest(&server.url).await;
    let mut seen = guest.watch(game).await;
    guest.connection.request(Request::Unwatch { game }).await.expect("followed");
    play_on(&mut players, &mut views, &mut SplitMix64::new(3), 5).await;
    guest.connection.request(seen.rewatch()).await.expect("there");
    while seen.seq < views[0].seq {
        let message = guest.message().await;
        assert!(!matches!(message, ServerMessage::Snapshot(_)), "five events are no reason for a snapshot");
        seen.apply(&message).expect("consistent");
    }
    assert_eq!(seen.hash, views[0].hash);
    assert_eq!(seen.board, views[0].board);

    guest.connection.request(Request::Unwatch { game }).await.expect("followed");
    play_on(&mut players, &mut views, &mut SplitMix64::new(4), 30).await;
    guest.connection.request(seen.rewatch()).await.expect("there");
    let snapshot = guest
        .until(|message| match message {
            ServerMessage::Snapshot(snapshot) => Some(snapshot),
            ServerMessage::Event(_) => panic!("thirty events are told as a snapshot"),
            _ => None,
        })
        .await;
    assert_eq!(snapshot.hash, views[0].hash);
    assert_eq!(snapshot.history.len(), snapshot.seq.0 as usize);
    server.stop().await;
}
