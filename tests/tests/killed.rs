//! `kill -9` under load: what was acknowledged is there, once, and nothing else is.

use std::time::Duration;

use kingscross_client::Address;
use kingscross_engine::Variant;
use kingscross_protocol::{Event, GameId, OutageCause, TimeControl};
use kingscross_tests::{
    Chance, Database, Gamer, Process, Proxy, Stored, Until, guests, on_both_databases, play_all, rounds,
    stubborn, try_arrange,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const SERVER: &str = env!("CARGO_BIN_EXE_test_server");

/// For a hundred rounds; a few take seconds.
const LIMIT: Duration = Duration::from_secs(3000);

on_both_databases!(kill_9_under_load_loses_nothing_and_invents_nothing);

async fn kill_9_under_load_loses_nothing_and_invents_nothing(database: Database) {
    let limit = LIMIT / rounds(20, 1) as u32;
    tokio::time::timeout(limit, kill_and_restart(&database)).await.expect("all rounds end in time");
}

async fn kill_and_restart(database: &Database) {
    let mut process = Process::start(SERVER, &database.location).await;
    // Good lines, which lead to whichever process is the server now.
    let proxy = Proxy::start(process.address, 0, 0).await;
    let (count, mut acknowledged) = watch::channel(0);
    let until = Until { ply: 150, stop: CancellationToken::new(), count: Some(count) };
    let address = Address::parse(&proxy.url).expect("an address");
    let mut tables = Vec::new();
    for number in 0..10 {
        let variant = Variant::ALL[number % Variant::ALL.len()];
        let mut gamers = Vec::new();
        for (place, guest) in guests(&process.url(), variant).await.into_iter().enumerate() {
            let seed = (number << 3 | place) as u64;
            gamers.push(Gamer::connect(&guest.at(address.clone()), stubborn(), seed).await);
        }
        tables.push((variant, gamers));
    }
    let tables: Vec<_> = tables
        .into_iter()
        .map(|(variant, gamers)| tokio::spawn(table(variant, gamers, until.clone())))
        .collect();

    let mut chance = Chance::new(9);
    for _ in 0..rounds(5, 100) {
        let enough = *acknowledged.borrow() + 30 + chance.below(100) as u64;
        acknowledged.wait_for(|&count| count >= enough).await.expect("the tables play");
        process.kill();
        process = Process::start(SERVER, &database.location).await;
        proxy.aim(Some(process.address));
    }
    // The games must go on after the last restart, too.
    let enough = *acknowledged.borrow() + 30;
    acknowledged.wait_for(|&count| count >= enough).await.expect("the tables play");
    until.stop.cancel();
    let mut played = Vec::new();
    for table in tables {
        played.push(table.await.expect("everybody was told the truth"));
    }
    process.kill();

    let store = database.open().await;
    let mut outages = 0;
    for (games, gamers) in &played {
        for game in games {
            let stored = Stored::read(&store, *game).await;
            stored.check_commands(gamers);
            let is_outage =
                |event: &Event| matches!(event, Event::Outage { cause: OutageCause::Restart, .. });
            outages += stored.events.iter().filter(|(_, event)| is_outage(event)).count();
        }
    }
    assert!(outages > 0, "a restart is written into the games that it interrupts");
    store.close().await;
}

/// Plays game after game until told to stop. Gives the games and the players.
async fn table(variant: Variant, mut gamers: Vec<Gamer>, until: Until) -> (Vec<GameId>, Vec<Gamer>) {
    let mut games = Vec::new();
    while !until.stop.is_cancelled() {
        let time = TimeControl::increment(600_000, 1_000);
        // A kill may come while the game is arranged.
        let Ok(game) = try_arrange(&mut gamers, variant, time).await else { continue };
        games.push(game);
        play_all(&mut gamers, &until).await;
    }
    (games, gamers)
}
