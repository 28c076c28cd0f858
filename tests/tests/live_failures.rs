//! The program killed, the database gone: nothing that was acknowledged is lost, nothing happens twice.

use std::collections::HashSet;

use kingscross_client::{Address, GameView};
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{CommandId, ErrorCode, Event, OutageCause, Request, Seq, ServerMessage};
use kingscross_tests::{
    Database, Process, Server, TestPlayer, guests, lobby_options, on_both_databases, play_on, start_game,
};
use sqlx::{Connection as _, SqliteConnection};

on_both_databases!(a_kill_in_mid_game_loses_no_acknowledged_move);

async fn a_kill_in_mid_game_loses_no_acknowledged_move(database: Database) {
    let binary = env!("CARGO_BIN_EXE_test_server");
    let mut program = Process::start(binary, &database.location).await;
    let mut players = guests(&program.url(), Variant::Crossfire).await;
    let game = start_game(&mut players, lobby_options(Variant::Crossfire)).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    let mut dice = SplitMix64::new(11);
    for round in 1..=3 {
        play_on(&mut players, &mut views, &mut dice, 6).await;
        // One more that may or may not be acknowledged before the end.
        let turn = views[0].board.turn.expect("running");
        let mover = views.iter().position(|view| view.you == Some(turn)).expect("seated");
        let legal = views[mover].legal.as_ref().expect("on turn");
        let last = Request::Move { game, ply: views[mover].board.ply, mv: legal[0].mv.clone() };
        let id = CommandId::fresh();
        let requester = players[mover].connection.requester();
        let request = last.clone();
        let pending = tokio::spawn(async move { requester.request_as(id, request).await });
        program.kill();
        pending.abort();
        let known = views[0].clone();

        program = Process::start(binary, &database.location).await;
        let address = Address::parse(&program.url()).expect("an address");
        let mut again = Vec::new();
        for player in &players {
            let client = player.client.at(address.clone());
            let connection = client.connect().await.expect("the session still counts");
            again.push(TestPlayer::new(client, connection));
        }
        players = again;
        // Sent again it is carried out once, whether it had been before or not.
        let done = players[mover].connection.requester().request_as(id, last).await.expect("legal still");
        assert!(done.seq > Some(known.seq));
        views.clear();
        for player in &mut players {
            views.push(player.watch(game).await);
        }
        assert_eq!(views[0].board.ply, 7 * round);
    }
    program.kill();

    let store = database.open().await;
    let events = store.load_events(game, Seq(0)).await.expect("readable");
    let commands: Vec<_> = events.iter().filter_map(|event| event.commanded).collect();
    let different: HashSet<_> = commands.iter().map(|commanded| commanded.command).collect();
    assert_eq!((commands.len(), different.len()), (21, 21), "every move once");
    let outages = events.iter().filter(|event| event.body.contains("\"outage\"")).count();
    assert_eq!(outages, 3);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_stands_still_while_the_database_is_gone_and_goes_on_by_itself() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    play_on(&mut players, &mut views, &mut SplitMix64::new(5), 4).await;

    let mut lock = SqliteConnection::connect(&database.location).await.expect("opens");
    sqlx::query("begin immediate").execute(&mut lock).await.expect("the file can be locked");
    let mover = views.iter().position(GameView::is_my_turn).expect("someone is on turn");
    let mv = views[mover].legal.as_ref().expect("on turn")[0].mv.clone();
    let request = Request::Move { game, ply: views[mover].board.ply, mv };
    let id = CommandId::fresh();
    let requester = players[mover].connection.requester();
    let error = requester.request_as(id, request.clone()).await.expect_err("nothing can be stored");
    let refusal = error.refusal().expect("an answer");
    assert_eq!((refusal.code, refusal.retryable), (ErrorCode::Unavailable, true));
    let frozen = |wanted: Option<OutageCause>| {
        move |message: ServerMessage| match message {
            ServerMessage::Table { frozen, .. } if frozen == wanted => Some(()),
            _ => None,
        }
    };
    players[1 - mover].until(frozen(Some(OutageCause::Storage))).await;
    sqlx::query("rollback").execute(&mut lock).await.expect("unlocked");
    players[1 - mover].until(frozen(None)).await;

    requester.request_as(id, request).await.expect("the same command is carried out now");
    let view = TestPlayer::guest(&server.url).await.watch(game).await;
    assert_eq!((view.board.ply, view.frozen), (5, None));
    let events = server.store.load_events(game, Seq(0)).await.expect("readable");
    let outages: Vec<u64> = events
        .iter()
        .filter_map(|event| match serde_json::from_str(&event.body).expect("an event") {
            Event::Outage { millis, cause: OutageCause::Storage } => Some(millis),
            _ => None,
        })
        .collect();
    assert!(!outages.is_empty(), "the outage is in the record");
    assert_eq!(events.iter().filter(|event| event.commanded.is_some()).count(), 5);
    server.stop().await;
}
