//! `kill -9` under load: what was acknowledged is there, once, and nothing else is.

use std::time::Duration;

use kingscross_client::Address;
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{Event, GameId, OutageCause, Request, TimeControl};
use kingscross_tests::{
    Database, FaultProxy, Process, Server, Stored, TestPlayer, Until, guest_clients, on_both_databases,
    persistent, play_all, rounds, start_tracked, try_start_tracked,
};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const SERVER: &str = env!("CARGO_BIN_EXE_test_server");

/// For a hundred rounds; a few take seconds.
const LIMIT: Duration = Duration::from_secs(3000);

/// Far more than the start of a game takes.
const SOON: Duration = Duration::from_secs(30);

on_both_databases!(kill_9_under_load_loses_nothing_and_invents_nothing);

async fn kill_9_under_load_loses_nothing_and_invents_nothing(database: Database) {
    let limit = LIMIT / rounds(20, 1) as u32;
    tokio::time::timeout(limit, kill_and_restart(&database)).await.expect("all rounds end in time");
}

async fn kill_and_restart(database: &Database) {
    let mut process = Process::start(SERVER, &database.location).await;
    // Good lines, which lead to whichever process is the server now.
    let proxy = FaultProxy::start(process.address).await;
    let (count, mut acknowledged) = watch::channel(0);
    let until = Until { ply: 150, stop: CancellationToken::new(), count: Some(count) };
    let address = Address::parse(&proxy.url()).expect("an address");
    let mut tables = Vec::new();
    for number in 0..10 {
        let variant = Variant::ALL[number % Variant::ALL.len()];
        let mut players = Vec::new();
        for (place, guest) in guest_clients(&process.url(), variant).await.into_iter().enumerate() {
            let seed = (number << 3 | place) as u64;
            players.push(TestPlayer::connect_with(&guest.at(address.clone()), persistent(), seed).await);
        }
        tables.push((variant, players));
    }
    let mut tables: JoinSet<_> =
        tables.into_iter().map(|(variant, players)| table(variant, players, until.clone())).collect();

    let mut chance = SplitMix64::new(9);
    for _ in 0..rounds(5, 100) {
        play_on(&mut tables, &mut acknowledged, 30 + chance.below(100) as u64).await;
        process.kill();
        process = Process::start(SERVER, &database.location).await;
        proxy.aim(&process.address);
    }
    // The games must go on after the last restart, too.
    play_on(&mut tables, &mut acknowledged, 30).await;
    until.stop.cancel();
    let played = tables.join_all().await;
    process.kill();

    let store = database.open().await;
    let mut outages = 0;
    for (games, players) in &played {
        for game in games {
            let stored = Stored::read(&store, *game).await;
            stored.check_commands(players);
            let is_outage =
                |event: &Event| matches!(event, Event::Outage { cause: OutageCause::Restart, .. });
            outages += stored.events.iter().filter(|(_, event)| is_outage(event)).count();
        }
    }
    assert!(outages > 0, "a restart is written into the games that it interrupts");
    store.close().await;
}

/// Waits until so many more commands are acknowledged. A table at which a player was told something wrong has ended.
async fn play_on(
    tables: &mut JoinSet<(Vec<GameId>, Vec<TestPlayer>)>,
    acknowledged: &mut watch::Receiver<u64>,
    more: u64,
) {
    let enough = *acknowledged.borrow() + more;
    tokio::select! {
        enough = acknowledged.wait_for(|&count| count >= enough) => drop(enough.expect("the tables play")),
        ended = tables.join_next() => match ended.expect("there are tables") {
            Ok(_) => panic!("a table has ended before it was told to"),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        },
    }
}

/// Plays game after game until told to stop. Gives the games and the players.
async fn table(
    variant: Variant,
    mut players: Vec<TestPlayer>,
    until: Until,
) -> (Vec<GameId>, Vec<TestPlayer>) {
    let mut games = Vec::new();
    while !until.stop.is_cancelled() {
        let time = TimeControl::increment(600_000, 1_000);
        // A kill may come while the game is arranged.
        let Ok(game) = try_start_tracked(&mut players, variant, time).await else { continue };
        games.push(game);
        play_all(&mut players, &until).await;
    }
    (games, players)
}

/// A table of two, at which everyone resigns at once.
async fn one_game_over(url: &str, through: &Address) -> (Vec<TestPlayer>, GameId) {
    let mut players = Vec::new();
    for (seed, guest) in guest_clients(url, Variant::CrossA).await.into_iter().enumerate() {
        players.push(TestPlayer::connect_with(&guest.at(through.clone()), persistent(), seed as u64).await);
    }
    let game = start_tracked(&mut players, Variant::CrossA, TimeControl::increment(600_000, 0)).await;
    play_all(&mut players, &Until::ply(0)).await;
    (players, game)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_of_the_last_game_does_not_pass_for_the_next_one() {
    let server = Server::start(&Database::sqlite()).await;
    let address = Address::parse(&server.url).expect("an address");
    let (mut players, first) = one_game_over(&server.url, &address).await;
    for player in &players {
        // Its snapshot lies unread when the next game begins.
        player.connection.request(Request::Watch { game: first, after: None }).await.expect("it is there");
    }
    let next = start_tracked(&mut players, Variant::CrossA, TimeControl::increment(600_000, 0));
    let second = tokio::time::timeout(SOON, next).await.expect("the next game is seen");
    assert!(players.iter().all(|player| player.view.as_ref().is_some_and(|view| view.game == second)));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_game_begins_after_a_kill_between_two() {
    let database = Database::sqlite();
    let process = Process::start(SERVER, &database.location).await;
    let proxy = FaultProxy::start(process.address).await;
    let address = Address::parse(&proxy.url()).expect("an address");
    let (mut players, _) = one_game_over(&process.url(), &address).await;
    process.kill();
    let process = Process::start(SERVER, &database.location).await;
    proxy.aim(&process.address);
    let next = async {
        loop {
            let time = TimeControl::increment(600_000, 0);
            if let Ok(game) = try_start_tracked(&mut players, Variant::CrossA, time).await {
                return game;
            }
        }
    };
    let second = tokio::time::timeout(SOON, next).await.expect("the next game is seen");
    assert!(players.iter().all(|player| player.view.as_ref().is_some_and(|view| view.game == second)));
    process.kill();
}
