//! Games over lines that cut, swallow, delay and chop: nobody loses anything but time.

use std::time::Duration;

use kingscross_client::Address;
use kingscross_engine::Variant;
use kingscross_protocol::{ErrorCode, TimeControl};
use kingscross_tests::{
    Database, FaultProxy, Server, Stored, TestPlayer, Until, guest_clients, on_both_databases, persistent,
    play_all, random_faults, rounds, start_tracked, try_start_tracked, without_limits,
};

const LIMIT: Duration = Duration::from_secs(1200);

/// Games side by side.
const SIDE_BY_SIDE: usize = 10;

/// What a resumed client may be told of a move that it sent for a position of the past.
const HARMLESS: [ErrorCode; 4] =
    [ErrorCode::Stale, ErrorCode::NotYourTurn, ErrorCode::GameOver, ErrorCode::Unavailable];

on_both_databases!(
    every_client_ends_with_the_stored_position_over_a_bad_line,
    a_good_line_loses_nothing_either,
);

async fn every_client_ends_with_the_stored_position_over_a_bad_line(database: Database) {
    let server = Server::start_with(&database, without_limits).await;
    let games = rounds(10, 300);
    let mut met = 0;
    for first in (0..games).step_by(SIDE_BY_SIDE) {
        let side_by_side: Vec<_> = (first..(first + SIDE_BY_SIDE).min(games))
            .map(|number| {
                let (url, store) = (server.url.clone(), server.store.clone());
                tokio::spawn(async move {
                    let game = one_game(&url, &store, number);
                    tokio::time::timeout(LIMIT, game).await.expect("the game ends in time")
                })
            })
            .collect();
        for game in side_by_side {
            met += game.await.expect("the game was told to all alike");
        }
    }
    assert!(met as usize >= games, "{met} troubles in {games} games");
    server.stop().await;
}

/// Gives the number of troubles met.
async fn one_game(url: &str, store: &kingscross_storage::Store, number: usize) -> u64 {
    let variant = Variant::ALL[number % Variant::ALL.len()];
    let target = url.trim_start_matches("http://").to_owned();
    let seed = number as u64;
    let proxy = FaultProxy::with_faults(target, random_faults(10, seed)).await;
    let address = Address::parse(&proxy.url()).expect("an address");
    let mut players = Vec::new();
    for (place, guest) in guest_clients(url, variant).await.into_iter().enumerate() {
        let through = guest.at(address.clone());
        players.push(TestPlayer::connect_with(&through, persistent(), seed << 3 | place as u64).await);
    }
    let time = TimeControl::increment(600_000, 100);
    let game = loop {
        // The line may break while the game is arranged, too.
        if let Ok(game) = try_start_tracked(&mut players, variant, time).await {
            break game;
        }
    };
    let views = play_all(&mut players, &Until::ply(60)).await;
    for (view, player) in views.iter().zip(&players) {
        assert!(view.is_over());
        let odd: Vec<_> = player.refusals.keys().filter(|code| !HARMLESS.contains(code)).collect();
        assert!(odd.is_empty(), "{variant}: refused with {odd:?}");
    }
    let stored = Stored::read(store, game).await;
    stored.check_commands(&players);
    stored.check_clocks();
    stored.check_views(&views);
    proxy.met()
}

async fn a_good_line_loses_nothing_either(database: Database) {
    let server = Server::start_with(&database, without_limits).await;
    for (seed, variant) in Variant::ALL.into_iter().enumerate() {
        let mut players = Vec::new();
        for guest in guest_clients(&server.url, variant).await {
            players.push(TestPlayer::connect_with(&guest, persistent(), seed as u64).await);
        }
        let game = start_tracked(&mut players, variant, TimeControl::increment(600_000, 0)).await;
        let views = play_all(&mut players, &Until::ply(40)).await;
        assert!(players.iter().all(|player| player.refusals.is_empty()));
        let stored = Stored::read(&server.store, game).await;
        stored.check_commands(&players);
        stored.check_views(&views);
    }
    server.stop().await;
}
